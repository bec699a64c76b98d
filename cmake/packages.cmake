# External packages. The Debian names are in packages.txt.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.4)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ISL REQUIRED IMPORTED_TARGET isl)
pkg_check_modules(PAPI REQUIRED IMPORTED_TARGET papi)
pkg_check_modules(CAPSTONE REQUIRED IMPORTED_TARGET capstone>=4)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw>=0.171)
if(INFLIGHT_TESTS)
  pkg_check_modules(CUNIT REQUIRED IMPORTED_TARGET cunit>=2.1)
endif()

# Of a library without a .pc file: target inflight_NAME, if it is there.
function(find_plain name library header)
  string(TOUPPER ${name} word)
  find_library(${word}_LIBRARY ${library})
  find_path(${word}_INCLUDE ${header})
  mark_as_advanced(${word}_LIBRARY ${word}_INCLUDE)
  if(${word}_LIBRARY AND ${word}_INCLUDE)
    add_library(inflight_${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(inflight_${name} INTERFACE ${${word}_LIBRARY})
    target_include_directories(inflight_${name} INTERFACE ${${word}_INCLUDE})
  endif()
endfunction()

function(need_plain name library header title package)
  find_plain(${name} ${library} ${header})
  if(NOT TARGET inflight_${name})
    message(FATAL_ERROR "${title} is not installed; on Debian: apt install ${package}")
  endif()
endfunction()

find_plain(sde sde sde_lib.h) # PAPI's software defined events: counters that a test can set itself
need_plain(gmp gmp gmp.h libgmp libgmp-dev) # whose numbers isl uses; older ones have no .pc file
need_plain(pfm pfm perfmon/pfmlib_perf_event.h libpfm4 libpfm4-dev)
need_plain(zydis Zydis Zydis/Zydis.h "Zydis 4" libzydis-dev)

# libclang by its C interface only; LLVM's own CMake packages would pull in far more than they give.
find_program(LLVM_CONFIG NAMES llvm-config-19 llvm-config)
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE llvm_prefix
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(GLOB llvm_prefixes /usr/lib/llvm-* /usr/lib64/llvm*)
list(SORT llvm_prefixes COMPARE NATURAL ORDER DESCENDING)
find_library(LIBCLANG_LIBRARY NAMES clang clang-19 HINTS ${llvm_prefix} ${llvm_prefixes}
             PATH_SUFFIXES lib lib64)
find_path(LIBCLANG_INCLUDE clang-c/Index.h HINTS ${llvm_prefix} ${llvm_prefixes}
          PATH_SUFFIXES include)
mark_as_advanced(LLVM_CONFIG LIBCLANG_LIBRARY LIBCLANG_INCLUDE)
if(NOT LIBCLANG_LIBRARY OR NOT LIBCLANG_INCLUDE)
  message(FATAL_ERROR "libclang is not installed; on Debian: apt install libclang-19-dev")
endif()
# Of the Debian packages that belong to it.
string(REGEX MATCH "llvm-([0-9]+)|clang-([0-9]+)" found "${LIBCLANG_LIBRARY}")
set(LIBCLANG_MAJOR ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
if(NOT LIBCLANG_MAJOR)
  set(LIBCLANG_MAJOR 19)
endif()
add_library(inflight_libclang INTERFACE IMPORTED)
target_link_libraries(inflight_libclang INTERFACE ${LIBCLANG_LIBRARY})
target_include_directories(inflight_libclang INTERFACE ${LIBCLANG_INCLUDE})
