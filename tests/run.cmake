# The program that plays a harness in test_run_*.c. Never sanitized: the sanitizers need more
# address space than the limits under test.
add_executable(fake_harness ${PROJECT_SOURCE_DIR}/tests/fake_harness.c
  ${PROJECT_SOURCE_DIR}/tests/fake_deeds.c)
target_include_directories(fake_harness PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(fake_harness PRIVATE -Wall -Wextra -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wwrite-strings -Wvla -Wundef)
foreach(target inflight_tests test_run_outcomes test_run_measure test_run_together test_run_samples)
  if(TARGET ${target})
    add_dependencies(${target} fake_harness)
    target_compile_definitions(${target} PRIVATE FAKE_HARNESS="$<TARGET_FILE:fake_harness>")
  endif()
endforeach()
