/// Carry chains: add.cc addc sub.cc subc mad.cc madc. The carry flag is one bit per lane, kept in the warp.
#include <array>

#include "ops/families.h"
#include "ops/integers.h"
#include "run/warp.h"

namespace seam::sim {
namespace {

enum class Chain : std::uint8_t { Add, Sub, MadLow, MadHigh };

constexpr std::uint8_t kTakesCarry = 1;
constexpr std::uint8_t kGivesCarry = 2;

/// T unsigned; the product of mad.hi depends on kSigned.
template <class T, Chain kChain, bool kSigned>
void chain(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const T* a = row<T>(warp, i.a);
  const T* b = row<T>(warp, i.b);
  const T* c = kChain == Chain::MadLow || kChain == Chain::MadHigh ? row<T>(warp, i.c) : nullptr;
  T* d = row<T>(warp, i.d);
  std::uint32_t carries = warp.carry;
  for (int l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    const T in = (i.flags & kTakesCarry) != 0 ? static_cast<T>(warp.carry >> l & 1U) : T{0};
    T x = a[l];
    T y = b[l];
    if constexpr (kChain == Chain::MadLow) {
      x = static_cast<T>(x * y);
      y = c[l];
    }
    if constexpr (kChain == Chain::MadHigh) {
      using Signed = std::make_signed_t<T>;
      using Factor = std::conditional_t<kSigned, Signed, T>;
      using Wide = wider_t<Factor>;
      x = static_cast<T>((static_cast<Wide>(static_cast<Factor>(x)) *
                          static_cast<Wide>(static_cast<Factor>(y))) >> (sizeof(T) * 8));
      y = c[l];
    }
    bool carry = false;
    if constexpr (kChain == Chain::Sub) {
      d[l] = static_cast<T>(x - y - in);
      carry = x < y || (x == y && in != 0);  // borrow
    } else {
      d[l] = static_cast<T>(x + y + in);
      carry = d[l] < x || (in != 0 && d[l] == x);
    }
    carries = (carries & ~(1U << l)) | std::uint32_t{carry} << l;
  }
  if ((i.flags & kGivesCarry) != 0) warp.carry = carries;
}

template <class T>
Handler chain_handler(Chain what, bool is_signed) {
  switch (what) {
    case Chain::Add: return chain<T, Chain::Add, false>;
    case Chain::Sub: return chain<T, Chain::Sub, false>;
    case Chain::MadLow: return chain<T, Chain::MadLow, false>;
    case Chain::MadHigh: break;
  }
  return is_signed ? chain<T, Chain::MadHigh, true> : chain<T, Chain::MadHigh, false>;
}

constexpr std::array kOpcodes = {Opcode{"addc", decode_carry}, Opcode{"subc", decode_carry},
                                 Opcode{"madc", decode_carry}};

}  // namespace

void decode_carry(Form& form) {
  const std::string_view base = form.base();
  Chain what = base.starts_with("add") ? Chain::Add : Chain::Sub;
  const bool mad = base.starts_with("mad");
  if (mad) {
    const int part = form.take_one({"lo", "hi"});
    if (part < 0) form.refuse("which part of the product?");
    what = part == 1 ? Chain::MadHigh : Chain::MadLow;
  }
  if (base.ends_with('c')) form.out.flags |= kTakesCarry;
  if (form.take("cc")) form.out.flags |= kGivesCarry;
  const Type type = form.take_type();
  form.expect_operands(mad ? 4 : 3, mad ? 4 : 3);
  form.out.d = form.destination(0, type);
  form.out.a = form.source(1, type);
  form.out.b = form.source(2, type);
  if (mad) form.out.c = form.source(3, type);
  switch (type) {
    case Type::U32:
    case Type::S32: form.out.run = chain_handler<std::uint32_t>(what, is_signed(type)); break;
    case Type::U64:
    case Type::S64: form.out.run = chain_handler<std::uint64_t>(what, is_signed(type)); break;
    default: form.refuse("carry chains are of 32 or 64 bits");
  }
}

std::span<const Opcode> carry_opcodes() { return kOpcodes; }

}  // namespace seam::sim
