#pragma once
/// The pieces of report.html, top to bottom. Each returns HTML.
#include <string>
#include <string_view>

#include "report/optimized.h"

namespace seam::report {

// Built in from style.css and script.js.
extern const std::string_view kStyle, kScript;

[[nodiscard]] std::string head_section(const Optimized& optimized);
[[nodiscard]] std::string compare_section(const Optimized& optimized);
[[nodiscard]] std::string beside_section(const Optimized& optimized);
[[nodiscard]] std::string program_section(const Optimized& optimized);
[[nodiscard]] std::string kernels_section(const Optimized& optimized);
[[nodiscard]] std::string layout_section(const Optimized& optimized);
[[nodiscard]] std::string veto_section(const Optimized& optimized);
[[nodiscard]] std::string honesty_section(const Optimized& optimized);
[[nodiscard]] std::string reproduce_section(const Optimized& optimized);

/// <span class="badge passed">passed</span>
[[nodiscard]] std::string badge(codegen::Outcome outcome);
[[nodiscard]] std::string evidence_tag(Evidence evidence);
/// "k-" and the kernel's name: where its card is.
[[nodiscard]] std::string anchor(std::string_view kernel);

}  // namespace seam::report
