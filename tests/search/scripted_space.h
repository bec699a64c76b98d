/*
 * A scripted space for the suites of search/: a subject and a runner without compiler or
 * machine. Three kernels as the loop model would describe them, a machine of round
 * numbers, and a table that says what measuring a plan gives.
 */
#ifndef TESTS_SEARCH_SCRIPTED_SPACE_H
#define TESTS_SEARCH_SCRIPTED_SPACE_H

#include "core/base.h"
#include "core/machine/machine.h"
#include "core/occupancy/occupancy.h"
#include "core/traffic/traffic.h"
#include "search/finish/finish.h"
#include "search/session/engine.h"
#include "search/strategy/strategy.h"
#include "tests/check.h"
#include "variants/kernel/kernel_view.h"

struct space_kernel {
    struct kernel_array array[3];
    struct kernel_loop loop[4];
    struct kernel_access access[4];
    struct kernel_view view;
    struct kernel_counts counts;
    struct traffic traffic; /* of one call as written; owns nothing */
};
/* C[i][j] += A[i][k] * B[k][j] in loops i, j, k of n iterations. */
void space_dgemm(struct space_kernel *kernel, int n);
/* B[j][i] = A[i][j] in loops i, j. */
void space_transpose(struct space_kernel *kernel, int n);
/* out[i] = f(table[idx[i]]): n look-ups in m elements. */
void space_gather(struct space_kernel *kernel, int n, int m);

/* Two cores, 32 KiB, 1 MiB and 8 MiB of caches, 80 ns to memory, 10 and 48 MSHRs. Owns
 * nothing: not to be released. */
void space_machine(struct machine *machine);

/* An interval for the n-th comparison that names the plan; value 0 = from the times. */
struct space_ratio {
    double value, low, high;
};

struct space_entry {
    const char *plan; /* pattern of fnmatch; the first that matches rules */
    double seconds;
    enum run_outcome outcome, full; /* of quick runs and of longer ones */
    const char *illegal;            /* sentence; NULL = legal */
    struct space_ratio ratio[2];    /* comparisons one and two */
    struct space_ratio written;     /* with the kernel as written; value 0 = as others */
    struct space_ratio quick[2];    /* seconds of quick runs one and two; likewise */
};

struct space {
    struct space_kernel kernel;
    struct machine machine;
    struct search_subject subject;
    struct search_runner runner;
    struct search_observer observer;
    const struct space_entry *entry; /* ends with a plan of NULL; what is not listed takes
                                        1 s */
    double (*time_s)(
        const char *plan);         /* goes before the table; NULL or -1 = the table */
    double noise;                  /* relative, of times and of intervals */
    double huge_speedup;           /* of huge pages, 0 = 1 */
    enum run_outcome huge_outcome; /* of every run on huge pages */
    bool without_traffic, untraced_plans;
    size_t interrupt_at;    /* raise SIGINT inside measurement number .., 0 = never */
    size_t fail_at;         /* the runner itself fails there, 0 = never */
    struct strvec asked;    /* "effort plan[, huge pages]" of each measurement */
    struct strvec compared; /* "a : b" */
    struct strvec output, saved;
    double spent_s; /* of the budget: a quarter of a second for each answer */
    uint64_t random;
};
/* Of the kernel that `make` fills, with noise of a tenth of a per cent. */
void space_init(struct space *space, const struct space_entry *entry);
void space_release(struct space *space);

/* For time_s: tiles of i and j are best at 32 x 32, a fifth more for each halving or
 * doubling; vectors save a tenth. */
double space_valley(const char *plan);

/* How often the list has the text; NULL = any. */
size_t space_count(const struct strvec *list, const char *text);
/* The place of the plan in result->measurement; measurement_nr when it is not there. */
size_t space_find(const struct search_result *result, const char *plan);
const struct advice *space_advice(const struct search_result *result, const char *name);
const struct pruned *space_pruned(const struct search_result *result, const char *plan);

/* The rules of tests/data/search/rules.json. Caller frees. */
struct rule_set *space_rules(void);
/* search_run with these rules; 0 variants = no limit. */
int space_run(struct space *space, struct search_opts opts, struct search_result *result,
              struct error *err);

#endif
