/// The launch description of an Inductor graph.
#include <fmt/core.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "codegen/triton.h"

namespace seam::codegen {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 38;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

/// A value and where it stands ("steps[3].args[0].buffer"), so that every complaint can say so.
struct At {
  const Json& json;
  const std::string& file;
  std::string path;

  [[nodiscard]] tl::unexpected<Error> bad(std::string_view why) const {
    return fail(Error::Code::BadInput, path.empty() ? fmt::format("{}: {}", file, why) : fmt::format("{}: {}: {}", file, path, why));
  }
  [[nodiscard]] bool has(const char* key) const { return json.is_object() && json.contains(key); }
  [[nodiscard]] Result<At> field(const char* key) const {
    if (!json.is_object()) return bad("wants an object");
    const auto found = json.find(key);
    if (found == json.end()) return bad(fmt::format("has no {}", key));
    return At{*found, file, path.empty() ? key : fmt::format("{}.{}", path, key)};
  }
  [[nodiscard]] Result<std::vector<At>> items() const {
    if (!json.is_array()) return bad("wants a list");
    std::vector<At> out;
    for (std::size_t i = 0; i < json.size(); ++i) out.push_back({json[i], file, fmt::format("{}[{}]", path, i)});
    return out;
  }
  [[nodiscard]] Result<std::string> text() const {
    if (!json.is_string()) return bad("wants text");
    return json.get<std::string>();
  }
  [[nodiscard]] Result<std::int64_t> integer(std::int64_t least, std::int64_t most) const {
    const bool fits = json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    if (!fits || json.get<std::int64_t>() < least || json.get<std::int64_t>() > most) return bad(fmt::format("wants a whole number from {} to {}", least, most));
    return json.get<std::int64_t>();
  }
};

Result<std::string> text_of(const At& at, const char* key) {
  SEAM_TRY(const At field, at.field(key));
  return field.text();
}

Result<std::int64_t> integer_of(const At& at, const char* key, std::int64_t least, std::int64_t most) {
  SEAM_TRY(const At field, at.field(key));
  return field.integer(least, most);
}

Result<std::vector<std::int64_t>> integers_of(const At& at, const char* key, std::int64_t least, std::int64_t most) {
  SEAM_TRY(const At field, at.field(key));
  SEAM_TRY(const std::vector<At> items, field.items());
  std::vector<std::int64_t> out;
  for (const At& item : items) {
    SEAM_TRY(const std::int64_t value, item.integer(least, most));
    out.push_back(value);
  }
  return out;
}

/// CUDA's limits: what is beyond them can be launched nowhere, and a count of blocks stays in 64 bits.
constexpr std::array<std::int64_t, 3> kMostBlocks{(std::int64_t{1} << 31) - 1, 65'535, 65'535};
constexpr std::array<std::int64_t, 3> kMostThreads{1024, 1024, 64};

Result<sim::Dim3> sizes_of(const At& at, const char* key, const std::array<std::int64_t, 3>& most) {
  SEAM_TRY(const At field, at.field(key));
  SEAM_TRY(const std::vector<At> items, field.items());
  if (items.size() != 3) return field.bad("wants three sizes");
  std::array<std::uint32_t, 3> out{};
  for (std::size_t d = 0; d < 3; ++d) {
    SEAM_TRY(const std::int64_t size, items[d].integer(1, most[d]));
    out[d] = static_cast<std::uint32_t>(size);
  }
  return sim::Dim3{out[0], out[1], out[2]};
}

Result<DType> dtype_of(const At& at) {
  static const std::map<std::string, DType, std::less<>> kNames = {
      {"float64", DType::F64}, {"float32", DType::F32}, {"float16", DType::F16}, {"bfloat16", DType::BF16}, {"int64", DType::S64}, {"int32", DType::S32},
      {"int16", DType::S16},   {"int8", DType::S8},     {"uint8", DType::U8},    {"bool", DType::Pred},     {"float8_e4m3fn", DType::F8E4M3FN}, {"float8_e5m2", DType::F8E5M2}};
  SEAM_TRY(const std::string name, text_of(at, "dtype"));
  const auto found = kNames.find(name);
  if (found == kNames.end()) return at.bad(fmt::format("no such element type: {}", name));
  return found->second;
}

Result<TritonRole> role_of(const At& at) {
  SEAM_TRY(const std::string name, text_of(at, "role"));
  if (name == "in") return TritonRole::In;
  if (name == "out") return TritonRole::Out;
  if (name == "inout") return TritonRole::InOut;
  return at.bad(fmt::format("role is in, out or inout, not {}", name));
}

Result<TritonView> view_of(const At& at, const TritonGraph& graph) {
  TritonView out;
  SEAM_TRY(const std::int64_t buffer, integer_of(at, "buffer", 0, static_cast<std::int64_t>(graph.buffers.size()) - 1));
  out.buffer = static_cast<std::size_t>(buffer);
  SEAM_TRY(out.role, role_of(at));
  SEAM_TRY(out.dtype, dtype_of(at));
  SEAM_TRY(out.offset, integer_of(at, "offset", 0, graph.buffers[out.buffer] / bytes(out.dtype)));
  if (!at.has("shape")) return out;
  SEAM_TRY(out.dims, integers_of(at, "shape", 0, kMostElements));
  SEAM_TRY(out.strides, integers_of(at, "stride", 0, kMostElements));
  if (out.dims->size() != out.strides->size()) return at.bad("shape and stride differ in length");
  std::int64_t elements = 1;
  for (const std::int64_t size : *out.dims) {
    if (size > 0 && elements > kMostElements / size) return at.bad("the shape is too large");
    elements *= size;
  }
  return out;
}

Result<TritonScalar> scalar_of(const At& at) {
  TritonScalar out;
  SEAM_TRY(out.type, text_of(at, "type"));
  SEAM_TRY(const At value, at.field("value"));
  if (out.type == "fp32") {
    if (!value.json.is_number()) return value.bad("wants a number");
    out.number = value.json.get<double>();
    return out;
  }
  if (out.type != "i32" && out.type != "i64" && !out.type.starts_with('*')) return at.bad(fmt::format("no such type of a scalar: {}", out.type));
  const bool narrow = out.type == "i32";
  SEAM_TRY(out.integer, value.integer(narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min(),
                                      narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max()));
  return out;
}

Result<TritonArgument> argument_of(const At& at, TritonKind kind, const TritonGraph& graph) {
  TritonArgument out;
  SEAM_TRY(out.name, text_of(at, "name"));
  if (at.has("buffer")) {
    SEAM_TRY(out.value, view_of(at, graph));
  } else if (kind == TritonKind::Launch) {
    SEAM_TRY(out.value, scalar_of(at));
  }
  return out;
}

Result<TritonStep> step_of(const At& at, const TritonGraph& graph) {
  TritonStep out;
  SEAM_TRY(const std::string kind, text_of(at, "kind"));
  if (kind != "triton" && kind != "extern") return at.bad(fmt::format("kind is triton or extern, not {}", kind));
  out.kind = kind == "triton" ? TritonKind::Launch : TritonKind::Library;
  SEAM_TRY(out.name, text_of(at, "name"));
  if (out.kind == TritonKind::Launch) {
    if (!graph.kernels.contains(out.name)) return at.bad(fmt::format("kernels has no {}", out.name));
    SEAM_TRY(out.grid, sizes_of(at, "grid", kMostBlocks));
    SEAM_TRY(out.block, sizes_of(at, "block", kMostThreads));
    SEAM_TRY(out.dynamic_shared, integer_of(at, "shared_bytes", 0, kMost32));
  }
  SEAM_TRY(const At arguments, at.field("args"));
  SEAM_TRY(const std::vector<At> items, arguments.items());
  for (const At& item : items) {
    SEAM_TRY(TritonArgument one, argument_of(item, out.kind, graph));
    out.arguments.push_back(std::move(one));
  }
  return out;
}

Result<TritonKernel> kernel_of(const At& at) {
  TritonKernel out;
  SEAM_TRY(out.ptx, text_of(at, "ptx"));
  // It names a file of one folder, no way out of it.
  if (out.ptx.empty() || out.ptx.find_first_of("/\\") != std::string::npos) return at.bad("ptx is the name of a file, without folders and .ptx");
  if (at.has("global_scratch_bytes")) {
    SEAM_TRY(out.global_scratch, integer_of(at, "global_scratch_bytes", 0, kMostBytes));
  }
  if (at.has("sm_80")) {
    SEAM_TRY(const At other, at.field("sm_80"));
    if (other.has("shared_bytes")) {
      SEAM_TRY(out.dynamic_shared_sm_80, integer_of(other, "shared_bytes", 0, kMost32));
    }
  }
  return out;
}

}  // namespace

