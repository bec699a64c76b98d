/* An application as text for a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/page.h"
#include "observe/report/app.h"

/* ---- what was run ---- */

static void add_load(struct page *page, const struct app *app)
{
    const struct samples *samples = &app->samples;
    double cpu = samples->user_s + samples->system_s;
    struct buf text = {0};
    buf_add_time(&text, samples->wall_s);
    if (cpu > 0) {
        buf_add(&text, ", ");
        buf_add_time(&text, cpu);
        buf_addf(&text, " of CPU time (%.2f cores on average, %.0f %% in the kernel)",
                 cpu / samples->wall_s, 100 * samples->system_s / cpu);
    }
    buf_addf(&text, "; %zu thread%s in %zu process%s", app->hot.threads,
             app->hot.threads == 1 ? "" : "s", app->hot.processes,
             app->hot.processes == 1 ? "" : "es");
    page_paragraph(page, "%s", buf_str(&text));
    buf_release(&text);
}

/* Shares of what ran say little of a program that mostly does not. */
static void add_waiting(struct page *page, const struct app *app)
{
    double ran = app->hot.busiest_s / app->samples.wall_s;
    if (ran < 0.8)
        page_paragraph(
            page,
            "Its busiest thread ran for %.0f %% of that time: else it waited for "
            "input, for others, for the kernel or for a core to be free. Gains "
            "are of the time in which it ran.",
            100 * ran);
}

static void add_head(struct page *page, const struct app *app)
{
    char *end = app_end(&app->samples);
    app_command(&app->samples, page->out);
    if (app->samples.rank)
        buf_addf(page->out, " (rank %s)", app->samples.rank);
    buf_add(page->out, "\n");
    add_load(page, app);
    add_waiting(page, app);
    if (*end)
        page_paragraph(page, "%s; this is of its time until then.", end);
    free(end);
}

/* ---- the rows ---- */

/* Without what stands between < and >: of templates only few read all. */
static void add_name(const char *name, struct buf *out)
{
    int depth = 0;
    for (const char *at = name; *at; at++) {
        bool is_operator = at - name >= 8 && !strncmp(at - 8, "operator", 8);
        if (is_operator && !depth) {
            size_t length = strspn(at, "<>=-");
            buf_add_n(out, at, length ? length : 1);
            at += length ? length - 1 : 0;
        } else if (*at == '<')
            depth++;
        else if (*at == '>' && depth)
            depth--;
        else if (!depth)
            buf_add_n(out, at, 1);
    }
}

/* "96% (92-98)  text": narrower than labels of other reports, since names are long. */
static void add_shared(struct page *page, struct quantity share, size_t before,
                       const char *text)
{
    struct buf label = {0};
    buf_add_share_cell(&label, share, 0);
    buf_addf(page->out, "%*s%-13s", (int)before, "", buf_str(&label));
    buf_add(page->out, label.length > 12 ? " " : "");
    buf_add_wrapped(page->out, text, before + 13, page->width);
    buf_add(page->out, "\n");
    buf_release(&label);
}

static void add_place(const struct app_row *row, struct buf *out)
{
    const struct hot_routine *routine = row->routine;
    const char *file = row->source ? row->source : routine->file;
    if (routine->kind == HOT_MODULE)
        buf_add(out, "somewhere in ");
    add_name(routine->name, out);
    if (routine->kind == HOT_NO_FILE)
        buf_add(out, ", code without a file");
    else if (routine->kind == HOT_MODULE)
        buf_add(out, ", no symbols there");
    else if (routine->kind == HOT_SYMBOL)
        buf_addf(out, " in %s, no debug information", path_base(routine->module));
    else
        buf_addf(out, ", %s:%d", file, routine->line);
    if (routine->kind == HOT_SOURCE && routine->language &&
        strcmp(routine->language, "C"))
        buf_addf(out, " (%s)", routine->language);
}

