seam_test(collector LINKS nlohmann_json::nlohmann_json ZLIB::ZLIB zstd::libzstd_shared SQLite::SQLite3)
target_include_directories(collector_test PRIVATE ${CMAKE_SOURCE_DIR}/collector)  # import/…: pieces of importers are tested alone
seam_fuzz(trace collector)
target_include_directories(fuzz_trace PRIVATE ${CMAKE_SOURCE_DIR}/collector)
seam_fuzz(xspace collector)
target_include_directories(fuzz_xspace PRIVATE ${CMAKE_SOURCE_DIR}/collector)
seam_fuzz(nodes collector)
target_include_directories(fuzz_nodes PRIVATE ${CMAKE_SOURCE_DIR}/collector)