Result<TritonGraph> read_triton_graph(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    return fail(Error::Code::BadInput, fmt::format("{}: not JSON, or cut off: {}", file, error.what()));
  }
  const At top{json, file, {}};
  TritonGraph out;
  out.file = file;
  SEAM_TRY(const std::string program, text_of(top, "program"));
  SEAM_TRY(const std::string direction, text_of(top, "graph"));
  out.name = program + "." + direction;
  SEAM_TRY(const At kernels, top.field("kernels"));
  if (!kernels.json.is_object()) return kernels.bad("wants an object");
  for (const auto& [name, kernel] : kernels.json.items()) {
    SEAM_TRY(out.kernels[name], kernel_of({kernel, file, "kernels." + name}));
  }
  SEAM_TRY(out.buffers, integers_of(top, "buffers", 0, kMostBytes));
  SEAM_TRY(const At steps, top.field("steps"));
  SEAM_TRY(const std::vector<At> items, steps.items());
  for (const At& item : items) {
    SEAM_TRY(TritonStep step, step_of(item, out));
    out.steps.push_back(std::move(step));
  }
  return out;
}

Result<TritonGraph> read_triton_graph(const std::filesystem::path& file) {
  SEAM_TRY(const std::string text, read_file(file));
  return read_triton_graph(text, file.string());
}

}  // namespace seam::codegen
