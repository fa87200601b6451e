# Programs of other compilers: codegen/foreign.
include(${CMAKE_SOURCE_DIR}/tests/data/data.cmake)
seam_test(foreign OF codegen)
target_include_directories(foreign_test PRIVATE ${CMAKE_SOURCE_DIR}/codegen)
target_compile_definitions(foreign_test PRIVATE SEAM_UNPACKED="${SEAM_UNPACKED}")
seam_fuzz(launches codegen)
