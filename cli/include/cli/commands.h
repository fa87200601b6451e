#pragma once
/// The list of all commands, in the order of `seam --help`.
#include <span>

#include "cli/command.h"

namespace seam::cli {
[[nodiscard]] std::span<const Command> commands();
}  // namespace seam::cli
