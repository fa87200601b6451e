#include "report/reproducer.h"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "base/check.h"
#include "codegen/inputs.h"
#include "export/reproducer_text.h"
#include "report/launch.h"

namespace seam::report {
namespace {

/// How the reproducer fills a buffer of that type: a fill_… function of reproducer_text.h, or none.
std::string filler(DType dtype) {
  switch (dtype) {
    case DType::F64: return "Kind::F64";
    case DType::F32: return "Kind::F32";
    case DType::F16: return "Kind::F16";
    case DType::BF16: return "Kind::BF16";
    case DType::Pred: return "Kind::Pred";
    default: return is_integer(dtype) ? "Kind::Integer" : "Kind::Zeros";
  }
}

/// The constant behind an input, if the graph states its value: proofs ran on that.
const Array* stated(const KernelView& kernel, const LaunchArgument& argument, const codegen::Argument& source) {
  if (argument.role != ArgumentRole::Input && argument.role != ArgumentRole::Updated) return nullptr;
  const Id<graph::Op> value = argument.role == ArgumentRole::Updated ? source.aliases : source.op;
  const graph::Op& op = kernel.computation.ops[planner::storage_of(kernel.computation, value)];
  return op.opcode == graph::Opcode::Constant && op.attributes.literal.known ? &op.attributes.literal.value : nullptr;
}

std::string constants(const KernelView& kernel, const LaunchShape& launch) {
  std::string text;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Array* array = stated(kernel, launch.arguments[i], kernel.built.source.arguments[i]);
    if (array == nullptr) continue;
    text += fmt::format("const unsigned char kConstant{}[] = {{", i);
    for (std::size_t b = 0; b < array->data.size(); ++b) text += fmt::format("{}{},", b % 40 == 0 ? "\n    " : "", static_cast<unsigned>(array->data[b]));
    text += "};\n";
  }
  return text;
}

std::string argument_rows(const KernelView& kernel, const LaunchShape& launch) {
  std::string rows;
  std::map<Id<graph::Op>, std::uint64_t> numbers;  // by storage op: as in the proof, tensors that share a buffer are one tensor
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    const codegen::Argument& source = kernel.built.source.arguments[i];
    std::uint64_t number = 0;
    if (argument.role == ArgumentRole::Input || argument.role == ArgumentRole::Updated) {
      const Id<graph::Op> value = argument.role == ArgumentRole::Updated ? source.aliases : source.op;
      number = numbers.try_emplace(planner::storage_of(kernel.computation, value), numbers.size() + 1).first->second;
    }
    std::string dims;
    for (const std::int64_t d : argument.dims) dims += fmt::format("{}{}", dims.empty() ? "" : ",", d);
    const std::string bytes_of = stated(kernel, argument, source) != nullptr ? fmt::format("kConstant{}", i) : "nullptr";
    rows += fmt::format("    {{\"{}\", \"{}[{}]\", Role::{}, {}, {}, {}, {}, {}}},\n", argument.name, name(argument.dtype), dims,
                        argument.role == ArgumentRole::Input ? "Input" : argument.role == ArgumentRole::Output ? "Output" : argument.role == ArgumentRole::Updated ? "Updated" : "Workspace",
                        filler(argument.dtype), argument.role == ArgumentRole::Workspace ? 1 : bytes(argument.dtype),
                        argument.role == ArgumentRole::Workspace ? argument.bytes : source.elements, number == 0 ? 0 : codegen::input_seed(0, number), bytes_of);
  }
  return rows;
}

std::string number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return fmt::format("{:.17g}", value);
}

std::string expected_rows(const codegen::Verdict& verdict) {
  std::string rows;
  for (const codegen::Expected& expected : verdict.expected) {
    std::string values;
    for (std::size_t e = 0; e < 4; ++e) values += fmt::format("{}{}", e == 0 ? "" : ", ", e < expected.values.size() ? number(expected.values[e]) : "0");
    rows += fmt::format("    {{{}, {}, {{{}}}, {}}},\n", expected.argument, expected.values.size(), values, number(expected.allowed));
  }
  return rows;
}

/// A raw string literal; no line of PTX holds its end.
std::string literal(const std::string& ptx) {
  SEAM_CHECK(ptx.find(")PTX\"") == std::string::npos, "PTX that ends its own literal");
  return "R\"PTX(" + ptx + ")PTX\"";
}

}  // namespace

std::string reproducer(const Optimized& optimized, const KernelView& kernel) {
  const LaunchShape launch = launch_of(kernel);
  const auto [low, high] = codegen::integer_range(kernel.computation, kernel.group);
  const Device& device = optimized.options.device;
  std::string out = fmt::format(kReproducerHead, fmt::arg("kernel", kernel.built.source.name), fmt::arg("tool", optimized.tool), fmt::arg("module", optimized.graph->name),
                                fmt::arg("device", device.product), fmt::arg("compute", fmt::format("{}.{}", optimized.ptx_target / 10, optimized.ptx_target % 10)),
                                fmt::arg("sha256", kernel.verdict.ptx_sha256));
  out += kReproducerGenerator;
  out += constants(kernel, launch);
  out += fmt::format(kReproducerData, fmt::arg("kernel", kernel.built.source.name), fmt::arg("grid", launch.grid), fmt::arg("block", launch.block),
                     fmt::arg("shared", launch.shared_bytes), fmt::arg("low", low), fmt::arg("high", high), fmt::arg("arguments", argument_rows(kernel, launch)),
                     fmt::arg("expected", expected_rows(kernel.verdict)));
  out += "const char* const kPtx = " + literal(kernel.built.ptx) + ";\n";
  out += kReproducerMain;
  return out;
}

}  // namespace seam::report
