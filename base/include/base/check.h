#pragma once
/// SEAM_CHECK guards invariants of our own code. A broken one throws Bug with its place; main() and
/// the GUI's job runner catch it, say so, and keep the rest alive. What a user, file or driver can
/// cause is an Error (base/result.h), never a Bug.
#include <source_location>
#include <stdexcept>
#include <string>

namespace seam {

class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_bug(const std::string& what, const std::source_location& where);

}  // namespace seam

#define SEAM_CHECK(condition, message)                                             \
  do {                                                                             \
    if (!(condition)) ::seam::throw_bug(message, std::source_location::current()); \
  } while (false)
