#include "search/propose/least.h"

#include <math.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/occupancy/occupancy.h"
#include "core/traffic/traffic.h"
#include "search/space/space.h"

/* Entries of the last TLB level where the profile does not say: those of the tracer. */
static const double tlb_entries = 1536;

enum use { USE_ANY, USE_READ, USE_WRITTEN };

struct about {
    const struct nest *nest;
    const struct machine *machine;
    const struct traffic *traffic;
    const struct occupancy *occupancy;
    const struct environment *environment;
};

/* Lines: for certain, and as far as one can guess. */
struct lines {
    double min, guess;
};

/* What the source says of one array. */
struct touched {
    double affine; /* lines that its affine accesses touch */
    bool indirect; /* some other access does, too */
};

static struct touched touched(const struct about *about, int array, enum use use)
{
    const struct kernel_view *view = about->nest->view;
    struct touched out = {0};
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        if (access->array != array || !nest_holds(about->nest, access) ||
            (use != USE_ANY && access->write != (use == USE_WRITTEN)))
            continue;
        double lines = nest_access_lines(about->nest, access, about->machine->line_bytes);
        out.affine = fmax(out.affine, lines);
        out.indirect |= lines == 0;
    }
    return out;
}

static const struct traffic_part *part_of(const struct about *about, const char *array)
{
    const struct traffic *traffic = about->traffic;
    for (size_t i = 0; i < traffic->array_nr; i++)
        if (!strcmp(traffic->array[i].name, array))
            return &traffic->array[i];
    return NULL;
}

/* Lines that the first levels hold. */
static double capacity(const struct machine *machine, int levels,
                       double (*share_bytes)(const struct machine *machine, int level))
{
    double bytes = 0;
    for (int k = 0; k < levels && k < machine->level_nr; k++)
        bytes += share_bytes(machine, k);
    return bytes / machine->line_bytes;
}

static bool is_warm(const struct about *about)
{
    return about->environment->start == RUN_START_WARM;
}

/* Of one array: no more lines than came into L1, with those that were there before,
 * whatever conditions stand around its accesses. */
static void add_array(const struct about *about, int array, enum use use, int levels,
                      struct lines *sum)
{
    const struct traffic_part *part =
        part_of(about, about->nest->view->array[array].name);
    struct touched own = touched(about, array, use);
    double held = is_warm(about) ? capacity(about->machine, 1, machine_share_guess_bytes)
                                 : 0,
           lines = own.affine;
    int edge = levels > 0 ? levels - 1 : 0;
    if (part && part->fills[0].known)
        lines = fmin(lines, part->fills[0].value + held);
    sum->min += lines;
    sum->guess += lines;
    if (own.indirect && part && part->fills[edge].known)
        sum->guess += part->fills[edge].value;
}

static struct lines all_lines(const struct about *about, enum use use, int levels)
{
    struct lines sum = {0, 0};
    for (size_t a = 0; a < about->nest->view->array_nr; a++)
        add_array(about, (int)a, use, levels, &sum);
    return sum;
}

/* Lines that have to come into the caches of `levels` levels, or to leave them. */
static struct lines beyond(const struct about *about, enum use use, int levels)
{
    struct lines all = all_lines(about, USE_ANY, levels),
                 own = use == USE_ANY ? all : all_lines(about, use, levels);
    double held = 0, max = 0;
    if (is_warm(about)) {
        held = capacity(about->machine, levels, machine_share_guess_bytes);
        max = capacity(about->machine, levels, machine_share_max_bytes);
    }
    return (struct lines){.min = fmax(own.min - max, 0),
                          .guess = all.guess > held ? own.guess : 0};
}

static struct quantity over(struct lines left, double each, struct quantity now)
{
    if (!now.known || !(now.high > 0) || isnan(each))
        return quantity_unknown();
    double guess = fmin(left.guess * each / now.value, 1);
    return quantity_between(guess, fmin(left.min * each / now.high, guess), guess, 0,
                            PROVENANCE_DERIVED);
}

/* Each line for an L2 hit. */
static struct quantity headroom_l1(const struct about *about)
{
    struct quantity hold = about->occupancy->l2_residency_ratio;
    double each = hold.known ? fmin(hold.low, 1) : 0;
    return over(beyond(about, USE_ANY, 1), each, about->traffic->edge[0].fills);
}

/* Lines of memory for as long as now, which is no longer than memory takes; others for an
 * L3 hit. */
static struct quantity headroom_l2(const struct about *about)
{
    const struct machine *machine = about->machine;
    struct quantity fills = about->traffic->edge[1].fills;
    struct quantity hold = about->occupancy->resource[RESOURCE_L2_QUEUE].residency_ns;
    struct quantity far = over(beyond(about, USE_ANY, machine->level_nr), 1, fills);
    double near = 0;
    if (machine->level_nr > 2 && machine->level[2].latency_ns.known && hold.known)
        near = fmin(machine->level[2].latency_ns.low / hold.high, 1);
    return quantity_max(far, over(beyond(about, USE_ANY, 2), near, fills));
}

static struct quantity headroom_memory(const struct about *about)
{
    const struct traffic *traffic = about->traffic;
    int all = about->machine->level_nr;
    struct lines read = beyond(about, USE_READ, all),
                 written = beyond(about, USE_WRITTEN, all);
    struct lines both = {read.min + written.min, read.guess + written.guess};
    return over(both, about->machine->line_bytes,
                quantity_add(traffic_read_bytes(traffic), traffic_write_bytes(traffic)));
}

static struct quantity headroom_walks(const struct about *about)
{
    double page = about->environment->huge_pages ? 2 << 20 : 4096;
    struct lines pages = beyond(about, USE_ANY, 0);
    double each = about->machine->line_bytes / page;
    pages.min = fmax(pages.min - tlb_entries / each, 0);
    pages.guess = pages.guess > tlb_entries / each ? pages.guess : 0;
    return over(pages, each, about->traffic->page_walks);
}

void min_ratios(const struct nest *nest, const struct machine *machine,
                const struct traffic *traffic, const struct occupancy *occupancy,
                const struct environment *environment, struct min_ratios *out)
{
    struct about about = {nest, machine, traffic, occupancy, environment};
    struct quantity none = quantity_unknown();
    *out = (struct min_ratios){none, none, none, none, none};
    if (nest->nr == 0)
        return;
    out->l1 = headroom_l1(&about);
    out->l2 = headroom_l2(&about);
    out->l2_link = over(beyond(&about, USE_ANY, 1), 1, traffic->edge[0].fills);
    out->memory = headroom_memory(&about);
    out->walks = headroom_walks(&about);
}
