#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "db/writer.h"
#include "import/trace_rows.h"
#include "import/xspace.h"

/// An XSpace of any bytes: read or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("seam_fuzz_xspace." + std::to_string(::getpid()) + ".seam");
  auto writer = db::Writer::create(file);
  if (!writer) return 0;
  collector::TraceRows rows(*writer);
  (void)collector::read_xspace({reinterpret_cast<const char*>(data), size}, rows);
  collector::Imported imported;
  rows.finish({}, imported);
  return 0;
}
