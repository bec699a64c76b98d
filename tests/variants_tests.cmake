# What the suites of kernel, harness and verification share, and the compiler that they build with.
foreach(target inflight_tests test_variants_kernel test_variants_tunable test_variants_harness test_variants_timing test_variants_verify
               test_variants_faults test_variants_arena test_variants_library test_variants_count test_variants_chains test_variants_traced test_variants_frozen)
  if(TARGET ${target})
    target_sources(${target} PRIVATE test_variants_fixture.c)
    target_compile_definitions(${target} PRIVATE INFLIGHT_CC="${CMAKE_C_COMPILER}")
  endif()
endforeach()
# Broken variants.
foreach(target inflight_tests test_variants_faults)
  if(TARGET ${target})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/bench/faults.c)
  endif()
endforeach()
# Random plans, shared with bench/plans.
foreach(target inflight_tests test_variants_plans)
  if(TARGET ${target})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/bench/plan_try.c
      ${PROJECT_SOURCE_DIR}/bench/plan_cases.c
      ${PROJECT_SOURCE_DIR}/bench/plan_own.c
      ${PROJECT_SOURCE_DIR}/bench/plan_random.c)
  endif()
endforeach()
