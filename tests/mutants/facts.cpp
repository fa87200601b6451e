#include "facts.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace seam::codegen::test {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
using Lanes = std::vector<std::int64_t>;  ///< a value per thread of the block
using Mask = std::vector<char>;           ///< which threads are here

bool any(const Mask& mask) { return std::ranges::find(mask, 1) != mask.end(); }

std::int64_t computed(BinOp op, std::int64_t a, std::int64_t b) {
  if (op == BinOp::And && (a == 0 || b == 0)) return 0;
  if (op == BinOp::Or && ((a != 0 && a != kUnknown) || (b != 0 && b != kUnknown))) return 1;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  switch (op) {
    case BinOp::Add: return a + b;
    case BinOp::Sub: return a - b;
    case BinOp::Mul: return a * b;
    case BinOp::Div: return b == 0 ? kUnknown : a / b;
    case BinOp::Mod: return b == 0 ? kUnknown : a % b;
    case BinOp::Min: return std::min(a, b);
    case BinOp::Max: return std::max(a, b);
    case BinOp::Lt: return a < b ? 1 : 0;
    case BinOp::Le: return a <= b ? 1 : 0;
    case BinOp::Eq: return a == b ? 1 : 0;
    case BinOp::Ne: return a != b ? 1 : 0;
    case BinOp::And: return 1;
    case BinOp::Or: return 0;
  }
  return kUnknown;
}

}  // namespace

/// One block, its threads side by side.
class Walk {
 public:
  Walk(const Kernel& kernel, Facts& facts, std::int64_t block, std::int64_t data)
      : kernel_(kernel), facts_(facts), block_(block), data_(data), threads_(static_cast<std::size_t>(kernel.threads)) {
    Lanes thread(threads_);
    for (std::size_t i = 0; i < threads_; ++i) thread[i] = static_cast<std::int64_t>(i);
    names_["thread"] = std::move(thread);
    names_["block"] = Lanes(threads_, block);
  }

  void run() {
    std::size_t number = 0;
    block(kernel_.body, Mask(threads_, 1), number);
  }

 private:
  /// Skips the numbers of statements that nobody comes to, too.
  void block(const Body& body, const Mask& mask, std::size_t& number) {
    for (const Stmt& s : body) stmt(s, mask, number);
  }

  /// Nodes are numbered as places.h does: parents first.
  Lanes expression(const Expr& e, const Mask& mask) {
    const std::size_t number = node_++;
    Lanes out = match(
        e,
        [&](const Imm& n) { return Lanes(threads_, is_float(n.dtype) ? kUnknown : static_cast<std::int64_t>(n.bits)); },
        [&](const Var& n) {
          const auto found = names_.find(n.name);
          return found == names_.end() ? Lanes(threads_, kUnknown) : found->second;
        },
        [&](const Bin& n) {
          Lanes a = expression(n.a, mask);
          Mask inner = mask;
          for (std::size_t i = 0; i < threads_; ++i) {
            if (n.op == BinOp::And && a[i] == 0) inner[i] = 0;
            if (n.op == BinOp::Or && a[i] != 0 && a[i] != kUnknown) inner[i] = 0;
          }
          const Lanes b = expression(n.b, inner);
          NodeFacts& facts = facts_.nodes_[{statement_, number}];
          for (std::size_t i = 0; i < threads_; ++i) {
            if (inner[i] != 0 && a[i] != kUnknown && b[i] != kUnknown) {
              facts.equal = facts.equal || a[i] == b[i];
              facts.unequal = facts.unequal || a[i] != b[i];
              facts.just_below = facts.just_below || a[i] == b[i] - 1;
              facts.above = facts.above || a[i] > b[i];
              facts.below = facts.below || a[i] < b[i];
            }
            a[i] = inner[i] == 0 && (n.op == BinOp::And || n.op == BinOp::Or) ? a[i] : computed(n.op, a[i], b[i]);
          }
          return a;
        },
        [&](const Load& n) {
          accessed(number, expression(n.index, mask), mask);
          return Lanes(threads_, data_);
        },
        [&](const Scalar&) {
          for_each_child(e, [&](const Expr& child) { expression(child, mask); });
          return Lanes(threads_, data_);
        });
    NodeFacts& facts = facts_.nodes_[{statement_, number}];
    for (std::size_t i = 0; i < threads_; ++i) {
      if (mask[i] == 0 || out[i] == kUnknown) continue;
      facts.low = std::min(facts.low, out[i]);
      facts.high = std::max(facts.high, out[i]);
    }
    return out;
  }

  /// Only of the first blocks: what the others do is the same, elsewhere.
  [[nodiscard]] bool noted(const std::set<Thread>& seen) const { return seen.size() < 2 * threads_ || seen.rbegin()->block == block_; }

