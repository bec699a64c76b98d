# What find_package(inflight) loads: inflight_tune(), and where the program is, if it is there.
include("${CMAKE_CURRENT_LIST_DIR}/inflight-tune.cmake")
