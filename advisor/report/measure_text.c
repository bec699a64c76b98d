/* One variant, all numbers, for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/report/measure_report.h"
#include "core/base.h"
#include "search/live/live.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"

/* ---- head ---- */

static void add_sizes(const struct kernel *kernel, struct buf *out)
{
    struct kernel_view view = kernel_view(kernel);
    for (size_t i = 0; i < view.param_nr; i++)
        if (view.param[i].is_set)
            buf_addf(out, ", %s = %.15g", view.param[i].name, view.param[i].value);
    if (kernel_inputs_note(kernel))
        buf_addf(out, ", %s", kernel_inputs_note(kernel));
}

void measure_head(const struct context *bench, struct layout *layout)
{
    char *environment = environment_text(bench->settings);
    struct buf line = {0};
    buf_addf(layout->out, "%s%s%s in %s", layout->colour ? "\033[1m" : "",
             kernel_name(bench->kernel), layout->colour ? "\033[0m" : "",
             kernel_path(bench->kernel));
    add_sizes(bench->kernel, layout->out);
    buf_add(layout->out, "\n");
    buf_addf(&line, "%s; %s; %s", bench->machine.name ? bench->machine.name : "",
             live_note(bench->live), bench->toolchain.version);
    buf_add_wrapped(layout->out, buf_str(&line), 2, layout->width);
    buf_add(layout->out, "\n");
    buf_add_wrapped(layout->out, environment, 2, layout->width);
    buf_add(layout->out, "\n");
    if (bench->machine_note)
        layout_paragraph(layout, "%s", bench->machine_note);
    buf_release(&line);
    free(environment);
}

/* ---- time ---- */

static void show_extremes(const struct measurement *measurement, struct layout *layout)
{
    struct buf text = {0};
    double min = INFINITY, max = 0;
    for (size_t i = 0; i < measurement->sample_nr; i++) {
        min = fmin(min, measurement->sample[i].seconds);
        max = fmax(max, measurement->sample[i].seconds);
    }
    if (!measurement->sample_nr)
        return;
    buf_add_time(&text, min);
    buf_add(&text, " to ");
    buf_add_time(&text, max);
    layout_line(layout, "all samples", "%s", buf_str(&text));
    buf_release(&text);
}

static unsigned launches_of(const struct measurement *measurement)
{
    unsigned last = 0;
    if (measurement->launches)
        return measurement->launches;
    for (size_t i = 0; i < measurement->sample_nr; i++)
        last = measurement->sample[i].launch + 1 > last
                   ? measurement->sample[i].launch + 1
                   : last;
    return last;
}

static size_t believed_disturbed(const struct measurement *measurement)
{
    size_t nr = 0;
    for (size_t i = 0; i < measurement->sample_nr; i++)
        nr += measurement->sample[i].disturbed != 0;
    return nr;
}

static void show_disturbed(const struct measurement *measurement, struct layout *layout)
{
    static const struct {
        unsigned bit;
        const char *word;
    } kinds[] = {
#define X(name, bit, word) {1u << (bit), word},
        RUN_DISTURBANCE_MAP(X)
#undef X
    };
    struct buf text = {0};
    size_t kept = believed_disturbed(measurement);
    unsigned seen = 0;
    for (size_t i = 0; i < measurement->sample_nr; i++)
        seen |= measurement->sample[i].disturbed;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (seen & kinds[i].bit)
            buf_addf(&text, "%s%s", text.length ? ", " : "", kinds[i].word);
    if (measurement->disturbed_nr || kept)
        layout_line(layout, "disturbed", "%zu sample%s repeated%s%s%s",
                    measurement->disturbed_nr, measurement->disturbed_nr == 1 ? "" : "s",
                    kept ? "; seen in those above: " : "", buf_str(&text), "");
    else
        layout_line(layout, "disturbed", "none");
    buf_release(&text);
}

