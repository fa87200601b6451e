/// How often each launch happens, from the module alone.
#include "codegen/foreign.h"
#include "graph/transform.h"

namespace seam::codegen {
namespace {

using graph::Opcode;
using Times = std::optional<std::int64_t>;

class Counter {
 public:
  explicit Counter(const ForeignProgram& program) : program_(program) {}

  std::map<std::string, Times> count() {
    visit(program_.graph.entry, 1);
    return std::move(out_);
  }

 private:
  void visit(Id<graph::Computation> id, Times times) {
    const graph::Computation& computation = program_.graph.computations[id];
    for (const graph::Op& op : computation.ops) {
      switch (op.opcode) {
        case Opcode::While: {
          const Times trips = graph::trip_count(program_.graph, computation, op);
          visit(op.attributes.calls[1], times && trips ? Times(*times * *trips) : std::nullopt);
          if (!trips) visit(op.attributes.calls[0], std::nullopt);
          break;
        }
        case Opcode::Conditional:
          for (const Id<graph::Computation> branch : op.attributes.calls) visit(branch, std::nullopt);
          break;
        case Opcode::Call: visit(op.attributes.calls[0], times); break;
        default:
          if (const auto launch = program_.launches.find(op.name); launch != program_.launches.end()) add(op.name, times);
      }
    }
  }

  /// A computation that several call runs for each of them.
  void add(const std::string& instruction, Times times) {
    const auto [slot, fresh] = out_.emplace(instruction, times);
    if (!fresh) slot->second = slot->second && times ? Times(*slot->second + *times) : std::nullopt;
  }

  const ForeignProgram& program_;
  std::map<std::string, Times> out_;
};

}  // namespace

std::map<std::string, Times> launch_times(const ForeignProgram& program) { return Counter(program).count(); }

}  // namespace seam::codegen
