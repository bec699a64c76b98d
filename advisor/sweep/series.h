/*
 * A series: one kernel at several points, each with the same figures. Made by a sweep,
 * kept as JSON (inflight.series/1), from which an old one prints as a new one.
 */
#ifndef ADVISOR_SERIES_H
#define ADVISOR_SERIES_H

#include "advisor/sweep/sweep_axes.h"
#include "core/base/quantity.h"
#include "core/files/json.h"
#include "core/machine/machine.h"

struct buf;
struct error;
struct layout;

struct kernel_counts;
struct measurement;

/* name, unit for people, key in JSON and column of the CSV. Per call and per core unless
 * said otherwise; bandwidth_gbs is of all cores together. */
#define FIGURE_MAP(X)                                                                    \
    X(TIME, "ns", "time_ns")                                                             \
    X(PER_ITERATION, "ns", "time_per_iteration_ns")                                      \
    X(ARRAYS, "bytes", "array_bytes")                                                    \
    X(BANDWIDTH, "GB/s", "bandwidth_gbs")                                                \
    X(READ, "bytes", "memory_read_bytes")                                                \
    X(WRITTEN, "bytes", "memory_written_bytes")                                          \
    X(LATENCY, "ns", "loaded_latency_ns")                                                \
    X(N, "lines", "n_lines_per_core")                                                    \
    X(IN_FLIGHT, "lines", "in_flight_per_core")                                          \
    X(RANDOM, "", "random_share")                                                        \
    X(WALKS, "", "page_walks")                                                           \
    X(L1_HITS, "lines", "l1_hits_lines")                                                 \
    X(L1_FILLS, "lines", "l1_fills_lines")                                               \
    X(L1_COVERED, "lines", "l1_covered_lines")                                           \
    X(L1_WRITTEN, "lines", "l1_writebacks_lines")                                        \
    X(L2_HITS, "lines", "l2_hits_lines")                                                 \
    X(L2_FILLS, "lines", "l2_fills_lines")                                               \
    X(L2_COVERED, "lines", "l2_covered_lines")                                           \
    X(L2_WRITTEN, "lines", "l2_writebacks_lines")                                        \
    X(L3_HITS, "lines", "l3_hits_lines")                                                 \
    X(L3_FILLS, "lines", "l3_fills_lines")                                               \
    X(L3_COVERED, "lines", "l3_covered_lines")                                           \
    X(L3_WRITTEN, "lines", "l3_writebacks_lines")                                        \
    X(L4_HITS, "lines", "l4_hits_lines")                                                 \
    X(L4_FILLS, "lines", "l4_fills_lines")                                               \
    X(L4_COVERED, "lines", "l4_covered_lines")                                           \
    X(L4_WRITTEN, "lines", "l4_writebacks_lines")                                        \
    X(STREAMED, "lines", "nontemporal_lines")                                            \
    X(L1_QUEUE_N, "lines", "l1_mshrs_n")                                                 \
    X(L2_QUEUE_N, "lines", "l2_mshrs_n")                                                 \
    X(L1_QUEUE_USE, "", "l1_mshrs_utilization")                                          \
    X(L2_QUEUE_USE, "", "l2_mshrs_utilization")                                          \
    X(WALKERS_USE, "", "page_walkers_utilization")                                       \
    X(MEMORY_USE, "", "memory_utilization")                                              \
    X(L2_LINK_USE, "", "l2_link_utilization")                                            \
    X(L3_LINK_USE, "", "l3_link_utilization")                                            \
    X(ARITHMETIC_USE, "", "arithmetic_utilization")                                      \
    X(SLACK, "", "slack")                                                                \
    X(FLOPS, "", "flops")                                                                \
    X(FLOP_RATE, "GFLOP/s", "gflops_per_s")                                              \
    X(INSTRUCTIONS, "", "instructions")

enum figure {
#define X(name, unit, key) FIGURE_##name,
    FIGURE_MAP(X)
#undef X
        FIGURE_NR
};
const char *figure_key(enum figure figure);

enum point_state { POINT_PENDING, POINT_MEASURED, POINT_FAILED };
const char *point_state_word(enum point_state state);

struct series_point {
    long long value[SWEEP_AXES_MAX]; /* along the axes */
    enum point_state state;
    char *reason; /* of a failed one, a sentence */
    struct quantity figure[FIGURE_NR];
    char *cause, *busiest, *traffic_from; /* words; NULL = not known */
    size_t launches, samples, disturbed;
};

struct series {
    struct sweep_axes axes;
    json_t *head; /* kernel, machine, compiler, environment: copied into the document */
    char *title, *subtitle; /* for the top of table and picture */
    struct {
        int level;
        double bytes;
    } cache[MACHINE_LEVELS_MAX]; /* of the model */
    size_t cache_nr;
    struct quantity l1_mshrs, l2_mshrs,
        memory_gbs; /* limits; unknown ones are not drawn */
    struct series_point *point;
    size_t point_nr;
    bool interrupted;
};

/* All points pending. Takes the axes over. */
void series_start(struct series *series, struct sweep_axes *axes);
void series_release(struct series *series);
size_t series_done(const struct series *series); /* points no longer pending */

void point_failed(struct series_point *point, const char *reason);
/* The figures of one measurement; iterations and footprint from the counts. */
void point_take(struct series_point *point, const struct measurement *measurement,
                const struct kernel_counts *counts);

json_t *point_to_json(const struct series_point *point, const struct sweep_axes *axes);
/* State, reason and figures; the values along the axes stay as they are. */
int point_from_json(const struct json_at *at, struct series_point *point,
                    struct error *err);
json_t *series_to_json(const struct series *series);

/* Of a document: tables of at most 80 columns. What is not there is called unknown. */
void series_text(const json_t *series, struct layout *layout);
/* RFC 4180, a header line, empty where unknown; docs/reference/measure.md. */
void series_csv(const struct series *series, struct buf *out);

#endif
