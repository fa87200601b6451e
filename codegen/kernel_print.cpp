// The .kernel text form, out.
#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "codegen/kernel.h"
#include "kernel_names.h"

namespace seam::codegen {
namespace {

std::string print_imm(const Imm& n) {
  if (!is_float(n.dtype)) return fmt::format("{}:{}", std::bit_cast<std::int64_t>(n.bits), seam::name(n.dtype));
  const double v = float_value(n);
  const std::string text = std::isnan(v) ? "nan" : std::isinf(v) ? (v > 0 ? "inf" : "-inf") : fmt::format("{}", v);
  return fmt::format("{}:{}", text, seam::name(n.dtype));
}

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  void block(const Body& body, int depth) {
    for (const Stmt& s : body) stmt(s, depth);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void stmt(const Stmt& s, int depth) {
    match(
        s, [&](const Let& n) { line(depth, "let {} {}", n.name, print(n.value)); },
        [&](const Declare& n) { line(depth, "var {} {}", n.name, print(n.init)); },
        [&](const Assign& n) { line(depth, "set {} {}", n.name, print(n.value)); },
        [&](const For& n) {
          line(depth, "for {} {} {} step {}", n.var, print(n.begin), print(n.end), n.step);
          block(n.body, depth + 1);
          line(depth, "end");
        },
        [&](const If& n) {
          line(depth, "if {}", print(n.condition));
          block(n.then, depth + 1);
          if (!n.otherwise.empty()) {
            line(depth, "else");
            block(n.otherwise, depth + 1);
          }
          line(depth, "end");
        },
        [&](const Store& n) { line(depth, "store {} {} {}", n.buffer, print(n.index), print(n.value)); },
        [&](const Atomic& n) { line(depth, "atomic {} {} {} {}", atomic_name(n.op), n.buffer, print(n.index), print(n.value)); },
        [&](const Barrier&) { line(depth, "barrier"); },
        [&](const Shuffle& n) { line(depth, "shuffle {} {} {}", n.name, n.mask, print(n.value)); },
        [&](const LastBlock& n) { line(depth, "last {} {} {} {} {}", n.name, n.counters, n.flag, n.blocks, print(n.index)); },
        [&](const Note& n) { line(depth, "# {}", n.text); });
  }

  std::string& out_;
};

}  // namespace

std::string print(const Expr& e) {
  return match(
      e, [](const Imm& n) { return print_imm(n); },
      [](const Var& n) { return n.dtype == DType::S32 ? n.name : fmt::format("{}:{}", n.name, seam::name(n.dtype)); },
      [](const Bin& n) { return fmt::format("({} {} {})", name(n.op), print(n.a), print(n.b)); },
      [](const Load& n) { return fmt::format("(load {}:{} {})", n.buffer, seam::name(n.dtype), print(n.index)); },
      [](const Scalar& n) {
        std::string out = fmt::format("({}:{}", graph::name(n.op), seam::name(n.dtype));
        if (n.detail != 0 || n.detail2 != 0) out += fmt::format(":{}:{}", n.detail, n.detail2);
        for (const Expr& arg : n.args) out += " " + print(arg);
        return out + ")";
      });
}

std::string print(const Kernel& kernel) {
  std::string out = fmt::format("kernel {} grid {} threads {} shared {} index {}\n", kernel.name, kernel.grid, kernel.threads, kernel.shared_bytes,
                                seam::name(kernel.index_type));
  for (const std::string& text : kernel.header) out += "# " + text + "\n";
  for (const Buffer& b : kernel.buffers) {
    out += fmt::format("{} {} {}[{}]", b.space == Space::Shared ? "shared" : access_name(b.access), b.name, seam::name(b.dtype), b.elements);
    if (b.space == Space::Shared) out += fmt::format(" at {}", b.offset);
    if (b.op.valid()) out += fmt::format(" op {}", b.op.value);
    if (b.aliases.valid()) out += fmt::format(" aliases {}", b.aliases.value);
    out += '\n';
  }
  out += "body\n";
  Printer(out).block(kernel.body, 1);
  return out + "end\n";
}

}  // namespace seam::codegen
