#include "read/opcodes.h"

namespace seam::graph {
namespace {
struct Sugar {
  std::string_view suffix;
  Opcode opcode;
};
constexpr Sugar kSugar[] = {
    {"-start", Opcode::AsyncStart}, {"-update", Opcode::AsyncUpdate}, {"-done", Opcode::AsyncDone}};
}  // namespace

std::string_view without_async_suffix(std::string_view text) {
  for (const Sugar& sugar : kSugar) {
    if (text.ends_with(sugar.suffix)) return text.substr(0, text.size() - sugar.suffix.size());
  }
  return text;
}

std::optional<Opcode> opcode_or_sugar(std::string_view text) {
  if (const auto opcode = opcode_named(text)) return opcode;
  for (const Sugar& sugar : kSugar) {
    if (text.ends_with(sugar.suffix) && opcode_named(without_async_suffix(text))) return sugar.opcode;
  }
  return std::nullopt;
}

}  // namespace seam::graph
