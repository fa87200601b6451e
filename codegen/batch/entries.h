#pragma once
/// The PTX of a text with many kernels, cut into what each kernel needs of it.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cuda_tokens.h"

namespace seam::codegen {

struct PtxEntry {
  std::string name;
  std::string text;  ///< ".visible .entry …" to its closing brace, numbered as if it were alone
  std::vector<std::string> variables;  ///< declarations of the module's variables that it uses
  std::vector<std::string> function_names;  ///< what its line info calls the functions in line, by number
};

struct PtxEntries {
  std::string header;  ///< version, target and address size
  std::vector<PtxEntry> entries;
};

/// Nothing if there is anything in it (a function that is called, a second file) that we do not know how to cut.
[[nodiscard]] std::optional<PtxEntries> ptx_entries(std::string_view ptx);

/// A module with this entry alone, called `name`; `own` says where in `file` the places of its line info are.
[[nodiscard]] std::string ptx_module(const std::string& header, const PtxEntry& entry, std::string_view name, std::string_view file,
                                     const std::function<Place(Place)>& own);

/// The same module without variables that nothing in it uses: headers of the compiler leave some behind.
[[nodiscard]] std::string without_unused_variables(std::string ptx);

}  // namespace seam::codegen
