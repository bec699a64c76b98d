/*
 * Private to core/machine: the sweep on real cores. One core chases pointers, all others
 * generate traffic; latency and bandwidth come from the same window, and the generators
 * run on until the chaser has finished it.
 */
#ifndef CORE_MACHINE_CURVE_SOURCE_H
#define CORE_MACHINE_CURVE_SOURCE_H

#include "core/machine/curves/curve_sweep.h"
#include "core/machine/probe/probe.h"

/* Which cores load which memory. */
struct load_site {
    const int *cpu; /* OS indices; [0] chases */
    size_t cpu_nr;
    int node;             /* whose memory the generators use, -1 = each its own core's */
    struct chase *chaser; /* in that memory */
    size_t buffer_bytes;  /* of each generator */
};

/* Runs the plan with the mixes of enum load_mix; plan->generators is cpu_nr - 1 or less.
 * `sweep` is {0}; the caller releases it, also after a failure. */
int load_sweep(const struct probe *probe, const struct load_site *site,
               const struct sweep_plan *plan, struct sweep *sweep, struct error *err);

/* One curve per mix of the plan, in their order, appended to a list of the profile. None
 * at all where too few unloaded windows were undisturbed. */
void load_curves(const struct sweep *sweep, const struct sweep_plan *plan,
                 double store_read_factor, struct machine_curve **curve, size_t *curve_nr,
                 size_t *curve_alloc);

/* What a probe of this length in seconds can afford on `cores` cores, `seconds` for the
 * sweep. */
struct sweep_plan load_plan(const struct probe *probe, size_t cores, double seconds);

#endif
