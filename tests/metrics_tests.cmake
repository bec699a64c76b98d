# Facts are metrics of the rules.
target_link_libraries(test_metrics_events PRIVATE inflight_rules)
