/* The picture of machines: latency of memory over bandwidth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/plot/plot.h"
#include "core/base.h"
#include "core/machine/machine.h"

struct plot_memory {
    const struct machine *machine;
    double cores; /* that load memory: for the lines of full miss queues; 0 = none */
};

struct memory {
    const struct plot_memory *of;
    size_t nr;
    struct plot *plot;
    double x_high, y_high; /* of the frame */
    size_t curve;          /* so far */
    bool predicted;        /* some curve has such a part */
};

static bool is_predicted(const struct machine_point *point)
{
    return point->latency_ns.provenance == PROVENANCE_PREDICTED;
}

/* Bytes that the miss queue of this level keeps in flight when full: GB/s x ns along its
 * line. A queue of a tile or cluster is shared. Unknown = its length is. */
static struct quantity bytes_in_flight(const struct plot_memory *of, int level)
{
    const struct machine *machine = of->machine;
    const struct machine_limit *limit =
        level == 1 ? &machine->l1_mshrs : &machine->l2_mshrs;
    int sharing = 1;
    if (limit->scope && strcmp(limit->scope, "core"))
        for (int i = 0; i < machine->level_nr; i++)
            if (machine->level[i].level == level && machine->level[i].cores_sharing > 1)
                sharing = machine->level[i].cores_sharing;
    return quantity_scale(limit->used,
                          (double)machine_transfer_bytes(machine) * of->cores / sharing);
}

/* All points are in, what a wide band leaves room for, and a queue's line that is near;
 * what would press the curves to the left edge stays outside. */
static void stretch(struct memory *memory)
{
    double high = 0, end = 0, latency = 0, top;
    for (size_t m = 0; m < memory->nr; m++) {
        const struct machine *machine = memory->of[m].machine;
        for (size_t i = 0; i < machine->curve_nr; i++)
            for (size_t k = 0; k < machine->curve[i].point_nr; k++) {
                const struct machine_point *point = &machine->curve[i].point[k];
                end = fmax(end, fmax(point->gbs, point->gbs_high));
                latency = fmax(latency, point->latency_ns.value);
                if (isfinite(point->latency_ns.high))
                    high = fmax(high, point->latency_ns.high);
            }
        if (machine->memory_latency_ns.known)
            latency = fmax(latency, machine->memory_latency_ns.value);
    }
    const double most = 3 * end;
    for (size_t m = 0; m < memory->nr; m++) {
        const struct machine *machine = memory->of[m].machine;
        if (machine->peak_gbs.known && machine->peak_gbs.value <= most)
            end = fmax(end, machine->peak_gbs.value);
        for (size_t i = 0; i < machine->curve_nr; i++)
            if (machine->curve[i].ceiling_gbs.known &&
                machine->curve[i].ceiling_gbs.value <= most)
                end = fmax(end, machine->curve[i].ceiling_gbs.value);
    }
    end *= 1.06;
    top = 1.2 * fmin(fmax(high, latency), 1.4 * latency);
    for (int level = 1; level <= 2; level++) {
        struct quantity bytes = bytes_in_flight(&memory->of[0], level);
        if (bytes.known && bytes.value / (0.8 * end) < 1.8 * latency)
            top = fmax(top, bytes.value / (0.8 * end));
    }
    memory->x_high = end;
    memory->y_high = top;
}

static void add_points(struct plot *plot, const struct machine_curve *curve, size_t from,
                       size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct machine_point *point = &curve->point[i];
        bool spread = point->gbs_high > 0;
        plot_point(plot,
                   quantity_between(point->gbs, spread ? point->gbs_low : point->gbs,
                                    spread ? point->gbs_high : point->gbs, 0,
                                    PROVENANCE_DERIVED),
                   point->latency_ns);
    }
}

