# Debian packages: `cmake --build build/release --target package`, or cpack there. `inflight` is the tool, `inflight-build` what a
# normal build of a project with tuned kernels needs: no libclang, no compiler of its own; `inflight-regions` what programs with
# region markers are linked with.
set(INFLIGHT_CONTACT "inflight maintainers <maintainers@inflight.example>" CACHE STRING "Maintainer of the packages")

set(release ${PROJECT_VERSION}-1)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_VENDOR "inflight maintainers")
set(CPACK_PACKAGE_CONTACT ${INFLIGHT_CONTACT})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each component has its own: the first line of its description
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL tool build regions)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME inflight)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "inflight-build (= ${release}), libclang-common-${LIBCLANG_MAJOR}-dev, gcc, libc6-dev")
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "clang-${LIBCLANG_MAJOR}, gnuplot-nox, python3")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "optimization advisor and autotuner for C loops
Counts how many cache misses a loop keeps in flight, compares that with what
the core can hold (its miss status handling registers), says which
optimizations can still pay, tries them as compiled variants, verifies their
results, and writes the fastest as plain C with a ranked report.")

set(CPACK_DEBIAN_BUILD_PACKAGE_NAME inflight-build)
set(CPACK_DEBIAN_BUILD_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_BUILD_PACKAGE_DEPENDS "")
set(CPACK_DEBIAN_BUILD_PACKAGE_RECOMMENDS "cmake (>= 3.20)")
set(CPACK_DEBIAN_BUILD_PACKAGE_SUGGESTS "inflight (= ${release})")
set(CPACK_COMPONENT_BUILD_DESCRIPTION "build steps for C kernels that inflight tuned
The CMake package and the make rules by which a project is built with kernels
that inflight tuned and recorded. Needs neither the tool nor libclang; tuning
and checking need the package inflight.")

set(CPACK_DEBIAN_REGIONS_PACKAGE_NAME inflight-regions)
set(CPACK_DEBIAN_REGIONS_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_REGIONS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_REGIONS_PACKAGE_DEPENDS "")
set(CPACK_DEBIAN_REGIONS_PACKAGE_SUGGESTS "inflight (= ${release}), inflight-build (= ${release}), libpapi-dev")
set(CPACK_COMPONENT_REGIONS_DESCRIPTION "region markers of programs for inflight
The library and header by which C, C++ and Fortran programs mark the parts that
'inflight profile' reports on. Needs the C library only, and costs nothing
noticeable while nothing is recorded.")

# The changelog of the packages; its date is that of SOURCE_DATE_EPOCH where that is set.
set(CPACK_INFLIGHT_CHANGELOG ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
string(TIMESTAMP day "%Y-%m-%d" UTC)
execute_process(COMMAND date -u -R -d "${day}" OUTPUT_VARIABLE CPACK_INFLIGHT_DATE OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE no_date ERROR_QUIET)
include(CPack)
