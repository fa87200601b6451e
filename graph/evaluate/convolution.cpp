#include <algorithm>
#include <cmath>

#include "evaluate/kernel.h"
#include "infer/rules.h"

namespace seam::graph {
namespace {

/// The loops that a convolution and its two gradients share: every (input, kernel, output) triple that meets.
class Convolution {
 public:
  Convolution(Value& lhs, Value& rhs, const Attributes& attributes, Value& out)
      : lhs_(lhs), rhs_(rhs), a_(attributes), out_(out) {
    lhs_strides_ = row_major_strides(lhs.shape.dims);
    rhs_strides_ = row_major_strides(rhs.shape.dims);
    out_strides_ = row_major_strides(out.shape.dims);
  }

  /// Adds to the numbers of output, input or kernel, as `sought` says.
  void run(ConvolutionPart sought) {
    const ConvDims& c = a_.conv;
    const std::int64_t outputs = size(out_, c.out_feature);
    const std::int64_t inputs = size(rhs_, c.rhs_input);
    const std::int64_t batches = size(out_, c.out_batch);
    const std::int64_t per_feature_group = outputs / a_.feature_groups;
    const std::int64_t per_batch_group = outputs / a_.batch_groups;
    const std::int64_t lhs_batches = size(lhs_, c.lhs_batch) / a_.batch_groups;
    Dims out_dims, kernel_dims;
    for (std::size_t d = 0; d < a_.window.size(); ++d) {
      out_dims.push_back(size(out_, c.out_spatial[d]));
      kernel_dims.push_back(a_.window[d].size);
    }
    const Dims none(a_.window.size(), 0);
    for (Walk at(out_dims, none); !at.done(); at.next()) {
      for (Walk tap(kernel_dims, none); !tap.done(); tap.next()) {
        const auto offsets = taps(at.index(), tap.index());
        if (!offsets) continue;
        const auto [lhs_at, rhs_at, out_at] = *offsets;
        for (std::int64_t b = 0; b < batches; ++b) {
          for (std::int64_t o = 0; o < outputs; ++o) {
            const std::int64_t first_input = o / per_feature_group * inputs;
            const std::int64_t lhs_batch = o / per_batch_group * lhs_batches + b;
            double* left = lhs_.numbers.data() + lhs_at + lhs_batch * stride(lhs_strides_, c.lhs_batch) +
                                 first_input * stride(lhs_strides_, c.lhs_feature);
            double* right = rhs_.numbers.data() + rhs_at + o * stride(rhs_strides_, c.rhs_output);
            const std::int64_t place = out_at + b * stride(out_strides_, c.out_batch) + o * stride(out_strides_, c.out_feature);
            double& out = out_.numbers[static_cast<std::size_t>(place)];
            accumulate(sought, left, right, out, inputs);
          }
        }
      }
    }
  }

 private:
  void accumulate(ConvolutionPart sought, double* left, double* right, double& out, std::int64_t inputs) const {
    const std::int64_t left_step = stride(lhs_strides_, a_.conv.lhs_feature);
    const std::int64_t right_step = stride(rhs_strides_, a_.conv.rhs_input);
    switch (sought) {
      case ConvolutionPart::Output:
        for (std::int64_t i = 0; i < inputs; ++i) out += left[i * left_step] * right[i * right_step];
        return;
      case ConvolutionPart::Input:
        for (std::int64_t i = 0; i < inputs; ++i) left[i * left_step] += out * right[i * right_step];
        return;
      case ConvolutionPart::Kernel:
        for (std::int64_t i = 0; i < inputs; ++i) right[i * right_step] += left[i * left_step] * out;
    }
  }

  struct Offsets {
    std::int64_t lhs, rhs, out;
  };

  static std::int64_t size(const Value& value, std::int64_t dim) { return value.shape.dims[static_cast<std::size_t>(dim)]; }
  static std::int64_t stride(const Dims& strides, std::int64_t dim) { return strides[static_cast<std::size_t>(dim)]; }

