# What find_package(inflight) loads: inflight_tune(), and where the program is, if it is there; inflight::regions and
# inflight::regions_static, if the marker library is installed, too.
include("${CMAKE_CURRENT_LIST_DIR}/inflight-tune.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/inflight-regions.cmake" OPTIONAL)
