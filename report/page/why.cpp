#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"
#include "page/parts.h"
#include "report/comparison.h"
#include "report/machine_code.h"
#include "report/render.h"

namespace seam::report {

std::string veto_section(const Optimized& o) {
  std::string out = "<section id=\"why\" class=\"panel\">\n<h2>Why not fewer kernels?</h2>\n<p>Whatever the planner refused, with the numbers that decided. <code>seam plan --explain=a,b</code> answers for any two ops.</p>\n";
  const std::vector<VetoGroup> groups = vetoes_by_code(*o.plan, 6);
  if (groups.empty()) return out + "<p class=\"note\">Nothing was refused.</p></section>\n";
  out += "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">refusal</th><th scope=\"col\" class=\"n\">times</th><th scope=\"col\">what it means</th></tr></thead><tbody>\n";
  for (const VetoGroup& group : groups) {
    out += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td class=\"n\">{}</td><td>{}", planner::name(group.code), human_count(static_cast<std::int64_t>(group.count)), html_escape(planner::sentence(group.code)));
    out += fmt::format("<details class=\"more\"><summary>{}</summary><ul class=\"plain\">", group.count > group.examples.size() ? "the first few" : "which");
    for (const planner::Veto* veto : group.examples) {
      const std::string numbers = numbers_of(*veto);
      out += fmt::format("<li><code>{}</code>{}{}</li>", html_escape(ops_of(*veto, *o.graph, 4)), numbers.empty() ? "" : ": ", html_escape(numbers));
    }
    out += "</ul></details></td></tr>\n";
  }
  return out + "</tbody></table></div>\n</section>\n";
}

std::string honesty_section(const Optimized& o) {
  std::size_t sampled = 0;
  std::size_t whole = 0;
  std::int64_t fewest_sets = 0;
  std::int64_t most_sets = 0;
  for (const codegen::Verdict& v : o.verdicts) {
    if (!v.sets.empty()) fewest_sets = fewest_sets == 0 ? std::ssize(v.sets) : std::min(fewest_sets, std::ssize(v.sets));
    most_sets = std::max(most_sets, std::ssize(v.sets));
    if (v.blocks_run == 0) continue;
    ++(v.blocks_run < v.blocks ? sampled : whole);
  }
  std::string out = "<section id=\"honesty\" class=\"panel\">\n<h2>What this does not say</h2>\n<ul class=\"plain\">\n";
  const auto item = [&](const std::string& text) { out += "<li>" + text + "</li>\n"; };
  item("<b>No speed is claimed.</b> No GPU ran these kernels. Fewer launches and bytes are counts, not times; times are a model&rsquo;s.");
  if (!o.beside.empty())
    item("<b>Side by side.</b> Bytes are those of a cache without limit inside a launch and none between launches; kernels run one after another; registers are taken as 40 a thread on both sides; a thread keeps 32 bytes in flight however it loads; "
         "calls of libraries are modelled. Which launches stand for each other is read off names and places in the program, and shares are divided by sizes of results.");
  if (sampled + whole > 0) {
    item(fmt::format("<b>Blocks.</b> {} ran whole on the simulator, {} on a sample of {} blocks: first and last of every part and some between. The byte model was held against the simulator&rsquo;s count only where the whole grid ran.",
                     counted(static_cast<std::int64_t>(whole), "kernel"), human_count(static_cast<std::int64_t>(sampled)), sampled == 1 ? "its" : "their"));
  }
  item(fmt::format("<b>Inputs.</b> Each kernel was proven on {} made from seeds (ordinary numbers; positive ones; ones mixed with zeros, infinities, NaN and denormals, unless the order of a reduction would decide what these give; more where a kernel compares, takes roots or exponentials, or indexes: the certificate says which), not on data of your job.", most_sets == fewest_sets ? counted(most_sets, "input set") : fmt::format("{} to {} input sets", fewest_sets, most_sets)));
  if (const std::string machine = machine_code_summary(o); !machine.empty()) item("<b>Machine code.</b> " + html_escape(machine.starts_with("Machine code: ") ? machine.substr(14) : machine));
  item("<b>Tiers.</b> The host build (4) and the GPU (5) were not run; their rows say so.");
  const codegen::ProgramCheck& program = o.run.check;
  std::string whole_program = "<b>Whole program:</b> " + badge(program.outcome) + " " + html_escape(program.reason);
  if (o.run.ran) {
    whole_program += fmt::format(" {}, {} and {} ran in order on the simulator and the reference evaluator; {} of memory at most, {} without reuse of buffers.", counted(static_cast<std::int64_t>(o.run.kernels), "kernel"),
                                 counted(static_cast<std::int64_t>(o.run.library_calls), "library call"), counted(static_cast<std::int64_t>(o.run.copies), "copy"), human_bytes(static_cast<double>(o.run.peak_bytes)),
                                 human_bytes(static_cast<double>(o.run.allocated_bytes)));
  }
  item(whole_program);
  const planner::Totals& t = o.plan->totals;
  item(fmt::format("<b>Scope.</b> {} of {} ops that are neither library calls nor free are inside kernels ({}).", human_count(t.fused_ops), human_count(t.fusable_ops), human_percent(static_cast<double>(t.fused_ops), static_cast<double>(t.fusable_ops))));
  item("<b>Other policies</b> are re-implemented rules, named after where they were first described; they are not the compilers themselves.");
  return out + "</ul>\n</section>\n";
}

std::string reproduce_section(const Optimized& o) {
  std::string out = "<section id=\"again\" class=\"panel\">\n<h2>Do it again</h2>\n";
  out += "<pre>" + html_escape(o.command) + "</pre>\n";
  out += "<p>Beside this page: <a href=\"plan.plan\">plan.plan</a> (the plan, can be edited and given back with <code>--plan</code>), <a href=\"module.graph\">module.graph</a> (the program that was planned), <code>kernels/</code> (each kernel as "
         "CUDA text, PTX, kernel IR, launch description), <a href=\"certificate.json\">certificate.json</a> (what was proven, with hashes), <a href=\"report.json\">report.json</a>, <code>run.seam</code> (the launches, for any SQLite client).</p>\n";
  std::string example;
  for_each_kernel(o, [&](const KernelView& k) {
    if (example.empty() && !k.built.ptx.empty()) example = k.built.source.name;
  });
  if (!example.empty()) {
    out += "<p>On a machine with a GPU, each kernel runs alone, with the inputs of its proof:</p>\n";
    out += fmt::format("<pre>g++ -std=c++17 -O2 -I/usr/local/cuda/include kernels/{0}.repro.cpp -lcuda -o {0} &amp;&amp; ./{0}</pre>\n", html_escape(example));
  }
  out += "<p>That the files are still those that were proven:</p>\n<pre>seam validate --certificate certificate.json</pre>\n";
  if (!o.compiler.empty()) out += "<p class=\"note\">PTX by " + html_escape(o.compiler) + (o.assembler.empty() ? "" : ", registers and spills by " + html_escape(o.assembler)) + ". Module (as .graph) SHA-256 " + o.module_sha256 + ".</p>\n";
  return out + "</section>\n";
}

}  // namespace seam::report
