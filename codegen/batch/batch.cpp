#include "batch/batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "base/check.h"

namespace seam::codegen {
namespace {

std::string entry_name(std::size_t i) {
  std::string name = fmt::format("entry_{:04}", i);
  SEAM_CHECK(name.size() == kCanonicalEntry.size(), "a batch of more than 10,000 kernels");
  return name;
}

}  // namespace

Batch::Batch(const std::vector<const Canonical*>& kernels) {
  std::unordered_set<std::string_view> added;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    for (const Piece& helper : kernels[i]->helpers) {
      if (added.insert(helper.text).second) add(helper, true, {});
    }
    add(kernels[i]->kernel, false, entry_name(i));
  }
}

void Batch::add(const Piece& piece, bool helper, std::string_view entry) {
  sections_.push_back({lines_, &piece, helper});
  lines_ += piece.lines;
  std::string_view rest = piece.text;
  for (std::size_t at = rest.find(kCanonicalEntry); !entry.empty() && at != std::string_view::npos; at = rest.find(kCanonicalEntry)) {
    text_ += rest.substr(0, at);
    text_ += entry;
    rest.remove_prefix(at + entry.size());
  }
  text_ += rest;
}

bool Batch::take(std::string_view ptx) {
  std::optional<PtxEntries> cut = ptx_entries(ptx);
  if (!cut) return false;
  header_ = std::move(cut->header);
  entries_ = std::move(cut->entries);
  const auto kernels = static_cast<std::size_t>(std::ranges::count(sections_, false, &Section::helper));
  if (entries_.size() != kernels) return false;
  std::ranges::sort(entries_, {}, &PtxEntry::name);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name != entry_name(i)) return false;
  }
  return true;
}

Place Batch::place_in(const Canonical& kernel, Place at) const {
  const auto section = std::prev(std::ranges::lower_bound(sections_, at.line, {}, &Section::before));
  const Piece* own = &kernel.kernel;
  if (section->helper) {
    const auto found = std::ranges::find(kernel.helpers, section->piece->text, &Piece::text);
    SEAM_CHECK(found != kernel.helpers.end(), "a kernel's line info names a function that it does not have");
    own = &*found;
  }
  return own_place(*own, {at.line - section->before, at.column});
}

std::string Batch::ptx(std::size_t i, const Canonical& kernel, std::string_view name, std::string_view file) const {
  return ptx_module(header_, entries_[i], name, file, [&](Place at) { return place_in(kernel, at); });
}

}  // namespace seam::codegen
