#pragma once
/// The first bytes of a file, unpacked: enough to tell formats apart.
#include <string>

#include "base/byte_source.h"

namespace seam::collector {

constexpr std::size_t kHead = std::size_t{1} << 16;

inline std::string first_bytes(ByteSource& source) {
  std::string bytes(kHead, '\0');
  bytes.resize(source.read(bytes));
  return bytes;
}

}  // namespace seam::collector
