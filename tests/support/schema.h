#pragma once
/// Checks a JSON value against report/schemas, with as much of JSON Schema 2020-12 as those files use. A keyword it does not know is a
/// problem, never ignored.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace seam::test {
/// `schema` is a file name in report/schemas: "seam.plan.schema.json". Returns what is wrong, one sentence with the path each; empty = valid.
[[nodiscard]] std::vector<std::string> schema_problems(const nlohmann::json& value, const std::string& schema);
}  // namespace seam::test
