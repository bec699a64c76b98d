# inflight_library(NAME [SOURCES file...] [LINK target...])
# The static library of one folder, as target inflight_NAME. LINK names what its callers see too: other folders
# (inflight_base), packages (PkgConfig::SQLITE3, inflight_libclang). Without sources it is an empty interface,
# so that a folder can be linked before its first file is there.
function(inflight_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_SOURCES)
    add_library(inflight_${name} INTERFACE)
    target_link_libraries(inflight_${name} INTERFACE inflight_flags ${ARG_LINK})
    return()
  endif()
  add_library(inflight_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(inflight_${name} PUBLIC inflight_flags ${ARG_LINK})
endfunction()
