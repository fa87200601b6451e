#include "analyzer/rank_run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

namespace seam::analyzer {
namespace {

std::optional<std::int64_t> integer_in(const db::Field& field) { return std::holds_alternative<std::int64_t>(field) ? std::optional(std::get<std::int64_t>(field)) : std::nullopt; }
std::string text_in(const db::Field& field) { return std::holds_alternative<std::string>(field) ? std::get<std::string>(field) : std::string(); }
std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Letters and digits in lower case: "reduce_scatter_tensor_coalesced" → "reducescattertensorcoalesced".
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

/// As PyTorch and its types are written: "Float", "c10::BFloat16", "long int".
std::optional<std::int64_t> bytes_of(std::string_view type) {
  std::string name = folded(type);
  if (name.starts_with("c10")) name = name.substr(3);
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 18> kTypes = {{{"float", 4}, {"double", 8}, {"half", 2}, {"bfloat16", 2}, {"long", 8}, {"longint", 8}, {"int", 4}, {"short", 2}, {"shortint", 2}, {"char", 1}, {"signedchar", 1},
                                                                               {"byte", 1}, {"unsignedchar", 1}, {"bool", 1}, {"float8e4m3fn", 1}, {"float8e5m2", 1}, {"complexfloat", 8}, {"complexdouble", 16}}};
  const auto at = std::ranges::find(kTypes, std::string_view(name), [](const auto& type_bytes) { return type_bytes.first; });
  return at == kTypes.end() ? std::nullopt : std::optional(at->second);
}

/// Elements of a tensor with these dims, "[4, 1024]"; nothing for lists of tensors and for what is no tensor.
std::optional<std::int64_t> elements(std::string_view dims) {
  if (dims.size() < 3 || dims.front() != '[' || dims.back() != ']') return std::nullopt;
  std::int64_t product = 1;
  dims = dims.substr(1, dims.size() - 2);
  while (!dims.empty()) {
    const std::size_t comma = std::min(dims.find(','), dims.size());
    std::string_view one = dims.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    const auto extent = number(one);
    if (!extent || *extent < 0 || __builtin_mul_overflow(product, *extent, &product)) return std::nullopt;
    dims.remove_prefix(std::min(comma + 1, dims.size()));
  }
  return product;
}

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  std::int64_t out = 0;
  return a && b && !__builtin_mul_overflow(*a, *b, &out) ? std::optional(out) : std::nullopt;
}

/// What rows of `collective` say of launches.
Result<void> add_recorded(const db::Database& database, std::unordered_map<std::int64_t, CollectiveCall*>& by_row) {
  SEAM_TRY(const db::Rows rows, database.query("SELECT launch, name, dtype, elements_in, elements_out, group_name, ranks, group_size, sequence FROM collectives WHERE launch IS NOT NULL ORDER BY id"));
  for (const auto& row : rows.rows) {
    const auto at = by_row.find(integer_in(row[0]).value_or(-1));
    if (at == by_row.end()) continue;
    CollectiveCall& call = *at->second;
    if (const CollectiveKind said = collective_kind(text_in(row[1])); said != CollectiveKind::Other) call.kind = said;
    const auto in = integer_in(row[3]), out = integer_in(row[4]);
    call.bytes = product(in && out ? std::max(in, out) : std::nullopt, bytes_of(text_in(row[2])));
    const std::string group = text_in(row[5]), ranks = text_in(row[6]);
    if (!group.empty() || !ranks.empty()) call.group = group + " " + ranks;
    call.group_size = integer_in(row[7]);
    call.sequence = integer_in(row[8]);
  }
  return {};
}

struct CommunicationOp {
  std::int64_t start_ns = 0, end_ns = 0;
  std::string name;
  std::optional<std::int64_t> bytes;
};

/// Older recordings: the ops around the launching call say what they were called with.
Result<void> add_from_ops(const db::Database& database, RankRun& run) {
  SEAM_TRY(const db::Rows rows, database.query("SELECT r.thread, r.start_ns, r.end_ns, r.name, t.value, i.dims FROM ranges r LEFT JOIN signature_input i ON i.signature = r.signature AND i.place = 0 LEFT JOIN string t ON t.id = i.type "
                                               "WHERE r.kind = 'op' AND (r.name = 'record_param_comms' OR r.name GLOB 'nccl:*' OR r.name GLOB 'c10d::*') AND r.thread IS NOT NULL AND r.end_ns IS NOT NULL ORDER BY r.start_ns, r.end_ns DESC, r.id"));
  std::map<std::int64_t, std::vector<CommunicationOp>> threads;
  for (const auto& row : rows.rows) threads[integer_in(row[0]).value_or(-1)].push_back({integer_in(row[1]).value_or(0), integer_in(row[2]).value_or(0), text_in(row[3]), product(elements(text_in(row[5])), bytes_of(text_in(row[4])))});
  for (CollectiveCall& one : run.calls) {
    const std::uint32_t c = run.timeline.work[one.work].call;
    if (c == kNone) continue;
    const Call& call = run.timeline.calls[c];
    const auto ops = threads.find(call.thread);
    if (ops == threads.end()) continue;
    // Outwards from the innermost op; ops of communication nest a few deep.
    constexpr int kDeep = 8;
    auto at = std::ranges::upper_bound(ops->second, call.start_ns, std::ranges::less{}, &CommunicationOp::start_ns);
    for (int i = 0; i < kDeep && at != ops->second.begin(); ++i) {
      const CommunicationOp& op = *--at;
      if (op.end_ns < call.end_ns) continue;
      if (one.kind == one.kernel && one.kernel == CollectiveKind::SendRecv && collective_kind(op.name) == CollectiveKind::AllToAll) one.kind = CollectiveKind::AllToAll;
      if (!one.bytes) one.bytes = op.bytes;
    }
  }
  return {};
}

}  // namespace

