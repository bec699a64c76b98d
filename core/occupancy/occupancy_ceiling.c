/* Resources that are rates: memory, page walks, links between caches, arithmetic. */
#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"

#include <math.h>

/* Reads and writes in the traffic of a plain-store copy: 2 : 1. */
static const double copy_share = 2.0 / 3;

/*
 * Best bandwidth of a 2:1 mix over that of pure reads, and of a 1:1 mix over a 2:1 mix.
 * Eight result sets on five CPU types: 62-76, 65-79 and 73-86 % of the theoretical peak
 * (docs/internals/method.md, table of ceilings).
 */
static struct quantity copy_over_read(void)
{
    return quantity_between(0.9, 0.8, 1, 0, PROVENANCE_PREDICTED);
}

static struct quantity half_over_copy(void)
{
    return quantity_between(0.95, 0.85, 1, 0, PROVENANCE_PREDICTED);
}

/* Reachable over theoretical: saturated ranges of seven platforms end at 71 to 95 %
 * (Mess, table I), best bandwidths start at 62 % where half is writes. */
static struct quantity reachable_over_peak(void)
{
    return quantity_between(0.8, 0.62, 0.95, 0, PROVENANCE_PREDICTED);
}

static struct quantity between_shares(struct quantity a, struct quantity b,
                                      double weight_b)
{
    return quantity_add(quantity_scale(a, 1 - weight_b), quantity_scale(b, weight_b));
}

/* What memory reaches at this mix: between the measured pure reads and the measured copy,
 * and on from there to half writes. */
static struct quantity node_ceiling(const struct machine *machine, double share)
{
    struct quantity read = machine->node_read_gbs, copy = machine->node_copy_gbs;

    if (!read.known && !copy.known)
        return quantity_multiply(machine->peak_gbs, reachable_over_peak());
    if (!read.known)
        read = quantity_divide(copy, copy_over_read());
    if (!copy.known)
        copy = quantity_multiply(read, copy_over_read());
    if (share >= copy_share)
        return between_shares(copy, read, (share - copy_share) / (1 - copy_share));
    return between_shares(copy, quantity_multiply(copy, half_over_copy()),
                          fmin((copy_share - share) / (copy_share - 0.5), 1));
}

/* A few cores may not be able to draw what the node can give. */
static struct quantity reachable_gbs(const struct occupancy_case *input, double share)
{
    const struct machine *machine = input->machine;
    struct quantity node = node_ceiling(machine, share), cores;

    if (input->cores >= machine->cores || !machine->one_core.read_gbs.known)
        return node;
    cores = quantity_scale(machine->one_core.read_gbs, input->cores);
    if (share < 1 && node.known && machine->node_read_gbs.known)
        cores = quantity_multiply(cores, quantity_divide(node, machine->node_read_gbs));
    return quantity_min(node, cores);
}

/* rate, ceiling in the same unit, work of one call in units of rate x s */
static void fill_rate(const struct occupancy_case *input, struct quantity work,
                      struct quantity ceiling, struct occupancy_resource *out)
{
    out->rate = quantity_divide(work, input->time_s);
    out->limit = ceiling;
    out->utilization = quantity_divide(out->rate, ceiling);
    out->min_s = quantity_divide(work, ceiling);
}

void ceiling_memory(const struct occupancy_case *input, const struct node *node,
                    struct occupancy_resource *out)
{
    struct quantity ceiling = reachable_gbs(input, node_share(node));

    for (int e = 0; e < END_NR && ceiling.known; e++) { /* any mix that it may be */
        struct quantity other = reachable_gbs(input, node_share_at(node, e));

        ceiling.low = fmin(ceiling.low, other.low);
        ceiling.high = fmax(ceiling.high, other.high);
    }
    if (!node->read_share.known && ceiling.known) /* down to half writes */
        ceiling.low = fmin(ceiling.low, node_ceiling(input->machine, 0.5).low);
    fill_rate(input, quantity_scale(node->bytes, 1e-9), ceiling, out);
}

