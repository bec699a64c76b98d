/* An application from outside: run it, sample it, count it over time, stop it at a call.
 * Knows nothing of kernels and plans. */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/observe/app_flags.h"
#include "core/observe/app_mark.h"
#include "core/observe/app_output.h"
#include "core/observe/include_folders.h"
#include "core/observe/inputs.h"
#include "core/observe/project_copy.h"
#include "core/observe/region_profile.h"
#include "core/observe/sample.h"
#include "core/observe/sample_hot.h"
#include "core/observe/shell_text.h"
#include "core/observe/timeline.h"
#include "core/observe/timeline_csv.h"
#include "core/observe/timeline_events.h"
#include "core/observe/timeline_phases.h"
#include "core/observe/timeline_run.h"
#include "core/observe/trace.h"

#endif
