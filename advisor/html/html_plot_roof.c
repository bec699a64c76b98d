/* The page: the roofline with the ceilings that full miss queues set (S. Mehta, ISPASS
 * 2022, figure 2): FLOP/s over FLOPs per byte. For loops without floating-point work,
 * bandwidth over the bytes of a call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"

struct roof {
    const struct html *page;
    struct figure *figure;
    struct quantity flops; /* of one call of all copies; unknown or 0 = bytes only */
    bool bytes_only;
    size_t edge_nr; /* variants that move nothing: they stand at the edge */
    struct plot_roof gbs[3], gflops[3];
    size_t gbs_nr, gflops_nr;
};

/* ---- ceilings ---- */

static struct quantity peak_of(const struct html *page, int which)
{
    const struct machine *machine = &page->machine;
    bool all = page->copies == machine->cores;
    const struct machine_flops *flops =
        page->single_precision ? all ? &machine->all_flops_single : &machine->flops_single
        : all                  ? &machine->all_flops_double
                               : &machine->flops_double;
    struct quantity one = which == 0   ? flops->scalar
                          : which == 1 ? flops->simd
                                       : flops->fma;
    return quantity_scale(one, (all ? 1 : page->copies) * 1e-9);
}

static void add_memory(struct roof *roof, struct quantity gbs)
{
    if (gbs.known && gbs.value > 0)
        roof->gbs[roof->gbs_nr++] = (struct plot_roof){
            .value = gbs.value,
            .colour = COLOUR_MEMORY,
            .title = xasprintf("memory bandwidth: %.3g GB/s", gbs.value)};
}

/* Where memory is full before the queue, the queue is no ceiling. */
static void add_queue(struct roof *roof, struct quantity gbs, struct quantity memory,
                      int level)
{
    bool ceiling =
        gbs.known && gbs.value > 0 && (!memory.known || gbs.value < memory.value);
    roof->gbs[roof->gbs_nr++] = (struct plot_roof){
        .value = ceiling ? gbs.value : 0,
        .colour = level == 1 ? COLOUR_L1 : COLOUR_L2,
        .dash = PLOT_DASH_DOT,
        .title = ceiling
                     ? xasprintf("L%d queue full of lines from memory: %.3g GB/s%s",
                                 level, gbs.value, isinf(gbs.high) ? " or more" : "")
                     : xasprintf("L%d queue: no ceiling of its own here, memory is full "
                                 "before it",
                                 level)};
}

static void add_peaks(struct roof *roof)
{
    static const char *const name[] = {"one element at a time", "vectors",
                                       "vectors, multiply-add fused"};
    double highest = 0;
    for (int i = 0; i < 3; i++)
        highest = fmax(highest, peak_of(roof->page, i).value);
    for (int i = 0; i < 3; i++) {
        struct quantity peak = peak_of(roof->page, i);
        bool top = peak.value == highest;
        if (peak.known && (top || peak.value < 0.98 * highest))
            roof->gflops[roof->gflops_nr++] = (struct plot_roof){
                .value = peak.value,
                .colour = COLOUR_COMPUTE,
                .dash = top      ? PLOT_SOLID
                        : i == 1 ? PLOT_DASHED
                                 : PLOT_DOTTED,
                .title = xasprintf("computing, %s: %.3g GFLOP/s", name[i], peak.value)};
    }
}

static void find_ceilings(struct roof *roof)
{
    const struct html *page = roof->page;
    const json_t *queues =
        json_object_get(json_object_get(page->report, "baseline"), "queues");
    struct quantity memory = doc_resource(queues, "memory", "limit");
    if (page->has_machine && !roof->bytes_only)
        add_peaks(roof);
    add_memory(roof, memory);
    add_queue(roof, doc_resource(queues, "l1_mshrs", "carries_gbs"), memory, 1);
    add_queue(roof, doc_resource(queues, "l2_mshrs", "carries_gbs"), memory, 2);
}

/* ---- where variants stand ---- */

static struct quantity work_of(const struct html *page)
{
    const json_t *kernel = json_object_get(page->report, "kernel");
    return quantity_scale(doc_quantity(kernel, "flops"), page->copies);
}

/* Perhaps next to nothing is moved: then the interval is open above. Where nothing at all
 * is, the value is infinite, too. */
static struct quantity per_byte(struct quantity flops, struct quantity bytes)
{
    if (!flops.known || !bytes.known)
        return quantity_unknown();
    if (!(bytes.value > 0))
        return (struct quantity){.known = true,
                                 .value = INFINITY,
                                 .low =
                                     bytes.high > 0 ? flops.low / bytes.high : INFINITY,
                                 .high = INFINITY};
    return quantity_between(flops.value / bytes.value, flops.low / bytes.high,
                            bytes.low > 0 ? flops.high / bytes.low : INFINITY, 0,
                            PROVENANCE_DERIVED);
}

