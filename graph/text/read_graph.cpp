#include <fmt/core.h>

#include "graph/hlo.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "read/cursor.h"

namespace seam::graph {
namespace {

std::string_view binary_format(std::string_view text) {
  if (text.starts_with("SQLite format 3")) return "a SQLite database (a Nsight Systems export or a .seam run)";
  if (text.starts_with("PK\x03\x04")) return "a zip archive";
  if (text.starts_with("\x7f" "ELF")) return "a program";
  if (text.starts_with("\x28\xb5\x2f\xfd") || text.starts_with("\xfd" "7zXZ")) return "a compressed file; unpack it first";
  if (text.starts_with("ML\xefR")) return "MLIR bytecode";
  if (text.starts_with('\x08') || text.starts_with('\x0a')) return "binary protobuf (ONNX, HloProto or xplane)";
  return "a binary file";
}

bool is_trace(std::string_view head) {
  return head.find("\"traceEvents\"") != std::string_view::npos || head.find("\"ph\":") != std::string_view::npos ||
         head.find("\"schemaVersion\"") != std::string_view::npos;
}

/// Protobuf text opens with `field: value` or `message {`; neither can open HLO.
bool is_protobuf_text(std::string_view text) {
  const Source source(text.substr(0, 65536), "");
  Cursor cursor(source);
  while (cursor.peek() == '#') (void)cursor.line();
  const std::string_view field = cursor.word();
  if (field.empty()) return false;
  if (cursor.peek() == ':') return true;
  // A bare computation looks like a message until its first instruction.
  if (!cursor.accept('{')) return false;
  if (cursor.word() == "name" && cursor.peek() == ':') return true;
  return field == "hlo_module" || field == "computations";
}

bool is_binary(std::string_view text) {
  for (const char c : text.substr(0, 512)) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v') return true;
  }
  return text.starts_with("\x28\xb5\x2f\xfd") || text.starts_with("ML\xefR");
}

/// What a foreign file is, in the user's words; empty for what may be ours.
std::string_view foreign_format(std::string_view text) {
  const std::string_view head = text.substr(0, 65536);
  if (is_binary(text)) return binary_format(head);
  const Source source(head, "");
  Cursor cursor(source);
  const char first = cursor.peek();
  if (first == '{' || first == '[') return is_trace(head) ? "a trace (Chrome or PyTorch profiler JSON)" : "JSON";
  if (first == '<') return "XML or HTML";
  const std::string_view word = cursor.peek_word();
  if (word == "module" || word == "func.func" || word == "ml_program.global" || head.starts_with("#loc")) {
    return "MLIR text (StableHLO or another dialect)";
  }
  if (word == "digraph") return "Graphviz DOT";
  if (word == "import" || word == "from" || word == "def" || word == "class") return "Python";
  if (is_protobuf_text(head)) return "protobuf text";
  return {};
}

}  // namespace

TextFormat text_format(std::string_view text) {
  const Source source(text.substr(0, 65536), "");
  Cursor cursor(source);
  if (cursor.accept_word("graph") && cursor.peek() == '"') return TextFormat::Graph;
  if (!is_binary(text) && is_torch_text(text)) return TextFormat::Torch;
  return foreign_format(text).empty() ? TextFormat::Hlo : TextFormat::Foreign;
}

Result<Graph> read_graph(std::string_view text, std::string_view file, const TorchOptions& torch) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // what editors on Windows put before UTF-8
  const Source source(text, file);
  Cursor cursor(source);
  if (cursor.at_end()) return cursor.error("this file is empty");
  Result<Graph> graph = [&]() -> Result<Graph> {
    switch (text_format(text)) {
      case TextFormat::Graph: return parse_graph(text, file);
      case TextFormat::Hlo: return parse_hlo(text, file);
      case TextFormat::Torch: return parse_torch(text, file, torch);
      case TextFormat::Foreign: break;
    }
    const std::string what = fmt::format("this is {}; modules are read as HLO text, .graph text and graphs of PyTorch's compiler",
                                         foreign_format(text));
    if (is_binary(text)) return fail(Error::Code::BadInput, fmt::format("{}: {}", file, what));  // no line to quote
    return cursor.error_at(0, what);
  }();
  if (!graph) return graph;
  if (auto sound = verify(*graph); !sound) return tl::unexpected(std::move(sound).error());
  return graph;
}

}  // namespace seam::graph
