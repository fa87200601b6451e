#include <algorithm>
#include <array>

#include "graph/kernel_names.h"

namespace seam::graph {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Words inside template arguments that say what an instance does, and those that only say how it is called.
bool tells(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kWrappers = {"gpu_kernel_impl", "gpu_kernel_impl_nocast", "elementwise_kernel", "ReduceOp", "TensorListMetadata", "OffsetCalculator", "BinaryFunctor", "TensorIteratorBase"};
  if (std::ranges::find(kWrappers, word) != kWrappers.end()) return false;
  for (const std::string_view part : {"Functor", "_kernel", "KernelImpl", "Ops", "kernel_cuda", "KernelCuda", "_cuda", "AttentionKernel", "_traits"})
    if (word.find(part) != std::string_view::npos) return true;
  return word.starts_with("cutlass_") && word.size() > 12;
}

}  // namespace

std::string_view kernel_function(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  // The function's own name ends where its template arguments or its parameters begin; namespaces in brackets do not count.
  std::size_t end = 0;
  while (end < name.size() && name[end] != '<' && name[end] != '(') {
    ++end;
    for (const std::string_view hidden : {"(anonymous namespace)", "<unnamed>"})
      if (name.substr(end).starts_with(hidden)) end += hidden.size();
  }
  for (const std::string_view hidden : {"(anonymous namespace)", "<unnamed>"})
    if (name.starts_with(hidden)) {
      const std::size_t after = name.find_first_of("<(", hidden.size());
      end = after == std::string_view::npos ? name.size() : after;
    }
  std::string_view function = name.substr(0, end);
  if (const std::size_t colons = function.rfind("::"); colons != std::string_view::npos) function.remove_prefix(colons + 2);
  return function.empty() ? name : function;
}

std::string short_kernel_name(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::string_view function = kernel_function(name);
  const std::size_t end = static_cast<std::size_t>(function.data() - name.data()) + function.size();
  if (end == name.size()) return std::string(name);
  std::string out(function);
  std::string_view rest = name.substr(end);
  for (std::size_t i = 0; i < rest.size();) {
    if (!is_word(rest[i])) {
      ++i;
      continue;
    }
    std::size_t to = i;
    while (to < rest.size() && is_word(rest[to])) ++to;
    const std::string_view word = rest.substr(i, to - i);
    i = to;
    if (word == function || !tells(word)) continue;
    out += " [" + std::string(word) + "]";
    break;
  }
  return out;
}

}  // namespace seam::graph
