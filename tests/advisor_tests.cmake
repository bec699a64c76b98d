# The result by hand of test_advisor_report.c and test_advisor_measure.c, and the program that test_advisor_cli.c and
# test_advisor_measured.c run, in folders of its own.
foreach(target inflight_tests test_advisor_report test_advisor_answer test_advisor_measure test_advisor_confirm)
  if(TARGET ${target})
    target_sources(${target} PRIVATE test_advisor_desk.c)
  endif()
endforeach()
foreach(target inflight_tests test_advisor_cli test_advisor_measured)
  if(TARGET ${target})
    target_sources(${target} PRIVATE test_advisor_place.c)
    add_dependencies(${target} inflight)
    target_compile_definitions(${target} PRIVATE INFLIGHT_PROGRAM="$<TARGET_FILE:inflight>")
  endif()
endforeach()
