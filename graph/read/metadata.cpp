#include <fmt/core.h>

#include "read/attributes.h"

namespace seam::graph {
namespace {

/// The fields Seam knows, as XLA prints them. Empty if there are none.
std::string print_fields(const Metadata& metadata) {
  std::string out;
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}{}={}", out.empty() ? "" : " ", key, escaped(value));
  };
  const auto number = [&](std::string_view key, std::int64_t value) {
    if (value != 0) out += fmt::format("{}{}={}", out.empty() ? "" : " ", key, value);
  };
  text("op_type", metadata.op_type);
  text("op_name", metadata.op_name);
  text("source_file", metadata.source_file);
  number("source_line", metadata.source_line);
  number("stack_frame_id", metadata.stack_frame_id);
  return out;
}

}  // namespace

Result<Metadata> read_metadata(Cursor inside, std::string_view text) {
  Metadata metadata;
  while (!inside.at_end()) {
    if (inside.accept(',')) continue;
    const std::string_view key = inside.word();
    if (key.empty()) {
      return inside.error(fmt::format("expected a field of the metadata, found {}", inside.found()));
    }
    if (auto equals = inside.expect('=', "after a metadata field"); !equals) {
      return tl::unexpected(std::move(equals).error());
    }
    inside.peek();
    if (key == "op_type") {
      SEAM_TRY(metadata.op_type, inside.quoted("op_type"));
    } else if (key == "op_name") {
      SEAM_TRY(metadata.op_name, inside.quoted("op_name"));
    } else if (key == "source_file") {
      SEAM_TRY(metadata.source_file, inside.quoted("source_file"));
    } else if (key == "source_line") {
      SEAM_TRY(metadata.source_line, inside.integer("source_line"));
    } else if (key == "stack_frame_id") {
      SEAM_TRY(metadata.stack_frame_id, inside.integer("stack_frame_id"));
    } else {
      SEAM_TRY([[maybe_unused]] const std::string_view other, inside.value());
    }
  }
  if (print_fields(metadata) != text) metadata.raw = text;
  return metadata;
}

std::string print(const Metadata& metadata) {
  return metadata.raw.empty() ? print_fields(metadata) : metadata.raw;
}

}  // namespace seam::graph
