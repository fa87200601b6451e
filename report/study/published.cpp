#include "study/published.h"

namespace seam::report::published {
namespace {

using analyzer::Class;
using analyzer::Granularity;

constexpr OperatorWords kOperators[] = {
    {"QKV/qkv", 7.3, 12.6},
    {"AIB/input_bias", 12.6, 12.6},
    {"QKT/qkt", 8.4, 33.6},
    {"SM/scaled_softmax", 33.6, 100.7},
    {"GAMMA/gamma", 37.7, 4.2},
    {"OUT/out", 5.2, 4.2},
    {"BDRLN1/out_bias", 4.2, 4.2},
    {"BDRLN1/dropout", 4.2, 8.4},
    {"BDRLN1/residual", 8.4, 4.2},
    {"BDRLN1/layer_norm", 4.2, 4.2},
    {"LIN1/lin1", 8.4, 16.8},
    {"BAD/bias", 16.8, 16.8},
    {"BAD/relu", 16.8, 16.8},
    {"BAD/dropout", 16.8, 33.6},
    {"LIN2/lin2", 21.0, 4.2},
    {"BDRLN2/bias", 4.2, 4.2},
    {"BDRLN2/dropout", 4.2, 8.4},
    {"BDRLN2/residual", 8.4, 4.2},
    {"BDRLN2/layer_norm", 4.2, 4.2},
    {"BSB/layer_norm_dw", 8.4, 0.0},
    {"BLNRD1/layer_norm_dx", 8.4, 4.2},
    {"BLNRD1/dropout_dx", 8.4, 4.2},
    {"LIN2DX/lin2_dx", 8.4, 16.8},
    {"LIN2DW/lin2_dw", 21.0, 4.2},
    {"BDRLB/bias2_dw", 4.2, 0.0},
    {"BDRLB/dropout_dx", 33.6, 16.8},
    {"BDRLB/relu_dx", 33.6, 16.8},
    {"BDRLB/bias1_dw", 16.8, 0.0},
    {"LIN1DX/lin1_dx", 21.0, 4.2},
    {"LIN1DW/lin1_dw", 21.0, 4.2},
    {"EBSB/residual_dx", 8.4, 4.2},
    {"EBSB/layer_norm_dw", 8.4, 0.0},
    {"BLNRD2/layer_norm_dx", 8.4, 4.2},
    {"BLNRD2/dropout_dx", 8.4, 4.2},
    {"BAOB/out_bias_dw", 4.2, 0.0},
    {"OUTDX/out_dx", 5.2, 4.2},
    {"OUTDW/out_dw", 8.4, 1.0},
    {"GAMMADX1/gamma_dx1", 8.4, 33.6},
    {"GAMMADX2/gamma_dx2", 37.7, 4.2},
    {"BS/softmax_dx", 100.7, 33.6},
    {"QKTDX1/qkt_dx1", 37.7, 4.2},
    {"QKTDX2/qkt_dx2", 37.7, 4.2},
    {"QKVDX/qkv_dx", 15.7, 4.2},
    {"QKVDW/qkv_dw", 16.8, 3.1},
    {"BAIB/input_bias_dw", 12.6, 0.0},
    {"BEI/residual_dx", 8.4, 4.2},
};

constexpr KernelWords kKernels[] = {
    {"AIB", 12.6, 12.6},   {"SM", 33.6, 100.7},   {"BDRLN1", 8.4, 21.0}, {"BAD", 16.8, 50.3},   {"BDRLN2", 8.4, 21.0}, {"BSB", 8.4, 4.2},  {"BLNRD1", 12.6, 8.4},
    {"BDRLB", 50.3, 16.8}, {"EBSB", 16.8, 4.2},   {"BLNRD2", 12.6, 8.4}, {"BAOB", 4.2, 0.0},    {"BS", 100.7, 33.6},   {"BAIB", 12.6, 0.0}, {"BEI", 8.4, 4.2},
};

constexpr ClassShares kClasses[] = {
    {Class::Contraction, 99.80, 40.3},
    {Class::Normalization, 0.17, 26.9},
    {Class::Elementwise, 0.03, 32.8},
};

constexpr Baseline kBaselines[] = {
    {Granularity::Plain, 1451.3, 25.4, 28.9},
    {Granularity::ScaleSplit, 1384.1, 21.8, 25.5},
    {Granularity::SoftmaxDropoutSplit, 1317.0, 17.8, 21.7},
    {Granularity::Paper46, 1216.4, 11.0, 15.2},
};

}  // namespace

std::span<const OperatorWords> operators() { return kOperators; }
std::span<const KernelWords> kernels() { return kKernels; }
std::span<const ClassShares> classes() { return kClasses; }
std::span<const Baseline> baselines() { return kBaselines; }

}  // namespace seam::report::published