static void add_more(const struct app *app, const struct app_row *row, struct buf *out)
{
    const struct hot_routine *routine = row->routine;
    if (routine->inlined_into) {
        buf_add(out, "; inlined into ");
        add_name(routine->inlined_into, out);
    }
    if (app->hot.threads > 1)
        buf_addf(out, "; %zu thread%s", routine->threads,
                 routine->threads == 1 ? "" : "s");
    if (row->whole_if_twice.known && row->whole_if_twice.value >= 1.02)
        buf_addf(out, "; twice as fast, the program gains %.2fx at most",
                 row->whole_if_twice.value);
}

static void add_loop(struct page *page, const struct hot_routine *routine,
                     const struct hot_loop *loop)
{
    struct buf text = {0};
    int first = loop->line ? loop->line : loop->first_line;
    if (loop->line)
        buf_addf(&text, "in the loop at line %d", loop->line);
    else if (loop->first_line)
        buf_addf(&text, "in a loop with code of line %d", loop->first_line);
    else
        buf_add(&text,
                routine->kind == HOT_SOURCE ? "in a loop without lines" : "in a loop");
    if (loop->last_line > first)
        buf_addf(&text, ", up to line %d", loop->last_line);
    add_shared(page, loop->share, 4, buf_str(&text));
    buf_release(&text);
}

static void add_row(struct page *page, const struct app *app, const struct app_row *row)
{
    struct buf text = {0};
    add_place(row, &text);
    add_more(app, row, &text);
    add_shared(page, row->routine->share, 2, buf_str(&text));
    for (size_t i = 0; i < row->routine->loop_nr && i < 4; i++)
        if (hot_matters(row->routine->loop[i].samples, row->routine->loop[i].share))
            add_loop(page, row->routine, &row->routine->loop[i]);
    buf_release(&text);
}

static void add_rows(struct page *page, const struct app *app)
{
    uint64_t shown = 0;
    size_t more = app->hot.nr - app->row_nr;
    page_heading(page, "Where the CPU time goes");
    for (size_t i = 0; i < app->row_nr; i++) {
        add_row(page, app, &app->row[i]);
        shown += app->row[i].routine->samples;
    }
    if (more)
        page_paragraph(page,
                       "The other %.1f %% lie in %zu routine%s, %s too little to be "
                       "ranked.",
                       100 * (double)(app->hot.total - shown) / (double)app->hot.total,
                       more, more == 1 ? "" : "s", more == 1 ? "" : "each ");
}

/* ---- memory ---- */

static void add_verdicts(struct page *page, const struct answer *answer)
{
    for (size_t i = 0; i < answer->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &answer->verdicts.item[i];
        struct quantity bound = answer_bound(answer, verdict);
        struct buf text = {0};
        if (verdict->verdict != VERDICT_TRY ||
            rule_verdicts_deciding(&answer->verdicts, verdict->transformation) != verdict)
            continue;
        if (bound.known)
            buf_addf(&text, "at most %.2fx; ", bound.value);
        buf_addf(&text, "%s [%s]", verdict->reason, verdict->rule);
        page_line(page, verdict->transformation, "%s", buf_str(&text));
        buf_release(&text);
    }
}

static void add_memory_of(struct page *page, const struct app_row *row)
{
    struct buf text = {0};
    if (!row->answer) {
        if (row->answer_why)
            page_paragraph(page, "%s: %s", row->routine->name, row->answer_why);
        return;
    }
    buf_add_figure(&text, row->gbs, 1, "GB/s");
    page_paragraph(page, "%s: %s read from memory by %d core%s. %s", row->routine->name,
                   buf_str(&text), row->answer->cores, row->answer->cores == 1 ? "" : "s",
                   buf_str(&row->answer->occupancy.limiter_sentence));
    add_verdicts(page, row->answer);
    buf_release(&text);
}

