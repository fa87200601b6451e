/// mma.sync: D = A·B + C on the tensor cores, f16, bf16, tf32, s8 and u8.
///
/// What is exact here, and what is chosen. The ISA leaves open how an mma adds up: "at least single precision", any order, any rounding,
/// subnormals unspecified (with f16 results: at least half precision).
///  - Products are exact, on the hardware and here: two 11-bit significands fit a float's 24 bits, let alone a double's 53.
///  - The sum starts with c and adds the K products in order of k, in double, and is rounded once to the type of D, to nearest even. Why: one
///    rounding is nearer to what every order of adding would give than any particular order, so a kernel that is right on all devices is right
///    here; and it is the same on every machine we run on. An f32 result is the exact sum rounded, but for sums that span more than 53 bits.
///  - The hardware is known (Fasi et al. 2021 on V100, T4 and A100, later work on H100) to add blocks of 4 (V100), 8 (A100) or 16 (H100)
///    products and c at once, aligned to the largest with one to three extra bits, *truncated*, not rounded, and truncated again to f32; f16
///    results are rounded to nearest. So real f32 results differ from ours by a few units in the last place of the largest term,
///    biased towards zero: values are compared with a tolerance, not bit by bit.
///  - Subnormals are kept, as the hardware does. tf32 operands are f32 registers whose last 13 bits are not looked at.
///  - NaN: 0 × infinity, infinity − infinity and NaN operands give the one NaN 0x7fffffff (0x7fff for f16).
///  - Integers are exact: products in full, sums modulo 2^32, or saturated with .satfinite.
///
/// Every lane holds a part of each matrix. With `per` elements to a 32-bit register, lane = 4·g + t:
///   A: element j of register r is A[g + 8·(r mod 2)][per·t + j + 4·per·(r div 2)];   B: element j of register r is B[per·t + j + 4·per·r][g]
///   C, D: 32-bit register r is C[g + 8·(r div 2)][2·t + r mod 2]; half j of f16 register r is C[g + 8·r][2·t + j]
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "ops/families.h"
#include "ops/halves.h"
#include "ops/loops.h"
#include "ops/rounding.h"
#include "ops/scalar.h"
#include "ops/together.h"

