/* The two sentences of a report, for a reader who has never heard of miss queues. */
#include <math.h>

#include "core/base/figures.h"
#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"

static const char *verdict_on(enum saturation saturation, const char *full,
                              const char *undecided, const char *not_full)
{
    switch (saturation) {
    case SATURATED:
        return full;
    case NOT_SATURATED:
        return not_full;
    default:
        return undecided;
    }
}

static void say_queue(const struct occupancy_resource *queue, const char *level,
                      struct buf *out)
{
    buf_add(out, "A core can have ");
    buf_add_between(out, queue->limit, 1);
    buf_addf(out,
             " cache lines outstanding in its %s miss queue (the MSHRs), and on average ",
             level);
    buf_add_between(out, entries_of(queue), 1);
    buf_add(out, " of these entries are in use: ");
    buf_add(out, verdict_on(queue->saturation,
                            "the queue is full, and further misses have to wait.",
                            "the queue may be full; the figures do not decide it.",
                            "it is the busiest part, but not quite full."));
}

static void say_rate(const struct occupancy_resource *resource, const char *subject,
                     double factor, const char *unit, struct buf *out)
{
    buf_addf(out, "%s ", subject);
    buf_add_between(out, resource->rate, factor);
    buf_addf(out, " %s, ", unit);
    buf_add_share_between(out, resource->utilization);
    buf_add(out, " of the ");
    buf_add_between(out, resource->limit, factor);
    buf_add(out, " that can be reached: ");
    buf_add(out,
            verdict_on(resource->saturation, "this is what limits the loop.",
                       "this may be what limits the loop; the figures do not decide it.",
                       "this is the busiest part, but not quite at its limit."));
}

/* More than all of it is never in use: an interval beyond that is open. */
static void say_use(struct quantity use, struct buf *out)
{
    const double hardly = 0.01;
    if (use.known && use.high >= 1 && use.low < hardly) {
        buf_add(out, "and how much of it is in use is uncertain.");
        return;
    }
    buf_add_share_between(out, use);
    buf_add(out, " in use.");
}

static void say_none(const struct occupancy *now, struct buf *out)
{
    if (now->busiest == RESOURCE_NONE) {
        buf_add(
            out,
            "No resource can be named as the limit: neither the loop's traffic nor its "
            "arithmetic can be compared with what the machine can do.");
    } else {
        buf_addf(out, "%s at its limit: the busiest part is %s, ",
                 out->length ? "Nothing else that was counted is"
                             : "Nothing that was counted is",
                 resource_phrase(now->busiest));
        say_use(now->resource[now->busiest].utilization, out);
        say_floors(now, out);
    }
}

void say_busiest(const struct occupancy_case *input, const struct occupancy *now,
                 struct buf *out)
{
    enum resource near = near_limit(now);
    const struct occupancy_resource *resource = &now->resource[near];

    say_doubts(input, now, out);
    switch (near) {
    case RESOURCE_L1_QUEUE:
        say_queue(resource, "L1", out);
        break;
    case RESOURCE_L2_QUEUE:
        say_queue(resource, "L2", out);
        break;
    case RESOURCE_PAGE_WALKERS:
        say_rate(resource, "To translate its addresses, a core does", 1e-6,
                 "million page walks a second", out);
        break;
    case RESOURCE_MEMORY:
        say_rate(resource, "All cores together move", 1, "GB/s through memory", out);
        break;
    case RESOURCE_L2_LINK:
        say_rate(resource, "A core draws", 1, "GB/s from its L2 cache", out);
        break;
    case RESOURCE_L3_LINK:
        say_rate(resource, "A core draws", 1, "GB/s from the L3 cache", out);
        break;
    case RESOURCE_ARITHMETIC:
        say_rate(resource, "A core does", 1e-9,
                 "billion floating-point operations a second", out);
        break;
    default:
        say_none(now, out);
    }
}

static void say_full(const struct occupancy *now, struct buf *out)
{
    const struct occupancy_resource *l2 = &now->resource[RESOURCE_L2_QUEUE];

    if (near_limit(now) == RESOURCE_L1_QUEUE && l2->saturation == NOT_SATURATED) {
        buf_add(out,
                "Misses start as fast as the L1 queue lets them; the L2 queue still has "
                "room (");
        buf_add_between(out, l2->n, 1);
        buf_add(out, " of ");
        buf_add_between(out, l2->limit, 1);
        buf_add(out, " entries in use), so lines fetched into L2 ahead of time would get "
                     "past it.");
        return;
    }
    buf_addf(out,
             "Work arrives as fast as %s can take it: starting more at a time gains "
             "nothing; only less work does",
             resource_phrase(near_limit(now)));
    if (now->slack.known && now->slack.high >= 1.005 && !isinf(now->slack.high))
        buf_addf(out, " (with the work as it is at most %.3g times as fast)",
                 now->slack.high);
    buf_add(out, ".");
}

static void say_caches(const struct occupancy *now, struct buf *out)
{
    buf_add(out, "The data comes from the caches (");
    buf_add_between(out, now->bandwidth_gbs, 1);
    buf_add(out,
            " GB/s go through memory); look at the instructions and their dependences "
            "instead.");
}

static void say_chains(const struct occupancy_case *input, const struct occupancy *now,
                       struct buf *out)
{
    bool single =
        input->chains.known && input->chains.low == 1 && input->chains.high == 1;

    buf_add(out, "Each miss must end before the next address is known, in ");
    if (!single)
        buf_add_between(out, input->chains, 1);
    buf_addf(out, "%s: no more misses than that can be under way, and ",
             single ? "a single chain" : " independent chains");
    buf_add_between(out, now->in_flight, 1);
    buf_add(out, " are.");
}

