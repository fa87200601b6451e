# Proofs and whole-program runs: codegen/validate and codegen/run.
include(${CMAKE_SOURCE_DIR}/tests/data/data.cmake)
seam_test(proof OF codegen TIMEOUT 1200)
target_include_directories(proof_test PRIVATE ${CMAKE_SOURCE_DIR}/codegen)
target_compile_definitions(proof_test PRIVATE SEAM_UNPACKED="${SEAM_UNPACKED}")
