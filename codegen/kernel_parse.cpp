// The .kernel text form, in: one statement per line, expressions in prefix form.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "codegen/kernel.h"
#include "kernel_names.h"

namespace seam::codegen {
namespace {

constexpr int kMaxDepth = 200;    ///< of expressions
constexpr int kMaxBlocks = 800;   ///< of blocks in blocks: parts of a kernel, pieces of a value are branches of branches
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

/// The words of one line; parentheses are words of their own.
struct Line {
  int number = 0;
  std::string_view text;  ///< without indentation
  int indent = 0;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : file_(file) {
    int number = 1;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view one = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
      const std::size_t start = one.find_first_not_of(' ');
      if (start != std::string_view::npos) lines_.push_back(Line{number, one.substr(start), static_cast<int>(start)});
      ++number;
    }
  }

  Result<Kernel> whole() {
    Kernel kernel;
    if (auto ok = next_line(); !ok) return tl::unexpected(ok.error());
    SEAM_TRY(kernel, heading());
    while (true) {
      if (auto ok = next_line(); !ok) return tl::unexpected(ok.error());
      if (line().text == "body") break;
      if (line().text.starts_with("#")) {
        kernel.header.push_back(remark());
        continue;
      }
      SEAM_TRY(Buffer b, buffer());
      kernel.buffers.push_back(std::move(b));
    }
    SEAM_TRY(kernel.body, statements(0));
    if (line().text != "end") return error("expected 'end'");
    if (at_line_ != lines_.size()) {
      ++at_line_;
      return error("text goes on after the kernel");
    }
    return kernel;
  }

 private:
  const Line& line() const { return lines_[std::min(at_line_, lines_.size()) - 1]; }

  Result<void> next_line() {
    if (at_line_ >= lines_.size()) return error("the text ends too early");
    ++at_line_;
    at_ = 0;
    return {};
  }

  std::string remark() const { return std::string(line().text.size() > 2 ? line().text.substr(2) : std::string_view{}); }

  std::string_view word() {
    const std::string_view text = line().text;
    while (at_ < text.size() && text[at_] == ' ') ++at_;
    start_ = at_;
    if (at_ < text.size() && (text[at_] == '(' || text[at_] == ')')) return text.substr(at_++, 1);
    while (at_ < text.size() && text[at_] != ' ' && text[at_] != '(' && text[at_] != ')') ++at_;
    return text.substr(start_, at_ - start_);
  }
  bool more() {
    const std::string_view text = line().text;
    while (at_ < text.size() && text[at_] == ' ') ++at_;
    return at_ < text.size() && text[at_] != ')';
  }

  [[nodiscard]] tl::unexpected<Error> error(std::string message) const {
    Position position{std::string(file_), 1, 1};
    if (!lines_.empty() && at_line_ > 0) {
      position.line = line().number;
      position.column = line().indent + static_cast<int>(start_) + 1;
    }
    return fail(Error::Code::BadInput, std::move(message), position);
  }

  Result<std::int64_t> integer() { return integer_of(word()); }
  Result<std::int64_t> integer_of(std::string_view token) const {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (token.empty() || code != std::errc() || end != token.data() + token.size()) return error(fmt::format("'{}' is no whole number", token));
    return value;
  }
  Result<void> expect(std::string_view wanted) {
    const std::string_view token = word();
    if (token != wanted) return error(fmt::format("expected '{}', not '{}'", wanted, token));
    return {};
  }
  Result<std::string> identifier() { return identifier_of(word()); }
  Result<std::string> identifier_of(std::string_view token) const {
    const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (token.empty() || std::isdigit(static_cast<unsigned char>(token.front())) != 0 || !std::ranges::all_of(token, good)) {
      return error(fmt::format("'{}' is no name", token));
    }
    return std::string(token);
  }
  Result<DType> dtype_of_word(std::string_view token) const {
    const std::optional<DType> dtype = dtype_named(token);
    if (!dtype) return error(fmt::format("'{}' is no element type", token));
    return *dtype;
  }

  Result<std::int64_t> field(std::string_view name) {
    if (auto ok = expect(name); !ok) return tl::unexpected(ok.error());
    return integer();
  }

  Result<Kernel> heading() {
    Kernel kernel;
    if (auto ok = expect("kernel"); !ok) return tl::unexpected(ok.error());
    SEAM_TRY(kernel.name, identifier());
    SEAM_TRY(kernel.grid, field("grid"));
    SEAM_TRY(const std::int64_t threads, field("threads"));
    if (threads < 1 || threads > 1024) return error("a block has 1 to 1024 threads");
    kernel.threads = static_cast<int>(threads);
    SEAM_TRY(kernel.shared_bytes, field("shared"));
    if (auto ok = expect("index"); !ok) return tl::unexpected(ok.error());
    SEAM_TRY(kernel.index_type, dtype_of_word(word()));
    return kernel;
  }

