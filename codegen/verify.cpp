// Tier 1 of a proof: is this IR a kernel at all?
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analysis/ranges.h"
#include "analysis/uniform.h"
#include "codegen/kernel.h"

namespace seam::codegen {
namespace {

struct Broken {
  std::string what;
};

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), uniform_(kernel) {}

  Result<Soundness> run() {
    try {
      shape();
      names_.emplace("block", kernel_.index_type);
      names_.emplace("thread", kernel_.index_type);
      ranges_.define(definitions_);
      ranges_.set("block", {0, kernel_.grid - 1});
      ranges_.set("thread", {0, kernel_.threads - 1});
      block(kernel_.body);
    } catch (const Broken& broken) {  // ends here: a verifier of many rules reads better with one way out
      std::string where;
      for (const std::string& s : trail_) where += " in " + s;
      return fail(Error::Code::BadInput, fmt::format("kernel {}: {}{}", kernel_.name, broken.what, where));
    }
    return std::move(soundness_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw Broken{fmt::format(format, std::forward<Args>(args)...)};
  }

  void shape() {
    if (kernel_.threads < 32 || kernel_.threads > 1024 || kernel_.threads % 32 != 0) refuse("{} threads a block", kernel_.threads);
    if (kernel_.grid < 1 || kernel_.grid > INT32_MAX) refuse("a grid of {} blocks", kernel_.grid);
    if (kernel_.index_type != DType::S32 && kernel_.index_type != DType::S64) refuse("indices must be s32 or s64");
    std::set<std::string> seen;
    bool shared = false;
    for (const Buffer& b : kernel_.buffers) {
      if (!seen.insert(b.name).second) refuse("two buffers named {}", b.name);
      if (b.elements < 1) refuse("buffer {} has {} elements", b.name, b.elements);
      if (b.space == Space::Global && shared) refuse("parameter {} stands after shared buffers", b.name);
      shared = shared || b.space == Space::Shared;
      if (b.space != Space::Shared) continue;
      const int width = bytes(b.dtype);
      if (width == 0 || b.offset < 0 || b.offset % width != 0) refuse("shared buffer {} is misaligned at byte {}", b.name, b.offset);
      if (b.offset + b.elements * width > kernel_.shared_bytes) {
        refuse("shared buffer {} ends at byte {} of {}", b.name, b.offset + b.elements * width, kernel_.shared_bytes);
      }
    }
  }

  const Buffer& buffer(const std::string& name) const {
    const Buffer* found = kernel_.find(name);
    if (found == nullptr) refuse("no buffer named {}", name);
    return *found;
  }

  void define(const std::string& name, DType dtype) {
    if (kernel_.find(name) != nullptr) refuse("{} is a buffer's name already", name);
    if (!names_.emplace(name, dtype).second) refuse("{} is defined twice", name);
    scope_.push_back(name);
  }

  void expression(const Expr& e) {
    match(
        e, [&](const Imm& n) { imm(n); },
        [&](const Var& n) {
          const auto found = names_.find(n.name);
          if (found == names_.end()) refuse("{} is used before it is defined", n.name);
          if (found->second != n.dtype) refuse("{} is {}, used as {}", n.name, seam::name(found->second), seam::name(n.dtype));
        },
        [&](const Bin& n) { index_arithmetic(n); },
        [&](const Load& n) {
          const Buffer& b = buffer(n.buffer);
          if (b.dtype != n.dtype) refuse("{} holds {}, loaded as {}", b.name, seam::name(b.dtype), seam::name(n.dtype));
          if (b.space == Space::Global && b.access == Access::Out) refuse("output {} is read", b.name);
          access(b, n.index, 1, "load");
        },
        [&](const Scalar& n) {
          for (const Expr& arg : n.args) expression(arg);
          scalar(n);
        });
  }

  void imm(const Imm& n) {
    if (n.dtype == DType::Pred && n.bits > 1) refuse("a pred constant of {}", n.bits);
  }

  void index_arithmetic(const Bin& n) {
    expression(n.a);
    if (n.op == BinOp::And || n.op == BinOp::Or) {
      // The right side is only looked at where the left one does not decide.
      const Ranges before = ranges_;
      ranges_.assume(n.a, n.op == BinOp::And);
      expression(n.b);
      ranges_ = before;
    } else {
      expression(n.b);
    }
    const DType a = dtype_of(n.a);
    const DType b = dtype_of(n.b);
    if (n.op == BinOp::And || n.op == BinOp::Or) {
      if (a != DType::Pred || b != DType::Pred) refuse("{} of {} and {}", name(n.op), seam::name(a), seam::name(b));
      return;
    }
    if (a != kernel_.index_type || b != kernel_.index_type) refuse("index arithmetic ({}) on {} and {}", name(n.op), seam::name(a), seam::name(b));
    if (n.op != BinOp::Div && n.op != BinOp::Mod) return;
    std::int64_t divisor = 0;
    if (!is_int(n.b, divisor) || divisor <= 0) refuse("index {} by something that is no positive constant", name(n.op));
    if (ranges_.of(n.a).lo < 0) refuse("index {} of {}, which can be negative", name(n.op), print(n.a));
  }

  void scalar(const Scalar& n) {
    using graph::Opcode;
    const auto type = [&](std::size_t i) { return dtype_of(n.args.at(i)); };
    const int wanted = graph::arity(n.op);
    if (wanted >= 0 && static_cast<std::size_t>(wanted) != n.args.size()) refuse("{} of {} operands", graph::name(n.op), n.args.size());
    if (graph::op_class(n.op) != graph::OpClass::Elementwise) refuse("{} is no scalar op", graph::name(n.op));
    switch (n.op) {
      case Opcode::Convert:
      case Opcode::BitcastConvert: return;
      case Opcode::IsFinite:
        if (n.dtype != DType::Pred) refuse("is-finite yields pred");
        return;
      case Opcode::Compare:
        if (n.dtype != DType::Pred || type(0) != type(1)) refuse("compare of {} and {}", seam::name(type(0)), seam::name(type(1)));
        return;
      case Opcode::Select:
        if (type(0) != DType::Pred || type(1) != n.dtype || type(2) != n.dtype) refuse("select with operands of unequal types");
        return;
      default:
        for (std::size_t i = 0; i < n.args.size(); ++i) {
          if (type(i) != n.dtype) refuse("{} of {} as {}", graph::name(n.op), seam::name(type(i)), seam::name(n.dtype));
        }
    }
  }

  void access(const Buffer& b, const Expr& index, std::int64_t width, std::string_view what) {
    expression(index);
    if (dtype_of(index) != kernel_.index_type) refuse("{} {} at an index of type {}", what, b.name, seam::name(dtype_of(index)));
    const Interval range = ranges_.of(index);
    if (range.lo > range.hi) return;  // the guards exclude each other: never runs
    if (range.hi < 0 || range.lo > b.elements - width) refuse("{} of {}[{}] is out of bounds: {}", what, b.name, b.elements, print(index));
    ++soundness_.accesses;
    if (range.within(0, b.elements - width)) {
      ++soundness_.proven;
    } else {
      soundness_.unproven.push_back(fmt::format("{} {}[{}] at {}", what, b.name, b.elements, print(index)));
    }
  }

  void writable(const Buffer& b) const {
    if (b.space == Space::Global && b.access == Access::In) refuse("input {} is written", b.name);
  }

  void whole(Uniform wanted, std::string_view what) const {
    if (flow_ > wanted) refuse("{} where threads of a {} may go different ways", what, name(wanted));
  }

  void block(const Body& body) {
    const std::size_t mark = scope_.size();
    const Ranges ranges = ranges_;
    for (const Stmt& s : body) stmt(s);
    for (std::size_t i = mark; i < scope_.size(); ++i) names_.erase(scope_[i]);
    scope_.resize(mark);
    ranges_ = ranges;
  }

  void nested(const Body& body, Uniform flow, const std::string& what) {
    const Uniform before = flow_;
    flow_ = std::max(flow_, flow);
    trail_.insert(trail_.begin(), what);
    block(body);
    trail_.erase(trail_.begin());
    flow_ = before;
  }

  /// Index arithmetic on names that never change: what is known of them later holds for the value too.
  [[nodiscard]] bool lasting(const Expr& e) const {
    return match(
        e, [](const Imm&) { return true; }, [&](const Var& n) { return !variables_.contains(n.name); }, [&](const Bin& n) { return lasting(n.a) && lasting(n.b); },
        [](const Load&) { return false; }, [](const Scalar&) { return false; });
  }

  void note_range(const std::string& name, const Expr& value) {
    if (!is_float(dtype_of(value))) ranges_.set(name, ranges_.of(value));
  }

  void stmt(const Stmt& s) {
    match(
        s,
        [&](const Let& n) {
          expression(n.value);
          define(n.name, dtype_of(n.value));
          note_range(n.name, n.value);
          if (!is_float(dtype_of(n.value)) && lasting(n.value)) definitions_.insert_or_assign(n.name, n.value);
          uniform_.set(n.name, uniform_.of(n.value));
        },
        [&](const Declare& n) {
          expression(n.init);
          define(n.name, dtype_of(n.init));
          variables_.insert(n.name);
          uniform_.set(n.name, Uniform::Thread);
        },
        [&](const Assign& n) {
          expression(n.value);
          const auto found = names_.find(n.name);
          if (found == names_.end()) refuse("{} is set before it is declared", n.name);
          if (!variables_.contains(n.name)) refuse("{} is set, but it is no variable", n.name);
          if (found->second != dtype_of(n.value)) refuse("{} is {}, set to {}", n.name, seam::name(found->second), seam::name(dtype_of(n.value)));
        },
        [&](const For& n) { loop(n); },
        [&](const If& n) {
          expression(n.condition);
          if (dtype_of(n.condition) != DType::Pred) refuse("a condition of type {}", seam::name(dtype_of(n.condition)));
          const Uniform flow = uniform_.of(n.condition);
          // What never runs is held to nothing: its indices may be out of every bound.
          const Interval holds = ranges_.of(n.condition);
          const Ranges before = ranges_;
          if (!(holds == Interval{0, 0})) {
            ranges_.assume(n.condition, true);
            nested(n.then, flow, fmt::format("if {}", print(n.condition)));
            ranges_ = before;
          }
          if (!(holds == Interval{1, 1})) {
            ranges_.assume(n.condition, false);
            nested(n.otherwise, flow, fmt::format("else of {}", print(n.condition)));
            ranges_ = before;
          }
        },
        [&](const Store& n) {
          const Buffer& b = buffer(n.buffer);
          writable(b);
          access(b, n.index, 1, "store");
          expression(n.value);
          if (dtype_of(n.value) != b.dtype) refuse("{} holds {}, {} is stored", b.name, seam::name(b.dtype), seam::name(dtype_of(n.value)));
        },
        [&](const Atomic& n) {
          const Buffer& b = buffer(n.buffer);
          if (b.space == Space::Global && b.access != Access::Update) refuse("an atomic on {}, which is not updated in place", b.name);
          access(b, n.index, 1, "atomic");
          expression(n.value);
          if (dtype_of(n.value) != b.dtype) refuse("{} holds {}, {} is added", b.name, seam::name(b.dtype), seam::name(dtype_of(n.value)));
        },
        [&](const Barrier&) { whole(Uniform::Block, "a barrier"); },
        [&](const Shuffle& n) {
          whole(Uniform::Warp, "a shuffle");
          if (n.mask < 1 || n.mask > 31) refuse("a shuffle with mask {}", n.mask);
          expression(n.value);
          define(n.name, dtype_of(n.value));
          uniform_.set(n.name, Uniform::Thread);
        },
        [&](const LastBlock& n) {
          whole(Uniform::Block, "a wait for other blocks");
          const Buffer& b = buffer(n.counters);
          if (b.access != Access::Workspace || b.dtype != DType::U32) refuse("{} is no counter", b.name);
          const Buffer& flag = buffer(n.flag);
          if (flag.space != Space::Shared || flag.dtype != DType::U32) refuse("{} is no shared flag", n.flag);
          access(b, n.index, 1, "count");
          if (uniform_.of(n.index) != Uniform::Block) refuse("threads of a block count in different places");
          define(n.name, DType::Pred);
          uniform_.set(n.name, Uniform::Block);
        },
        [](const Note&) {});
  }

  void loop(const For& n) {
    expression(n.begin);
    expression(n.end);
    if (dtype_of(n.begin) != kernel_.index_type || dtype_of(n.end) != kernel_.index_type) refuse("loop {} does not count in indices", n.var);
    if (n.step < 1) refuse("loop {} steps by {}", n.var, n.step);
    const Ranges before = ranges_;
    const Interval begin = ranges_.of(n.begin);
    const Interval end = ranges_.of(n.end);
    define(n.var, kernel_.index_type);
    ranges_.set(n.var, {begin.lo, end.hi - 1});
    const Uniform flow = std::max(uniform_.of(n.begin), uniform_.of(n.end));
    uniform_.set(n.var, flow);
    nested(n.body, flow, fmt::format("loop {}", n.var));
    names_.erase(n.var);
    std::erase(scope_, n.var);
    ranges_ = before;
  }

  const Kernel& kernel_;
  Uniformity uniform_;
  Ranges ranges_;
  std::unordered_map<std::string, Expr> definitions_;
  std::unordered_map<std::string, DType> names_;
  std::vector<std::string> scope_;
  std::unordered_set<std::string> variables_;
  std::vector<std::string> trail_;
  Uniform flow_ = Uniform::Block;
  Soundness soundness_;
};

}  // namespace

const Buffer* Kernel::find(std::string_view buffer) const {
  const auto found = std::ranges::find_if(buffers, [&](const Buffer& b) { return b.name == buffer; });
  return found == buffers.end() ? nullptr : &*found;
}

Result<Soundness> verify(const Kernel& kernel) { return Verifier(kernel).run(); }

}  // namespace seam::codegen
