/* What came of a program: first how much faster it is, then loop by loop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/application/application.h"
#include "advisor/cli/layout.h"
#include "core/base.h"

static const char *end_word(enum loop_end end)
{
    static const char *const word[] = {
#define X(name, word) [LOOP_##name] = word,
        LOOP_END_MAP(X)
#undef X
    };
    return word[end];
}

/* Loops; of what is confirmed, changes of the memory besides. */
static size_t count_ends(const struct application *app, enum loop_end end)
{
    size_t nr = 0;

    for (size_t i = 0; i < app->loop_nr; i++)
        nr += app->loop[i].end == end;
    for (size_t i = 0; i < MEMORY_NR && end == LOOP_CONFIRMED; i++)
        nr += app->memory[i].end == end;
    return nr;
}

/* ---- the verdict ---- */

/* A plan or a change of the memory, whatever came of it. */
static bool was_tried(const struct application *app)
{
    bool tried = count_ends(app, LOOP_NOTHING) + count_ends(app, LOOP_UNCONFIRMED) > 0;

    for (size_t i = 0; i < MEMORY_NR; i++)
        tried = tried || app->memory[i].end == LOOP_UNCONFIRMED;
    return tried;
}

const char *application_doubt(const struct application *app)
{
    return app->whole.sentence ? app->whole.sentence : app->whole.output;
}

/* Of its time: 1 / gain. */
static struct quantity share_of_time(struct quantity gain)
{
    return quantity_divide(quantity_exact(1, gain.provenance), gain);
}

/* Of what is confirmed: with how many captured inputs its results were compared. */
static size_t calls_compared(const struct application *app)
{
    size_t nr = 0;

    for (size_t i = 0; i < app->loop_nr; i++) {
        const struct application_loop *loop = &app->loop[i];

        nr += loop->end == LOOP_CONFIRMED;
        for (size_t k = 1; k < loop->size_nr && loop->end == LOOP_CONFIRMED; k++)
            nr += loop->size[k].gain.known;
    }
    return nr;
}

static void add_output(struct buf *out, const struct application *app)
{
    const struct app_output_state *shown = &app->whole.shown;
    size_t calls = calls_compared(app);

    if (app->settings->in_app_check)
        buf_add(out, "the check passes after each; ");
    if (!shown->compared && calls)
        buf_addf(out,
                 "its output cannot show it: results of the loop%s were compared "
                 "instead, on %zu captured call%s",
                 count_ends(app, LOOP_CONFIRMED) == 1 ? "" : "s", calls,
                 calls == 1 ? "" : "s");
    else if (!shown->compared)
        buf_add(out, "its output cannot show it, for it holds no result");
    else if (shown->digits < APP_OUTPUT_SAME)
        buf_addf(out, "the numbers of its output agree to %d digits", shown->digits);
    else
        buf_add(out, "its output is unchanged");
    if (shown->compared && shown->varies)
        buf_addf(out, ", but for what varies from run to run in %zu line%s",
                 shown->varies, shown->varies == 1 ? "" : "s");
}

static void show_gain(struct layout *layout, const struct application *app)
{
    struct quantity share = share_of_time(app->whole.program);
    struct buf output = {0};

    add_output(&output, app);
    layout_paragraph(
        layout,
        "The program now takes %.2f of its former time (%.2f to %.2f, 95 %%): %.3g s "
        "instead of %.3g s, by %zu pairs of runs in turn; %s.",
        share.value, share.low, share.high, app->whole.program_s[1].value,
        app->whole.program_s[0].value, app->whole.pair_nr, buf_str(&output));
    buf_release(&output);
}

/* How the user comes to have it. */
static void show_remedy(struct layout *layout, const struct application *app)
{
    if (app->environment)
        layout_paragraph(layout, "Run it with this, or set it where it is started: %s",
                         app->environment);
    if (app->file_nr)
        layout_paragraph(layout, "Written to '%s'; apply it in '%s': patch -p1 < %s",
                         app->output, app->root, app->output);
}

