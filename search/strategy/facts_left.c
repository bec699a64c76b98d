/* What plans would leave of the work given to each resource. */
#include <math.h>

#include "search/propose/least.h"
#include "search/propose/propose.h"
#include "search/propose/propose_sums.h"
#include "search/strategy/facts.h"

/* ---- what a plan would change, by the static estimate ---- */

static struct propose about_now(const struct situation *now)
{
    return (struct propose){.nest = now->nest,
                            .machine = now->machine,
                            .now = now->choice,
                            .latency_ns = 100};
}

/* NaN: nothing is proposed. */
static double lines_left(const struct situation *now, const char *transformation)
{
    struct choices list = {0};
    struct buf why_not = {0};
    struct propose about = about_now(now);
    propose(&about, transformation, &list, &why_not);
    double before = nest_cost_ns(now->nest, now->machine, now->choice), best = before;
    for (size_t i = 0; i < list.nr; i++)
        best = fmin(best, nest_cost_ns(now->nest, now->machine, &list.item[i]));
    bool known = list.nr && before > 0;
    choices_release(&list);
    buf_release(&why_not);
    return known ? best / before : NAN;
}

static void say_ratio(struct situation *now, const char *metric, double ratio)
{
    if (!isnan(ratio))
        say_number(now, metric, ratio);
}

/* A block does as well as any order or tiling of the loops: it is one of both. */
static double block_left(const struct situation *now, double tiled, double ordered)
{
    struct propose about = about_now(now);
    struct sum_block block;
    double before = nest_cost_ns(now->nest, now->machine, now->choice), left = NAN;
    if (sum_block_find(now->nest, &block) && before > 0)
        left = fmin(sum_block_cost_ns(&about, &block) / before, 1);
    return fmin(left, fmin(tiled, ordered));
}

void say_ratios(struct situation *now)
{
    if (now->nest->nr < 2)
        return;
    double tiled = lines_left(now, "tile"), ordered = lines_left(now, "interchange");
    say_ratio(now, "tile_traffic_ratio", tiled);
    say_ratio(now, "interchange_traffic_ratio", ordered);
    say_ratio(now, "unroll_jam_traffic_ratio", lines_left(now, "unroll_jam"));
    say_ratio(now, "block_traffic_ratio", block_left(now, tiled, ordered));
}

/* ---- by what was measured ---- */

/* Lines that no store reads any more, of those that came into L1. */
static void say_store_lines(struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    const struct traffic *traffic = &now->measurement->traffic;
    struct quantity fills = traffic->edge[0].fills, writes = traffic_write_bytes(traffic);
    double only_written = 0, written = 0;
    for (size_t i = 0; i < view->array_nr; i++) {
        double bytes = view->array[i].written ? fmax(view->array[i].bytes, 0) : 0;
        written += bytes;
        only_written += view->array[i].read ? 0 : bytes;
    }
    if (written > 0 && writes.known && fills.known && fills.value > 0)
        say_number(now, "nontemporal_lines_ratio",
                   fmax(1 - writes.value / traffic->line_bytes * only_written / written /
                                fills.value,
                        0));
}

static void say_least(struct situation *now)
{
    struct least_ratios least;
    least_ratios(now->nest, now->machine, now->measurement, &least);
    const struct {
        const char *metric;
        struct quantity ratio;
    } all[] = {{"l1_least_ratio", least.l1},
               {"l2_least_ratio", least.l2},
               {"l2_link_least_ratio", least.l2_link},
               {"memory_least_ratio", least.memory},
               {"walks_least_ratio", least.walks}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        say_quantity(now, all[i].metric, all[i].ratio);
}

/* Caches of all cores together may hold what those of one cannot. */
static void say_parallel_memory(struct situation *now)
{
    double all = 0;
    for (int k = 0; k < now->machine->level_nr; k++)
        all += now->machine->cores * machine_share_most_bytes(now->machine, k);
    bool fits = data_bytes(now) <= all;
    say_quantity(now, "parallel_memory_ratio",
                 quantity_between(1, fits ? 0 : 1, 1, 0, PROVENANCE_SOURCE));
}

void say_left(struct situation *now)
{
    say_store_lines(now);
    say_parallel_memory(now);
    say_least(now);
}
