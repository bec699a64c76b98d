/*
 * Results of other tuners' kind: a space of configurations, each with what came of it, in
 * memory; read and written as T4 results and Kernel Tuner cache files, written as CSV.
 * docs/reference/exchange.md describes the files. Knows nothing of plans and of the
 * search: who knows them turns sessions into spaces and back.
 */
#ifndef CORE_STORE_EXCHANGE_H
#define CORE_STORE_EXCHANGE_H

#include "core/files/json.h"

struct buf;
struct error;

/* T4's word, the word of Kernel Tuner (a value instead of the time; "" = none) */
#define EXCHANGE_OUTCOME_MAP(X)                                                          \
    X(CORRECT, "correct", "")                                                            \
    X(TIMEOUT, "timeout", "RuntimeFailedConfig")                                         \
    X(COMPILE, "compile", "CompilationFailedConfig")                                     \
    X(RUNTIME, "runtime", "RuntimeFailedConfig")                                         \
    X(CORRECTNESS, "correctness", "RuntimeFailedConfig")                                 \
    X(CONSTRAINTS, "constraints", "InvalidConfig")

enum exchange_outcome {
#define X(name, t4, kernel_tuner) EXCHANGE_##name,
    EXCHANGE_OUTCOME_MAP(X)
#undef X
        EXCHANGE_OUTCOME_NR
};
const char *exchange_outcome_word(enum exchange_outcome outcome); /* T4's */
/* EXCHANGE_OUTCOME_NR for a word that T4 does not know. */
enum exchange_outcome exchange_outcome_from_word(const char *word);

/* What a configuration cost beside its runs. T4's key, Kernel Tuner's key. */
#define EXCHANGE_PHASE_MAP(X)                                                            \
    X(COMPILE, "compilation", "compile_time")                                            \
    X(BENCHMARK, "benchmark", "benchmark_time")                                          \
    X(VERIFY, "validation", "verification_time")                                         \
    X(SEARCH, "search_algorithm", "strategy_time")                                       \
    X(FRAMEWORK, "framework", "framework_time")

enum exchange_phase {
#define X(name, t4, kernel_tuner) EXCHANGE_PHASE_##name,
    EXCHANGE_PHASE_MAP(X)
#undef X
        EXCHANGE_PHASE_NR
};

/* A further number about a result: bandwidth, GFLOP/s. */
struct exchange_figure {
    char *name, *unit; /* unit "" = none, or not told */
    double value;
};

struct exchange_result {
    json_t *configuration; /* object: name to number, string, boolean or null; the names
                              of all parameters in their order. Owned */
    enum exchange_outcome outcome;
    char *detail;       /* what failed; NULL = no more is known */
    double correctness; /* 1 = results compared equal, 0 = not; NaN = not told */
    double time_s;      /* one call; NaN = none */
    double *sample_s;
    size_t sample_nr;
    double phase_s[EXCHANGE_PHASE_NR]; /* NaN = not told */
    struct exchange_figure *figure;
    size_t figure_nr, figure_alloc;
    char *timestamp; /* as it was written; NULL = not told */
    json_t *extra;   /* object of keys that are none of the above; NULL = none. Owned */
};

struct exchange_parameter {
    char *name;
    json_t *values; /* array, each value once. Owned */
};

struct exchange_space {
    char *kernel, *device; /* NULL = not told */
    char *objective;       /* "time", or the name of a figure; never NULL once read */
    json_t *problem_size;  /* array of integers, integer or string; NULL = not told */
    struct exchange_parameter *parameter;
    size_t parameter_nr, parameter_alloc;
    struct exchange_result *result;
    size_t result_nr, result_alloc;
    json_t *extra; /* object of keys of the file's head; NULL = none. Owned */
};
void exchange_space_release(struct exchange_space *space);

/* One more result, empty: outcome correct, no time, nothing told. Borrowed, until the
 * next is added. */
struct exchange_result *exchange_add_result(struct exchange_space *space);
void exchange_add_figure(struct exchange_result *result, const char *name,
                         const char *unit, double value);
/* NaN = there is none. */
double exchange_figure(const struct exchange_result *result, const char *name);
/* Keeps the value under a key; takes it. */
void exchange_keep(json_t **extra, const char *key, json_t *value);

/* Fills parameter[] from the configurations of all results, in the order in which names
 * and values first occur; values known already stay in front. Fails where a configuration
 * has other names than the first one. `file` and `place` are for the message:
 * "file: place[3]: ...". */
int exchange_find_parameters(struct exchange_space *space, const char *file,
                             const char *place, struct error *err);

/* The values joined by commas as Python's str() writes them: Kernel Tuner's key of the
 * configuration. Caller frees. */
char *exchange_key(const json_t *configuration);

/* ---- files ---- */

#define EXCHANGE_FORMAT_MAP(X)                                                           \
    X(T4, "t4", "T4 results")                                                            \
    X(KERNEL_TUNER, "kernel-tuner", "a cache file of Kernel Tuner")                      \
    X(CSV, "csv", "a table for spreadsheets; it is only written")

enum exchange_format {
#define X(name, word, meaning) EXCHANGE_FORMAT_##name,
    EXCHANGE_FORMAT_MAP(X)
#undef X
        EXCHANGE_FORMAT_NR
};
const char *exchange_format_word(enum exchange_format format);
/* Fails with STATUS_USAGE and all words. */
int exchange_format_from_word(const char *word, enum exchange_format *format,
                              struct error *err);

/*
 * Reads a file, compressed or not; *format EXCHANGE_FORMAT_NR: found out from its text,
 * and set. Fails with STATUS_INPUT, file and place, also for documents of other kinds,
 * which it names. *note: a sentence about what was put right (caller frees), NULL if
 * nothing was.
 */
int exchange_read(const char *path, enum exchange_format *format,
                  struct exchange_space *out, char **note, struct error *err);

/* The file's text. Fails when two results have the same key, which the formats cannot
 * hold. */
int exchange_text(const struct exchange_space *space, enum exchange_format format,
                  struct buf *out, struct error *err);

#endif
