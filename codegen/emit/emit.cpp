// Kernel IR → CUDA C++ text. What a statement or an index expression looks like; scalar ops are in scalar.cpp, helper functions in
// helpers.cpp.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "codegen/codegen.h"
#include "emit/helpers.h"
#include "emit/scalar.h"
#include "emit/types.h"

namespace seam::codegen {
namespace {

/// How tightly a text binds: 9 a name or call … 0 anything. Operands that bind less tightly get parentheses.
struct Text {
  std::string text;
  int binds = 9;
};
std::string in(const Text& t, int at_least) { return t.binds >= at_least ? t.text : "(" + t.text + ")"; }

/// A comment must stay on its line, whatever a framework put into a name; and in ASCII, as NVRTC loses the end of a line with bytes that are
/// not UTF-8.
std::string comment(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '\\') c = ' ';
    if (byte > 0x7e) c = '?';
  }
  return text;
}

class Emitter {
 public:
  explicit Emitter(const Kernel& kernel) : kernel_(kernel) {}

  std::string body() {
    block(kernel_.body, 1);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  const Buffer& buffer(const std::string& name) const {
    const Buffer* found = kernel_.find(name);
    SEAM_CHECK(found != nullptr, "no buffer named " + name);
    return *found;
  }

  Text load(const Load& n) const {
    const std::string element = fmt::format("{}[{}]", n.buffer, expr(n.index).text);
    // Other blocks wrote it: not from this SM's own cache.
    const bool coherent = buffer(n.buffer).access == Access::Workspace;
    const std::string text = loaded(n.dtype, coherent ? fmt::format("__ldcg(&{})", element) : element);
    return {text, n.dtype == DType::Pred ? 3 : 9};
  }

  Text bin(const Bin& n) const {
    struct Form {
      std::string_view sign;
      int binds;
    };
    static constexpr Form kForms[] = {{"+", 6}, {"-", 6}, {"*", 7}, {"/", 7}, {"%", 7}, {"", 9}, {"", 9}, {"<", 4}, {"<=", 4}, {"==", 3}, {"!=", 3}, {"&&", 2}, {"||", 1}};
    const Text a = expr(n.a);
    const Text b = expr(n.b);
    if (n.op == BinOp::Min || n.op == BinOp::Max) return {fmt::format("{}({}, {})", n.op == BinOp::Min ? "min" : "max", a.text, b.text), 9};
    const auto [sign, binds] = kForms[static_cast<std::size_t>(n.op)];
    return {fmt::format("{} {} {}", in(a, binds), sign, in(b, binds + 1)), binds};
  }

  Text expr(const Expr& e) const {
    return match(
        e, [&](const Imm& n) { return Text{emit_imm(n), 9}; }, [](const Var& n) { return Text{n.name, 9}; },
        [&](const Bin& n) { return bin(n); }, [&](const Load& n) { return load(n); },
        [&](const Scalar& n) {
          std::vector<std::string> args;
          for (const Expr& arg : n.args) args.push_back(in(expr(arg), 9));
          return Text{emit_scalar(n, args), 0};
        });
  }

  void block(const Body& body, int depth) {
    for (const Stmt& s : body) stmt(s, depth);
  }

  void stmt(const Stmt& s, int depth) {
    match(
        s, [&](const Let& n) { line(depth, "const {} {} = {};", register_type(dtype_of(n.value)), n.name, expr(n.value).text); },
        [&](const Declare& n) { line(depth, "{} {} = {};", register_type(dtype_of(n.init)), n.name, expr(n.init).text); },
        [&](const Assign& n) { line(depth, "{} = {};", n.name, expr(n.value).text); },
        [&](const For& n) {
          const std::string step = n.step == 1 ? fmt::format("++{}", n.var) : fmt::format("{} += {}", n.var, n.step);
          line(depth, "for ({} {} = {}; {} < {}; {}) {{", register_type(kernel_.index_type), n.var, expr(n.begin).text, n.var, in(expr(n.end), 5), step);
          block(n.body, depth + 1);
          line(depth, "}}");
        },
        [&](const If& n) {
          line(depth, "if ({}) {{", expr(n.condition).text);
          block(n.then, depth + 1);
          otherwise(n.otherwise, depth);
        },
        [&](const Store& n) {
          const Buffer& b = buffer(n.buffer);
          line(depth, "{}[{}] = {};", n.buffer, expr(n.index).text, stored(b.dtype, in(expr(n.value), half(b.dtype) ? 0 : b.dtype == DType::Pred ? 9 : 0)));
        },
        [&](const Atomic& n) { atomic(n, depth); }, [&](const Barrier&) { line(depth, "__syncthreads();"); },
        [&](const Shuffle& n) {
          const DType t = dtype_of(n.value);
          const bool narrow = t == DType::Pred || bits(t) < 32;
          const std::string value = expr(n.value).text;
          if (narrow && !is_float(t)) {
            line(depth, "const {0} {1} = ({0})__shfl_xor_sync(0xffffffffu, (int){2}, {3});", register_type(t), n.name, in(expr(n.value), 9), n.mask);
          } else {
            line(depth, "const {} {} = __shfl_xor_sync(0xffffffffu, {}, {});", register_type(t), n.name, value, n.mask);
          }
        },
        [&](const LastBlock& n) { last_block(n, depth); }, [&](const Note& n) { line(depth, "// {}", comment(n.text)); });
  }

  static bool half(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

  void otherwise(const Body& body, int depth) {
    if (body.empty()) {
      line(depth, "}}");
      return;
    }
    const auto* chained = body.size() == 1 ? std::get_if<If>(&body.front()->kind) : nullptr;
    if (chained != nullptr) {
      line(depth, "}} else if ({}) {{", expr(chained->condition).text);
      block(chained->then, depth + 1);
      otherwise(chained->otherwise, depth);
      return;
    }
    line(depth, "}} else {{");
    block(body, depth + 1);
    line(depth, "}}");
  }

  void atomic(const Atomic& n, int depth) {
    static constexpr std::string_view kFunctions[] = {"atomicAdd", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor"};
    const Buffer& b = buffer(n.buffer);
    const std::string place = fmt::format("&{}[{}]", n.buffer, expr(n.index).text);
    const Text value = expr(n.value);
    if (b.dtype == DType::F16 || b.dtype == DType::BF16) {
      SEAM_CHECK(n.op == AtomicOp::Add, "only sums of half floats are atomic");
      line(depth, "atomic_add_{}({}, {});", seam::name(b.dtype), place, value.text);
    } else if (b.dtype == DType::S64 && n.op == AtomicOp::Add) {
      line(depth, "atomicAdd((unsigned long long*){}, (unsigned long long){});", place, in(value, 9));
    } else {
      line(depth, "{}({}, {});", kFunctions[static_cast<std::size_t>(n.op)], place, value.text);
    }
  }

  /// Thread 0 speaks for the block: what its fence publishes is all that the block wrote before the barrier.
  void last_block(const LastBlock& n, int depth) {
    const std::string place = fmt::format("&{}[{}]", n.counters, expr(n.index).text);
    line(depth, "__syncthreads();");
    line(depth, "if (thread == 0) {{");
    line(depth + 1, "__threadfence();");
    line(depth + 1, "const bool all_arrived = atomicAdd({}, 1u) == {}u;", place, n.blocks - 1);
    line(depth + 1, "if (all_arrived) atomicExch({}, 0u);  // zero again for the next launch", place);
    line(depth + 1, "__threadfence();");
    line(depth + 1, "{}[0] = all_arrived ? 1u : 0u;", n.flag);
    line(depth, "}}");
    line(depth, "__syncthreads();");
    line(depth, "const bool {} = {}[0] != 0u;", n.name, n.flag);
  }

  const Kernel& kernel_;
  std::string out_;
};

std::string parameter(const Buffer& b) {
  switch (b.access) {
    case Access::In: return fmt::format("const {}* __restrict__ {}", memory_type(b.dtype), b.name);
    case Access::Out: return fmt::format("{}* __restrict__ {}", memory_type(b.dtype), b.name);
    case Access::Update:
    case Access::Workspace: break;
  }
  return fmt::format("{}* {}", memory_type(b.dtype), b.name);
}

bool mentions(const std::string& text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    if ((at == 0 || !part(text[at - 1])) && (at + word.size() >= text.size() || !part(text[at + word.size()]))) return true;
  }
  return false;
}

}  // namespace

Source emit(const Kernel& kernel) {
  const std::string body = Emitter(kernel).body();
  std::string text;
  for (const std::string& one : kernel.header) text += "// " + comment(one) + "\n";
  const auto shared_of = [](const Buffer& b) { return b.space == Space::Shared; };
  if (std::ranges::any_of(kernel.buffers, shared_of)) text += "// shared memory of a block:\n";
  for (const Buffer& b : kernel.buffers) {
    if (shared_of(b)) text += fmt::format("//   bytes {} to {}: {} {}[{}]\n", b.offset, b.offset + b.elements * bytes(b.dtype) - 1, b.name, seam::name(b.dtype), b.elements);
  }
  text += "\n" + helpers_for(body);
  text += fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(", kernel.threads, kernel.name);
  bool first = true;
  Source source;
  for (const Buffer& b : kernel.buffers) {
    if (shared_of(b)) continue;
    text += fmt::format("{}\n    {}", first ? "" : ",", parameter(b));
    first = false;
    Argument argument;
    argument.name = b.name;
    argument.op = b.op;
    argument.dtype = b.dtype;
    argument.elements = b.elements;
    argument.output = b.access == Access::Out || b.access == Access::Update;
    argument.updated = b.access == Access::Update;
    argument.aliases = b.aliases;
    argument.workspace_bytes = b.access == Access::Workspace ? b.elements * bytes(b.dtype) : 0;
    source.arguments.push_back(std::move(argument));
  }
  text += ") {\n";
  const std::string_view index = register_type(kernel.index_type);
  if (mentions(body, "block")) text += fmt::format("  const {0} block = ({0})blockIdx.x;\n", index);
  if (mentions(body, "thread")) text += fmt::format("  const {0} thread = ({0})threadIdx.x;\n", index);
  if (std::ranges::any_of(kernel.buffers, shared_of)) text += "  extern __shared__ __align__(16) unsigned char shared_memory[];\n";
  for (const Buffer& b : kernel.buffers) {
    if (shared_of(b)) text += fmt::format("  {0}* const {1} = ({0}*)(shared_memory + {2});\n", memory_type(b.dtype), b.name, b.offset);
  }
  text += body + "}\n";
  source.name = kernel.name;
  source.cuda = std::move(text);
  source.grid = kernel.grid;
  source.block = kernel.threads;
  source.shared_bytes = kernel.shared_bytes;
  return source;
}

}  // namespace seam::codegen
