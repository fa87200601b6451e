# The single direction of data. A folder may use only folders that stand before it.
set(SEAM_LAYERS base db graph sim collector analyzer planner codegen report gui cli)

# seam_module(planner USES graph analyzer LINKS CBC)
#   USES   earlier folders: their include/ becomes visible, transitively
#   LINKS  third-party targets that stay private to this folder
function(seam_module name)
  cmake_parse_arguments(PARSE_ARGV 1 M "" "" "USES;LINKS")
  list(FIND SEAM_LAYERS ${name} here)
  foreach(used IN LISTS M_USES)
    list(FIND SEAM_LAYERS ${used} there)
    if(there EQUAL -1 OR NOT there LESS here)
      message(FATAL_ERROR "${name} must not use ${used}: it does not stand before it in SEAM_LAYERS")
    endif()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/main/") # programs, not part of the library
  if(NOT sources)
    message(STATUS "${name}: no sources yet")
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS include/${name}/*.h include/${name}/*.def)
  add_library(seam_${name} STATIC ${sources})
  target_sources(seam_${name} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${headers})
  target_include_directories(seam_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  seam_warnings(seam_${name})
  list(TRANSFORM M_USES PREPEND seam_)
  target_link_libraries(seam_${name} PUBLIC ${M_USES} fmt::fmt tl::expected PRIVATE ${M_LINKS})
endfunction()

# Third-party headers are SYSTEM (imported targets are); -Wnull-dereference is left out: it flags
# libstdc++ 12's own iterators at -O2; -Wmaybe-uninitialized: g++ 12 flags values moved out of tl::expected.
function(seam_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()

# seam_test(codegen USES report): tests/codegen/*.cpp linked against that folder (and the USES) only; OF names the folder if the test has
# another name
function(seam_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "TIMEOUT;OF" "USES;LINKS")
  if(NOT T_OF)
    set(T_OF ${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_executable(${name}_test ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/golden_main.cpp)
  target_compile_definitions(${name}_test PRIVATE
    SEAM_TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}/${name}"
    SEAM_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
    SEAM_PUBLIC_DATA_DEFAULT="${CMAKE_SOURCE_DIR}/../shared/data")
  target_include_directories(${name}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM T_USES PREPEND seam_)
  target_link_libraries(${name}_test PRIVATE seam_${T_OF} ${T_USES} GTest::gtest Threads::Threads ${T_LINKS})
  seam_warnings(${name}_test)
  add_test(NAME ${name} COMMAND ${name}_test)
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT})
endfunction()

# seam_fuzz(kernel_text codegen): libFuzzer with clang, a corpus replay with any compiler
function(seam_fuzz name module)
  add_executable(fuzz_${name} fuzz/${name}.cpp)
  target_link_libraries(fuzz_${name} PRIVATE seam_${module})
  if(SEAM_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${name} PRIVATE fuzz/replay_main.cpp)
    add_test(NAME fuzz_${name}_corpus COMMAND fuzz_${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  endif()
endfunction()
