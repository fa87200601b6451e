#pragma once
/// The part of `seam validate` that runs programs of other compilers.
#include <string>

#include "cli/command.h"

namespace seam::cli {

struct ForeignFlags {
  std::string ptx, launches, before, module;
  bool profile = false;
};
/// --ptx, --launches, --before, --module, --profile.
void add_foreign_flags(CLI::App& app, ForeignFlags& flags);
/// True if `input` is a dump folder or the flags name PTX or launches.
[[nodiscard]] bool is_foreign(const std::string& input, const ForeignFlags& flags);

struct ForeignRequest {
  std::string input, inputs, expect, device, run;
  std::uint64_t instructions = 0;
  std::size_t threads = 0;
  bool no_kernels = false;
  ForeignFlags flags;
};
[[nodiscard]] Result<int> validate_foreign(const ForeignRequest& request, const Common& common);

}  // namespace seam::cli
