#include "cli/commands.h"

#include <array>

namespace seam::cli {
namespace {

constexpr std::array kCommands = {
    Command{"optimize", "import, analyze, plan, write the kernels, prove them, report", define_optimize},
    Command{"demo", "optimize the bundled BERT-large encoder layer training step", define_demo},
    Command{"import", "read a module or a recorded trace, say what it holds", define_import},
    Command{"analyze", "where bytes and flops go, per class and origin", define_analyze},
    Command{"study", "a published result recounted, beside Seam's plan of the same program", define_study},
    Command{"plan", "decide which ops become one kernel, and why not more", define_plan},
    Command{"codegen", "write the kernels of a plan", define_codegen},
    Command{"validate", "prove kernels, or a whole planned program, right", define_validate},
    Command{"simulate", "run a PTX kernel, or what Inductor made of graphs, on the virtual GPU, with checks and counters", define_simulate},
    Command{"eval", "reference evaluation of a module on given inputs", define_eval},
    Command{"export", "a module or plan in another form", define_export},
    Command{"diff", "two runs beside each other: launches that came, went or were renamed, and whether time changed", define_diff},
    Command{"sql", "query a run: tables and views of its SQLite file", define_sql},
    Command{"passes", "the pipelines, pass by pass", define_passes},
    Command{"doctor", "what of Seam works on this machine, and what is missing", define_doctor},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace seam::cli
