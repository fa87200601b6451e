#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <unordered_map>

#include "decode/decoder.h"

namespace seam::sim {
namespace {

/// A module variable is part of a text: nobody writes down a gigabyte.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

class Initializer {
 public:
  Initializer(const Syntax& syntax, const std::unordered_map<std::string_view, int>& by_name)
      : syntax_(syntax), by_name_(by_name) {}

  Result<GlobalVariable> make(const Variable& variable) const {
    GlobalVariable out;
    out.name = std::string(variable.name);
    out.constant = variable.space == Space::Const;
    out.bytes = variable.bytes();
    if (variable.unsized || out.bytes > kMostBytes) {
      return fail(Error::Code::Unsupported,
                  fmt::format("variable {} has no size, or more than a text can mean", variable.name),
                  place(variable));
    }
    if (variable.initial.empty()) return out;
    out.initial.resize(static_cast<std::size_t>(out.bytes));
    const auto element = static_cast<std::size_t>(size(variable.type));
    for (std::size_t i = 0; i < variable.initial.size(); ++i) {
      const Operand& value = variable.initial[i];
      std::uint64_t bits = value.bits;
      if (value.kind == Operand::Kind::Name) {
        const auto target = by_name_.find(value.name);
        if (target == by_name_.end() || element != 8) {
          return fail(Error::Code::Unsupported,
                      fmt::format("initial value {} of {}", value.name, variable.name),
                      place(variable));
        }
        out.links.push_back({static_cast<std::int64_t>(i * element), target->second, value.offset});
        continue;
      }
      if (value.kind == Operand::Kind::F64 && variable.type == Type::F32) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      } else if ((value.kind == Operand::Kind::F64 && element != 8) ||
                 (value.kind == Operand::Kind::F32 && element != 4) ||
                 (value.kind == Operand::Kind::Integer &&
                  (variable.type == Type::F32 || variable.type == Type::F64) && bits != 0)) {
        return fail(Error::Code::Unsupported,
                    fmt::format("an initial value of {} has another type", variable.name),
                    place(variable));
      }
      std::memcpy(out.initial.data() + i * element, &bits, element);
    }
    return out;
  }

 private:
  [[nodiscard]] Position place(const Variable& variable) const {
    return Position{syntax_.file, variable.line, 0};
  }
  const Syntax& syntax_;
  const std::unordered_map<std::string_view, int>& by_name_;
};

}  // namespace

Result<std::vector<GlobalVariable>> decode_globals(const Syntax& syntax,
                                                   std::vector<int>& global_of) {
  std::unordered_map<std::string_view, int> by_name;
  global_of.assign(syntax.variables.size(), -1);
  int next = 0;
  for (std::size_t i = 0; i < syntax.variables.size(); ++i) {
    const Variable& variable = syntax.variables[i];
    if (variable.space != Space::Global && variable.space != Space::Const) continue;
    if (variable.external) continue;  // undeclared for us: a use of it is refused
    by_name[variable.name] = next;
    global_of[i] = next++;
  }
  std::vector<GlobalVariable> out;
  for (std::size_t i = 0; i < syntax.variables.size(); ++i) {
    if (global_of[i] < 0) continue;
    SEAM_TRY(GlobalVariable made, Initializer(syntax, by_name).make(syntax.variables[i]));
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace seam::sim
