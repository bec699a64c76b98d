/* Figures that cannot be: more in use than there is. The limit, the traffic or the
 * latency is wrong; which one, the rest of the profile tells. */
#include <math.h>

#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"

/* Repeated probes of a ceiling spread by up to a tenth. */
static const double probes_spread = 1.1;

bool is_impossible(const struct occupancy_resource *resource)
{
    return resource->utilization.known && resource->utilization.low > probes_spread;
}

bool is_floor(struct quantity limit)
{
    return limit.known && (isinf(limit.high) || (limit.value <= limit.low &&
                                                 limit.high > SLACK_LIMITER * limit.low));
}

static bool is_queue(enum resource resource)
{
    return resource == RESOURCE_L1_QUEUE || resource == RESOURCE_L2_QUEUE;
}

/* More lines than the best random reads of the probe brought: they are not all misses of
 * their own. */
static bool too_many_lines(const struct occupancy_case *input,
                           const struct occupancy_resource *queue)
{
    struct quantity best = input->machine->one_core.random_lines_per_s;

    return best.known && queue->rate.known && queue->rate.low > probes_spread * best.high;
}

static const struct machine_limit *limit_of_queue(const struct occupancy_case *input,
                                                  enum resource queue)
{
    return queue == RESOURCE_L1_QUEUE ? &input->machine->l1_mshrs
                                      : &input->machine->l2_mshrs;
}

static void say_queue_doubt(const struct occupancy_case *input,
                            const struct occupancy_resource *queue, struct buf *out)
{
    const struct machine_limit *limit = limit_of_queue(input, queue->resource);
    struct quantity best = input->machine->one_core.random_lines_per_s;

    if (limit->probe.known && limit->probe.high >= queue->n.low &&
        limit->probe.high > queue->limit.high)
        buf_addf(out,
                 "the number of entries is in doubt, since the probe of this machine "
                 "allows up to %.3g",
                 limit->probe.high);
    else if (too_many_lines(input, queue))
        buf_addf(out,
                 "the traffic is in doubt, since %.3g million lines a second are more "
                 "than the %.3g million that random reads reach here: part of them is "
                 "prefetched, or comes from nearer than memory",
                 queue->rate.value * 1e-6, best.value * 1e-6);
    else
        buf_addf(out,
                 "the latency is in doubt, since that many lines a second do occur here: "
                 "the wait for each is shorter than the %.3g ns that the profile says",
                 queue->residency_ns.value);
}

static void say_one(const struct occupancy_case *input,
                    const struct occupancy_resource *resource, struct buf *out)
{
    if (is_queue(resource->resource)) {
        buf_addf(out,
                 "%.3g of %.3g entries of %s cannot be in use, so a figure is wrong: ",
                 resource->n.value, resource->limit.value,
                 resource_phrase(resource->resource));
        say_queue_doubt(input, resource, out);
    } else {
        buf_addf(out,
                 "%.3g times as much as all of %s cannot be in use, so a figure is "
                 "wrong: the traffic, or what this machine reached when its profile was "
                 "made",
                 resource->utilization.value, resource_phrase(resource->resource));
    }
    buf_add(out, ". Nothing is concluded from it. ");
}

void say_doubts(const struct occupancy_case *input, const struct occupancy *now,
                struct buf *out)
{
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (now->resource[r].saturation == SATURATION_IMPOSSIBLE)
            say_one(input, &now->resource[r], out);
}

void say_floors(const struct occupancy *now, struct buf *out)
{
    for (int r = 0; r < RESOURCE_NONE; r++) {
        const struct occupancy_resource *resource = &now->resource[r];

        if (resource->saturation == SATURATION_UNDECIDED && is_floor(resource->limit))
            buf_addf(out,
                     " Whether %s is at its limit is not known: the profile tells only "
                     "how much it can do at least, and as much as that may be in use.",
                     resource_phrase(r));
    }
}
