#include "simulate_arguments.h"

#include <fmt/core.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <random>

namespace seam::cli {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 38;

tl::unexpected<Error> bad(std::string_view word, std::string_view why) {
  return fail(Error::Code::BadInput, fmt::format("--arg {}: {}", word, why));
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// f16[8,64]; f16[] is one element.
Result<void> parse_shape(std::string_view word, std::string_view text, Binding& out) {
  const auto open = text.find('[');
  const auto dtype = dtype_named(text.substr(0, open));
  if (!dtype || bytes(*dtype) == 0 || bits(*dtype) % 8 != 0) return bad(word, "no such element type");
  if (open == std::string_view::npos || text.back() != ']') return bad(word, "wants a shape: f32[128,64]");
  out.dtype = *dtype;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  std::int64_t elements = 1;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const auto size = number<std::int64_t>(rest.substr(0, comma));
    if (!size || *size < 0 || (*size > 0 && elements > kMostBytes / *size)) return bad(word, "not a shape");
    out.dims.push_back(*size);
    elements *= *size;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return {};
}

std::int64_t bytes_of(const Binding& binding) {
  std::int64_t out = bytes(binding.dtype);
  for (const std::int64_t size : binding.dims) out *= size;
  return out;
}

/// Floats: standard normal. Integers: small ones, so that sums and products stay in range. Booleans: either.
void fill_random(const Binding& binding, std::span<std::byte> memory, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto step = static_cast<std::size_t>(bytes(binding.dtype));
  for (std::size_t at = 0; at + step <= memory.size(); at += step) {
    double value = 0;
    if (is_float(binding.dtype)) {
      value = normal(random);
    } else if (binding.dtype == DType::Pred) {
      value = static_cast<double>(random() & 1);
    } else {
      value = static_cast<double>(random() % 16) - (is_signed(binding.dtype) ? 8 : 0);
    }
    store_from_double(binding.dtype, memory.data() + at, value);
  }
}

class Binder {
 public:
  Binder(sim::Memory& memory, std::uint64_t seed) : memory_(memory), seed_(seed) {}

  Result<Binding> bind(const std::string& word, const sim::KernelInfo::Parameter& parameter,
                       const std::vector<Binding>& before) {
    Binding out;
    out.word = word;
    const auto colon = word.find(':');
    const std::string_view kind = colon == std::string::npos ? std::string_view() : std::string_view(word).substr(0, colon);
    const std::string_view rest = colon == std::string::npos ? std::string_view(word) : std::string_view(word).substr(colon + 1);
    Result<void> done = {};
    if (word == "null") {
      set_pointer(out, 0);
    } else if (kind == "same") {
      done = same(word, rest, before, out);
    } else if (kind == "rand" || kind == "zero" || kind == "out") {
      done = fresh(word, kind, rest, parameter, out);
    } else if (const auto dtype = dtype_named(kind); dtype && !kind.empty()) {
      done = scalar(word, *dtype, rest, out);
    } else {
      done = file(word, parameter, out);
    }
    if (!done) return tl::unexpected(done.error());
    if (out.value.size() != static_cast<std::size_t>(parameter.size)) {
      return bad(word, fmt::format("has {} bytes, parameter {} has {}", out.value.size(), parameter.name, parameter.size));
    }
    return out;
  }

 private:
  static void set_pointer(Binding& out, std::uint64_t address) {
    out.address = address;
    out.value.resize(sizeof address);
    std::memcpy(out.value.data(), &address, sizeof address);
  }

  static Result<void> same(std::string_view word, std::string_view rest, const std::vector<Binding>& before, Binding& out) {
    const auto index = number<std::size_t>(rest);
    if (!index || *index >= before.size() || before[*index].address == 0) return bad(word, "names no earlier buffer");
    set_pointer(out, before[*index].address);
    return {};
  }

  Result<void> fresh(std::string_view word, std::string_view kind, std::string_view rest,
                     const sim::KernelInfo::Parameter& parameter, Binding& out) {
    if (auto shape = parse_shape(word, rest, out); !shape) return shape;
    out.buffer = true;
    out.output = kind == "out";
    set_pointer(out, memory_.allocate(bytes_of(out), parameter.name));
    memory_.set_initialized(out.address, !out.output);
    // Each buffer has numbers of its own.
    if (kind == "rand") fill_random(out, memory_.bytes(out.address), seed_ * 1000003 + out.address);
    return {};
  }

  static Result<void> scalar(std::string_view word, DType dtype, std::string_view rest, Binding& out) {
    out.dtype = dtype;
    out.value.resize(static_cast<std::size_t>(bytes(dtype)));
    if (is_integer(dtype)) {
      const auto value = number<std::int64_t>(rest);
      const auto wide = number<std::uint64_t>(rest);
      if (!value && !wide) return bad(word, "not an integer");
      const int width = bits(dtype);
      const bool fits = is_signed(dtype) ? value && (width >= 64 || (*value >= -(std::int64_t{1} << (width - 1)) && *value < std::int64_t{1} << (width - 1)))
                                         : wide && (width >= 64 || *wide < std::uint64_t{1} << width);
      if (!fits) return bad(word, fmt::format("out of the range of {}", name(dtype)));
      const std::uint64_t bits_wanted = value ? static_cast<std::uint64_t>(*value) : *wide;
      std::memcpy(out.value.data(), &bits_wanted, out.value.size());
      return {};
    }
    const auto value = number<double>(rest);
    if (!value || out.value.empty()) return bad(word, "not a number");
    store_from_double(dtype, out.value.data(), *value);
    return {};
  }

  Result<void> file(const std::string& word, const sim::KernelInfo::Parameter& parameter, Binding& out) {
    if (!word.ends_with(".npy")) return bad(word, fmt::format("not understood; {}", kArgumentHelp));
    SEAM_TRY(const Array array, read_npy(word));
    out.buffer = true;
    out.dtype = array.dtype;
    out.dims = array.dims;
    set_pointer(out, memory_.allocate(static_cast<std::int64_t>(array.data.size()), parameter.name));
    std::memcpy(memory_.bytes(out.address).data(), array.data.data(), array.data.size());
    memory_.set_initialized(out.address, true);
    return {};
  }

  sim::Memory& memory_;
  std::uint64_t seed_;
};

}  // namespace

Result<std::vector<Binding>> bind_arguments(const std::vector<std::string>& words, const sim::KernelInfo& kernel,
                                            sim::Memory& memory, std::uint64_t seed) {
  if (words.size() != kernel.parameters.size()) {
    return fail(Error::Code::BadInput,
                fmt::format("kernel {} has {} parameters, {} --arg given", kernel.name, kernel.parameters.size(), words.size()));
  }
  Binder binder(memory, seed);
  std::vector<Binding> out;
  for (std::size_t k = 0; k < words.size(); ++k) {
    SEAM_TRY(Binding one, binder.bind(words[k], kernel.parameters[k], out));
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<std::byte> parameter_block(const std::vector<Binding>& bindings, const sim::KernelInfo& kernel) {
  std::vector<std::byte> out;
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    const auto offset = static_cast<std::size_t>(kernel.parameters[k].offset);
    out.resize(offset + bindings[k].value.size());
    std::memcpy(out.data() + offset, bindings[k].value.data(), bindings[k].value.size());
  }
  return out;
}

}  // namespace seam::cli
