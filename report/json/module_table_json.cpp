#include "json/comparisons.h"
#include "report/module_table.h"

namespace seam::report {

std::string module_table_json(const ModuleTable& table) {
  Json modules = Json::array();
  for (const ModuleRow& row : table.rows) {
    Json policies = Json::array(), compare = Json::array();
    for (std::size_t p = 0; p < row.policies.size(); ++p) {
      Json one = {{"policy", table.policies[p]}};
      one.update(json_of(row.policies[p]));
      policies.push_back(std::move(one));
    }
    for (std::size_t c = 0; c < row.compilers.size(); ++c) {
      compare.push_back(row.compilers[c] ? json_of(*row.compilers[c]) : Json());
      if (c < row.beside.size() && row.beside[c]) compare.back()["side_by_side"] = totals_json(*row.beside[c]);
    }
    modules.push_back({{"module", row.module}, {"policies", std::move(policies)}, {"compare", std::move(compare)}, {"outside", json_of(row.outside)}, {"unknown_trips", row.unknown_trips}});
  }
  return dumped(Json{{"schema", "seam.plans/1"}, {"device", table.device}, {"policy", table.policies.back()}, {"compare", table.compilers}, {"modules", std::move(modules)}});
}

}  // namespace seam::report
