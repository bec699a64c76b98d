/* Miss queues: what they are given, how long each entry is held, and what they could
 * carry. */
#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"

#include <math.h>
#include <string.h>

static struct quantity entries(const struct machine_limit *limit)
{
    bool only_floor = limit->probe_is_floor && limit->used.provenance == PROVENANCE_PROBE;

    return only_floor ? floor_of(limit->used) : limit->used;
}

struct quantity limit_l1(const struct occupancy_case *input)
{
    return entries(&input->machine->l1_mshrs);
}

/* Cores of one tile or cluster; they share the L2. 0 = the queue is shared, but nobody
 * says by how many. */
static int cores_per_queue(const struct machine *machine)
{
    const struct machine_level *l2 = machine_cache(machine, 2);

    if (!machine->l2_mshrs.scope || strcmp(machine->l2_mshrs.scope, "core") == 0)
        return 1;
    return l2 && l2->cores_sharing > 1 ? l2->cores_sharing : 0;
}

/* Entries that cores share are divided among the loaded ones; how those are placed is
 * known only when all cores of whole tiles are loaded. */
struct quantity limit_l2(const struct occupancy_case *input)
{
    const struct machine *machine = input->machine;
    struct quantity all = entries(&machine->l2_mshrs), share;
    int sharing = cores_per_queue(machine);
    bool together =
        sharing > 0 && input->cores >= machine->cores && machine->cores % sharing == 0;

    if (sharing == 0 || input->cores < sharing)
        sharing = input->cores;
    share = quantity_scale(all, 1.0 / sharing);
    if (share.known && !together && sharing > 1) { /* the least is no guess */
        share.value = share.low;
        share.high = all.high;
    }
    return share;
}

static bool is_none(struct quantity lines)
{
    return lines.known && lines.high == 0;
}

/* Of `fills` lines the covered ones; not known = anything from none to all. */
static double covered_at(struct quantity covered, double fills, enum end e)
{
    if (covered.known)
        return fmin(end_of(covered, end_other(e)), fills);
    return e == END_LOW ? fills : e == END_HIGH ? 0 : fills / 2;
}

/* How long an entry of the queue at level `queue` is held by a line from cache level
 * `source`. */
static double hold_at(const struct machine *machine, int queue, int source, enum end e)
{
    struct quantity latency = latency_of(machine, source);
    struct quantity lead = latency_of(machine, queue);

    if (e == END_LOW && lead.known)
        return fmax(latency.low - lead.value, 0);
    return end_of(latency, e);
}

static double whole_line(const struct machine *machine)
{
    return fmax((double)machine->line_bytes / machine_transfer_bytes(machine), 1);
}

/* The most requests that a line can cost which came on a miss of its own: all parts of
 * it, as far as so many bytes came. */
static double max_of_line(const struct occupancy_case *input, int k, double lines)
{
    struct quantity bytes = input->work.memory_read_bytes;
    double whole = whole_line(input->machine), moved;

    if (k < input->work.level_nr - 1 || !bytes.known)
        return whole;
    moved = bytes.high / machine_transfer_bytes(input->machine) / lines;
    return fmin(fmax(moved, 1), whole);
}

/*
 * Requests for so many lines from level k + 2, `covered` of them prefetched. They are
 * what takes entries: where a miss moves a part of a line, prefetchers fetch all parts,
 * and a miss of its own the part it needs or, if its neighbours are needed too, more.
 */
static double requests_for(const struct occupancy_case *input, int k, double lines,
                           double covered, enum end e)
{
    double whole = whole_line(input->machine), own = lines - covered;

    if (whole == 1 || !(lines > 0))
        return lines;
    return covered * whole + own * (e == END_HIGH ? max_of_line(input, k, lines) : 1);
}

/* Adds requests with a hold that load does not change. */
static void add_lines(const struct machine *machine, int queue, int source, double lines,
                      enum end e, struct queue_work *work)
{
    double residency = hold_at(machine, queue, source, e);

    if (lines <= 0)
        return;
    work->at[e].lines += lines;
    if (isnan(residency)) {
        work->open = true;
        work->unknown_lines += e == END_VALUE ? lines : 0;
        return;
    }
    work->at[e].fixed_ns += lines * residency;
}

static void add_memory(double lines, enum end e, struct queue_work *work)
{
    work->at[e].lines += lines;
    work->at[e].memory_lines += lines;
}

/* Lines that came into L1 from level k + 2 or, for the last k, from memory. */
static void add_l1_fills(const struct occupancy_case *input, int k,
                         struct queue_work *work)
{
    struct quantity fills = input->work.l1_fill_from[k];
    bool memory = k == input->work.level_nr - 1;

