#include "validate/choose.h"

#include <algorithm>
#include <cstring>

namespace seam::codegen {
namespace {

constexpr std::int64_t kMostCompared = 250'000;
constexpr std::int64_t kRun = 1024;

Indices picked_from(const Indices* list, Indices positions) {
  if (list != nullptr) {
    for (std::int64_t& at : positions) at = (*list)[static_cast<std::size_t>(at)];
  }
  return positions;
}

Indices some_of(const Indices& list, std::int64_t most) { return picked_from(&list, thinned(std::ssize(list), most)); }

Indices changed(const Array& before, const Array& after) {
  const auto width = static_cast<std::size_t>(bytes(after.dtype));
  Indices out;
  for (std::size_t at = 0; at < after.data.size(); at += width) {
    if (std::memcmp(&before.data[at], &after.data[at], width) != 0) out.push_back(static_cast<std::int64_t>(at / width));
  }
  return out;
}

}  // namespace

Indices thinned(std::int64_t count, std::int64_t most) {
  Indices out;
  if (count <= most) {
    for (std::int64_t at = 0; at < count; ++at) out.push_back(at);
    return out;
  }
  const std::int64_t run = std::clamp<std::int64_t>(most / 16, 1, kRun);
  const std::int64_t runs = std::max<std::int64_t>(1, most / run);
  for (std::int64_t r = 0; r < runs; ++r) {
    const std::int64_t from = runs == 1 ? 0 : r * (count - run) / (runs - 1);
    for (std::int64_t at = from; at < from + run; ++at) {
      if (out.empty() || at > out.back()) out.push_back(at);
    }
  }
  return out;
}

Result<Indices> elements_to_compare(const Demand& demand, const graph::Computation& computation, const Choice& choice) {
  const graph::Op& op = computation.ops[choice.output];
  const std::int64_t count = choice.owned != nullptr ? std::ssize(*choice.owned) : op.shape.elements_count();
  // What an element costs is found on a run from the middle: its neighbours share rows.
  Indices probe;
  for (std::int64_t at = std::max<std::int64_t>(0, count / 2 - kRun / 2); at < std::min(count, count / 2 + kRun / 2); ++at) probe.push_back(at);
  if (probe.empty()) return probe;
  const std::int64_t size = std::ssize(probe);
  SEAM_TRY(const std::int64_t work, demand.work(choice.output, picked_from(choice.owned, std::move(probe))));
  const std::int64_t most = std::clamp<std::int64_t>(choice.budget / std::max<std::int64_t>(1, work / size), 1, kMostCompared);
  Indices at = picked_from(choice.owned, thinned(count, most));
  if (choice.before != nullptr && std::ssize(at) < count) {
    SEAM_TRY(const Indices meant, demand.targets(choice.output, graph::Rounding::Rounded));
    for (const Indices& more : {some_of(changed(*choice.before, *choice.after), most), some_of(meant, most)}) at.insert(at.end(), more.begin(), more.end());
    std::ranges::sort(at);
    at.erase(std::ranges::unique(at).begin(), at.end());
  }
  return at;
}

}  // namespace seam::codegen
