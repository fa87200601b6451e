#include "import/copy_names.h"

#include <algorithm>

namespace seam::collector {

db::CopyKind copy_kind(std::string_view name) {
  static constexpr std::pair<std::string_view, db::CopyKind> kKinds[] = {{"H2D", db::CopyKind::HostToDevice}, {"D2H", db::CopyKind::DeviceToHost}, {"D2D", db::CopyKind::DeviceToDevice}, {"P2P", db::CopyKind::PeerToPeer}, {"HtoD", db::CopyKind::HostToDevice}, {"DtoH", db::CopyKind::DeviceToHost}, {"DtoD", db::CopyKind::DeviceToDevice},
                                                                          {"HtoH", db::CopyKind::HostToHost}, {"PtoP", db::CopyKind::PeerToPeer}};
  for (const auto& [word, kind] : kKinds)
    if (name.find(word) != std::string_view::npos) return kind;
  return db::CopyKind::Unknown;
}

std::pair<std::string, std::string> memories(std::string_view name) {
  const std::size_t open = name.find('('), arrow = name.find(" -> "), close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const auto small = [](std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
    return out;
  };
  if (arrow == std::string_view::npos || arrow < open || arrow > close) return {{}, small(name.substr(open + 1, close - open - 1))};
  return {small(name.substr(open + 1, arrow - open - 1)), small(name.substr(arrow + 4, close - arrow - 4))};
}

}  // namespace seam::collector
