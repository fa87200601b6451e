# Proofs and whole-program runs: codegen/validate and codegen/run.
seam_test(proof OF codegen)
target_include_directories(proof_test PRIVATE ${CMAKE_SOURCE_DIR}/codegen)
