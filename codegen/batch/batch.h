#pragma once
/// Many kernels as one text for the compiler: starting it costs as much as compiling a small kernel. What comes back is cut into the PTX that
/// each kernel would have got alone, byte for byte.
#include <string>
#include <string_view>
#include <vector>

#include "batch/canonical.h"
#include "batch/entries.h"

namespace seam::codegen {

class Batch {
 public:
  /// Kernels of different keys; not owned.
  explicit Batch(const std::vector<const Canonical*>& kernels);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// What text() became. False if it cannot be cut: then each is to be compiled alone.
  [[nodiscard]] bool take(std::string_view ptx);
  /// The PTX of a kernel that has the key of the batch's i-th.
  [[nodiscard]] std::string ptx(std::size_t i, const Canonical& kernel, std::string_view name, std::string_view file) const;

 private:
  struct Section {
    int before = 0;  ///< lines of the text before it
    const Piece* piece = nullptr;
    bool helper = false;
  };
  void add(const Piece& piece, bool helper, std::string_view entry);
  [[nodiscard]] Place place_in(const Canonical& kernel, Place at) const;

  std::string text_;
  std::vector<Section> sections_;
  int lines_ = 0;
  std::string header_;
  std::vector<PtxEntry> entries_;
};

}  // namespace seam::codegen
