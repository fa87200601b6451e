#include <algorithm>
#include <array>
#include <charconv>

#include "graph/torch_program.h"

namespace seam::graph::torch {
namespace {

/// Sizes as SymPy prints them: 64, s17, 8*s17, s0 + 1, (s0//2), s0**2, Max(1, s0 - 2), -u1. What is no whole number (ToFloat(s0), a symbol
/// zf3 of a float) has no value and is not missing.
class SizeReader {
 public:
  SizeReader(std::string_view text, const std::map<std::string, std::int64_t>& sizes, std::vector<std::string>& missing)
      : text_(text), sizes_(sizes), missing_(missing) {}

  std::optional<std::int64_t> whole() {
    const std::optional<std::int64_t> value = sum();
    skip();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view exact) {
    skip();
    if (!text_.substr(at_).starts_with(exact)) return false;
    at_ += exact.size();
    return true;
  }

  std::optional<std::int64_t> sum() {
    std::optional<std::int64_t> value = product();
    while (value) {
      const bool minus = accept("-");
      if (!minus && !accept("+")) break;
      const std::optional<std::int64_t> next = product();
      if (!next || (minus ? __builtin_sub_overflow(*value, *next, &*value) : __builtin_add_overflow(*value, *next, &*value))) return std::nullopt;
    }
    return value;
  }

  std::optional<std::int64_t> product() {
    std::optional<std::int64_t> value = factor();
    while (value) {
      if (accept("//")) {
        const std::optional<std::int64_t> next = factor();
        if (!next || *next <= 0) return std::nullopt;
        value = floor_divided(*value, *next);
      } else if (accept("%")) {
        const std::optional<std::int64_t> next = factor();
        if (!next || *next <= 0) return std::nullopt;
        value = *value - floor_divided(*value, *next) * *next;
      } else if (accept("*")) {
        const std::optional<std::int64_t> next = factor();
        if (!next || __builtin_mul_overflow(*value, *next, &*value)) return std::nullopt;
      } else {
        break;
      }
    }
    return value;
  }

  /// Of a divisor above 0, rounded down as Python does.
  static std::int64_t floor_divided(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

  /// A power binds more tightly than the sign before it.
  std::optional<std::int64_t> factor() {
    if (++depth_ > 64) return std::nullopt;
    std::optional<std::int64_t> value;
    if (accept("-")) {
      value = factor();
      if (value && __builtin_sub_overflow(std::int64_t{0}, *value, &*value)) value = std::nullopt;
    } else {
      value = atom();
      if (value && accept("**")) value = power(*value, factor());
    }
    --depth_;
    return value;
  }

  static std::optional<std::int64_t> power(std::int64_t base, std::optional<std::int64_t> exponent) {
    if (!exponent || *exponent < 0 || *exponent > 64) return std::nullopt;
    std::int64_t out = 1;
    for (std::int64_t i = 0; i < *exponent; ++i)
      if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
    return out;
  }

  /// "Max(1, s0)" behind its name: of two operands or more.
  std::optional<std::int64_t> function(std::string_view name) {
    std::vector<std::int64_t> operands;
    do {
      const std::optional<std::int64_t> operand = sum();
      if (!operand) return std::nullopt;
      operands.push_back(*operand);
    } while (accept(","));
    if (!accept(")")) return std::nullopt;
    if (name == "Max") return std::ranges::max(operands);
    if (name == "Min") return std::ranges::min(operands);
    if (operands.size() != 2 || operands[1] <= 0) return std::nullopt;
    const std::int64_t down = floor_divided(operands[0], operands[1]);
    const bool divides = down * operands[1] == operands[0];
    if (name == "FloorDiv" || (name == "CleanDiv" && divides)) return down;
    if (name == "CeilDiv") return divides ? down : down + 1;
    if (name == "Mod" || name == "PythonMod") return operands[0] - down * operands[1];
    return std::nullopt;
  }

  std::optional<std::int64_t> atom() {
    if (accept("(")) {
      const std::optional<std::int64_t> value = sum();
      return accept(")") ? value : std::nullopt;
    }
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
    }
    if (accept("(")) return function(word);
    if (word.starts_with("zf") || word.starts_with("zuf")) return std::nullopt;
    const auto known = sizes_.find(std::string(word));
    if (known != sizes_.end()) return known->second;
    if (std::ranges::find(missing_, word) == missing_.end()) missing_.emplace_back(word);
    return 1;  // the caller reports what is missing
  }

