#include <fmt/core.h>

#include "infer/rules.h"

namespace seam::graph {
namespace {

/// The type and dimensions of operand i without its layout.
Shape like(const InferenceSite& site, std::size_t i) {
  return array_shape(site.operand(i).dtype, site.operand(i).dims);
}

Result<void> same_dims(const InferenceSite& site, std::size_t a, std::size_t b) {
  if (site.operand(a).dims == site.operand(b).dims) return {};
  return site.error(fmt::format("operands {} and {} differ: {} and {}", a, b, print(site.operand(a)),
                                print(site.operand(b))));
}

Result<Shape> binary(const InferenceSite& site) {
  SEAM_NEED(same_dims(site, 0, 1));
  if (site.operand(0).dtype != site.operand(1).dtype) {
    return site.error(fmt::format("operands 0 and 1 differ: {} and {}", print(site.operand(0)),
                                  print(site.operand(1))));
  }
  return like(site, 0);
}

Result<Shape> select(const InferenceSite& site) {
  if (site.operand(0).dtype != DType::Pred) return site.error("operand 0 must be pred");
  SEAM_NEED(same_dims(site, 1, 2));
  if (!site.operand(0).dims.empty()) SEAM_NEED(same_dims(site, 0, 1));
  if (site.operand(1).dtype != site.operand(2).dtype) return site.error("operands 1 and 2 differ in type");
  return like(site, 1);
}

Result<Shape> clamp(const InferenceSite& site) {
  for (const std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    if (!site.operand(bound).dims.empty()) SEAM_NEED(same_dims(site, bound, 1));
    if (site.operand(bound).dtype != site.operand(1).dtype) {
      return site.error("bounds and value differ in type");
    }
  }
  return like(site, 1);
}

Result<Shape> complex(const InferenceSite& site) {
  SEAM_TRY(Shape shape, binary(site));
  if (shape.dtype != DType::F32 && shape.dtype != DType::F64) return site.error("parts must be f32 or f64");
  shape.dtype = shape.dtype == DType::F32 ? DType::C64 : DType::C128;
  return shape;
}

Result<Shape> part_of_complex(const InferenceSite& site) {
  Shape shape = like(site, 0);
  if (shape.dtype == DType::C64) shape.dtype = DType::F32;
  if (shape.dtype == DType::C128) shape.dtype = DType::F64;
  return shape;
}

}  // namespace

Result<std::optional<Shape>> infer_elementwise(const InferenceSite& site) {
  const auto some = [](Result<Shape> shape) -> Result<std::optional<Shape>> {
    if (!shape) return tl::unexpected(std::move(shape).error());
    return std::optional<Shape>(*std::move(shape));
  };
  const Opcode opcode = site.op.opcode;
  if (op_class(opcode) != OpClass::Elementwise) return std::nullopt;
  SEAM_NEED(site.needs_arrays());
  switch (opcode) {
    case Opcode::Convert:
    case Opcode::BitcastConvert:
    case Opcode::StochasticConvert: return site.stated();
    case Opcode::Compare: {
      SEAM_TRY(Shape shape, binary(site));
      shape.dtype = DType::Pred;
      return std::optional<Shape>(shape);
    }
    case Opcode::IsFinite: return std::optional<Shape>(array_shape(DType::Pred, site.operand(0).dims));
    case Opcode::Select: return some(select(site));
    case Opcode::Clamp: return some(clamp(site));
    case Opcode::Complex: return some(complex(site));
    case Opcode::Real:
    case Opcode::Imag: return some(part_of_complex(site));
    case Opcode::Abs: return some(part_of_complex(site));
    case Opcode::Map: {
      SEAM_NEED(site.needs_operands(1));
      for (std::size_t i = 1; i < site.operand_count(); ++i) SEAM_NEED(same_dims(site, 0, i));
      return std::optional<Shape>(array_shape(site.callee_result(0).dtype, site.operand(0).dims));
    }
    default: break;
  }
  if (arity(opcode) == 2) return some(binary(site));
  return std::optional<Shape>(like(site, 0));
}

}  // namespace seam::graph
