#include "search/least.h"

#include <math.h>
#include <string.h>

/* Entries of the last TLB level where the profile does not say: those of the tracer. */
static const double tlb_entries = 1536;

enum use { USE_ANY, USE_READ, USE_WRITTEN };

/* Lines of an array that came into L1, with those that were there before: it cannot have
 * more that are touched, whatever conditions stand around its accesses. */
static double most_lines(const struct traffic *traffic, const char *array, double held)
{
    for (size_t i = 0; i < traffic->array_nr; i++)
        if (!strcmp(traffic->array[i].name, array) && traffic->array[i].fills[0].known)
            return traffic->array[i].fills[0].value + held;
    return INFINITY;
}

static double touched(const struct nest *nest, int array, enum use use, int line_bytes)
{
    const struct kernel_view *view = nest->view;
    double most = 0;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        if (access->array == array && nest_holds(nest, access) &&
            (use == USE_ANY || access->write == (use == USE_WRITTEN)))
            most = fmax(most, nest_access_lines(nest, access, line_bytes));
    }
    return most;
}

static double capacity(const struct machine *machine, int levels)
{
    double bytes = 0;
    for (int k = 0; k < levels && k < machine->level_nr; k++)
        bytes += machine->level[k].effective_bytes > 0 ? machine->level[k].effective_bytes
                                                       : machine->level[k].claimed_bytes;
    return bytes;
}

struct about {
    const struct nest *nest;
    const struct machine *machine;
    const struct measurement *now;
};

/* Lines that have to come into the caches of `levels` levels, or to leave them. */
static double left_beyond(const struct about *about, enum use use, int levels)
{
    const struct traffic *traffic = &about->now->traffic;
    const struct kernel_view *view = about->nest->view;
    bool warm = about->now->environment.start == RUN_START_WARM;
    double line = about->machine->line_bytes, lines = 0;
    double l1 = capacity(about->machine, 1) / line;
    for (size_t a = 0; a < view->array_nr; a++)
        lines += fmin(touched(about->nest, (int)a, use, about->machine->line_bytes),
                      most_lines(traffic, view->array[a].name, warm ? l1 : 0));
    return fmax(lines - (warm ? capacity(about->machine, levels) / line : 0), 0);
}

static double over(double left, struct quantity now)
{
    return now.known && now.high > 0 ? fmin(left / now.high, 1) : NAN;
}

/* Each line at least for an L2 hit. */
static double left_l1(const struct about *about)
{
    double lines =
        over(left_beyond(about, USE_ANY, 1), about->now->traffic.edge[0].fills);
    struct quantity hold = about->now->occupancy.l2_hold_ratio;
    return hold.known ? lines * fmin(hold.low, 1) : 0 * lines;
}

/* Lines of memory for as long as now, which is no longer than memory takes; others for an
 * L3 hit. */
static double left_l2(const struct about *about)
{
    const struct machine *machine = about->machine;
    struct quantity fills = about->now->traffic.edge[1].fills;
    struct quantity hold = about->now->occupancy.resource[RESOURCE_L2_QUEUE].hold_ns;
    double far = over(left_beyond(about, USE_ANY, machine->level_nr), fills), near = 0;
    if (machine->level_nr > 2 && machine->level[2].latency_ns.known && hold.known)
        near = over(left_beyond(about, USE_ANY, 2), fills) *
               fmin(machine->level[2].latency_ns.low / hold.high, 1);
    return fmax(far, near);
}

static double left_memory(const struct about *about)
{
    const struct traffic *traffic = &about->now->traffic;
    int all = about->machine->level_nr;
    double lines =
        left_beyond(about, USE_READ, all) + left_beyond(about, USE_WRITTEN, all);
    return over(lines * about->machine->line_bytes,
                quantity_add(traffic_read_bytes(traffic), traffic_write_bytes(traffic)));
}

static double left_walks(const struct about *about)
{
    double page = about->now->environment.huge_pages ? 2 << 20 : 4096;
    double pages =
        left_beyond(about, USE_ANY, 0) * about->machine->line_bytes / page - tlb_entries;
    return over(fmax(pages, 0), about->now->traffic.page_walks);
}

void least_ratios(const struct nest *nest, const struct machine *machine,
                  const struct measurement *measurement, struct least_ratios *out)
{
    struct about about = {nest, machine, measurement};
    *out = (struct least_ratios){NAN, NAN, NAN, NAN, NAN};
    if (nest->nr == 0 || !measurement->has_traffic || !measurement->has_occupancy)
        return;
    out->l1 = left_l1(&about);
    out->l2 = left_l2(&about);
    out->l2_link =
        over(left_beyond(&about, USE_ANY, 1), measurement->traffic.edge[0].fills);
    out->memory = left_memory(&about);
    out->walks = left_walks(&about);
}
