#include "base/byte_source.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace seam {
namespace {

constexpr std::size_t kMagic = 4;
constexpr std::size_t kChunk = std::size_t{1} << 18;

/// Bytes as they lie in the file.
class Raw {
 public:
  explicit Raw(int descriptor) : descriptor_(descriptor), chunk_(kChunk) {}
  explicit Raw(const std::string& bytes) : descriptor_(-1), chunk_(bytes.begin(), bytes.end()), end_(bytes.size()), ended_(true) {}
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  ~Raw() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }

  /// What is there and not yet taken: at least `least` bytes, fewer only at the end.
  [[nodiscard]] std::span<const unsigned char> peek(std::size_t least = 1) {
    while (end_ - at_ < least && !ended_) refill();
    return {chunk_.data() + at_, end_ - at_};
  }
  void take(std::size_t bytes) {
    at_ += bytes;
    taken_ += bytes;
  }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] const std::optional<std::string>& damage() const { return damage_; }

 private:
  void refill() {
    std::memmove(chunk_.data(), chunk_.data() + at_, end_ - at_);
    end_ -= at_;
    at_ = 0;
    ssize_t got = -1;
    do {
      got = ::read(descriptor_, chunk_.data() + end_, chunk_.size() - end_);
    } while (got < 0 && errno == EINTR);
    if (got < 0) damage_ = std::strerror(errno);
    ended_ = got <= 0;
    end_ += got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  int descriptor_;
  std::vector<unsigned char> chunk_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t taken_ = 0;
  bool ended_ = false;
  std::optional<std::string> damage_;
};

bool starts_with(std::span<const unsigned char> bytes, std::initializer_list<unsigned char> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}
bool is_gzip(std::span<const unsigned char> bytes) { return starts_with(bytes, {0x1f, 0x8b}); }
bool is_zstd(std::span<const unsigned char> bytes) { return starts_with(bytes, {0x28, 0xb5, 0x2f, 0xfd}); }

}  // namespace

struct ByteSource::State {
  enum class Packing { None, Gzip, Zstd };
  template <class From>
  explicit State(const From& from) : raw(from) {
    const auto first = raw.peek(kMagic);
    if (is_gzip(first)) {
      packing = Packing::Gzip;
      inflateInit2(&inflate, 15 + 16);
    } else if (is_zstd(first)) {
      packing = Packing::Zstd;
      zstd = ZSTD_createDStream();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (packing == Packing::Gzip) inflateEnd(&inflate);
    ZSTD_freeDStream(zstd);
  }

  Raw raw;
  Packing packing = Packing::None;
  z_stream inflate{};
  ZSTD_DStream* zstd = nullptr;
  bool member_done = false;  ///< between two gzip members or zstd frames
  bool ended = false;
  std::optional<std::string> damage;
  std::optional<std::uint64_t> size;

  void stop(std::string why) {
    damage = std::move(why);
    ended = true;
  }

  std::size_t read_raw(std::span<char> into) {
    const auto there = raw.peek();
    const std::size_t n = std::min(there.size(), into.size());
    std::memcpy(into.data(), there.data(), n);
    raw.take(n);
    ended = n == 0;
    return n;
  }

  std::size_t read_gzip(std::span<char> into) {
    const auto there = raw.peek(kMagic);
    if (there.empty()) {
      ended = true;
      if (!member_done) stop("the gzip stream is cut off");
      return 0;
    }
    if (member_done) {
      // Zeros after the last member are padding; anything else that is no member is not ours to read.
      if (!is_gzip(there)) {
        ended = true;
        if (there.front() != 0) stop("there is something else behind the gzip stream");
        return 0;
      }
      inflateReset(&inflate);
      member_done = false;
    }
    inflate.next_in = const_cast<unsigned char*>(there.data());  // zlib's interface; it does not write
    inflate.avail_in = static_cast<unsigned>(there.size());
    inflate.next_out = reinterpret_cast<unsigned char*>(into.data());
    inflate.avail_out = static_cast<unsigned>(std::min<std::size_t>(into.size(), 1U << 30));
    const unsigned wanted = inflate.avail_out;
    const int code = ::inflate(&inflate, Z_NO_FLUSH);
    raw.take(there.size() - inflate.avail_in);
    if (code == Z_STREAM_END) {
      member_done = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      stop(fmt::format("the gzip stream is damaged ({})", inflate.msg != nullptr ? inflate.msg : "unknown method"));
    }
    return wanted - inflate.avail_out;
  }

  std::size_t read_zstd(std::span<char> into) {
    const auto there = raw.peek();
    if (there.empty()) {
      ended = true;
      if (!member_done) stop("the zstd stream is cut off");
      return 0;
    }
    ZSTD_inBuffer in{there.data(), there.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t code = ZSTD_decompressStream(zstd, &out, &in);
    raw.take(in.pos);
    if (ZSTD_isError(code) != 0) stop(fmt::format("the zstd stream is damaged ({})", ZSTD_getErrorName(code)));
    member_done = code == 0;
    return out.pos;
  }
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::open(const std::filesystem::path& file) {
  int descriptor = STDIN_FILENO;
  std::optional<std::uint64_t> size;
  if (file != "-") {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return fail(Error::Code::NotFound, fmt::format("{}: no such file", file.string()));
    if (std::filesystem::is_directory(file, error)) return fail(Error::Code::BadInput, fmt::format("{}: is a folder, a file is wanted", file.string()));
    descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
    if (descriptor < 0) return fail(Error::Code::BadInput, fmt::format("{}: {}", file.string(), std::strerror(errno)));
    if (std::filesystem::is_regular_file(file, error)) size = std::filesystem::file_size(file, error);
  }
  auto state = std::make_unique<State>(descriptor);
  state->size = size;
  return ByteSource(std::move(state));
}

ByteSource ByteSource::of(std::string bytes) { return ByteSource(std::make_unique<State>(bytes)); }

std::size_t ByteSource::read(std::span<char> into) {
  State& s = *state_;
  std::size_t filled = 0;
  while (filled < into.size() && !s.ended) {
    const std::span<char> rest = into.subspan(filled);
    switch (s.packing) {
      case State::Packing::None: filled += s.read_raw(rest); break;
      case State::Packing::Gzip: filled += s.read_gzip(rest); break;
      case State::Packing::Zstd: filled += s.read_zstd(rest); break;
    }
  }
  if (!s.damage && s.raw.damage()) s.damage = s.raw.damage();
  return filled;
}

const std::optional<std::string>& ByteSource::damage() const { return state_->damage; }

std::optional<std::string> ByteSource::packing() const {
  switch (state_->packing) {
    case State::Packing::Gzip: return "gzip";
    case State::Packing::Zstd: return "zstd";
    case State::Packing::None: break;
  }
  return std::nullopt;
}

std::uint64_t ByteSource::bytes_taken() const { return state_->raw.taken(); }
std::optional<std::uint64_t> ByteSource::bytes_in_all() const { return state_->size; }

}  // namespace seam
