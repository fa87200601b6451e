#pragma once
#include <stdexcept>
#include <utility>

#include "base/result.h"

namespace seam::test {

/// The value; throws with the error's text, which fails the test.
template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return *std::move(result);
}

}  // namespace seam::test
