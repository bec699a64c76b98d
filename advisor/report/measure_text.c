/* One variant, all numbers, for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/report/measure_report.h"
#include "variants/kernel/kernel_inputs.h"

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

void measure_head(const struct workbench *bench, struct page *page)
{
    char *environment = environment_text(bench->settings);
    struct buf line = {0};
    buf_addf(page->out, "%s%s%s in %s", page->colour ? "\033[1m" : "",
             kernel_name(bench->kernel), page->colour ? "\033[0m" : "",
             kernel_path(bench->kernel));
    add_sizes(bench->kernel, page->out);
    buf_add(page->out, "\n");
    buf_addf(&line, "%s; %s; %s", bench->machine.name ? bench->machine.name : "",
             live_note(bench->live), bench->toolchain.version);
    buf_add_wrapped(page->out, buf_str(&line), 2, page->width);
    buf_add(page->out, "\n");
    buf_add_wrapped(page->out, environment, 2, page->width);
    buf_add(page->out, "\n");
    if (bench->machine_note)
        page_paragraph(page, "%s", bench->machine_note);
    buf_release(&line);
    free(environment);
}

/* ---- time ---- */

static void show_extremes(const struct measurement *measurement, struct page *page)
{
    struct buf text = {0};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < measurement->sample_nr; i++) {
        least = fmin(least, measurement->sample[i].seconds);
        most = fmax(most, measurement->sample[i].seconds);
    }
    if (!measurement->sample_nr)
        return;
    buf_add_time(&text, least);
    buf_add(&text, " to ");
    buf_add_time(&text, most);
    page_line(page, "all samples", "%s", buf_str(&text));
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

static void show_disturbed(const struct measurement *measurement, struct page *page)
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
        page_line(page, "disturbed", "%zu sample%s repeated%s%s%s",
                  measurement->disturbed_nr, measurement->disturbed_nr == 1 ? "" : "s",
                  kept ? "; seen in those above: " : "", buf_str(&text), "");
    else
        page_line(page, "disturbed", "none");
    buf_release(&text);
}

static void show_clock(const struct measurement *measurement, struct page *page)
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
    page_line(page, "clock", "%s", buf_str(&text));
    buf_release(&text);
}

static void show_time(const struct measurement *measurement, struct page *page)
{
    struct buf text = {0};
    page_heading(page, "Time");
    buf_add_time_figure(&text, measurement->time_s);
    page_line(page, "one call",
              "%s, median and 95 %% interval of %u launches with %zu samples (%s)",
              buf_str(&text), launches_of(measurement), measurement->sample_nr,
              provenance_word(measurement->time_s.provenance));
    show_extremes(measurement, page);
    show_disturbed(measurement, page);
    show_clock(measurement, page);
    if (measurement->huge_bytes > 0) {
        buf_reset(&text);
        buf_add_size(&text, measurement->huge_bytes);
        page_line(page, "on huge pages", "%s of a copy's memory", buf_str(&text));
    }
    if (measurement->note)
        page_line(page, "note", "%s", measurement->note);
    if (measurement->verified_sizes)
        page_line(page, "results", "equal to the kernel as written for %s",
                  measurement->verified_sizes);
    buf_release(&text);
}

/* ---- bandwidth and misses in flight ---- */

static void show_bandwidth(const struct workbench *bench,
                           const struct measurement *measurement, struct page *page)
{
    const struct occupancy *now = &measurement->occupancy;
    struct buf formula = {0};
    page_heading(page, "Misses in flight");
    page_quantity(page, "bandwidth", now->bandwidth_gbs, 1, "GB/s",
                  "through memory, all cores together, write-backs included");
    page_quantity(page, "loaded latency", now->latency_ns, 1, "ns",
                  "of memory at that bandwidth, from the machine's curve");
    if (now->paper_n.known)
        buf_addf(&formula, "lines per core: %.3g GB/s x %.3g ns / %d bytes / %zu core%s",
                 now->bandwidth_gbs.value, now->latency_ns.value,
                 machine_transfer_bytes(&bench->machine), live_copies(bench->live),
                 live_copies(bench->live) == 1 ? "" : "s");
    page_quantity(page, "n (Little's law)", now->paper_n, 1, "", buf_str(&formula));
    page_quantity(page, "in flight", now->in_flight, 1, "",
                  "misses under way per core, page walks included");
    page_quantity(page, "random share", now->random_share, 100, "%",
                  now->random ? "of the lines from beyond L2: n is held against the L1 "
                                "queue"
                              : "of the lines from beyond L2: n is held against the L2 "
                                "queue");
    buf_release(&formula);
}

