#pragma once
/// The first bytes of a file, unpacked: enough to tell formats apart.
#include <string>

#include "base/byte_source.h"

namespace seam::collector {

inline std::string first_bytes(ByteSource& source) {
  std::string bytes(std::size_t{1} << 16, '\0');
  bytes.resize(source.read(bytes));
  return bytes;
}

}  // namespace seam::collector