static void show_clock(const struct measurement *measurement, struct layout *layout)
{
    struct buf text = {0};
    if (measurement->clock_step_s <= 0)
        return;
    buf_add(&text, "steps of ");
    buf_add_time(&text, measurement->clock_step_s);
    if (measurement->call_overhead_s > 0) {
        buf_add(&text, "; ");
        buf_add_time(&text, measurement->call_overhead_s);
        buf_add(&text, " of timing itself taken off each sample");
    }
    layout_line(layout, "clock", "%s", buf_str(&text));
    buf_release(&text);
}

static void show_time(const struct measurement *measurement, struct layout *layout)
{
    struct buf text = {0};
    layout_heading(layout, "Time");
    buf_add_time_figure(&text, measurement->time_s);
    layout_line(layout, "one call",
                "%s, median and 95 %% interval of %u launches with %zu samples (%s)",
                buf_str(&text), launches_of(measurement), measurement->sample_nr,
                provenance_word(measurement->time_s.provenance));
    show_extremes(measurement, layout);
    show_disturbed(measurement, layout);
    show_clock(measurement, layout);
    if (measurement->huge_bytes > 0) {
        buf_reset(&text);
        buf_add_size(&text, measurement->huge_bytes);
        layout_line(layout, "on huge pages", "%s of a copy's memory", buf_str(&text));
    }
    if (measurement->note)
        layout_line(layout, "note", "%s", measurement->note);
    if (measurement->verified_sizes)
        layout_line(layout, "results", "equal to the kernel as written for %s",
                    measurement->verified_sizes);
    buf_release(&text);
}

/* ---- bandwidth and misses in flight ---- */

static void show_bandwidth(const struct context *bench,
                           const struct measurement *measurement, struct layout *layout)
{
    const struct occupancy *now = &measurement->occupancy;
    struct buf formula = {0};
    layout_heading(layout, "Misses in flight");
    layout_quantity(layout, "bandwidth", now->bandwidth_gbs, 1, "GB/s",
                    "through memory, all cores together, write-backs included");
    layout_quantity(layout, "loaded latency", now->latency_ns, 1, "ns",
                    "of memory at that bandwidth, from the machine's curve");
    if (now->paper_n.known)
        buf_addf(&formula, "lines per core: %.3g GB/s x %.3g ns / %d bytes / %zu core%s",
                 now->bandwidth_gbs.value, now->latency_ns.value,
                 machine_transfer_bytes(&bench->machine), live_copies(bench->live),
                 live_copies(bench->live) == 1 ? "" : "s");
    layout_quantity(layout, "n (Little's law)", now->paper_n, 1, "", buf_str(&formula));
    layout_quantity(layout, "in flight", now->in_flight, 1, "",
                    "misses under way per core, page walks included");
    layout_quantity(layout, "random share", now->random_share, 100, "%",
                    now->random
                        ? "of the lines from beyond L2: n is compared with the L1 queue"
                        : "of the lines from beyond L2: n is compared with the L2 queue");
    buf_release(&formula);
}

static void add_queue(const struct occupancy_resource *queue, struct buf *out)
{
    buf_addf(out, "  %-16s", resource_word(queue->resource));
    buf_add_cell(out, queue->n.known ? queue->n : queue->rate, 1, 10);
    buf_add_cell(out, queue->limit, 1, 10);
    buf_add(out, " ");
    buf_add_share_cell(out, queue->utilization, 15);
    buf_addf(out, " %-10s", saturation_word(queue->saturation));
    struct buf min = {0};
    if (queue->min_s.known)
        buf_add_time(&min, queue->min_s.value);
    else
        buf_add(&min, "?");
    buf_addf(out, "%-8s%s\n", buf_str(&min), provenance_word(queue->limit.provenance));
    buf_release(&min);
}

