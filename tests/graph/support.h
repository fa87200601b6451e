#pragma once
/// Files and small builders for the graph tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "graph/evaluate.h"
#include "graph/graph.h"
#include "graph/hlo.h"
#include "graph/text.h"

namespace seam::graph::test {

[[nodiscard]] std::string slurp(const std::filesystem::path& file);
/// The 21 modules of tests/data/xla, sorted.
[[nodiscard]] std::vector<std::filesystem::path> xla_modules();
/// Folders of the unpacked oracle, sorted.
[[nodiscard]] std::vector<std::filesystem::path> oracle_modules();

/// Parsed and verified; throws with the error's text, which fails the test.
[[nodiscard]] Graph module(std::string_view hlo);
[[nodiscard]] std::size_t op_count(const Graph& graph);
/// A value of f32, s32, … from plain numbers.
[[nodiscard]] Value value(const std::string& shape, const std::vector<double>& numbers);
/// Evaluates a module on inputs and returns the root's numbers (integers as doubles).
[[nodiscard]] std::vector<double> run(std::string_view hlo, const std::vector<Value>& inputs = {},
                                      Rounding rounding = Rounding::Wide);
/// The error of reading `text`, as printed; empty if it reads.
[[nodiscard]] std::string refusal(std::string_view text);

}  // namespace seam::graph::test
