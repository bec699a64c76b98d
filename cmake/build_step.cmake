# The tuning step for other people's builds (docs/build.md): find_package(inflight), and a fragment for make. Nothing of it
# depends on this machine's architecture or on a library, hence ARCH_INDEPENDENT.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/inflight)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/inflightConfigVersion.cmake COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES cmake/inflightConfig.cmake cmake/inflight-tune.cmake ${PROJECT_BINARY_DIR}/inflightConfigVersion.cmake
        DESTINATION ${package} COMPONENT build)
install(FILES cmake/inflight.mk DESTINATION ${CMAKE_INSTALL_DATADIR}/inflight COMPONENT build)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT build PATTERN build EXCLUDE)
