#include "progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace seam::cli {
namespace {

using Clock = std::chrono::steady_clock;

bool on_a_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

struct Progress::Line {
  std::mutex guard;
  bool shown = false, off = false;
  std::string name;
  Clock::time_point began, drawn;

  void begin(std::string_view stage) {
    const std::lock_guard lock(guard);
    name = stage;
    began = Clock::now();
    draw(0, 0);
  }

  void update(std::size_t done, std::size_t total) {
    const std::lock_guard lock(guard);
    const auto now = Clock::now();
    if (now - drawn < std::chrono::milliseconds(80) && done < total) return;
    draw(done, total);
  }

  void draw(std::size_t done, std::size_t total) {
    if (off) return;
    drawn = Clock::now();
    constexpr std::size_t kWidth = 24;
    std::string text = fmt::format("\r\x1b[K{:<20}", name);
    if (total > 0) {
      const std::size_t full = kWidth * std::min(done, total) / total;
      text += fmt::format(" [{}{}] {}/{}", std::string(full, '#'), std::string(kWidth - full, '.'), done, total);
    }
    const double seconds = std::chrono::duration<double>(drawn - began).count();
    if (seconds >= 1) text += fmt::format("  {:.0f} s", seconds);
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
    shown = true;
  }

  void erase() {
    const std::lock_guard lock(guard);
    if (shown) std::fputs("\r\x1b[K", stderr);
    shown = false;
    off = true;
  }
};

Progress::Progress(bool off) {
  if (!off && on_a_terminal()) line_ = std::make_shared<Line>();
}

Progress::~Progress() { done(); }

std::function<void(std::size_t, std::size_t)> Progress::stage(std::string_view name) {
  if (!line_) return {};
  line_->begin(name);
  return [line = line_](std::size_t done, std::size_t total) { line->update(done, total); };
}

void Progress::done() {
  if (line_) line_->erase();
}

}  // namespace seam::cli
