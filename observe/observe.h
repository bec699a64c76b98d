/* An application from outside: run it, sample it, count it over time, look at its calls.
 * Knows nothing of kernels and plans. */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/inputs/inputs.h"
#include "observe/build/build_watch.h"
#include "observe/capture/recording.h"
#include "observe/copies/copies.h"
#include "observe/regions/region_profile.h"
#include "observe/sample/sample.h"
#include "observe/sample/sample_hot.h"
#include "observe/timeline/timeline.h"
#include "observe/timeline/timeline_events.h"
#include "observe/timeline/timeline_run.h"

#endif
