#pragma once
/// A decoded kernel: what the run loop executes. Immutable once made, shared by launches.
///
/// Registers. A warp's register file is one block of bytes; a register is a row of 32 lanes in it, so that one C++
/// loop per instruction runs all lanes. A predicate is a row of 4 bytes: one bit per lane. Constants and special
/// registers are rows too, filled when a warp or a block starts, so that an operand is always a row.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/sim.h"
#include "text/syntax.h"

namespace seam::sim {

struct Warp;
struct Instruction;

/// Does what the instruction says for the lanes of the mask (never empty, except for branches).
using Handler = void (*)(Warp&, const Instruction&, std::uint32_t lanes);

constexpr std::uint32_t kNoRow = UINT32_MAX;

struct Instruction {
  Handler run = nullptr;
  std::uint32_t d = kNoRow;   ///< rows: destination, second destination, sources
  std::uint32_t d2 = kNoRow;
  std::uint32_t a = kNoRow;
  std::uint32_t b = kNoRow;
  std::uint32_t c = kNoRow;
  std::uint32_t e = kNoRow;
  std::uint32_t guard = kNoRow;
  std::uint32_t target = 0;  ///< branch target; index into Program::branch_tables for brx.idx
  std::int64_t offset = 0;   ///< of an address; or an immediate of the opcode
  bool guard_negated = false;
  bool control = false;      ///< runs even if no lane is left
  bool a_negated = false;    ///< predicate operands
  bool b_negated = false;
  bool c_negated = false;
  Space space = Space::Generic;
  std::uint8_t bytes = 0;    ///< of one element in memory
  std::uint8_t count = 1;    ///< elements of a vector access
  std::uint8_t used = 1;     ///< of a vector load: up to the last element that anything reads (decode/unused.h)
  bool loads_vector = false;
  std::uint8_t row_bytes = 0;    ///< of a lane in the rows of `elements`
  std::uint8_t address_bytes = 0;  ///< of a lane in row `a`; 0: the address is `offset` alone
  std::uint8_t kind = 0;     ///< which of several, family by family
  std::uint8_t flags = 0;    ///< family by family
  std::array<std::uint32_t, 8> elements{};
};

/// Instruction::kind of block barriers: what all threads learn about everybody's predicate a.
enum class BarrierReduce : std::uint8_t { None, Count, And, Or };

/// Instruction::flags of memory instructions.
constexpr std::uint8_t kStrong = 1;      ///< relaxed, acquire, release, volatile, atomic
constexpr std::uint8_t kRelease = 2;
constexpr std::uint8_t kBlockScope = 4;  ///< .cta, .cluster (one block here): orders nothing between blocks

/// A row whose value does not change during a launch.
struct ConstantRow {
  std::uint32_t row = 0;
  int bytes = 0;             ///< of a lane; 0 = predicate
  std::uint64_t value = 0;
  int global = -1;           ///< add the address of this module variable
  int parameter = -1;        ///< the value lies at this byte of the parameter block
};

enum class Special : std::uint8_t {
  TidX, TidY, TidZ, NtidX, NtidY, NtidZ, CtaidX, CtaidY, CtaidZ, NctaidX, NctaidY, NctaidZ,
  LaneId, WarpId, NwarpId, LanemaskEq, LanemaskLt, LanemaskLe, LanemaskGt, LanemaskGe,
  DynamicSharedSize, TotalSharedSize, GridIdLow,
};

struct SpecialRow {
  std::uint32_t row = 0;
  Special special = Special::TidX;
  int bytes = 4;
};

/// A .global or .const variable of the module.
struct GlobalVariable {
  std::string name;
  bool constant = false;
  std::int64_t bytes = 0;
  std::vector<std::byte> initial;   ///< empty = zero
  struct Link {
    std::int64_t at = 0;
    int global = 0;
    std::int64_t offset = 0;
  };
  std::vector<Link> links;          ///< places that hold an address of another variable
};

struct Program {
  KernelInfo info;
  std::vector<Instruction> code;    ///< ends with an exit
  std::vector<Place> places;        ///< by instruction
  std::vector<std::string> texts;   ///< by instruction
  std::vector<ConstantRow> constants;
  std::vector<SpecialRow> specials;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::uint32_t register_bytes = 0; ///< of one warp
  std::int64_t local_bytes = 0;     ///< per thread
  std::int64_t parameter_bytes = 0;
  /// Static shared arrays, [begin, end); the bytes between them may not be touched. Then dynamic memory.
  std::vector<std::pair<std::int64_t, std::int64_t>> shared_arrays;
  std::int64_t dynamic_start = 0;
  int smallest_shared = 8;          ///< bytes of the smallest access: the granularity of race checks
  int smallest_global = 8;
  bool wide = false;                ///< uses the AVX2 loops (ops/isa.h)
  bool fences = false;              ///< has a fence that other blocks can see
};

}  // namespace seam::sim

namespace seam::sim {
class Module {
 public:
  std::string file;
  std::vector<std::string> source_files;
  std::vector<GlobalVariable> globals;
  std::vector<Program> programs;
  /// Names this module in the memories that hold its variables; outlives it there, so that no later module is taken for it.
  std::shared_ptr<const int> identity = std::make_shared<const int>(0);
};
}  // namespace seam::sim
