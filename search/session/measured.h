/* One variant, what measuring it gave, and that saved and explained again. Part of
 * search/search.h, which others include. */
#ifndef SEARCH_MEASURED_H
#define SEARCH_MEASURED_H

#include "core/occupancy/occupancy.h"
#include "core/run/run.h"
#include "core/traffic/traffic.h"
#include "variants/kernel/kernel_view.h"

/* ---- one measured variant ---- */

/* All that is beside the plan. {0} is what the run was started with. */
struct environment {
    bool huge_pages;
    enum run_start start;           /* of every sample; default warm */
    enum run_background background; /* on the cores not used; default idle */
    int threads; /* OpenMP threads of a call, each on a core of its own (with smt: on
                    a hardware thread); as many fewer copies run. 0 = 1 */
    int smt;     /* hardware threads of every core that are loaded; 0 = 1 */
    char compiler[128]; /* "" = the run's */
    char flags[256];    /* optimisation flags; "" = the run's */
    char schedule[32];  /* OMP_SCHEDULE: "dynamic,4"; "" = not set */
};

bool environments_equal(const struct environment *a, const struct environment *b);
/* `base` with what `over` says otherwise; another compiler brings its own flags. */
struct environment environment_with(const struct environment *base,
                                    const struct environment *over);
/* "huge pages, 4 threads"; "" = nothing special. Caller frees. */
char *environment_phrase(const struct environment *environment);

struct candidate {
    const char *plan; /* canonical text, "" = untransformed */
    struct environment environment;
};

struct measurement {
    char *plan;
    struct environment environment;
    enum run_outcome outcome;
    char *detail;  /* for outcomes other than OK */
    char *note;    /* of the samples, one sentence: run_result.note; may be NULL */
    bool verified; /* results equal the untransformed kernel's at the sizes of
                      verified_sizes */
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
void measurement_release(struct measurement *measurement);
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

/* ---- saved, and explained elsewhere and later ---- */

/* What a saved measurement needs to be explained: none of it is there in documents of
 * earlier versions. Borrowed. */
struct measurement_origin {
    const struct machine *machine; /* as it explained the measurement; NULL = not told */
    int cores;                     /* loaded alike; 0 = not told */
    struct kernel_counts counts;   /* of one call */
    /* NULL = not told */
    const char *kernel, *file, *hash, *compiler, *date;
};
/* inflight.measurement/1 with its origin: measurement_to_json and the keys machine,
 * cores, counts, kernel, file, hash, compiler, date. Documented in docs/formats.md. */
json_t *measurement_save_json(const struct measurement *measurement,
                              const struct measurement_origin *origin);

struct measurement_replay {
    struct measurement measurement;   /* with occupancy */
    struct machine machine;           /* that explained it */
    struct measurement_origin origin; /* as saved, `cores` and `machine` as used */
    char *measured_on; /* name of the machine that it was measured on; NULL = not told */
    bool elsewhere;    /* explained by another machine's profile than it was saved with */
    json_t *document;  /* owned; the origin's texts point into it */
};
/*
 * The saved measurement with the same occupancy again; nothing is measured. `other` (NULL
 * = the saved profile) explains it instead; `cores` 0 = as saved, else as that machine
 * has. Fails where there is nothing to explain or nothing that explains it.
 */
int measurement_replay(const char *path, const struct machine *other, int cores,
                       struct measurement_replay *out, struct error *err);
void measurement_replay_release(struct measurement_replay *replay);

#endif
