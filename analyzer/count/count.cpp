#include "analyzer/count.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "count/fusion.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

bool launches_nothing(const Op& op) {
  switch (op.opcode) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::AfterAll:
    case Opcode::AddDependency:
    case Opcode::OptBarrier:
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
    case Opcode::Domain:
    case Opcode::CopyDone:
    case Opcode::AsyncDone:
    case Opcode::AsyncUpdate:
    case Opcode::AllReduceDone:
    case Opcode::AllGatherDone:
    case Opcode::CollectivePermuteDone:
    case Opcode::SendDone:
    case Opcode::RecvDone:
    case Opcode::GetDimensionSize:
      return true;
    default:
      return false;
  }
}

constexpr std::string_view kMarkers[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "AllocateBuffer",
                                         "xla.sdy.FuncResultSharding", "Pin", "Unpin", "CreateBuffer",
                                         "annotate_device_placement", "AssumeGatherIndicesInBound"};

/// known_trip_count of the backend configuration, whatever its quoting.
std::optional<std::int64_t> stated_trips(const Op& op) {
  const std::string_view text = op.attributes.backend_config;
  std::size_t at = text.find("known_trip_count");
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find("\"n\"", at);
  if (at == std::string_view::npos) return std::nullopt;
  at += 3;
  while (at < text.size() && (text[at] < '0' || text[at] > '9')) ++at;
  std::int64_t trips = 0;
  const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), trips);
  if (code != std::errc{}) return std::nullopt;
  return trips;
}

class Counter {
 public:
  explicit Counter(const Graph& graph) : graph_(graph) {}

  LaunchCounts of(Id<Computation> id, std::int64_t times) {
    counts_ = {};
    visit(id, times);
    return counts_;
  }

 private:
  enum class Kind : std::uint8_t { Kernel, Library, Copy };
  void add(Kind kind, std::int64_t launches, std::int64_t bytes) {
    switch (kind) {
      case Kind::Kernel:
        counts_.kernels += launches;
        counts_.kernel_bytes += bytes;
        break;
      case Kind::Library:
        counts_.library_calls += launches;
        counts_.library_bytes += bytes;
        break;
      case Kind::Copy:
        counts_.copies += launches;
        counts_.copy_bytes += bytes;
        break;
    }
  }

  void visit(Id<Computation> id, std::int64_t times) {
    const Computation& computation = graph_.computations[id];
    for (const Op& op : computation.ops)
      if (!launches_nothing(op)) one(computation, op, times);
  }

  void one(const Computation& computation, const Op& op, std::int64_t times) {
    switch (op.opcode) {
      case Opcode::Fusion:
        return fusion(computation, op, times);
      case Opcode::CustomCall:
        if (std::ranges::find(kMarkers, op.attributes.custom_call_target) == std::end(kMarkers))
          add(Kind::Library, times, times * bytes_moved(computation, op));
        return;
      case Opcode::Copy:
      case Opcode::CopyStart:
        return add(Kind::Copy, times, times * bytes_of_launch(graph_, computation, op));
      case Opcode::While: {
        const std::optional<std::int64_t> trips = stated_trips(op);
        if (!trips) ++counts_.loops_of_unknown_length;
        visit(op.attributes.calls.at(1), times * trips.value_or(1));
        // The runtime skips the condition of a loop whose length is known.
        if (!trips) visit(op.attributes.calls.at(0), times * 2);
        return;
      }
      case Opcode::Conditional: {
        LaunchCounts most;
        for (const Id<Computation> branch : op.attributes.calls) {
          const LaunchCounts here = Counter(graph_).of(branch, times);
          if (here.kernels + here.library_calls + here.copies > most.kernels + most.library_calls + most.copies) most = here;
        }
        counts_.kernels += most.kernels;
        counts_.library_calls += most.library_calls;
        counts_.copies += most.copies;
        counts_.kernel_bytes += most.kernel_bytes;
        counts_.library_bytes += most.library_bytes;
        counts_.copy_bytes += most.copy_bytes;
        return;
      }
      case Opcode::Call:
      case Opcode::AsyncStart:
        for (const Id<Computation> callee : op.attributes.calls) visit(callee, times);
        return;
      case Opcode::Sort: {
        const graph::Shape& keys = computation.ops[op.operands[0]].shape;
        const std::int64_t length = op.attributes.dimensions.empty() || keys.dims.empty()
                                        ? 1
                                        : keys.dims[static_cast<std::size_t>(op.attributes.dimensions[0])];
        const std::int64_t kernels = sort_kernels(length);
        return add(Kind::Kernel, times * kernels, times * bytes_moved(computation, op));
      }
      case Opcode::Reshape:
      case Opcode::Broadcast:
        return;
      case Opcode::Infeed:
      case Opcode::Outfeed:
        return add(Kind::Copy, times, times * bytes_moved(computation, op));
      default:
        if (graph::op_class(op.opcode) == OpClass::Communication) return add(Kind::Library, times, times * bytes_moved(computation, op));
        return add(Kind::Kernel, times, times * bytes_moved(computation, op));
    }
  }

  void fusion(const Computation& computation, const Op& op, std::int64_t times) {
    const std::int64_t bytes = fusion_bytes(graph_, computation, op);
    const std::string_view config = op.attributes.backend_config;
    const bool custom = config.find("\"__custom_fusion\"") != std::string_view::npos;
    if (custom || only_copies(graph_, op)) return add(Kind::Copy, times, times * bytes);
    if (config.find("\"__cudnn$fusion\"") != std::string_view::npos) return add(Kind::Library, times, times * bytes);
    std::int64_t kernels = 1;
    for (const Id<Computation> callee : op.attributes.calls)
      for (const Op& inner : graph_.computations[callee].ops)
        if (inner.opcode == Opcode::Sort) kernels += sort_kernels(inner_sort_length(inner)) - 1;
    add(Kind::Kernel, times * kernels, times * bytes);
  }

  const Graph& graph_;
  LaunchCounts counts_;
};

}  // namespace

std::int64_t bytes_of_launch(const Graph& graph, const Computation& computation, const Op& op) {
  if (op.opcode == Opcode::Fusion) return fusion_bytes(graph, computation, op);
  if (op.opcode == Opcode::Copy || op.opcode == Opcode::CopyStart) return 2 * computation.ops[op.operands[0]].shape.byte_size();
  return bytes_moved(computation, op);
}

LaunchCounts count_launches(const Graph& graph) { return Counter(graph).of(graph.entry, 1); }

}  // namespace seam::analyzer
