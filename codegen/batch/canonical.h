#pragma once
/// A kernel's text up to names: what the compiler sees of it, and from which it comes back to the text that people read. Steps of an unrolled
/// loop differ in nothing but names, so that one of them is compiled for all; and as every entry can be given a name of its own, many kernels
/// can be compiled as one text.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/cuda_tokens.h"

namespace seam::codegen {

/// What the entry of every canonical text is called; as long as the names that take its place in a batch.
inline constexpr std::string_view kCanonicalEntry = "entry_0000";

/// One function. Comments are gone, blanks are single; lines are kept apart where the kernel's own text does.
struct Piece {
  std::string text;
  int lines = 0;
  std::vector<std::pair<Place, Place>> places;  ///< where a token stands in `text`, and where in the kernel's own text; ascending
};

struct Canonical {
  std::vector<Piece> helpers;  ///< device functions, callees before callers; their names are kept
  Piece kernel;                ///< its variables, parameters and entry renamed by order of appearance
  std::string key;             ///< all of that as one text: kernels with equal keys are one kernel
};

/// Nothing if the text does not end with the definition of `entry`.
[[nodiscard]] std::optional<Canonical> canonical(std::string_view cuda, std::string_view entry);

/// The place in the kernel's own text of a place in a piece (both relative to their beginning).
[[nodiscard]] Place own_place(const Piece& piece, Place at);

}  // namespace seam::codegen
