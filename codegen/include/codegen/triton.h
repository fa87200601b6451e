#pragma once
/// What Inductor made of a graph: Triton kernels with their PTX, the launches in call order, and the calls of libraries between them, from the launch
/// description that goes with the PTX (a JSON file, fields in docs/compilers.md). Each launch runs on the simulator with seeded inputs at its own shape.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/time_model.h"
#include "base/device.h"
#include "base/dtype.h"
#include "codegen/profile.h"
#include "sim/sim.h"

namespace seam::codegen {

enum class TritonRole : std::uint8_t { In, Out, InOut };

/// A view of a buffer.
struct TritonView {
  std::size_t buffer = 0;  ///< index into TritonGraph::buffers
  TritonRole role = TritonRole::In;
  DType dtype = DType::F32;
  std::int64_t offset = 0;  ///< elements
  /// Kernels get pointers and need no shape; of a library call without shapes the bytes are unknown.
  std::optional<std::vector<std::int64_t>> dims, strides;
  friend bool operator==(const TritonView&, const TritonView&) = default;
};
struct TritonScalar {
  std::string type;  ///< as Triton calls it: "i32", "i64", "fp32", "*i8" for a pointer that is null
  double number = 0;          ///< of "fp32"
  std::int64_t integer = 0;   ///< of the others
  friend bool operator==(const TritonScalar&, const TritonScalar&) = default;
};
struct TritonArgument {
  std::string name;
  /// Neither: what only a library call takes (a flag, a list, None).
  std::variant<std::monostate, TritonView, TritonScalar> value;
};

enum class TritonKind : std::uint8_t { Launch, Library };

struct TritonStep {
  TritonKind kind = TritonKind::Launch;
  std::string name;  ///< of the kernel, or of the ATen op
  sim::Dim3 grid, block;
  std::int64_t dynamic_shared = 0;  ///< bytes
  std::vector<TritonArgument> arguments;
};

struct TritonKernel {
  std::string ptx;                                    ///< file name without ".ptx"
  std::optional<std::int64_t> dynamic_shared_sm_80;   ///< bytes, where the PTX for sm_80 needs another number
  std::int64_t global_scratch = 0;                    ///< bytes of a block
};

struct TritonGraph {
  std::string name;                   ///< program and direction: "mlp_b64.fw"
  std::string file;                   ///< it was read from
  std::map<std::string, TritonKernel, std::less<>> kernels;
  std::vector<std::int64_t> buffers;  ///< bytes
  std::vector<TritonStep> steps;      ///< in call order
};

/// Of which of its two PTX texts a kernel is taken.
enum class TritonTarget : std::uint8_t { Sm90, Sm80 };
/// sm_90a is for devices of that very generation; what sm_80 takes runs on all later ones.
[[nodiscard]] TritonTarget triton_target(const Device& device);

/// Errors name the file and the field. A launch that names a kernel or a buffer that is not there is one.
[[nodiscard]] Result<TritonGraph> read_triton_graph(std::string_view text, const std::string& file);
[[nodiscard]] Result<TritonGraph> read_triton_graph(const std::filesystem::path& file);

/// The kernel's PTX from `folder`. Error::Unsupported: the simulator does not know something in it.
[[nodiscard]] Result<std::shared_ptr<const sim::Module>> load_triton_kernel(const TritonGraph& graph, const std::string& kernel, const std::filesystem::path& folder,
                                                                          TritonTarget target);

/// A launch with a memory of its own.
struct TritonRun {
  sim::Memory memory;
  sim::Launch launch;
};
/// Buffers that the kernel reads hold normal numbers, small integers (good as labels, indices and seeds) or booleans; the others are not initialised.
[[nodiscard]] Result<TritonRun> triton_run(const TritonGraph& graph, const TritonStep& step, const sim::Module& module, TritonTarget target, std::uint64_t seed);

/// Launches that do the same: one kernel, one shape, the same sizes, offsets and scalars.
struct TritonProfile : LaunchProfile {
  const TritonStep* step = nullptr;  ///< of the graph: the first of them
  std::vector<const TritonStep*> steps;  ///< all of them
  std::int64_t times = 0;
};
struct TritonOptions : ProfileOptions {
  TritonTarget target = TritonTarget::Sm90;
  std::uint64_t seed = 0;
};
/// In the order of their first launches. Errors: PTX that is missing or broken, a launch that does not fit its kernel. PTX that the simulator does not
/// know is the refusal of a profile.
[[nodiscard]] Result<std::vector<TritonProfile>> profile_triton(const TritonGraph& graph, const std::filesystem::path& folder, const TritonOptions& options = {},
                                                                const Progress& progress = {});

/// What a library call does: flops of products, operands and results once. nullopt: it has a tensor without shape, or no result.
[[nodiscard]] std::optional<analyzer::LibraryWork> triton_library_work(const TritonStep& step);

}  // namespace seam::codegen
