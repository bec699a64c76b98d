# Every command of README.md and the pages below docs/, a test for each page; links, anchors and options that they name (CONTRIBUTING.md).
if(TARGET inflight AND NOT INFLIGHT_SANITIZE)
  file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md
       ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/reference/*.md ${PROJECT_SOURCE_DIR}/docs/internals/*.md)
  foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME_WE)
    add_test(NAME docs_${name}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/run_page ${PROJECT_SOURCE_DIR} $<TARGET_FILE:inflight> ${page})
    order_and_label(docs_${name} docs)
  endforeach()
  add_test(NAME docs_links
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/check_links ${PROJECT_SOURCE_DIR} $<TARGET_FILE:inflight>)
  order_and_label(docs_links docs)
  add_test(NAME docs_supported_tables COMMAND ${CMAKE_COMMAND} -DCHECK=ON -P ${PROJECT_SOURCE_DIR}/cmake/supported.cmake)
  order_and_label(docs_supported_tables docs)
endif()
