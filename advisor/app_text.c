/* An application as text for a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/app.h"
#include "advisor/page.h"

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

static void add_head(struct page *page, const struct app *app)
{
    char *end = app_end(&app->samples);
    app_command(&app->samples, page->out);
    if (app->samples.rank)
        buf_addf(page->out, " (rank %s)", app->samples.rank);
    buf_add(page->out, "\n");
    add_load(page, app);
    if (*end)
        page_paragraph(page, "%s; this is of its time until then.", end);
    free(end);
}

/* ---- the rows ---- */

static void add_place(const struct app_row *row, struct buf *out)
{
    const struct hot_routine *routine = row->routine;
    const char *file = row->source ? row->source : routine->file;
    if (routine->kind == HOT_NO_FILE)
        buf_addf(out, "%s, code without a file", routine->name);
    else if (routine->kind == HOT_MODULE)
        buf_addf(out, "somewhere in %s, which has no symbols there", routine->name);
    else if (routine->kind == HOT_SYMBOL)
        buf_addf(out, "%s in %s, no debug information", routine->name,
                 path_base(routine->module));
    else
        buf_addf(out, "%s, %s:%d", routine->name, file, routine->line);
    if (routine->language && strcmp(routine->language, "C"))
        buf_addf(out, " (%s)", routine->language);
}

static void add_more(const struct app *app, const struct app_row *row, struct buf *out)
{
    const struct hot_routine *routine = row->routine;
    if (routine->inlined_into)
        buf_addf(out, "; inlined into %s", routine->inlined_into);
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
    struct buf share = {0}, text = {0};
    add_share(&share, loop->share, 0);
    buf_addf(&text, "%s in the loop", buf_str(&share));
    if (loop->line)
        buf_addf(&text, " at line %d", loop->line);
    if (loop->first_line && loop->first_line == loop->last_line)
        buf_addf(&text, "%s line %d", loop->line ? ", code of" : " of", loop->first_line);
    else if (loop->first_line)
        buf_addf(&text, "%s lines %d to %d", loop->line ? ", code of" : " of",
                 loop->first_line, loop->last_line);
    else if (!loop->line && routine->kind == HOT_SOURCE)
        buf_add(&text, " whose lines are not known");
    page_line(page, "", "%s", buf_str(&text));
    buf_release(&share);
    buf_release(&text);
}

static void add_row(struct page *page, const struct app *app, const struct app_row *row)
{
    struct buf share = {0}, text = {0};
    add_share(&share, row->routine->share, 0);
    add_place(row, &text);
    add_more(app, row, &text);
    page_line(page, buf_str(&share), "%s", buf_str(&text));
    for (size_t i = 0; i < row->routine->loop_nr; i++) {
        const struct hot_loop *loop = &row->routine->loop[i];
        if (hot_matters(loop->samples, loop->share) && i < 4)
            add_loop(page, row->routine, loop);
    }
    buf_release(&share);
    buf_release(&text);
}

static void add_rows(struct page *page, const struct app *app)
{
    uint64_t shown = 0;
    page_heading(page, "Where the CPU time goes");
    for (size_t i = 0; i < app->row_nr; i++) {
        add_row(page, app, &app->row[i]);
        shown += app->row[i].routine->samples;
    }
    if (app->hot.nr > app->row_nr)
        page_line(page, "",
                  "the other %.1f %% lie in %zu routines, each of them too little "
                  "to be ranked",
                  100 * (double)(app->hot.total - shown) / (double)app->hot.total,
                  app->hot.nr - app->row_nr);
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
    add_interval(&text, row->gbs, 1, "GB/s");
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

static void add_next(struct page *page, const struct app *app)
{
    page_heading(page, "What to type next");
    for (size_t i = 0; i < app->row_nr; i++) {
        const struct app_row *row = &app->row[i];
        if (row->why_not)
            page_paragraph(page, "%s: %s", row->routine->name, row->why_not);
        if (!row->tune)
            continue;
        page_paragraph(page, "%s:", row->routine->name);
        add_command(page, row->capture);
        add_command(page, row->tune);
    }
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
