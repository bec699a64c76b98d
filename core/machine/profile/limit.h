/* Private to core/machine: what is taken for the limit of one queue, and why. */
#ifndef CORE_MACHINE_LIMIT_H
#define CORE_MACHINE_LIMIT_H

#include "core/machine/curves/knee.h"
#include "core/machine/machine.h"

/* What decides the limit of one queue. */
struct limit_evidence {
    struct quantity table; /* of the CPU table; high = infinity: "at least" */
    char confidence;       /* its letter, see data/cpus.json */
    const char *table_source;
    struct knee knee[2];   /* L3-resident and memory set; not found = not measured */
    struct quantity floor; /* L2: most lines in flight that were seen */
    double fallback;       /* 0 = none is defensible */
    size_t runs;
};

/* Fills table, probe, used and source: measured knee with tight spread > table > measured
 * floor > fallback; a measured floor above the table's value refutes the table. */
void limit_resolve(struct machine_limit *limit, const struct limit_evidence *evidence);

/* What software prefetch to L2 brings on this machine, one phrase; NULL = not measured.
 * `lines`: most in flight with it; gains: best rate over the best without prefetch.
 * Caller frees. */
char *limit_prefetch_phrase(struct quantity lines, struct quantity l2_gain,
                            struct quantity l1_gain);
/* Appends to source; NULL adds nothing. */
void limit_add_phrase(struct machine_limit *limit, const char *phrase);

#endif
