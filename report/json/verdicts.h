#pragma once
/// JSON of verdicts, shared by validate, optimize and the certificate. For .cpp files only: it shows the JSON library.
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "codegen/program_check.h"
#include "codegen/verdict.h"

namespace seam::report {

using Json = nlohmann::ordered_json;

/// null: unknown.
[[nodiscard]] Json json_of(const std::optional<codegen::Resources>& resources);
[[nodiscard]] Json json_of(const codegen::Verdict& verdict);
[[nodiscard]] Json json_of(const codegen::ProgramCheck& check);
[[nodiscard]] Json json_of(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program);

}  // namespace seam::report