  /// in p_x f32[128] op 3
  Result<Buffer> buffer() {
    Buffer b;
    const std::string_view kind = word();
    if (kind == "shared") {
      b.space = Space::Shared;
      b.access = Access::Out;
    } else {
      const auto found = std::ranges::find(kAccessNames, kind);
      if (found == kAccessNames.end()) return error(fmt::format("expected a buffer or 'body', not '{}'", kind));
      b.access = static_cast<Access>(found - kAccessNames.begin());
    }
    SEAM_TRY(b.name, identifier());
    const std::string_view type = word();
    const std::size_t open = type.find('[');
    if (open == std::string_view::npos || type.back() != ']') return error("expected type[elements]");
    SEAM_TRY(b.dtype, dtype_of_word(type.substr(0, open)));
    SEAM_TRY(b.elements, integer_of(type.substr(open + 1, type.size() - open - 2)));
    if (b.elements < 1 || b.elements > kMostElements) return error("a buffer of no sensible size");
    while (more()) {
      const std::string_view what = word();
      SEAM_TRY(const std::int64_t value, integer());
      if (what == "at") {
        if (value < 0 || value > kMostElements) return error("no place in shared memory");
        b.offset = value;
      } else if (what == "op" || what == "aliases") {
        if (value < 0 || value >= UINT32_MAX) return error("no op has that number");
        (what == "op" ? b.op : b.aliases) = Id<graph::Op>(static_cast<std::size_t>(value));
      } else {
        return error(fmt::format("'{}' says nothing about a buffer", what));
      }
    }
    return b;
  }

  /// Until "end" or "else", which is then the current line.
  Result<Body> statements(int depth) {
    if (depth > kMaxBlocks) return error("blocks are nested too deeply");
    Body body;
    while (true) {
      if (auto ok = next_line(); !ok) return tl::unexpected(ok.error());
      if (line().text == "end" || line().text == "else") return body;
      if (line().text.starts_with("#")) {
        body.push_back(Note{remark()});
        continue;
      }
      SEAM_TRY(Stmt one, statement(depth));
      body.push_back(std::move(one));
    }
  }

  Result<Stmt> statement(int depth) {
    const std::string head(word());
    if (head == "let" || head == "var" || head == "set") {
      SEAM_TRY(std::string name, identifier());
      SEAM_TRY(Expr value, last_expr());
      if (head == "let") return Stmt(Let{std::move(name), std::move(value)});
      if (head == "var") return Stmt(Declare{std::move(name), std::move(value)});
      return Stmt(Assign{std::move(name), std::move(value)});
    }
    if (head == "for") return loop(depth);
    if (head == "if") return branch(depth);
    if (head == "barrier") return done(Barrier{});
    if (head == "store") {
      SEAM_TRY(std::string name, identifier());
      SEAM_TRY(Expr index, expr());
      SEAM_TRY(Expr value, last_expr());
      return Stmt(Store{std::move(name), std::move(index), std::move(value)});
    }
    if (head == "atomic") {
      const auto op = std::ranges::find(kAtomicNames, word());
      if (op == kAtomicNames.end()) return error("no such atomic");
      SEAM_TRY(std::string name, identifier());
      SEAM_TRY(Expr index, expr());
      SEAM_TRY(Expr value, last_expr());
      return Stmt(Atomic{static_cast<AtomicOp>(op - kAtomicNames.begin()), std::move(name), std::move(index), std::move(value)});
    }
    if (head == "shuffle") {
      SEAM_TRY(std::string name, identifier());
      SEAM_TRY(const std::int64_t mask, integer());
      if (mask < 0 || mask > 31) return error("a shuffle's mask is 1 to 31");
      SEAM_TRY(Expr value, last_expr());
      return Stmt(Shuffle{std::move(name), std::move(value), static_cast<int>(mask)});
    }
    if (head == "last") {
      SEAM_TRY(std::string name, identifier());
      SEAM_TRY(std::string counters, identifier());
      SEAM_TRY(std::string flag, identifier());
      SEAM_TRY(const std::int64_t blocks, integer());
      SEAM_TRY(Expr index, last_expr());
      return Stmt(LastBlock{std::move(name), std::move(counters), std::move(index), blocks, std::move(flag)});
    }
    return error(fmt::format("'{}' is no statement", head));
  }

  Result<Stmt> done(Stmt s) {
    if (!word().empty()) return error("text goes on after the statement");
    return s;
  }

  Result<Stmt> loop(int depth) {
    SEAM_TRY(std::string var, identifier());
    SEAM_TRY(Expr begin, expr());
    SEAM_TRY(Expr end, expr());
    SEAM_TRY(const std::int64_t step, field("step"));
    SEAM_TRY(Body body, statements(depth + 1));
    if (line().text != "end") return error("a loop has no else");
    return Stmt(For{std::move(var), std::move(begin), std::move(end), step, std::move(body)});
  }

