// Buffers: who writes them, what they hold, when they are used again.
#include <algorithm>
#include <optional>

#include "pass/rewrite.h"
#include "rules.h"

namespace seam::codegen::test {
namespace {

bool shared(const Kernel& kernel, const std::string& buffer) { return kernel.find(buffer)->space == Space::Shared; }
bool written(const Buffer& buffer) { return buffer.space == Space::Global && (buffer.access == Access::Out || buffer.access == Access::Update); }
bool input(const Buffer& buffer) { return buffer.space == Space::Global && buffer.access == Access::In; }

/// Which of the packed parts a statement belongs to: the branches on `block` that lead to it.
std::vector<std::pair<const Stmt*, bool>> part_of(const Site& site) {
  std::vector<std::pair<const Stmt*, bool>> out;
  for (std::size_t i = 0; i < site.around.size(); ++i) {
    const auto* branch = std::get_if<If>(&(*site.around[i])->kind);
    if (branch != nullptr && mentions(branch->condition, "block") && !mentions(branch->condition, "thread")) out.emplace_back(site.around[i], site.taken[i]);
  }
  return out;
}

bool loads(const Stmt& s, const std::string& buffer) {
  bool found = false;
  for_each_expr(s, [&](const Expr& e) {
    for_each_node(e, [&](const Expr& node) {
      const auto* load = std::get_if<Load>(&node->kind);
      found = found || (load != nullptr && load->buffer == buffer);
    });
  });
  return found;
}

}  // namespace

Mutants shared_store_dropped(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* store = as<Store>(site);
    if (store != nullptr && shared(kernel, store->buffer) && !may_hold_the_same(kernel, *store)) out.push_back({place_of(site), with_statement(kernel, site.number, {})});
  }
  return out;
}

Mutants shared_reused_early(const Kernel& kernel, const Facts&) {
  Mutants out;
  const std::vector<Site> all = sites(kernel);
  const auto end_of = [](const Buffer& b) { return b.offset + b.elements * bytes(b.dtype); };
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& late = kernel.buffers[i];
    if (late.space != Space::Shared) continue;
    for (const Buffer& early : kernel.buffers) {
      if (early.space != Space::Shared || early.name == late.name || (early.offset < end_of(late) && late.offset < end_of(early))) continue;
      // early is stored, then late, then early is still read: all in one part.
      const Site* first = nullptr;
      const Site* second = nullptr;
      bool read_after = false;
      for (const Site& site : all) {
        const auto* store = as<Store>(site);
        if (store != nullptr && store->buffer == early.name) first = second == nullptr ? &site : nullptr;
        if (store != nullptr && store->buffer == late.name && first != nullptr && second == nullptr && part_of(site) == part_of(*first)) second = &site;
        read_after = read_after || (second != nullptr && first != nullptr && loads(*site.stmt, early.name) && part_of(site) == part_of(*first));
      }
      if (!read_after) continue;
      Kernel mutant = kernel;
      mutant.buffers[i].offset = early.offset;
      mutant.shared_bytes = std::max(mutant.shared_bytes, (end_of(mutant.buffers[i]) + 15) / 16 * 16);
      out.push_back({late.name + " over " + early.name, std::move(mutant)});
    }
  }
  return out;
}

Mutants shared_too_small(const Kernel& kernel, const Facts&) {
  if (kernel.shared_bytes == 0) return {};
  Kernel mutant = kernel;
  mutant.shared_bytes -= 16;
  return {{"shared memory", std::move(mutant)}};
}

Mutants shared_misaligned(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].space != Space::Shared || bytes(kernel.buffers[i].dtype) < 2) continue;
    Kernel mutant = kernel;
    mutant.buffers[i].offset += 1;
    mutant.shared_bytes += 16;
    out.push_back({kernel.buffers[i].name, std::move(mutant)});
  }
  return out;
}

Mutants two_writers(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* store = as<Store>(site);
    if (store == nullptr || kernel.find(store->buffer)->access == Access::Workspace) continue;
    const NodeFacts& index = facts.node(site.number, 0);
    if (!index.reached() || index.low < 0 || index.high < 1 || index.low == index.high) continue;
    const Expr even = Bin{BinOp::Mul, Bin{BinOp::Div, store->index, imm_int(kernel.index_type, 2)}, imm_int(kernel.index_type, 2)};
    out.push_back({place_of(site), with_statement(kernel, site.number, {Store{store->buffer, even, store->value}})});
  }
  return out;
}

Mutants store_dropped(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* store = as<Store>(site);
    const auto* atomic = as<Atomic>(site);
    if ((store != nullptr && written(*kernel.find(store->buffer))) || (atomic != nullptr && written(*kernel.find(atomic->buffer)))) {
      out.push_back({place_of(site), with_statement(kernel, site.number, {})});
    }
  }
  return out;
}

Mutants input_written(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* store = as<Store>(site);
    if (store == nullptr || !written(*kernel.find(store->buffer))) continue;
    const Buffer& target = *kernel.find(store->buffer);
    const auto other = std::ranges::find_if(kernel.buffers, [&](const Buffer& b) { return input(b) && b.dtype == target.dtype; });
    if (other != kernel.buffers.end()) out.push_back({place_of(site), with_statement(kernel, site.number, {Store{other->name, store->index, store->value}})});
  }
  return out;
}

Mutants wrong_input(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    for (const Node& node : nodes(*site.stmt)) {
      const auto* load = as<Load>(node);
      if (load == nullptr || !input(*kernel.find(load->buffer))) continue;
      const Buffer& meant = *kernel.find(load->buffer);
      const auto other = std::ranges::find_if(
          kernel.buffers, [&](const Buffer& b) { return input(b) && b.name != meant.name && b.dtype == meant.dtype && b.elements >= meant.elements; });
      if (other == kernel.buffers.end()) continue;
      out.push_back({place_of(site), with_node(kernel, site.number, node.number, Load{other->name, load->dtype, load->index})});
    }
  }
  return out;
}

Mutants used_before_defined(const Kernel& kernel, const Facts&) {
  Mutants out;
  const std::vector<Site> all = sites(kernel);
  for (const Site& site : all) {
    const auto* let = as<Let>(site);
    if (let == nullptr || site.index + 1 >= site.body->size()) continue;
    const Stmt& next = (*site.body)[site.index + 1];
    bool uses = false;
    for_each_expr(next, [&](const Expr& e) { uses = uses || mentions(e, let->name); });
    if (!uses || std::holds_alternative<For>(next->kind) || std::holds_alternative<If>(next->kind)) continue;
    const auto after = std::ranges::find_if(all, [&](const Site& s) { return s.body == site.body && s.index == site.index + 1; });
    out.push_back({place_of(site), with_statement(with_statement(kernel, after->number, {*site.stmt}), site.number, {next})});
  }
  return out;
}

}  // namespace seam::codegen::test
