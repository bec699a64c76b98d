/* What a search chooses: a plan, and the environment that it runs in. */
#ifndef SEARCH_SPACE_H
#define SEARCH_SPACE_H

#include "core/run/run_words.h"

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

/* "plan | environment" in words: "tile(i:32,j:32), huge pages, cold-data start, memory
 * load beside" or "as written". Caller frees. */
char *candidate_text(const struct candidate *candidate);
char *candidate_hash(const char *kernel_hash, const struct candidate *candidate);

#endif
