/* An application from outside: run it, sample it. Knows nothing of kernels and plans. */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/observe/sample.h"
#include "core/observe/sample_hot.h"

#endif
