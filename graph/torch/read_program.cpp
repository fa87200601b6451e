#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "torch/python.h"

namespace seam::graph::torch {
namespace {

using Kind = Token::Kind;

struct OperatorName {
  std::string_view sign, name;
};
constexpr OperatorName kOperators[] = {{"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "true_divide"}, {"//", "floor_divide"}, {"%", "remainder"},
                                       {"**", "pow"}, {"@", "matmul"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}, {"==", "eq"},
                                       {"!=", "ne"}, {"&", "bitwise_and"}, {"|", "bitwise_or"}, {"^", "bitwise_xor"}, {"<<", "bitwise_left_shift"},
                                       {">>", "bitwise_right_shift"}};

/// "torch.ops.aten.add.Tensor" -> "aten.add.Tensor"; "torch.nn.functional.relu", "torch._C._nn.gelu", "operator.add" -> "relu", "gelu", "add".
std::string operator_of(const std::string& name) {
  if (name.starts_with("torch.ops.")) return name.substr(10);
  return name.substr(name.rfind('.') + 1);
}

class ProgramReader {
 public:
  ProgramReader(const Source& source, const std::vector<Token>& tokens, std::int64_t first_line, const std::map<std::string, std::int64_t>& sizes)
      : reader_(source, tokens), lines_before_(first_line - 1), sizes_(sizes) {}

  Result<Program> read() {
    auto done = whole();
    if (!done) {
      if (done.error().at) done.error().at->line += static_cast<int>(lines_before_);
      return tl::unexpected(std::move(done).error());
    }
    return std::move(program_);
  }

 private:
  Result<void> whole() {
    while (true) {
      const Token& token = reader_.peek();
      if (token.kind == Kind::End) return reader_.error("no 'def forward(…)' in this text: it is no printed graph");
      if (token.kind == Kind::Name && token.text == "class" && program_.name.empty()) {
        program_.name = reader_.peek(1).kind == Kind::Name ? std::string(reader_.peek(1).text) : "graph";
      } else if (token.kind == Kind::Name && token.text == "def" && reader_.peek(1).text == "forward") {
        reader_.next();
        reader_.next();
        break;
      }
      reader_.skip_statement();
    }
    if (program_.name.empty()) program_.name = "graph";
    SEAM_DO(parameters());
    while (program_.nodes.empty() || program_.nodes.back().target != "output") {
      SEAM_DO(statement());
    }
    if (!missing_.empty()) {
      Position at = program_.nodes.front().at;
      at.line -= static_cast<int>(lines_before_);  // read() adds them to every error
      return fail(Error::Code::BadInput, fmt::format("sizes are only known when it runs: {}; give them, as in --size {}=64", fmt::join(missing_, ", "), fmt::join(missing_, "=64 --size ")), at);
    }
    return {};
  }

  Result<void> annotate(Node& node, const Token& token) {
    const std::string_view text = token.text;
    std::optional<Annotation> annotation = read_annotation(text, sizes_, missing_);
    if (annotation) {
      node.type = std::move(annotation->tensor);
      node.symbol = annotation->symbol;
    }
    return {};
  }

  /// An annotation, quoted or bare: `"f32[2]"`, `f32[10, s0]`, `torch.Tensor`, `Sym(s0)`. Ends before one of `= , ) NewLine` outside brackets.
  Result<void> annotation(Node& node) {
    if (reader_.peek().kind == Kind::String) return annotate(node, reader_.next());
    const Token first = reader_.peek();
    const char* end = first.text.data();
    int depth = 0;
    while (reader_.peek().kind != Kind::NewLine && reader_.peek().kind != Kind::End) {
      if (depth == 0 && (reader_.at("=") || reader_.at(",") || reader_.at(")"))) break;
      if (reader_.at("[") || reader_.at("(")) ++depth;
      if (reader_.at("]") || reader_.at(")")) --depth;
      const Token& token = reader_.next();
      end = token.text.data() + token.text.size();
    }
    Token whole = first;
    whole.text = std::string_view(first.text.data(), static_cast<std::size_t>(end - first.text.data()));
    return annotate(node, whole);
  }

  Result<void> parameters() {
    if (!reader_.accept("(")) return reader_.error("expected '(' after 'forward'");
    while (!reader_.accept(")")) {
      while (reader_.accept("*")) {
      }
      if (reader_.peek().kind != Kind::Name) return reader_.error("expected the name of a parameter");
      Node node = started("placeholder");
      node.name = std::string(reader_.next().text);
      if (reader_.accept(":")) SEAM_DO(annotation(node));
      if (reader_.accept("=")) {
        SEAM_TRY([[maybe_unused]] Argument unused, reader_.argument());
      }
      if (node.name != "self" && node.name != "args" && node.name != "kwargs") SEAM_DO(define(std::move(node)));
      if (!reader_.accept(",") && !reader_.at(")")) return reader_.error("expected ',' or ')' among the parameters");
    }
    reader_.skip_statement();
    return {};
  }

  Node started(std::string target) {
    Node node;
    node.target = std::move(target);
    node.file = file_;
    node.line = line_;
    node.backward = backward_;
    node.at = reader_.position();
    node.at.line += static_cast<int>(lines_before_);
    return node;
  }

  Result<void> define(Node node) {
    if (!names_.insert(node.name).second) return reader_.error(fmt::format("'{}' is defined twice", node.name));
    program_.nodes.push_back(std::move(node));
    return {};
  }

  /// "# File: nets.py:26 in forward, code: …", "# Backward of forward node: File: …".
  void comment(std::string_view text) {
    const std::size_t file = text.find("File: ");
    if (file == std::string_view::npos) return;
    backward_ = text.find("Backward of") != std::string_view::npos;
    std::string_view rest = text.substr(file + 6);
    const std::size_t in = std::min(rest.find(" in "), rest.find(", code"));
    rest = rest.substr(0, in);
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos) return;
    file_ = std::string(rest.substr(0, colon));
    line_ = std::strtoll(std::string(rest.substr(colon + 1)).c_str(), nullptr, 10);
  }

  Result<void> statement() {
    const Token& token = reader_.peek();
    if (token.kind == Kind::End) return reader_.error("the graph ends without 'return'");
    if (token.kind == Kind::Comment) {
      comment(token.text);
      reader_.next();
      return {};
    }
    if (token.kind == Kind::NewLine) {
      reader_.next();
      return {};
    }
    if (token.kind != Kind::Name) return reader_.error(fmt::format("expected a statement, found '{}'", token.text));
    if (token.text == "return") return output();
    if (token.text == "with" || token.text == "import" || token.text == "from" || token.text == "pass") {
      reader_.skip_statement();
      return {};
    }
    return assignment();
  }

  Result<void> output() {
    Node node = started("output");
    node.name = "output";
    reader_.next();
    if (reader_.peek().kind != Kind::NewLine) {
      SEAM_TRY(Expression returned, reader_.expression());
      if (returned.arguments.empty()) return reader_.error("expected results after 'return'");
      // pytree.tree_unflatten([a, b], spec): the list counts
      Argument value = std::move(returned.arguments.front());
      if (reader_.at(",")) {  // return a, b
        Argument list;
        list.kind = Argument::Kind::List;
        list.items.push_back(std::move(value));
        while (reader_.accept(",") && reader_.peek().kind != Kind::NewLine) {
          SEAM_TRY(Argument next, reader_.argument());
          list.items.push_back(std::move(next));
        }
        value = std::move(list);
      }
      if (value.kind == Argument::Kind::Name) {  // the one output
        Argument list;
        list.kind = Argument::Kind::List;
        list.items.push_back(std::move(value));
        value = std::move(list);
      }
      if (value.kind != Argument::Kind::List) return reader_.error("expected a list of results after 'return'");
      node.arguments.push_back(std::move(value));
    } else {
      node.arguments.emplace_back().kind = Argument::Kind::List;
    }
    program_.nodes.push_back(std::move(node));
    return {};
  }

  /// `a, b, = fx_pytree.tree_flatten_spec([lists], …)`: the lists were parameters, what they hold is declared before.
  Result<void> unpacking() {
    while (reader_.peek().kind == Kind::Name || reader_.at(",")) reader_.next();
    if (!reader_.accept("=")) return reader_.error("expected '=' after the names");
    SEAM_TRY(const Expression value, reader_.expression());
    if (!value.name.ends_with("tree_flatten_spec") || value.arguments.empty() || value.arguments[0].kind != Argument::Kind::List) {
      return reader_.error("only the lists of parameters are unpacked into several names");
    }
    for (const Argument& list : value.arguments[0].items) {
      std::erase_if(program_.nodes, [&](const Node& node) { return node.target == "placeholder" && node.name == list.text && !node.type && !node.symbol; });
    }
    reader_.skip_statement();
    return {};
  }

  Result<void> assignment() {
    Node node = started("alias");
    if (reader_.peek(1).kind == Kind::Punctuation && reader_.peek(1).text == ",") return unpacking();
    node.name = std::string(reader_.next().text);
    if (reader_.accept(":")) {
      SEAM_DO(annotation(node));
      if (!reader_.at("=")) {  // declared, filled by unpacking
        node.target = "placeholder";
        return define(std::move(node));
      }
    }
    if (!reader_.accept("=")) {
      if (reader_.at("(") || reader_.at(".")) {  // a call for its effect: asserts on sizes and the like
        reader_.skip_statement();
        return {};
      }
      return reader_.error(fmt::format("expected '=' after '{}'", node.name));
    }
    if (reader_.peek().kind == Kind::Name && reader_.peek(1).text == "=") {  // x = y = None
      reader_.skip_statement();
      return {};
    }
    SEAM_TRY(Expression value, reader_.expression());
    if (reader_.peek().kind != Kind::NewLine && reader_.peek().kind != Kind::End && reader_.peek().kind != Kind::Comment) {
      return reader_.error(fmt::format("expected the end of the line, found '{}'", reader_.peek().text));
    }
    switch (value.kind) {
      case Expression::Kind::Argument:
        if (value.arguments[0].kind == Argument::Kind::None) return {};  // freed
        break;
      case Expression::Kind::Attribute: node.target = "get_attr"; break;
      case Expression::Kind::Call: node.target = operator_of(value.name); break;
      case Expression::Kind::Method: node.target = value.name; break;
      case Expression::Kind::Subscript: node.target = "getitem"; break;
      case Expression::Kind::Operator: node.target = named(value.name); break;
    }
    if (node.target.empty()) return reader_.error(fmt::format("'{}' is no operator", value.name));
    node.arguments = std::move(value.arguments);
    node.keywords = std::move(value.keywords);
    return define(std::move(node));
  }

  static std::string named(const std::string& sign) {
    for (const OperatorName& entry : kOperators)
      if (entry.sign == sign) return std::string(entry.name);
    return sign == "neg" || sign == "bitwise_not" ? sign : std::string();
  }

  TokenReader reader_;
  std::int64_t lines_before_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::vector<std::string> missing_;
  std::set<std::string> names_;
  Program program_;
  std::string file_;
  std::int64_t line_ = 0;
  bool backward_ = false;
};

}  // namespace

Result<Program> read_program(std::string_view text, std::string_view file, std::int64_t line, const std::map<std::string, std::int64_t>& sizes) {
  const Source source(text, file);
  auto read = tokens(source);
  if (!read) {
    if (read.error().at) read.error().at->line += static_cast<int>(line - 1);
    return tl::unexpected(std::move(read).error());
  }
  return ProgramReader(source, *read, line, sizes).read();
}

}  // namespace seam::graph::torch
