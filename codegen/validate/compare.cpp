#include "validate/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/tolerance.h"

namespace seam::codegen {
namespace {


/// `slack` moves each sum by a √K; the table of tolerances grants a sum 8 a √K, of which a proof grants half to the sums inside.
constexpr double kSlack = 4;

bool narrow(DType dtype) { return bits(dtype) < 32; }

void wrong(Comparison& out, std::int64_t at, double got, double want, double allowed) {
  if (out.wrong++ == 0) out.first_wrong = fmt::format("element {}: {:.9g}, reference {:.9g}, allowed difference {:.3g}", at, got, want, allowed);
}

Comparison compare_integers(const Array& actual, const Indices& at, const graph::Value& reference) {
  Comparison out;
  const auto width = static_cast<std::size_t>(bytes(actual.dtype));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::byte* element = &actual.data[static_cast<std::size_t>(at[i]) * width];
    std::int64_t got = 0;
    if (width == 8) {
      std::memcpy(&got, element, 8);
    } else {
      got = static_cast<std::int64_t>(load_as_double(actual.dtype, element));
    }
    ++out.compared;
    ++out.telling;
    if (got != reference.integers[i]) wrong(out, at[i], static_cast<double>(got), static_cast<double>(reference.integers[i]), 0);
  }
  return out;
}

}  // namespace

bool same_class(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return true;
}

Comparison compare(const Array& actual, const Indices& at, const graph::Value& wide, const graph::Value& rounded, std::int64_t reduction_length,
                   RoundingCheck rounding, double least_scale, std::span<const double> slack, std::int64_t copies) {
  if (is_integer(actual.dtype)) return compare_integers(actual, at, rounded);
  Comparison out;
  const auto width = static_cast<std::size_t>(bytes(actual.dtype));
  const graph::Tolerance table = graph::tolerance(actual.dtype, reduction_length);
  double scale = least_scale;
  for (const double value : rounded.numbers) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double got = load_as_double(actual.dtype, &actual.data[static_cast<std::size_t>(at[i]) * width]);
    const double want = rounded.numbers[i];
    const double other = round_to(actual.dtype, wide.numbers[i]);
    ++out.compared;
    if (!same_class(want, other)) continue;  // the reference itself is undecided: overflow or NaN by a rounding
    if (!slack.empty() && std::isinf(slack[i])) continue;  // … or by a denormal that may as well be 0
    if (!same_class(got, want)) {
      wrong(out, at[i], got, want, 0);
      continue;
    }
    if (!std::isfinite(want)) continue;
    const double difference = std::abs(got - want);
    const double allowed = table.abs * scale + table.rel * std::abs(want) + 2 * std::abs(want - other) + (slack.empty() ? 0 : kSlack * slack[i]);
    out.max_abs = std::max(out.max_abs, difference);
    if (want != 0) out.max_rel = std::max(out.max_rel, difference / std::abs(want));
    const double ratio = allowed > 0 ? difference / allowed : (difference > 0 ? HUGE_VAL : 0);
    if (ratio >= out.worst_ratio) {
      out.worst_ratio = ratio;
      out.worst_allowed = allowed;
    }
    if (!(difference <= allowed)) wrong(out, at[i], got, want, allowed);
    ++out.telling;
    const double explained = (narrow(actual.dtype) ? 0 : table.abs * scale + table.rel * std::abs(want)) + (slack.empty() ? 0 : kSlack * slack[i]);
    if (difference > explained) ++out.moved;
  }
  const std::uint64_t each = static_cast<std::uint64_t>(std::max<std::int64_t>(1, copies));
  const std::uint64_t most = std::max(most_moved(rounding, actual.dtype, reduction_length, out.telling), each * most_moved(rounding, actual.dtype, reduction_length, out.telling / each));
  if (out.wrong == 0 && out.moved > most) {
    out.wrong = out.moved;
    out.first_wrong = fmt::format("within tolerance, but not what rounding op by op gives, as at most {} may be", most);
  }
  return out;
}

std::uint64_t most_moved(RoundingCheck check, DType dtype, std::int64_t reduction_length, std::uint64_t elements) {
  if (check.unit == 0) return elements;
  // Arithmetic in f32 is off by up to 16 of its units, as the tolerance table has it; one term of a sum that falls to the other side moves the
  // sum by more than f32 tolerates, but seldom a sum that is rounded to the narrow type itself.
  const double one = 16 * graph::unit_roundoff(DType::F32) / check.unit;
  const auto terms = static_cast<double>(std::max<std::int64_t>(reduction_length, 1));
  const double share = std::min(1.0, 0.01 + one * (narrow(dtype) ? std::sqrt(terms) : terms));
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(share * static_cast<double>(elements)));
}

}  // namespace seam::codegen
