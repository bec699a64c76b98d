/* inflight metrics --list: the shipped definitions, or all of one. */
#ifndef ADVISOR_METRICS_LIST_H
#define ADVISOR_METRICS_LIST_H

#include "advisor/cli/settings.h"

int metrics_list(const struct settings *settings, struct error *err);

#endif