  std::string_view text_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::vector<std::string>& missing_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// "[a, b]" at the front of `text`, which moves behind it. Commas inside parentheses belong to a size.
std::optional<std::vector<std::int64_t>> read_sizes(std::string_view& text, const std::map<std::string, std::int64_t>& sizes, std::vector<std::string>& missing) {
  if (!text.starts_with('[')) return std::nullopt;
  std::vector<std::int64_t> out;
  int depth = 0;
  std::size_t start = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if ((c != ',' && c != ']') || depth != 0) continue;
    const std::string_view piece = text.substr(start, i - start);
    const bool blank = piece.find_first_not_of(' ') == std::string_view::npos;
    if (!blank) {
      const std::optional<std::int64_t> size = SizeReader(piece, sizes, missing).whole();
      if (!size) return std::nullopt;
      out.push_back(*size);
    } else if (c == ',') {
      return std::nullopt;
    }
    start = i + 1;
    if (c == ']') {
      text.remove_prefix(i + 1);
      return out;
    }
  }
  return std::nullopt;
}

struct DtypeName {
  std::string_view name;
  DType dtype;
};
constexpr std::array kDtypes = {
    DtypeName{"f64", DType::F64}, DtypeName{"f32", DType::F32}, DtypeName{"f16", DType::F16}, DtypeName{"bf16", DType::BF16},
    DtypeName{"i64", DType::S64}, DtypeName{"i32", DType::S32}, DtypeName{"i16", DType::S16}, DtypeName{"i8", DType::S8},
    DtypeName{"u8", DType::U8}, DtypeName{"u16", DType::U16}, DtypeName{"u32", DType::U32}, DtypeName{"u64", DType::U64},
    DtypeName{"b8", DType::Pred}, DtypeName{"c64", DType::C64}, DtypeName{"c128", DType::C128}, DtypeName{"f8e4m3fn", DType::F8E4M3FN},
    DtypeName{"f8e5m2", DType::F8E5M2}, DtypeName{"f8e4m3fnuz", DType::F8E4M3FNUZ}, DtypeName{"f8e5m2fnuz", DType::F8E5M2FNUZ}, DtypeName{"f8e8m0fnu", DType::F8E8M0FNU},
    DtypeName{"float64", DType::F64}, DtypeName{"float32", DType::F32}, DtypeName{"float16", DType::F16}, DtypeName{"bfloat16", DType::BF16},
    DtypeName{"int64", DType::S64}, DtypeName{"int32", DType::S32}, DtypeName{"int16", DType::S16}, DtypeName{"int8", DType::S8},
    DtypeName{"uint8", DType::U8}, DtypeName{"uint16", DType::U16}, DtypeName{"uint32", DType::U32}, DtypeName{"uint64", DType::U64}, DtypeName{"bool", DType::Pred},
    DtypeName{"complex64", DType::C64}, DtypeName{"complex128", DType::C128}, DtypeName{"float8_e4m3fn", DType::F8E4M3FN}, DtypeName{"float8_e5m2", DType::F8E5M2},
    DtypeName{"double", DType::F64}, DtypeName{"float", DType::F32}, DtypeName{"half", DType::F16}, DtypeName{"c10::Half", DType::F16}, DtypeName{"c10::BFloat16", DType::BF16},
    DtypeName{"long int", DType::S64}, DtypeName{"long", DType::S64}, DtypeName{"int", DType::S32}, DtypeName{"short int", DType::S16}, DtypeName{"signed char", DType::S8},
    DtypeName{"unsigned char", DType::U8}, DtypeName{"Float", DType::F32}, DtypeName{"Double", DType::F64}, DtypeName{"Half", DType::F16}, DtypeName{"BFloat16", DType::BF16},
    DtypeName{"Long", DType::S64}, DtypeName{"Int", DType::S32}, DtypeName{"Short", DType::S16}, DtypeName{"Char", DType::S8}, DtypeName{"Byte", DType::U8}, DtypeName{"Bool", DType::Pred},
    DtypeName{"c10::Float8_e4m3fn", DType::F8E4M3FN}, DtypeName{"c10::Float8_e5m2", DType::F8E5M2}, DtypeName{"c10::complex<float>", DType::C64}, DtypeName{"c10::complex<double>", DType::C128},
};

}  // namespace

bool can_be_held(const std::vector<std::int64_t>& dims) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(elements, std::max<std::int64_t>(dim, 1), &elements) || elements > kMost) return false;
  return true;
}

std::optional<DType> torch_dtype(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (const DtypeName& entry : kDtypes)
    if (entry.name == text) return entry.dtype;
  return std::nullopt;
}

std::optional<Annotation> read_annotation(std::string_view text, const std::map<std::string, std::int64_t>& sizes, std::vector<std::string>& missing) {
  if (text.starts_with("Sym(") && text.ends_with(')')) {
    const std::optional<std::int64_t> value = SizeReader(text.substr(4, text.size() - 5), sizes, missing).whole();
    if (!value) return std::nullopt;
    return Annotation{std::nullopt, value};
  }
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::optional<DType> dtype = torch_dtype(text.substr(0, open));
  if (!dtype) return std::nullopt;
  text.remove_prefix(open);
  TensorType type{*dtype, {}, std::nullopt};
  const auto dims = read_sizes(text, sizes, missing);
  if (!dims || !can_be_held(*dims)) return std::nullopt;
  type.dims = *dims;
  if (text.starts_with('[')) {
    type.strides = read_sizes(text, sizes, missing);
    if (!type.strides || type.strides->size() != type.dims.size()) return std::nullopt;
    for (const std::int64_t stride : *type.strides)
      if (stride < 0) return std::nullopt;
  }
  return Annotation{std::move(type), std::nullopt};
}

}  // namespace seam::graph::torch