namespace seam::sim {
namespace {

enum class Element : std::uint8_t { F16, BF16, TF32, S8, U8 };
enum class Sum : std::uint8_t { F32, F16, S32, S32Saturated };

constexpr int kRows = 16;
constexpr int kColumns = 8;
constexpr int kDeepest = 32;

constexpr int per_register(Element element) {
  return element == Element::TF32 ? 1 : element == Element::F16 || element == Element::BF16 ? 2 : 4;
}

/// The registers of an instruction, whose rows are spread over the fields that are there. D: elements 0–3, A: elements 4–7.
struct Rows {
  explicit Rows(const Instruction& i) : d(i.elements.data()), a(i.elements.data() + 4), b{i.a, i.b}, c{i.c, i.e, i.d, i.d2} {}
  const std::uint32_t* d;
  const std::uint32_t* a;
  std::array<std::uint32_t, 2> b;
  std::array<std::uint32_t, 4> c;
};

SEAM_SIM_INLINE double tf32_value(std::uint32_t bits) {
  const auto whole = std::bit_cast<float>(bits);
  return whole == whole ? std::bit_cast<float>(bits & ~0x1fffU) : whole;
}

/// Element j of every lane's register. Integers too are exact as doubles.
SEAM_SIM_INLINE void unpack(Element element, const std::uint32_t* from, int j, double* out) {
  const int shift = j * (32 / per_register(element));
  switch (element) {
    case Element::F16:
      for (int l = 0; l < 32; ++l) out[l] = f16_value(static_cast<std::uint16_t>(from[l] >> shift));
      break;
    case Element::BF16:
      for (int l = 0; l < 32; ++l) out[l] = bf16_value(static_cast<std::uint16_t>(from[l] >> shift));
      break;
    case Element::TF32:
      for (int l = 0; l < 32; ++l) out[l] = tf32_value(from[l]);
      break;
    case Element::S8:
      for (int l = 0; l < 32; ++l) out[l] = static_cast<std::int8_t>(from[l] >> shift);
      break;
    case Element::U8:
      for (int l = 0; l < 32; ++l) out[l] = static_cast<std::uint8_t>(from[l] >> shift);
      break;
  }
}

SEAM_SIM_INLINE void read_sum(Warp& warp, const Rows& rows, Sum result, double (*sum)[kColumns]) {
  if (result == Sum::F16) {
    for (int r = 0; r < 2; ++r) {
      const std::uint32_t* from = row<std::uint32_t>(warp, rows.c[static_cast<std::size_t>(r)]);
      for (int l = 0; l < 32; ++l) {
        sum[(l >> 2) + 8 * r][2 * (l & 3)] = f16_value(static_cast<std::uint16_t>(from[l]));
        sum[(l >> 2) + 8 * r][2 * (l & 3) + 1] = f16_value(static_cast<std::uint16_t>(from[l] >> 16));
      }
    }
    return;
  }
  for (int r = 0; r < 4; ++r) {
    const std::uint32_t* from = row<std::uint32_t>(warp, rows.c[static_cast<std::size_t>(r)]);
    for (int l = 0; l < 32; ++l) {
      const bool single = result == Sum::F32;
      sum[(l >> 2) + 8 * (r >> 1)][2 * (l & 3) + (r & 1)] =
          single ? static_cast<double>(std::bit_cast<float>(from[l])) : static_cast<double>(static_cast<std::int32_t>(from[l]));
    }
  }
}

SEAM_SIM_INLINE std::uint32_t rounded(double sum, Sum result) {
  switch (result) {
    case Sum::F32: return std::bit_cast<std::uint32_t>(canonical(static_cast<float>(sum)));
    case Sum::F16: return to_half<false>(sum, Round::Nearest);
    case Sum::S32: return static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
    case Sum::S32Saturated: {
      constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
      constexpr double kMost = std::numeric_limits<std::int32_t>::max();
      const double kept = sum < kLeast ? kLeast : sum > kMost ? kMost : sum;
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(kept));
    }
  }
  return 0;
}

SEAM_SIM_INLINE void write_sum(Warp& warp, const Rows& rows, Sum result, const double (*sum)[kColumns], std::uint32_t lanes) {
  const int registers = result == Sum::F16 ? 2 : 4;
  for (int r = 0; r < registers; ++r) {
    if (rows.d[r] == kNoRow) continue;
    alignas(64) std::uint32_t value[32];
    for (int l = 0; l < 32; ++l) {
      const int t = 2 * (l & 3);
      if (result == Sum::F16) {
        const double* pair = &sum[(l >> 2) + 8 * r][t];
        value[l] = rounded(pair[0], result) | rounded(pair[1], result) << 16;
      } else {
        value[l] = rounded(sum[(l >> 2) + 8 * (r >> 1)][t + (r & 1)], result);
      }
    }
    keep(row<std::uint32_t>(warp, rows.d[r]), value, lanes);
  }
}

/// kind: element types of A and B; flags: Sum; count: registers of A; offset: K.
SEAM_SIM_INLINE void multiply_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!whole_warp(warp, lanes)) return;
  const Rows rows(i);
  const auto of_a = static_cast<Element>(i.kind & 15);
  const auto of_b = static_cast<Element>(i.kind >> 4);
  const auto result = static_cast<Sum>(i.flags);
  const int per = per_register(of_a);
  const int depth = static_cast<int>(i.offset);
  double a[kRows][kDeepest];
  alignas(64) double b[kDeepest][kColumns];
  alignas(64) double sum[kRows][kColumns];
  alignas(64) double value[32];
  for (int r = 0; r < i.count; ++r) {
    for (int j = 0; j < per; ++j) {
      unpack(of_a, row<std::uint32_t>(warp, rows.a[r]), j, value);
      for (int l = 0; l < 32; ++l) a[(l >> 2) + 8 * (r & 1)][per * (l & 3) + j + 4 * per * (r >> 1)] = value[l];
    }
  }
  for (int r = 0; r < i.count / 2; ++r) {
    for (int j = 0; j < per; ++j) {
      unpack(of_b, row<std::uint32_t>(warp, rows.b[static_cast<std::size_t>(r)]), j, value);
      for (int l = 0; l < 32; ++l) b[per * (l & 3) + j + 4 * per * r][l >> 2] = value[l];
    }
  }
  read_sum(warp, rows, result, sum);
  for (int m = 0; m < kRows; ++m) {
    for (int k = 0; k < depth; ++k) {
      for (int n = 0; n < kColumns; ++n) sum[m][n] += a[m][k] * b[k][n];
    }
  }
  write_sum(warp, rows, result, sum, lanes);
}
void multiply_narrow(Warp& w, const Instruction& i, std::uint32_t m) { multiply_body(w, i, m); }
SEAM_SIM_WIDE void multiply_wide(Warp& w, const Instruction& i, std::uint32_t m) { multiply_body(w, i, m); }

