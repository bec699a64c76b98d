/*
 * The hot nest of a kernel and a static estimate of how many lines an order of loops with
 * given tiles moves. It only ranks what to try first; what counts is measured.
 */
#ifndef SEARCH_NEST_H
#define SEARCH_NEST_H

#include "search/space/choice.h"

struct machine;

struct nest {
    const struct kernel_view *view;
    const struct kernel_loop
        *loop[KERNEL_DEPTH_MAX]; /* outermost first, down to the innermost with the most
                                    iterations */
    double trips[KERNEL_DEPTH_MAX];
    size_t nr;
};

/* The chain of modelled loops with the most work: iterations, each weighed by the lines
 * that its accesses take; nr = 0 when no loop is modelled.
 */
void nest_find(const struct kernel_view *view, struct nest *nest);

enum { NESTS_HOT_MAX = 8 };
/* Of each nest of the function with a tenth or more of all the work, the chain with the
 * most; in the order of the source. Returns their number. */
size_t nests_hot(const struct kernel_view *view, struct nest nest[NESTS_HOT_MAX]);

/* The loop that the line is in, by the heads of loops above it, if nothing could be read
 * of it; line 0 = not known: the last one, if none could be read. NULL = none is there,
 * or plans may name it. */
const struct kernel_loop *loop_unread_at(const struct kernel_view *view, int line);

/* It depends on data how often it goes round: the rows of a sparse matrix, which are a
 * nest of their own for each iteration of the loops around them. */
bool loop_is_row(const struct kernel_loop *loop);

/* Depth of the loop in the chain, -1 when it is not there. */
int nest_depth(const struct nest *nest, const char *loop);

/* Iterations that no loop of that name exceeds; INFINITY where that is not known. */
double nest_max_trips(const struct kernel_view *view, const char *loop);

/* The access runs in this nest (its innermost loop is in the chain). */
bool nest_holds(const struct nest *nest, const struct kernel_access *access);
/* In its innermost loop. */
bool nest_holds_innermost(const struct nest *nest, const struct kernel_access *access);

/* One loop of the transformed nest: which original loop it advances, its extent, and how
 * many original iterations one step is. */
enum { NEST_STEPS_MAX = 3 * KERNEL_DEPTH_MAX };
struct nest_step {
    int depth;
    double extent, scale;
};
/* The loops of the choice's order, tiles and jams, outermost first. Returns their number
 * (<= 2
 * * KERNEL_DEPTH_MAX). */
size_t nest_steps(const struct nest *nest, const struct choice *choice,
                  struct nest_step *step);

/* Lines that the access touches, each counted once; 0 where its address is not affine. A
 * loop of unknown trip count is taken to go round once. */
double nest_access_lines(const struct nest *nest, const struct kernel_access *access,
                         int line_bytes);

/* The rows of an array are a large power of two apart, so that lines of a column that L1
 * or L2 could hold push each other out of few sets. */
bool nest_rows_collide(const struct nest *nest, const struct machine *machine);

/*
 * Estimated nanoseconds one call waits for lines, over all cache levels: for each level
 * the longest suffix of loops whose footprint fits half of it is taken to hit; what lies
 * outside reloads it. After M. E. Wolf and M. S. Lam, "A data locality optimizing
 * algorithm", PLDI 1991 (reuse by loop suffix), with lines and way conflicts counted.
 */
double nest_cost_ns(const struct nest *nest, const struct machine *machine,
                    const struct choice *choice);

#endif
