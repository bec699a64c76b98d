/* The report on regions for a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/layout.h"
#include "core/base/figures.h"
#include "observe/report/regions_report.h"

/* Regions that are explained without --evidence, and of each the first of the advice. */
enum { EXPLAINED = 3, ADVISED = 3, PROGRAM_COLUMNS = 60 };
/* Times as much as the region could move: what it spends its time on is not memory. */
static const double far_from_memory = 10;

/* ---- the head ---- */

static void add_plural(struct buf *out, size_t nr, const char *word, const char *more)
{
    buf_addf(out, ", %zu %s%s", nr, word, nr == 1 ? "" : more);
}

/* The command on one line, the rest of a long one left out. Caller frees. */
static char *short_program(const struct regions_report *report)
{
    char *text =
        region_shown(report->program ? report->program : report->settings->regions);
    size_t length = strlen(text);
    if (length > PROGRAM_COLUMNS)
        memcpy(text + PROGRAM_COLUMNS - 4, " ...", 5);
    return text;
}

static void add_head(const struct regions_report *report, struct layout *layout)
{
    const struct region_profile *profile = &report->profile;
    struct buf line = {0};
    size_t threads = 0;
    char *program = short_program(report);
    buf_addf(&line, "%s: ", program);
    free(program);
    buf_add_time(&line, report->wall_s);
    for (size_t i = 0; i < profile->process_nr; i++)
        threads += profile->process[i].threads;
    if (profile->process_nr)
        add_plural(&line, profile->process_nr, "process", "es");
    if (profile->process_nr)
        add_plural(&line, threads, "marked thread", "s");
    if (profile->hosts > 1)
        add_plural(&line, profile->hosts, "machine", "s");
    if (report->ended)
        buf_addf(&line, "; it %s", report->ended);
    buf_add_wrapped(layout->out, buf_str(&line), 2, layout->width);
    buf_add(layout->out, "\n");
    buf_release(&line);
}

static void add_empty(const struct regions_report *report, struct layout *layout)
{
    const char *rest = "#include <inflight.h>, inflight_region_begin(\"name\") and "
                       "inflight_region_end(\"name\") around what matters, and "
                       "-linflight_regions (docs/reference/regions.md)";
    if (report->profile.region_nr)
        return;
    if (report->profile.process_nr)
        layout_paragraph(layout, "No region was entered. Mark what matters: %s.", rest);
    else if (report->program)
        layout_paragraph(
            layout,
            "No process of the program has region markers. Add them: %s; or let "
            "samples find the hot loops, without a change: inflight advise -- "
            "%s",
            rest, report->program);
    else
        layout_paragraph(
            layout,
            "No process left anything in '%s'. Was INFLIGHT_REGIONS set when "
            "the program began, and has it markers: %s?",
            report->settings->regions, rest);
}

/* ---- the tables ---- */

static void add_time(struct buf *out, double seconds, int width)
{
    struct buf text = {0};
    buf_add_time(&text, seconds);
    buf_addf(out, " %*s", width, buf_str(&text));
    buf_release(&text);
}

static void add_count(struct buf *out, double count, int width)
{
    if (count < 1e7)
        buf_addf(out, " %*.0f", width, count);
    else
        buf_addf(out, " %*.2e", width, count);
}

/* Indented; a long one stands on a line of its own. */
static void add_name(struct buf *out, const char *name, int depth, int width)
{
    char *shown = region_shown(name);
    int indent = 2 + 2 * (depth < 8 ? depth : 8);
    buf_add_repeat(out, ' ', (size_t)indent);
    buf_add(out, shown);
    int used = indent + (int)strlen(shown);
    if (used > width) {
        buf_add(out, "\n");
        used = 0;
    }
    buf_add_repeat(out, ' ', (size_t)(width - used));
    free(shown);
}

static const struct region *region_of(const struct region_profile *profile,
                                      const char *name)
{
    size_t i = 0;
    while (strcmp(profile->region[i].name, name))
        i++;
    return &profile->region[i];
}

/* Several call paths may have one name; the first shows the time of all. */
static bool is_first(const struct region_profile *profile, const struct region_path *path)
{
    const struct region_path *one = profile->path;
    while (strcmp(one->name, path->name))
        one++;
    return one == path;
}

