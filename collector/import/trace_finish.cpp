// What is known only once the whole trace was read: devices, names, the clock, links, busy time, and what had to be mended.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/device.h"
#include "base/units.h"
#include "base/utf8.h"
#include "import/run_end.h"
#include "import/trace_rows.h"

namespace seam::collector {
namespace {

using Json = nlohmann::json;

std::optional<std::int64_t> integer_in(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto at = object.find(key); at != object.end() && at->is_number_integer()) return at->get<std::int64_t>();
  return std::nullopt;
}

}  // namespace

void TraceRows::add_headers(const EventBatch& batch) {
  for (const Header& header : batch.headers) {
    if (header.key == "deviceProperties" || header.key == "computeProperties") {
      add_device_header(header.text);
    } else if (header.key == "distributedInfo") {
      add_distributed_header(header.text);
    } else if (header.key == "baseTimeNanoseconds") {
      Text text{header.text.data(), static_cast<std::uint32_t>(header.text.size()), Text::Kind::Number, true};
      base_ns_ = integer(text);
    }
    if (header.key == "schemaVersion" || header.key == "deviceProperties" || header.key == "traceName") kineto_ = true;
    // The whole header stays readable; what is long is there for its tools only.
    constexpr std::size_t kMost = 1 << 16;
    const std::string key = to_utf8(header.key);
    if (!header_keys_.insert(key).second) {
      lose("repeated-header", "values beside the events whose key stands there twice: the first one is kept");
    } else if (header.text.size() <= kMost) {
      std::string value = header.text;
      if (const Json json = Json::parse(value, nullptr, false); json.is_string()) value = json.get<std::string>();
      writer_.set_property("trace." + key, value);
    } else {
      lose("header-too-long", "values beside the events that are longer than 64 KiB");
    }
  }
}

void TraceRows::add_device_header(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return warn("bad-header", "deviceProperties is not a list: devices are known by their numbers only");
  for (const Json& one : list) {
    if (!one.is_object()) continue;
    const std::optional<std::int64_t> id = integer_in(one, {"id"});
    if (!id) continue;
    db::RecordedDevice device;
    device.ordinal = *id;
    if (const auto name = one.find("name"); name != one.end() && name->is_string()) device.product = name->get<std::string>();
    device.compute_major = integer_in(one, {"computeMajor"});
    device.compute_minor = integer_in(one, {"computeMinor"});
    device.sms = integer_in(one, {"numSms"});
    device.shared_per_block = integer_in(one, {"sharedMemPerBlock"});
    devices_[*id] = std::move(device);
  }
}

void TraceRows::add_distributed_header(const std::string& text) {
  const Json info = Json::parse(text, nullptr, false);
  if (info.is_object()) rank_ = integer_in(info, {"rank"});
}

void TraceRows::write_devices() {
  for (auto& [ordinal, device] : devices_) {
    device.name = device_name(device.product);
    writer_.add_device(device);
  }
}

void TraceRows::name_things() {
  for (const auto& [process, name] : process_names_) {
    const auto at = processes_.find(process);
    if (at != processes_.end() && name.valid()) writer_.set_name(at->second, name);
  }
  for (const auto& [where, name] : thread_names_) {
    const auto at = threads_.find(where.first + '\n' + where.second);
    if (at != threads_.end() && name.valid()) writer_.set_name(at->second.id, name);
  }
}

/// Where several processes call the API their correlations may meet: work belongs to the process whose call with that number came last before it.
void TraceRows::tell_processes_apart() {
  if (calling_processes_.size() < 2) return;
  writer_.build_indexes();
  for (const char* table : {"launch", "copy", "sync"}) {
    const std::string calls = fmt::format("SELECT t.process FROM api_call a JOIN thread t ON t.id = a.thread WHERE a.correlation = {}.correlation", table);
    writer_.change(fmt::format("UPDATE {0} SET process = coalesce(({1} AND a.start_ns <= {0}.start_ns ORDER BY a.start_ns DESC, a.id LIMIT 1), ({1} ORDER BY a.start_ns, a.id LIMIT 1)) "
                               "WHERE correlation IS NOT NULL", table, calls));
  }
}

