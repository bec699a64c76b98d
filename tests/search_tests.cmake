# The scripted space that the suites of search/ and advisor/ share.
foreach(target inflight_tests test_search_nest test_search_propose test_search_guided test_search_left test_search_audit test_search_ends
               test_search_blind test_search_pool test_search_judge test_search_tunables test_search_environment test_search_recorded test_search_replay
               test_search_measurement test_search_facts test_search_ties test_search_pace test_search_ahead
               test_advisor_report test_advisor_answer test_advisor_confirm)
  if(TARGET ${target})
    target_sources(${target} PRIVATE test_search_space.c)
  endif()
endforeach()
# The judging of searches, shared with bench/search_score.
foreach(target inflight_tests test_search_score test_search_judge)
  if(TARGET ${target})
    foreach(part score search_trial search_results)
      target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/bench/${part}.c)
    endforeach()
  endif()
endforeach()
