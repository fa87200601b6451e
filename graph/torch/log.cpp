#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/torch.h"
#include "torch/lower.h"

namespace seam::graph {
namespace {

struct Line {
  std::string_view text;   ///< without the prefix of a log
  std::string_view prefix;
  std::int64_t number = 0;
};

/// "V0521 11:50:41.782000 3054118 torch/…py:214] [0/0] [__aot_graphs] text": the prefix that Python's logging puts before every line.
std::size_t prefix_length(std::string_view line) {
  if (line.size() < 12 || std::string_view("VDIWE").find(line[0]) == std::string_view::npos) return 0;
  for (std::size_t k = 1; k < 5; ++k)
    if (std::isdigit(static_cast<unsigned char>(line[k])) == 0) return 0;
  const std::size_t end = line.find("] ");
  if (line[5] != ' ' || end == std::string_view::npos) return 0;
  std::size_t at = end + 2;
  while (at < line.size() && line[at] == '[') {  // [0/0] [__aot_graphs]
    const std::size_t close = line.find(']', at);
    if (close == std::string_view::npos || close - at > 60) break;
    at = close + 1;
    if (at < line.size() && line[at] == ' ') ++at;
  }
  return at;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t prefix = prefix_length(line);
    out.push_back({line.substr(prefix), line.substr(0, prefix), ++number});
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

/// A structured record names what follows: {"aot_forward_graph": {}, "frame_id": 0, "frame_compile_id": 1, …}, {"artifact": {"name": "before_post_grad_graph", …}.
std::string record_name(std::string_view record) {
  const auto after = [&](std::string_view key) -> std::string_view {
    const std::size_t at = record.find(key);
    return at == std::string_view::npos ? std::string_view() : record.substr(at + key.size());
  };
  std::string name;
  if (const std::string_view artifact = after("\"artifact\": {\"name\": \""); !artifact.empty()) {
    name = artifact.substr(0, artifact.find('"'));
  } else if (record.size() > 2 && record[1] == '"') {
    name = record.substr(2, record.find('"', 2) - 2);
  }
  const auto number = [&](std::string_view key) {
    const std::string_view text = after(key);
    return std::string(text.substr(0, text.find_first_not_of("0123456789")));
  };
  const std::string frame = number("\"frame_id\": "), compile = number("\"frame_compile_id\": ");
  if (!frame.empty() && !compile.empty()) name += fmt::format(" {}/{}", frame, compile);
  return name;
}

bool opens_graph(std::string_view line) {
  const std::string_view text = trimmed(line);
  return (text.starts_with("class ") && text.find("torch.nn.Module") != std::string_view::npos && text.find(':') != std::string_view::npos) || text.starts_with("def forward(");
}

/// "===== Forward graph 0 =====" (TORCH_LOGS) on its own line.
std::string banner_name(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with("=====")) return {};
  const std::size_t start = text.find_first_not_of("= "), end = text.find_last_not_of("= ");
  return start == std::string_view::npos ? std::string() : std::string(text.substr(start, end - start + 1));
}

constexpr std::size_t kHead = 65536;

}  // namespace

std::vector<TorchGraphText> torch_graphs(std::string_view text) {
  const std::vector<Line> lines = lines_of(text);
  std::vector<TorchGraphText> out;
  std::string announced;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const Line& line = lines[k];
    if (!line.prefix.empty() && line.text.starts_with('{')) announced = record_name(line.text);
    if (const std::string banner = banner_name(line.text); !banner.empty()) announced = banner;
    // A script that runs the graph again repeats it without shapes.
    if (!opens_graph(line.text) || announced.starts_with("fx_graph_runnable")) continue;
    // A graph is what follows, deeper than its first line, until its return ends.
    TorchGraphText graph;
    graph.line = line.number;
    const std::string_view first = trimmed(line.text);
    graph.name = announced;
    if (graph.name.empty() && first.starts_with("class ")) graph.name = std::string(first.substr(6, first.find('(') - 6));
    if (graph.name.empty()) graph.name = "graph";
    bool returned = false, record = !line.prefix.empty() || line.text.starts_with('\t');
    int depth = 0;
    for (; k < lines.size(); ++k) {
      if (record && !lines[k].prefix.empty() && lines[k].text.starts_with('{')) break;
      const std::string_view body = lines[k].text;
      graph.text += body;
      graph.text += '\n';
      const std::string_view statement = trimmed(body);
      if (statement.starts_with("return ") || statement == "return") returned = true;
      if (!returned) continue;
      for (const char c : body) depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (depth <= 0) break;
    }
    if (returned) out.push_back(std::move(graph));
    announced.clear();
  }
  return out;
}

