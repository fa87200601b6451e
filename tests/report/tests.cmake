include(${CMAKE_SOURCE_DIR}/tests/data/data.cmake)
seam_test(report USES codegen planner graph db LINKS nlohmann_json::nlohmann_json)
target_sources(report_test PRIVATE support/schema.cpp)
target_include_directories(report_test PRIVATE ${CMAKE_SOURCE_DIR}/report)
target_compile_definitions(report_test PRIVATE SEAM_SCHEMAS="${CMAKE_SOURCE_DIR}/report/schemas" SEAM_CXX="${CMAKE_CXX_COMPILER}"
  SEAM_UNPACKED="${SEAM_UNPACKED}" SEAM_EXAMPLES="${CMAKE_SOURCE_DIR}/examples")
