#pragma once
/// Bytes of a file or of standard input, one piece after the other; gzip (any number of members) and zstd are unpacked on the way. For input that may be
/// larger than memory; whole small files: base/files.h.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"

namespace seam {

class ByteSource {
 public:
  /// "-" is standard input. Errors: NotFound, BadInput (a folder, a file that cannot be read).
  [[nodiscard]] static Result<ByteSource> open(const std::filesystem::path& file);
  /// Bytes that are in memory already, packed or not.
  [[nodiscard]] static ByteSource of(std::string bytes);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Fills `into` from the front and says how much of it; less than asked only at the end of the data. Never fails: what cannot be read or unpacked
  /// ends the data there, and damage() says so.
  [[nodiscard]] std::size_t read(std::span<char> into);
  /// Why the data ended before the file did: "the gzip stream is cut off". Nothing if it did not.
  [[nodiscard]] const std::optional<std::string>& damage() const;
  /// "gzip", "zstd" or nothing.
  [[nodiscard]] std::optional<std::string> packing() const;
  /// Bytes of the file, packed or not, that were taken so far, and its size where it has one: for progress.
  [[nodiscard]] std::uint64_t bytes_taken() const;
  [[nodiscard]] std::optional<std::uint64_t> bytes_in_all() const;

 private:
  struct State;
  explicit ByteSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace seam
