# townpost_schema(TARGET FOLDER): the numbered steps of FOLDER as store/schema_steps.h, for the sources of TARGET. A step is
# NNNN_name.sql; what only one store needs stands beside it, in NNNN_name.sqlite.sql or NNNN_name.postgres.sql.
function(townpost_schema target folder)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  file(GLOB steps CONFIGURE_DEPENDS ${folder}/*.sql)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${steps})
  list(FILTER steps EXCLUDE REGEX "\\.(sqlite|postgres)\\.sql$")
  list(SORT steps)
  set(expected 0)
  set(entries "")
  foreach(step IN LISTS steps)
    get_filename_component(name ${step} NAME_WE)
    string(REGEX MATCH "^0*([1-9][0-9]*)_" number ${name})
    math(EXPR expected "${expected} + 1")
    if(NOT CMAKE_MATCH_1 STREQUAL expected)
      message(FATAL_ERROR "${step} should be step ${expected}: steps are numbered 1, 2, 3, …")
    endif()
    string(APPEND entries "    Migration{${expected}")
    foreach(store "" .sqlite .postgres)
      set(sql "")
      if(EXISTS ${folder}/${name}${store}.sql)
        file(READ ${folder}/${name}${store}.sql sql)
      endif()
      string(APPEND entries ", R\"sql(${sql})sql\"")
    endforeach()
    string(APPEND entries "},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/store/schema_steps.h CONTENT [[
// Made from store/schema/*.sql by cmake/schema.cmake.
#pragma once
#include <array>

#include "store/migrations.h"

namespace townpost {
inline constexpr std::array kSchemaSteps = {
@entries@};
}  // namespace townpost
]] @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
