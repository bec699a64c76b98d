# The result by hand of test_advisor_report.c and test_advisor_measure.c, and the program that test_advisor_cli.c and
# test_advisor_measured.c run, in folders of its own.
foreach(target inflight_tests test_advisor_report test_advisor_answer test_advisor_measure test_advisor_confirm)
  if(TARGET ${target})
    target_sources(${target} PRIVATE test_advisor_desk.c)
  endif()
endforeach()
if(TARGET test_advisor_check)
  target_compile_definitions(test_advisor_check PRIVATE INFLIGHT_PROGRAM="$<TARGET_FILE:inflight>")
endif()
foreach(target inflight_tests test_advisor_cli test_advisor_measured test_advisor_completion test_advisor_schemas test_advisor_install
        test_advisor_regions test_advisor_application test_advisor_timeline test_advisor_capture test_advisor_metrics
        test_advisor_metrics_saved test_advisor_metrics_regions test_advisor_metrics_odd)
  if(TARGET ${target})
    target_sources(${target} PRIVATE test_advisor_place.c)
    add_dependencies(${target} inflight)
    target_compile_definitions(${target} PRIVATE INFLIGHT_PROGRAM="$<TARGET_FILE:inflight>")
  endif()
endforeach()
# Builds with records (test_advisor_site.c runs cmake).
foreach(target inflight_tests test_advisor_build test_advisor_check test_advisor_project test_advisor_examples)
  if(TARGET ${target})
    add_dependencies(${target} inflight)
    target_compile_definitions(${target} PRIVATE CMAKE_PROGRAM="${CMAKE_COMMAND}")
  endif()
endforeach()
# The applications of examples/apps.
foreach(target inflight_tests test_advisor_apps)
  if(TARGET ${target})
    add_dependencies(${target} inflight)
    target_compile_definitions(${target} PRIVATE INFLIGHT_PROGRAM="$<TARGET_FILE:inflight>")
  endif()
endforeach()
# What starts browsers, compilers and builds is not for programs under sanitizers.
if(INFLIGHT_SANITIZE)
  foreach(target inflight_tests test_advisor_browser test_advisor_examples test_advisor_apps)
    if(TARGET ${target})
      target_compile_definitions(${target} PRIVATE INFLIGHT_SANITIZED)
    endif()
  endforeach()
endif()

# Debian's validator goes before others: it is what the schemas are written for.
find_program(JSONSCHEMA jsonschema PATHS /usr/bin NO_DEFAULT_PATH)
find_program(JSONSCHEMA jsonschema)
mark_as_advanced(JSONSCHEMA)
foreach(target inflight_tests test_advisor_schemas)
  if(TARGET ${target} AND JSONSCHEMA)
    target_compile_definitions(${target} PRIVATE INFLIGHT_JSONSCHEMA="${JSONSCHEMA}")
  endif()
endforeach()

# Installing from the build folder needs all that is installed. Man pages are built in the preset ci only, and so is this
# tried there only.
if(TARGET man)
  foreach(target inflight_tests test_advisor_install test_advisor_timeline)
    if(TARGET ${target})
      target_compile_definitions(${target} PRIVATE INFLIGHT_INSTALL_CMAKE="${CMAKE_COMMAND}"
        INFLIGHT_INSTALL_CPACK="${CMAKE_CPACK_COMMAND}")
      add_dependencies(${target} man completions)
      if(TARGET inflight_events)
        add_dependencies(${target} inflight_events)
      endif()
    endif()
  endforeach()
endif()
# What the advisor makes of metrics.
if(TARGET test_metrics_rules)
  target_link_libraries(test_metrics_rules PRIVATE inflight_advisor)
endif()
