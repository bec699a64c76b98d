/* What a measurement gives the occupancy model. Private to search/. */
#ifndef SEARCH_EXPLAIN_H
#define SEARCH_EXPLAIN_H

#include "search/search.h"

/* Borrows the machine. The traffic must be known. */
void measurement_case(const struct measurement *measurement,
                      const struct machine *machine, int cores,
                      const struct kernel_counts *counts, struct occupancy_case *out);

#endif
