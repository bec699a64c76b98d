# What `cmake --install` brings besides the program (advisor/CMakeLists.txt): data, documentation, completions, man pages,
# inflight.pc; and the target `uninstall`. Included before any other install(), so that it sees which folders were there.
# Component `build` is what building a project with a tuned kernel needs, `regions` the marker library
# (regions/CMakeLists.txt), `tool` all the rest.

option(INFLIGHT_MAN "Make man pages (needs help2man)" ON)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)

set(data ${CMAKE_INSTALL_DATADIR}/inflight)
set(shells bash zsh fish)
set(scripts inflight _inflight inflight.fish)
set(completion_folders ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
                       ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# ---- folders that are made are remembered, for uninstall ----

set(folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_LIBDIR}/cmake/inflight
            ${CMAKE_INSTALL_LIBDIR}/inflight ${CMAKE_INSTALL_DATADIR}/pkgconfig ${data} ${completion_folders}
            ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(CODE "set(folders \"${folders}\")
set(record \"${PROJECT_BINARY_DIR}/install_folders.txt\")")
install(SCRIPT cmake/remember_folders.cmake)
configure_file(cmake/uninstall.cmake.in uninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake VERBATIM USES_TERMINAL)

# ---- data and documentation ----

# Data travels with its path in the tree, so that shipped_path() finds "rules/recipe.json" in either place;
# with it the sources of the cache model, which are compiled into traced programs.
install(DIRECTORY machines rules templates DESTINATION ${data}
        FILES_MATCHING PATTERN "*.json" PATTERN "templates/*/*.[ch]" PATTERN "templates/report/*.*"
        PATTERN "templates/completion" EXCLUDE)
install(DIRECTORY core/machine/data core/machine/profiles DESTINATION ${data}/core/machine FILES_MATCHING PATTERN "*.json")
install(DIRECTORY observe/data DESTINATION ${data}/observe FILES_MATCHING PATTERN "*.json")
install(DIRECTORY docs/schemas/ DESTINATION ${data}/schemas FILES_MATCHING PATTERN "*.json")
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "man" EXCLUDE PATTERN "schemas" EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(shell script folder IN ZIP_LISTS shells scripts completion_folders)
  install(FILES templates/completion/${shell} DESTINATION ${folder} RENAME ${script})
endforeach()

configure_file(cmake/inflight.pc.in inflight.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/inflight.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT build)

# ---- what the program itself writes ----

if(INFLIGHT_SANITIZE)
  return()
endif()

find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
if(NOT INFLIGHT_MAN)
  return()
endif()
if(NOT HELP2MAN)
  message(STATUS "No man pages: help2man is not installed (on Debian: apt install help2man)")
  return()
endif()
add_custom_command(
  OUTPUT man/inflight.1
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/man $<TARGET_FILE:inflight> ${PROJECT_SOURCE_DIR}/docs/man/common.h2m
          ${PROJECT_BINARY_DIR}/man ${PROJECT_VERSION}
  DEPENDS inflight cmake/man cmake/man.awk docs/man/common.h2m
  COMMENT "Man pages"
  VERBATIM)
add_custom_target(man ALL DEPENDS man/inflight.1)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
