#pragma once
/// Verdicts as text and JSON ("schema": "seam.validate/1").
#include <string>
#include <vector>

#include "codegen/program_check.h"
#include "codegen/verdict.h"

namespace seam::report {

/// Failed if anything failed; inconclusive if anything is, or nothing was checked; a program that was not run (NotRun) does not count.
[[nodiscard]] codegen::Outcome overall(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program);
/// {schema, verdict, kernels [{name, verdict, tiers {ir, sim, values, host, gpu}, …}], program {verdict, reason, outputs […]}}.
[[nodiscard]] std::string validate_json(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program);
[[nodiscard]] std::string validate_text(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program, bool markdown);

}  // namespace seam::report
