/*
 * Private to core/machine: what loops that do nothing else draw from sets of memory, on
 * one core or on several at the same time, each with sets of its own. Over all candidate
 * kernels (arch_kernels_at), in synchronised windows (windows.h).
 */
#ifndef CORE_MACHINE_RATE_SETS_H
#define CORE_MACHINE_RATE_SETS_H

#include "core/machine/machine.h"
#include "core/machine/topology/topology.h"

struct error;

enum rate_kind {
    RATE_READ,
    RATE_WRITE,
    RATE_COPY,
    RATE_TRIAD,
    RATE_NONTEMPORAL,
    RATE_RANDOM,
    RATE_KINDS
};
/* The same order as in struct machine_rates. */
struct quantity *rate_of_kind(struct machine_rates *rates, enum rate_kind kind);

struct rate_set {
    size_t bytes;               /* of each core; the arrays of a kernel share them */
    unsigned kinds;             /* wanted: bits 1 << RATE_x */
    bool cached;                /* fits a cache: is brought there before each window */
    const char *const *only;    /* of each kind the one kernel to try; NULL = all */
    size_t random_bytes;        /* from pointer to pointer, for RATE_RANDOM */
    struct machine_rates rates; /* out; unknown what was not wanted */
    /* Out: name of the kernels that won; NULL = not wanted, RATE_RANDOM */
    const char *winner[RATE_KINDS];
};

enum { RATE_SETS_MAX = MACHINE_LEVELS_MAX + 1 };
struct rate_plan {
    size_t cores; /* the first ones */
    struct rate_set *set;
    size_t set_nr; /* at most RATE_SETS_MAX */
    size_t rounds;
    double seconds; /* goes over it only for the first few rounds ... */
    double stop_s;  /* ... and never beyond this, of clock_s; 0 = it may */
};
int rates_measure(const struct topology *topology, const struct rate_plan *plan,
                  struct error *err);

/* What one core's set for a level (index in machine->level) should have: within what a
 * core gets when all run, beyond what it gets of the level above. 0 = the level is not
 * told apart from the one above. */
size_t rate_level_bytes(const struct machine *machine, int level);
/* The same for memory, while `cores` cores run: beyond the last level, and all of them
 * together in a quarter of the available bytes (0 = not known). 0 = too little memory to
 * get beyond the last level. */
size_t rate_memory_bytes(const struct machine *machine, size_t cores, double available);

/* What all cores draw, where others left them no windows of their own: at least what was
 * seen, and at least what one core draws alone. */
struct quantity rate_at_least(struct quantity all, struct quantity one);

#endif
