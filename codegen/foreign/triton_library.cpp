/// What the library calls of an Inductor graph do, as far as their arguments tell.
#include "codegen/triton.h"

namespace seam::codegen {
namespace {

const TritonView* view(const TritonStep& step, std::string_view name) {
  for (const TritonArgument& one : step.arguments)
    if (one.name == name) return std::get_if<TritonView>(&one.value);
  return nullptr;
}

/// Elements in memory: a dimension of stride 0 repeats what is there once.
double elements(const TritonView& view) {
  double out = 1;
  for (std::size_t d = 0; d < view.dims->size(); ++d) {
    const std::int64_t size = (*view.dims)[d];
    if (size == 0) return 0;
    if ((*view.strides)[d] != 0) out *= static_cast<double>(size);
  }
  return out;
}

void add_product(const TritonStep& step, analyzer::LibraryWork& work) {
  const bool with_bias = step.name.starts_with("aten.addmm");
  if (!with_bias && !step.name.starts_with("aten.mm") && !step.name.starts_with("aten.bmm")) return;
  // The bias comes first where there is one, and is `self` then.
  const TritonView* left = view(step, with_bias ? "mat1" : "self");
  const TritonView* out = view(step, "out");
  if (left == nullptr || out == nullptr || left->dims->empty()) return;
  work.factors = left->dtype;
  work.results = elements(*out);
  work.flops = 2 * work.results * static_cast<double>(left->dims->back());
}

}  // namespace

std::optional<analyzer::LibraryWork> triton_library_work(const TritonStep& step) {
  analyzer::LibraryWork out;
  bool writes = false;
  for (const TritonArgument& one : step.arguments) {
    const auto* tensor = std::get_if<TritonView>(&one.value);
    if (tensor == nullptr) continue;
    if (!tensor->dims) return std::nullopt;
    const double size = elements(*tensor) * bytes(tensor->dtype);
    if (tensor->role != TritonRole::Out) out.bytes_read += size;
    if (tensor->role != TritonRole::In) out.bytes_written += size;
    writes |= tensor->role != TritonRole::In;
  }
  if (!writes) return std::nullopt;
  add_product(step, out);
  return out;
}

}  // namespace seam::codegen
