# How everything is compiled and linked.

# Where ccache is installed, what was compiled once is not compiled again: in another branch, checkout or preset either.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The first words let it take precompiled headers, the others let checkouts in different folders share.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_IGNOREOPTIONS=--param=ggc-* ${CCACHE})
endif()

add_library(townpost_flags INTERFACE)
target_compile_options(townpost_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  -Wno-missing-field-initializers  # designated initialisers leave the rest at its default on purpose
  -fno-pie)
# g++ 12 sees overlaps in std::string that are not there (GCC bug 105651).
target_compile_options(townpost_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# g++ collects no garbage below half a gibibyte: that took an eighth of its time, and few sources need so much.
target_compile_options(townpost_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
# Which members a lock guards is said with them (src/base/mutex.h).
target_compile_options(townpost_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
target_compile_definitions(townpost_flags INTERFACE TOWNPOST_VERSION="${TOWNPOST_VERSION}")
target_include_directories(townpost_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)

# asan | tsan: set by the presets of that name.
set(TOWNPOST_SANITIZE "" CACHE STRING "address (with undefined), thread, or nothing")
if(TOWNPOST_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TOWNPOST_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

# A program starts fastest without PIE and with everything inside it (docs/decisions/0002 and 0011).
add_library(townpost_program INTERFACE)
# Linked with all code in view, the release sees two types of one name in different files.
target_link_options(townpost_program INTERFACE -no-pie $<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Werror=odr>)
if(NOT TOWNPOST_SANITIZE)
  target_link_options(townpost_program INTERFACE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-O1)
endif()