static void add_row(const struct regions_report *report, const struct region_path *path,
                    struct buf *out)
{
    const struct region *region = region_of(&report->profile, path->name);
    const struct region_numbers *numbers = &path->numbers;
    double wall = region->wall_s.value;
    double per = numbers->calls + numbers->unfinished;
    add_name(out, path->name, path->depth, 23);
    add_count(out, numbers->calls, 8);
    if (is_first(&report->profile, path)) {
        add_time(out, wall, 9);
        buf_addf(out, " %4.0f%%", report->wall_s > 0 ? 100 * wall / report->wall_s : 0);
    } else {
        buf_addf(out, " %9s %5s", "\"", "\"");
    }
    add_time(out, numbers->thread_s, 9);
    add_time(out, numbers->own_s, 9);
    add_time(out, per > 0 ? numbers->thread_s / per : 0, 9);
    buf_add(out, "\n");
}

/* Depth first, each path under its caller. */
static void add_rows(const struct regions_report *report, size_t parent, struct buf *out)
{
    for (size_t i = 0; i < report->profile.path_nr; i++)
        if (report->profile.path[i].parent == parent) {
            add_row(report, &report->profile.path[i], out);
            add_rows(report, i, out);
        }
}

static void add_table(const struct regions_report *report, struct layout *layout)
{
    layout_heading(layout, "Regions, within what calls them");
    buf_addf(layout->out, "  %-21s %8s %9s %5s %9s %9s %9s\n", "", "calls", "wall",
             "share", "threads", "own", "a call");
    add_rows(report, SIZE_MAX, layout->out);
    layout_paragraph(layout,
                     "wall: while any thread was in the region, and its share of the "
                     "program; threads: the time of all of them; own: without the "
                     "regions within; a call: on average, with them.");
}

/* ---- one region ---- */

static void add_verdicts(const struct regions_report *report,
                         const struct region_answer *one, struct layout *layout)
{
    const struct rule_verdicts *verdicts = &one->answer.verdicts;
    bool used[64] = {false};
    size_t max = report->settings->evidence ? 64 : ADVISED;
    for (size_t n = 0; n < max; n++) {
        size_t best = verdicts->nr;
        double bound = 0;
        for (size_t i = 0; i < verdicts->nr && i < ARRAY_SIZE(used); i++) {
            const struct rule_verdict *verdict = &verdicts->item[i];
            struct quantity max_of = answer_bound(&one->answer, verdict);
            double value = max_of.known ? max_of.value : 1;
            if (used[i] || verdict->verdict != VERDICT_TRY || value <= bound ||
                rule_verdicts_deciding(verdicts, verdict->transformation) != verdict)
                continue;
            best = i;
            bound = value;
        }
        if (best == verdicts->nr)
            break;
        const struct rule_verdict *verdict = &verdicts->item[best];
        struct quantity min = answer_bound(&one->answer, verdict);
        char *limit = min.known ? xasprintf("at most %.2fx; ", min.value) : xstrdup("");
        layout_line(layout, verdict->transformation, "%s%s [%s]", limit, verdict->reason,
                    verdict->rule);
        free(limit);
        used[best] = true;
    }
}

static void add_counted(const struct region_answer *one, struct layout *layout)
{
    json_t *facts = metrics_facts_json(&one->given.facts, &one->answer.occupancy);
    metrics_facts_text(facts, layout->width, layout->out);
    json_decref(facts);
}

static void add_occupancy(const struct regions_report *report,
                          const struct region_answer *one, struct layout *layout)
{
    const struct occupancy *occupancy = &one->answer.occupancy;
    char *access = access_text(one->answer.random_share);
    struct buf text = {0};
    buf_addf(&text, "%.4g GB/s of memory", one->answer.gbs);
    if (occupancy->paper_n.known)
        buf_addf(&text,
                 ", latency at this load %s%.0f ns: %s%.2f lines in flight on each of %d "
                 "core%s",
                 one->answer.end_gbs > 0 ? "at least " : "", occupancy->latency_ns.value,
                 one->answer.end_gbs > 0 ? "at least " : "", occupancy->paper_n.value,
                 one->answer.cores, one->answer.cores == 1 ? "" : "s");
    layout_paragraph(layout, "%s; %s. Bytes %s.", buf_str(&text), access,
                     one->given.source);
    layout_paragraph(layout, "%s", buf_str(&occupancy->diagnosis.sentence));
    layout_paragraph(layout, "%s", buf_str(&occupancy->diagnosis.reason));
    add_counted(one, layout);
    bool far = occupancy->slack.known && occupancy->slack.value > far_from_memory;
    if (far)
        layout_paragraph(layout,
                         "Memory is hardly used: what takes the time is elsewhere, in "
                         "computing, waiting, or calls too short to measure.");
    if (!far || one->given.facts.set)
        add_verdicts(report, one, layout);
    if (!one->answer.random_share.known)
        layout_paragraph(layout,
                         "The random share is not known: --access, or "
                         "inflight_region_access, would say which queue matters.");
    buf_release(&text);
    free(access);
}

