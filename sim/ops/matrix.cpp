/// ldmatrix, stmatrix: one, two or four matrices of 8 × 8 16-bit elements between shared memory and the registers of a warp; movmatrix.
///
/// Lane 8·m + r names the 16 bytes of row r of matrix m. Lane T gets (or gives) elements 2·(T mod 4) and the next of row T div 4 of each matrix;
/// with .trans, of column T div 4. A row counts as accessed by the lane that names it, with all the checks of any other access of 16 bytes.
/// The instruction waits for the whole warp but orders no memory: rows that other lanes stored still need a barrier.
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "ops/addresses.h"
#include "ops/families.h"
#include "ops/loops.h"
#include "ops/together.h"
#include "run/access.h"
#include "run/races.h"

namespace seam::sim {
namespace {

constexpr std::size_t kRowBytes = 16;

struct Matrix {
  std::uint16_t at[8][8];
};
static_assert(sizeof(Matrix) == 8 * kRowBytes);

enum class Order : std::uint8_t { Rows, Columns };

/// The two elements that lane T holds.
template <class M>
auto elements_of(M& matrix, std::uint32_t lane, Order order) {
  const std::uint32_t line = lane >> 2;
  const std::uint32_t first = 2 * (lane & 3);
  return order == Order::Rows ? std::array{&matrix.at[line][first], &matrix.at[line][first + 1]}
                              : std::array{&matrix.at[first][line], &matrix.at[first + 1][line]};
}

void to_lanes(Warp& warp, const Matrix& matrix, std::uint32_t to, Order order, std::uint32_t lanes) {
  alignas(64) std::uint32_t value[32];
  for (std::uint32_t l = 0; l < 32; ++l) {
    const auto [low, high] = elements_of(matrix, l, order);
    value[l] = *low | std::uint32_t{*high} << 16;
  }
  keep(row<std::uint32_t>(warp, to), value, lanes);
}

Matrix from_lanes(Warp& warp, std::uint32_t from, Order order) {
  Matrix matrix;
  const std::uint32_t* value = row<std::uint32_t>(warp, from);
  for (std::uint32_t l = 0; l < 32; ++l) {
    const auto [low, high] = elements_of(matrix, l, order);
    *low = static_cast<std::uint16_t>(value[l]);
    *high = static_cast<std::uint16_t>(value[l] >> 16);
  }
  return matrix;
}

/// The addresses in shared memory of the lanes that name rows. False: some of them point elsewhere.
bool shared_addresses(Warp& warp, const Instruction& i, std::uint32_t naming, Addresses& at) {
  addresses(warp, i, at);
  if (i.space == Space::Shared) return true;
  bool good = true;
  Addresses inside{};
  for_each_space(at, naming, [&](Space space, std::uint32_t group, const Addresses& where) {
    if (space != Space::Shared) {
      warp.execution->fault(warp, "out-of-bounds", first_lane(group), "a row of a matrix that is not in shared memory");
      good = false;
    }
    for (std::uint32_t l = 0; l < 32; ++l) {
      if ((group >> l & 1U) != 0) inside[l] = where[l];
    }
  });
  std::memcpy(at, inside, sizeof at);
  return good;
}

/// Lanes that name rows.
std::uint32_t naming_lanes(const Instruction& i) { return i.count == 4 ? ~0U : (1U << 8 * i.count) - 1; }

void load_matrices(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!whole_warp(warp, lanes)) return;
  const std::uint32_t naming = naming_lanes(i);
  Addresses at;
  if (!shared_addresses(warp, i, naming, at)) return;
  count_shared(*warp.execution, at, naming, kRowBytes);
  for (std::uint32_t m = 0; m < i.count; ++m) {
    Matrix matrix;
    std::memset(&matrix, 0xff, sizeof matrix);
    for (std::uint32_t r = 0; r < 8; ++r) {
      const std::uint32_t lane = 8 * m + r;
      const std::byte* from = shared_bytes(warp, lane, at[lane], kRowBytes);
      if (!from) continue;
      note_shared(warp, lane, at[lane], kRowBytes, Access::Read, nullptr);
      std::memcpy(matrix.at[r], from, kRowBytes);
    }
    if (i.elements[m] != kNoRow) to_lanes(warp, matrix, i.elements[m], static_cast<Order>(i.kind), lanes);
  }
}

void store_matrices(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!whole_warp(warp, lanes)) return;
  const std::uint32_t naming = naming_lanes(i);
  Addresses at;
  if (!shared_addresses(warp, i, naming, at)) return;
  count_shared(*warp.execution, at, naming, kRowBytes);
  for (std::uint32_t m = 0; m < i.count; ++m) {
    const Matrix matrix = from_lanes(warp, i.elements[m], static_cast<Order>(i.kind));
    for (std::uint32_t r = 0; r < 8; ++r) {
      const std::uint32_t lane = 8 * m + r;
      std::byte* to = shared_bytes(warp, lane, at[lane], kRowBytes);
      if (!to) continue;
      std::byte value[kRowBytes];
      std::memcpy(value, matrix.at[r], kRowBytes);
      note_shared(warp, lane, at[lane], kRowBytes, Access::Write, value);
      std::memcpy(to, value, kRowBytes);
    }
  }
}