static void show_verdict(struct layout *layout, const struct application *app)
{
    size_t confirmed = count_ends(app, LOOP_CONFIRMED),
           ready = count_ends(app, LOOP_READY);
    bool faster = in_app_claim_of(app->whole.program) == IN_APP_FASTER;

    if (app->settings->dry_run)
        layout_paragraph(layout,
                         "Of %zu hot loops %zu would be tuned; nothing was written.",
                         app->loop_nr, ready);
    else if (confirmed && application_doubt(app))
        layout_paragraph(layout,
                         "%zu changes help one by one, but no gain is claimed for all of "
                         "them together: %s. Confirmed one by one:",
                         confirmed, application_doubt(app));
    else if (faster)
        show_gain(layout, app);
    else if (confirmed)
        layout_paragraph(layout, "%zu change%s confirmed, not yet all together%s%s.",
                         confirmed, confirmed == 1 ? " is" : "s are",
                         app->late ? ": " : "", app->late ? app->late : "");
    else
        layout_paragraph(layout, "The program stays as it is: %s. Nothing was written.",
                         was_tried(app)
                             ? "no change makes it faster beyond the noise"
                             : "nothing could be tried, for the reasons below");
    if (!app->settings->dry_run && confirmed)
        show_remedy(layout, app);
    if (app->interrupted)
        layout_paragraph(layout, "Interrupted: this is what was known by then.");
}

static const char undecided[] = "interrupted before anything was known about it";

/* ---- loops ---- */

static char *place_of(const struct application_loop *loop)
{
    const char *file = loop->file ? loop->file : loop->module;

    return loop->line > 0 ? xasprintf("%s:%d", file, loop->line) : xstrdup(file);
}

/* Wider than this is no figure, but noise around one. */
static const double interval_max = 4;

static void add_gain(struct buf *out, const char *what, struct quantity gain)
{
    if (gain.known && gain.high <= interval_max * gain.low)
        buf_addf(out, "; %s %.2fx as fast (%.2f to %.2f)", what, gain.value, gain.low,
                 gain.high);
}

/* Of more than one. */
static void add_sizes(struct buf *out, const struct application_loop *loop)
{
    if (loop->size_nr < 2 || !loop->plan)
        return;
    buf_addf(out, "; called with %s%zu sizes, tuned for %s",
             loop->sizes_are_some ? "at least " : "", loop->size_nr,
             loop->size[0].numbers);
    if (loop->sizes_are_some)
        buf_addf(out, " (call %lld of %lld)", loop->size[0].captured_call, loop->calls);
    else
        buf_addf(out, " (%lld of %lld calls)", loop->size[0].calls, loop->calls);
    for (size_t i = 1; i < loop->size_nr; i++) {
        const struct loop_size *size = &loop->size[i];

        if (!size->gain.known)
            continue;
        char *phrase = in_app_gain_phrase(size->gain);
        buf_addf(out, "; with %s", size->numbers);
        if (!loop->sizes_are_some)
            buf_addf(out, " (%lld calls)", size->calls);
        buf_addf(out, ": %s%s", phrase,
                 size->original ? ", so that the original loop runs there" : "");
        free(phrase);
    }
}

/* The question that it leaves: would the user permit that? */
static void show_question(struct layout *layout, const struct application_loop *loop)
{
    const struct application_question *question = &loop->question;
    const struct app_output_state *shown = &question->in_app.shown;
    struct buf line = {0};

    if (question->expected <= 0)
        return;
    if (!question->plan) {
        buf_addf(&line, "%.1fx is expected of sums in another order; not measured: %s",
                 question->expected, question->why ? question->why : undecided);
    } else {
        buf_addf(&line, "%s", question->plan);
        add_gain(&line, "alone", question->alone);
        char *phrase = in_app_gain_phrase(question->in_app.program);
        if (question->why || question->in_app.sentence)
            buf_addf(&line, "; in the program: %s",
                     question->why ? question->why : question->in_app.sentence);
        else
            buf_addf(&line, "; the program as tuned so far: %s", phrase);
        free(phrase);
        if (shown->compared && shown->digits == APP_OUTPUT_SAME)
            buf_add(&line, "; its output is then the same");
        else if (shown->compared && shown->digits >= APP_OUTPUT_ROUNDED)
            buf_addf(&line,
                     "; its output then agrees to %d digits: add --tolerance 1e-%d",
                     shown->digits, shown->digits);
        else if (shown->compared)
            buf_add(&line, "; its output is then another one, also when rounded");
    }
    layout_line(layout, "  --reassociate", "%s", buf_str(&line));
    buf_release(&line);
}

