/* An application from outside: run it, sample it. Knows nothing of kernels and plans. */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/observe/app_flags.h"
#include "core/observe/app_mark.h"
#include "core/observe/app_output.h"
#include "core/observe/project_copy.h"
#include "core/observe/sample.h"
#include "core/observe/shell_text.h"

#endif
