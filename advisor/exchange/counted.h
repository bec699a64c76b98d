/* A question from counts that somebody else took. */
#ifndef ADVISOR_COUNTED_H
#define ADVISOR_COUNTED_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"
#include "core/traffic/traffic.h"

/* Bytes through memory by the events of a CPU; traffic_bandwidth_from_counts() is one. */
typedef int counted_formula(const char *cpu, const struct count_set *set,
                            struct quantity *read_bytes, struct quantity *write_bytes,
                            char **source, struct error *err);

/*
 * settings: counts (the file), seconds_s, machine, memory, cores, access, latency_ns.
 * What the file says outright goes before `formula` (NULL = there is none). *told is the
 * caller's and outlives the question.
 */
int counted_question(const struct settings *settings, counted_formula *formula,
                     struct told *told, struct question *question, struct error *err);

#endif
