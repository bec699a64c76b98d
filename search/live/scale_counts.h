/*
 * From counts of small calls to those of the full one: each count is taken for a sum of
 * multiples of what the source says of each size (how often each loop goes round, once
 * for the call itself), or of how many accesses were traced. Pure; private to search/ and
 * its tests.
 */
#ifndef SEARCH_SCALE_COUNTS_H
#define SEARCH_SCALE_COUNTS_H

#include "core/run/run.h"

enum { SCALE_BASES = 12, SCALE_POINTS = 8 };

/* What a size is made of; [0 .. nr): unknown ones are not there. */
struct scale_basis {
    double value[SCALE_BASES];
    size_t nr;
};
struct scale_point {
    struct scale_basis basis;
    struct run_steps steps; /* of a whole call */
};
/* Points by growing size; all bases name the same things in the same order. */
struct scale_points {
    struct scale_point point[SCALE_POINTS];
    size_t nr;
};

struct scaled {
    struct quantity instructions, flops, divisions, branches_missed, code_bytes;
};
/*
 * The counts at `full`. With as many multiples as there are points less one, those of the
 * largest terms; the interval spans that fit over all points, the exact one through the
 * last ones, and what the fit leaves unexplained. Unknown with fewer than two points,
 * unless the last one has the full size: then exact.
 */
struct scaled scale_counts(const struct scale_points *points,
                           const struct scale_basis *full);

/*
 * From the beginning of a call that was too long to be followed to its end, as far as
 * its FLOP go: count x full FLOP / FLOP seen. Both halves of what was seen say it once
 * more, and that is the interval. Unknown when the halves are more than a third apart.
 */
struct scaled scale_beginning(const struct run_count *count, double full_flops);

#endif
