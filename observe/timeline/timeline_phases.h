/*
 * Phases of a time line: stretches in which no event's rate changes beyond its noise.
 *
 * Penalised least squares over all events at once, exact by dynamic programming (Jackson
 * et al. 2005, "An algorithm for optimal partitioning of data on an interval"). Of an
 * event, what a burst of one or two readings sticks out is first taken off (Hampel's
 * filter: median of five), then it is measured in units of its noise sigma, the largest
 * of
 *   - the median of differences of neighbours / (0.6745 sqrt 2), of single readings and
 *     of pairs (where noise has a memory, pairs tell),
 *   - the scatter of independent happenings, for events that count such,
 *   - 2 % of the largest value and the event's grain: smaller steps are nobody's phase.
 * The first reading of a phase, in which the change may be under way, costs nothing. A
 * boundary must lower the sum of squares by
 *     2 d + 2 sqrt(2 d L) + 2 L,   L = 3 ln(bins), d events,
 * and an event must differ by a tenth and beyond its noise on both sides of it. The first
 * condition is one that pure noise meets with a probability below exp(-L) at each place
 * (Laurent and Massart 2000, lemma 1). A phase has at least PHASE_BINS_MIN readings;
 * longer time lines are searched in PHASE_GROUPS_MAX groups of readings.
 */
#ifndef CORE_OBSERVE_TIMELINE_PHASES_H
#define CORE_OBSERVE_TIMELINE_PHASES_H

#include <stddef.h>

struct timeline;

enum { PHASE_BINS_MIN = 3, PHASE_GROUPS_MAX = 512 };

struct timeline_phase {
    size_t from, to; /* bins, `to` is not in it */
    double from_s, to_s;
    size_t kind;  /* 0, 1 ...: phases that do the same, as far as the events tell */
    double *mean; /* [event]; NaN = not known */
};
struct timeline_phases {
    struct timeline_phase *phase;
    size_t nr, kind_nr;
};

/* At least one phase where there is a bin. Caller releases. */
void timeline_find_phases(const struct timeline *timeline,
                          struct timeline_phases *phases);
void timeline_phases_release(struct timeline_phases *phases);

#endif
