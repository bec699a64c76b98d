/*
 * core/metrics: what counters say of a program. Definitions are data, one file per CPU
 * family (rules/metrics/NAME.json, schema inflight.metrics/1, docs/reference/metrics.md):
 * events, constants, formulas, and the trees they form. Counts in, values out; nothing is
 * counted, clamped or guessed here.
 */
#ifndef CORE_METRICS_METRICS_H
#define CORE_METRICS_METRICS_H

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/files/condition.h"
#include "core/files/json.h"
#include "core/metrics/roofline.h"

struct count_set;
struct error;

enum { METRIC_NONE = -1 };

/* What children are to their parent, the first level to the whole. */
#define METRIC_SUM_MAP(X)                                                                \
    X(PART, "part")       /* some of it: together no more than it */                     \
    X(WHOLE, "whole")     /* all of it: together as much as it */                        \
    X(OVERLAP, "overlap") /* may cover the same cycles: nothing is said of their sum */

enum metric_sum {
#define X(name, word) METRIC_SUM_##name,
    METRIC_SUM_MAP(X)
#undef X
};
const char *metric_sum_word(enum metric_sum sum);

struct metric_event {
    char *name; /* as libpfm4 names it within the PMUs of the file; "pmu/terms/" as perf
                   names it, "perf::X" of the kernel, "sde:::X" */
    struct strvec alias; /* what other tools call it: perf, LIKWID, PAPI presets */
    char *note;          /* why libpfm4 cannot name it; NULL = it can */
};
struct metric_constant {
    char *name, *unit, *source;
    double value;
};
/* Events that the source of the definitions counted in one run. */
struct metric_event_set {
    char *name;
    struct strvec event;
};
/* What this CPU does not have: a metric that rests on it is not available, which is no
 * lack of the counts. */
struct metric_absent {
    char *name, *why;
};
/* A tree of metrics. */
struct metric_model {
    char *name, *title, *about, *source;
    enum metric_sum roots; /* of the first level: what its sum is to 1 */
    bool losses;           /* its shares are where time goes: the largest is marked */
    struct formula *rest;  /* that sum less 1; NULL = nothing is said of it */
};
struct metric {
    char *name, *text; /* text: the formula as written in the file */
    struct formula *formula;
    struct formula
        *flat; /* the same, with metrics and constants put in for their names */
    struct formula
        *rest;   /* what its children sum to less what they should; NULL = none */
    char *unit;  /* "share" is printed in percent; "" = a bare number */
    char *of;    /* a share: of what ("slots", "cycles", "parent"); NULL = no share */
    char *group; /* heading above it within its model; NULL = none */
    char *about; /* what it means, and what it does not */
    char *source;
    char *fact; /* metric of the rules (rules.h) that it tells; NULL = none */
    int model;  /* METRIC_NONE: a part of others, shown on demand */
    int parent; /* METRIC_NONE: first level */
    enum metric_sum children;
    bool useful;      /* time well spent: never the bottleneck */
    bool estimated;   /* rests on an assumption, which `about` names */
    double low, high; /* what it can be; infinite = no end */
};
/* A formula beside the metrics', and with everything put in. */
struct metric_formula {
    char *text;
    struct formula *formula, *flat;
};
/* Two ways to the same number: where they differ, definitions or counts are wrong. */
struct metric_identity {
    struct metric_formula left, right, gap; /* gap: left - right */
    char *about;
};
struct metric_condition {
    struct metric_formula formula;
    struct condition is;
};
/* What a reader should know of a value where all conditions hold for certain. */
struct metric_warning {
    struct metric_condition *when;
    size_t when_nr;
    char *sentence;      /* {metric} becomes its value */
    struct strvec named; /* these metrics */
};
struct metric_set {
    char *name, *title, *path;
    struct strvec file; /* that it was read from: its own, then those that it includes */
    /* What its CPUs are recognised by: what the file says, else what the files of CPUs
     * say that name it. Array; NULL = of no CPU. */
    json_t *recognise;
    struct strvec microarchitecture; /* names of these CPUs, as far as there are files */
    int line_bytes;                  /* of their caches; 0 = not known */
    struct strvec pmu;               /* of libpfm4: each has all events without a note */
    struct strvec source;
    struct metric_constant *constant;
    struct metric_event *event;
    struct metric_event_set *event_set;
    struct metric_absent *absent;
    struct metric_model *model;
    struct metric *metric; /* parents before their children */
    struct metric_identity *identity;
    struct metric_warning *warning;
    size_t constant_nr, event_nr, event_set_nr, absent_nr, model_nr, metric_nr,
        identity_nr, warning_nr;
    size_t constant_alloc, event_alloc, event_set_alloc, absent_alloc, model_alloc,
        metric_alloc, identity_alloc, warning_alloc;
};

