#pragma once
/// Shell completion, made from the very options the program has: `seam completion bash|zsh|fish`.
#include <string>
#include <string_view>

#include "base/result.h"

namespace CLI {
class App;
}

namespace seam::cli {
[[nodiscard]] Result<std::string> completion(const CLI::App& app, std::string_view shell);
}  // namespace seam::cli
