#pragma once
/// The SQL files of this folder, built into the program.
#include <string_view>

namespace seam::db::sql {
extern const std::string_view schema, views, indexes, costs, migration_001, migration_002;
}  // namespace seam::db::sql
