#include "run/approximate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/mix.h"
#include "ops/halves.h"
#include "ops/rounding.h"
#include "run/profile.h"
#include "run/warp.h"

namespace seam::sim {
namespace {

Approximated function_of(std::string_view opcode) {
  struct Named {
    std::string_view start;
    Approximated function;
  };
  static constexpr std::array kNames = {
      Named{"rcp.approx.", Approximated::Reciprocal}, Named{"div.approx.", Approximated::Quotient},  Named{"div.full.", Approximated::Quotient},
      Named{"sqrt.approx.", Approximated::Root},      Named{"rsqrt.approx.", Approximated::ReciprocalRoot}, Named{"ex2.approx.", Approximated::Exponential},
      Named{"lg2.approx.", Approximated::Logarithm},  Named{"sin.approx.", Approximated::Sine},      Named{"cos.approx.", Approximated::Cosine},
      Named{"tanh.approx.", Approximated::Tangent}};
  const auto at = std::ranges::find_if(kNames, [&](const Named& one) { return opcode.starts_with(one.start); });
  return at == kNames.end() || opcode.ends_with(".f64") ? Approximated::None : at->function;
}

Format format_of(std::string_view opcode) {
  if (opcode.ends_with(".f16")) return Format::F16;
  if (opcode.ends_with(".bf16")) return Format::BF16;
  if (opcode.ends_with(".f16x2")) return Format::F16x2;
  return opcode.ends_with(".bf16x2") ? Format::BF16x2 : Format::F32;
}

/// A number type as bits: sign and magnitude, so that neighbours are neighbouring numbers.
struct NumberType {
  int bits;
  std::uint32_t least_normal, infinity;
  double (*value)(std::uint32_t);
  std::uint32_t (*rounded)(double);
};
constexpr NumberType kSingle{32, 0x00800000, 0x7f800000, [](std::uint32_t b) -> double { return std::bit_cast<float>(b); },
                       [](double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }};
constexpr NumberType kF16{16, 0x0400, 0x7c00, [](std::uint32_t b) -> double { return f16_value(static_cast<std::uint16_t>(b)); },
                    [](double x) -> std::uint32_t { return to_half<false>(x, Round::Nearest); }};
constexpr NumberType kBf16{16, 0x0080, 0x7f80, [](std::uint32_t b) -> double { return bf16_value(static_cast<std::uint16_t>(b)); },
                     [](double x) -> std::uint32_t { return to_half<true>(x, Round::Nearest); }};

/// How far from the result the ISA lets it be.
double documented(Approximated function, const NumberType& type, double operand, std::uint32_t result) {
  const double value = std::fabs(type.value(result));
  const double step = type.value((result & ~(1U << (type.bits - 1))) + 1) - value;
  const bool half = type.bits == 16;
  const bool brain = type.infinity == kBf16.infinity;
  switch (function) {
    case Approximated::None: return 0;
    case Approximated::Reciprocal: return step;
    case Approximated::Quotient: return 2 * step;
    case Approximated::Root: return value * 0x1p-23;
    case Approximated::ReciprocalRoot: return value * std::exp2(-22.9);
    case Approximated::Exponential: return value * (brain ? 0x1p-7 : half ? std::exp2(-9.9) : 0x1p-22);
    case Approximated::Logarithm: return (operand > 0.5 && operand < 2 ? 1 : value) * 0x1p-22;
    case Approximated::Sine:
    case Approximated::Cosine: return std::exp2(std::fabs(operand) <= 6.2831853071795862 ? -20.5 : -14.7);
    case Approximated::Tangent: return brain ? 0x1p-8 : half ? std::exp2(-10.987) : value * 0x1p-11;
  }
  return 0;
}

/// `result` moved by what `random` says.
std::uint32_t moved(const Perturbed& how, Approximated function, const NumberType& type, double operand, std::uint32_t result, std::uint64_t random, bool flushes) {
  const std::uint32_t sign = 1U << (type.bits - 1);
  const std::uint32_t magnitude = result & ~sign;
  if (magnitude == 0 || magnitude >= type.infinity) return result;
  std::uint32_t out = 0;
  if (how.ulp > 0) {
    const auto far = static_cast<std::int64_t>(random % (2 * static_cast<std::uint64_t>(how.ulp) + 1)) - how.ulp;
    out = static_cast<std::uint32_t>(std::clamp<std::int64_t>(std::int64_t{magnitude} + far, 1, std::int64_t{type.infinity} - 1));
  } else {
    const double bound = documented(function, type, operand, result);
    const double share = static_cast<double>(random >> 11) * 0x1p-52 - 1;  // [-1, 1)
    const double value = type.value(magnitude);
    out = type.rounded(std::max(value + share * bound, 0.0));
    if (std::fabs(type.value(out) - value) > bound) out += out > magnitude ? ~0U : 1U;  // rounded out of bounds: one back
    if (out == 0 || out >= type.infinity) return result;
  }
  const bool within_one = function == Approximated::Sine || function == Approximated::Cosine || function == Approximated::Tangent;
  if (within_one && type.value(out) > 1) return type.value(magnitude) > 1 ? result : (type.rounded(1.0) | (result & sign));
  if (flushes && out < type.least_normal) return result;
  return out | (result & sign);
}

void perturbed(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const Perturbed& how = *warp.execution->perturbed;
  const Perturbed::Approximate& what = how.approximate[warp.pc - 1];
  const std::size_t bytes = what.format == Format::F16 || what.format == Format::BF16 ? 2 : 4;
  // The destination may be one of the operands.
  std::array<std::uint32_t, 32> a{}, b{};
  for (std::uint32_t l = 0; l < 32; ++l) {
    std::memcpy(&a[l], warp.registers + i.a + l * bytes, bytes);
    if (i.b != kNoRow) std::memcpy(&b[l], warp.registers + i.b + l * bytes, bytes);
  }
  what.exact(warp, i, lanes);
  const NumberType& type = what.format == Format::F32 ? kSingle : what.format == Format::F16 || what.format == Format::F16x2 ? kF16 : kBf16;
  const int parts = what.format == Format::F16x2 || what.format == Format::BF16x2 ? 2 : 1;
  const std::uint32_t mask = type.bits == 32 ? ~0U : 0xffffU;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    std::byte* place = warp.registers + i.d + l * bytes;
    std::uint32_t result = 0;
    std::memcpy(&result, place, bytes);
    std::uint32_t out = 0;
    for (int part = 0; part < parts; ++part) {
      const int shift = 16 * part;
      const std::uint32_t x = a[l] >> shift & mask;
      const std::uint64_t random = mix(mix(how.seed + (static_cast<std::uint64_t>(what.function) << 56)) ^ (std::uint64_t{x} << 32 | (b[l] >> shift & mask)));
      out |= moved(how, what.function, type, type.value(x), result >> shift & mask, random, what.flushes) << shift;
    }
    std::memcpy(place, &out, bytes);
  }
}

}  // namespace

Perturbed::Perturbed(const Program& from, int how_far, std::uint64_t which) : program(from), approximate(from.code.size()), ulp(how_far), seed(which) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const std::string_view opcode = opcode_of(program.texts[pc]);
    const Approximated function = function_of(opcode);
    if (function == Approximated::None) continue;
    approximate[pc] = {program.code[pc].run, function, format_of(opcode), opcode.find(".ftz") != std::string_view::npos};
    program.code[pc].run = perturbed;
  }
}

}  // namespace seam::sim
