include(${CMAKE_SOURCE_DIR}/tests/data/data.cmake)
seam_test(analyzer USES graph base collector LINKS nlohmann_json::nlohmann_json SQLite::SQLite3)
target_compile_definitions(analyzer_test PRIVATE SEAM_UNPACKED="${SEAM_UNPACKED}" SEAM_EXAMPLES="${CMAKE_SOURCE_DIR}/examples")
target_include_directories(analyzer_test PRIVATE ${CMAKE_SOURCE_DIR}/analyzer)
