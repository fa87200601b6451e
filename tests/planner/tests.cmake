seam_test(planner USES graph analyzer base)
target_include_directories(planner_test PRIVATE ${CMAKE_SOURCE_DIR}/planner)
target_compile_definitions(planner_test PRIVATE SEAM_EXAMPLES="${CMAKE_SOURCE_DIR}/examples")
seam_fuzz(plan_text planner)