static void add_memory(struct page *page, const struct app *app)
{
    page_heading(page, "What limits it");
    if (!app->samples.miss_event) {
        page_paragraph(page,
                       "Not known from here: %s, so nobody counted the bytes that each "
                       "routine moves. Tuning a routine finds them with the cache model; "
                       "'inflight profile' takes them from regions that declare theirs.",
                       app->samples.miss_why ? app->samples.miss_why
                                             : "cache misses were not sampled");
        return;
    }
    for (size_t i = 0; i < app->row_nr; i++)
        add_memory_of(page, &app->row[i]);
}

/* ---- the next commands ---- */

static void add_command(struct page *page, const char *command)
{
    buf_addf(page->out, "    %s\n", command); /* to be pasted: never wrapped */
}

/* The names of all rows from `first` on that have the same reason. */
static void add_reason(struct page *page, const struct app *app, size_t first)
{
    const char *why_not = app->row[first].why_not;
    struct buf names = {0};
    for (size_t i = 0; i < app->row_nr; i++) {
        if (!app->row[i].why_not || strcmp(app->row[i].why_not, why_not))
            continue;
        if (i < first) { /* said already */
            buf_release(&names);
            return;
        }
        buf_add(&names, names.length ? ", " : "");
        add_name(app->row[i].routine->name, &names);
    }
    page_paragraph(page, "%s: %s.", buf_str(&names), why_not);
    buf_release(&names);
}

static void add_next(struct page *page, const struct app *app)
{
    page_heading(page, "What to type next");
    for (size_t i = 0; i < app->row_nr; i++) {
        const struct app_row *row = &app->row[i];
        struct buf name = {0};
        if (!row->tune)
            continue;
        add_name(row->routine->name, &name);
        page_paragraph(page, "%s:", buf_str(&name));
        add_command(page, row->capture);
        add_command(page, row->tune);
        buf_release(&name);
    }
    for (size_t i = 0; i < app->row_nr; i++)
        if (app->row[i].why_not)
            add_reason(page, app, i);
    if (app->row_nr == 0)
        page_paragraph(page, "Nothing: no routine stands out.");
    if (app->unknown_build)
        page_paragraph(page, "BUILD stands for the command that builds the program.");
}

/* ---- what it rests on ---- */

static void add_base(struct page *page, const struct app *app)
{
    const struct samples *samples = &app->samples;
    struct quantity overhead = app_overhead(app);
    page_heading(page, "What this rests on");
    page_line(page, "samples", "%llu at %.0f Hz of each running thread, in user mode%s",
              (unsigned long long)samples->total, samples->frequency_hz,
              samples->lost ? "" : "; none was lost");
    if (samples->lost)
        page_line(page, "lost",
                  "%llu samples or records: shares may be off by as much; a lower "
                  "--frequency loses fewer",
                  (unsigned long long)samples->lost);
    if (app_seen(samples) < 0.9)
        page_line(page, "not seen",
                  "%.0f %% of the CPU time in user mode: of processes that ended before "
                  "their first sample was due; a higher --frequency sees more",
                  100 * (1 - app_seen(samples)));
    page_line(page, "not resolved",
              "%.1f %%: no debug information says which function it is",
              100 * (double)app->hot.unresolved / (double)app->hot.total);
    if (overhead.known)
        page_line(page, "overhead",
                  "about %.2g %% of its time: a sample takes %.2g us "
                  "here (%.2g to %.2g)",
                  100 * overhead.value, 1e6 * app->cost_s.value, 1e6 * app->cost_s.low,
                  1e6 * app->cost_s.high);
    else if (!app->recorded)
        page_line(page, "overhead", "below what can be told from noise here");
}

void app_text(const struct app *app, bool colour, int columns, struct buf *out)
{
    struct page page = page_on(out, colour, columns);
    add_head(&page, app);
    add_rows(&page, app);
    add_memory(&page, app);
    add_next(&page, app);
    add_base(&page, app);
}
