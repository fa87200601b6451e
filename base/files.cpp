#include "base/files.h"

#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

namespace seam {
namespace {

namespace fs = std::filesystem;

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

}  // namespace

Result<std::string> read_file(const fs::path& file, std::size_t most) {
  std::error_code error;
  if (!fs::exists(file, error)) return fail(Error::Code::NotFound, fmt::format("{}: no such file", file.string()));
  if (fs::is_directory(file, error)) {
    return fail(Error::Code::BadInput, fmt::format("{}: is a folder, a file is wanted", file.string()));
  }
  // gzread passes plain content through, so one path serves both.
  const std::unique_ptr<gzFile_s, CloseGzip> in(gzopen(file.c_str(), "rb"));
  if (!in) return fail(Error::Code::BadInput, fmt::format("{}: {}", file.string(), std::strerror(errno)));
  gzbuffer(in.get(), 1U << 18);
  std::string out;
  std::array<char, 1U << 16> chunk{};
  for (;;) {
    const int got = gzread(in.get(), chunk.data(), chunk.size());
    if (got < 0) {
      int code = 0;
      const char* why = gzerror(in.get(), &code);
      return fail(Error::Code::BadInput,
                  fmt::format("{}: {}", file.string(), code == Z_ERRNO ? std::strerror(errno) : why));
    }
    if (got == 0) break;
    if (out.size() + static_cast<std::size_t>(got) > most) {
      return fail(Error::Code::BadInput, fmt::format("{}: holds more than {} bytes once unpacked; nothing here is that large", file.string(), most));
    }
    out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  int code = 0;
  gzerror(in.get(), &code);
  if (code == Z_BUF_ERROR) return fail(Error::Code::BadInput, fmt::format("{}: the gzip stream ends too early", file.string()));
  return out;
}

Result<void> write_file(const fs::path& file, std::string_view bytes) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  if (error) return fail(Error::Code::Environment, fmt::format("{}: {}", file.parent_path().string(), error.message()));
  // A device or a pipe (/dev/stdout) cannot be replaced by a rename.
  const bool special = fs::exists(file, error) && !fs::is_regular_file(file, error);
  const fs::path target = special ? file : fs::path(fmt::format("{}.{}.tmp", file.string(), ::getpid()));
  {
    std::ofstream out(target, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      const std::string why = std::strerror(errno);
      if (!special) fs::remove(target, error);
      return fail(Error::Code::Environment, fmt::format("{}: cannot write: {}", file.string(), why));
    }
  }
  if (!special) {
    fs::rename(target, file, error);
    if (error) return fail(Error::Code::Environment, fmt::format("{}: {}", file.string(), error.message()));
  }
  return {};
}

}  // namespace seam