std::optional<Element> element_of(Type type) {
  switch (type) {
    case Type::F16: return Element::F16;
    case Type::BF16: return Element::BF16;
    case Type::TF32: return Element::TF32;
    case Type::S8: return Element::S8;
    case Type::U8: return Element::U8;
    default: return std::nullopt;
  }
}

/// The rows of a vector operand.
template <class Row>
void take_rows(Form& form, std::size_t index, std::size_t count, Row&& row_of) {
  const Operand& whole = form.operand(index);
  const bool vector = whole.kind == Operand::Kind::Vector;
  if ((vector ? whole.elements.size() : 1) != count) {
    form.wrong(fmt::format("operand {} wants {} registers", index + 1, count));
    return;
  }
  for (std::size_t k = 0; k < count && !form.failed(); ++k) row_of(k, vector ? whole.elements[k] : whole);
}

/// The depths K that exist for an element type.
bool has_depth(Element element, int depth) {
  switch (element) {
    case Element::TF32: return depth == 4 || depth == 8;
    case Element::F16:
    case Element::BF16: return depth == 8 || depth == 16;
    case Element::S8:
    case Element::U8: return depth == 16 || depth == 32;
  }
  return false;
}

void decode_mma(Form& form) {
  if (!form.take("sync") || !form.take("aligned")) form.refuse("only mma.sync.aligned is supported");
  if (form.has("sp") || form.has("sp::ordered_metadata")) return form.refuse("sparse matrices are not supported");
  constexpr int kDepths[] = {4, 8, 16, 32};
  const int shape = form.take_one({"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32"});
  if (shape < 0) form.refuse("this shape is not supported");
  const bool by_order = form.statement().opcode.find(".row.col") != std::string_view::npos;
  if (!form.take("row") || !form.take("col") || !by_order) form.refuse("A by rows and B by columns is the only layout supported");
  const bool saturates = form.take("satfinite");
  const Type of_d = form.take_type();
  const auto of_a = element_of(form.take_type());
  const auto of_b = element_of(form.take_type());
  const Type of_c = form.take_type();
  if (!of_a || !of_b) form.refuse("these element types are not supported");
  form.expect_operands(4, 4);
  if (form.failed()) return;
  const int depth = kDepths[shape];
  const bool integers = *of_a == Element::S8 || *of_a == Element::U8;
  const bool match = *of_a == *of_b || (integers && (*of_b == Element::S8 || *of_b == Element::U8));
  if (!match || !has_depth(*of_a, depth)) return form.refuse("this shape does not exist for these types");
  if (of_c != of_d) return form.refuse("C and D of different types are not supported");
  const bool good = integers ? of_d == Type::S32 : of_d == Type::F32 || (of_d == Type::F16 && *of_a == Element::F16);
  if (!good || (saturates && !integers)) return form.refuse("this type of result is not supported");
  const Sum result = of_d == Type::F32 ? Sum::F32 : of_d == Type::F16 ? Sum::F16 : saturates ? Sum::S32Saturated : Sum::S32;
  const auto registers = static_cast<std::size_t>(kRows * depth / (32 * per_register(*of_a)));
  const std::size_t sums = result == Sum::F16 ? 2 : 4;
  Instruction& out = form.out;
  take_rows(form, 0, sums, [&](std::size_t k, const Operand& one) {
    std::uint8_t bytes = 0;
    out.elements[k] = form.wide_destination(one, Type::B32, bytes);
    if (bytes != 4) form.wrong("a register of 32 bits is wanted");
  });
  take_rows(form, 1, registers, [&](std::size_t k, const Operand& one) { out.elements[4 + k] = form.source(one, Type::B32); });
  std::uint32_t* const b[] = {&out.a, &out.b};
  take_rows(form, 2, registers / 2, [&](std::size_t k, const Operand& one) { *b[k] = form.source(one, Type::B32); });
  std::uint32_t* const c[] = {&out.c, &out.e, &out.d, &out.d2};
  take_rows(form, 3, sums, [&](std::size_t k, const Operand& one) { *c[k] = form.source(one, Type::B32); });
  out.kind = static_cast<std::uint8_t>(static_cast<int>(*of_a) | static_cast<int>(*of_b) << 4);
  out.flags = static_cast<std::uint8_t>(result);
  out.count = static_cast<std::uint8_t>(registers);
  out.offset = depth;
  out.run = form.wide() ? multiply_wide : multiply_narrow;
}

constexpr std::array kOpcodes = {Opcode{"mma", decode_mma}};

}  // namespace

std::span<const Opcode> mma_opcodes() { return kOpcodes; }

}  // namespace seam::sim
