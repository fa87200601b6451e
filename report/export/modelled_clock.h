#pragma once
/// Times of a run that nobody measured: its launches one after another on one stream, each as long as the time model's middle and after the gap that an
/// eager host leaves before it (analyzer/time_model.h).
#include "analyzer/time_model.h"
#include "db/rows.h"

namespace seam::report {

class ModelledClock {
 public:
  /// Gives a row its start and end, and moves on. Nanoseconds; the sum is kept unrounded, so that a run of short launches is not off by their number.
  template <class Row>
  void put(Row& row, double execution_us) {
    row.start_ns = ns(now_us_ += gap_us_);
    row.end_ns = ns(now_us_ += execution_us);
  }
  [[nodiscard]] std::int64_t now_ns() const { return ns(now_us_); }

 private:
  static std::int64_t ns(double us) { return static_cast<std::int64_t>(us * 1e3 + 0.5); }

  double gap_us_ = analyzer::launch_gap_us(analyzer::Launching::Eager).mid;
  double now_us_ = 0;
};

}  // namespace seam::report
