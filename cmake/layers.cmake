# What nearly every source includes, compiled once for all layers and once for all tests. The clang preset leaves it out,
# so that every file still includes what it uses.
option(TOWNPOST_PCH "Precompile the common headers" ON)
set(common_headers <algorithm> <array> <boost/json.hpp> <chrono> <filesystem> <functional> <map> <memory> <optional> <set>
    <string> <string_view> <thread> <tl/expected.hpp> <vector>)
set(test_headers ${common_headers} <fstream> <gtest/gtest.h> <rapidcheck/gtest.h>)

# townpost_precompiled(NAME [QUICK] HEADERS … [USES …]): a library that holds nothing but the headers' compiled form.
function(townpost_precompiled name)
  cmake_parse_arguments(arg "QUICK" "" "HEADERS;USES" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "// only its precompiled headers matter\n")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE townpost_flags ${arg_USES})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  if(arg_QUICK)
    target_compile_options(${name} PRIVATE ${quick_to_compile})
  endif()
endfunction()

# Sources of tests run once or twice: what they cost is their compilation.
set(quick_to_compile -O0 -g0)

function(townpost_reuse_headers target from)
  if(TOWNPOST_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

function(townpost_test_headers target from)
  if(TOWNPOST_PCH)
    townpost_reuse_headers(${target} ${from})
    target_compile_options(${target} PRIVATE ${quick_to_compile})
  endif()
endfunction()

if(TOWNPOST_PCH)
  townpost_precompiled(common_pch HEADERS ${common_headers})
  if(TOWNPOST_TESTS)
    find_package(GTest REQUIRED)
    townpost_precompiled(test_pch QUICK HEADERS ${test_headers} USES rapidcheck GTest::gtest)
  endif()
endif()

# townpost_shares(PROGRAM n PROPERTY VALUE …): n tests of ctest that run all tests of the program together, for suites whose
# tests are short: a process for each would cost more than the test. With an odd n every share has both stores, which
# alternate in the contract suites.
function(townpost_shares program shares)
  math(EXPR last "${shares} - 1")
  foreach(number RANGE ${last})
    set(name ${program})
    if(shares GREATER 1)
      math(EXPR one_based "${number} + 1")
      string(APPEND name ".${one_based}of${shares}")
    endif()
    add_test(NAME ${name}
      COMMAND ${CMAKE_SOURCE_DIR}/tests/run_share ${CMAKE_BINARY_DIR}/reports/${name}.json ${number} ${shares}
              $<TARGET_FILE:${program}>)
    # __FILE__ may be relative to where the compiler ran.
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 WORKING_DIRECTORY ${CMAKE_BINARY_DIR} ${ARGN})
  endforeach()
endfunction()

# townpost_layer(NAME USES a b): the folder's sources become the static library NAME; its *_test.cc become the program
# NAME_unit_test, its *_main.cc are programs of their own. USES names the layers below it: the same graph that tools/check_layers holds.
function(townpost_layer name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC townpost_flags ${arg_USES})
  townpost_reuse_headers(${name} common_pch)
  if(TOWNPOST_TESTS AND tests)
    find_package(GTest REQUIRED)
    add_executable(${name}_unit_test ${tests})
    target_link_libraries(${name}_unit_test PRIVATE ${name} townpost_program rapidcheck GTest::gtest_main)
    townpost_test_headers(${name}_unit_test test_pch)
    townpost_shares(${name}_unit_test 1 LABELS unit)
  endif()
endfunction()
