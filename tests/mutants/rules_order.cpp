// Barriers, shuffles, atomics, waits: what orders threads and blocks.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pass/rewrite.h"
#include "rules.h"

namespace seam::codegen::test {
namespace {

/// A load from or a store to shared memory.
struct Touch {
  const Buffer* buffer;
  std::size_t statement, node;  ///< as Facts counts them
  bool store;
};

bool orders(const Stmt& s) {
  bool found = false;
  for_each_stmt({s}, [&](const Stmt& inner) {
    found = found || std::holds_alternative<Barrier>(inner->kind) || std::holds_alternative<LastBlock>(inner->kind);
  });
  return found;
}

/// What stands beside a barrier that nothing else orders: order within one block of statements, from `index` on in steps of -1 or +1.
class Beside {
 public:
  Beside(const Kernel& kernel, const Facts& facts) : kernel_(kernel), facts_(facts), all_(sites(kernel)) {}

  [[nodiscard]] const std::vector<Site>& all() const { return all_; }
  [[nodiscard]] std::vector<Touch> touches(const Body& body, std::size_t index, int step) const {
    std::vector<Touch> out;
    for (std::size_t i = index + static_cast<std::size_t>(step); i < body.size() && !orders(body[i]); i += static_cast<std::size_t>(step)) add(body, i, out);
    return out;
  }
  [[nodiscard]] std::vector<Touch> touches(const Body& body, std::size_t index) const {
    std::vector<Touch> out;
    add(body, index, out);
    return out;
  }

  /// One thread writes what another reads: the same bytes, and what is read goes somewhere.
  [[nodiscard]] bool conflict(const std::vector<Touch>& before, const std::vector<Touch>& after, bool written_before_only) const {
    for (const Touch& a : before) {
      for (const Touch& b : after) {
        const bool clash = written_before_only ? a.store && !b.store : a.store != b.store;
        if (clash && meet(a, b)) return true;
      }
    }
    return false;
  }

 private:
  void add(const Body& body, std::size_t index, std::vector<Touch>& out) const {
    const Stmt* outer = &body[index];
    for (const Site& site : all_) {
      const bool inside = site.stmt == outer || std::ranges::find(site.around, outer) != site.around.end();
      if (!inside) continue;
      const auto shared = [&](const std::string& name) { return kernel_.find(name)->space == Space::Shared; };
      if (const auto* store = as<Store>(site); store != nullptr && shared(store->buffer)) out.push_back({kernel_.find(store->buffer), site.number, 0, true});
      for (const Node& node : nodes(*site.stmt)) {
        const auto* load = as<Load>(node);
        if (load != nullptr && shared(load->buffer)) out.push_back({kernel_.find(load->buffer), site.number, node.number, false});
      }
    }
  }

  /// Threads that do something with what the statement computes; of a name, those that come to where it is used.
  [[nodiscard]] std::set<Thread> users(std::size_t statement) const {
    std::set<Thread> out;
    std::vector<std::string> names;
    const auto reach = [&](std::size_t at) {
      if (const auto* let = as<Let>(all_[at])) {
        names.push_back(let->name);
      } else {
        out.insert(facts_.threads(at).begin(), facts_.threads(at).end());
      }
    };
    reach(statement);
    for (std::size_t n = 0; n < names.size(); ++n) {
      for (const Site& site : all_) {
        bool uses = false;
        for_each_expr(*site.stmt, [&](const Expr& e) { uses = uses || mentions(e, names[n]); });
        const auto* let = as<Let>(site);
        if (uses && (let == nullptr || std::ranges::find(names, let->name) == names.end())) reach(site.number);
      }
    }
    return out;
  }

  [[nodiscard]] bool meet(const Touch& a, const Touch& b) const {
    const auto overlap = [](std::int64_t from, std::int64_t end, std::int64_t from2, std::int64_t end2) { return from < end2 && from2 < end; };
    const auto first = [](const Buffer& buffer, std::int64_t element) { return buffer.offset + element * bytes(buffer.dtype); };
    if (!overlap(first(*a.buffer, 0), first(*a.buffer, a.buffer->elements), first(*b.buffer, 0), first(*b.buffer, b.buffer->elements))) return false;
    const Touch& load = a.store ? b : a;
    const Touch& store = a.store ? a : b;
    const std::set<Thread> readers = users(load.statement);
    for (const Accessed& read : facts_.accesses(load.statement, load.node)) {
      if (!readers.contains(read.by)) continue;
      for (const Accessed& write : facts_.accesses(store.statement, store.node)) {
        if (read.by.block != write.by.block || read.by.thread == write.by.thread) continue;
        const std::int64_t r = first(*load.buffer, read.element);
        const std::int64_t w = first(*store.buffer, write.element);
        if (overlap(r, r + bytes(load.buffer->dtype), w, w + bytes(store.buffer->dtype))) return true;
      }
    }
    return false;
  }

