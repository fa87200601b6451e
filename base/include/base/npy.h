#pragma once
/// NumPy's .npy files (format 1.0–3.0): how tensors come in and go out. bf16 and f8 have no NumPy
/// type: they travel as uint16 / uint8 bits, and the reader of the file says what they mean.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace seam {

/// A dense row-major tensor: the file's contents.
struct Array {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::vector<std::byte> data;

  [[nodiscard]] std::int64_t elements() const;
  friend bool operator==(const Array&, const Array&) = default;
};

/// Zero-filled.
[[nodiscard]] Array make_array(DType dtype, std::vector<std::int64_t> dims);

/// Row-major and little-endian; Fortran order and big-endian files are converted. Error: BadInput with the file's name.
[[nodiscard]] Result<Array> parse_npy(std::string_view content, std::string_view file);
[[nodiscard]] Result<Array> read_npy(const std::filesystem::path& file);
/// bf16 is written as uint16, f8 as uint8.
[[nodiscard]] Result<void> write_npy(const std::filesystem::path& file, const Array& array);
/// Reinterprets same-width bits (uint16 file → bf16 tensor). Error if widths differ and dtypes are not equal.
[[nodiscard]] Result<Array> reinterpreted(Array array, DType dtype);

}  // namespace seam