  /// nullopt where the tap falls on padding or between dilated elements.
  std::optional<Offsets> taps(const Dims& at, const Dims& tap) const {
    Offsets offsets{0, 0, 0};
    for (std::size_t d = 0; d < at.size(); ++d) {
      const WindowDim& w = a_.window[d];
      const std::int64_t spread = at[d] * w.stride + tap[d] * w.rhs_dilate - w.pad_low;
      if (spread < 0 || spread % w.lhs_dilate != 0) return std::nullopt;
      const std::int64_t from = spread / w.lhs_dilate;
      if (from >= size(lhs_, a_.conv.lhs_spatial[d])) return std::nullopt;
      const std::int64_t kernel = w.reversal ? w.size - 1 - tap[d] : tap[d];
      offsets.lhs += from * stride(lhs_strides_, a_.conv.lhs_spatial[d]);
      offsets.rhs += kernel * stride(rhs_strides_, a_.conv.rhs_spatial[d]);
      offsets.out += at[d] * stride(out_strides_, a_.conv.out_spatial[d]);
    }
    return offsets;
  }

  Value& lhs_;
  Value& rhs_;
  const Attributes& a_;
  Value& out_;
  Dims lhs_strides_, rhs_strides_, out_strides_;
};

/// Library calls are not verified by shape rules, so the loops check what they index.
bool dims_fit(const Value& lhs, const Value& rhs, const Attributes& a, const Value& out) {
  const std::size_t rank = a.conv.lhs_spatial.size() + 2;
  const bool ranks = lhs.shape.dims.size() == rank && rhs.shape.dims.size() == rank && out.shape.dims.size() == rank &&
                     a.window.size() + 2 == rank && a.conv.lhs_batch != a.conv.lhs_feature;
  if (!ranks || a.feature_groups < 1 || a.batch_groups < 1) return false;
  const auto size = [](const Value& value, std::int64_t dim) { return value.shape.dims[static_cast<std::size_t>(dim)]; };
  for (std::size_t d = 0; d < a.window.size(); ++d) {
    const auto positions = window_positions(size(lhs, a.conv.lhs_spatial[d]), a.window[d]);
    if (positions != size(out, a.conv.out_spatial[d]) || a.window[d].size != size(rhs, a.conv.rhs_spatial[d])) return false;
  }
  const std::int64_t outputs = size(out, a.conv.out_feature);
  return size(lhs, a.conv.lhs_feature) == size(rhs, a.conv.rhs_input) * a.feature_groups &&
         size(rhs, a.conv.rhs_output) == outputs && outputs % a.feature_groups == 0 && outputs % a.batch_groups == 0 &&
         size(lhs, a.conv.lhs_batch) == size(out, a.conv.out_batch) * a.batch_groups;
}

}  // namespace

Result<Value> convolved(const Value& first, const Value& second, const Attributes& attributes, const Shape& shape,
                        ConvolutionPart sought) {
  for (const DType dtype : {first.shape.dtype, second.shape.dtype, shape.dtype}) {
    if (is_complex(dtype)) return fail(Error::Code::Unsupported, "complex convolutions are not evaluated");
  }
  Value result;
  result.shape = shape;
  result.numbers.assign(static_cast<std::size_t>(shape.elements_count()), 0);
  Value a, b;
  a.shape = first.shape;
  a.numbers = as_numbers(first);
  b.shape = second.shape;
  b.numbers = as_numbers(second);
  // (input, kernel) → output, (output, kernel) → input, (input, output) → kernel
  Value& input = sought == ConvolutionPart::Input ? result : a;
  Value& kernel = sought == ConvolutionPart::Kernel ? result : b;
  Value& output = sought == ConvolutionPart::Output ? result : (sought == ConvolutionPart::Input ? a : b);
  if (!dims_fit(input, kernel, attributes, output)) {
    return fail(Error::Code::BadInput, "dimensions, window and labels of a convolution do not fit");
  }
  Convolution(input, kernel, attributes, output).run(sought);
  if (storage_of(shape.dtype) == Storage::Integer) {
    // Sums of integers are exact in double up to 2^53, which 8-bit convolutions stay far below.
    for (const double sum : result.numbers) {
      if (std::fabs(sum) > 9007199254740992.0) {
        return fail(Error::Code::Unsupported, "an integer convolution exceeds 2^53");
      }
      result.integers.push_back(wrapped(shape.dtype, static_cast<std::int64_t>(sum)));
    }
    result.numbers.clear();
  }
  return result;
}

}  // namespace seam::graph
