// Kernel names of real traces, one or two of each family.
#include "graph/kernel_names.h"

#include <gtest/gtest.h>

namespace seam::graph {
namespace {

TEST(KernelNames, TellFamilyAndWork) {
  struct Case {
    std::string_view text, family;
    WorkClass work;
  };
  const Case cases[] = {
      {"ampere_sgemm_128x64_tn", "cublas", WorkClass::Contraction},
      {"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x64x64_stage3", "cublas", WorkClass::Contraction},
      {"nvjet_tst_128x256_64x4_2x1_v_bz_coopB_TNN", "cublas", WorkClass::Contraction},
      {"void splitKreduce_kernel<32, 16, int, float, float, float, float, true, true, false>(cublasSplitKParams<float>)", "cublas", WorkClass::Contraction},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x256_16x3_nn_align4>(cutlass_80)", "cutlass", WorkClass::Contraction},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(c)", "cudnn", WorkClass::Normalization},
      {"void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>", "cudnn", WorkClass::Layout},
      {"volta_scudnn_128x64_relu_interior_nn_v1", "cudnn", WorkClass::Contraction},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&)>", "aten", WorkClass::Elementwise},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>", "aten", WorkClass::Normalization},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 64, 64>", "aten", WorkClass::Layout},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)", "aten", WorkClass::Normalization},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>", "aten", WorkClass::Normalization},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>>", "aten", WorkClass::Elementwise},
      {"triton_poi_fused_add_cos_sin_0", "triton", WorkClass::Elementwise},
      {"triton_red_fused_add_mean_mul_pow_rsqrt_1", "triton", WorkClass::Normalization},
      {"triton__0d1d2d3de", "triton", WorkClass::Unknown},
      {"input_reduce_fusion_12", "xla", WorkClass::Normalization},
      {"loop_add_convert_fusion_9", "xla", WorkClass::Elementwise},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long)", "nccl", WorkClass::Communication},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "nccl", WorkClass::Communication},
      {"nccldevkernel_allgather_ring_ll", "nccl", WorkClass::Communication},
      {"void multimem_all_reduce_kernel<float>()", "symmetric-memory", WorkClass::Communication},
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64>>", "flash-attention", WorkClass::Contraction},
      {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)", "fmha", WorkClass::Contraction},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x256x64", "tensile", WorkClass::Contraction},
      {"igemm_bwd_gtcx3_nhwc_bf16_bx0_ex0_bt128x64x32", "miopen", WorkClass::Contraction},
      {"_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_", "composable-kernel", WorkClass::Normalization},
      {"void cub::DeviceScanKernel<cub::DeviceScanPolicy<int>::Policy600, int*>", "cub", WorkClass::Other},
      {"void at_cuda_detail::cub::DeviceReduceSingleTileKernel<>", "cub", WorkClass::Other},
      {"my_own_kernel(float*)", "unknown", WorkClass::Unknown},
      {"", "unknown", WorkClass::Unknown},
  };
  for (const Case& one : cases) {
    const KernelName got = classify_kernel(one.text);
    EXPECT_EQ(got.family, one.family) << one.text;
    EXPECT_EQ(name(got.work), name(one.work)) << one.text;
  }
}

TEST(KernelNames, SyncInANameIsNoCommunication) { EXPECT_NE(classify_kernel("void syncwarp_sum_kernel()").work, WorkClass::Communication); }

}  // namespace
}  // namespace seam::graph