/*
 * `spec`: a path, or the name of a shipped file ("skylake-sp"); near names are suggested.
 * NULL = the one that the file of the CPU names which `cpu` speaks of (the text of
 * /proc/cpuinfo, "intel 6 85 4", "GenuineIntel-6-55-4"); STATUS_MISSING when none does.
 * Refused, naming file, metric and place: syntax, unknown names in formulas, metrics that
 * rest on themselves, events that nothing uses. *set is NULL on failure; caller frees.
 */
int metric_set_load(const char *spec, const char *cpu, struct metric_set **set,
                    struct error *err);
void metric_set_free(struct metric_set *set);
/* Adds what another file defines: "software" to a CPU's. Fails where both define a metric
 * or a model; an event of both stands there once. `more` is freed in any case. */
int metric_set_merge(struct metric_set *set, struct metric_set *more, struct error *err);

/* Whose definitions these are, against what counts say of their CPU (NULL = nothing). */
enum metric_cpu { METRIC_CPU_SAME, METRIC_CPU_OTHER, METRIC_CPU_NOT_GIVEN };
enum metric_cpu metric_set_cpu(const struct metric_set *set, const char *cpu);

struct metric_file {
    char *name, *title;
    bool common; /* describes no CPU: included by others, or of the kernel's events */
};
/* All shipped files by name. Caller releases. */
int metric_files(struct metric_file **file, size_t *nr, struct error *err);
void metric_files_release(struct metric_file *file, size_t nr);

/* METRIC_NONE = there is none of that name. */
int metric_find(const struct metric_set *set, const char *name);
/* By name or alias, as tools write it: letters' case does not matter, nor which of ".:_"
 * divides words, nor a PMU before it ("skx::X", "cpu/x/") or perf's modifiers behind. */
int metric_event_find(const struct metric_set *set, const char *name);
/* Is `counted`, as some tool writes it, the event? */
bool metric_event_is(const struct metric_set *set, const struct metric_event *event,
                     const char *counted);
/* How to name the event to people: what perf calls it where the name is a code. */
const char *metric_event_word(const struct metric_set *set, const char *name);
/* Names of the events that the metric rests on, through all formulas; each once. */
void metric_events_of(const struct metric_set *set, int metric, struct strvec *out);

/*
 * Names that formulas may use beside events, constants and metrics. From the counts:
 * seconds, calls, memory_read_bytes, memory_write_bytes and memory_bytes, both together
 * (by the formulas of traffic_memory_from_counts, unless given). From whoever asks:
 * line_bytes, vector_bits, cores, flops_expected (that the work is known to need, all
 * calls).
 */
struct metric_given {
    const char *name;
    struct quantity value;
};
/* NULL-terminated. */
extern const char *const metric_given_names[];

struct metric_question {
    const struct metric_set *set;
    const struct count_set *counts;
    const struct metric_given *given;
    size_t given_nr;
};

