#pragma once
/// Approximate instructions that are really approximate. ex2.approx and its like promise an error bound, not bits; plainly run they are as
/// exact as the machine's own functions, which no device is. With Checks::ulp their results are moved: by a number that depends on the seed,
/// the instruction's kind and its operands, and on nothing else, as a device's results do. So two threads that compute one thing still agree.
///
/// ulp > 0: by up to that many units in the last place of the result's type. kDocumentedUlp: by up to what the PTX ISA states for
/// the instruction:
///   rcp.approx.f32 1 ulp    div.approx.f32, div.full.f32 2 ulp    sqrt.approx.f32 2^-23    rsqrt.approx.f32 2^-22.9    ex2.approx.f32 2^-22
///   tanh.approx.f32 2^-11 (all of these relative)
///   lg2.approx.f32 2^-22, absolute for operands in (0.5, 2), else relative    sin.approx, cos.approx.f32 2^-20.5 absolute in [-2π, 2π], else 2^-14.7
///   ex2.approx.f16 2^-9.9, .bf16 2^-7 relative    tanh.approx.f16 2^-10.987, .bf16 2^-8 absolute
/// Zeros, infinities and NaN stay; |tanh|, |sin| and |cos| stay within 1. Doubles are left alone.
#include <cstdint>
#include <vector>

#include "decode/program.h"

namespace seam::sim {

enum class Approximated : std::uint8_t { None, Reciprocal, Quotient, Root, ReciprocalRoot, Exponential, Logarithm, Sine, Cosine, Tangent };
enum class Format : std::uint8_t { F32, F16, BF16, F16x2, BF16x2 };

/// A program whose approximate instructions err.
struct Perturbed {
  struct Approximate {
    Handler exact = nullptr;
    Approximated function = Approximated::None;
    Format format = Format::F32;
    bool flushes = false;
  };
  Perturbed(const Program& from, int how_far, std::uint64_t which);

  Program program;
  std::vector<Approximate> approximate;  ///< by instruction
  int ulp = 0;
  std::uint64_t seed = 0;
};

}  // namespace seam::sim
