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
    for (const std::optional<CompilerResult>& result : row.compilers) compare.push_back(result ? json_of(*result) : Json());
    modules.push_back({{"module", row.module}, {"policies", std::move(policies)}, {"compare", std::move(compare)}, {"outside", json_of(row.outside)}, {"unknown_trips", row.unknown_trips}});
  }
  return dumped({{"schema", "seam.plans/1"}, {"device", table.device}, {"policy", table.policies.back()}, {"compare", table.compilers}, {"modules", std::move(modules)}});
}

}  // namespace seam::report
