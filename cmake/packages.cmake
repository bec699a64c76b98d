# External packages. The Debian names are in packages.txt.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.4)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ISL REQUIRED IMPORTED_TARGET isl)
pkg_check_modules(PAPI REQUIRED IMPORTED_TARGET papi)
pkg_check_modules(CAPSTONE REQUIRED IMPORTED_TARGET capstone>=4)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw>=0.171)
if(INFLIGHT_TESTS)
  pkg_check_modules(CUNIT REQUIRED IMPORTED_TARGET cunit>=2.1)
endif()

# PAPI's software defined events: counters that a test can set itself. Target inflight_sde if there.
find_library(SDE_LIBRARY sde)
find_path(SDE_INCLUDE sde_lib.h)
mark_as_advanced(SDE_LIBRARY SDE_INCLUDE)
if(SDE_LIBRARY AND SDE_INCLUDE)
  add_library(inflight_sde INTERFACE IMPORTED)
  target_link_libraries(inflight_sde INTERFACE ${SDE_LIBRARY})
  target_include_directories(inflight_sde INTERFACE ${SDE_INCLUDE})
endif()

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
add_library(inflight_libclang INTERFACE IMPORTED)
target_link_libraries(inflight_libclang INTERFACE ${LIBCLANG_LIBRARY})
target_include_directories(inflight_libclang INTERFACE ${LIBCLANG_INCLUDE})
