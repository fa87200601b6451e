// Views on real runs: each runs, and its sums are those of the tables and of the library.
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/occupation.h"
#include "analyzer/recorded.h"
#include "support/public_traces.h"

namespace seam::analyzer::test {
namespace {

namespace fs = std::filesystem;
using seam::test::need;

class ViewsOf : public RunFolder {};

/// Pairs of queries that say the same.
struct Same {
  const char* view;
  const char* table;
};
constexpr Same kSame[] = {
    {"SELECT sum(launches), sum(timed), sum(total_ns) FROM kernel_summary", "SELECT count(*), count(end_ns - start_ns), sum(end_ns - start_ns) FROM launch"},
    {"SELECT sum(launches), sum(total_ns) FROM kernel_config_summary", "SELECT count(*), sum(end_ns - start_ns) FROM launch"},
    {"SELECT sum(launches), sum(total_ns) FROM kernel_stream_summary", "SELECT count(*), sum(end_ns - start_ns) FROM launch"},
    {"SELECT count(*), sum(duration_ns) FROM launch_shapes", "SELECT count(*), sum(end_ns - start_ns) FROM launch"},
    {"SELECT coalesce(sum(launches), 0) FROM small_grids", "SELECT count(*) FROM launch_shapes WHERE blocks_per_sm < 1"},
    {"SELECT sum(operations), sum(total_ns) FROM memory_time_summary", "SELECT nullif(count(*), 0), sum(end_ns - start_ns) FROM copy"},
    {"SELECT sum(operations), sum(sized), sum(total_bytes) FROM memory_size_summary", "SELECT nullif(count(*), 0), CASE WHEN count(*) > 0 THEN count(bytes) END, sum(bytes) FROM copy"},
    {"SELECT count(*), sum(bytes) FROM copy_bandwidths", "SELECT count(*), sum(bytes) FROM copy"},
    {"SELECT sum(total_bytes), sum(total_ns) FROM copy_bandwidth_summary", "SELECT sum(bytes), sum(end_ns - start_ns) FROM copy WHERE bytes IS NOT NULL AND end_ns > start_ns"},
    {"SELECT sum(calls), sum(total_ns) FROM api_summary", "SELECT nullif(count(*), 0), sum(end_ns - start_ns) FROM api_call"},
    {"SELECT sum(occurrences), sum(total_ns) FROM range_summary", "SELECT nullif(count(*), 0), sum(end_ns - start_ns) FROM range"},
    {"SELECT sum(calls), sum(total_ns) FROM python_totals", "SELECT nullif(count(*), 0), sum(end_ns - start_ns) FROM range WHERE kind = 'python'"},
    {"SELECT sum(calls) FROM op_shapes", "SELECT nullif(count(*), 0) FROM range WHERE kind = 'op' AND signature IS NOT NULL"},
    {"SELECT count(*) FROM work_calls", "SELECT (SELECT count(*) FROM launch_calls) + (SELECT count(*) FROM copy_calls)"},
    {"SELECT count(*), sum(duration_ns) FROM launch_latencies", "SELECT count(*), sum(end_ns - start_ns) FROM launch WHERE id IN (SELECT launch FROM launch_calls)"},
    {"SELECT sum(launches), sum(call_ns), sum(total_ns) FROM launch_latency_summary", "SELECT nullif(count(*), 0), sum(call_ns), sum(duration_ns) FROM launch_latencies"},
    {"SELECT coalesce(sum(launches), 0) FROM short_kernels", "SELECT count(*) FROM launch_latencies WHERE duration_ns < call_ns"},
    {"SELECT count(*) FROM launch_ops", "SELECT count(*) FROM launch_calls"},
    {"SELECT sum(launches), sum(device_ns) FROM op_device_time", "SELECT nullif(count(op), 0), (SELECT sum(end_ns - start_ns) FROM launch WHERE id IN (SELECT launch FROM launch_ops WHERE op IS NOT NULL)) FROM launch_ops"},
    {"SELECT sum(launches), sum(device_ns) FROM op_shape_device_time", "SELECT sum(launches), sum(device_ns) FROM op_device_time"},
    {"SELECT sum(work), sum(device_ns) FROM range_projection", "SELECT nullif(count(*), 0), sum(end_ns - start_ns) FROM range_work"},
    {"SELECT sum(work), sum(device_ns) FROM range_projection_summary", "SELECT sum(work), sum(device_ns) FROM range_projection"},
    {"SELECT count(*), sum(duration_ns) FROM step_summary", "SELECT count(*), sum(duration_ns) FROM steps"},
    {"SELECT count(*) FROM work_busy", "SELECT count(*) FROM device_work WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL"},
    {"SELECT sum(idle_ns) FROM device_busy", "SELECT CASE WHEN (SELECT count(*) FROM work_busy) > 0 THEN coalesce(sum(duration_ns), 0) END FROM device_gaps"},
    {"SELECT sum(idle_ns) FROM stream_busy", "SELECT CASE WHEN (SELECT count(*) FROM work_busy) > 0 THEN coalesce(sum(duration_ns), 0) END FROM stream_gaps"},
    {"SELECT sum(busy_ns) + sum(idle_ns) FROM device_busy", "SELECT sum(span_ns) FROM device_busy"},
    {"SELECT coalesce(sum(changes), 0) FROM queue_depth_summary", "SELECT 2 * count(delay_ns) FROM launch_latencies"},
    {"SELECT sum(launches), sum(total_ns) FROM collective_summary", "SELECT nullif(count(*), 0), sum(duration_ns) FROM collective_launches"},
    {"SELECT coalesce(sum(hidden_ns + exposed_ns), 0) FROM communication_overlap", "SELECT coalesce(sum(communication_ns), 0) FROM communication_overlap"},
    {"SELECT sum(waits), sum(total_ns) FROM sync_summary", "SELECT nullif(count(*), 0), sum(end_ns - start_ns) FROM sync"},
    {"SELECT count(*), max(peak) FROM memory_timeline", "SELECT count(*), max(allocated) FROM allocation"},
    {"SELECT sum(changes), max(peak_allocated) FROM memory_peaks", "SELECT nullif(count(*), 0), max(allocated) FROM allocation"},
    {"SELECT coalesce(sum(kernels + copies), 0) FROM graph_launches", "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM work_calls GROUP BY api_call HAVING count(*) > 1)"},
    {"SELECT coalesce(sum(launches), 0) FROM graph_nodes", "SELECT count(*) FROM launch WHERE graph_node <> 0"},
    {"SELECT sum(calls), sum(ranges) FROM thread_summary", "SELECT (SELECT count(*) FROM api_call WHERE thread IS NOT NULL), (SELECT count(*) FROM range WHERE thread IS NOT NULL) FROM thread LIMIT 1"},
    {"SELECT count(*) FROM problems", "SELECT (SELECT count(*) FROM loss) + (SELECT count(*) FROM warning)"},
    {"SELECT sum(rows) FROM evidence_summary", "SELECT (SELECT count(*) FROM launch) + (SELECT count(*) FROM copy)"},
};

TEST_F(ViewsOf, SumsAreThoseOfTheTables) {
  const fs::path root = seam::test::public_data() / "traces";
  if (!fs::exists(root)) GTEST_SKIP() << "no public traces in " << seam::test::public_data() << " (SEAM_PUBLIC_DATA)";
  for (const char* trace : {"kineto/sam_a100_compiled_triton_graphs.json.gz", "kineto/hta_cp_cuda_event_sync.json.gz", "kineto/tracelens_b200_vllm_moe_tp8_rank0.json.gz", "multirank/megatron_tp2_v100/kineto_rank1.json.gz",
                            "multirank/torchrec_dlrm4_v100_fp32comm/rank2.json.gz", "kineto/tracelens_mi300_resnet_actckpt_ddp_rank0of8.json.gz", "nsys/nsysai_torch_2gpu_1s_2026.2.1.sqlite.gz"}) {
    SCOPED_TRACE(trace);
    const db::Database run = open(root / trace);
    const db::Rows names = need(run.query("SELECT name FROM sqlite_schema WHERE type = 'view'"));
    EXPECT_GE(names.rows.size(), 40U);
    for (const auto& row : names.rows) {
      const auto rows = run.query("SELECT count(*) FROM " + std::get<std::string>(row[0]));
      EXPECT_TRUE(rows) << std::get<std::string>(row[0]) << ": " << (rows ? "" : rows.error().message);
    }
    for (const Same& same : kSame) EXPECT_EQ(need(run.query(same.view)).rows, need(run.query(same.table)).rows) << same.view;
    // The library says the same.
    const Timeline timeline = need(timeline_of(run));
    std::int64_t busy = 0;
    for (const Occupation& one : occupation(timeline)) busy += one.busy_ns;
    EXPECT_EQ(std::get<std::int64_t>(need(run.query("SELECT sum(busy_ns) FROM device_busy")).rows[0][0]), busy);
    const Overlap overlap = total(communication_overlap(timeline));
    const auto sums = need(run.query("SELECT coalesce(sum(communication_ns), 0), coalesce(sum(hidden_ns), 0), coalesce(sum(exposed_ns), 0) FROM communication_overlap")).rows[0];
    EXPECT_EQ(std::get<std::int64_t>(sums[0]), overlap.communication_ns);
    EXPECT_EQ(std::get<std::int64_t>(sums[1]), overlap.hidden_ns);
    EXPECT_EQ(std::get<std::int64_t>(sums[2]), overlap.exposed_ns());
  }
}

/// The class that the library tells by a kernel's name, and the names that the view looks for.
TEST_F(ViewsOf, CommunicationIsTheSameInBoth) {
  Json events = Json::array();
  int at = 0;
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "rcclGenericKernel", "multimem_all_reduce_kernel", "void vllm::cross_device_reduce_1stage<float>", "ampere_sgemm_128x64_tn", "deep_ep::dispatch", "ncclsymkKernel", "reduce_kernel"}) {
    events.push_back(kernel(name, 7, at, at + 10, at));
    at += 20;
  }
  const db::Database run = imported(events);
  const Timeline timeline = need(timeline_of(run));
  const auto communicates = [&](const Work& work) { return timeline.class_of(work) == graph::WorkClass::Communication; };
  EXPECT_EQ(std::get<std::int64_t>(need(run.query("SELECT count(*) FROM collective_launches")).rows[0][0]), std::ranges::count_if(timeline.work, communicates));
}

}  // namespace
}  // namespace seam::analyzer::test
