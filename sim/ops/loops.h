#pragma once
/// From a scalar function to a handler for 32 lanes. `kOp` is a captureless lambda on plain values; one loop over rows
/// runs it. With all lanes active the loop writes the row directly; otherwise it computes all lanes and keeps those of the
/// mask, so operations must be harmless on whatever an inactive lane holds (no trap on division, no endless loop).
#include <cstdint>
#include <type_traits>

#include "ops/isa.h"
#include "run/warp.h"

namespace seam::sim {

template <class D>
SEAM_SIM_INLINE void keep(D* __restrict d, const D* __restrict value, std::uint32_t lanes) {
  for (int l = 0; l < 32; ++l) d[l] = (lanes >> l & 1U) != 0 ? value[l] : d[l];
}

template <auto kOp, class D, class A>
SEAM_SIM_INLINE void unary_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  D* d = row<D>(warp, i.d);
  const A* a = row<A>(warp, i.a);
  if (lanes == ~0U) {
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) d[l] = kOp(a[l]);
    return;
  }
  alignas(64) D value[32];
  for (int l = 0; l < 32; ++l) value[l] = kOp(a[l]);
  keep(d, value, lanes);
}

template <auto kOp, class D, class A, class B>
SEAM_SIM_INLINE void binary_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  D* d = row<D>(warp, i.d);
  const A* a = row<A>(warp, i.a);
  const B* b = row<B>(warp, i.b);
  if (lanes == ~0U) {
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) d[l] = kOp(a[l], b[l]);
    return;
  }
  alignas(64) D value[32];
  for (int l = 0; l < 32; ++l) value[l] = kOp(a[l], b[l]);
  keep(d, value, lanes);
}

template <auto kOp, class D, class A, class B, class C>
SEAM_SIM_INLINE void ternary_body(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  D* d = row<D>(warp, i.d);
  const A* a = row<A>(warp, i.a);
  const B* b = row<B>(warp, i.b);
  const C* c = row<C>(warp, i.c);
  if (lanes == ~0U) {
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) d[l] = kOp(a[l], b[l], c[l]);
    return;
  }
  alignas(64) D value[32];
  for (int l = 0; l < 32; ++l) value[l] = kOp(a[l], b[l], c[l]);
  keep(d, value, lanes);
}

template <auto kOp, class D, class A>
void unary_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  unary_body<kOp, D, A>(w, i, m);
}
template <auto kOp, class D, class A>
SEAM_SIM_WIDE void unary_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  unary_body<kOp, D, A>(w, i, m);
}
template <auto kOp, class D, class A, class B>
void binary_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  binary_body<kOp, D, A, B>(w, i, m);
}
template <auto kOp, class D, class A, class B>
SEAM_SIM_WIDE void binary_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  binary_body<kOp, D, A, B>(w, i, m);
}
template <auto kOp, class D, class A, class B, class C>
void ternary_narrow(Warp& w, const Instruction& i, std::uint32_t m) {
  ternary_body<kOp, D, A, B, C>(w, i, m);
}
template <auto kOp, class D, class A, class B, class C>
SEAM_SIM_WIDE void ternary_wide(Warp& w, const Instruction& i, std::uint32_t m) {
  ternary_body<kOp, D, A, B, C>(w, i, m);
}

/// unary<D, A, [](A a) -> D {…}>(wide): the handler of d = op(a).
template <class D, class A, auto kOp>
[[nodiscard]] Handler unary(bool wide) {
  return wide ? unary_wide<kOp, D, A> : unary_narrow<kOp, D, A>;
}
template <class D, class A, class B, auto kOp>
[[nodiscard]] Handler binary(bool wide) {
  return wide ? binary_wide<kOp, D, A, B> : binary_narrow<kOp, D, A, B>;
}
template <class D, class A, class B, class C, auto kOp>
[[nodiscard]] Handler ternary(bool wide) {
  return wide ? ternary_wide<kOp, D, A, B, C> : ternary_narrow<kOp, D, A, B, C>;
}

/// Writes the lanes of `bits` that are in `lanes` to a predicate row, if there is one.
SEAM_SIM_INLINE void set_predicate(Warp& warp, std::uint32_t predicate, std::uint32_t bits,
                                   std::uint32_t lanes) {
  if (predicate == kNoRow) return;
  std::uint32_t& d = predicate_bits(warp, predicate);
  d = (d & ~lanes) | (bits & lanes);
}

}  // namespace seam::sim
