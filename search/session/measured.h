/* What measuring one variant gave, or two beside each other: explained, and as a
 * document. */
#ifndef SEARCH_MEASURED_H
#define SEARCH_MEASURED_H

#include "core/files/json.h"
#include "core/occupancy/occupancy.h"
#include "core/pipeline/pipeline_account.h"
#include "core/run/run.h"
#include "core/traffic/traffic.h"
#include "search/space/space.h"

struct error;
struct machine;

struct kernel_counts;
struct rule_verdict;

struct measurement {
    char *plan;
    struct environment environment;
    enum run_outcome outcome;
    char *detail;   /* for outcomes other than OK */
    char *note;     /* of the samples, one sentence: run_result.note; may be NULL */
    char *denormal; /* as in struct run_result; NULL = none, or not looked at */
    bool verified;  /* results equal the untransformed kernel's at the sizes of
                      verified_sizes */
    bool checked;   /* and at the full size, or the largest that memory allows */
    char *verified_sizes;
    double max_relative_error;
    struct quantity time_s;    /* one call, copies running together */
    struct run_sample *sample; /* all of them */
    size_t sample_nr;
    unsigned launches;   /* that gave samples */
    size_t disturbed_nr; /* samples repeated because something disturbed them */
    double clock_step_s, call_overhead_s; /* as in struct run_result; 0 = not told */
    double huge_bytes;                    /* really got; negative = not told */
    bool has_traffic, has_occupancy;      /* which of the next two are filled */
    struct traffic traffic;
    struct pipeline_account *account; /* of its instructions; NULL = not looked at */
    struct occupancy occupancy;
    bool replayed; /* answered from a record; nothing was measured now */
    double
        cost_s;  /* wall time that it took: building, verifying, running; 0 = not told */
    bool reused; /* replayed, and measured by another session: costs no time of the
                    budget, is not repeated */
    double memory_latency_ns; /* of the machine as it explained this; 0 = not told */
    long long origin;  /* of one that is reused and not among this session's records yet:
                          its place in the database; 0 = none */
    double at_least_s; /* STOPPED: a call takes longer than this; time_s is unknown. 0 for
                          all others */
};
/* Of the candidate, with this outcome and nothing measured yet. */
struct measurement measurement_begun(const struct candidate *candidate,
                                     enum run_outcome outcome);
void measurement_release(struct measurement *measurement);
/* How one that did not end well ended, for "not kept: ...". Caller frees. */
char *measurement_failure(const struct measurement *measurement);
/* Would one that was STOPPED at at_least_s be stopped at this limit, too? 0 = no limit. A
 * first look ends before the limit, at what is surely slower (live_arena.c). */
bool measurement_still_stops(double at_least_s, double limit_s);
/* inflight.measurement/1, without its origin */
json_t *measurement_to_json(const struct measurement *measurement);
/* Time, samples and outcome only; occupancy is computed anew where it is needed. */
int measurement_from_json(const struct json_at *at, struct measurement *measurement,
                          struct error *err);
/* Occupancy from time and traffic (measurement->has_traffic), on `cores` loaded cores.
 * Replaces what was there. */
int measurement_explain(struct measurement *measurement, const struct machine *machine,
                        int cores, const struct kernel_counts *counts, struct error *err);

/* What it gives the occupancy model. Borrows the machine. The traffic must be known. */
void measurement_case(const struct measurement *measurement,
                      const struct machine *machine, int cores,
                      const struct kernel_counts *counts, struct occupancy_case *out);

/* The bound on what the verdict's transformation can gain, by its rule's changes of work.
 */
struct quantity verdict_bound(const struct rule_verdict *verdict,
                              const struct occupancy *occupancy, struct quantity time_s);

/* Two variants timed in turn. Plans are borrowed. */
struct compared {
    struct candidate a, b;
    bool look;             /* in what the session keeps running */
    bool file;             /* b was run from the file written for it, and its results */
    bool verified;         /* equal the original's */
    double seconds;        /* that it was to take */
    struct quantity ratio; /* time(a) / time(b); unknown = not to be had */
    double cost_s;         /* wall time that it took */
    bool replayed, reused; /* as of a measurement */
    long long origin;
};

#endif
