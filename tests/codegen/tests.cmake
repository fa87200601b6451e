seam_test(codegen USES planner sim graph base)
target_include_directories(codegen_test PRIVATE ${CMAKE_SOURCE_DIR}/codegen)  # the analyses have tests of their own
seam_fuzz(kernel_text codegen)
