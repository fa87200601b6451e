/// A launch of an Inductor graph, ready to run: its PTX, its buffers, its parameter block.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/files.h"
#include "codegen/triton.h"

namespace seam::codegen {
namespace {

/// Normal numbers; small integers, which are good as labels, indices and seeds. Large buffers repeat them.
void fill(DType dtype, std::span<std::byte> memory, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto step = static_cast<std::size_t>(bytes(dtype));
  const std::size_t fresh = std::min(memory.size(), 10'007 * step);
  for (std::size_t at = 0; at + step <= fresh; at += step) {
    const double value = is_float(dtype) ? normal(random) : static_cast<double>(random() % (dtype == DType::Pred ? 2U : 8U));
    store_from_double(dtype, &memory[at], value);
  }
  for (std::size_t at = fresh; at < memory.size(); at += fresh) std::memcpy(&memory[at], memory.data(), std::min(fresh, memory.size() - at));
}

/// By index into TritonGraph::buffers.
using Addresses = std::map<std::size_t, std::uint64_t>;

Addresses place_buffers(const TritonGraph& graph, const TritonStep& step, sim::Memory& memory, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Addresses out;
  // What is read first, so that a buffer that is written too holds numbers.
  for (const bool reads : {true, false}) {
    for (const TritonArgument& argument : step.arguments) {
      const auto* view = std::get_if<TritonView>(&argument.value);
      if (view == nullptr || (view->role != TritonRole::Out) != reads || out.contains(view->buffer)) continue;
      const std::uint64_t at = memory.allocate(graph.buffers[view->buffer], argument.name);
      if (reads) fill(view->dtype, memory.bytes(at), random);
      memory.set_initialized(at, reads);
      out[view->buffer] = at;
    }
  }
  return out;
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

std::vector<std::byte> value_of(const TritonArgument& argument, const Addresses& addresses) {
  if (const auto* view = std::get_if<TritonView>(&argument.value)) {
    return bytes_of(addresses.at(view->buffer) + static_cast<std::uint64_t>(view->offset) * static_cast<std::uint64_t>(bytes(view->dtype)));
  }
  const auto& scalar = std::get<TritonScalar>(argument.value);
  if (scalar.type == "fp32") return bytes_of(static_cast<float>(scalar.number));
  if (scalar.type == "i32") return bytes_of(static_cast<std::int32_t>(scalar.integer));
  return bytes_of(scalar.integer);
}

/// What a launch does not give are pointers to scratch memory that the kernel does not use: null.
Result<std::vector<std::byte>> parameter_block(const TritonGraph& graph, const TritonStep& step, const sim::KernelInfo& info, const Addresses& addresses) {
  const auto misfit = [&](std::string_view why) { return fail(Error::Code::BadInput, fmt::format("{}: launch of {}: {}", graph.file, step.name, why)); };
  if (step.arguments.size() > info.parameters.size()) {
    return misfit(fmt::format("{} arguments for a kernel of {} parameters", step.arguments.size(), info.parameters.size()));
  }
  std::vector<std::byte> out;
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    const sim::KernelInfo::Parameter& parameter = info.parameters[k];
    const auto offset = static_cast<std::size_t>(parameter.offset);
    const auto size = static_cast<std::size_t>(parameter.size);
    if (out.size() < offset + size) out.resize(offset + size);
    if (k >= step.arguments.size()) {
      if (!parameter.pointer) return misfit(fmt::format("{} arguments for a kernel of {} parameters", step.arguments.size(), info.parameters.size()));
      continue;
    }
    const std::vector<std::byte> value = value_of(step.arguments[k], addresses);
    if (value.size() != size) return misfit(fmt::format("argument {} has {} bytes, parameter {} has {}", step.arguments[k].name, value.size(), parameter.name, size));
    std::memcpy(out.data() + offset, value.data(), size);
  }
  return out;
}

}  // namespace

TritonTarget triton_target(const Device& device) { return device.compute_major == 9 ? TritonTarget::Sm90 : TritonTarget::Sm80; }

Result<std::shared_ptr<const sim::Module>> load_triton_kernel(const TritonGraph& graph, const std::string& kernel, const std::filesystem::path& folder, TritonTarget target) {
  const auto found = graph.kernels.find(kernel);
  if (found == graph.kernels.end()) return fail(Error::Code::NotFound, fmt::format("{}: no kernel {}", graph.file, kernel));
  const std::filesystem::path file = folder / (found->second.ptx + (target == TritonTarget::Sm80 ? ".sm_80.ptx" : ".ptx"));
  SEAM_TRY(const std::string text, read_file(file));
  return sim::load_ptx(text, file.string(), kernel);
}

Result<TritonRun> triton_run(const TritonGraph& graph, const TritonStep& step, const sim::Module& module, TritonTarget target, std::uint64_t seed) {
  const TritonKernel& kernel = graph.kernels.at(step.name);
  if (kernel.global_scratch > 0) return fail(Error::Code::Unsupported, fmt::format("{}: kernel {} wants global scratch memory", graph.file, step.name));
  const std::vector<sim::KernelInfo> all = sim::kernels(module);
  const auto info = std::ranges::find(all, step.name, &sim::KernelInfo::name);
  if (info == all.end()) return fail(Error::Code::NotFound, fmt::format("{}: {}.ptx holds no kernel {}", graph.file, kernel.ptx, step.name));
  TritonRun out;
  const Addresses addresses = place_buffers(graph, step, out.memory, seed);
  out.launch.kernel = step.name;
  out.launch.grid = step.grid;
  out.launch.block = step.block;
  out.launch.dynamic_shared = target == TritonTarget::Sm80 ? kernel.dynamic_shared_sm_80.value_or(step.dynamic_shared) : step.dynamic_shared;
  SEAM_TRY(out.launch.parameters, parameter_block(graph, step, *info, addresses));
  return out;
}

}  // namespace seam::codegen
