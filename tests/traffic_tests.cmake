# The PAPI-based tool that test_traffic_export.c brings into a traced program.
if(TARGET inflight_sde)
  add_library(inflight_papi_tool MODULE papi_tool.c)
  target_link_libraries(inflight_papi_tool PRIVATE PkgConfig::PAPI inflight_sde)
  set_target_properties(inflight_papi_tool PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR})
  target_compile_options(inflight_papi_tool PRIVATE -fno-sanitize=all)
  target_link_options(inflight_papi_tool PRIVATE -fno-sanitize=all)
  foreach(program inflight_tests test_traffic_export)
    add_dependencies(${program} inflight_papi_tool inflight_events)
    target_compile_definitions(${program} PRIVATE INFLIGHT_HAS_SDE)
  endforeach()
endif()
