/* Private to search/: the live runner's variants, from plan to verified programs. */
#ifndef SEARCH_LIVE_H
#define SEARCH_LIVE_H

#include "search/counters.h"
#include "search/search.h"

struct built {
    char *plan;
    struct plan *parsed;
    char *program[3];         /* by enum variant_program; NULL = not built yet */
    enum run_outcome refused; /* OK, or why it cannot be measured */
    char *why;
    bool small_verified, full_verified;
    struct verify_report report;
};

struct live {
    struct live_opts opts;
    struct machine_cpus cpus;
    size_t copies;
    struct strvec args;
    struct built *built;
    size_t built_nr, built_alloc;
    bool proven;
    bool here; /* the profile is this machine's: its latency may be measured again */
    double launch_s; /* wall time of one launch of the baseline, fills included */
    struct counters counters;
    double counted_calls; /* of the last explained run, all copies together; 0 = none */
    char *note;
};

/* The variant of a plan, new or known. Borrowed until the next call. */
int live_built_get(struct live *live, const char *plan, struct built **out,
                   struct error *err);
void live_built_release(struct built *built);

/* Builds one program of it. A compiler that refuses is recorded in built->refused. */
int live_build(struct live *live, struct built *built, enum variant_program what,
               struct error *err);

/* Compares its results with the untransformed kernel's; a difference is recorded in
 * built->refused. */
int live_verify(struct live *live, struct built *built, bool small_only,
                struct error *err);
/* Fills instructions, FLOP, divisions, mispredicted branches and code bytes of the call,
 * as far as nobody counted them, and says so in the note. `program`: its VARIANT_TIME;
 * `request`: how its tracing program runs. What cannot be counted stays unknown, with the
 * reason in the note. Takes about a second. */
void live_count(struct live *live, const char *program,
                const struct traffic_trace_request *request, struct traffic *traffic);
struct verify_opts live_verify_opts(const struct live *live, bool small_only);

#endif
