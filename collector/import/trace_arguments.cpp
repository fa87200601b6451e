// The arguments of an event, converted: what has a column by its key, the rest as JSON.
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "import/trace_rows.h"

namespace seam::collector {

std::optional<std::int64_t> trailing_number(const Text& text) {
  if (const auto number = integer(text)) return number;
  std::string_view view = text.view();
  while (view.ends_with(' ')) view.remove_suffix(1);
  std::size_t from = view.size();
  while (from > 0 && view[from - 1] >= '0' && view[from - 1] <= '9') --from;
  Text digits = text;
  digits.data = view.data() + from;
  digits.size = static_cast<std::uint32_t>(view.size() - from);
  return integer(digits);
}

TraceRows::Arguments TraceRows::arguments(const EventBatch& batch, const Event& event) {
  Arguments out;
  std::string& extra = extra_;
  extra.clear();
  const Field* field = batch.begin_of(event);
  for (const Field* end = field + event.arguments; field != end; ++field) {
    const Text& value = field->value;
    if (value.kind == Text::Kind::Word) note_word(value);
    switch (key_of(field->key.view())) {
      case Key::Device: out.device = whole(value); break;
      case Key::Context: out.context = value.view().starts_with("$$") ? trailing_number(value) : whole(value); break;
      case Key::Stream: out.stream = whole(value); break;
      case Key::Correlation: out.correlation = whole(value); break;
      case Key::External: out.external = whole(value); break;
      case Key::Grid: out.grid = value; break;
      case Key::Block: out.block = value; break;
      case Key::Registers: out.registers = whole(value); break;
      case Key::SharedMemory: out.shared = whole(value); break;
      case Key::GraphId: out.graph = whole(value); break;
      case Key::GraphNode: out.graph_node = whole(value); break;
      case Key::Bytes: out.bytes = whole(value); break;
      case Key::Address: out.address = whole(value); break;
      case Key::DeviceType: out.device_type = whole(value); break;
      case Key::DeviceId: out.device_id = whole(value); break;
      case Key::TotalAllocated: out.allocated = whole(value); break;
      case Key::TotalReserved: out.reserved = whole(value); break;
      case Key::RecordFunction: out.number = whole(value); break;
      case Key::Sequence: out.sequence = whole(value); break;
      case Key::ForwardThread: out.forward_thread = whole(value); break;
      case Key::InputDims: out.dims = value; break;
      case Key::InputTypes: out.types = value; break;
      case Key::InputStrides: out.strides = value; break;
      case Key::InputValues: out.values = value; break;
      case Key::PythonId: out.python = whole(value); break;
      case Key::PythonParent: out.python_parent = whole(value); break;
      case Key::SyncKind: out.sync_kind = value; break;
      case Key::WaitStream: out.wait_stream = whole(value); break;
      case Key::WaitCorrelation: out.wait_correlation = whole(value); break;
      case Key::WaitEvent: out.wait_event = whole(value); break;
      case Key::CollectiveName: out.collective = value; break;
      case Key::ElementsIn: out.elements_in = whole(value); break;
      case Key::ElementsOut: out.elements_out = whole(value); break;
      case Key::ElementType: out.element_type = value; break;
      case Key::GroupName: out.group_name = value; break;
      case Key::GroupSize: out.group_size = whole(value); break;
      case Key::GroupRanks: out.ranks = value; break;
      case Key::CollectiveSequence: out.collective_sequence = whole(value); break;
      case Key::KernelDetails: out.kernel_details = value; break;
      case Key::CopyDetails: out.copy_details = value; break;
      case Key::StepNumber: out.step = whole(value); break;
      case Key::Redundant: break;
      case Key::Queued:
        if (value.view() == "0") break;
        [[fallthrough]];
      case Key::Finished:
        if (field->key.view() == "finished" && (value.view() == "True" || value.view() == "true")) break;
        [[fallthrough]];
      case Key::Name:
      case Key::Labels:
      case Key::Unknown: {
        extra += extra.empty() ? '{' : ',';
        extra += dumped(nlohmann::json(characters(field->key, mends_)), -1);
        extra += ':';
        if (value.kind == Text::Kind::String) {
          extra += dumped(nlohmann::json(characters(value, mends_)), -1);
        } else if (value.kind == Text::Kind::Word && value.view() != "true" && value.view() != "false") {
          extra += "null";
        } else {
          extra += value.view();
        }
      }
    }
  }
  if (!extra.empty()) {
    extra += '}';
    out.extra = writer_.intern(extra);
  }
  return out;
}

}  // namespace seam::collector
