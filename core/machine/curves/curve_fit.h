/*
 * Private to core/machine: from measured settings to a curve. Latency is a function of
 * bandwidth until the memory saturates; from there on more load brings more latency at
 * the same bandwidth, or at less (the curve bends back). What lies there only widens the
 * interval of the curve's last point.
 */
#ifndef CORE_MACHINE_CURVE_FIT_H
#define CORE_MACHINE_CURVE_FIT_H

#include "core/machine/machine.h"

/* One setting, summed up over its rounds. Both quantities are known. */
struct fit_point {
    double load; /* offered, in generators that never pause; 0 = unloaded */
    struct quantity gbs, latency_ns;
};

/* Weighted least squares among all non-decreasing sequences: pool adjacent violators
 * (Ayer et al., Ann. Math. Statist. 26, 1955). Weights are positive. */
void isotonic(double *value, const double *weight, size_t nr);

/* Points and ceiling of an empty curve from `nr` > 0 settings, one of them unloaded;
 * reorders them. The points ascend in gbs, their latencies do not fall. */
void curve_fit(struct fit_point *measured, size_t nr, struct machine_curve *curve);

/*
 * The best bandwidth, if saturation was seen: half as much load again brought no more
 * than 3 % and latency stands at 1.5 times the unloaded one or more. Published curves
 * reach 1.5 times between 0.7 and 0.95 of their best bandwidth (Mess, MICRO 2024,
 * processed results), so a load that merely stops growing, for want of cores, does not
 * pass for a saturated memory. The interval ends 3 % higher. Unknown otherwise.
 */
struct quantity saturation_gbs(const struct fit_point *measured, size_t nr);

#endif
