#include "text/cursor.h"
#include "text/operands.h"
#include "text/syntax.h"
#include "text/variables.h"

namespace seam::sim {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file, std::span<const Token> tokens)
      : text_(text), cursor_(tokens, file) {
    out_.file = std::string(file);
    out_.source_files.emplace_back();
  }

  Result<Syntax> run() {
    bool versioned = false;
    while (!cursor_.at_end()) {
      const Token token = cursor_.peek();
      versioned |= token.is(".version");
      if (auto done = directive(); !done) return tl::unexpected(done.error());
    }
    if (!versioned) return cursor_.wrong(".version (is this PTX?)");
    return std::move(out_);
  }

 private:
  Result<void> directive() {
    const Token token = cursor_.peek();
    if (token.is(".version") || token.is(".target")) {
      skip_line(token.line);
      return {};
    }
    if (token.is(".address_size")) {
      cursor_.next();
      SEAM_TRY(const std::int64_t bits, parse_integer(cursor_, "the address size"));
      if (bits != 64) return cursor_.refuse("only 64-bit addresses are supported", token);
      return {};
    }
    if (token.is(".file")) return source_file();
    if (token.is(".section")) return section();
    if (token.is(".loc")) {
      skip_line(token.line);
      return {};
    }
    if (token.is(".pragma")) return statement_end();
    return definition();
  }

  /// Linkage words, then a function or variables.
  Result<void> definition() {
    bool external = false;
    while (true) {
      const Token token = cursor_.peek();
      if (token.is(".visible") || token.is(".weak") || token.is(".common")) {
        cursor_.next();
      } else if (token.is(".extern")) {
        external = true;
        cursor_.next();
      } else {
        break;
      }
    }
    const Token token = cursor_.peek();
    if (token.is(".entry") || token.is(".func")) return function();
    if (opens_variable(token) && !token.is(".reg") && !token.is(".param") && !token.is(".local")) {
      SEAM_TRY(auto variables, parse_variables(cursor_, false));
      for (Variable& one : variables) {
        one.external = external;
        out_.variables.push_back(std::move(one));
      }
      return {};
    }
    if (token.kind == Token::Kind::Word && token.text[0] == '.') {
      return cursor_.refuse(fmt::format("directive {} is not supported", token.text), token);
    }
    return cursor_.wrong("a directive");
  }

  Result<void> function() {
    Function out;
    out.line = cursor_.peek().line;
    out.entry = cursor_.next().is(".entry");
    if (cursor_.peek().is('(')) {
      SEAM_TRY(out.results, parameters());
    }
    SEAM_TRY(out.name, cursor_.word("a function name"));
    if (cursor_.peek().is('(')) {
      SEAM_TRY(out.parameters, parameters());
    }
    if (auto done = launch_bounds(out); !done) return done;
    if (cursor_.accept(';')) {
      out_.functions.push_back(std::move(out));
      return {};
    }
    if (!cursor_.peek().is('{')) return cursor_.wrong("'{'");
    cursor_.next();
    out.defined = true;
    if (auto done = body(out); !done) return done;
    out_.functions.push_back(std::move(out));
    return {};
  }

  Result<std::vector<Variable>> parameters() {
    cursor_.next();
    std::vector<Variable> out;
    if (cursor_.accept(')')) return out;
    do {
      if (!opens_variable(cursor_.peek())) return cursor_.wrong(".param");
      if (cursor_.peek().is(".reg")) {
        return cursor_.refuse("parameters in registers are not supported", cursor_.peek());
      }
      SEAM_TRY(auto one, parse_variables(cursor_, true));
      out.push_back(std::move(one[0]));
    } while (cursor_.accept(','));
    if (auto closed = cursor_.expect(')'); !closed) return tl::unexpected(closed.error());
    return out;
  }

  Result<void> launch_bounds(Function& out) {
    while (cursor_.peek().kind == Token::Kind::Word) {
      const Token token = cursor_.next();
      if (token.is(".maxntid") || token.is(".reqntid")) {
        int sizes[3] = {1, 1, 1};
        for (int i = 0; i < 3; ++i) {
          SEAM_TRY(const std::int64_t value, parse_integer(cursor_, "a block size"));
          if (value < 1 || value > 1 << 20) return cursor_.wrong("a sensible block size");
          sizes[i] = static_cast<int>(value);
          if (!cursor_.accept(',')) break;
        }
        if (token.is(".reqntid")) std::copy(sizes, sizes + 3, out.required_threads);
        const std::int64_t product = std::int64_t{sizes[0]} * sizes[1] * sizes[2];
        out.max_threads = static_cast<int>(std::min<std::int64_t>(product, 1 << 20));
      } else if (token.is(".minnctapersm") || token.is(".maxnreg") ||
                 token.is(".maxnctapersm")) {
        SEAM_TRY([[maybe_unused]] const std::int64_t value, parse_integer(cursor_, "a limit"));
      } else if (!token.is(".noreturn")) {
        return cursor_.refuse(fmt::format("function attribute {} is not supported", token.text),
                              token);
      }
    }
    return {};
  }

  Result<void> body(Function& out) {
    int depth = 0;
    Place place;
    while (true) {
      const Token token = cursor_.peek();
      if (cursor_.at_end()) return cursor_.wrong("'}'");
      if (token.is('}')) {
        cursor_.next();
        if (depth-- == 0) return {};
        push(out, Item::Kind::Close, token);
      } else if (token.is('{')) {
        cursor_.next();
        ++depth;
        push(out, Item::Kind::Open, token);
      } else if (token.is(".loc")) {
        if (auto done = location(place); !done) return done;
      } else if (token.is(".pragma")) {
        if (auto done = statement_end(); !done) return done;
      } else if (cursor_.accept(';')) {
        continue;
      } else if (opens_variable(token)) {
        SEAM_TRY(auto variables, parse_variables(cursor_, false));
        for (Variable& one : variables) {
          push(out, Item::Kind::Variable, token).index = out.variables.size();
          out.variables.push_back(std::move(one));
        }
      } else if (token.kind == Token::Kind::Word && cursor_.peek(1).is(':')) {
        if (auto done = label(out); !done) return done;
      } else {
        push(out, Item::Kind::Statement, token).index = out.statements.size();
        place.line = token.line;
        if (auto done = statement(out, place); !done) return done;
      }
    }
  }

  static Item& push(Function& out, Item::Kind kind, const Token& at) {
    Item item;
    item.kind = kind;
    item.line = at.line;
    out.body.push_back(std::move(item));
    return out.body.back();
  }

  Result<void> label(Function& out) {
    const Token token = cursor_.next();
    cursor_.next();
    if (!cursor_.peek().is(".branchtargets")) {
      push(out, Item::Kind::Label, token).label = token.text;
      if (cursor_.peek().is(".callprototype") || cursor_.peek().is(".calltargets")) {
        return cursor_.refuse("indirect calls are not supported", cursor_.peek());
      }
      return {};
    }
    cursor_.next();
    Item& item = push(out, Item::Kind::Targets, token);
    item.label = token.text;
    do {
      SEAM_TRY(const std::string_view target, cursor_.word("a label"));
      item.targets.push_back(target);
    } while (cursor_.accept(','));
    return cursor_.expect(';');
  }

  Result<void> statement(Function& out, const Place& place) {
    Statement one;
    one.place = place;
    if (cursor_.accept('@')) {
      one.guard_negated = cursor_.accept('!');
      SEAM_TRY(one.guard, cursor_.word("a predicate"));
    }
    const Token opcode = cursor_.peek();
    if (opcode.kind == Token::Kind::Word && opcode.text[0] == '.') {
      return cursor_.refuse(fmt::format("directive {} is not supported here", opcode.text), opcode);
    }
    one.column = opcode.column;
    SEAM_TRY(one.opcode, cursor_.word("an instruction"));
    SEAM_TRY(one.operands, parse_operands(cursor_, ';'));
    const char* begin = opcode.text.data();
    const char* end = cursor_.peek().text.data();
    one.text = text_.substr(static_cast<std::size_t>(begin - text_.data()),
                            cursor_.at_end() ? 0 : static_cast<std::size_t>(end - begin));
    if (auto ended = cursor_.expect(';'); !ended) return ended;
    out.statements.push_back(std::move(one));
    return {};
  }

  /// .loc file line column [, function_name label [+ offset], inlined_at file line column]; ends with the line.
  Result<void> location(Place& place) {
    const int line = cursor_.next().line;
    SEAM_TRY(const std::int64_t file, parse_integer(cursor_, "a file number"));
    SEAM_TRY(const std::int64_t source, parse_integer(cursor_, "a line number"));
    place.source_file = static_cast<int>(file);
    place.source_line = static_cast<int>(source);
    skip_line(line);
    return {};
  }

  /// .file number "name" [, time, size]
  Result<void> source_file() {
    const Token at = cursor_.next();
    SEAM_TRY(const std::int64_t number, parse_integer(cursor_, "a file number"));
    if (number < 0 || number > 1 << 16) return cursor_.wrong("a sensible file number");
    if (cursor_.peek().kind != Token::Kind::String) return cursor_.wrong("a file name");
    const std::string_view quoted = cursor_.next().text;
    const auto index = static_cast<std::size_t>(number);
    if (out_.source_files.size() <= index) out_.source_files.resize(index + 1);
    out_.source_files[index] = std::string(quoted.substr(1, quoted.size() - 2));
    skip_line(at.line);
    return {};
  }

  /// Debug sections hold no program.
  Result<void> section() {
    while (!cursor_.at_end() && !cursor_.peek().is('{')) cursor_.next();
    while (!cursor_.at_end() && !cursor_.peek().is('}')) cursor_.next();
    return cursor_.expect('}');
  }

  Result<void> statement_end() {
    while (!cursor_.at_end() && !cursor_.peek().is(';')) cursor_.next();
    return cursor_.expect(';');
  }

  void skip_line(int line) {
    while (!cursor_.at_end() && cursor_.peek().line == line) cursor_.next();
  }

  std::string_view text_;
  Cursor cursor_;
  Syntax out_;
};

}  // namespace

Result<Syntax> parse(std::string_view text, std::string_view file) {
  SEAM_TRY(const std::vector<Token> list, tokens(text, file));
  return Parser(text, file, list).run();
}

}  // namespace seam::sim
