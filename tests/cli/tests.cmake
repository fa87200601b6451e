# The built program, from outside: exit codes, streams, JSON by its schemas.
include(${CMAKE_SOURCE_DIR}/tests/data/data.cmake)
seam_test(cli LINKS CLI11::CLI11 nlohmann_json::nlohmann_json)
target_sources(cli_test PRIVATE support/schema.cpp)
target_compile_definitions(cli_test PRIVATE SEAM_PROGRAM="$<TARGET_FILE:seam>" SEAM_SCHEMAS="${CMAKE_SOURCE_DIR}/report/schemas"
  SEAM_UNPACKED="${SEAM_UNPACKED}" SEAM_SOURCE="${CMAKE_SOURCE_DIR}")
add_dependencies(cli_test seam)
