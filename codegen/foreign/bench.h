#pragma once
/// One kernel on a bench of its own: seeded operands, results, a memory that nothing else uses.
#include <map>
#include <vector>

#include "codegen/foreign.h"

namespace seam::codegen {

/// A kernel launch and the op it stands for; all of the program.
struct Job {
  const ForeignLaunch* launch = nullptr;
  const graph::Computation* computation = nullptr;
  const graph::Op* op = nullptr;
};
/// One per kernel, in order of names: of several instructions that launch it the first.
[[nodiscard]] std::vector<Job> kernel_jobs(const ForeignProgram& program);

class Bench {
 public:
  Bench(const ForeignProgram& program, const Job& job) : program_(program), job_(job) {}

  /// Operands of input set `set` (codegen/inputs.h); those that lie in one buffer in the program do here.
  void fill(int set);
  void place_results();
  /// `blocks`: only these; empty = all.
  [[nodiscard]] Result<sim::Outcome> launch(const sim::Checks& checks, std::vector<std::uint64_t> blocks = {});

  [[nodiscard]] const std::vector<Array>& operands() const { return operands_; }
  /// What is wrong with how results were written; empty if nothing is.
  [[nodiscard]] std::string fault();
  [[nodiscard]] std::vector<Array> results();

 private:
  [[nodiscard]] std::uint64_t buffer(const std::vector<std::byte>& bytes, const std::string& name);
  [[nodiscard]] std::uint64_t result(std::size_t r) const { return addresses_[operands_.size() + r]; }

  const ForeignProgram& program_;
  const Job& job_;
  sim::Memory memory_;
  std::vector<Array> operands_;
  std::vector<graph::Shape> shapes_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace seam::codegen