    for (int e = 0; e < END_NR; e++) {
        double lines = end_of(fills, e);
        double near = k == 0 ? 0 : covered_at(input->work.l1_covered_from[k], lines, e);
        double far = requests_for(input, k, lines - near, 0, e);

        add_lines(input->machine, 1, 2, requests_for(input, k, near, near, e), e, work);
        if (memory)
            add_memory(far, e, work);
        else
            add_lines(input->machine, 1, k + 2, far, e, work);
    }
}

/* Where most of the lines have an unknown hold, what is left says nothing. */
static void settle(struct queue_work *work)
{
    if (work->unknown_lines > work->at[END_VALUE].lines / 2)
        work->known = false;
}

/* Page walks fill L1 entries of their own while they last, as often as they miss L1: none
 * at the low end, always at the high one. Where walks are not known, a miss may last
 * longer by one. */
static void add_walks(const struct occupancy_case *input, struct queue_work *work)
{
    struct quantity walk_ns = pages_of(input)->translation_ns;

    if (input->work.translation_hidden || !walk_ns.known)
        return;
    if (input->work.page_walks.known)
        work->at[END_HIGH].fixed_ns += input->work.page_walks.high * walk_ns.high;
    else
        work->extra_ns = walk_ns.high;
}

struct queue_work queue_work_l1(const struct occupancy_case *input)
{
    struct queue_work work = {.known = true};
    struct quantity lead = latency_of(input->machine, 1);

    work.lead_ns = lead.known ? lead.value : 0;
    for (int k = 0; k < input->work.level_nr; k++) {
        struct quantity fills = input->work.l1_fill_from[k];

        if (is_none(fills))
            continue;
        if (fills.known)
            add_l1_fills(input, k, &work);
        else if (k < input->work.level_nr - 1)
            work.open = true;
        else
            work.known = false;
    }
    add_walks(input, &work);
    settle(&work);
    return work;
}

/* The more lines are prefetched, the more requests L2 gets. */
static double l2_requests(const struct occupancy_case *input, int k,
                          struct quantity fills, enum end e)
{
    double lines = end_of(fills, e);

    return requests_for(input, k, lines,
                        covered_at(input->work.l1_covered_from[k], lines, end_other(e)),
                        e);
}

struct queue_work queue_work_l2(const struct occupancy_case *input)
{
    struct quantity near = input->work.l2_fill_from_l3,
                    far = input->work.l2_fill_from_memory;
    struct quantity lead = latency_of(input->machine, 2);
    struct queue_work work = {.known = far.known};

    work.lead_ns = lead.known ? lead.value : 0;
    if (input->work.level_nr > 2 && !near.known)
        work.open = true;
    for (int e = 0; e < END_NR && far.known; e++) {
        add_memory(l2_requests(input, input->work.level_nr - 1, far, e), e, &work);
        if (near.known && !is_none(near))
            add_lines(input->machine, 2, 3, l2_requests(input, 1, near, e), e, &work);
    }
    settle(&work);
    return work;
}

/* Hold of a memory line at this end when `gbs` go through the node. */
static double memory_residency(const struct occupancy_case *input,
                               const struct node *node, const struct queue_work *work,
                               struct quantity gbs, enum end e)
{
    double latency = end_of(loaded_latency(input->machine, gbs, node), e);

    if (e == END_LOW)
        return fmax(latency - work->lead_ns, 0);
    return e == END_HIGH ? latency + work->extra_ns : latency;
}

/* Busy entries times ns for one call. Without memory lines the latency of memory does not
 * matter. */
static double busy_ns(const struct queue_end *at, double memory_ns)
{
    return at->fixed_ns + (at->memory_lines > 0 ? at->memory_lines * memory_ns : 0);
}

/* What the search for the least time asks again and again: do the entries suffice for
 * `ns`? */
struct fixed_point {
    const struct occupancy_case *input;
    const struct node *node;
    const struct queue_work *work;
    enum end e;
};

static bool suffices(const struct fixed_point *about, double ns)
{
    const struct queue_end *at = &about->work->at[about->e];
    double bytes = end_of(about->node->bytes, about->e), residency = 0;

    if (isinf(bytes))
        bytes = about->node->bytes.value;
    if (at->memory_lines > 0)
        residency =
            memory_residency(about->input, about->node, about->work,
                             quantity_exact(bytes / ns, PROVENANCE_DERIVED), about->e);
    return busy_ns(at, residency) <= at->limit * ns; /* NaN: never */
}

