#include "import/whole_file.h"

#include <fmt/core.h>

#include "base/byte_source.h"

namespace seam::collector {

Result<std::string> whole_file(const std::filesystem::path& file, std::size_t most, std::string_view instead, const ImportOptions& options) {
  SEAM_TRY(ByteSource source, ByteSource::open(file));
  std::string bytes;
  std::vector<char> chunk(std::size_t{1} << 20);
  for (std::size_t got = source.read(chunk); got > 0; got = source.read(chunk)) {
    bytes.append(chunk.data(), got);
    if (bytes.size() > most) return fail(Error::Code::BadInput, fmt::format("{}: holds more than {} GiB once unpacked; {}", file.string(), most >> 30, instead));
    if (options.progress && !options.progress(source.bytes_taken(), source.bytes_in_all())) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  if (source.damage()) return fail(Error::Code::BadInput, fmt::format("{}: {}", file.string(), *source.damage()));
  return bytes;
}

}  // namespace seam::collector
