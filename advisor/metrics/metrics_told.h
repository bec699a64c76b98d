/* What counters tell the rules of a kernel that is measured here. */
#ifndef ADVISOR_METRICS_TOLD_H
#define ADVISOR_METRICS_TOLD_H

#include "advisor/session/workbench.h"

/*
 * Counts the kernel as written, where hardware counts or --cpu names definitions whose
 * events count without; fills bench->facts. That it could not be counted is no failure:
 * the rules then do without, and stderr says why. -1 = interrupted.
 */
int metrics_tell(struct workbench *bench, struct error *err);

/* bench->facts for a search. The texts are the bench's; the caller frees the array. */
size_t metrics_told(const struct workbench *bench, struct search_fact **fact);

#endif