  Result<Stmt> branch(int depth) {
    SEAM_TRY(Expr condition, last_expr());
    SEAM_TRY(Body then, statements(depth + 1));
    Body otherwise;
    if (line().text == "else") {
      SEAM_TRY(otherwise, statements(depth + 1));
      if (line().text != "end") return error("a second else");
    }
    return Stmt(If{std::move(condition), std::move(then), std::move(otherwise)});
  }

  Result<Expr> last_expr() {
    SEAM_TRY(Expr e, expr());
    if (!word().empty()) return error("text goes on after the expression");
    return e;
  }

  Result<Expr> expr() {
    if (depth_ >= kMaxDepth) return error("the expression is nested too deeply");
    ++depth_;
    const std::string_view token = word();
    Result<Expr> e = token == "(" ? list() : atom(token);
    --depth_;
    return e;
  }

  /// 3:s32 | 0.5:f32 | nan:f32 | name | name:u32
  Result<Expr> atom(std::string_view token) {
    const std::size_t colon = token.find(':');
    const std::string_view head = token.substr(0, colon);
    DType dtype = DType::S32;
    if (colon != std::string_view::npos) {
      SEAM_TRY(dtype, dtype_of_word(token.substr(colon + 1)));
    }
    const bool special = head == "nan" || head == "inf" || head == "-inf";
    const bool digit = !head.empty() && (std::isdigit(static_cast<unsigned char>(head.front())) != 0 || head.front() == '-');
    if (!special && !digit) {
      SEAM_TRY(std::string name, identifier_of(head));
      return Expr(Var{std::move(name), dtype});
    }
    if (colon == std::string_view::npos) return error("a constant needs its type: 3:s32");
    if (!is_float(dtype)) {
      SEAM_TRY(const std::int64_t value, integer_of(head));
      return imm_int(dtype, value);
    }
    double value = 0;
    const auto [end, code] = std::from_chars(head.data(), head.data() + head.size(), value);
    if (code != std::errc() || end != head.data() + head.size()) return error(fmt::format("'{}' is no number", head));
    return imm_float(dtype, value);
  }

  Result<Expr> list() {
    const std::string head(word());
    if (head == "load") {
      const std::string_view what = word();
      const std::size_t colon = what.find(':');
      if (colon == std::string_view::npos) return error("expected buffer:type");
      SEAM_TRY(std::string name, identifier_of(what.substr(0, colon)));
      SEAM_TRY(const DType dtype, dtype_of_word(what.substr(colon + 1)));
      SEAM_TRY(Expr index, expr());
      return close(Load{std::move(name), dtype, std::move(index)});
    }
    if (head.find(':') != std::string::npos) return scalar(head);
    for (int i = 0; i <= static_cast<int>(BinOp::Or); ++i) {
      if (head != name(static_cast<BinOp>(i))) continue;
      SEAM_TRY(Expr a, expr());
      SEAM_TRY(Expr b, expr());
      return close(Bin{static_cast<BinOp>(i), std::move(a), std::move(b)});
    }
    return error(fmt::format("'{}' is no operation", head));
  }

  /// add:f32 or compare:pred:5:0
  Result<Expr> scalar(const std::string& head) {
    std::array<std::string_view, 4> pieces{};
    std::size_t count = 0;
    for (std::string_view rest = head; count < 4; ++count) {
      const std::size_t colon = rest.find(':');
      pieces.at(count) = rest.substr(0, colon);
      if (colon == std::string_view::npos) {
        ++count;
        break;
      }
      rest = rest.substr(colon + 1);
    }
    const std::optional<graph::Opcode> opcode = graph::opcode_named(pieces[0]);
    if (!opcode) return error(fmt::format("'{}' is no op", pieces[0]));
    SEAM_TRY(const DType dtype, dtype_of_word(pieces[1]));
    Scalar out{*opcode, dtype, {}};
    if (count > 2) {
      SEAM_TRY(out.detail, integer_of(pieces[2]));
      SEAM_TRY(out.detail2, integer_of(pieces[3]));
    }
    while (more()) {
      SEAM_TRY(Expr arg, expr());
      out.args.push_back(std::move(arg));
    }
    return close(std::move(out));
  }

  Result<Expr> close(Expr e) {
    if (word() != ")") return error("expected )");
    return e;
  }

  std::string_view file_;
  std::vector<Line> lines_;
  std::size_t at_line_ = 0;  ///< lines read so far; the current one is at_line_ - 1
  std::size_t at_ = 0, start_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Kernel> parse_kernel(std::string_view text, std::string_view file) { return Parser(text, file).whole(); }

}  // namespace seam::codegen
