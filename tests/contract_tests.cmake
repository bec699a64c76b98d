# The contract is about the whole: it replays searches as bench/search_score does, and asks the program.
foreach(part score search_trial)
  target_sources(test_contract PRIVATE ${PROJECT_SOURCE_DIR}/bench/${part}.c)
endforeach()
target_sources(test_contract PRIVATE test_advisor_place.c)
target_link_libraries(test_contract PRIVATE inflight_advisor inflight_search inflight_variants inflight_rules)
add_dependencies(test_contract inflight)
target_compile_definitions(test_contract PRIVATE INFLIGHT_PROGRAM="$<TARGET_FILE:inflight>")