static bool find_place(struct roof *roof, size_t i, struct figure_place *at)
{
    const struct html_variant *variant = &roof->page->variant[i];
    *at = (struct figure_place){.x = quantity_unknown(), .y = quantity_unknown()};
    if (!html_ran(variant))
        return false;
    struct quantity bytes = figure_bytes(roof->page, i, &at->counted);
    struct quantity x =
        roof->bytes_only ? quantity_scale(bytes, 1e-6) : per_byte(roof->flops, bytes);
    struct quantity y =
        roof->bytes_only
            ? figure_gbs(roof->page, i, &at->counted)
            : quantity_scale(quantity_divide(roof->flops, variant->measurement.time_s),
                             1e-9);
    if (!x.known || !y.known || !(x.value > 0) || !(y.value > 0))
        return false;
    char *tip = figure_tip_of(roof->page, i);
    const char *about = at->counted ? "" : "about ";
    at->tip = roof->bytes_only ? xasprintf("%s; %.3g GB/s, %s%.3g MB a call", tip,
                                           y.value, about, x.value)
                               : xasprintf("%s; %.3g GFLOP/s at %s%.3g FLOP a byte", tip,
                                           y.value, about, x.value);
    at->x = x;
    at->y = y;
    roof->edge_nr += isinf(x.value);
    free(tip);
    return isfinite(x.value);
}

/* Two points of one loop, joined as the points of a series are. */
static void add_way(const struct html *page, struct plot_panel *panel,
                    const struct figure_place *place)
{
    const struct figure_place *from = &place[0], *to = &place[page->best];
    if (!page->best || !from->x.known || !to->x.known)
        return;
    struct plot_series *way = plot_add(panel,
                                       (struct plot_series){.line = PLOT_LINE,
                                                            .width = 1.5,
                                                            .dash = PLOT_DASHED,
                                                            .colour = COLOUR_WINNER},
                                       "from the kernel as written to the winner");
    plot_line(way, from->x.value, from->y.value, to->x.value, to->y.value);
}

/* ---- the figure ---- */

static void add_words(const struct roof *roof)
{
    struct figure *figure = roof->figure;
    if (roof->bytes_only)
        figure_how(
            figure,
            "<b>How to read it.</b> This loop does no floating-point work that was "
            "counted, so there is no roofline of FLOP/s; instead each mark shows how "
            "many "
            "bytes a call moves through memory (right: more) and how fast (up: faster). "
            "Left is better than right, and up is better than down, until a line is met: "
            "it is the most that memory, or a full miss queue, lets through.");
    else
        figure_how(
            figure,
            "<b>How to read it.</b> Right: more arithmetic for each byte from memory. "
            "Up: "
            "more arithmetic per second. A mark cannot lie above a solid line: memory "
            "sets the slope, the core sets the top. The dashed slopes are lower ceilings "
            "that hold as long as every miss waits in that queue: with the L1 queue "
            "full, "
            "only so much can be under way. A mark on a slope has to move right (fewer "
            "bytes) or into another queue; one well below all lines is held up by "
            "something else.");
    if (roof->edge_nr)
        figure_how(figure, " Marks at the right edge move nothing through memory.");
    buf_addf(
        &figure->label, "%s",
        roof->bytes_only
            ? "Bandwidth in GB/s over megabytes through memory in a call, both "
              "logarithmic, with the ceilings of memory and of the miss queues."
            : "Roofline: GFLOP/s over FLOPs per byte, both logarithmic, with ceilings of "
              "memory bandwidth, computing and the miss queues, and the variants as "
              "marks.");
}

void figure_roof(const struct html *page, struct figure *figure)
{
    struct roof roof = {.page = page, .figure = figure, .flops = work_of(page)};
    struct figure_place *place = xcalloc(page->variant_nr + 1, sizeof(*place));
    bool any = false, counted;
    roof.bytes_only = !roof.flops.known || !(roof.flops.value > 0);
    for (size_t i = 0; i < page->variant_nr; i++)
        any |= find_place(&roof, i, &place[i]);
    find_ceilings(&roof);
    any |= roof.gflops_nr && roof.gbs_nr && roof.gbs[0].value > 0;
    if (any && page->variant_nr) {
        struct plot_panel *panel = plot_add_panel(&figure->plot);
        panel->x.label =
            xstrdup(roof.bytes_only ? "moved through memory by one call (MB)"
                                    : "arithmetic intensity (FLOP per byte of memory)");
        panel->y.label =
            xstrdup(roof.bytes_only ? "bandwidth (GB/s)"
                                    : "performance of loaded cores (GFLOP/s)");
        add_way(page, panel, place);
        figure_variants(
            page, panel, place, PLOT_BOXES,
            roof.bytes_only
                ? "variants of which only the time is known: bytes taken over "
                  "from the counted variant with most steps in common"
                : "variants of which only the time is known: height exact, "
                  "bytes taken over from the counted variant with most steps "
                  "in common",
            "variants whose traffic was counted, in a box of their 95 % intervals");
        if (roof.bytes_only)
            figure->title = "Bytes and bandwidth";
        /* without FLOP/s what memory lets through is a level */
        if (roof.bytes_only)
            plot_roofline(panel, NULL, 0, roof.gbs, roof.gbs_nr);
        else
            plot_roofline(panel, roof.gbs, roof.gbs_nr, roof.gflops, roof.gflops_nr);
        add_words(&roof);
    } else {
        buf_add(&figure->why_not,
                page->variant_nr && figure_bytes(page, 0, &counted).known
                    ? "Hardly anything goes through memory, so no variant has a place in "
                      "it."
                    : "What the kernel moves through memory is not known, so no variant "
                      "has a place in it.");
        for (size_t i = 0; i < page->variant_nr; i++)
            free(place[i].tip);
    }
    for (size_t i = 0; i < 3; i++) {
        free(roof.gbs[i].title);
        free(roof.gflops[i].title);
    }
    free(place);
}