template <bool kStore>
void decode_matrices(Form& form) {
  if (!form.take("sync") || !form.take("aligned")) form.refuse("only .sync.aligned is supported");
  if (!form.take("m8n8")) form.refuse("only matrices of 8 × 8 are supported");
  const int which = form.take_one({"x1", "x2", "x4"});
  if (which < 0) form.wrong("how many matrices?");
  const std::size_t count = std::size_t{1} << (which < 0 ? 0 : which);
  form.out.kind = static_cast<std::uint8_t>(form.take("trans") ? Order::Columns : Order::Rows);
  const bool shared = form.take("shared") || form.take("shared::cta");
  if (form.take_type() != Type::B16) form.refuse("the type must be .b16");
  form.expect_operands(2, 2);
  if (form.failed()) return;
  form.out.space = shared ? Space::Shared : Space::Generic;
  form.address(kStore ? 0 : 1);
  const Operand& what = form.operand(kStore ? 1 : 0);
  const bool vector = what.kind == Operand::Kind::Vector;
  if ((vector ? what.elements.size() : 1) != count) return form.wrong(fmt::format("wants {} registers", count));
  for (std::size_t k = 0; k < count && !form.failed(); ++k) {
    const Operand& one = vector ? what.elements[k] : what;
    std::uint8_t bytes = 0;
    form.out.elements[k] = kStore ? form.wide_source(one, Type::B32, bytes) : form.wide_destination(one, Type::B32, bytes);
    if (bytes != 4) form.wrong("a register of 32 bits is wanted");
  }
  form.out.count = static_cast<std::uint8_t>(count);
  form.registers().note_access(Space::Shared, static_cast<int>(kRowBytes));
  form.out.run = kStore ? store_matrices : load_matrices;
}

void move_matrix(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!whole_warp(warp, lanes)) return;
  to_lanes(warp, from_lanes(warp, i.a, Order::Rows), i.d, Order::Columns, lanes);
}

void decode_movmatrix(Form& form) {
  if (!form.take("sync") || !form.take("aligned") || !form.take("m8n8") || !form.take("trans")) form.refuse("an unknown form");
  if (form.take_type() != Type::B16) form.refuse("the type must be .b16");
  form.expect_operands(2, 2);
  form.out.d = form.destination(0, Type::B32);
  form.out.a = form.source(1, Type::B32);
  form.out.run = move_matrix;
}

constexpr std::array kOpcodes = {Opcode{"ldmatrix", decode_matrices<false>}, Opcode{"stmatrix", decode_matrices<true>},
                                 Opcode{"movmatrix", decode_movmatrix}};

}  // namespace

std::span<const Opcode> matrix_opcodes() { return kOpcodes; }

}  // namespace seam::sim
