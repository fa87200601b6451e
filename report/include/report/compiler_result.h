#pragma once
/// What a real compiler made of the same program: its optimized module, counted, to stand beside our plans. It is called by the name
/// of its file: Seam reads what is there and does not guess which compiler wrote it.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/count.h"
#include "codegen/foreign.h"
#include "graph/graph.h"

namespace seam::report {

struct CompilerResult {
  std::string name;                ///< how tables call it: its file's name without folders, ending and the program's own name ("h100.library")
  std::string file;                ///< as given
  analyzer::LaunchCounts counts;
  std::int64_t roof_floor = 0;     ///< between its own library calls, which need not be ours
  std::vector<std::string> notes;  ///< what a reader must know before comparing, one sentence each
  friend bool operator==(const CompilerResult&, const CompilerResult&) = default;
};

/// A module as read from its file, or the whole program where its kernels are at hand.
struct CompilerModule {
  std::string text, file;
  std::shared_ptr<codegen::ForeignProgram> program = nullptr;  ///< then `text` is not needed; compiler_result() gives it constants that its text leaves out
};

/// It must be a module after optimization for a GPU: BadInput says why it is not one, and which file to give instead. A module whose
/// parameters or results differ from `program`'s is taken, with a note: it may be another program, or one partitioned over devices.
[[nodiscard]] Result<CompilerResult> compiler_result(const CompilerModule& module, const graph::Graph& program, std::string_view program_file);
/// In their order, of a program that was read from `program_file`; where two would be called the same, both are called by their paths.
[[nodiscard]] Result<std::vector<CompilerResult>> compiler_results(std::span<const CompilerModule> modules, const graph::Graph& program, std::string_view program_file);

}  // namespace seam::report
