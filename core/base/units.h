/* Numbers with units read from text; core/base/figures.h prints them. */
#ifndef CORE_BASE_UNITS_H
#define CORE_BASE_UNITS_H

#include "core/base/error.h"

/* Parse the whole text; `what` names the subject in the message. Size: k, M, G, T or KiB,
 * MiB ... = powers of 1024, result in bytes. Time: ns, us, ms, s, m, h; a bare number is
 * seconds; result in seconds. Bandwidth: B/s, kB/s, MB/s, GB/s, TB/s (1e9 byte/s), bare =
 * GB/s; result in GB/s. Count: integers with optional k, M, G = powers of 1000. */
int parse_size(const char *text, const char *what, double *bytes, struct error *err);
int parse_time(const char *text, const char *what, double *seconds, struct error *err);
int parse_bandwidth(const char *text, const char *what, double *gbs, struct error *err);
/* A latency: 145, 145ns, 0.145us; a bare number is nanoseconds; result in nanoseconds. */
int parse_latency(const char *text, const char *what, double *ns, struct error *err);
int parse_count(const char *text, const char *what, long long *count, struct error *err);
int parse_number(const char *text, const char *what, double *number, struct error *err);

#endif
