#include "import/json_objects.h"

namespace seam::collector {
namespace {

constexpr int kEnd = -1;
/// An unclosed string runs to the end of the file; and nothing that profilers write lies deeper.
constexpr std::size_t kMost = std::size_t{64} << 20;
constexpr int kDeepest = 128;

}  // namespace

int ObjectReader::peek() {
  if (at_ == buffer_.size()) {
    buffer_.resize(std::size_t{1} << 16);
    buffer_.resize(source_.read(buffer_));
    at_ = 0;
  }
  return at_ == buffer_.size() ? kEnd : static_cast<unsigned char>(buffer_[at_]);
}

int ObjectReader::take() {
  const int c = peek();
  if (c != kEnd) {
    ++at_;
    ++taken_;
  }
  return c;
}

int ObjectReader::skip_blanks() {
  for (;;) {
    const int c = peek();
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != ',') return c;
    take();
  }
}

bool ObjectReader::capture_string(std::string& into) {
  into += static_cast<char>(take());
  for (int c = take(); c != kEnd && into.size() < kMost; c = take()) {
    into += static_cast<char>(c);
    if (c == '"') return true;
    if (c != '\\') continue;
    if (const int escaped = take(); escaped != kEnd) into += static_cast<char>(escaped);
  }
  return false;
}

/// A value of any kind, with everything in it.
bool ObjectReader::capture(std::string& into) {
  into.clear();
  int depth = 0;
  do {
    const int c = peek();
    if (c == kEnd || into.size() >= kMost) return false;
    if (c == '"') {
      if (!capture_string(into)) return false;
    } else if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
      return !into.empty();  // the end of a word or number
    } else {
      into += static_cast<char>(take());
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth > kDeepest) return false;
      if (depth == 0 && c != '}' && c != ']') continue;
    }
    if (depth == 0) return true;
  } while (true);
}

void ObjectReader::stop() {
  broken_at_ = taken_;
  state_ = State::End;
}

bool ObjectReader::next(std::string& object) {
  for (;;) {
    const int c = state_ == State::End ? kEnd : skip_blanks();
    switch (state_) {
      case State::End: return false;
      case State::Start:
        if (c == 0xef || c == 0xbb || c == 0xbf) {
          take();  // a byte order mark
        } else if (c == '{') {
          take();
          state_ = State::Object;
        } else {
          stop();
        }
        break;
      case State::Object: {
        std::string key, value;
        if (c == '}') {
          state_ = State::End;
          break;
        }
        if (c != '"' || !capture_string(key) || skip_blanks() != ':') {
          stop();
          break;
        }
        take();
        key = key.substr(1, key.size() - 2);
        if (key == list_ && !has_list_ && skip_blanks() == '[') {
          take();
          has_list_ = true;
          state_ = State::List;
        } else if (skip_blanks() != kEnd && capture(value)) {
          headers_.emplace_back(std::move(key), std::move(value));
        } else {
          stop();
        }
        break;
      }
      case State::List:
        if (c == kEnd && list_.empty()) {
          state_ = State::End;
        } else if (c == ']' && !list_.empty()) {
          take();
          state_ = State::Object;
        } else if (c == kEnd || !capture(object)) {
          stop();
        } else if (object.front() == '{') {
          return true;
        } else {
          ++others_;
        }
        break;
    }
  }
}

}  // namespace seam::collector