static void say_window(const struct occupancy_case *input, const struct occupancy *now,
                       struct buf *out)
{
    buf_addf(
        out,
        "The core looks %d instructions ahead, and among these there are only about ",
        input->machine->rob_entries);
    buf_add_between(out, now->n_window, 1);
    buf_add(out, " misses: it keeps ");
    buf_add_between(out, now->in_flight, 1);
    buf_add(out, " under way.");
}

static void say_translation(const struct occupancy_case *input,
                            const struct occupancy *now, struct buf *out)
{
    buf_add_share_between(out, now->translation_share);
    buf_add(out, " of the time of a miss goes into address translation (");
    buf_add_between(out, pages_of(input)->translation_ns, 1);
    buf_addf(out,
             " ns for a page walk with %s pages), before the data itself is requested.",
             input->work.huge_pages ? "huge" : "small");
}

/* Why a prefetcher does not run further ahead. */
static void say_reach(const struct occupancy_case *input, struct buf *out)
{
    double lines = input->run_bytes.known
                       ? input->run_bytes.value / input->machine->line_bytes
                       : INFINITY;

    if (input->streams.known && input->streams.value > OCCUPANCY_STREAMS)
        buf_addf(out,
                 "the loop runs along %.0f arrays at a time, and it follows about %d.",
                 input->streams.value, OCCUPANCY_STREAMS);
    else if (lines < PREFETCHER_SHORT_LINES)
        buf_addf(out,
                 "each run along an array ends after %.3g cache lines, before it is far "
                 "ahead.",
                 lines);
    else
        buf_add(
            out,
            "it does not run far enough ahead; at each page of 4 KiB it starts over.");
}

static void say_prefetcher(const struct occupancy_case *input,
                           const struct occupancy *now, struct buf *out)
{
    buf_add(out,
            "The accesses run along the arrays and the hardware fetches ahead of them, "
            "yet on average only ");
    buf_add_between(out, now->in_flight, 1);
    buf_add(out, " lines are on their way where ");
    buf_add_between(out, now->resource[RESOURCE_L2_QUEUE].limit, 1);
    buf_add(out, " could be: ");
    say_reach(input, out);
}

static void say_branches(const struct occupancy_case *input, const struct occupancy *now,
                         struct buf *out)
{
    buf_add(out, "Every ");
    buf_add_between(out, input->instructions_per_branch_miss, 1);
    buf_add(out, " instructions a branch is mispredicted, and the work started after it "
                 "is thrown away; from one to the next there is room for no more than ");
    buf_add_between(out, now->n_branches, 1);
    buf_add(out, " misses: ");
    buf_add_between(out, now->in_flight, 1);
    buf_add(out, " are under way.");
}

static void say_front_end(const struct occupancy_case *input, const struct occupancy *now,
                          struct buf *out)
{
    buf_add(out, "A call runs through ");
    buf_add_between(out, input->code_bytes, 1.0 / 1024);
    buf_addf(
        out,
        " KiB of instructions, which do not fit into an instruction cache of %d KiB: "
        "the core waits for its code, and only ",
        INSTRUCTION_CACHE_BYTES >> 10);
    buf_add_between(out, now->in_flight, 1);
    buf_add(out, " misses are under way.");
}

static void say_compute(const struct occupancy_case *input, const struct occupancy *now,
                        struct buf *out)
{
    const struct occupancy_resource *arithmetic = &now->resource[RESOURCE_ARITHMETIC];

    buf_add(out, "The time goes into arithmetic: ");
    buf_add_between(out, arithmetic->rate, 1e-9);
    buf_add(out, " billion operations a second and core, where scalar code reaches ");
    buf_add_between(out, flops_of(input)->scalar, 1e-9);
    buf_add(out, " and vector code ");
    buf_add_between(out, arithmetic->limit, 1e-9);
    buf_add(out, ".");
}

static void say_unknown(const struct occupancy *now, struct buf *out)
{
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (!now->in_flight.known &&
            now->resource[r].saturation == SATURATION_IMPOSSIBLE) {
            buf_add(out, "How many misses are under way cannot be told while the figures "
                         "contradict each other.");
            return;
        }
    if (!now->in_flight.known) {
        buf_add(out,
                "How many misses are under way is not known: the traffic, the time or "
                "the machine's latencies are missing.");
        return;
    }
    buf_add(out, "On average ");
    buf_add_between(out, now->in_flight, 1);
    buf_add(out, " misses are under way, and what is known about the loop does not "
                 "explain why there are not more.");
}

void say_flight(const struct occupancy_case *input, const struct occupancy *now,
                struct buf *out)
{
    switch (now->by_queues) {
    case CAUSE_CORE:
        say_caches(now, out);
        break;
    case CAUSE_DEPENDENT_LOADS:
        say_chains(input, now, out);
        break;
    case CAUSE_REORDER_BUFFER:
        say_window(input, now, out);
        break;
    case CAUSE_PAGE_WALKS:
        say_translation(input, now, out);
        break;
    case CAUSE_PREFETCHER:
        say_prefetcher(input, now, out);
        break;
    case CAUSE_BRANCHES:
        say_branches(input, now, out);
        break;
    case CAUSE_FRONT_END:
        say_front_end(input, now, out);
        break;
    case CAUSE_ARITHMETIC:
        say_compute(input, now, out);
        break;
    case CAUSE_UNKNOWN:
        say_unknown(now, out);
        break;
    default:
        if (is_at_limit(&now->resource[near_limit(now)]))
            say_full(now, out);
        else
            say_unknown(now, out);
    }
}
