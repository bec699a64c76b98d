# The metrics of core/occupancy and the resources of rules/ are held together by tests that see both.
foreach(target test_occupancy_limits test_paper test_rules)
  if(TARGET ${target})
    target_link_libraries(${target} PRIVATE inflight_rules inflight_occupancy)
  endif()
endforeach()
# The paper's rows, shared with bench/paper.
foreach(target inflight_tests test_paper)
  if(TARGET ${target})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/bench/paper_rows.c)
  endif()
endforeach()
