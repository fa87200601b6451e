#pragma once
/// Runs one PTX instruction on many values and gives back what it made, so that a test can hold it against a scalar
/// definition in C++. Each instruction runs twice: by whole warps, and for every third lane only (the other lanes must keep
/// what they had).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device.h"

namespace seam::sim::test {

using Bits = std::vector<std::uint64_t>;

/// Statements on registers %d (result), %a, %b, %c (sources) of the given PTX types; "pred" results come back as 0 or 1.
struct Snippet {
  std::string body;              ///< e.g. "fma.rn.f32 %d, %a, %b, %c;"
  std::string result;            ///< register type of %d: b16 b32 b64 f32 f64 pred …
  std::vector<std::string> sources;  ///< register types of %a, %b, %c
  std::string declarations;      ///< more registers
};

inline int bits_of_type(const std::string& type) {
  if (type == "pred") return 32;
  return std::stoi(type.substr(type.find_first_of("0123456789")));
}

constexpr std::uint64_t kUntouched = 0xa5a5a5a5a5a5a5a5;

inline std::string ptx_of(const Snippet& snippet, bool masked) {
  const auto width = [](const std::string& type) { return std::to_string(bits_of_type(type)); };
  std::string out =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 po, .param .u64 pa, .param .u64 pb, .param .u64 pc) {\n"
      ".reg .u64 %at, %base, %index; .reg .u32 %t, %n, %w; .reg .pred %on;\n";
  const std::string& result = snippet.result;
  out += ".reg ." + result + " %d;\n";
  const char* names = "abc";
  for (std::size_t k = 0; k < snippet.sources.size(); ++k) {
    out += ".reg ." + snippet.sources[k] + " %" + names[k] + ";\n";
  }
  out += snippet.declarations + "\n";
  out += "mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 32, %t; cvt.u64.u32 %index, %t;\n";
  for (std::size_t k = 0; k < snippet.sources.size(); ++k) {
    out += std::string("ld.param.u64 %base, [p") + names[k] + "]; mad.lo.u64 %at, %index, 8, %base; ld.global.b" +
           width(snippet.sources[k]) + " %" + names[k] + ", [%at];\n";
  }
  out += "rem.u32 %n, %t, 3; setp.eq.u32 %on, %n, 0;\n";
  if (result == "pred") {
    out += "setp.eq.u32 %d, 1, 1;\n";
  } else {
    const std::string old = bits_of_type(result) == 64 ? "0xa5a5a5a5a5a5a5a5" : bits_of_type(result) == 32 ? "0xa5a5a5a5" : "0xa5a5";
    out += "mov.b" + width(result) + " %d, " + old + ";\n";
  }
  for (std::size_t from = 0; from < snippet.body.size();) {
    const std::size_t end = snippet.body.find(';', from) + 1;
    out += (masked ? "@%on " : "") + snippet.body.substr(from, end - from) + "\n";
    from = snippet.body.find_first_not_of(' ', end);
  }
  out += "ld.param.u64 %base, [po]; mad.lo.u64 %at, %index, 8, %base;\n";
  if (result == "pred") {
    out += "selp.u32 %w, 1, 0, %d; st.global.u32 [%at], %w;\n";
  } else {
    out += "st.global.b" + width(result) + " [%at], %d;\n";
  }
  out += "ret;\n}\n";
  return out;
}

/// Runs the snippet for all i on a[i], b[i], c[i] (missing ones 0).
inline Bits run(const Snippet& snippet, const std::vector<Bits>& sources, bool masked = false) {
  const std::string ptx = ptx_of(snippet, masked);
  const auto module = load(ptx);
  if (!module) return {};
  std::size_t count = 0;
  for (const Bits& one : sources) count = std::max(count, one.size());
  Memory memory;
  const std::size_t rounded = (count + 31) / 32 * 32;
  Arguments arguments(*module, "k");
  const std::uint64_t out = input(memory, "out", Bits(rounded), false);
  arguments.add(out);
  for (std::size_t k = 0; k < 3; ++k) {
    Bits padded = k < sources.size() ? sources[k] : Bits();
    padded.resize(rounded);
    arguments.add(input(memory, std::string(1, "abc"[k]), padded));
  }
  Launch launch;
  launch.kernel = "k";
  launch.grid.x = static_cast<std::uint32_t>(rounded / 32);
  launch.block.x = 32;
  launch.parameters = arguments.bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (!outcome) return {};
  EXPECT_TRUE(outcome->clean()) << text(*outcome);
  Bits result = values<std::uint64_t>(memory, out);
  result.resize(count);
  return result;
}

using Definition = std::function<std::uint64_t(std::uint64_t a, std::uint64_t b, std::uint64_t c)>;
/// Equal by default; floats may want "both NaN" or an error bound.
using Same = std::function<bool(std::uint64_t expected, std::uint64_t actual)>;

inline bool same_bits(std::uint64_t expected, std::uint64_t actual) { return expected == actual; }

inline void check(const Snippet& snippet, const std::vector<Bits>& sources, const Definition& definition,
                  const Same& same = same_bits) {
  SCOPED_TRACE(snippet.body);
  const auto at = [&](std::size_t k, std::size_t i) { return k < sources.size() ? sources[k][i] : 0; };
  const int bits = bits_of_type(snippet.result);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (const bool masked : {false, true}) {
    const Bits actual = run(snippet, sources, masked);
    ASSERT_FALSE(actual.empty());
    int shown = 0;
    for (std::size_t i = 0; i < actual.size() && shown < 5; ++i) {
      std::uint64_t expected = definition(at(0, i), at(1, i), at(2, i)) & mask;
      const bool kept = masked && i % 3 != 0;
      if (kept) expected = snippet.result == "pred" ? 1 : kUntouched & mask;
      if (kept ? expected == actual[i] : same(expected, actual[i])) continue;
      ++shown;
      ADD_FAILURE() << std::hex << "a=0x" << at(0, i) << " b=0x" << at(1, i) << " c=0x" << at(2, i) << " expected 0x"
                    << expected << " actual 0x" << actual[i] << (masked ? " (masked)" : "");
    }
  }
}

// Values: all pairs of interesting ones, then random ones.

inline const Bits& edges32() {
  static const Bits out = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
                           0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
                           0x3fc00000, 0x40200000, 0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x5f000000, 0x42c80000,
                           0x33800000, 0x34000000, 0x7e800000, 0x3f7fffff, 0x3f800001, 0x7fffffff};
  return out;
}
inline const Bits& edges64() {
  static const Bits out = {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
                           0xfff0000000000000, 0x7ff8000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
                           0x0010000000000000, 0x7fefffffffffffff, 0x3fe0000000000000, 0x4004000000000000, 0x4330000000000001,
                           0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
                           0x3fefffffffffffff, 0x3ff0000000000001, 0x36a0000000000000, 0x47efffffe0000000, 0x7fffffffffffffff};
  return out;
}
inline const Bits& edges16() {
  static const Bits out = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x0001, 0x8001, 0x03ff, 0x0400,
                           0x7bff, 0xfbff, 0x3800, 0x4100, 0x3f80, 0x7f80, 0xff80, 0x0080, 0x7f7f, 0x3bff, 0x3c01, 0x00ff,
                           0xffff, 0x6400, 0x6401, 0x5c01, 0x0200};
  return out;
}
/// Integers of any width: the corners.
inline Bits integer_edges(int bits) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  return {0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 255, 256, top - 1, top, top + 1, top | (top - 1), (top | (top - 1)) - 1, top >> 1, 0x1234567 % top};
}

