# Kernels broken on purpose: every tier of a proof earns its place. tests/data/data.cmake is included for `proof`.
seam_test(mutants OF codegen)
target_sources(mutants_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/codegen/support.cpp ${CMAKE_CURRENT_SOURCE_DIR}/codegen/group_file.cpp)
target_include_directories(mutants_test PRIVATE ${CMAKE_SOURCE_DIR}/codegen ${CMAKE_SOURCE_DIR}/planner)
target_compile_definitions(mutants_test PRIVATE SEAM_UNPACKED="${SEAM_UNPACKED}")