/* The predicted part starts at the last measured point. */
static void add_curve(struct memory *memory, const struct machine_curve *curve,
                      const char *of, const char *colour)
{
    struct plot *plot = memory->plot;
    size_t measured = 0;
    struct buf name = {0};
    while (measured < curve->point_nr && !is_predicted(&curve->point[measured]))
        measured++;
    buf_addf(&name, "%s%.0f %% reads%s", of, 100 * curve->read_share,
             curve->nontemporal ? ", non-temporal stores" : "");
    if (curve->ceiling_gbs.known) {
        bool bound = machine_ceiling_is_bound(curve);
        buf_add(&name, bound ? ", ceiling at most " : ", ceiling ");
        buf_add_number(&name, bound ? curve->ceiling_gbs.high : curve->ceiling_gbs.value);
        buf_add(&name, " GB/s");
        if (curve->ceiling_gbs.value <= memory->x_high && plot->kind != PLOT_TERMINAL)
            plot_vertical(plot,
                          (struct plot_look){.dash = PLOT_DASH_DOT, .colour = colour},
                          curve->ceiling_gbs.value, NULL);
    }
    if (measured) {
        plot_series(plot,
                    (struct plot_look){.line = PLOT_LINE,
                                       .interval = PLOT_BARS,
                                       .mark = PLOT_SQUARE + 2 * (int)(memory->curve % 5),
                                       .colour = colour},
                    "%s", buf_str(&name));
        add_points(plot, curve, 0, measured);
    }
    if (measured < curve->point_nr) {
        plot_series(plot,
                    (struct plot_look){.line = PLOT_LINE,
                                       .interval = PLOT_BAND,
                                       .dash = PLOT_DASHED,
                                       .letter = '?',
                                       .mark = plot->kind == PLOT_TERMINAL ? PLOT_DOT
                                                                           : PLOT_NO_MARK,
                                       .colour = colour},
                    measured ? NULL : "%s", buf_str(&name));
        add_points(plot, curve, measured ? measured - 1 : 0, curve->point_nr);
        memory->predicted = true;
    }
    memory->curve++;
    buf_release(&name);
}

static void add_unloaded_and_peak(struct memory *memory, const struct machine *machine,
                                  const char *of, const char *colour)
{
    struct quantity latency = machine->memory_latency_ns, peak = machine->peak_gbs;
    struct plot *plot = memory->plot;
    const struct plot_look level = {.line = PLOT_LINE,
                                    .width = 1,
                                    .dash = PLOT_DOTTED,
                                    .colour = colour},
                           wall = {.line = PLOT_LINE,
                                   .width = 1.5,
                                   .dash = PLOT_DASH_DOTS,
                                   .colour = colour};
    if (latency.known) {
        plot_series(plot, level, "%sunloaded, %.0f ns", of, latency.value);
        plot_line(plot, 0, latency.value, memory->x_high, latency.value);
    }
    if (!peak.known)
        return;
    struct buf value = {0};
    buf_add_number(&value, peak.value);
    plot_series(plot, wall, "%speak %s%s GB/s%s", of, peak.low > 0 ? "" : "at most ",
                buf_str(&value),
                peak.value > memory->x_high ? ", right of what is shown" : "");
    if (peak.value <= memory->x_high)
        plot_vertical(plot, wall, peak.value, NULL);
    buf_release(&value);
}

