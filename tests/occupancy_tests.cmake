# The metrics of core/occupancy and the resources of rules/ are held together by tests that see both.
foreach(target test_occupancy_limits test_paper test_rules)
  if(TARGET ${target})
    target_link_libraries(${target} PRIVATE inflight_rules inflight_occupancy)
  endif()
endforeach()
