/* What tune, advise, measure, compare, apply and show set up from the settings, in this
 * order; each part only as far as the command needs it. */
#ifndef ADVISOR_CONTEXT_H
#define ADVISOR_CONTEXT_H

#include "advisor/cli/deadline.h"
#include "advisor/metrics/metrics_facts.h"
#include "advisor/session/code_diffs.h"
#include "advisor/session/known_flags.h"
#include "advisor/session/track.h"
#include "core/files/json.h"
#include "core/machine/machine.h"
#include "core/process/progress.h"
#include "core/traffic/traffic.h"
#include "search/live/live.h"
#include "search/session/subject.h"
#include "variants/build/build.h"

struct error;
struct settings;

struct buf;
struct compared;
struct environment;
struct kernel;
struct plan;
struct recorded;
struct remote;

/* What tells of the machine at hand, and makes its profile. */
struct machine_source {
    bool (*matches)(const struct machine *machine, struct buf *why);
    double (*busy_now)(void); /* as machine_busy_now */
    int (*probe)(const struct machine_probe_opts *opts, struct machine *machine,
                 struct error *err);
};

struct context {
    const struct settings *settings;
    const struct machine_source *source; /* context_start takes the machine itself */
    struct progress progress;
    struct budget budget;
    double profile_s; /* making a profile of the machine took; 0 = there was one */
    struct machine machine;
    char *machine_note;  /* "profile made now", "profile of another machine" ...; NULL =
                            nothing to say */
    bool note_in_answer; /* set by commands whose answer has it: what a profile is rough
                            by is said there, and not before */
    struct kernel *kernel;
    struct toolchain toolchain;
    struct traffic_geometry geometry; /* of --cache and --line; 0 = not told */
    char *plan;                       /* canonical, "" = as written */
    struct rule_set *rules;
    char *scratch;
    struct live *live;
    struct remote *remote; /* workers that judge the variants; NULL = it is done here */
    char *remote_machine;  /* the profile of their kind, where they see it */
    double remote_said_s;  /* when progress was written last */
    struct told *told;     /* what its campaign says of other kinds; NULL = none does */
    struct live_look look; /* of theirs */
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

void context_start(struct context *bench, const struct settings *settings);
void context_release(struct context *bench);

/* The profile: named, or this machine's; made quickly when there is none yet or it was
 * made on another machine. */
int context_machine(struct context *bench, struct error *err);
/* known_flags_find() with the program that is known here: the one behind --, or that
 * --inputs was captured from. */
int context_flags(const struct settings *settings, const char *source,
                  struct known_flags *known, struct error *err);
/* The flags alone. */
int context_cflags(const struct settings *settings, const char *source,
                   struct strvec *flags, struct error *err);
/* Parses the kernel, once; with `bind` also fixes sizes and contents. */
int context_kernel(struct context *bench, bool bind, struct error *err);
int context_toolchain(struct context *bench, struct error *err);
/* kernel_check; of a plan that is refused also whether the one that the refusal proposes
 * is legal. */
int context_check(struct kernel *kernel, const struct plan *plan, struct buf *assumptions,
                  struct error *err);
/* --plan as canonical text, refused here when it is not legal; the kernel must be there.
 */
int context_plan(struct context *bench, struct error *err);
/* Everything above plus rules, scratch folder and the live runner. */
int context_live(struct context *bench, struct error *err);
/* How long all may take, said where it was not asked for; the live runner must be there.
 */
int context_budget(struct context *bench, bool tune, struct error *err);
/* Where in the scratch folder the planned file is written, to be measured: with the
 * kernel's own ending, which says the language. Caller frees. */
char *context_emitted(const struct context *bench);
struct environment context_environment(const struct context *bench);
/* Opens the database and begins a session, or finds the one to continue. */
int context_store(struct context *bench, bool *continued, struct error *err);
/* Opens the database and begins or continues a session; sets runner. */
int context_session(struct context *bench, struct error *err);
/* A comparison of the original (a) with the file written for b, recorded or now: told
 * are a, b and seconds. */
int context_compare_file(struct context *bench, const char *source,
                         struct compared *comparison, struct error *err);
/* With --reuse: how many answers came from other sessions, and the date of the oldest;
 * else NULL. */
json_t *context_reused_json(const struct context *bench);
/* Saves measurements and comparisons, and shows progress. */
struct search_observer context_observer(struct context *bench);

#endif
