#pragma once
/// Collects reports: one per kind, instruction and object, counted.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "decode/program.h"
#include "sim/sim.h"

namespace seam::sim {

class Reports {
 public:
  Reports(const Module& module, const Program& program, int most)
      : module_(module), program_(program), most_(most) {}

  /// True if this one is already there (and has been counted): its message need not be made.
  bool again(std::string_view kind, std::uint32_t pc, std::uint64_t object, std::uint64_t count = 1);
  /// `object` tells apart what one instruction does to several buffers.
  void add(std::string_view kind, std::uint32_t pc, std::uint64_t object, std::string message, std::uint64_t count = 1);

  [[nodiscard]] std::vector<Report> take() { return std::move(list_); }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  const Module& module_;
  const Program& program_;
  int most_;
  std::vector<Report> list_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::size_t, std::less<>> known_;
  std::uint64_t dropped_ = 0;
};

}  // namespace seam::sim
