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
    struct quantity memory, l1, l2; /* ceilings, GB/s; unknown = none here */
    struct quantity peak[3];        /* scalar, SIMD, fused; GFLOP/s of the loaded cores */
    size_t edge_nr;    /* variants that move nothing: they stand at the edge */
    double x[2], y[2]; /* the frame */
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

static void find_ceilings(struct roof *roof)
{
    const struct html *page = roof->page;
    const json_t *queues =
        json_object_get(json_object_get(page->report, "baseline"), "queues");
    roof->memory = doc_resource(queues, "memory", "limit");
    roof->l1 = doc_resource(queues, "l1_mshrs", "carries_gbs");
    roof->l2 = doc_resource(queues, "l2_mshrs", "carries_gbs");
    for (int i = 0; i < 3; i++)
        roof->peak[i] = page->has_machine ? peak_of(page, i) : quantity_unknown();
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

/* False = nowhere. */
static bool place(const struct roof *roof, size_t i, struct quantity *x,
                  struct quantity *y, bool *counted)
{
    const struct html_variant *variant = &roof->page->variant[i];
    if (!html_ran(variant))
        return false;
    struct quantity bytes = figure_bytes(roof->page, i, counted);
    if (roof->bytes_only) {
        *x = quantity_scale(bytes, 1e-6);
        *y = figure_gbs(roof->page, i, counted);
    } else {
        *x = per_byte(roof->flops, bytes);
        *y = quantity_scale(quantity_divide(roof->flops, variant->measurement.time_s),
                            1e-9);
    }
    return x->known && y->known && x->value > 0 && y->value > 0;
}

/* What moves nothing through memory stands at the frame's right end. */
static double drawn_x(const struct roof *roof, double x)
{
    return isfinite(x) ? x : roof->x[1] / 1.12;
}

/* Each end of the frame with room to the next power of two. */
static void find_frame(struct roof *roof)
{
    double *x = roof->x, *y = roof->y;
    x[0] = y[0] = INFINITY;
    x[1] = y[1] = 0;
    for (size_t i = 0; i < roof->page->variant_nr; i++) {
        struct quantity a = quantity_unknown(), b = quantity_unknown();
        bool counted;
        if (!place(roof, i, &a, &b, &counted))
            continue;
        roof->edge_nr += !isfinite(a.value);
        figure_take_in(x, a.value);
        figure_take_in(y, b.value);
    }
    if (roof->bytes_only) {
        figure_take_in(y, roof->memory.known ? roof->memory.value : NAN);
        figure_take_in(y, roof->l1.known ? roof->l1.value : NAN);
    } else {
        for (int i = 0; i < 3; i++)
            if (roof->peak[i].known) {
                figure_take_in(y, roof->peak[i].value);
                figure_take_in(x, roof->memory.known
                                      ? roof->peak[i].value / roof->memory.value
                                      : NAN);
            }
    }
    figure_room(x, y);
}

/* ---- drawing ---- */

/* -1 = none is known */
static int highest_peak(const struct roof *roof)
{
    int highest = -1;
    for (int i = 0; i < 3; i++)
        if (roof->peak[i].known &&
            (highest < 0 || roof->peak[i].value > roof->peak[highest].value))
            highest = i;
    return highest;
}

/* Up to the highest roof of computing, as lines of the same slope. */
static void add_slope(struct roof *roof, struct quantity gbs, const char *style)
{
    int highest = highest_peak(roof);
    double top = highest < 0 ? roof->y[1] : roof->peak[highest].value;
    if (roof->bytes_only)
        figure_line(roof->figure, roof->x[0], gbs.value, roof->x[1], gbs.value, style);
    else
        figure_line(roof->figure, roof->x[0], roof->x[0] * gbs.value, top / gbs.value,
                    top, style);
}

static void add_memory(struct roof *roof)
{
    if (!roof->memory.known || !(roof->memory.value > 0))
        return;
    add_slope(roof, roof->memory, "linewidth 2 linecolor rgb '" COLOUR_MEMORY "'");
    figure_legend(roof->figure, "line", COLOUR_MEMORY, "memory bandwidth: %.3g GB/s",
                  roof->memory.value);
}

/* Where memory is full before the queue, the queue is no ceiling. */
static void add_queue(struct roof *roof, struct quantity gbs, int level)
{
    const char *colour = level == 1 ? COLOUR_L1 : COLOUR_L2;
    bool ceiling = gbs.known && gbs.value > 0 &&
                   (!roof->memory.known || gbs.value < roof->memory.value);
    if (ceiling) {
        add_slope(roof, gbs,
                  level == 1 ? "linewidth 2 dashtype 4 linecolor rgb '" COLOUR_L1 "'"
                             : "linewidth 2 dashtype 4 linecolor rgb '" COLOUR_L2 "'");
        figure_legend(roof->figure, "dash", colour,
                      "L%d queue full of lines from memory: %.3g GB/s%s", level,
                      gbs.value, isinf(gbs.high) ? " or more" : "");
    } else {
        figure_legend(roof->figure, "dash", colour,
                      "L%d queue: no ceiling of its own here, memory is full before it",
                      level);
    }
}

static void add_peaks(struct roof *roof)
{
    static const char *const name[] = {"one element at a time", "vectors",
                                       "vectors, multiply-add fused"};
    double slope = roof->memory.known ? roof->memory.value : NAN;
    int highest = highest_peak(roof);
    for (int i = 0; i < 3 && !roof->bytes_only; i++) {
        struct quantity peak = roof->peak[i];
        if (!peak.known ||
            (i != highest && !(peak.value < 0.98 * roof->peak[highest].value)))
            continue;
        double from = isfinite(slope) ? fmax(peak.value / slope, roof->x[0]) : roof->x[0];
        figure_line(roof->figure, from, peak.value, roof->x[1], peak.value,
                    i == highest ? "linewidth 2 linecolor rgb '" COLOUR_COMPUTE "'"
                    : i == 1 ? "linewidth 2 dashtype 2 linecolor rgb '" COLOUR_COMPUTE "'"
                             : "linewidth 2 dashtype 3 linecolor rgb '" COLOUR_COMPUTE
                               "'");
        figure_legend(roof->figure, i == highest ? "line" : "dash", COLOUR_COMPUTE,
                      "computing, %s: %.3g GFLOP/s", name[i], peak.value);
    }
}

static double clip(double value, const double range[2])
{
    return fmin(fmax(value, range[0] / 2), range[1] * 2);
}

/* 95 % in both directions, as a box around the mark. */
static void add_boxes(struct roof *roof)
{
    struct figure *figure = roof->figure;
    size_t block = figure_block(figure), nr = 0;
    for (size_t i = 0; i < roof->page->variant_nr; i++) {
        struct quantity x = quantity_unknown(), y = quantity_unknown();
        bool counted;
        if (!place(roof, i, &x, &y, &counted) || !counted)
            continue;
        figure_row(figure, 6,
                   (const double[]){drawn_x(roof, x.value), y.value, clip(x.low, roof->x),
                                    clip(x.high, roof->x), clip(y.low, roof->y),
                                    clip(y.high, roof->y)});
        nr++;
    }
    figure_end(figure);
    if (nr)
        figure_item(
            figure,
            "$b%zu using 1:2:3:4:5:6 with boxxyerror fillstyle transparent solid 0.25 "
            "border linewidth 1 linecolor rgb '" COLOUR_OTHER "'",
            block);
}

/* 0 only timed, 1 counted, 2 as written, 3 the winner */
static int group_of(const struct html *page, size_t i, bool counted)
{
    return i == 0 ? 2 : i == page->best ? 3 : counted ? 1 : 0;
}

static size_t add_group(struct roof *roof, int group, int type, double size,
                        const char *colour)
{
    struct figure *figure = roof->figure;
    size_t block = figure_block(figure), nr = 0;
    for (size_t i = 0; i < roof->page->variant_nr; i++) {
        struct quantity x = quantity_unknown(), y = quantity_unknown();
        bool counted;
        if (!place(roof, i, &x, &y, &counted) ||
            group_of(roof->page, i, counted) != group)
            continue;
        char *tip = figure_tip_of(roof->page, i),
             *full = roof->bytes_only
                         ? xasprintf("%s; %.3g GB/s, %s%.3g MB a call", tip, y.value,
                                     counted ? "" : "about ", x.value)
                         : xasprintf("%s; %.3g GFLOP/s at %s%.3g FLOP a byte", tip,
                                     y.value, counted ? "" : "about ", x.value);
        figure_tipped(figure, 2, (const double[]){drawn_x(roof, x.value), y.value}, full);
        free(tip);
        free(full);
        nr++;
    }
    figure_end(figure);
    if (nr)
        figure_marks(figure, block, type, size, colour);
    return nr;
}

/* Two points of one loop, joined as the points of a series are. */
static void add_way(struct roof *roof)
{
    struct quantity x[2] = {{0}, {0}}, y[2] = {{0}, {0}};
    bool counted;
    if (!roof->page->best || !place(roof, 0, &x[0], &y[0], &counted) ||
        !place(roof, roof->page->best, &x[1], &y[1], &counted))
        return;
    figure_line(roof->figure, drawn_x(roof, x[0].value), y[0].value,
                drawn_x(roof, x[1].value), y[1].value,
                "linewidth 1.5 dashtype 2 linecolor rgb '" COLOUR_WINNER "'");
    figure_legend(roof->figure, "dash", COLOUR_WINNER,
                  "from the kernel as written to the winner");
}

static void add_variants(struct roof *roof)
{
    struct figure *figure = roof->figure;
    add_boxes(roof);
    add_way(roof);
    if (add_group(roof, 0, 6, 0.6, COLOUR_OTHER))
        figure_legend(
            figure, "ring", COLOUR_OTHER,
            "variants of which only the time is known: %sbytes taken over from the "
            "counted variant with most steps in common",
            roof->bytes_only ? "" : "height exact, ");
    if (add_group(roof, 1, 7, 0.8, COLOUR_OTHER))
        figure_legend(
            figure, "dot", COLOUR_OTHER,
            "variants whose traffic was counted, in a box of their 95 %% intervals");
    if (add_group(roof, 2, 13, 1.4, COLOUR_WRITTEN))
        figure_legend(figure, "diamond", COLOUR_WRITTEN, "the kernel as written");
    if (add_group(roof, 3, 7, 1.2, COLOUR_WINNER))
        figure_legend(figure, "dot", COLOUR_WINNER, "the winner");
}

/* ---- the figure ---- */

static void add_words(struct roof *roof)
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

static bool can_draw(const struct roof *roof)
{
    bool counted = false,
         frame = isfinite(roof->x[0]) && roof->x[1] > 0 && roof->y[1] > 0;
    if (frame && roof->page->variant_nr)
        return true;
    struct quantity bytes = roof->page->variant_nr ? figure_bytes(roof->page, 0, &counted)
                                                   : quantity_unknown();
    buf_add(&roof->figure->why_not,
            bytes.known
                ? "Hardly anything goes through memory, so no variant has a place in it."
                : "What the kernel moves through memory is not known, so no variant has "
                  "a place in it.");
    return false;
}

void figure_roof(const struct html *page, struct figure *figure)
{
    struct roof roof = {.page = page, .figure = figure, .flops = work_of(page)};
    roof.bytes_only = !roof.flops.known || !(roof.flops.value > 0);
    find_ceilings(&roof);
    find_frame(&roof);
    if (!can_draw(&roof))
        return;
    if (roof.bytes_only)
        figure->title = "Bytes and bandwidth";
    figure_set(figure, roof.bytes_only
                           ? "xlabel 'moved through memory by one call (MB)'"
                           : "xlabel 'arithmetic intensity (FLOP per byte of memory)'");
    figure_set(figure, roof.bytes_only
                           ? "ylabel 'bandwidth (GB/s)'"
                           : "ylabel 'performance of loaded cores (GFLOP/s)'");
    figure_log_axis(figure, "x", "", roof.x[0], roof.x[1]);
    figure_log_axis(figure, "y", "", roof.y[0], roof.y[1]);
    add_peaks(&roof);
    add_memory(&roof);
    add_queue(&roof, roof.l1, 1);
    add_queue(&roof, roof.l2, 2);
    add_variants(&roof);
    add_words(&roof);
}
