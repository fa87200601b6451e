// Figures of HolisticTraceAnalysis 0.5.0 on 19 inputs (single traces and jobs), each held against Seam's: equal, or the difference is in hta_differences.tsv with
// both numbers and the definitions of HTA's that make it. Applied to our rows, those definitions must give HTA's number exactly; two defects of HTA's that no
// definition says (ties, negative durations) are named instead. Compared: the temporal breakdown, time by sets of types, sum, most and least of every kernel,
// overlap, idle time by stream and cause, launches. SEAM_UPDATE_HTA=FILE collects what differs, which is how the list is made again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "analyzer/hta_rules.h"
#include "analyzer/occupation.h"
#include "analyzer/recorded.h"
#include "support/public_traces.h"

namespace seam::analyzer::test {
namespace {

namespace fs = std::filesystem;
using seam::test::need;

fs::path oracle() { return seam::test::public_data().parent_path() / "oracle" / "hta"; }

std::int64_t nanoseconds(const Json& us) { return us.is_null() ? 0 : std::llround(us.get<double>() * 1000); }

/// HTA's figures of one rank, under the names of hta_figures(). Idle time of causes that are not there is 0 and left out on both sides.
Figures theirs(const Json& figures, std::int64_t rank, bool only_rank) {
  Figures out;
  const auto rows_of = [&](const char* figure, const char* list) {
    std::vector<Json> rows;
    if (!figures[figure].contains(list)) return rows;
    for (const Json& row : figures[figure][list])
      if (row.value("rank", rank) == rank) rows.push_back(row);
    return rows;
  };
  for (const Json& row : rows_of("temporal_breakdown", "rows"))
    for (const char* part : {"kernel_time", "idle_time", "compute_time", "non_compute_time"}) out[part] = nanoseconds(row[std::string(part) + "(us)"]);
  for (const Json& row : rows_of("comm_comp_overlap", "rows"))
    if (!row["comp_comm_overlap_pctg"].is_null()) out["overlap"] = std::llround(100 * row["comp_comm_overlap_pctg"].get<double>());
  for (const Json& row : rows_of("gpu_kernel_breakdown", "by_kernel")) {
    const std::string name = row["name"];
    out["kernel:" + name] = nanoseconds(row["sum (us)"]);
    out["kernel-max:" + name] = nanoseconds(row["max (us)"]);
    out["kernel-min:" + name] = nanoseconds(row["min (us)"]);
  }
  if (only_rank)
    for (const Json& row : rows_of("gpu_kernel_breakdown", "by_type")) {
      std::string types = row["kernel_type"];
      for (std::size_t at = types.find(" overlapping "); at != std::string::npos; at = types.find(" overlapping ")) types.replace(at, 13, " + ");
      out["type:" + types] = nanoseconds(row["sum"]);
    }
  for (const Json& row : rows_of("idle_time_breakdown", "rows"))
    if (nanoseconds(row["idle_time"]) != 0) out["idle:" + std::to_string(row["stream"].get<std::int64_t>()) + ":" + row["idle_category"].get<std::string>()] = nanoseconds(row["idle_time"]);
  for (const Json& row : rows_of("cuda_kernel_launch_stats", "ranks")) {
    out["launches"] = row["launches"];
    for (const auto& [ours, key] : std::initializer_list<std::pair<const char*, const char*>>{{"cpu", "cpu_duration_sum"}, {"gpu", "gpu_duration_sum"}, {"delay", "launch_delay_sum"}}) out[std::string("launches:") + ours] = nanoseconds(row[key]);
    out["launches:short"] = row["short_kernels"];
    out["launches:runtime_outliers"] = row["runtime_outliers"];
    out["launches:delay_outliers"] = row["launch_delay_outliers"];
    if (row["launches"] != 0) out["launches:delay_max"] = nanoseconds(row["launch_delay_max"]);
  }
  return out;
}

std::int64_t value(const Figures& figures, const std::string& name) {
  const auto at = figures.find(name);
  return at == figures.end() ? 0 : at->second;
}

/// Which of HTA's definitions make the difference; empty: all of them together do not give its number.
/// `negative`: rounding left rows that end before they begin, which HTA's sweep over types counts backwards (its types no longer add up to its own compute time).
std::string reasons(const std::string& figure, std::int64_t wanted, const std::map<unsigned, Figures>& by_rules, unsigned all, const Figures& hta, bool negative) {
  const Figures& applied = by_rules.at(all);
  if (value(applied, figure) != wanted) {
    if (negative && figure.starts_with("type:")) return "negative-durations";
    // Rows of a stream that start together stand in any order: what one cause lacks, the other has.
    const std::size_t cause = figure.rfind(':');
    const std::string host = figure.substr(0, cause) + ":host_wait", device = figure.substr(0, cause) + ":kernel_wait";
    const bool idle = figure.starts_with("idle:") && (figure == host || figure == device);
    return idle && value(applied, host) + value(applied, device) == value(hta, host) + value(hta, device) ? "ties-of-starts" : "";
  }
  std::string out;
  for (unsigned rule = 1; rule < kHtaRules; rule *= 2)
    if ((all & rule) != 0 && value(by_rules.at(all & ~rule), figure) != wanted) out += (out.empty() ? "" : "+") + std::string(name(static_cast<HtaRule>(rule)));
  return out.empty() ? "any-of-several" : out;
}

class Hta : public RunFolder, public testing::WithParamInterface<const char*> {
 protected:
  static std::vector<fs::path> inputs(const Json& document, const std::string& name) {
    std::vector<fs::path> out;
    const fs::path traces = seam::test::public_data() / "traces";
    for (const Json& file : document["input"]) out.push_back((name.starts_with("job_") ? traces / "multirank" / name.substr(4) : traces / "kineto") / file.get<std::string>());
    return out;
  }
};

/// What the library and the views say is what the rows say without any of HTA's definitions.
void expect_ours(const db::Database& run, const Figures& plain) {
  const Timeline timeline = need(timeline_of(run));
  if (timeline.devices().size() != 1) return;
  const auto busy = need(run.query("SELECT span_ns, idle_ns FROM device_busy")).rows[0];
  EXPECT_EQ(std::get<std::int64_t>(busy[0]), value(plain, "kernel_time"));
  EXPECT_EQ(std::get<std::int64_t>(busy[1]), value(plain, "idle_time"));
  const Overlap overlap = total(communication_overlap(timeline));
  EXPECT_EQ(overlap.computation_ns, value(plain, "compute_time"));
  const double covered = overlap.communication_ns > 0 ? static_cast<double>(overlap.hidden_ns) / static_cast<double>(overlap.communication_ns) : 0;
  EXPECT_EQ(std::llround(10'000.0 * covered), value(plain, "overlap"));
  const LaunchStats stats = launch_stats(timeline);
  EXPECT_EQ(stats.linked, value(plain, "launches"));
  EXPECT_EQ(stats.delay_ns, value(plain, "launches:delay"));
  std::int64_t kernels = 0, sums = 0;
  for (const KernelShare& share : kernel_shares(timeline)) kernels += share.ns;
  for (const auto& [figure, ns] : plain) sums += figure.starts_with("kernel:") ? ns : 0;
  EXPECT_EQ(kernels, sums);
}

TEST_P(Hta, EveryFigureIsEqualOrExplained) {
  const std::string input = GetParam();
  if (!fs::exists(oracle()) || !fs::exists(seam::test::public_data() / "traces")) GTEST_SKIP() << "no public traces or figures at " << seam::test::public_data() << " (SEAM_PUBLIC_DATA)";
  std::ifstream in(oracle() / (input + ".json"));
  const Json document = Json::parse(in);
  std::map<std::string, std::string> known;
  {
    std::ifstream list(std::string(SEAM_TEST_DIR) + "/hta_differences.tsv");
    for (std::string line; std::getline(list, line);)
      if (line.starts_with(input + "\t")) {
        const std::size_t rank_end = line.find('\t', line.find('\t') + 1);
        const std::size_t figure_end = line.find('\t', rank_end + 1);
        known[line.substr(0, figure_end)] = line;
      }
  }
  std::ostringstream found;
  std::set<std::string> seen;
  int compared = 0;
  const std::vector<fs::path> files = inputs(document, input);
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const db::Database run = open(files[rank]);
    std::map<unsigned, Figures> by_rules;
    by_rules[0] = hta_figures(run, 0);
    expect_ours(run, by_rules[0]);
    const Json& taken = document["load"][rank]["gpu_rows_per_cat"];
    const bool context = taken.value("cuda_sync", std::int64_t{0}) > std::get<std::int64_t>(need(run.query("SELECT count(*) FROM sync WHERE stream IS NOT NULL")).rows[0][0]);
    const unsigned all = context ? kHtaRules : kHtaRules & ~kContextRows;
    by_rules[all] = hta_figures(run, all);
    for (unsigned rule = 1; rule < kHtaRules; rule *= 2) by_rules[all & ~rule] = hta_figures(run, all & ~rule);
    const Figures hta = theirs(document["figures"], static_cast<std::int64_t>(rank), files.size() == 1);
    for (const auto& [figure, wanted] : hta) {
      ++compared;
      const std::int64_t own = value(by_rules[0], figure);
      if (own == wanted) continue;
      const std::string why = reasons(figure, wanted, by_rules, all, hta, document["load"][rank]["gpu_rows_negative_dur"] > 0), key = input + "\t" + std::to_string(rank) + "\t" + figure;
      const std::string line = key + "\t" + std::to_string(own) + "\t" + std::to_string(wanted) + "\t" + (why.empty() ? "unexplained" : why);
      found << line << "\n";
      seen.insert(key);
      EXPECT_EQ(known.contains(key) ? known[key] : std::string(), line) << "ours, HTA's, and why";
    }
  }
  for (const auto& [key, line] : known) EXPECT_TRUE(seen.contains(key)) << "no longer differs: " << line;
  EXPECT_GT(compared, 6);
  if (const char* update = std::getenv("SEAM_UPDATE_HTA")) std::ofstream(update, std::ios::app) << found.str();
}

INSTANTIATE_TEST_SUITE_P(Inputs, Hta,
                         testing::Values("hta_cp_alexnet", "hta_cp_cuda_event_sync", "hta_cp_simple_add", "hta_cpu_only_gloo", "hta_nccl_data_a100_rank0of2", "hta_ns_resolution_v100_resnet", "hta_trace_diff_test_v100_graphs", "hta_triton_example_a100",
                                         "job_megatron_tp2_v100", "job_param_dlrm8_v100", "job_torchrec_dlrm4_v100_fp32comm", "part_a100_forward_bs2", "sam_a100_compiled_triton_graphs", "sam_a100_eager", "torchao_b200_ep_moe_ref_rank0of2",
                                         "tracelens_b200_vllm_moe_tp8_rank0", "tracelens_h100_qwen1.5-0.5b", "tracelens_mi300_bert_small", "tracelens_mi300_resnet_actckpt_ddp_rank0of8"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace seam::analyzer::test