/* Where page tables are near. */
static struct quantity near_capacity(const struct machine_pages *pages)
{
    return pages->walks_is_floor ? floor_of(pages->walks_per_s) : pages->walks_per_s;
}

/*
 * Independent fully random reads need one walk each: where they are slower than
 * block-local ones, walks are why, and their rate is the capacity. Where they are not,
 * walks were never the limit and the rate is a floor.
 */
struct quantity walk_capacity(const struct machine *machine,
                              const struct machine_pages *pages)
{
    struct quantity random = pages->random_accesses_per_s;
    struct quantity local = machine->one_core.random_lines_per_s;

    if (random.known && local.known && random.value < CEILING_FULL * local.value)
        return random;
    if (pages->walks_per_s.known)
        return near_capacity(pages);
    return floor_of(random);
}

/* More walks than the random reads of the probe show that page tables are nearer here:
 * then what the core can do with near ones counts, if that is more. Slightly more may be
 * chance, too: either may be the capacity. */
static struct quantity capacity_shown(const struct machine_pages *pages,
                                      struct quantity capacity, struct quantity rate)
{
    struct quantity near = pages->walks_per_s;

    if (!rate.known || !capacity.known || rate.value <= capacity.value)
        return capacity;
    if (rate.value <= capacity.high / CEILING_FULL) {
        if (near.known)
            capacity.high = fmax(capacity.high, near.high);
        return capacity;
    }
    if (!near.known || near.value < rate.value)
        return quantity_unknown();
    return near_capacity(pages);
}

void ceiling_walkers(const struct occupancy_case *input, struct occupancy_resource *out)
{
    const struct machine_pages *pages = pages_of(input);
    struct quantity walks = input->work.page_walks;
    struct quantity capacity = walk_capacity(input->machine, pages);
    enum tables tables = tables_of(input);

    if (tables == TABLES_NEAR && pages->walks_per_s.known)
        capacity = near_capacity(pages);
    else if (tables == TABLES_UNKNOWN && capacity.known && pages->walks_per_s.known)
        capacity.high = fmax(capacity.high, near_capacity(pages).high);
    if (input->work.translation_hidden)
        walks = quantity_exact(0, PROVENANCE_DECLARED);
    capacity = capacity_shown(pages, capacity, quantity_divide(walks, input->time_s));
    fill_rate(input, walks, capacity, out);
    out->residency_ns = walk_price(input);
    out->n = quantity_scale(quantity_multiply(out->rate, out->residency_ns), 1e-9);
}

static struct quantity gigabytes(const struct occupancy_case *input,
                                 struct quantity lines)
{
    return quantity_scale(lines, 1e-9 * input->machine->line_bytes);
}

static struct quantity level_gbs(const struct machine *machine, int level)
{
    const struct machine_level *found = machine_cache(machine, level);

    return found ? found->one_core.read_gbs : quantity_unknown();
}

/* Whatever L1 gets comes through L2. */
void ceiling_l2_link(const struct occupancy_case *input, struct occupancy_resource *out)
{
    struct quantity lines = quantity_exact(0, input->work.l1_fill_from[0].provenance);

    for (int k = 0; k < input->work.level_nr; k++)
        lines = quantity_add(lines, input->work.l1_fill_from[k]);
    fill_rate(input, gigabytes(input, lines), level_gbs(input->machine, 2), out);
}

void ceiling_l3_link(const struct occupancy_case *input, struct occupancy_resource *out)
{
    if (input->work.level_nr > 2)
        fill_rate(input, gigabytes(input, input->work.l2_fill_from_l3),
                  level_gbs(input->machine, 3), out);
}

const struct machine_flops *flops_of(const struct occupancy_case *input)
{
    const struct machine_flops *single = &input->machine->flops_single;

    return input->work.single_precision && single->fma.known
               ? single
               : &input->machine->flops_double;
}

void ceiling_arithmetic(const struct occupancy_case *input,
                        struct occupancy_resource *out)
{
    fill_rate(input, input->work.flops, flops_of(input)->fma, out);
}
