#pragma once
/// A report of several parts in reading order: headings, sentences, tables, verbatim text.
#include <string>
#include <variant>
#include <vector>

#include "report/table.h"

namespace seam::report {

struct Heading {
  std::string text;
};
struct Paragraph {
  std::string text;
};
struct Verbatim {
  std::string text;
};
using Block = std::variant<Heading, Paragraph, Table, Verbatim>;
using Document = std::vector<Block>;

}  // namespace seam::report
