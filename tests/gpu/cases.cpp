#include "cases.h"

#include <bit>

namespace seam::gpu {
namespace {

Argument in(DType dtype, std::size_t elements, double scale = 1) { return {Argument::Kind::Input, dtype, elements, scale, 0}; }
Argument out(DType dtype, std::size_t elements) { return {Argument::Kind::Output, dtype, elements, 0, 0}; }
/// Starts at zero, is read and written.
Argument sum(DType dtype, std::size_t elements) { return {Argument::Kind::Accumulated, dtype, elements, 0, 0}; }
Argument integer(std::size_t value) { return {Argument::Kind::Value, DType::S32, 1, 0, value}; }
Argument real(float value) { return {Argument::Kind::Value, DType::F32, 1, 0, std::bit_cast<std::uint32_t>(value)}; }

unsigned u(std::size_t x) { return static_cast<unsigned>(x); }

/// The ten kernels on R rows of N columns.
std::vector<Case> kernels(std::size_t r, std::size_t n) {
  const std::size_t all = r * n;
  const auto f32 = DType::F32;
  const auto bf16 = DType::BF16;
  const unsigned row = u((n + 32) * 4);
  const std::string file = "kernels.cuh";
  std::vector<Case> cases = {
      {file, "k_softmax", {u(r), 1, 1}, {256, 1, 1}, row, false, {in(f32, all, 2), out(f32, all), integer(n)}, 1e-6},
      {file, "k_layernorm", {u(r), 1, 1}, {256, 1, 1}, row, false,
       {in(f32, all, 2), in(f32, n), in(f32, n), out(f32, all), out(f32, r), out(f32, r), integer(n), real(1e-5F)}, 1e-5},
      {file, "k_layernorm_bwd", {u(r), 1, 1}, {256, 1, 1}, 0, false,
       {in(f32, all, 2), in(f32, n), in(f32, all), in(f32, r, 0.1), in(f32, r), out(f32, all), sum(f32, n), sum(f32, n), integer(n)}, 1e-4},
      {file, "k_gelu_drop", {u((all / 8 + 255) / 256), 1, 1}, {256, 1, 1}, 0, false,
       {in(bf16, all, 2), in(bf16, n), out(bf16, all), integer(all), integer(n), real(0.1F), integer(1234)}, 1e-2},
      {file, "k_transpose", {u((n + 31) / 32), u((r + 31) / 32), 1}, {32, 8, 1}, 0, false, {in(f32, all), out(f32, all), integer(r), integer(n)}, 0},
      {file, "k_colsum", {u((n + 31) / 32), u(r < 57 ? (r + 7) / 8 : 8), 1}, {32, 8, 1}, 0, false, {in(f32, all, 2), sum(f32, n), integer(r), integer(n)}, 1e-5},
      {file, "k_ln_ew_ln", {u(r), 1, 1}, {256, 1, 1}, row, false,
       {in(bf16, all, 2), in(bf16, all), in(f32, n), in(f32, n), in(f32, n), in(f32, n), out(bf16, all), integer(n), real(1e-5F)}, 1e-2},
      {file, "k_cpasync_rowsum", {u(r), 1, 1}, {128, 1, 1}, 0, false, {in(f32, all, 2), out(f32, r), integer(n)}, 1e-4},
      {file, "k_grid_norm", {6, 1, 1}, {256, 1, 1}, 0, true, {in(f32, all, 2), out(f32, all), out(f32, 6), sum(DType::U32, 1), integer(all)}, 1e-6},
  };
  if (n <= 1024) {
    cases.push_back({file, "k_softmax_warp_h", {u((r + 3) / 4), 1, 1}, {128, 1, 1}, 0, false,
                     {in(DType::F16, all, 2), out(DType::F16, all), integer(r), integer(n)}, 1e-3});
  }
  return cases;
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> out_cases;
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{64, 1024}, {37, 1000}, {3, 1536}}) {
    for (Case& one : kernels(rows, columns)) out_cases.push_back(std::move(one));
  }
  for (const char* name : {"ok_reverse", "ok_syncwarp", "ok_lastblock", "bug_missing_barrier", "bug_war", "bug_missing_syncwarp", "bug_uninit_shared",
                           "bug_oob_read", "bug_oob_write", "bug_oob_shared", "bug_misaligned", "bug_block_overlap", "bug_divergent_barrier",
                           "bug_barrier_early_exit", "bug_shfl_partial", "bug_shfl_badmask", "bug_uninit_global", "bug_local_uninit",
                           "bug_lastblock_nofence", "bug_nonatomic_acc", "bug_wrong_index", "bug_partial_write"}) {
    Case one{"bugs.cuh", name, {2, 1, 1}, {256, 1, 1}, 0, false, {in(DType::F32, 512), out(DType::F32, 512), integer(512)}, 0};
    one.planted = std::string(name).starts_with("bug");
    out_cases.push_back(std::move(one));
  }
  return out_cases;
}

}  // namespace seam::gpu