/// Tuples of `arity`: all combinations of edges (arity 1, 2) or random ones of them (arity 3), then `random` random bit patterns.
inline std::vector<Bits> mixed(const std::vector<Bits>& edges, std::size_t random, unsigned seed = 1) {
  std::vector<Bits> out(edges.size());
  if (edges.size() == 1) out[0] = edges[0];
  if (edges.size() == 2) {
    for (const auto a : edges[0]) {
      for (const auto b : edges[1]) {
        out[0].push_back(a);
        out[1].push_back(b);
      }
    }
  }
  std::mt19937_64 generator(seed);
  if (edges.size() == 3) {
    for (std::size_t i = 0; i < 2000; ++i) {
      for (std::size_t k = 0; k < 3; ++k) out[k].push_back(edges[k][generator() % edges[k].size()]);
    }
  }
  for (std::size_t i = 0; i < random; ++i) {
    for (auto& one : out) one.push_back(generator());
  }
  return out;
}

inline float f32(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// NaN is one NaN in single precision.
inline std::uint64_t one_nan(float x) { return std::isnan(x) ? 0x7fffffff : bits(x); }
inline bool same_f64(std::uint64_t a, std::uint64_t b) { return a == b || (std::isnan(f64(a)) && std::isnan(f64(b))); }
inline float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

}  // namespace seam::sim::test
