/* An application from outside: run it, stop it at a call, keep what it was called with.
 */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/observe/inputs.h"
#include "core/observe/trace.h"

#endif