/* latency = lines in flight x bytes / bandwidth */
static void add_queue(struct memory *memory, const struct plot_memory *of, int level)
{
    const struct machine_limit *limit =
        level == 1 ? &of->machine->l1_mshrs : &of->machine->l2_mshrs;
    enum { PIECES = 100 }; /* of the line */
    struct quantity bytes = bytes_in_flight(of, level);
    if (!bytes.known || !(bytes.value > 0))
        return;
    bool inside = bytes.value < memory->x_high * memory->y_high;
    struct buf lines = {0};
    buf_add_number(&lines, limit->used.value);
    plot_series(memory->plot,
                (struct plot_look){.line = PLOT_LINE,
                                   .dash = PLOT_DASH_DOT,
                                   .colour = level == 1 ? COLOUR_L1 : COLOUR_L2},
                "L%d queue full: %s lines per %s%s%s", level, buf_str(&lines),
                limit->scope ? limit->scope : "core",
                isinf(limit->used.high) ? " or more" : "",
                inside ? "" : " (beyond this picture)");
    double from = bytes.value / memory->y_high;
    for (int i = 0; inside && i <= PIECES; i++) {
        double x = from + (memory->x_high - from) * i / PIECES;
        plot_at(memory->plot, x, bytes.value / x);
    }
    buf_release(&lines);
}

static void add_memory(struct plot *plot, const struct plot_memory *of, size_t nr)
{
    struct memory memory = {.of = of, .nr = nr, .plot = plot};
    struct buf label = {0};
    buf_add(&label, "bandwidth through memory, all ");
    if (nr == 1)
        buf_addf(&label, "%d ", of->machine->cores);
    buf_add(&label, "cores together (GB/s)");
    stretch(&memory);
    plot_panel(
        plot, NULL, &(struct plot_axis){.label = buf_str(&label), .high = memory.x_high},
        &(struct plot_axis){.label = "latency of memory (ns)", .high = memory.y_high});
    buf_release(&label);
    for (size_t m = 0; m < nr; m++) {
        const struct machine *machine = of[m].machine;
        const char *colour = nr > 1 ? plot_colour(memory.curve) : COLOUR_OTHER;
        char *name = nr > 1 ? xasprintf("%s: ", machine->name) : xstrdup("");
        for (size_t i = 0; i < machine->curve_nr; i++)
            add_curve(&memory, &machine->curve[i], name, plot_colour(memory.curve));
        add_unloaded_and_peak(&memory, machine, name, colour);
        add_queue(&memory, &of[m], 1);
        add_queue(&memory, &of[m], 2);
        free(name);
    }
    if (memory.predicted)
        plot_series(plot,
                    (struct plot_look){
                        .line = PLOT_LINE, .dash = PLOT_DASHED, .colour = COLOUR_OTHER},
                    plot->kind == PLOT_TERMINAL ? "with '?': predicted"
                                                : "dashed, shaded: predicted");
}

static void add_heading(struct plot *plot, const struct machine *const *machine,
                        size_t nr)
{
    struct buf title = {0};
    for (size_t m = 0; m < nr; m++) {
        const char *model = machine[m]->cpu_model ? machine[m]->cpu_model : "";
        bool named = !strncmp(model, machine[m]->name, strlen(machine[m]->name));
        buf_addf(&title, "%s%s%s%s", m ? "\n" : "", named ? "" : machine[m]->name,
                 named || !*model ? "" : ": ", model);
        if (plot->kind == PLOT_TERMINAL || !machine[m]->source)
            continue;
        buf_add(&title, "\n");
        buf_add_wrapped(&title, machine[m]->source, 0, 110);
    }
    plot->title = buf_detach(&title);
}

int plot_machines(const struct machine *const *machine, size_t nr, struct plot *plot,
                  struct error *err)
{
    struct plot_memory *of = xcalloc(nr + 1, sizeof(*of));
    bool any = false;
    for (size_t m = 0; m < nr; m++) {
        of[m] = (struct plot_memory){.machine = machine[m],
                                     .cores = nr == 1 ? machine[m]->cores : 0};
        for (size_t i = 0; i < machine[m]->curve_nr; i++)
            any |= machine[m]->curve[i].point_nr > 0;
    }
    if (any) {
        plot->height = 520;
        add_heading(plot, machine, nr);
        add_memory(plot, of, nr);
    }
    free(of);
    return any ? 0
               : fail(err, STATUS_INPUT,
                      "--plot: the profile '%s' holds no curve of latency under load",
                      machine[0]->name);
}