struct metric_value {
    struct quantity value; /* unknown: `why` says why */
    /* A share of the whole model, also where the metric is one of its parent. */
    struct quantity whole;
    char *why;    /* missing events by name, or what was 0; NULL = known */
    double share; /* of the time, that its least counted event counted; 1 = all, 0 = not
                     told */
    bool absent;  /* the CPU has no such thing: "NA" */
    bool out_of_range; /* beyond low .. high even at the near end of its interval */
    bool dominant;     /* on the way from the first level down to the largest loss */
    bool tied;         /* dominant, but a sibling's interval reaches as high */
};

/* A sum that is not what the model says. */
struct metric_sum_breach {
    int parent; /* METRIC_NONE: the first level of `model` */
    int model;
    struct quantity rest; /* sum of the children less what it should be */
};

/* Counters are not read all at the same moment. Ours: a sum may be off by this share of
 * the whole beyond its uncertainty before it is reported. */
#define METRIC_SUM_SLACK 0.01

struct metric_result {
    struct metric_value *value; /* one per metric of the set */
    size_t value_nr;
    struct metric_sum_breach *breach;
    size_t breach_nr, breach_alloc;
    struct strvec note; /* one sentence each: events below 20 % of the time, values out of
                           range, sums that do not fit, negative counts, identities that
                           do not hold (with both sides), warnings */
    size_t identity_nr; /* identities of which both sides are known */
    size_t identity_broken_nr; /* of these, beyond the uncertainty of their counts */
};

/* Below it what was counted is a sample too small to be trusted. Ours: with five sets
 * taking turns each has a fifth of the time. */
#define METRIC_SHARE_MIN 0.2

/* Always answers: what is not known says why, the rest is there. Caller releases. */
void metric_evaluate(const struct metric_question *question,
                     struct metric_result *result);
void metric_result_release(struct metric_result *result);

/*
 * Runs of the same work with different events, made one. What several runs counted is
 * their mean with its 95 % interval; what one run counted gets the variation between the
 * runs (of seconds, and of every event that two of them have) as further uncertainty.
 * *variation is the largest relative difference from the mean, 0 for one run; beyond
 * METRIC_VARIATION_MAX a note names what varied. Caller releases `all`.
 */
#define METRIC_VARIATION_MAX 0.05 /* Banchelli et al. 2023, section 4.2 */
int metric_runs_combine(const struct count_set *run, size_t nr, struct count_set *all,
                        double *variation, struct error *err);

/* ---- which events are counted in which run of a program ---- */

struct metric_plan_request {
    const struct metric_set *set;
    const char *model; /* only what its metrics rest on; NULL = all models */
    bool facts;        /* only metrics that tell the rules something */
    /* What memory_read_bytes and memory_write_bytes are computed from, planned where a
     * metric asks for these; NULL = nothing. */
    const struct strvec *memory;
    /* Into so many runs, by turns in the counters where they do not fit; 0 = as many as
     * it takes that all events of a run count all the time. */
    size_t runs_max;
    /* As papi_events_fit: whether events can be counted, and all at once. */
    int (*fits)(void *data, const struct strvec *event, bool *at_once, struct error *err);
    void *data;
};

struct metric_plan {
    struct strvec *run; /* what is counted in it, by the names that count here: the
                           definition's, else the alias that does */
    size_t run_nr, run_alloc;
    bool by_turns;      /* runs_max was too few */
    bool hardware;      /* anything but software's own events is counted */
    size_t missing_nr;  /* events that cannot be counted here, ... */
    struct strvec note; /* ... with the reason, one sentence each; one for all when none
                           of them can */
};

/* Cycles and instructions are in every run, as far as they can be counted. The events
 * that the definitions' source counted together stand in one run if they fit, and so do
 * those of a metric, unless all of them are counted anyway. Without any event there are
 * no runs. Caller releases. */
void metric_plan_make(const struct metric_plan_request *request,
                      struct metric_plan *plan);
void metric_plan_release(struct metric_plan *plan);

#endif
