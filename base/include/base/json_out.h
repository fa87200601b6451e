#pragma once
/// JSON as every command and file of Seam prints it.
#include <string>

namespace seam {

/// The text of a nlohmann::json, its lines indented by one space; bytes of names that are not UTF-8 become U+FFFD instead of ending in an exception.
template <class Json>
[[nodiscard]] std::string dumped(const Json& json, int indent = 1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace seam
