# inflight_room(FOLDER [LINK target...] [EXCEPT file...])
# One room of a house: the static library of all C files in FOLDER (from this directory; "." = it), but EXCEPT.
# Its target is inflight_ and the path from the root with _ for /, without "core/": inflight_base, inflight_variants_emit.
# LINK names what its callers see too: rooms, houses (inflight_variants), packages (PkgConfig::SQLITE3, inflight_libclang).
function(inflight_room folder)
  cmake_parse_arguments(ARG "" "" "LINK;EXCEPT" ${ARGN})
  cmake_path(ABSOLUTE_PATH folder NORMALIZE OUTPUT_VARIABLE path)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
  string(REGEX REPLACE "^core/|/$" "" name ${name})
  string(REPLACE "/" "_" name ${name})
  file(GLOB sources CONFIGURE_DEPENDS ${path}/*.c)
  foreach(file IN LISTS ARG_EXCEPT)
    list(REMOVE_ITEM sources ${path}/${file})
  endforeach()
  add_library(inflight_${name} STATIC ${sources})
  target_link_libraries(inflight_${name} PUBLIC inflight_flags ${ARG_LINK})
endfunction()

# inflight_house(NAME ROOMS folder... [LINK target...])
# A house of rooms below this directory, lowest first: each room links those before it and LINK. inflight_NAME is all of
# them.
function(inflight_house name)
  cmake_parse_arguments(ARG "" "" "ROOMS;LINK" ${ARGN})
  foreach(room IN LISTS ARG_ROOMS)
    inflight_room(${room} LINK ${below} ${ARG_LINK})
    list(PREPEND below inflight_${name}_${room})
  endforeach()
  add_library(inflight_${name} INTERFACE)
  target_link_libraries(inflight_${name} INTERFACE ${below})
endfunction()
