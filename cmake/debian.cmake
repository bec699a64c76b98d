# Run by cpack on the folders that become packages: what Debian wants otherwise than `cmake --install` leaves it.
cmake_minimum_required(VERSION 3.25)
find_program(GZIP gzip REQUIRED)
set(packed "")

# compressed FILE...
function(compressed)
  execute_process(COMMAND ${GZIP} -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr")
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc "${root}/share/doc/${name}")

  # zsh of Debian reads its own folder
  if(EXISTS "${root}/share/zsh/site-functions")
    file(RENAME "${root}/share/zsh/site-functions" "${root}/share/zsh/vendor-completions")
  endif()
  file(GLOB pages "${root}/share/man/man1/*.1")
  if(pages)
    compressed(${pages})
  endif()

  file(REMOVE "${doc}/LICENSE" "${doc}/CHANGELOG.md")
  file(MAKE_DIRECTORY "${doc}")
  file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: inflight

Files: *
Copyright: 2026 the authors of inflight
License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")
  file(COPY_FILE "${CPACK_INFLIGHT_CHANGELOG}" "${doc}/changelog")
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(WRITE "${doc}/changelog.Debian" "inflight (${version}) unstable; urgency=medium

  * Packaged by cpack from the sources; what is new is in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${CPACK_INFLIGHT_DATE}
")
  compressed("${doc}/changelog" "${doc}/changelog.Debian")
  file(GLOB_RECURSE files RELATIVE "${root}" "${root}/*")
  foreach(file IN LISTS files)
    if(file IN_LIST packed)
      message(FATAL_ERROR "/usr/${file} is in two packages: give its install() one component only")
    endif()
  endforeach()
  list(APPEND packed ${files})
  file(GLOB_RECURSE all LIST_DIRECTORIES true "${root}/*")
  foreach(path IN LISTS all)
    if(IS_DIRECTORY "${path}")
      file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
  endforeach()
endforeach()
