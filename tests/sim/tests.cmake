include(${CMAKE_SOURCE_DIR}/tests/data/data.cmake)
seam_test(sim LINKS nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
target_compile_definitions(sim_test PRIVATE SEAM_UNPACKED="${SEAM_UNPACKED}")
seam_fuzz(ptx sim)

# The simulator against real hardware; without a driver it says SKIP. scripts/gpu-check runs it with more around it.
add_executable(gpu_check gpu/gpu_check.cpp gpu/cases.cpp)
target_link_libraries(gpu_check PRIVATE seam_sim ${CMAKE_DL_LIBS})
target_include_directories(gpu_check PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(gpu_check PRIVATE SEAM_SIM_KERNELS="${CMAKE_CURRENT_SOURCE_DIR}/sim/kernels")
seam_warnings(gpu_check)
add_test(NAME gpu_check COMMAND gpu_check)
set_tests_properties(gpu_check PROPERTIES LABELS gpu SKIP_RETURN_CODE 77)