/* Threads are the user's: more of them are advice. */
static void show_parallel(struct layout *layout, const struct application_loop *loop)
{
    if (loop->parallel > 0)
        layout_line(
            layout, "  parallel",
            "%.1fx is expected of all cores; it runs in %lld thread%s and is left "
            "so: '#pragma omp parallel for' is yours to add",
            loop->parallel, loop->threads, loop->threads == 1 ? "" : "s");
}

static void show_loop(struct layout *layout, const struct application_loop *loop)
{
    struct quantity share = loop->row->routine->share;
    char *place = place_of(loop),
         *label = xasprintf("%.0f%% (%.0f-%.0f)", 100 * share.value, 100 * share.low,
                            100 * share.high);
    struct buf line = {0};

    buf_addf(&line, "%s, %s: ", loop->row->routine->name, place);
    if (strcmp(loop->routine, loop->row->routine->name) != 0)
        buf_addf(&line, "in the loop of %s that calls it: ", loop->routine);
    switch (loop->end) {
    case LOOP_REFUSED:
        buf_addf(&line, "not tuned: %s", loop->why ? loop->why : undecided);
        break;
    case LOOP_READY:
        buf_addf(&line, "would be tuned%s%s", loop->prepared ? ": " : "",
                 loop->prepared ? loop->prepared : "");
        break;
    case LOOP_CONFIRMED:
        buf_addf(&line, "%s%s%s", loop->plan, loop->prepared ? "; " : "",
                 loop->prepared ? loop->prepared : "");
        break;
    case LOOP_UNDECIDED:
        buf_add(&line, undecided);
        break;
    default:
        buf_addf(&line, "%s%s%s", loop->plan ? loop->plan : "", loop->plan ? ": " : "",
                 loop->why ? loop->why : undecided);
    }
    add_gain(&line, "alone", loop->alone);
    add_sizes(&line, loop);
    if (loop->end == LOOP_CONFIRMED)
        add_gain(&line, "the program", loop->in_app.program);
    layout_line(layout, label, "%s", buf_str(&line));
    show_question(layout, loop);
    show_parallel(layout, loop);
    buf_release(&line);
    free(place);
    free(label);
}

/* ---- memory ---- */

/* What page faults cost is in the kernel's share of the time; page walks are in the
 * program's own, and threads that wait for the kernel in neither. */
static void show_expected(struct layout *layout, const struct application *app)
{
    const struct samples *samples = &app->app.samples;
    double kernel = samples->system_s / (samples->user_s + samples->system_s);

    if (kernel > 0 && kernel < 1)
        layout_paragraph(layout,
                         "%ld page faults; %.0f %% of its CPU time is in the kernel: "
                         "without that it would be %.2fx as fast; page walks and threads "
                         "that wait for the kernel come on top.",
                         app->page_faults, 100 * kernel, 1 / (1 - kernel));
}

static void show_memory(struct layout *layout, const struct application *app,
                        enum memory_change change)
{
    const struct application_memory *memory = &app->memory[change];
    const struct in_app_result *result = &memory->in_app;
    struct buf line = {0};

    if (memory->end == LOOP_READY)
        buf_add(&line, "would be tried");
    else if (memory->end == LOOP_UNDECIDED)
        buf_add(&line, undecided);
    else if (memory->end == LOOP_CONFIRMED)
        buf_add(&line, "kept");
    else
        buf_addf(&line, "%s%s", memory->end == LOOP_REFUSED ? "not tried: " : "",
                 memory->why ? memory->why : undecided);
    if (memory->end == LOOP_CONFIRMED)
        add_gain(&line, "the program", result->program);
    if (memory->end == LOOP_CONFIRMED && result->peak_kib[0] != result->peak_kib[1])
        buf_addf(&line, "; memory: %ld MiB at most, instead of %ld MiB",
                 result->peak_kib[1] >> 10, result->peak_kib[0] >> 10);
    layout_line(layout, memory_name(change), "%s", buf_str(&line));
    buf_release(&line);
}

void application_text(const struct application *app, bool colour, int columns,
                      struct buf *out)
{
    struct layout layout = layout_on(out, colour, columns);

    show_verdict(&layout, app);
    layout_heading(&layout, "Memory of the whole program");
    show_expected(&layout, app);
    for (int change = 0; change < MEMORY_NR; change++)
        show_memory(&layout, app, (enum memory_change)change);
    layout_heading(&layout, "Hot loops, by their share of the CPU time");
    for (size_t i = 0; i < app->loop_nr; i++)
        show_loop(&layout, &app->loop[i]);
    layout_heading(&layout, "How it was done");
    layout_line(&layout, "program", "%s", app->command);
    layout_line(&layout, "built by", "%s%s", app->build,
                app->build_is_guessed
                    ? " (a guess by the files of its folder; --build says it)"
                    : "");
    layout_line(&layout, "project", "%s, in copies that have been removed", app->root);
}

