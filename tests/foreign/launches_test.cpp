/// Launch lists in both forms, and what is no launch list.
#include <gtest/gtest.h>

#include "support.h"

namespace seam::codegen::test {
namespace {

const std::string kHead = "id\tdepth\tkind\tinstruction\tkernel\tgrid\tblock\tshared\n";

TEST(Launches, Table) {
  const auto list =
      read_launches(kHead +
                        "1\t0\tkCublasLtMatmul\tdot.1\t\t\t\t\n11\t0\tkWhile\twhile.1\t\t\t\t\n\t0\tcondition\t\t\t\t\t\n2\t4\tkCustomKernel\tfusion."
                        "9\tfusion_9\t4,2,1\t128,1,1\t64\n3\t8\tkCopy\tcopy.3\t\t\t\t\n",
                    "l.tsv");
  ASSERT_TRUE(list) << describe(list.error());
  ASSERT_EQ(list->size(), 4U);
  EXPECT_EQ((*list)[0].kind, ForeignKind::Library);
  EXPECT_EQ((*list)[1].kind, ForeignKind::Control);
  const ForeignLaunch& kernel = (*list)[2];
  EXPECT_EQ(kernel.kind, ForeignKind::Kernel);
  EXPECT_EQ(kernel.instruction, "fusion.9");
  EXPECT_EQ(kernel.kernel, "fusion_9");
  EXPECT_EQ(kernel.grid, (sim::Dim3{4, 2, 1}));
  EXPECT_EQ(kernel.block, (sim::Dim3{128, 1, 1}));
  EXPECT_EQ(kernel.dynamic_shared, 64);
  EXPECT_EQ(kernel.at.line, 5);
  EXPECT_EQ((*list)[3].kind, ForeignKind::Copy);
}

TEST(Launches, BadTablesAreRefusedWithTheirLine) {
  const auto error = [](const std::string& text) {
    const auto list = read_launches(text, "l.tsv");
    return list ? std::string("taken") : describe(list.error());
  };
  EXPECT_NE(error("").find("l.tsv:1:1"), std::string::npos);
  EXPECT_NE(error("kind\tinstruction\n").find("no launch list"), std::string::npos);
  EXPECT_NE(error(kHead).find("empty"), std::string::npos);
  EXPECT_NE(error(kHead + "1\t0\tkCopy\tcopy\n").find("l.tsv:2:1: a row has 8 cells, this one 4"), std::string::npos);
  EXPECT_NE(error(kHead + "1\t0\tkCopy\t\t\t\t\t\n").find("which instruction"), std::string::npos);
  EXPECT_NE(error(kHead + "1\t0\tkNcclAllReduce\tar\t\t\t\t\n").find("kNcclAllReduce cannot be run"), std::string::npos);
  for (const char* cells :
       {"k\t0,1,1\t1,1,1\t0", "k\t1,1\t1,1,1\t0", "k\t1,1,1\t-1,1,1\t0", "k\t1,1,99999999999\t1,1,1\t0", "k\t1,1,1\t1,1,1\tx", "\t1,1,1\t1,1,1\t0"}) {
    EXPECT_NE(error(kHead + "1\t0\tkKernel\tf\t" + cells + "\n").find("a kernel launch names"), std::string::npos) << cells;
  }
}

// As XLA prints them: …thunk_sequence.txt and, beside it, …thunk_metadata.txt.
const std::string kSequence = R"(001: kCublasLtMatmul
002: kCustomKernel fusion_9 grid: [100, 1, 1] threads: [32, 1, 1] shared_memory: 0 bytes
011: kWhile
  condition:
    012: kCustomKernel [x] compare_4 grid: [1, 1, 1] threads: [1, 1, 1] shared_memory: 16 bytes
  body:
    013: kCopy
)";
const std::string kMetadata = R"(thunk_metadata {
  thunk_info {
    profile_annotation: "dot.1"
    thunk_id: 1
  }
}
thunk_metadata { thunk_info { profile_annotation: "fusion.9" thunk_id: 2 } }
thunk_metadata { thunk_info { profile_annotation: "while.1" thunk_id: 11 } }
thunk_metadata { thunk_info { profile_annotation: "compare.4" thunk_id: 12 } }
thunk_metadata { thunk_info { profile_annotation: "copy.3" thunk_id: 13 } }
)";

TEST(Launches, TheOrderIsTheSchedules) {
  const std::filesystem::path folder = oracle() / "lr.step" / "h100.library";
  std::vector<ForeignLaunch> rows = need(read_launches(need(read_file(folder / "launches.tsv")), "launches.tsv"));
  ASSERT_GT(rows.size(), 2U);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    std::vector<ForeignLaunch> swapped = rows;
    std::swap(swapped[i], swapped[i + 1]);
    const auto program = foreign_program(module_of(folder / "optimized.hlo"), std::move(swapped), {});
    ASSERT_FALSE(program) << i;
    EXPECT_NE(program.error().message.find("is launched after"), std::string::npos) << program.error().message;
  }
}

TEST(Launches, Thunks) {
  const auto list = read_thunks(kSequence, kMetadata, "t.txt");
  ASSERT_TRUE(list) << describe(list.error());
  ASSERT_EQ(list->size(), 5U);
  EXPECT_EQ((*list)[0].instruction, "dot.1");
  EXPECT_EQ((*list)[1].instruction, "fusion.9");
  EXPECT_EQ((*list)[1].kernel, "fusion_9");
  EXPECT_EQ((*list)[1].grid, (sim::Dim3{100, 1, 1}));
  EXPECT_EQ((*list)[1].block, (sim::Dim3{32, 1, 1}));
  EXPECT_EQ((*list)[3].kernel, "compare_4");
  EXPECT_EQ((*list)[3].dynamic_shared, 16);
  EXPECT_EQ((*list)[4].instruction, "copy.3");
}

TEST(Launches, WhatThunksDoNotSayIsAnError) {
  const auto error = [](const std::string& sequence, const std::string& metadata) {
    const auto list = read_thunks(sequence, metadata, "t.txt");
    return list ? std::string("taken") : describe(list.error());
  };
  EXPECT_NE(error(kSequence, "").find("thunk_metadata.txt"), std::string::npos);
  EXPECT_NE(error("kCommandBuffer\t\n", "").find("--xla_gpu_enable_command_buffer="), std::string::npos);
  EXPECT_NE(error("", "").find("no thunk"), std::string::npos);
  EXPECT_NE(error("001: kFft\n", kMetadata).find("kFft cannot be run"), std::string::npos);
  EXPECT_NE(error("002: kCustomKernel fusion_9\n", kMetadata).find("a kernel launch names"), std::string::npos);
}

}  // namespace
}  // namespace seam::codegen::test
