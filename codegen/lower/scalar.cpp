// Scalar ops: what one element of an elementwise op is, and computations of scalars (reducers and the like).
#include <fmt/core.h>

#include <unordered_map>

#include "lower/elements.h"

namespace seam::codegen {

using graph::Op;
using graph::Opcode;

tl::unexpected<Error> unsupported(const Op& op, std::string_view why) {
  std::optional<Position> at;
  if (!op.at.file.empty()) at = op.at;
  return fail(Error::Code::Unsupported, fmt::format("no kernel can be generated for {} ({}): {}", op.name, graph::name(op.opcode), why), at);
}

Result<void> check_type(const Op& op, DType dtype) {
  switch (dtype) {
    case DType::Pred:
    case DType::S8:
    case DType::S16:
    case DType::S32:
    case DType::S64:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64: return {};
    default: return unsupported(op, fmt::format("element type {}", name(dtype)));
  }
}

Result<Expr> literal_element(const Op& constant, std::int64_t at) {
  const graph::Literal& literal = constant.attributes.literal;
  if (!literal.known) return unsupported(constant, "the text elides its value ({...})");
  if (auto ok = check_type(constant, literal.value.dtype); !ok) return tl::unexpected(std::move(ok).error());
  const DType dtype = literal.value.dtype;
  const auto width = static_cast<std::size_t>(bytes(dtype));
  const std::byte* data = literal.value.data.data() + static_cast<std::size_t>(at) * width;
  if (is_float(dtype)) return imm_float(dtype, load_as_double(dtype, data));
  if (dtype == DType::Pred) return imm_pred(*data != std::byte{0});
  std::uint64_t raw = 0;
  for (std::size_t i = width; i-- > 0;) raw = (raw << 8U) | std::to_integer<std::uint64_t>(data[i]);
  if (is_signed(dtype) && width < 8 && ((raw >> (8 * width - 1)) & 1U) != 0) raw |= ~std::uint64_t{0} << (8 * width);
  return Expr(Imm{dtype, raw});
}

Result<Expr> scalar_op(const Op& op, std::vector<Expr> args) {
  const DType dtype = op.shape.dtype;
  if (auto ok = check_type(op, dtype); !ok) return tl::unexpected(std::move(ok).error());
  const DType from = args.empty() ? dtype : dtype_of(args[0]);
  switch (op.opcode) {
    case Opcode::Convert:
      if (from == dtype) return args[0];
      break;
    case Opcode::BitcastConvert:
      if (from == dtype) return args[0];
      if (bits(from) != bits(dtype)) return unsupported(op, "bitcast-convert between types of different width");
      break;
    case Opcode::Compare: {
      const auto direction = static_cast<std::int64_t>(op.attributes.direction);
      const std::int64_t total = op.attributes.compare_type == "TOTALORDER" && is_float(from) ? 1 : 0;
      return Expr(Scalar{op.opcode, DType::Pred, std::move(args), direction, total});
    }
    case Opcode::ReducePrecision:
      if (dtype == DType::F64) return unsupported(op, "reduce-precision of f64");
      return Expr(Scalar{op.opcode, dtype, std::move(args), op.attributes.exponent_bits, op.attributes.mantissa_bits});
    case Opcode::Real: return args[0];
    case Opcode::Complex:
    case Opcode::Imag: return unsupported(op, "complex numbers");
    case Opcode::StochasticConvert: return unsupported(op, "stochastic rounding");
    default: break;
  }
  return Expr(Scalar{op.opcode, dtype, std::move(args)});
}

namespace {

class ScalarRun {
 public:
  ScalarRun(const graph::Graph& graph, const graph::Computation& computation, std::span<const Expr> parameters, Builder& builder)
      : graph_(graph), computation_(computation), parameters_(parameters), builder_(builder) {}

  Result<std::vector<Expr>> root() {
    const Op& root = computation_.ops[computation_.root];
    std::vector<Expr> out;
    if (root.opcode == Opcode::Tuple) {
      for (const Id<Op> element : root.operands) {
        SEAM_TRY(Expr e, value(element));
        out.push_back(std::move(e));
      }
      return out;
    }
    SEAM_TRY(Expr e, value(computation_.root));
    out.push_back(std::move(e));
    return out;
  }

 private:
  Result<Expr> value(Id<Op> id) {
    if (const auto found = values_.find(id); found != values_.end()) return found->second;
    SEAM_TRY(Expr e, compute(computation_.ops[id]));
    const bool named = std::holds_alternative<Scalar>(e->kind) && id != computation_.root;
    if (named) e = builder_.let(computation_.ops[id].name, e);
    values_.emplace(id, e);
    return e;
  }

  Result<Expr> compute(const Op& op) {
    if (op.shape.elements_count() != 1) return unsupported(op, "not a scalar inside a scalar computation");
    switch (op.opcode) {
      case Opcode::Parameter: return parameters_[static_cast<std::size_t>(op.attributes.index)];
      case Opcode::Constant: return literal_element(op, 0);
      case Opcode::Broadcast:
      case Opcode::Reshape:
      case Opcode::Bitcast:
      case Opcode::Copy:
      case Opcode::OptBarrier: return value(op.operands.at(0));
      case Opcode::GetTupleElement: {
        const Op& tuple = computation_.ops[op.operands.at(0)];
        if (tuple.opcode != Opcode::Tuple) return unsupported(op, "element of a tuple that is not built here");
        return value(tuple.operands.at(static_cast<std::size_t>(op.attributes.index)));
      }
      case Opcode::Call:
      case Opcode::Fusion:
      case Opcode::Map: {
        SEAM_TRY(std::vector<Expr> args, arguments(op));
        SEAM_TRY(std::vector<Expr> out, scalar_computation(graph_, op.attributes.calls.at(0), args, builder_));
        if (out.size() != 1) return unsupported(op, "a call that returns a tuple");
        return out[0];
      }
      default: break;
    }
    if (graph::op_class(op.opcode) != graph::OpClass::Elementwise) return unsupported(op, "not elementwise inside a scalar computation");
    SEAM_TRY(std::vector<Expr> args, arguments(op));
    return scalar_op(op, std::move(args));
  }

  Result<std::vector<Expr>> arguments(const Op& op) {
    std::vector<Expr> args;
    for (const Id<Op> operand : op.operands) {
      SEAM_TRY(Expr e, value(operand));
      args.push_back(std::move(e));
    }
    return args;
  }

  const graph::Graph& graph_;
  const graph::Computation& computation_;
  std::span<const Expr> parameters_;
  Builder& builder_;
  std::unordered_map<Id<Op>, Expr> values_;
};

}  // namespace

Result<std::vector<Expr>> scalar_computation(const graph::Graph& graph, Id<graph::Computation> computation,
                                             std::span<const Expr> parameters, Builder& builder) {
  return ScalarRun(graph, graph.computations[computation], parameters, builder).root();
}

}  // namespace seam::codegen
