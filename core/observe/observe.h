/* core/observe: an application from outside. This is the folder's one outward header. */
#ifndef CORE_OBSERVE_OBSERVE_H
#define CORE_OBSERVE_OBSERVE_H

#include "core/observe/region_profile.h"

#endif