void TraceRows::say_what_was_mended(const TextFaults& faults) {
  if (faults.cut_off) warn("cut-off", fmt::format("the file stops at byte {} of its text, before the list of events is closed", faults.cut_at));
  if (faults.broken_events > 0) {
    const std::string first = fmt::format("the first at byte {}: {}", *faults.first_broken, faults.why_broken);
    losses_["broken-event"] = {static_cast<std::int64_t>(faults.broken_events), fmt::format("events that are not understood, {}", first)};
    if (!faults.cut_off || faults.broken_events > 1) warn("broken-event", fmt::format("{} not understood and left out, {}", counted(static_cast<std::int64_t>(faults.broken_events), "event"), first));
  }
  if (mends_.control_characters > 0) warn("control-character", "raw control characters inside strings, which JSON forbids: kept in the names");
  if (mends_.wrong_escapes > 0) warn("wrong-escape", "backslashes that JSON has no meaning for (paths of Windows): kept as they stand");
  if (mends_.wrong_utf8 > 0) warn("wrong-utf8", "bytes that are not UTF-8: U+FFFD stands in their place");
  if (!words_.empty()) {
    std::string list;
    for (const auto& [word, count] : words_) list += (list.empty() ? "" : ", ") + word;
    warn("bare-word", fmt::format("values that JSON does not know ({}): unknown here", list));
  }
  if (negative_open_ + negative_corrupt_ > 0) {
    std::string what;
    if (negative_open_ > 0) what = fmt::format("{} had not ended", counted(negative_open_, "span"));
    if (negative_corrupt_ > 0) what += fmt::format("{}{} of device work {} a duration below zero, which cannot be", what.empty() ? "" : "; ", counted(negative_corrupt_, "row"), negative_corrupt_ == 1 ? "has" : "have");
    warn("negative-duration", what + ": their ends are unknown");
  }
  if (const auto at = losses_.find("no-time"); at != losses_.end()) warn("no-time", fmt::format("{} without a recorded time: kept, in no sum and in no span", counted(at->second.first, "event")));
  for (const auto& [reason, loss] : losses_) {
    if (reason == "phase-not-read" || reason == "end-without-begin" || reason == "number-out-of-range" || reason == "header-too-long") warn(reason, fmt::format("{}: {}", human_count(loss.first), loss.second));
  }
}

void TraceRows::finish(const TextFaults& faults, Imported& into) {
  for (auto& [thread, open] : open_) {
    for (const OpenRange& range : open) {
      add_pair(threads_.at(thread).id, range, std::nullopt);
    }
  }
  write_devices();
  name_things();
  writer_.set_clock({.unix_ns = base_ns_ ? base_ns_ : first_ns_.value_or(0) > std::int64_t{1'000'000'000'000'000'000} ? std::optional<std::int64_t>(0) : std::nullopt,
                     .resolution_ns = fractions_ ? std::int64_t{1} : std::int64_t{1000}});
  writer_.build_indexes();
  tell_processes_apart();
  if (const std::optional<std::string> overrun = sweep(writer_, into.busy_ns)) warn("overrun", *overrun);
  say_what_was_mended(faults);
  into.format = kineto_ ? "kineto" : tsl_ ? "tsl" : "chrome";
  into.start_ns = first_ns_;
  into.end_ns = last_ns_;
  into.rank = rank_;
  if (rank_) writer_.set_property("rank", std::to_string(*rank_));
  counts_["links"] = linked_work(writer_);
  counts_["threads"] = std::ranges::count_if(threads_, [](const auto& thread) { return thread.second.has_rows; });
  into.rows = in_order(counts_);
  say_faults(writer_, losses_, warnings_, into);
}

}  // namespace seam::collector
