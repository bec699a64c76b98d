/*
 * What `inflight metrics` shows: columns, each the runs of one program on one CPU with
 * the definitions of that CPU and all that follows from them.
 */
#ifndef ADVISOR_METRICS_COLUMNS_H
#define ADVISOR_METRICS_COLUMNS_H

#include "advisor/cli/settings.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"

struct buf;
struct error;

enum { METRICS_GIVEN_MAX = 16 }; /* more than there are names */

struct metrics_column {
    char *label;  /* unique among the columns */
    char *origin; /* files or program, as the user named them */
    struct metric_set *set;
    struct count_set *run; /* as counted */
    size_t run_nr;
    struct count_set counts; /* the runs made one */
    double variation;        /* between them; 0 for one run */
    struct metric_given given[METRICS_GIVEN_MAX];
    size_t given_nr;
    struct metric_result result;
    struct strvec note; /* of reading and counting, one sentence each */
    /* Lines in flight per core by Little's law (bytes through memory x latency at that
     * bandwidth over the line), and the latency; unknown: `little_why`. */
    struct quantity little, latency_ns;
    char *little_why;
    /* --machine, or this machine's where the counts are its; has_machine: there is one */
    struct machine machine;
    bool has_machine;
};

struct metrics_report {
    const struct settings *settings;
    struct metrics_column *column;
    size_t nr, alloc;
    char *ended; /* what a program ended with that did not end well; NULL = it did */
};

/* Value of a metric by name; unknown where the column has none. */
struct quantity metrics_value(const struct metrics_column *column, const char *name);
/* What formulas are given beside the counts; unknown where it is not given. */
struct quantity metrics_given_value(const struct metrics_column *column,
                                    const char *name);
/* In the place of what was given by that name. `name` is of metric_given_names. */
void metrics_give(struct metrics_column *column, const char *name, struct quantity value);

bool metrics_has_model(const struct metric_set *set, const char *name);
/* STATUS_USAGE for a --model (NULL = none) that the definitions do not have, with the
 * near one. */
int metrics_check_model(const struct metric_set *set, const char *name,
                        struct error *err);

/* --counts [LABEL=]FILE[,FILE...]: also columns of a document that --json wrote. */
int metrics_read_columns(struct metrics_report *report, struct error *err);
/* Takes over set and runs; evaluates. `machine_here`: they were counted on this
 * machine. */
int metrics_add_column(struct metrics_report *report, struct metrics_column *column,
                       bool machine_here, struct error *err);
void metrics_column_release(struct metrics_column *column);
void metrics_report_release(struct metrics_report *report);

/* Not one of the shipped files: it is found by its path only. */
bool metrics_definition_is_own(const struct metric_set *set);
/* SHA-256 of the definition file, of those that it includes, and of the kernel's events
 * where some of them were counted. Caller frees; NULL where one cannot be read. */
char *metrics_definition_hash(const struct metrics_column *column);

/* ---- metrics_cpu.c: definitions, and what is given beside counts ---- */

/*
 * column->set for its runs: `--cpu` (one for all, or one a column between commas), else
 * `definition` (NULL = none), else the CPU that the counts are of, else this machine's
 * where its events are among the counts. Refused: counts of another CPU than named, with
 * both names. *here: they are taken to be this machine's.
 */
int metrics_choose_set(const struct metrics_report *report, const char *definition,
                       struct metrics_column *column, bool *here, struct error *err);

/* The shipped definitions of this machine's CPU; *set is NULL on failure, STATUS_MISSING
 * where there are none. */
int metrics_set_here(struct metric_set **set, struct error *err);

/* The shipped definitions of the kernel's own events, and whether some are counted. */
extern const char metrics_software[];
bool metrics_counts_software(const struct metrics_column *column);

/* Whether --cpu has no names left when all columns have theirs. */
int metrics_check_cpus(const struct metrics_report *report, struct error *err);

/*
 * line_bytes, vector_bits and cores: --cores, rows of that name in the counts, else the
 * profile (--machine, or this machine's), else this machine where the counts are its,
 * else for line_bytes the CPU table. What nobody knows is not given.
 */
int metrics_find_given(const struct settings *settings, struct metrics_column *column,
                       bool machine_here, struct error *err);

/* column->little and latency_ns, or why not; after the column is evaluated. */
void metrics_find_little(struct metrics_column *column);

/* ---- metrics_regions.c: what a program with markers left, a column for each region,
 * summed over threads and processes ---- */

/* settings->regions, FOLDER[,FOLDER...]. */
int metrics_read_regions(struct metrics_report *report, struct error *err);
/* settings->program: run once for each set of events that its threads can count at once.
 * What it leaves is kept in settings->regions/1, /2, ... unless that is "--". */
int metrics_run_regions(struct metrics_report *report, struct error *err);

/* Anything of the model is known. */
bool metrics_computed(const struct metrics_column *column, size_t model);
/* It is to be shown: named by --model, or computed where none is named. */
bool metrics_shows(const struct metrics_report *report,
                   const struct metrics_column *column, size_t model);

/* ---- one metric ---- */

/* How deep below the first level. */
int metrics_depth(const struct metric_set *set, int metric);
bool metrics_is_share(const struct metric *metric);
bool metrics_is_of_parent(const struct metric *metric);
/* "61.0" of a share, "1.23e9" of anything else; "?" where it is not known, "NA" where
 * the CPU has no such thing. */
void metrics_add_value(struct buf *out, const struct metric *metric,
                       const struct metric_value *value);
/* "[45.8, 54.2]"; "" of what is exact. */
void metrics_add_interval(struct buf *out, const struct metric *metric,
                          struct quantity value);
/* "% of slots", "lines". */
void metrics_add_unit(struct buf *out, const struct metric *metric);

/* ---- what is to be said ---- */

/* The way to the largest loss of the model, names with `between`; what its end means,
 * NULL = not told, or there is no way. */
const char *metrics_add_way(struct buf *out, const struct metrics_column *column,
                            size_t model, const char *between);
/* Of reading, counting and computing, one sentence each. */
void metrics_notes(const struct metrics_column *column, struct strvec *out);
/* Why a value is not known, events that are not counted named one after the other. */
void metrics_add_why(struct buf *out, const char *why);
/* Events that the model rests on and that the counts lack, as names. */
void metrics_missing(const struct metrics_column *column, size_t model,
                     struct strvec *out);

#endif
