#pragma once
/// How far a computed value may lie from its reference: one table for the oracle tests, for kernels and for whole programs.
/// A value passes if |value - reference| <= abs × scale + rel × |reference|, scale = largest reference value of the tensor.
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace seam::graph {

struct Tolerance {
  double abs = 0;
  double rel = 0;
};

/// By the dtype that values are rounded to and the length of the longest sum (reduction, contraction) behind them:
/// with u the unit roundoff of dtype and a that of the type sums accumulate in (f32 for the narrower ones),
///   rel = 8 u            a handful of roundings of the element itself
///   abs = 8 u + 8 a √K   roundings of other elements that flow in through sums, and the order of a sum of K terms, whose error
///                        grows as √K when signs are mixed (Higham, Accuracy and Stability of Numerical Algorithms, 2.8, 4.2)
/// Integers and pred: 0.
[[nodiscard]] Tolerance tolerance(DType dtype, std::int64_t reduction_length);

/// What the tolerance of one output of a program depends on.
struct Precision {
  DType dtype = DType::F64;           ///< the coarsest float type on any path from the inputs to it
  std::int64_t reduction_length = 1;  ///< longest reduction or contraction on such a path
};
/// Of each element of the root tuple (of the root, if it is no tuple). An f32 loss of an f16 model is as exact as f16.
[[nodiscard]] std::vector<Precision> output_precisions(const Graph& graph);
/// Terms that one element of this op's result sums up; 1 for ops that sum nothing.
[[nodiscard]] std::int64_t reduction_length(const Computation& computation, const Op& op);
/// Half the distance from 1 to the next number of `dtype`; 0 for integers.
[[nodiscard]] double unit_roundoff(DType dtype);

}  // namespace seam::graph
