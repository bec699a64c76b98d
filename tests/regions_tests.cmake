# The program with markers that test_regions_marks.c runs, and what it loads as PAPI.
add_executable(inflight_region_program region_program.c)
target_link_libraries(inflight_region_program PRIVATE inflight_flags inflight_regions_static)
add_library(inflight_fake_papi MODULE fake_papi.c)
target_link_libraries(inflight_fake_papi PRIVATE inflight_flags)
foreach(target inflight_tests test_advisor_schemas test_advisor_regions test_advisor_metrics_regions)
  if(TARGET ${target})
    add_dependencies(${target} inflight_region_program inflight)
  endif()
endforeach()
foreach(target inflight_tests test_regions_marks)
  if(TARGET ${target})
    add_dependencies(${target} inflight_region_program inflight_fake_papi inflight_regions inflight_regions_static)
    target_link_libraries(${target} PRIVATE inflight_observe)
    target_compile_definitions(${target} PRIVATE
      REGION_PROGRAM="$<TARGET_FILE:inflight_region_program>" FAKE_PAPI="$<TARGET_FILE:inflight_fake_papi>"
      REGIONS_SHARED="$<TARGET_FILE:inflight_regions>" REGIONS_STATIC="$<TARGET_FILE:inflight_regions_static>"
      REGIONS_FOLDER="$<TARGET_FILE_DIR:inflight_regions>")
    if(INFLIGHT_SANITIZE)
      target_compile_definitions(${target} PRIVATE REGIONS_SANITIZED)
    endif()
  endif()
endforeach()