  const Kernel& kernel_;
  const Facts& facts_;
  std::vector<Site> all_;
};

}  // namespace

Mutants barrier_dropped(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  const Beside beside(kernel, facts);
  for (const Site& site : beside.all()) {
    if (as<Barrier>(site) == nullptr) continue;
    if (!beside.conflict(beside.touches(*site.body, site.index, -1), beside.touches(*site.body, site.index, 1), false)) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {})});
  }
  return out;
}

Mutants barrier_early(const Kernel& kernel, const Facts& facts) {
  Mutants out;
  const Beside beside(kernel, facts);
  for (const Site& site : beside.all()) {
    if (as<Barrier>(site) == nullptr || site.index == 0) continue;
    const Stmt& before = (*site.body)[site.index - 1];
    if (orders(before) || !beside.conflict(beside.touches(*site.body, site.index - 1), beside.touches(*site.body, site.index, 1), true)) continue;
    // The two exchanged: the barrier first, what it should have waited for after it.
    const auto moved = std::ranges::find_if(beside.all(), [&](const Site& s) { return s.body == site.body && s.index == site.index - 1; });
    out.push_back({place_of(site), with_statement(with_statement(kernel, site.number, {before}), moved->number, {*site.stmt})});
  }
  return out;
}

Mutants barrier_in_branch(const Kernel& kernel, const Facts&) {
  Mutants out;
  const Expr half = Bin{BinOp::Lt, Var{"thread", kernel.index_type}, imm_int(kernel.index_type, kernel.threads / 2)};
  for (const Site& site : sites(kernel)) {
    if (as<Barrier>(site) != nullptr) out.push_back({place_of(site), with_statement(kernel, site.number, {If{half, {*site.stmt}, {}}})});
  }
  return out;
}

Mutants shuffle_in_branch(const Kernel& kernel, const Facts&) {
  Mutants out;
  const Expr lane = Bin{BinOp::Mod, Var{"thread", kernel.index_type}, imm_int(kernel.index_type, 32)};
  const Expr half = Bin{BinOp::Lt, lane, imm_int(kernel.index_type, 16)};
  for (const Site& site : sites(kernel)) {
    if (as<Shuffle>(site) != nullptr) out.push_back({place_of(site), with_statement(kernel, site.number, {If{half, {*site.stmt}, {}}})});
  }
  return out;
}

Mutants atomic_to_store(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    if (const auto* atomic = as<Atomic>(site)) {
      out.push_back({place_of(site), with_statement(kernel, site.number, {Store{atomic->buffer, atomic->index, atomic->value}})});
    }
  }
  return out;
}

Mutants atomic_to_sum(const Kernel& kernel, const Facts&) {
  Mutants out;
  const Facts same(kernel, 0);  // all indices in memory are 0: who meets then
  for (const Site& site : sites(kernel)) {
    const auto* atomic = as<Atomic>(site);
    if (atomic == nullptr || atomic->op != AtomicOp::Add) continue;
    std::map<std::int64_t, std::set<Thread>> writers;
    for (const Accessed& write : same.accesses(site.number, 0)) writers[write.element].insert(write.by);
    if (std::ranges::none_of(writers, [](const auto& element) { return element.second.size() > 1; })) continue;
    const DType dtype = kernel.find(atomic->buffer)->dtype;
    const Expr sum = Scalar{graph::Opcode::Add, dtype, {Load{atomic->buffer, dtype, atomic->index}, atomic->value}};
    out.push_back({place_of(site), with_statement(kernel, site.number, {Store{atomic->buffer, atomic->index, sum}})});
  }
  return out;
}

namespace {

Mutants last_block_counts(const Kernel& kernel, std::int64_t more) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* last = as<LastBlock>(site);
    if (last == nullptr || last->blocks + more < 1) continue;
    out.push_back({place_of(site), with_statement(kernel, site.number, {LastBlock{last->name, last->counters, last->index, last->blocks + more, last->flag}})});
  }
  return out;
}

}  // namespace

Mutants last_block_early(const Kernel& kernel, const Facts&) { return last_block_counts(kernel, -1); }
Mutants last_block_late(const Kernel& kernel, const Facts&) { return last_block_counts(kernel, 1); }

Mutants last_block_unasked(const Kernel& kernel, const Facts&) {
  Mutants out;
  for (const Site& site : sites(kernel)) {
    const auto* last = as<LastBlock>(site);
    if (last != nullptr && last->blocks > 1) out.push_back({place_of(site), with_statement(kernel, site.number, {Barrier{}, Let{last->name, imm_pred(true)}})});
  }
  return out;
}

}  // namespace seam::codegen::test
