/*
 * core/observe: an application from outside: run it as its user would, count it over
 * time. Knows nothing of kernels and plans. This is the folder's one outward header.
 */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/observe/region_profile.h"
#include "core/observe/timeline.h"
#include "core/observe/timeline_csv.h"
#include "core/observe/timeline_events.h"
#include "core/observe/timeline_phases.h"
#include "core/observe/timeline_run.h"

#endif
