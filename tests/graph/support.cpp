#include "support.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "graph/verify.h"

namespace seam::graph::test {

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> xla_modules() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SEAM_TEST_DATA "/xla")) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::filesystem::path> oracle_modules() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(SEAM_UNPACKED "/oracle")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

Graph module(std::string_view hlo) {
  Result<Graph> graph = read_graph(hlo, "test.hlo");
  if (!graph) throw std::runtime_error(describe(graph.error(), hlo));
  return *std::move(graph);
}

std::size_t op_count(const Graph& graph) {
  std::size_t count = 0;
  for (const Computation& computation : graph.computations) count += computation.ops.size();
  return count;
}

Value value(const std::string& shape, const std::vector<double>& numbers) {
  const Graph graph = module("ENTRY e { ROOT p = " + shape + " parameter(0) }");
  Array array = make_array(graph.entry_computation().ops[Id<Op>(0)].shape.dtype, graph.entry_computation().ops[Id<Op>(0)].shape.dims);
  const auto width = static_cast<std::size_t>(bytes(array.dtype));
  for (std::size_t i = 0; i < numbers.size(); ++i) store_from_double(array.dtype, array.data.data() + i * width, numbers[i]);
  return to_value(array, graph.entry_computation().ops[Id<Op>(0)].shape).value();
}

std::vector<double> run(std::string_view hlo, const std::vector<Value>& inputs, Rounding rounding) {
  const Graph graph = module(hlo);
  EvaluateOptions options;
  options.rounding = rounding;
  const Result<Value> result = evaluate(graph, inputs, options);
  if (!result) throw std::runtime_error(describe(result.error(), hlo));
  std::vector<double> numbers;
  const std::vector<Value> parts = result->shape.is_tuple ? result->elements : std::vector<Value>{*result};
  for (const Value& part : parts) {
    numbers.insert(numbers.end(), part.numbers.begin(), part.numbers.end());
    numbers.insert(numbers.end(), part.integers.begin(), part.integers.end());
    numbers.insert(numbers.end(), part.imaginary.begin(), part.imaginary.end());
  }
  return numbers;
}

std::string refusal(std::string_view text) {
  const Result<Graph> graph = read_graph(text, "m.hlo");
  return graph ? "" : describe(graph.error());
}

}  // namespace seam::graph::test
