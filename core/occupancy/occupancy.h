/*
 * core/occupancy: pure functions: machine profile + traffic + time -> queues,
 * utilization, slack, bounds, and what sets the pace. Method: S. Mehta,
 * "Performance Analysis and Optimization with Little's Law", ISPASS 2022, eq. 1 and 2;
 * the queue model, its formulas and thresholds: docs/internals/method.md. Measures
 * nothing, knows no plans.
 *
 * Everything carries an interval. An interval that is open above (high = infinity) is a
 * floor: part of the evidence is missing, and it could only add.
 */
#ifndef CORE_OCCUPANCY_OCCUPANCY_H
#define CORE_OCCUPANCY_OCCUPANCY_H

#include "core/base/buf.h"
#include "core/base/quantity.h"
#include "core/files/json.h"
#include "core/occupancy/bound.h"
#include "core/occupancy/diagnosis.h"

struct error;
struct machine;
struct pipeline_account;

enum { OCCUPANCY_LEVELS_MAX = 4 };

/* Streams that a core's hardware prefetcher follows at once (Mehta 2022, section IV-B: 16
 * on KNL; as the cache model has it). */
enum { OCCUPANCY_STREAMS = 16 };

/*
 * The work of one kernel call on one core (copies are equal). Lines unless said
 * otherwise. Unknown stays unknown: fills of an unknown number from a cache open the
 * queue's interval above, unknown fills from memory make the queue unknown, an unknown
 * covered part may be none or all of the fills. Somebody who counts memory traffic only,
 * as the paper does, says 0 for the fills from caches.
 */
struct occupancy_work {
    int level_nr; /* cache levels of the model */
    /* [k]: lines filled into L1 from level k+2; [level_nr - 1] = from memory */
    struct quantity l1_fill_from[OCCUPANCY_LEVELS_MAX];
    /* of these, prefetched into L2 ahead: they cost L1 only the L2 latency */
    struct quantity l1_covered_from[OCCUPANCY_LEVELS_MAX];
    struct quantity l2_fill_from_l3, l2_fill_from_memory; /* demand and prefetch */
    struct quantity memory_read_bytes, memory_write_bytes;
    struct quantity page_walks;
    double footprint_bytes; /* that the walks are spread over; 0 = not known */
    struct quantity flops, instructions;
    bool single_precision; /* of all that is floating point */
    bool huge_pages;
    /* page walks are known not to be on the path of the misses */
    bool translation_hidden;
};

struct occupancy_case {
    const struct machine *machine;
    struct occupancy_work work;
    struct quantity time_s; /* of one call */
    int cores;              /* physical cores loaded alike */
    /* independent dependence chains that issue misses, up to what else may miss beside
     * them; open above = they bound nothing; unknown = not limited by chains */
    struct quantity chains;
    struct quantity l1_misses_per_instruction;    /* for the window; unknown is fine */
    struct quantity instructions_per_branch_miss; /* unknown is fine */
    struct quantity code_bytes; /* distinct code that one call runs through */
    /* What prefetchers are given: arrays that the innermost loop walks along, all threads
     * of a core, and bytes of each until the loop begins anew. Unknown is fine. */
    struct quantity streams, run_bytes;
    /* What a model of the core says of the instructions; borrowed, NULL = they were not
     * looked at. */
    const struct pipeline_account *account;
};

/* Impossible: more in use than there is, by all that the intervals allow. A figure is
 * wrong then, and nothing is concluded from it. */
enum saturation {
    SATURATION_UNKNOWN,
    NOT_SATURATED,
    SATURATION_UNDECIDED,
    SATURATED,
    SATURATION_IMPOSSIBLE
};
const char *saturation_word(enum saturation saturation);

struct occupancy_resource {
    enum resource resource;
    /* work per second: queues requests (lines where a miss moves a whole one), walkers
     * walks, arithmetic FLOP, each per core; links
     * GB/s per core; memory GB/s of the node */
    struct quantity rate;
    /* mean time an entry is held; queues and walkers */
    struct quantity residency_ns;
    /* entries busy (Little's law); walkers: walks in flight; others unknown */
    struct quantity n;
    /* queues: entries; others: the ceiling in the unit of rate */
    struct quantity limit;
    struct quantity utilization; /* n / limit or rate / ceiling */
    /* T_r: the least time this resource needs for the work of one call */
    struct quantity min_s;
    /* queues: node bandwidth at which memory lines alone fill it (the paper's second
     * roof, figure 2); others unknown */
    struct quantity carries_gbs;
    enum saturation saturation;
};