std::string_view name(CollectiveKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce", "send-recv", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

CollectiveKind collective_kind(std::string_view text) {
  const std::string name = folded(text);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("reducescatter")) return CollectiveKind::ReduceScatter;
  if (has("allreduce")) return CollectiveKind::AllReduce;
  if (has("allgather")) return CollectiveKind::AllGather;
  if (has("alltoall")) return CollectiveKind::AllToAll;
  if (has("broadcast")) return CollectiveKind::Broadcast;
  if (has("sendrecv") || name == "send" || name == "recv") return CollectiveKind::SendRecv;
  if (has("reduce")) return CollectiveKind::Reduce;
  return CollectiveKind::Other;
}

bool all_wait_for_all(CollectiveKind kind) { return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather || kind == CollectiveKind::ReduceScatter; }

std::optional<double> bus_factor(CollectiveKind kind, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::AllReduce: return 2 * (n - 1) / n;
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll: return (n - 1) / n;
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
    case CollectiveKind::SendRecv: return 1;
    case CollectiveKind::Other: break;
  }
  return std::nullopt;
}

Result<LoadedRank> load_rank(const db::Database& database) {
  LoadedRank out;
  RankRun& run = out.run;
  SEAM_TRY(const db::Rows about, database.query("SELECT name, (SELECT value FROM property WHERE name = 'rank'), (SELECT unix_ns FROM clock WHERE name = 'run'), (SELECT json_extract(value, '$.world_size') FROM property WHERE name = 'trace.distributedInfo' AND json_valid(value)) FROM run"));
  if (!about.rows.empty()) {
    run.name = text_in(about.rows[0][0]);
    out.rank = number(text_in(about.rows[0][1]));
    run.unix_ns = integer_in(about.rows[0][2]);
    run.world = integer_in(about.rows[0][3]);
  }
  SEAM_TRY(run.timeline, timeline_of(database));
  // Differences between any two instants of any two ranks are exact.
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  for (const std::int64_t time : {run.timeline.start_ns, run.timeline.end_ns, run.unix_ns.value_or(0)})
    if (time <= -kMost || time >= kMost) return fail(Error::Code::BadInput, "the run file is damaged: its times lie more than 70 years from its clock's zero");
  for (const std::int64_t ordinal : run.timeline.devices()) {
    SEAM_TRY(const db::Rows device, database.query("SELECT coalesce(product, name) FROM device WHERE id = " + std::to_string(ordinal)));
    run.devices.push_back(device.rows.empty() ? "unknown" : text_in(device.rows[0][0]));
  }
  for (std::uint32_t w = 0; w < run.timeline.work.size(); ++w) {
    const Work& work = run.timeline.work[w];
    if (work.kind != Work::Kind::Kernel || run.timeline.class_of(work) != graph::WorkClass::Communication) continue;
    CollectiveCall& call = run.calls.emplace_back();
    call.work = w;
    const std::string& text = run.timeline.names[work.name].text;
    call.kernel = call.kind = collective_kind(std::string_view(text).substr(0, text.find('(')));
  }
  std::unordered_map<std::int64_t, CollectiveCall*> by_row;
  for (CollectiveCall& call : run.calls) by_row.emplace(run.timeline.work[call.work].row, &call);
  SEAM_DO(add_recorded(database, by_row));
  SEAM_DO(add_from_ops(database, run));
  return out;
}

}  // namespace seam::analyzer