bool is_torch_text(std::string_view text) {
  const std::string_view head = text.substr(0, kHead);
  for (const Line& line : lines_of(head)) {
    if (opens_graph(line.text)) return true;
    if (!line.prefix.empty() && (line.text.starts_with("{\"chromium_event\"") || line.text.starts_with("{\"str\"") || line.text.starts_with("{\"dynamo_start\"") ||
                                 line.text.starts_with("{\"artifact\"") || line.text.starts_with("{\"describe_"))) {
      return true;
    }
  }
  return false;
}

Result<Graph> parse_torch(std::string_view text, std::string_view file, const TorchOptions& options) {
  const std::vector<TorchGraphText> graphs = torch_graphs(text);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < graphs.size(); ++k) names.push_back(fmt::format("{}: {} (line {})", k, graphs[k].name, graphs[k].line));
  if (graphs.empty()) {
    return fail(Error::Code::BadInput, fmt::format("{}: no complete graph in this text (\"def forward(…)\" until \"return\"); print one with TORCH_LOGS=aot_graphs or print_readable()", file));
  }
  const TorchGraphText* chosen = graphs.size() == 1 ? &graphs.front() : nullptr;
  if (!options.graph.empty()) {
    chosen = nullptr;
    for (std::size_t k = 0; k < graphs.size(); ++k)
      if (graphs[k].name == options.graph || std::to_string(k) == options.graph || graphs[k].name.substr(0, graphs[k].name.find(' ')) == options.graph) {
        chosen = &graphs[k];
        break;
      }
    if (chosen == nullptr) return fail(Error::Code::BadInput, fmt::format("{}: no graph is called '{}'; there are\n  {}", file, options.graph, fmt::join(names, "\n  ")));
  }
  if (chosen == nullptr) return fail(Error::Code::BadInput, fmt::format("{}: {} graphs; choose one with --graph NAME or NUMBER:\n  {}", file, graphs.size(), fmt::join(names, "\n  ")));
  SEAM_TRY(torch::Program program, torch::read_program(chosen->text, file, chosen->line, options.sizes));
  // Classes are called GraphModule or <lambda>; the file says more.
  std::string_view stem = file.substr(file.rfind('/') + 1);
  stem = stem.substr(0, stem.find_last_of('.') == 0 ? stem.size() : stem.find_last_of('.'));
  program.name = graphs.size() == 1 ? std::string(stem) : fmt::format("{}.{}", stem, chosen->name);
  return torch::lowered(program);
}

std::vector<OpaqueOp> opaque_ops(const Graph& graph) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const Op& op : graph.entry_computation().ops) {
    if (op.opcode != Opcode::CustomCall || op.attributes.custom_call_target.empty() || !op.metadata.op_type.starts_with(op.attributes.custom_call_target)) continue;
    std::string reason = op.attributes.backend_config;
    if (reason.size() >= 2 && reason.front() == '"') reason = reason.substr(1, reason.size() - 2);
    ++counts[{op.attributes.custom_call_target, reason}];
  }
  std::vector<OpaqueOp> out;
  for (const auto& [key, count] : counts) out.push_back({key.first, key.second, count});
  return out;
}

}  // namespace seam::graph