static void show_queues(const struct occupancy *now, struct layout *layout)
{
    layout_heading(layout, "Each queue and each rate against its limit, per core");
    buf_add(layout->out,
            "  resource            in use     limit     utilization state     "
            "least   from\n");
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (now->resource[r].utilization.known || now->resource[r].limit.known)
            add_queue(&now->resource[r], layout->out);
    layout_paragraph(layout,
                     "Miss queues (MSHRs) hold an entry for each outstanding line. "
                     "Walkers: page walks in flight. memory and links: GB/s. "
                     "arithmetic: FLOP/s. least: the time that this part alone needs for "
                     "the work of one call. from: the source of the limit.");
}

static void show_verdict(const struct occupancy *now, struct layout *layout)
{
    layout_heading(layout, "What limits it");
    layout_paragraph(layout, "%s", buf_str(&now->diagnosis.sentence));
    layout_paragraph(layout, "%s", buf_str(&now->diagnosis.reason));
    layout_line(layout, "bound by", "%s (%s confidence)",
                cause_phrase(now->diagnosis.cause),
                confidence_word(now->diagnosis.confidence));
    layout_quantity(
        layout, "slack", now->slack, 1, "x",
        now->slack.known
            ? "at most, if the same work ran as fast as the busiest part allows"
            : "");
    if (now->busiest != RESOURCE_NONE)
        layout_line(layout, "busiest", "%s", resource_phrase(now->busiest));
}

/* ---- work ---- */

static void show_work(const struct context *bench, const struct measurement *measurement,
                      struct layout *layout)
{
    struct kernel_counts counts = kernel_counts(bench->kernel);
    const struct traffic *traffic = &measurement->traffic;
    bool counted = measurement->has_traffic && traffic->flops.known;
    struct quantity flops = counted ? traffic->flops : counts.flops;
    struct quantity instructions =
        measurement->has_traffic ? traffic->instructions : quantity_unknown();
    struct quantity rate = quantity_divide(flops, measurement->time_s);
    struct buf arrays = {0};
    layout_heading(layout, "Work of one call, per core");
    layout_quantity(layout, "FLOPs", flops, 1, "", "");
    if (flops.known && flops.value > 0)
        layout_quantity(layout, "  per second", rate, 1e-9, "GFLOP/s", "");
    layout_quantity(layout, "instructions", instructions, 1, "",
                    instructions.known ? "" : "(no counter here counts them)");
    if (instructions.known && bench->machine.ghz > 0)
        layout_quantity(
            layout, "  per cycle",
            quantity_divide(instructions, quantity_scale(measurement->time_s,
                                                         bench->machine.ghz * 1e9)),
            1, "", "");
    if (measurement->has_traffic && traffic->branches_missed.known)
        layout_quantity(layout, "branches missed", traffic->branches_missed, 1, "", "");
    layout_quantity(layout, "innermost iterations", counts.iterations, 1, "", "");
    buf_add_size(&arrays, counts.footprint_bytes);
    layout_line(layout, "arrays", "%s in all", buf_str(&arrays));
    buf_release(&arrays);
}

void measure_text(const struct context *bench, const struct measurement *measurement,
                  struct layout *layout)
{
    measure_head(bench, layout);
    if (*measurement->plan)
        layout_line(layout, "plan", "%s", measurement->plan);
    if (measurement->outcome != RUN_OUTCOME_OK) {
        layout_heading(layout, "Not measured to the end");
        layout_paragraph(layout, "%s: %s", run_outcome_word(measurement->outcome),
                         measurement->detail ? measurement->detail : "no more is known");
    }
    if (measurement->time_s.known)
        show_time(measurement, layout);
    if (measurement->has_traffic)
        traffic_text(&measurement->traffic, layout);
    else if (measurement->outcome == RUN_OUTCOME_OK && measurement->detail)
        layout_paragraph(layout, "Its traffic is not known: %s", measurement->detail);
    if (measurement->has_occupancy) {
        show_bandwidth(bench, measurement, layout);
        show_queues(&measurement->occupancy, layout);
        show_verdict(&measurement->occupancy, layout);
    }
    show_work(bench, measurement, layout);
}
