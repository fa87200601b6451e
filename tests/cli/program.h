#pragma once
/// Runs the built `seam` as a user does.
#include <string>
#include <vector>

namespace seam::cli::test {

struct Ran {
  int exit = -1;       ///< exit code; 128 + signal if one ended it
  std::string out, err;
};
/// `interrupt_after_ms` > 0: sends SIGINT then.
[[nodiscard]] Ran seam(const std::vector<std::string>& arguments, int interrupt_after_ms = 0);
/// tests/data/xla/<name>
[[nodiscard]] std::string module(const std::string& name);

}  // namespace seam::cli::test
