/// A folder as --xla_dump_to leaves it, made of a program of data/xla: all kernels in one PTX file, thunks as XLA prints them.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "support.h"

namespace seam::codegen::test {
namespace {

namespace fs = std::filesystem;

class Dump : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("seam_dump_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const fs::path from = oracle() / "lr.step" / "h100.library";
    put("module_0001.jit_step.sm_9.0_gpu_after_optimizations.txt", need(read_file(from / "optimized.hlo")));
    put("module_0001.jit_step.sm_9.0_gpu_after_optimizations-buffer-assignment.txt", "BufferAssignment:\n");
    put("module_0001.jit_step.before_optimizations.txt", need(read_file(oracle() / "lr.step" / "before.hlo")));
    std::string ptx = ".version 9.0\n.target sm_90a\n.address_size 64\n";
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(from / "ptx")) files.push_back(file.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      const std::string text = need(read_file(file));
      ptx += text.substr(text.find(".visible .entry"));
    }
    put("module_0001.jit_step.ptx", ptx);
    std::string sequence, metadata;
    int id = 0;
    for (const ForeignLaunch& l : need(read_launches(need(read_file(from / "launches.tsv")), "l"))) {
      sequence += fmt::format("{:03}: {}\t", ++id, l.thunk);
      if (l.kind == ForeignKind::Kernel) {
        sequence += fmt::format("{} grid: [{}, {}, {}] threads: [{}, {}, {}] shared_memory: {} bytes", l.kernel, l.grid.x, l.grid.y, l.grid.z,
                                l.block.x, l.block.y, l.block.z, l.dynamic_shared);
      }
      sequence += "\n";
      metadata += fmt::format("thunk_metadata {{\n  thunk_info {{\n    profile_annotation: \"{}\"\n    thunk_id: {}\n  }}\n}}\n", l.instruction, id);
    }
    put("module_0001.jit_step.thunk_sequence.txt", sequence);
    put("module_0001.jit_step.thunk_metadata.txt", metadata);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] std::string error(std::string_view module = {}) const {
    const auto program = read_dump(folder_, module);
    return program ? std::string("taken") : describe(program.error());
  }

  fs::path folder_;
};

TEST_F(Dump, RunsLikeThePackagedProgram) {
  const ForeignProgram dumped = need(read_dump(folder_)), packaged = compiled("lr.step", "h100.library");
  EXPECT_EQ(dumped.kernels.size(), packaged.kernels.size());
  const auto inputs = arrays(oracle() / "lr.step", "in", dumped.graph);
  const ForeignRun a = need(run(dumped, inputs)), b = need(run(packaged, inputs));
  EXPECT_EQ(a.reports, b.reports);
  EXPECT_EQ(a.outputs, b.outputs);
  EXPECT_EQ(a.instructions, b.instructions);
}

TEST_F(Dump, WhatIsMissingIsNamed) {
  fs::remove(folder_ / "module_0001.jit_step.thunk_metadata.txt");
  EXPECT_NE(error().find("thunk_metadata.txt"), std::string::npos) << error();
  fs::remove(folder_ / "module_0001.jit_step.thunk_sequence.txt");
  EXPECT_NE(error().find("thunk_sequence.txt"), std::string::npos) << error();
  fs::remove(folder_ / "module_0001.jit_step.ptx");
  EXPECT_NE(error().find("no PTX of module module_0001.jit_step"), std::string::npos) << error();
  fs::remove(folder_ / "module_0001.jit_step.sm_9.0_gpu_after_optimizations.txt");
  EXPECT_NE(error().find("gpu_after_optimizations.txt"), std::string::npos) << error();
  fs::remove_all(folder_);
  EXPECT_NE(error().find("cannot read folder"), std::string::npos) << error();
}

TEST_F(Dump, OfSeveralModulesOneIsNamed) {
  put("module_0002.jit_other.sm_9.0_gpu_after_optimizations.txt", "HloModule other\n");
  EXPECT_NE(error().find("name one of module_0001.jit_step, module_0002.jit_other"), std::string::npos) << error();
  EXPECT_EQ(error("module_0001.jit_step"), "taken");
  EXPECT_NE(error("module_0003").find("of module module_0003"), std::string::npos);
}

}  // namespace
}  // namespace seam::codegen::test
