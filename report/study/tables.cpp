#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>

#include "movement/columns.h"
#include "report/study.h"
#include "study/published.h"

namespace seam::report {

using analyzer::Movement;

namespace {

const char* pass_of(bool backward) { return backward ? "backward" : "forward"; }
double mega(std::int64_t words) { return static_cast<double>(words) / 1e6; }
/// How much less than `all`, percent.
Cell less(std::int64_t words, std::int64_t all) { return percent(static_cast<double>(all - words), static_cast<double>(all)); }

/// A published figure, where the study is of the published size.
template <class Row, class Field>
Cell said(const BertStudy& study, const Row* row, Field Row::* field) {
  return study.at_published_size() && row != nullptr ? Cell(row->*field) : Cell(Blank{});
}

/// The same of millions of words.
template <class Row>
Cell said_words(const BertStudy& study, const Row* row, double Row::* field) {
  return study.at_published_size() && row != nullptr ? Cell(1e6 * (row->*field)) : Cell(Blank{});
}

/// Columns of published figures stand only where there are some.
void drop_published(const BertStudy& study, Table& table) {
  if (study.at_published_size()) return;
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (!table.columns[c].key.starts_with("published")) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows)
      if (c < row.size()) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

Table operator_table(const BertStudy& study) {
  Table table;
  table.title = fmt::format("operators, granularity {}", analyzer::name(analyzer::Granularity::Paper46));
  table.columns = {{"operator", "operator", Unit::Text, {}},
                   {"pass", "pass", Unit::Text, {}},
                   {"words_in", "Mwords in", Unit::Millions, Evidence::Modelled},
                   {"published_in", "paper", Unit::Millions},
                   {"words_out", "out", Unit::Millions, Evidence::Modelled},
                   {"published_out", "paper", Unit::Millions},
                   {"flops", "Mflop", Unit::Millions, Evidence::Modelled},
                   {"flop_per_word", "flop/word", Unit::Ratio, Evidence::Modelled},
                   {"bytes", "bytes", Unit::Bytes, Evidence::Modelled},
                   {"floor", "floor", Unit::Microseconds, Evidence::Modelled}};
  Movement all;
  double floor = 0;
  for (const StudyOperator& one : study.operators) {
    const Movement moved = one.op.movement();
    const auto* paper = published::find(published::operators(), &published::OperatorWords::label, std::string_view(one.op.label));
    table.rows.push_back({one.op.label, std::string(pass_of(one.backward)), moved.words_in, said_words(study, paper, &published::OperatorWords::in), moved.words_out,
                          said_words(study, paper, &published::OperatorWords::out), moved.flops, ratio(moved.flops, static_cast<double>(moved.words())), moved.bytes(), one.floor_us});
    all += moved;
    floor += one.floor_us;
  }
  table.rows.push_back({fmt::format("all {} operators", study.operators.size()), Blank{}, all.words_in, Blank{}, all.words_out, Blank{}, all.flops,
                        ratio(all.flops, static_cast<double>(all.words())), all.bytes(), floor});
  table.notes.emplace_back(kModelledOnly);
  table.notes.push_back(fmt::format("floor: roofline on {}: the longer of an operator's bytes at the DRAM peak and its flop at the peak of tensor cores (contractions) or FP32 lanes; one after another in the last row. No time was measured.", study.device));
  if (study.at_published_size()) table.notes.emplace_back("paper: the dimensions of its table of operators multiplied out, in millions; that table leaves out statistics, and biases round away.");
  drop_published(study, table);
  return table;
}

Table class_table(const BertStudy& study) {
  Table table;
  table.title = fmt::format("classes of operators, granularity {}", analyzer::name(analyzer::Granularity::Paper46));
  table.columns = {{"class", "class", Unit::Text, {}},
                   {"operators", "operators", Unit::Count, {}},
                   {"words", "Mwords", Unit::Millions, Evidence::Modelled},
                   {"word_share", "of words", Unit::Percent, Evidence::Modelled},
                   {"published_word_share", "paper", Unit::Percent},
                   {"flops", "Mflop", Unit::Millions, Evidence::Modelled},
                   {"flop_share", "of flop", Unit::Percent, Evidence::Modelled},
                   {"published_flop_share", "paper", Unit::Percent}};
  std::map<analyzer::Class, std::pair<std::int64_t, Movement>> classes;
  Movement all;
  for (const StudyOperator& one : study.operators) {
    ++classes[one.op.op_class].first;
    classes[one.op.op_class].second += one.op.movement();
    all += one.op.movement();
  }
  for (const auto& [op_class, entry] : classes) {
    const auto* paper = published::find(published::classes(), &published::ClassShares::op_class, op_class);
    table.rows.push_back({std::string(analyzer::name(op_class)), entry.first, entry.second.words(), percent(mega(entry.second.words()), mega(all.words())),
                          said(study, paper, &published::ClassShares::of_words), entry.second.flops, percent(entry.second.flops, all.flops), said(study, paper, &published::ClassShares::of_flop)});
  }
  table.notes.push_back(fmt::format("of words: of the {:.1f} Mwords in and out of all {} operators, granularity paper46; of flop: of {:.3f} Gflop, where selects and compares count none.", mega(all.words()), study.operators.size(), all.flops / 1e9));
  drop_published(study, table);
  return table;
}

Table kernel_table(const BertStudy& study) {
  Table table;
  table.title = "launches of the published implementation";
  table.columns = {{"kernel", "kernel", Unit::Text, {}},
                   {"pass", "pass", Unit::Text, {}},
                   {"operators", "operators", Unit::Count, {}},
                   {"words_in", "Mwords in", Unit::Millions, Evidence::Modelled},
                   {"published_in", "its code", Unit::Millions},
                   {"words_out", "out", Unit::Millions, Evidence::Modelled},
                   {"published_out", "its code", Unit::Millions},
                   {"mask_only_in", "mask-only in", Unit::Millions, Evidence::Modelled},
                   {"mask_only_out", "out", Unit::Millions, Evidence::Modelled},
                   {"bytes", "bytes", Unit::Bytes, Evidence::Modelled}};
  for (const StudyKernel& kernel : study.kernels) {
    const auto* paper = published::find(published::kernels(), &published::KernelWords::name, std::string_view(kernel.name));
    table.rows.push_back({kernel.gemm ? kernel.name + " (GEMM)" : kernel.name, std::string(pass_of(kernel.backward)), kernel.operators, kernel.moved[0].words_in,
                          said_words(study, paper, &published::KernelWords::in), kernel.moved[0].words_out, said_words(study, paper, &published::KernelWords::out), kernel.moved[1].words_in,
                          kernel.moved[1].words_out, kernel.moved[0].bytes()});
  }
  const StudyTotal& total = study.published[0];
  table.notes.push_back(fmt::format("{} launches: {} forward, {} backward. Saved tensors: as-published, beside it mask-only.", study.kernels.size(), total.forward, total.backward));
  drop_published(study, table);
  return table;
}

Table total_table(const BertStudy& study) {
  Table table;
  table.title = "the whole layer, by who runs it";
  table.columns = {{"implementation", "implementation", Unit::Text, {}},
                   {"saved", "saved tensors", Unit::Text, {}},
                   {"launches", "launches", Unit::Count, {}},
                   {"gemm_words", "GEMM Mwords", Unit::Millions, Evidence::Modelled},
                   {"forward_words", "forward kernels", Unit::Millions, Evidence::Modelled},
                   {"backward_words", "backward", Unit::Millions, Evidence::Modelled},
                   {"kernel_words", "all kernels", Unit::Millions, Evidence::Modelled},
                   {"words", "Mwords", Unit::Millions, Evidence::Modelled},
                   {"published_words", "by its sizes", Unit::Millions},
                   {"bytes", "bytes", Unit::Bytes, Evidence::Modelled}};
  for (const SavedTensors saved : kSavedTensors) {
    const StudyTotal& total = study.published[static_cast<std::size_t>(saved)];
    const Movement sum = total.sum();
    table.rows.push_back({"published kernels", std::string(name(saved)), total.forward + total.backward, total.gemms.words(), total.forward_kernels.words(), total.backward_kernels.words(),
                          sum.words() - total.gemms.words(), sum.words(), 1e6 * (saved == SavedTensors::AsPublished ? published::kAllWords : published::kMaskOnlyWords), sum.bytes()});
  }
  std::int64_t gemms = 0;
  for (const StudyLaunch& launch : study.seam_launches)
    if (launch.library) gemms += launch.moved.words();
  table.rows.push_back({fmt::format("Seam, policy {}", study.seam.policy), "the plan's choice", study.seam.kernels + study.seam.library_calls + study.seam.copies, gemms, Blank{}, Blank{},
                        study.seam.sum.words() - gemms, study.seam.sum.words(), Blank{}, study.seam.sum.bytes()});
  table.notes.push_back(fmt::format("Seam plans {} kernels, {} library calls and {} copies on {}, layouts {}; its kernels do work of both passes. It makes dropout masks again where it needs them instead of saving them, which this layer's counter-based masks "
                                    "allow. as-published: {}; mask-only: {}.",
                                    study.seam.kernels, study.seam.library_calls, study.seam.copies, study.device, study.layouts, meaning(SavedTensors::AsPublished), meaning(SavedTensors::MaskOnly)));
  if (study.at_published_size())
    table.notes.push_back(fmt::format("paper: by the operands of its code {} launches forward and {} backward, {:.1f} Mwords in GEMMs, {:.1f} in forward and {:.1f} in backward kernels.", published::kForwardLaunches,
                                      published::kBackwardLaunches, published::kGemmWords, published::kForwardKernelWords, published::kBackwardKernelWords));
  drop_published(study, table);
  return table;
}

Table baseline_table(const BertStudy& study) {
  Table table;
  table.title = "words saved, against each baseline";
  table.columns = {{"baseline", "baseline", Unit::Text, {}},
                   {"operators", "operators", Unit::Count, {}},
                   {"words", "Mwords", Unit::Millions, Evidence::Modelled},
                   {"published_words", "by its sizes", Unit::Millions},
                   {"less_as_published", "as-published", Unit::Percent, Evidence::Modelled},
                   {"published_less_as_published", "by its sizes", Unit::Percent},
                   {"less_mask_only", "mask-only", Unit::Percent, Evidence::Modelled},
                   {"published_less_mask_only", "by its sizes", Unit::Percent},
                   {"less_seam", "Seam", Unit::Percent, Evidence::Modelled}};
  const std::int64_t as_published = study.published[0].sum().words(), mask_only = study.published[1].sum().words(), seam = study.seam.sum.words();
  for (const StudyBaseline& one : study.baselines) {
    const auto* paper = published::find(published::baselines(), &published::Baseline::granularity, one.granularity);
    table.rows.push_back({std::string(analyzer::name(one.granularity)), one.operators, one.moved.words(), said_words(study, paper, &published::Baseline::words), less(as_published, one.moved.words()),
                          said(study, paper, &published::Baseline::less_as_published), less(mask_only, one.moved.words()), said(study, paper, &published::Baseline::less_mask_only), less(seam, one.moved.words())});
  }
  table.notes.push_back(fmt::format("percent: (baseline - implementation) / baseline, words in and out of all operators of that granularity over those of all launches: as-published {:.1f}, mask-only {:.1f}, Seam {:.1f} Mwords.",
                                    mega(as_published), mega(mask_only), mega(seam)));
  for (const analyzer::Granularity granularity : analyzer::kGranularities) table.notes.push_back(fmt::format("{}: {}", analyzer::name(granularity), analyzer::meaning(granularity)));
  if (study.at_published_size())
    table.notes.push_back(fmt::format("The paper's headline of {} % names neither the granularity of its baseline nor what is saved: it lies among these figures, and none of them is it.", published::kHeadline));
  drop_published(study, table);
  return table;
}

Table seam_table(const BertStudy& study) {
  Table table;
  table.title = fmt::format("Seam's launches, policy {} on {}", study.seam.policy, study.device);
  table.columns = {{"launch", "launch", Unit::Text, {}},
                   {"runs_ops_of", "runs ops of", Unit::Text, {}},
                   {"words_in", "Mwords in", Unit::Millions, Evidence::Modelled},
                   {"words_out", "out", Unit::Millions, Evidence::Modelled},
                   {"bytes", "bytes", Unit::Bytes, Evidence::Modelled}};
  for (const StudyLaunch& launch : study.seam_launches)
    table.rows.push_back({launch.library ? launch.name + " (library)" : launch.name, fmt::format("{}", fmt::join(launch.published, " ")), launch.moved.words_in, launch.moved.words_out, launch.moved.bytes()});
  table.notes.emplace_back("runs ops of: the published kernels whose ops it holds, those that it makes again for its own use included.");
  return table;
}

}  // namespace

Document study_document(const BertStudy& study) {
  return {Heading{fmt::format("BERT-large encoder layer, forward and backward: batch {}, sequence {}", study.batch, study.sequence)},
          Paragraph{fmt::format("Recounted from examples/bert_paper.graph{}. One element is one word, whatever its type.", study.at_published_size() ? "; \"paper\" is \"Data Movement Is All You Need\" (arXiv 2007.00072) and its implementation, at this size" : "")},
          baseline_table(study), total_table(study), class_table(study), kernel_table(study), seam_table(study), operator_table(study)};
}

}  // namespace seam::report