/*
 * The least time in ns: the fixed point of limit x T = sum of lines x hold(bytes / T). A
 * longer T means less load, shorter holds and more room, so there is one crossing; where
 * the curve ends, the high end jumps to "could be anything" and the crossing is that end.
 * Infinite when no time suffices.
 */
static double min_ns(const struct fixed_point *about)
{
    const struct queue_end *at = &about->work->at[about->e];
    double low = 0, high = 1;

    if (at->lines <= 0 || isinf(at->limit))
        return 0;
    while (!suffices(about, high)) {
        low = high;
        high *= 2;
        if (high > 1e21)
            return INFINITY;
    }
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;

        if (suffices(about, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* What was done in the time it took needs no more than that time: the end of an open
 * interval. */
static struct quantity min_time(const struct occupancy_case *input,
                                const struct node *node, const struct queue_work *work)
{
    double at[END_NR];

    for (int e = 0; e < END_NR; e++) {
        struct fixed_point about = {input, node, work, e};

        at[e] = min_ns(&about) * 1e-9;
    }
    if (work->open)
        at[END_HIGH] = INFINITY;
    if (isinf(at[END_HIGH]) && input->time_s.known)
        at[END_HIGH] = fmax(at[END_VALUE], input->time_s.high);
    return isinf(at[END_VALUE]) ? quantity_unknown() : from_ends(at, 0);
}

/* The mix of lines may be any between the ends: the quick ones few and the slow ones
 * many, or the other way round. No lines: unknown. */
static struct quantity mean_residency(const struct queue_work *work,
                                      const double busy[END_NR])
{
    double residency[END_NR];

    for (int e = 0; e < END_NR; e++)
        residency[e] = busy[e] / work->at[end_other(e)].lines;
    return from_ends(residency, 0);
}

/* Little's law. */
static void fill_occupancy(const struct occupancy_case *input, const struct node *node,
                           const struct queue_work *work, struct occupancy_resource *out)
{
    double n[END_NR], rate[END_NR], busy[END_NR];

    for (int e = 0; e < END_NR; e++) {
        const struct queue_end *at = &work->at[e];
        double memory_ns = memory_residency(input, node, work, node->gbs, e);
        double time_ns = 1e9 * end_of(input->time_s, end_other(e));

        busy[e] = busy_ns(at, memory_ns);
        n[e] = busy[e] / time_ns;
        rate[e] = 1e9 * at->lines / time_ns;
    }
    out->n = from_ends(n, input->time_s.runs);
    if (work->open)
        out->n = floor_of(out->n);
    out->rate = from_ends(rate, input->time_s.runs);
    out->residency_ns = mean_residency(work, busy);
}

/* NaN = not known. */
static double carries_at(const struct occupancy_case *input, double entries, double share,
                         enum end e)
{
    double end_gbs = 0;
    struct quantity gbs =
        machine_bandwidth_of(input->machine, entries, input->cores, share, &end_gbs);

    if (!gbs.known && end_gbs <= 0)
        return NAN;
    return gbs.known ? end_of(gbs, e) : e == END_HIGH ? INFINITY : end_gbs;
}

static struct quantity carries(const struct occupancy_case *input,
                               const struct node *node, struct quantity limit)
{
    double at[END_NR];

    if (!limit.known)
        return quantity_unknown();
    for (int e = 0; e < END_NR; e++) {
        at[e] = carries_at(input, end_of(limit, e), node_share(node), e);
        if (isnan(at[e]))
            return quantity_unknown();
    }
    for (int e = 0; e < END_NR; e++) { /* any mix that it may be */
        double share = node_share_at(node, e);

        at[END_LOW] = fmin(at[END_LOW], carries_at(input, limit.low, share, END_LOW));
        at[END_HIGH] = fmax(at[END_HIGH], carries_at(input, limit.high, share, END_HIGH));
    }
    return from_ends(at, 0);
}

void queue_solve(const struct occupancy_case *input, const struct node *node,
                 struct queue_work *work, struct quantity limit,
                 struct occupancy_resource *out)
{
    out->limit = limit;
    out->carries_gbs = carries(input, node, limit);
    if (!work->known)
        return;
    fill_occupancy(input, node, work, out);
    out->utilization = quantity_divide(out->n, limit);
    if (!limit.known)
        return;
    for (int e = 0; e < END_NR; e++)
        work->at[e].limit = end_of(limit, end_other(e));
    out->min_s = min_time(input, node, work);
}