static void add_queue(const struct occupancy_resource *queue, struct buf *out)
{
    buf_addf(out, "  %-13s", resource_word(queue->resource));
    buf_add_cell(out, queue->n.known ? queue->n : queue->rate, 1, 10);
    buf_add_cell(out, queue->limit, 1, 10);
    buf_add(out, "  ");
    buf_add_share_cell(out, queue->utilization, 15);
    buf_addf(out, "  %-10s", fullness_word(queue->fullness));
    struct buf least = {0};
    if (queue->least_s.known)
        buf_add_time(&least, queue->least_s.value);
    else
        buf_add(&least, "?");
    buf_addf(out, "%-9s%s\n", buf_str(&least), provenance_word(queue->limit.provenance));
    buf_release(&least);
}

static void show_queues(const struct occupancy *now, struct page *page)
{
    page_heading(page, "Each queue and each rate against its limit, per core");
    buf_add(page->out, "  resource         in use     limit      utilization  state     "
                       "least    from\n");
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (now->resource[r].utilization.known || now->resource[r].limit.known)
            add_queue(&now->resource[r], page->out);
    page_paragraph(page,
                   "Miss queues (MSHRs) hold a place for each line that is waited for: "
                   "entries. Walkers: page walks in flight. memory and links: GB/s. "
                   "arithmetic: FLOP/s. least: the time that this part alone needs for "
                   "the work of one call. from: who says the limit.");
}

static void show_verdict(const struct occupancy *now, struct page *page)
{
    page_heading(page, "What limits it");
    page_paragraph(page, "%s", buf_str(&now->limiter_sentence));
    page_paragraph(page, "%s", buf_str(&now->why_sentence));
    page_line(page, "limiter", "%s", resource_phrase(now->limiter));
    page_line(page, "why n is so", "%s", occupancy_why_word(now->why));
    page_quantity(page, "slack", now->slack, 1, "x",
                  now->slack.known
                      ? "at most, if the same work ran as fast as the busiest part allows"
                      : "");
    if (now->busiest != RESOURCE_NONE)
        page_line(page, "bound by", "%s", resource_phrase(now->busiest));
}

/* ---- work ---- */

static void show_work(const struct workbench *bench,
                      const struct measurement *measurement, struct page *page)
{
    struct kernel_counts counts = kernel_counts(bench->kernel);
    const struct traffic *traffic = &measurement->traffic;
    bool counted = measurement->has_traffic && traffic->flops.known;
    struct quantity flops = counted ? traffic->flops : counts.flops;
    struct quantity instructions =
        measurement->has_traffic ? traffic->instructions : quantity_unknown();
    struct quantity rate = quantity_divide(flops, measurement->time_s);
    struct buf arrays = {0};
    page_heading(page, "Work of one call, per core");
    page_quantity(page, "FLOPs", flops, 1, "", "");
    if (flops.known && flops.value > 0)
        page_quantity(page, "  per second", rate, 1e-9, "GFLOP/s", "");
    page_quantity(page, "instructions", instructions, 1, "",
                  instructions.known ? "" : "(no counter here counts them)");
    if (instructions.known && bench->machine.ghz > 0)
        page_quantity(
            page, "  per cycle",
            quantity_divide(instructions, quantity_scale(measurement->time_s,
                                                         bench->machine.ghz * 1e9)),
            1, "", "");
    if (measurement->has_traffic && traffic->branches_missed.known)
        page_quantity(page, "branches missed", traffic->branches_missed, 1, "", "");
    page_quantity(page, "innermost iterations", counts.iterations, 1, "", "");
    buf_add_size(&arrays, counts.footprint_bytes);
    page_line(page, "arrays", "%s in all", buf_str(&arrays));
    buf_release(&arrays);
}

void measure_text(const struct workbench *bench, const struct measurement *measurement,
                  struct page *page)
{
    measure_head(bench, page);
    if (*measurement->plan)
        page_line(page, "plan", "%s", measurement->plan);
    if (measurement->outcome != RUN_OUTCOME_OK) {
        page_heading(page, "Not measured to the end");
        page_paragraph(page, "%s: %s", run_outcome_word(measurement->outcome),
                       measurement->detail ? measurement->detail : "no more is known");
    }
    if (measurement->time_s.known)
        show_time(measurement, page);
    if (measurement->has_traffic)
        traffic_text(&measurement->traffic, page);
    else if (measurement->outcome == RUN_OUTCOME_OK && measurement->detail)
        page_paragraph(page, "What it moves is not known: %s", measurement->detail);
    if (measurement->has_occupancy) {
        show_bandwidth(bench, measurement, page);
        show_queues(&measurement->occupancy, page);
        show_verdict(&measurement->occupancy, page);
    }
    show_work(bench, measurement, page);
}
