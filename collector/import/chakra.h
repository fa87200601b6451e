#pragma once
/// Chakra execution traces (mlcommons): a metadata message and nodes, as protobuf with lengths in front, or as the JSON objects that chakra_jsonizer writes one
/// after the other. Their values are texts in Python's notation. Format: et_def.proto, schema 0.0.4.
#include <functional>

#include "base/byte_source.h"
#include "base/result.h"
#include "import/node_rows.h"

namespace seam::collector {

[[nodiscard]] Result<void> read_chakra(ByteSource& source, NodeRows& rows, const std::function<bool()>& go_on);
[[nodiscard]] Result<void> read_chakra_json(ByteSource& source, NodeRows& rows, const std::function<bool()>& go_on);

/// A Node message as the JSON object that chakra_jsonizer writes of it; nothing if the bytes are none.
[[nodiscard]] std::optional<nlohmann::json> chakra_message(std::string_view bytes);

}  // namespace seam::collector
