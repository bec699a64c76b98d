/* Intervals seen from their ends; the levels and the load of one case. */
#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"

#include <math.h>

double end_of(struct quantity quantity, enum end end)
{
    if (!quantity.known)
        return NAN;
    return end == END_LOW    ? quantity.low
           : end == END_HIGH ? quantity.high
                             : quantity.value;
}

enum end end_other(enum end end)
{
    return end == END_LOW ? END_HIGH : end == END_HIGH ? END_LOW : END_VALUE;
}

struct quantity from_ends(const double at[END_NR], size_t runs)
{
    return quantity_between(at[END_VALUE], at[END_LOW], at[END_HIGH], runs,
                            PROVENANCE_DERIVED);
}

struct quantity floor_of(struct quantity quantity)
{
    quantity.high = quantity.known ? INFINITY : NAN;
    return quantity;
}

struct quantity entries_of(const struct occupancy_resource *queue)
{
    bool capped = queue->n.known && queue->limit.known && !is_floor(queue->limit);

    return capped ? quantity_min(queue->n, queue->limit) : queue->n;
}

struct quantity latency_of(const struct machine *machine, int level)
{
    const struct machine_level *found = machine_cache(machine, level);

    return found ? found->latency_ns : quantity_unknown();
}

const struct machine_pages *pages_of(const struct occupancy_case *input)
{
    return input->work.huge_pages ? &input->machine->huge_pages
                                  : &input->machine->small_pages;
}

static bool is_zero(struct quantity quantity)
{
    return quantity.known && quantity.low == 0 && quantity.high == 0;
}

/* Bytes both ways. What is not known of them can only add. */
static struct quantity bytes_of_core(const struct occupancy_case *input)
{
    const struct occupancy_work *work = &input->work;
    struct quantity read = work->memory_read_bytes, both;

    if (!read.known)
        return floor_of(quantity_scale(work->l2_fill_from_memory,
                                       machine_transfer_bytes(input->machine)));
    both = quantity_add(read, work->memory_write_bytes);
    return both.known ? both : floor_of(read);
}

/* read / (read + write) without counting the interval of `read` twice. */
static struct quantity share_of_reads(struct quantity read, struct quantity write)
{
    const struct quantity one = quantity_exact(1, read.provenance);

    if (is_zero(write) && read.known && read.value > 0)
        return one;
    if (is_zero(read) && write.known && write.value > 0)
        return quantity_exact(0, write.provenance);
    return quantity_divide(one, quantity_add(one, quantity_divide(write, read)));
}

struct node node_of(const struct occupancy_case *input)
{
    const struct occupancy_work *work = &input->work;
    struct node node = {.bytes = quantity_scale(bytes_of_core(input), input->cores)};

    node.gbs = quantity_scale(quantity_divide(node.bytes, input->time_s), 1e-9);
    node.read_share = share_of_reads(work->memory_read_bytes, work->memory_write_bytes);
    return node;
}

double node_share(const struct node *node)
{
    return node->read_share.known ? node->read_share.value : 1;
}

double node_share_at(const struct node *node, enum end end)
{
    return node->read_share.known ? end_of(node->read_share, end) : 1;
}

/* Latency only grows with load: beyond the curve its last point is a floor, without a
 * curve the unloaded latency is one. */
static struct quantity latency_at(const struct machine *machine, double gbs, double share)
{
    struct quantity latency = machine_latency_ns(machine, gbs, share);
    const struct machine_curve *curve;

    if (latency.known)
        return latency;
    curve = machine_curve_near(machine, share);
    if (!curve)
        return floor_of(machine->memory_latency_ns);
    return floor_of(curve->point[curve->point_nr - 1].latency_ns);
}

/* Between no load and the end of the curve or beyond where the load is not known. */
static struct quantity latency_of_mix(const struct machine *machine, struct quantity gbs,
                                      double share)
{
    struct quantity low, guess, high;

    if (!gbs.known)
        return floor_of(latency_at(machine, 0, share));
    low = latency_at(machine, gbs.low, share);
    guess = latency_at(machine, gbs.value, share);
    high = latency_at(machine, gbs.high, share);
    return quantity_between(guess.value, low.low, high.high, guess.runs,
                            guess.provenance);
}

struct quantity loaded_latency(const struct machine *machine, struct quantity gbs,
                               const struct node *node)
{
    struct quantity at = latency_of_mix(machine, gbs, node_share_at(node, END_VALUE));

    for (int e = 0; e < END_NR && at.known; e++) {
        struct quantity other = latency_of_mix(machine, gbs, node_share_at(node, e));

        at.low = fmin(at.low, other.known ? other.low : at.low);
        at.high = fmax(at.high, other.known ? other.high : INFINITY);
    }
    return at;
}

/* Also for huge pages: a hypervisor's own tables may be of small ones. */
enum tables tables_of(const struct occupancy_case *input)
{
    const double page_bytes = 4096, entry_bytes = 8;
    double tables = input->work.footprint_bytes / page_bytes * entry_bytes;
    struct quantity l2 = machine_share_bytes(input->machine, 1);

    if (!(tables > 0) || !l2.known || tables > l2.high / 2)
        return TABLES_FAR;
    return tables <= l2.low / 2 ? TABLES_NEAR : TABLES_UNKNOWN;
}

struct quantity walk_price(const struct occupancy_case *input)
{
    struct quantity walk_ns = pages_of(input)->translation_ns;
    struct quantity near_ns = latency_of(input->machine, 2);

    if (walk_ns.known && near_ns.known && tables_of(input) == TABLES_NEAR)
        return near_ns;
    if (walk_ns.known && near_ns.known)
        walk_ns.low = fmin(walk_ns.low, near_ns.low);
    return walk_ns;
}

struct quantity uncovered_lines(const struct occupancy_case *input)
{
    const struct occupancy_work *work = &input->work;
    double at[END_NR] = {0};

    for (int k = 1; k < work->level_nr; k++) {
        struct quantity fills = work->l1_fill_from[k], covered = work->l1_covered_from[k];

        if (is_zero(fills))
            continue;
        if (!fills.known || !covered.known)
            return quantity_unknown();
        for (int e = 0; e < END_NR; e++)
            at[e] += fmax(end_of(fills, e) - end_of(covered, end_other(e)), 0);
    }
    return from_ends(at, 0);
}

struct quantity walks_on_path(const struct occupancy_case *input)
{
    struct quantity misses = uncovered_lines(input);

    if (input->work.translation_hidden)
        return quantity_exact(0, PROVENANCE_DECLARED);
    if (!misses.known || !input->work.page_walks.known)
        return quantity_unknown();
    return quantity_min(input->work.page_walks, misses);
}
