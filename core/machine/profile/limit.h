/* Private to core/machine: what is taken for the limit of one queue, and why. */
#ifndef CORE_MACHINE_LIMIT_H
#define CORE_MACHINE_LIMIT_H

#include "core/base/quantity.h"
#include "core/cpu/cpu.h"
#include "core/machine/curves/knee.h"

struct machine;
struct machine_limit;

/* What decides the limit of one queue. */
struct limit_evidence {
    struct cpu_limit table;
    struct knee knee[2];   /* L3-resident and memory set; not found = not measured */
    struct quantity step;  /* misses of a burst that fill the queue; unknown = no step */
    struct quantity floor; /* L2: most lines in flight that were seen */
    double fallback;       /* 0 = none is defensible */
    size_t runs;
};

/* The CPU claimed to be one that it cannot be. */
bool machine_contradicts(const struct machine *machine);
/* What the CPU's file says (NULL = not recognised), for this machine: where the CPU
 * contradicted itself that is inferred. */
struct cpu_limit limit_of_table(const struct machine *machine,
                                const struct cpu_limit *documented);
/*
 * Fills table, probe, used, scope and source. Bursts count the entries; without a step,
 * the knee of k chases with tight spread > table > measured floor > fallback, and a
 * measured floor above the table's value refutes the table. What the vendor documents (V)
 * wins where what was measured does not exclude it: a step its interval; a knee, which is
 * the place where what a miss takes under the chases' own load is k times the plateau,
 * all from what it takes unloaded (the floor) to that place.
 */
void limit_resolve(struct machine_limit *limit, const struct limit_evidence *evidence);
/* The same with what a profile has kept of the evidence. */
void limit_resolve_again(struct machine_limit *limit, struct cpu_limit table);

/* What software prefetch to L2 brings on this machine, one phrase; NULL = not measured.
 * `lines`: most in flight with it; gains: best rate over the best without prefetch.
 * Caller frees. */
char *limit_prefetch_phrase(struct quantity lines, struct quantity l2_gain,
                            struct quantity l1_gain);
/* Appends to source; NULL adds nothing. */
void limit_add_phrase(struct machine_limit *limit, const char *phrase);

#endif
