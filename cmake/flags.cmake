# What every target of ours is compiled with. Asserts stay on in every build type.
add_library(inflight_flags INTERFACE)
target_compile_definitions(inflight_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(inflight_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(inflight_flags INTERFACE
  -UNDEBUG -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
  -Wvla -Wundef)

set(INFLIGHT_SANITIZE "" CACHE STRING "Sanitizers for all targets, such as address,undefined")
if(INFLIGHT_SANITIZE)
  target_compile_options(inflight_flags INTERFACE
    -fsanitize=${INFLIGHT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(inflight_flags INTERFACE -fsanitize=${INFLIGHT_SANITIZE})
endif()
