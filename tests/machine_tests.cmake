# Their loops are read as machine code.
target_link_libraries(test_machine_flops PRIVATE inflight_code)
