/*
 * Private to core/machine: where the latency of a chase leaves that of a cache level,
 * looked for by bisection. One search asks for few footprints; several searches, spread
 * over time, tell how far disturbances moved the answer. Measures nothing and reads no
 * clock.
 */
#ifndef CORE_MACHINE_CAPACITY_H
#define CORE_MACHINE_CAPACITY_H

#include "core/base/quantity.h"

/* A footprint that was slow, and is not yet known to be beyond the level. */
struct capacity_suspect {
    double bytes, ns; /* 0 = none; the least so far */
    double since_s;
    size_t passes;  /* it was slow while the footprint below it was not ... */
    size_t refused; /* ... and while that was slow, too */
    bool ask_below; /* next */
};

struct capacity_search {
    double from_bytes, to_bytes; /* nothing is asked outside of them */
    double start_bytes;          /* the first footprint asked for */
    double bar_ns;               /* what is slower is beyond the level */
    double spread_s;             /* what is beyond was seen to be over so long a time */
    /* The largest footprint found inside of the level and the smallest one beyond it; 0:
     * none yet. */
    double inside_bytes, beyond_bytes;
    double inside_ns, beyond_ns;
    struct capacity_suspect suspect;
    bool lost; /* what was inside is slow, too: nothing can be told at this time */
};

/* The footprint to look at next; 0 = the end is known as well as it will be. */
double capacity_next(const struct capacity_search *search);
/* A disturbance makes inside look like beyond, never the other way round. So one fast
 * look is enough, takes back what larger or equal ones seemed to be, and a slow one is
 * repeated, in turn with the footprint below it, which must be fast at that time. */
void capacity_add(struct capacity_search *search, double bytes, double ns, double now_s);

/* What is slower than this is beyond the level, which takes `level_ns` itself. Memory's
 * latency keeps the bar where the level's own was disturbed; 0 = not known. NAN: the
 * level cannot be told from memory. */
double capacity_bar_ns(double level_ns, double memory_ns);

enum { CAPACITY_ROUNDS_MAX = 20 };

/* Searches one after the other. */
struct capacity {
    double from_bytes, to_bytes;
    double spread_s;
    double end_s; /* no round begins later; while no end is found they go on until ... */
    double first_s; /* ... then */
    size_t rounds;
    struct capacity_search round[CAPACITY_ROUNDS_MAX];
    size_t done;
    bool again; /* what is begun looks back: is what seemed to be far beyond inside? */
};

/* The next round, from where the one before found the end. */
void capacity_begin(struct capacity *capacity, double bar_ns);
/* The footprint that this round looks at next; 0 = it ends. */
double capacity_ask(const struct capacity *capacity, double now_s);
void capacity_tell(struct capacity *capacity, double bytes, double ns, double now_s);
/* Ends the round; is there one more? */
bool capacity_goes_on(struct capacity *capacity, double now_s);

/* One more round, of at most so many seconds, or more of them where it takes back all
 * ends. */
void capacity_look_back(struct capacity *capacity, double now_s, double seconds);

/* What a core gets by all searches, at least one. An end far below what another search
 * found inside was a disturbance and does not count. Unknown when none looked at
 * anything; open above where no end was seen; the high end alone where even the least
 * footprint was beyond the level: then the low one is `min_bytes`. */
struct quantity capacity_of(const struct capacity_search *search, size_t nr,
                            double min_bytes);

#endif
