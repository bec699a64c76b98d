/*
 * Where a program stands under the roofs of a machine. Cache-aware: its arithmetic
 * intensity is that of the bytes which load and store instructions asked of L1, the same
 * for the roof of every level; that of the bytes through memory stands beside it. How
 * much of a level it uses is told by the bytes of that level, not by the picture: a point
 * near a slope may move hardly anything through it. Pure.
 */
#ifndef CORE_METRICS_ROOFLINE_H
#define CORE_METRICS_ROOFLINE_H

#include "core/base/quantity.h"

struct machine;

/* name, metric of its bytes (rules/metrics/portable.json), for people */
#define ROOF_LEVEL_MAP(X)                                                                \
    X(L1, "LS_Bytes", "L1")                                                              \
    X(L2, "L2_Bytes", "L2")                                                              \
    X(L3, "L3_Bytes", "L3")                                                              \
    X(MEMORY, "Mem_Bytes", "memory")

enum roof_level {
#define X(name, metric, text) ROOF_##name,
    ROOF_LEVEL_MAP(X)
#undef X
        ROOF_LEVELS
};
const char *roof_level_metric(enum roof_level level);
const char *roof_level_text(enum roof_level level);

/* name, key in JSON, for people */
#define ROOF_FLOPS_MAP(X)                                                                \
    X(SCALAR, "scalar", "one element at a time")                                         \
    X(SIMD, "simd", "vectors")                                                           \
    X(FMA, "fma", "vectors, fused")

enum roof_flops {
#define X(name, key, text) ROOF_##name,
    ROOF_FLOPS_MAP(X)
#undef X
        ROOF_FLOPS
};
const char *roof_flops_key(enum roof_flops kind);
const char *roof_flops_text(enum roof_flops kind);

struct roof {
    struct quantity value; /* GB/s, or flop/s */
    const char *from;      /* how it is known, or why it is not; static */
};

struct roof_ceilings {
    int cores; /* that they hold for */
    /* What a triad draws from the level, in its own bytes: the slopes. */
    struct roof gbs[ROOF_LEVELS];
    bool lacks[ROOF_LEVELS]; /* the machine has no such cache */
    /* All bytes that the memory moves at best, lines that stores read first included:
     * what counters at the memory see. */
    struct roof node;
    struct roof flops[ROOF_FLOPS];
};

struct roof_ask {
    int cores;           /* that worked; 0 = all of the profile */
    double single_share; /* of the flops, in single precision: 0 .. 1 */
    double read_share;   /* of the bytes through memory; NAN = not known */
};

/* Ours. A scalar roof that was measured with vectors in use (Gravelle 2022, table 4: 1.7
 * of 8 elements) is left out; vectors that go through the units in halves bring half of
 * their elements. */
#define ROOF_SCALAR_MIN 0.45

/* Roofs of a profile. With fewer cores than all, those of one core times their number,
 * but no more than what all together reach: a roof that is not lower than the real one,
 * with an interval down to their share of what all reach. */
void roof_ceilings_of(const struct machine *machine, const struct roof_ask *ask,
                      struct roof_ceilings *ceilings);

/* What it did; all of it may be unknown. */
struct roof_work {
    struct quantity flops, bytes[ROOF_LEVELS], seconds;
    struct quantity latency_ns; /* of memory at its bandwidth */
    int line_bytes;             /* that one miss moves; 0 = unknown */
};

struct roof_stand {
    struct quantity gbs;        /* bytes of the level over seconds */
    struct quantity share;      /* of what the level can move */
    struct quantity attainable; /* flop/s: min(P, AI x roof) */
    struct quantity over;       /* flop/s over AI x roof: 1 = on the slope */
    struct quantity ridge;      /* flop/B at which the slope meets P */
};

/* Ours. The kernels of Gravelle 2022 that gained from less traffic only were at 91 to 96
 * % of their memory's triad, those that moved away from it at 40 to 85 %. */
#define ROOF_AT   0.9
#define ROOF_NEAR 0.7

enum roof_verdict {
    ROOF_VERDICT_UNKNOWN, /* no roof has both its use and its height */
    ROOF_VERDICT_FAR,
    ROOF_VERDICT_NEAR,
    ROOF_VERDICT_AT
};

struct roofline {
    struct quantity flops_per_s;
    struct quantity ai;        /* flop per byte of load and store instructions */
    struct quantity ai_memory; /* flop per byte through memory */
    struct roof_stand level[ROOF_LEVELS];
    struct quantity peak;                    /* P: the highest roof of arithmetic */
    struct quantity memory_attainable;       /* flop/s: min(P, AI of memory x node) */
    struct quantity flops_share[ROOF_FLOPS]; /* of each roof of arithmetic */
    struct quantity lines_100ns;             /* through memory in 100 ns, of one core */
    struct quantity lines; /* in flight towards memory, of one core: Little's law */
    enum roof_verdict verdict;
    int nearest; /* the roof used most: a level, or ROOF_LEVELS = arithmetic */
    bool sure;   /* the verdict holds at both ends of the interval */
};

void roofline_of(const struct roof_work *work, const struct roof_ceilings *ceilings,
                 struct roofline *roofline);
/* The share of the roof used most. */
struct quantity roofline_nearest_share(const struct roofline *roofline);

#endif