struct occupancy {
    struct quantity bandwidth_gbs; /* node, all cores, reads + write-backs */
    struct quantity read_share;
    struct quantity latency_ns; /* loaded, from the curve at that bandwidth */
    /* per core, convention "paper": bandwidth x latency / bytes of a miss / cores */
    struct quantity paper_n;
    struct quantity random_share; /* of the fills beyond L2, those not covered */
    /* random_share above a half: the paper compares with L1, else with L2; false also
     * when random_share is unknown */
    bool random;
    /* misses under way per core, page walks included: what a program of k independent
     * chases has k of */
    struct quantity in_flight;
    /* of the time of an uncovered miss, spent on its page walk */
    struct quantity translation_share;
    /* time of an L2 hit over the mean hold of an L1 entry now */
    struct quantity l2_residency_ratio;
    /* least walk time on huge pages over that on small ones */
    struct quantity hugepages_walk_ratio;
    /* unloaded over loaded latency of memory, 0 .. 1 */
    double idle_latency_share;
    /* by enum; unknown ones have unknown figures */
    struct occupancy_resource resource[RESOURCE_NR];
    /* argmax T_r of those whose limit is known from both sides (a floor limits nothing)
     * and whose figures can be, however far below the time; NONE when none is known */
    enum resource busiest;
    /* T_now / max T_r; unknown when cache-resident: what limits such a loop is not among
     * the resources */
    struct quantity slack;
    /* What n cannot exceed, as far as it is known, by the chains of addresses, by the
     * reorder window, by mispredicted branches: misses per core */
    struct quantity n_chains, n_window, n_branches;
    /* what queues, ceilings and these say alone, as the paper reads them; CORE: hardly
     * any miss is under way */
    enum cause by_queues;
    struct diagnosis diagnosis; /* what sets the pace, from all of these */
};
void occupancy_release(struct occupancy *occupancy);

int occupancy_compute(const struct occupancy_case *input, struct occupancy *out,
                      struct error *err);

/* The paper's number alone (eq. 2), per core. gbs total of the node; transfer_bytes: what
 * one miss moves, mostly a line. */
double occupancy_paper_n(double gbs, double latency_ns, int transfer_bytes, int cores);

/* What a plan leaves of the work given to a resource: after over before. */
struct occupancy_rest {
    double value; /* the best guess; negative = unknown, but no more than now */
    double min;   /* less is not left for certain, 0 .. value */
};
/* Of CORE and RECURRENCE 0 = nothing is said of them. */
/*
 * The bound on the speed-up of a plan: bound = T_now / max_r (T_r x left[r]), from above
 * with the least that is left. No resource needs more than the time that it took. Work of
 * unknown change makes the bound unknown if its resource could be the busiest then.
 * The queues' T_r stand for today's load on memory: where a plan may take more from
 * memory than from a queue, the upper end holds the queue's entries for an unloaded
 * latency. Unknown for cache-resident loops, and when nothing is left that is known to
 * limit. A resource of unknown T_r can only lower it: the low end says so.
 */
struct quantity occupancy_bound(const struct occupancy *now, struct quantity time_s,
                                const struct occupancy_rest left[RESOURCE_NR]);

/*
 * The figures under the metric names of rules/rules.h: calls `number` or `word` once per
 * metric, unknown ones included.
 */
struct occupancy_sink {
    void (*number)(void *context, const char *metric, struct quantity value);
    void (*word)(void *context, const char *metric, const char *word);
    void *context;
};
/* The time over that without the cause that the model of the core found, which is off by
 * a quarter (occupancy.c, modelled_s); unknown where there is none. */
struct quantity occupancy_cause_gain(const struct occupancy *now);
void occupancy_metrics(const struct occupancy *occupancy,
                       const struct occupancy_sink *sink);

json_t *occupancy_to_json(const struct occupancy *occupancy);

#endif