static void add_figures(const struct region *region, const struct region_answer *one,
                        struct layout *layout)
{
    const struct region_numbers *numbers = &region->numbers;
    struct buf text = {0};
    double threads = region->hosts_s > 0 ? numbers->thread_s / region->hosts_s : 0;
    buf_addf(&text, "%.2f threads at once", threads);
    if (one->by_processor_time)
        buf_addf(&text, ", %.2f cores busy%s", one->cores.value,
                 one->cores.value < 0.75 * threads
                     ? " (they wait, or others use the processors)"
                     : "");
    if (region->thread.nr > 1 && region->thread.mean > 0)
        buf_addf(&text, "; %zu threads, the longest %.2f times the mean",
                 region->thread.nr, region->thread.max / region->thread.mean);
    if (region->process.nr > 1 && region->process.mean > 0)
        buf_addf(&text, "; %zu processes, the longest %.2f times the mean",
                 region->process.nr, region->process.max / region->process.mean);
    double faults = numbers->minor_faults + numbers->major_faults;
    if (faults >= 1)
        buf_addf(&text, "; %.0f page fault%s", faults, faults == 1 ? "" : "s");
    layout_paragraph(layout, "%s.", buf_str(&text));
    buf_release(&text);
}

static void add_counts(const struct regions_report *report, const struct region *region,
                       struct layout *layout)
{
    for (size_t i = 0; i < report->profile.event_nr; i++) {
        struct buf text = {0};
        buf_add_number(&text, region->numbers.count[i]);
        layout_line(layout, report->profile.event[i], "%s", buf_str(&text));
        buf_release(&text);
    }
}

static void add_region(const struct regions_report *report, size_t i,
                       struct layout *layout)
{
    const struct region *region = &report->profile.region[i];
    const struct region_answer *one = &report->answer[i];
    char *name = region_shown(region->name);
    layout_heading(layout, name);
    add_figures(region, one, layout);
    add_counts(report, region, layout);
    if (one->why_not)
        layout_paragraph(layout, "Occupancy unknown: %s.", one->why_not);
    else
        add_occupancy(report, one, layout);
    free(name);
}

/* Those with most time of their own first. */
static void add_explained(const struct regions_report *report, struct layout *layout)
{
    size_t nr = report->profile.region_nr,
           left = report->settings->evidence ? nr : EXPLAINED;
    bool *done = xcalloc(nr + 1, sizeof(*done));
    for (; left; left--) {
        size_t max = nr;
        for (size_t i = 0; i < nr; i++)
            if (!done[i] && (max == nr || report->profile.region[i].numbers.own_s >
                                              report->profile.region[max].numbers.own_s))
                max = i;
        if (max == nr)
            break;
        done[max] = true;
        add_region(report, max, layout);
    }
    if (!report->settings->evidence && nr > EXPLAINED) {
        layout_heading(layout, "Further regions");
        layout_paragraph(layout,
                         "%zu more are explained with --evidence, and all with --json.",
                         nr - EXPLAINED);
    }
    free(done);
}

static double largest_pair_ns(const struct region_profile *profile)
{
    double max = 0;
    for (size_t i = 0; i < profile->process_nr; i++)
        max = fmax(max, profile->process[i].pair_ns);
    return max;
}

static void add_notes(const struct regions_report *report, struct layout *layout)
{
    if (!report->note.nr && !report->profile.region_nr)
        return;
    layout_heading(layout, "Notes");
    for (size_t i = 0; i < report->note.nr; i++)
        layout_paragraph(layout, "%s", report->note.v[i]);
    if (report->profile.region_nr)
        layout_paragraph(layout, "A pair of markers costs %.0f ns here.",
                         largest_pair_ns(&report->profile));
}

void regions_text(const struct regions_report *report, struct buf *out)
{
    struct layout layout =
        layout_on(out, term_colour(stdout, report->settings->colour), 79);
    add_head(report, &layout);
    add_empty(report, &layout);
    if (report->profile.region_nr) {
        add_table(report, &layout);
        add_explained(report, &layout);
    }
    add_notes(report, &layout);
}