  void accessed(std::size_t node, const Lanes& elements, const Mask& mask) {
    if (!noted(facts_.threads_[statement_])) return;
    std::vector<Accessed>& out = facts_.accesses_[{statement_, node}];
    for (std::size_t i = 0; i < threads_; ++i) {
      if (mask[i] != 0 && elements[i] != kUnknown) out.push_back({{block_, static_cast<std::int64_t>(i)}, elements[i]});
    }
  }

  void define(const std::string& name, const Expr& value, const Mask& mask) {
    Lanes lanes = expression(value, mask);
    if (!is_float(dtype_of(value))) names_[name] = std::move(lanes);
  }

  void stmt(const Stmt& s, const Mask& mask, std::size_t& number) {
    statement_ = number++;
    node_ = 0;
    std::set<Thread>& seen = facts_.threads_[statement_];
    if (noted(seen)) {
      for (std::size_t i = 0; i < threads_; ++i) {
        if (mask[i] != 0) seen.insert({block_, static_cast<std::int64_t>(i)});
      }
    }
    match(
        s, [&](const Let& n) { define(n.name, n.value, mask); },
        [&](const Declare& n) {
          expression(n.init, mask);
          names_[n.name] = Lanes(threads_, kUnknown);  // whatever it is set to, on whatever path
        },
        [&](const For& n) { loop(n, mask, number); },
        [&](const If& n) {
          const Lanes condition = expression(n.condition, mask);
          Mask then = mask;
          Mask otherwise = mask;
          for (std::size_t i = 0; i < threads_; ++i) {
            if (condition[i] == kUnknown) continue;
            (condition[i] != 0 ? otherwise[i] : then[i]) = 0;
          }
          block(n.then, then, number);
          block(n.otherwise, otherwise, number);
        },
        [&](const Store& n) {
          accessed(0, expression(n.index, mask), mask);
          expression(n.value, mask);
        },
        [&](const Atomic& n) {
          accessed(0, expression(n.index, mask), mask);
          expression(n.value, mask);
        },
        [&](const auto&) { for_each_expr(s, [&](const Expr& e) { expression(e, mask); }); });
  }

  void loop(const For& n, const Mask& mask, std::size_t& number) {
    const std::size_t own = statement_;
    Lanes var = expression(n.begin, mask);
    const Lanes end = expression(n.end, mask);
    const std::size_t first = number;
    LoopFacts& facts = facts_.loops_[own];
    for (std::int64_t trip = 0;; ++trip) {
      Mask inside = mask;
      for (std::size_t i = 0; i < threads_; ++i) {
        const bool unknown = var[i] == kUnknown || end[i] == kUnknown;
        inside[i] = mask[i] != 0 && (unknown ? trip == 0 : var[i] < end[i]) ? 1 : 0;
        if (inside[i] != 0 && !unknown) {
          facts.most_trips = std::max(facts.most_trips, trip + 1);
          facts.last_reached = facts.last_reached || var[i] == end[i] - 1;
        }
      }
      if (trip > 0 && !any(inside)) return;
      names_[n.var] = var;
      number = first;
      block(n.body, inside, number);
      for (std::int64_t& v : var) v = v == kUnknown ? v : v + n.step;
    }
  }

  const Kernel& kernel_;
  Facts& facts_;
  std::int64_t block_, data_;
  std::size_t threads_;
  std::unordered_map<std::string, Lanes> names_;
  std::size_t statement_ = 0, node_ = 0;
};

Facts::Facts(const Kernel& kernel, std::optional<std::int64_t> data) {
  for (std::int64_t block = 0; block < kernel.grid; ++block) Walk(kernel, *this, block, data.value_or(kUnknown)).run();
}

const std::set<Thread>& Facts::threads(std::size_t statement) const {
  static const std::set<Thread> kNone;
  const auto found = threads_.find(statement);
  return found == threads_.end() ? kNone : found->second;
}

const std::vector<Accessed>& Facts::accesses(std::size_t statement, std::size_t node) const {
  static const std::vector<Accessed> kNone;
  const auto found = accesses_.find({statement, node});
  return found == accesses_.end() ? kNone : found->second;
}

const NodeFacts& Facts::node(std::size_t statement, std::size_t node) const {
  static const NodeFacts kNone;
  const auto found = nodes_.find({statement, node});
  return found == nodes_.end() ? kNone : found->second;
}

const LoopFacts& Facts::loop(std::size_t statement) const {
  static const LoopFacts kNone;
  const auto found = loops_.find(statement);
  return found == loops_.end() ? kNone : found->second;
}

}  // namespace seam::codegen::test
