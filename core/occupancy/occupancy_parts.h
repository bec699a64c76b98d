/* What the files of core/occupancy share; private to the folder. */
#ifndef CORE_OCCUPANCY_OCCUPANCY_PARTS_H
#define CORE_OCCUPANCY_OCCUPANCY_PARTS_H

#include "core/occupancy/occupancy.h"

struct machine;
struct machine_flops;
struct machine_level;
struct machine_pages;

/*
 * From here a queue is full. The paper's rows at 0.853 of their queue and above gained at
 * most 1.04 from plans that only add misses, those at 0.50 and below gained 1.17 and
 * more, none lies between; a chase sustains 0.83 to 0.99 of the documented entries
 * (mshr-limits, part 3).
 */
#define QUEUE_FULL 0.85

/*
 * From here a measured rate counts as reached. Repeated probes of a ceiling spread by up
 * to a tenth; the paper's rows on SKL at 0.97 of what is achievable gained at most 1.02,
 * the one at 0.84 still 1.14.
 */
#define CEILING_FULL 0.90

/*
 * With more slack than this no resource is named the cause: the spread of a full queue
 * (1 / 0.85) times that of a loaded latency near saturation (1.25, Mess curves) cannot
 * explain it.
 */
#define SLACK_LIMITER 1.5

/* More in use than there is, at every end of the intervals. */
bool is_impossible(const struct occupancy_resource *resource);
/* Certainly, or by the best guess. */
bool is_at_limit(const struct occupancy_resource *resource);
/* The busiest, if it explains the time: SLACK_LIMITER. */
enum resource near_limit(const struct occupancy *now);
/* Only known from below: the guess is the least there is, and far from the most. */
bool is_floor(struct quantity limit);

/* From which end of all intervals a computation looks: least work, best guess, most work.
 */
enum end { END_LOW, END_VALUE, END_HIGH, END_NR };
double end_of(struct quantity quantity, enum end end);
enum end end_other(enum end end);
/* Unknown when one end is NaN or they are out of order. */
struct quantity from_ends(const double at[END_NR], size_t runs);
/* A floor: the same low end and value, open above. */
struct quantity floor_of(struct quantity quantity);
/* No more entries are in use than there are, however far the interval reaches. */
struct quantity entries_of(const struct occupancy_resource *queue);

/* What all cores together send through memory; bytes of one call of every copy. */
struct node {
    struct quantity bytes, gbs, read_share;
};
struct node node_of(const struct occupancy_case *input);
double node_share(const struct node *node); /* for looking up curves: unknown = reads */
/* The share at an end; unknown = reads at each. */
double node_share_at(const struct node *node, enum end end);

struct quantity latency_of(const struct machine *machine, int level);
/* Of memory at this load, at any mix the node may have; open above where the curve ends
 * or there is none. */
struct quantity loaded_latency(const struct machine *machine, struct quantity gbs,
                               const struct node *node);
/* Of one page walk that a miss waits for: from page tables in L2 to what the probe found.
 */
struct quantity walk_price(const struct occupancy_case *input);
const struct machine_pages *pages_of(const struct occupancy_case *input);

/* The work of a miss queue for one call, seen from each end. */
struct queue_end {
    double lines;        /* all of them: requests, where a miss moves less than a line */
    double fixed_ns;     /* sum over lines of their hold, where load does not change it */
    double memory_lines; /* the others: held for as long as loaded memory takes */
    double limit;
};
struct queue_work {
    bool known;
    bool open;            /* something of unknown size comes on top */
    double unknown_lines; /* lines whose hold is unknown */
    double lead_ns;       /* at the low end a hold starts this much after the access */
    double extra_ns;      /* at the high end it may last this much longer */
    struct queue_end at[END_NR];
};
struct queue_work queue_work_l1(const struct occupancy_case *input);
struct queue_work queue_work_l2(const struct occupancy_case *input);
/* Fills rate, hold, n, limit, utilization, least time, carries. */
void queue_solve(const struct occupancy_case *input, const struct node *node,
                 struct queue_work *work, struct quantity limit,
                 struct occupancy_resource *out);

/* Entries of a queue per core, open above when the probe only says "at least". */
struct quantity limit_l1(const struct occupancy_case *input);
struct quantity limit_l2(const struct occupancy_case *input);

/* The resources that are rates, not queues. */
void ceiling_memory(const struct occupancy_case *input, const struct node *node,
                    struct occupancy_resource *out);
void ceiling_walkers(const struct occupancy_case *input, struct occupancy_resource *out);
void ceiling_l2_link(const struct occupancy_case *input, struct occupancy_resource *out);
void ceiling_l3_link(const struct occupancy_case *input, struct occupancy_resource *out);
/* Of the precision that the work is done in. */
const struct machine_flops *flops_of(const struct occupancy_case *input);
void ceiling_arithmetic(const struct occupancy_case *input,
                        struct occupancy_resource *out);
/* Whether the page tables of what the call touches fit half of L2: then walks end there,
 * and are as fast as those of the probe that keeps its tables near. */
enum tables { TABLES_FAR, TABLES_NEAR, TABLES_UNKNOWN };
enum tables tables_of(const struct occupancy_case *input);
/* Page walks a second that a core can do on such pages. */
struct quantity walk_capacity(const struct machine *machine,
                              const struct machine_pages *pages);

/* L1 fills from beyond L2 that no prefetcher covers. */
struct quantity uncovered_lines(const struct occupancy_case *input);
/* Page walks that such a miss waits for: at most one each. */
struct quantity walks_on_path(const struct occupancy_case *input);

/* Code larger than this does not stay in the instruction cache. */
#define INSTRUCTION_CACHE_BYTES (32 << 10)
/* A run of so few lines ends about when a prefetcher has found out where it goes. */
#define PREFETCHER_SHORT_LINES 32
/* What cannot be and which figure is doubted; nothing where all can be. */
void say_doubts(const struct occupancy_case *input, const struct occupancy *now,
                struct buf *out);
/* What may be at a limit that is only known from below. */
void say_floors(const struct occupancy *now, struct buf *out);
/* The sentence of a cause that has one, with the place (" of 'a'") in it. */
void say_cause(enum cause cause, const char *place, struct buf *out);
/* The busiest resource and its use. */
void say_busiest(const struct occupancy_case *input, const struct occupancy *now,
                 struct buf *out);
/* Why as many misses are under way as there are, by the queues alone. */
void say_flight(const struct occupancy_case *input, const struct occupancy *now,
                struct buf *out);

#endif
