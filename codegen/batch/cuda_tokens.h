#pragma once
/// CUDA text → tokens, as far as telling names, comments and everything else apart needs: one punctuation character is one token.
#include <compare>
#include <string_view>
#include <vector>

namespace seam::codegen {

/// Lines and columns count from 1.
struct Place {
  int line = 0, column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct CudaToken {
  std::string_view text;
  Place at;
  bool word = false;        ///< a name or keyword
  bool starts_line = false;
  bool after_blank = false;  ///< a blank or comment stands before it on its line
};

/// Comments are left out. Views point into `text`.
[[nodiscard]] std::vector<CudaToken> cuda_tokens(std::string_view text);

}  // namespace seam::codegen
