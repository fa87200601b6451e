#include "analysis/uniform.h"

#include <algorithm>

namespace seam::codegen {

std::string_view name(Uniform u) {
  switch (u) {
    case Uniform::Block: return "block";
    case Uniform::Warp: return "warp";
    case Uniform::Thread: break;
  }
  return "thread";
}

Uniform Uniformity::of(const Expr& e) const {
  return match(
      e, [](const Imm&) { return Uniform::Block; },
      [&](const Var& n) {
        if (n.name == "block") return Uniform::Block;
        const auto found = names_.find(n.name);
        return found == names_.end() ? Uniform::Thread : found->second;
      },
      [&](const Bin& n) {
        // thread / 32 is the same for the 32 threads of a warp.
        const auto* var = std::get_if<Var>(&n.a->kind);
        std::int64_t divisor = 0;
        if (n.op == BinOp::Div && var != nullptr && var->name == "thread" && is_int(n.b, divisor) && divisor % 32 == 0) return Uniform::Warp;
        return std::max(of(n.a), of(n.b));
      },
      [&](const Load& n) {
        const Buffer* buffer = kernel_->find(n.buffer);
        return buffer != nullptr && buffer->access == Access::In && buffer->space == Space::Global ? of(n.index) : Uniform::Thread;
      },
      [&](const Scalar& n) {
        Uniform u = Uniform::Block;
        for (const Expr& arg : n.args) u = std::max(u, of(arg));
        return u;
      });
}

}  // namespace seam::codegen
