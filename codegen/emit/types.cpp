#include "emit/types.h"

#include <fmt/core.h>

#include "base/check.h"

namespace seam::codegen {

std::string_view register_type(DType dtype) {
  switch (dtype) {
    case DType::Pred: return "bool";
    case DType::S8: return "signed char";
    case DType::S16: return "short";
    case DType::S32: return "int";
    case DType::S64: return "long long";
    case DType::U8: return "unsigned char";
    case DType::U16: return "unsigned short";
    case DType::U32: return "unsigned int";
    case DType::U64: return "unsigned long long";
    case DType::F16:
    case DType::BF16:
    case DType::F32: return "float";
    case DType::F64: return "double";
    default: break;
  }
  SEAM_CHECK(false, "no register type");
}

std::string_view memory_type(DType dtype) {
  switch (dtype) {
    case DType::Pred: return "unsigned char";
    case DType::F16:
    case DType::BF16: return "unsigned short";
    default: return register_type(dtype);
  }
}

std::string loaded(DType dtype, const std::string& element) {
  switch (dtype) {
    case DType::Pred: return element + " != 0";
    case DType::F16: return fmt::format("f16_to_float({})", element);
    case DType::BF16: return fmt::format("bf16_to_float({})", element);
    default: return element;
  }
}

std::string stored(DType dtype, const std::string& value) {
  switch (dtype) {
    case DType::Pred: return fmt::format("{} ? 1 : 0", value);
    case DType::F16: return fmt::format("float_to_f16({})", value);
    case DType::BF16: return fmt::format("float_to_bf16({})", value);
    default: return value;
  }
}

}  // namespace seam::codegen