/* ---- json ---- */

static json_t *sizes_json(const struct application_loop *loop)
{
    json_t *list = json_array();

    for (size_t i = 0; i < loop->size_nr; i++) {
        const struct loop_size *size = &loop->size[i];

        json_array_append_new(
            list,
            json_pack("{s:s, s:I, s:I, s:f, s:o, s:b, s:o}", "numbers", size->numbers,
                      "captured_call", (json_int_t)size->captured_call, "calls",
                      (json_int_t)size->calls, "work_share", size->work, "gain_alone",
                      json_quantity(i ? size->gain : loop->alone), "original",
                      (int)size->original, "why", text_json(size->why)));
    }
    return list;
}

static json_t *question_json(const struct application_question *question)
{
    json_t *root;

    if (question->expected <= 0)
        return json_null();
    root = json_pack("{s:s, s:f, s:o, s:o, s:o}", "option", "--reassociate", "expected",
                     question->expected, "plan", text_json(question->plan), "gain_alone",
                     json_quantity(question->alone), "why", text_json(question->why));
    if (question->in_app.end != IN_APP_NONE)
        json_object_set_new(root, "in_app",
                            in_app_to_json(&question->in_app, question->alone));
    return root;
}

static json_t *loop_json(const struct application_loop *loop)
{
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "routine",
                  loop->row->routine->name, "file", text_json(loop->file), "line",
                  loop->line > 0 ? json_integer(loop->line) : json_null(), "tuned_as",
                  loop->function, "prepared", text_json(loop->prepared), "share",
                  json_quantity(loop->row->routine->share), "end", end_word(loop->end),
                  "why", text_json(loop->why), "plan", text_json(loop->plan),
                  "gain_alone", json_quantity(loop->alone));

    json_object_set_new(root, "sizes", sizes_json(loop));
    json_object_set_new(root, "question", question_json(&loop->question));
    json_object_set_new(root, "threads", json_integer(loop->threads));
    json_object_set_new(root, "parallel_expected",
                        loop->parallel > 0 ? json_real(loop->parallel) : json_null());
    if (loop->in_app.end != IN_APP_NONE)
        json_object_set_new(root, "in_app", in_app_to_json(&loop->in_app, loop->alone));
    return root;
}

static json_t *memory_json(const struct application *app)
{
    json_t *list = json_array();

    for (int i = 0; i < MEMORY_NR; i++) {
        const struct application_memory *memory = &app->memory[i];
        json_t *item =
            json_pack("{s:s, s:s, s:o}", "name", memory_name((enum memory_change)i),
                      "end", end_word(memory->end), "why", text_json(memory->why));

        if (memory->in_app.end != IN_APP_NONE)
            json_object_set_new(item, "in_app",
                                in_app_to_json(&memory->in_app, quantity_unknown()));
        json_array_append_new(list, item);
    }
    return list;
}

json_t *application_json(const struct application *app)
{
    json_t *loops = json_array(), *files = json_array();
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:o, s:o, s:o, s:I, s:o}", "schema",
        "inflight.application-tuning/1", "command", app->command, "project", app->root,
        "build", app->build, "build_is_guessed", (int)app->build_is_guessed, "dry_run",
        (int)app->settings->dry_run, "interrupted", (int)app->interrupted, "gain",
        json_quantity(app->whole.program), "share_of_time",
        json_quantity(share_of_time(app->whole.program)), "why",
        text_json(application_doubt(app)), "page_faults", (json_int_t)app->page_faults,
        "environment", text_json(app->environment));

    for (size_t i = 0; i < app->loop_nr; i++)
        json_array_append_new(loops, loop_json(&app->loop[i]));
    for (size_t i = 0; i < app->file_nr; i++)
        json_array_append_new(files, json_string(app->file[i].path));
    json_object_set_new(root, "memory", memory_json(app));
    json_object_set_new(root, "loops", loops);
    json_object_set_new(root, "patch",
                        app->file_nr ? json_string(app->output) : json_null());
    json_object_set_new(root, "files", files);
    return root;
}
