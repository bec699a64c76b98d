/* A place with the made-up CPUs and counts of tests/data/advisor/metrics. */
#ifndef TESTS_ADVISOR_METRICS_METRIC_PLACE_H
#define TESTS_ADVISOR_METRICS_METRIC_PLACE_H

#include "tests/advisor/place.h"

void metric_place_make(struct place *place);
/* What the program prints with these words, which must end well, into a file. */
void metric_place_print(struct place *place, const char *args, const char *name);
void metric_place_write(struct place *place, const char *name, const char *text);

#endif
