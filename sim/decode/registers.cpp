#include "decode/registers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace seam::sim {
namespace {

struct SpecialName {
  std::string_view name;
  Special special;
  int bytes;
};

// %clock, %globaltimer, %smid and the like have no true value here: they are left out, so that using one is refused.
constexpr std::array kSpecials = {
    SpecialName{"%tid.x", Special::TidX, 4},
    SpecialName{"%tid.y", Special::TidY, 4},
    SpecialName{"%tid.z", Special::TidZ, 4},
    SpecialName{"%ntid.x", Special::NtidX, 4},
    SpecialName{"%ntid.y", Special::NtidY, 4},
    SpecialName{"%ntid.z", Special::NtidZ, 4},
    SpecialName{"%ctaid.x", Special::CtaidX, 4},
    SpecialName{"%ctaid.y", Special::CtaidY, 4},
    SpecialName{"%ctaid.z", Special::CtaidZ, 4},
    SpecialName{"%nctaid.x", Special::NctaidX, 4},
    SpecialName{"%nctaid.y", Special::NctaidY, 4},
    SpecialName{"%nctaid.z", Special::NctaidZ, 4},
    SpecialName{"%laneid", Special::LaneId, 4},
    SpecialName{"%warpid", Special::WarpId, 4},
    SpecialName{"%nwarpid", Special::NwarpId, 4},
    SpecialName{"%lanemask_eq", Special::LanemaskEq, 4},
    SpecialName{"%lanemask_lt", Special::LanemaskLt, 4},
    SpecialName{"%lanemask_le", Special::LanemaskLe, 4},
    SpecialName{"%lanemask_gt", Special::LanemaskGt, 4},
    SpecialName{"%lanemask_ge", Special::LanemaskGe, 4},
    SpecialName{"%dynamic_smem_size", Special::DynamicSharedSize, 4},
    SpecialName{"%total_smem_size", Special::TotalSharedSize, 4},
};

}  // namespace

std::size_t Registers::open_function() {
  const std::size_t before = floor_;
  floor_ = scopes_.size();
  open_scope();
  return before;
}

void Registers::close_function(std::size_t floor) {
  scopes_.resize(floor_);
  floor_ = floor;
}

void Registers::declare_range(std::string_view prefix, int count, Type type) {
  scopes_.back().ranges.push_back({prefix, count, type});
}

std::uint32_t Registers::new_row(int bytes) {
  const std::uint32_t row = program_.register_bytes;
  // Rows start at cache lines; the shortest one (a predicate, or bytes) takes a whole line.
  program_.register_bytes += static_cast<std::uint32_t>(bytes <= 2 ? 64 : 32 * bytes);
  return row;
}

Symbol* Registers::find_local(std::string_view name) {
  for (std::size_t depth = scopes_.size(); depth > floor_; --depth) {
    Scope& scope = scopes_[depth - 1];
    if (const auto at = scope.names.find(name); at != scope.names.end()) return &at->second;
    for (const Range& range : scope.ranges) {
      if (name.size() <= range.prefix.size() || !name.starts_with(range.prefix)) continue;
      const std::string_view digits = name.substr(range.prefix.size());
      int number = 0;
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      const bool canonical = digits.size() == 1 || digits[0] != '0';
      if (error != std::errc() || end != digits.data() + digits.size() || !canonical ||
          number < 0 || number >= range.count) {
        continue;
      }
      Symbol symbol;
      symbol.type = range.type;
      return &scope.names.emplace(name, symbol).first->second;
    }
  }
  const auto at = globals_.find(name);
  return at == globals_.end() ? nullptr : &at->second;
}

std::optional<Symbol> Registers::find(std::string_view name) {
  const Symbol* symbol = find_local(name);
  return symbol ? std::optional<Symbol>(*symbol) : std::nullopt;
}

std::optional<Symbol> Registers::find_register(std::string_view name) {
  Symbol* symbol = find_local(name);
  if (!symbol || symbol->kind != Symbol::Kind::Register) return std::nullopt;
  if (symbol->row == kNoRow) {
    symbol->row = new_row(symbol->type == Type::Pred ? 1 : size(symbol->type));
  }
  return *symbol;
}

std::optional<std::pair<std::uint32_t, int>> Registers::special(std::string_view name) {
  for (const SpecialName& known : kSpecials) {
    if (known.name != name) continue;
    auto [at, fresh] = specials_.try_emplace({known.special, known.bytes}, 0);
    if (fresh) {
      at->second = new_row(known.bytes);
      program_.specials.push_back({at->second, known.special, known.bytes});
    }
    return std::pair(at->second, known.bytes);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Registers::parameter(std::int64_t at, int bytes) {
  if (at < 0 || at + bytes > program_.parameter_bytes) return std::nullopt;
  auto [known, fresh] = parameters_.try_emplace({at, bytes}, 0);
  if (fresh) {
    known->second = new_row(bytes);
    program_.constants.push_back({known->second, bytes, 0, -1, static_cast<int>(at)});
  }
  return known->second;
}

void Registers::note_access(Space space, int bytes) {
  const bool shared = space == Space::Shared || space == Space::Generic;
  const bool global = space == Space::Global || space == Space::Generic;
  if (shared) program_.smallest_shared = std::min(program_.smallest_shared, bytes);
  if (global) program_.smallest_global = std::min(program_.smallest_global, bytes);
}

std::uint32_t Registers::constant(std::uint64_t value, int bytes, int global) {
  if (bytes == 1) value &= 0xff;
  if (bytes == 2) value &= 0xffff;
  if (bytes == 4) value &= 0xffffffff;
  auto [at, fresh] = constants_.try_emplace({value, bytes, global}, 0);
  if (fresh) {
    at->second = new_row(bytes == 0 ? 1 : bytes);
    program_.constants.push_back({at->second, bytes, value, global, -1});
  }
  return at->second;
}

}  // namespace seam::sim
