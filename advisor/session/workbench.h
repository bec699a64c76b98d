/* What tune, advise, measure, compare, apply and show set up from the settings, in this
 * order; each part only as far as the command needs it. */
#ifndef ADVISOR_WORKBENCH_H
#define ADVISOR_WORKBENCH_H

#include "advisor/cli/deadline.h"
#include "advisor/cli/settings.h"
#include "advisor/metrics/metrics_facts.h"
#include "advisor/session/code_diffs.h"
#include "advisor/session/track.h"
#include "core/store/store.h"
#include "search/search.h"

struct workbench {
    const struct settings *settings;
    struct progress progress;
    struct budget budget;
    double profile_s; /* making a profile of the machine took; 0 = there was one */
    struct machine machine;
    char *machine_note; /* "profile made now", "profile of another machine" ...; NULL =
                           nothing to say */
    struct kernel *kernel;
    struct toolchain toolchain;
    struct traffic_geometry geometry; /* of --cache and --line; 0 = not told */
    char *plan;                       /* canonical, "" = as written */
    struct rule_set *rules;
    char *scratch;
    struct live *live;
    struct store *store;
    char *key;        /* of the session */
    char *result_key; /* of each of its results, beside the variant */
    long long session;
    char *started;     /* the session's date */
    char *machine_key; /* what tells this machine from others in the database */
    struct track track;
    struct recorded *recorded;
    struct search_runner live_runner, runner;
    struct search_subject subject;
    struct code_diffs code;     /* of the plans that were measured */
    struct metrics_facts facts; /* what counters say of the kernel as written */
};

void workbench_start(struct workbench *bench, const struct settings *settings);
void workbench_release(struct workbench *bench);

/* The profile: named, or this machine's; made quickly when there is none yet or it was
 * made on another machine. */
int workbench_machine(struct workbench *bench, struct error *err);
/* The flags to read `source` with: those behind -- and what its compile_commands.json
 * says. */
int workbench_cflags(const struct settings *settings, const char *source,
                     struct strvec *flags, struct error *err);
/* Parses the kernel, once; with `bind` also fixes sizes and contents. */
int workbench_kernel(struct workbench *bench, bool bind, struct error *err);
int workbench_toolchain(struct workbench *bench, struct error *err);
/* --plan as canonical text, refused here when it is not legal; the kernel must be there.
 */
int workbench_plan(struct workbench *bench, struct error *err);
/* Everything above plus rules, scratch folder and the live runner. */
int workbench_live(struct workbench *bench, struct error *err);
/* How long all may take, said where it was not asked for; the live runner must be there.
 */
void workbench_budget(struct workbench *bench, bool tune);
/* Where in the scratch folder the planned file is written, to be measured: with the
 * kernel's own ending, which says the language. Caller frees. */
char *workbench_emitted(const struct workbench *bench);
struct environment workbench_environment(const struct workbench *bench);
/* Opens the database and begins a session, or finds the one to continue. */
int workbench_store(struct workbench *bench, bool *continued, struct error *err);
/* Opens the database and begins or continues a session; sets runner. */
int workbench_session(struct workbench *bench, struct error *err);
/* A comparison of the original (a) with the file written for b, recorded or now: told
 * are a, b and seconds. */
int workbench_compare_file(struct workbench *bench, const char *source,
                           struct compared *comparison, struct error *err);
/* With --reuse: how many answers came from other sessions, and the date of the oldest;
 * else NULL. */
json_t *workbench_reused_json(const struct workbench *bench);
/* Saves measurements and comparisons, and shows progress. */
struct search_observer workbench_observer(struct workbench *bench);

#endif
