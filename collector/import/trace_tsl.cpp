// TensorFlow's and JAX's trace.json (tsl/profiler): no categories; devices are processes named "/device:GPU:0", their streams threads named
// "Stream #7(Compute)". The names come first in the file.
#include <charconv>
#include <string_view>

#include "import/trace_rows.h"

namespace seam::collector {
namespace {

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const char* from = text.data() + at + mark.size();
  return std::from_chars(from, text.data() + text.size(), value).ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// "grid:3,1,1" as the list that Kineto writes: the same text without its brackets.
Text shape_behind(const Text& details, std::string_view mark) {
  const std::string_view text = details.view();
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + mark.size(), to = std::min(text.find(' ', from), text.size());
  return {text.data() + from, static_cast<std::uint32_t>(to - from), Text::Kind::Array, true};
}

/// "cuLaunchKernel", "cudaMemcpyAsync", "hipLaunchKernel".
bool names_api(std::string_view name, std::string_view prefix) { return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z'; }

}  // namespace

void TraceRows::note_tsl_names(const Event& event, std::string_view name) {
  const std::string process(event.process.view());
  if (event.name.view() == "process_name") {
    for (const std::string_view mark : {"/device:GPU:", "/device:ROCM:"})
      if (const auto ordinal = number_behind(name, mark)) device_processes_[process] = *ordinal;
  } else if (const auto stream = name.starts_with("Stream #") ? number_behind(name, "Stream #") : std::nullopt) {
    device_streams_[process + '\n' + std::string(event.thread.view())] = *stream;
  }
}

bool TraceRows::add_tsl(const Event& event, Arguments& with, const Span& span) {
  if (device_processes_.empty()) return false;
  const std::string_view name = event.name.view();
  const auto device = device_processes_.find(std::string(event.process.view()));
  if (device == device_processes_.end()) {
    if (names_api(name, "cuda") || names_api(name, "hip")) {
      add_call(event, with, span, false);
    } else if (names_api(name, "cu")) {
      add_call(event, with, span, true);
    } else {
      add_range(event, with, span, with.step ? Category::Annotation : Category::None);
    }
    return true;
  }
  tsl_ = true;
  with.device = device->second;
  const auto stream = device_streams_.find(device->first + '\n' + std::string(event.thread.view()));
  if (stream == device_streams_.end()) {
    // Lines that the profiler derives: modules, ops, steps.
    add_range(event, with, span, Category::GpuAnnotation);
    return true;
  }
  with.stream = stream->second;
  if (const std::string_view details = with.kernel_details.view(); !details.empty()) {
    with.registers = number_behind(details, "regs:");
    with.static_shared = number_behind(details, "static_shared:");
    with.shared = number_behind(details, "dynamic_shared:");
    with.grid = shape_behind(with.kernel_details, " grid:");
    with.block = shape_behind(with.kernel_details, " block:");
  }
  if (name.starts_with("Memcpy") || name.starts_with("Memset")) {
    with.bytes = number_behind(with.copy_details.view(), "size:");
    add_copy(event, with, span, name.starts_with("Memset"));
  } else {
    add_kernel(event, with, span);
  }
  return true;
}

}  // namespace seam::collector
