#include "codegen/passes.h"
#include "pass/rewrite.h"

namespace seam::codegen {
namespace {

class Unroller {
 public:
  explicit Unroller(const Kernel& kernel) : math_(kernel.index_type, ranges_) {
    ranges_.set("block", {0, kernel.grid - 1});
    ranges_.set("thread", {0, kernel.threads - 1});
  }

  Body block(const Body& body) {
    Body out;
    for (const Stmt& s : body) {
      if (const auto* loop = std::get_if<For>(&s->kind)) {
        append_loop(out, *loop);
        continue;
      }
      if (const auto* branch = std::get_if<If>(&s->kind)) {
        append_if(out, *branch);
        continue;
      }
      out.push_back(map_stmt(s, [&](const Expr& e) { return replace(e); }, [](const Body& b) { return b; }));
      if (const auto* let = std::get_if<Let>(&out.back()->kind); let != nullptr && !is_float(dtype_of(let->value))) {
        ranges_.set(let->name, ranges_.of(let->value));
      }
    }
    return out;
  }

 private:
  Expr replace(const Expr& e) const { return values_.empty() ? e : substituted(e, values_, math_); }

  void append_if(Body& out, const If& branch) {
    const Expr condition = replace(branch.condition);
    const Ranges before = ranges_;
    ranges_.assume(condition, true);
    Body then = block(branch.then);
    ranges_ = before;
    ranges_.assume(condition, false);
    Body otherwise = block(branch.otherwise);
    ranges_ = before;
    out.push_back(If{condition, std::move(then), std::move(otherwise)});
  }

  void append_loop(Body& out, const For& loop) {
    const Expr begin = replace(loop.begin);
    const Expr end = replace(loop.end);
    const Interval first = ranges_.of(begin);
    const Interval last = ranges_.of(end);
    const Ranges before = ranges_;
    if ((last - first).hi <= loop.step) {
      // One trip at most. A name or constant takes the variable's place.
      const bool always = first.hi < last.lo;
      const bool simple = std::holds_alternative<Var>(begin->kind) || std::holds_alternative<Imm>(begin->kind);
      const Expr guard = Bin{BinOp::Lt, begin, end};
      if (!always) ranges_.assume(guard, true);
      Body body;
      if (simple) {
        values_.insert_or_assign(loop.var, begin);
      } else {
        body.push_back(Let{loop.var, begin});
        ranges_.set(loop.var, {first.lo, std::min(first.hi, last.hi - 1)});
      }
      Body rest = block(loop.body);
      body.insert(body.end(), rest.begin(), rest.end());
      values_.erase(loop.var);
      ranges_ = before;
      if (always) {
        out.insert(out.end(), body.begin(), body.end());
      } else {
        if (!simple) {
          // The name stands before the guard, which then narrows it.
          out.push_back(body.front());
          body.erase(body.begin());
          out.push_back(If{Bin{BinOp::Lt, Var{loop.var, dtype_of(begin)}, end}, std::move(body), {}});
        } else {
          out.push_back(If{guard, std::move(body), {}});
        }
      }
      return;
    }
    ranges_.set(loop.var, {first.lo, last.hi - 1});
    Body body = block(loop.body);
    ranges_ = before;
    out.push_back(For{loop.var, begin, end, loop.step, std::move(body)});
  }

  Ranges ranges_;
  IndexMath math_;
  std::unordered_map<std::string, Expr> values_;
};

}  // namespace

Result<Kernel> unroll_single_trips(const Kernel& kernel) {
  Kernel out = kernel;
  out.body = Unroller(kernel).block(kernel.body);
  return out;
}

}  // namespace seam::codegen
