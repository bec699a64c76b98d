/* inflight advise -- PROGRAM */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/layout.h"
#include "advisor/session/known_flags.h"
#include "core/base.h"
#include "observe/copies/copies.h"
#include "observe/in_app/inputs_capture.h"
#include "observe/report/app.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_outline.h"

static void app_command(const struct samples *samples, struct buf *out);
static char *app_end(const struct samples *samples);
static struct quantity app_overhead(const struct app *app);
static double app_seen(const struct samples *samples);

/* ---- json ---- */

/* An application as inflight.application/1. */

static const char *kind_word(enum hot_kind kind)
{
    static const char *const word[] = {[HOT_SOURCE] = "source",
                                       [HOT_SYMBOL] = "symbol",
                                       [HOT_MODULE] = "module",
                                       [HOT_NO_FILE] = "no file"};
    return word[kind];
}

static json_t *line_json(int line)
{
    return line > 0 ? json_integer(line) : json_null();
}

static json_t *loops_json(const struct hot_routine *routine)
{
    json_t *list = json_array();
    for (size_t i = 0; i < routine->loop_nr; i++) {
        const struct hot_loop *loop = &routine->loop[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:I, s:o}", "line",
                                              line_json(loop->line), "first_line",
                                              line_json(loop->first_line), "last_line",
                                              line_json(loop->last_line), "samples",
                                              (json_int_t)loop->samples, "share",
                                              json_quantity(loop->share)));
    }
    return list;
}

static json_t *routine_json(const struct hot_routine *routine)
{
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, "
        "s:o, s:o, s:o}",
        "name", routine->name, "kind", kind_word(routine->kind), "module",
        routine->module, "file", text_json(routine->file), "source",
        text_json(routine->source), "line", line_json(routine->line), "language",
        text_json(routine->language), "inlined_into", text_json(routine->inlined_into),
        "samples", (json_int_t)routine->samples, "miss_samples",
        (json_int_t)routine->misses, "threads", (json_int_t)routine->threads, "processes",
        (json_int_t)routine->processes, "share", json_quantity(routine->share), "cpu_s",
        json_quantity(routine->cpu_s), "busiest_thread_s",
        json_quantity(routine->busiest_s), "loops", loops_json(routine));
}

static json_t *row_json(const struct app_row *row)
{
    json_t *root = routine_json(row->routine);
    json_object_set_new(root, "program_speedup_if_twice_as_fast",
                        json_quantity(row->whole_if_twice));
    json_object_set_new(root, "memory_gbs", json_quantity(row->gbs));
    json_object_set_new(root, "advice",
                        row->answer ? answer_json(row->answer) : json_null());
    json_object_set_new(root, "advice_why_not", text_json(row->answer_why));
    json_object_set_new(root, "capture_command", text_json(row->capture));
    json_object_set_new(root, "tune_command", text_json(row->tune));
    json_object_set_new(root, "why_not", text_json(row->why_not));
    json_object_set_new(root, "flags_from", text_json(row->flags_from));
    return root;
}

static json_t *rows_json(const struct app *app)
{
    json_t *list = json_array();
    for (size_t i = 0; i < app->row_nr; i++)
        json_array_append_new(list, row_json(&app->row[i]));
    return list;
}

static json_t *misses_json(const struct samples *samples)
{
    return json_pack("{s:o, s:o, s:o}", "event", text_json(samples->miss_event),
                     "period_lines",
                     samples->miss_event ? json_real(samples->miss_period) : json_null(),
                     "why_not", text_json(samples->miss_why));
}

static json_t *app_json(const struct app *app)
{
    const struct samples *samples = &app->samples;
    double total = (double)app->hot.total;
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:I, s:I, s:I, s:f, s:I, s:f, "
        "s:f, s:o, s:o, s:o}",
        "schema", "inflight.application/1", "command", json_strvec(&samples->argv), "dir",
        samples->dir, "rank", text_json(samples->rank), "end",
        spawn_end_word(samples->end), "code", samples->code, "wall_s",
        json_number_or_null(samples->wall_s), "user_s",
        json_number_or_null(samples->user_s), "system_s",
        json_number_or_null(samples->system_s), "threads", (json_int_t)app->hot.threads,
        "processes", (json_int_t)app->hot.processes, "samples",
        (json_int_t)samples->total, "frequency_hz", samples->frequency_hz, "lost",
        (json_int_t)samples->lost, "unresolved_share",
        (double)app->hot.unresolved / total, "seen_share", app_seen(samples),
        "sample_cost_s", json_quantity(app->cost_s), "overhead_share",
        json_quantity(app_overhead(app)), "misses", misses_json(samples));
    json_object_set_new(root, "routines", rows_json(app));
    json_object_set_new(root, "routines_left_out",
                        json_integer((json_int_t)(app->hot.nr - app->row_nr)));
    return root;
}

/* ---- next ---- */

/* For each hot routine whose source is C: the commands that come next, or why not. */

/* Reading a kernel takes some tenths of a second. */
enum { kernels_max = 5 };

/* As it is typed from our folder: relative where the file is below it. Caller frees. */
static char *typed_path(const char *path)
{
    char *whole = realpath(path, NULL), *here = realpath(".", NULL);
    size_t length = here ? strlen(here) : 0;
    char *typed = xstrdup(whole && here && length > 1 && !strncmp(whole, here, length) &&
                                  whole[length] == '/'
                              ? whole + length + 1
                          : whole ? whole
                                  : path);
    free(whole);
    free(here);
    return typed;
}

/* The value of a line "NAME:TYPE=value" of a CMakeCache.txt; NULL = there is none or it
 * is empty. Caller frees. */
static char *cache_value(const struct buf *cache, const char *name)
{
    char *start = xasprintf("\n%s:", name), *value = NULL;
    const char *at = strstr(buf_str(cache), start), *equals = at ? strchr(at, '=') : NULL;
    if (equals && equals[1] != '\n')
        value = xstrndup(equals + 1, strcspn(equals + 1, "\n"));
    free(start);
    return value;
}

/* Copies of a project are without its build folders, which name the old place: what was
 * configured there is configured anew. */
static char *cmake_command(const char *folder, const struct samples *samples)
{
    static const char *const kept[] = {"CMAKE_BUILD_TYPE", "CMAKE_C_FLAGS",
                                       "CMAKE_CXX_FLAGS"};
    char *path = xasprintf("%s/%s/CMakeCache.txt", samples->dir, folder), *real, *from;
    struct buf cache = {0}, out = {0};
    struct error none = {0};
    if (file_exists(path) && !file_read(path, &cache, &none) &&
        (real = cache_value(&cache, "CMAKE_HOME_DIRECTORY"))) {
        char *resolved = realpath(real, NULL), *dir = realpath(samples->dir, NULL);
        from = path_from(dir ? dir : samples->dir, resolved ? resolved : real);
        free(resolved);
        free(dir);
        buf_add(&out, "cmake -S ");
        buf_add_shell_word(&out, from);
        buf_addf(&out, " -B %s", folder);
        for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
            char *value = cache_value(&cache, kept[i]);
            char *word = value ? xasprintf("-D%s=%s", kept[i], value) : NULL;
            buf_add(&out, word ? " " : "");
            if (word)
                buf_add_shell_word(&out, word);
            free(word);
            free(value);
        }
        buf_addf(&out, " && cmake --build %s", folder);
        free(from);
        free(real);
    }
    free(path);
    buf_release(&cache);
    return out.length ? buf_detach(&out) : NULL;
}

/* --build, or the one that the application's folder shows. NULL = none is known. */
static char *build_command(struct app *app, const struct settings *settings)
{
    static const char *const cmake[] = {".", "build", "..", "../build"};
    const struct samples *samples = &app->samples;
    char *found = xstrdup(settings->build);
    for (size_t i = 0; i < ARRAY_SIZE(cmake) && !found; i++)
        found = cmake_command(cmake[i], samples);
    if (!found) {
        found = xstrdup(project_build(samples->dir));
        app->guessed_build = xstrdup(found);
    }
    return found;
}

/* "sweep.inputs", beside us; of a C++ name what may stand in a file's. */
static void add_inputs(const char *name, struct buf *out)
{
    const char *last = strrchr(name, ':');
    char *file = xasprintf("%s.inputs", last ? last + 1 : name);
    buf_add_shell_word(out, file);
    free(file);
}

/* "-I DIR ... --cflags 'the others'". */
static void add_flags(const struct strvec *flags, struct buf *out)
{
    struct strvec others = {0};
    for (size_t i = 0; i < flags->nr; i++) {
        if (strcmp(flags->v[i], "-I") || i + 1 == flags->nr) {
            strvec_push(&others, flags->v[i]);
            continue;
        }
        char *typed = typed_path(flags->v[++i]);
        buf_add(out, " -I ");
        buf_add_shell_word(out, typed);
        free(typed);
    }
    if (others.nr) {
        struct buf words = {0};
        buf_add_shell_words(&words, (const char *const *)others.v);
        buf_add(out, " --cflags ");
        buf_add_shell_word(out, buf_str(&words));
        buf_release(&words);
    }
    strvec_release(&others);
}

/* As far as the source does not tell by itself. */
static void add_known(const struct settings *settings, const struct known_flags *known,
                      struct buf *out)
{
    if (!known->with_source) {
        add_flags(&known->flags, out);
        return;
    }
    add_flags(&settings->cflags, out);
    if (settings->compile_commands) {
        buf_add(out, " --compile-commands ");
        buf_add_shell_word(out, settings->compile_commands);
    }
}

/* Its end with another status than 0 was no failure: here is a report. */
static void add_run(const struct samples *samples, struct buf *out)
{
    bool odd = samples->end == SPAWN_EXITED && samples->code;
    buf_add(out, odd ? "(" : "");
    app_command(samples, out);
    buf_add(out, odd ? " || true)" : "");
}

static void write_commands(struct app *app, struct app_row *row, const char *build,
                           const struct settings *settings,
                           const struct known_flags *known)
{
    struct buf where = {0}, capture = {0}, tune = {0}, in_app = {0};
    char *place = xasprintf("%s:%d", row->source, row->line);
    buf_add_shell_word(&where, place);
    add_known(settings, known, &where);
    buf_addf(&capture, "inflight capture %s --build ", buf_str(&where));
    buf_add_shell_word(&capture, build ? build : "BUILD");
    buf_add(&capture, " -o ");
    add_inputs(row->routine->name, &capture);
    buf_add(&capture, " -- ");
    app_command(&app->samples, &capture);
    buf_addf(&tune, "inflight tune %s --inputs ", buf_str(&where));
    add_inputs(row->routine->name, &tune);
    buf_addf(&in_app, "%s && ", build ? build : "BUILD");
    add_run(&app->samples, &in_app);
    buf_add(&tune, " --in-app ");
    buf_add_shell_word(&tune, buf_str(&in_app));
    row->capture = buf_detach(&capture);
    row->tune = buf_detach(&tune);
    app->unknown_build |= !build;
    free(place);
    buf_release(&where);
    buf_release(&in_app);
}

/* What `tune -- PROGRAM` makes of it, or what stands in its way there; caller frees. */
static char *with_outlining(const struct app_row *row, const struct known_flags *known,
                            const char *why)
{
    const struct outline_request request = {
        .path = row->source, .line = row->line, .cflags = &known->flags};
    struct outlined what = {0};
    struct buf text = {0};
    struct error other = {0};
    char *both = NULL;
    bool taken = source_outline(&request, &text, &what, &other) == 0;
    if (taken && what.is_read)
        both = xasprintf("%s; but its loop is read as a function of its own (lines %d to "
                         "%d), which 'inflight tune -- PROGRAM' makes of it",
                         why, what.first_line, what.last_line);
    else if (!strcmp(row->routine->language, "C++")) /* of C it is mostly the same */
        both = xasprintf("%s; as a function of its own: %s", why,
                         taken ? what.unread : other.text);
    outlined_release(&what);
    buf_release(&text);
    return both ? both : xstrdup(why);
}

/* Does it read as a kernel, whose calls can be captured? Runs nothing. */
static bool reads(struct app_row *row, const struct known_flags *known)
{
    struct kernel_request request = {
        .path = row->source, .line = row->line, .cflags = known->flags};
    struct kernel *kernel = NULL;
    struct error why = {0};
    int status = kernel_open(&request, &kernel, &why);
    if (!status)
        status = kernel_is_whole(kernel, &why);
    if (!status)
        status = kernel_supplied(kernel, &why);
    if (status)
        row->why_not = with_outlining(row, known, why.text);
    kernel_free(kernel);
    return !status;
}

/* Part of the system: nobody's to tune here. */
static bool is_library(const char *path)
{
    static const char *const start[] = {"/usr/lib", "/usr/include/", "/usr/share/",
                                        "/lib"};
    for (size_t i = 0; i < ARRAY_SIZE(start); i++)
        if (!strncmp(path, start[i], strlen(start[i])))
            return true;
    return false;
}

static char *no_source(const struct hot_routine *routine)
{
    if (routine->kind != HOT_NO_FILE && is_library(routine->module))
        return xstrdup("code of a library: look at what calls it");
    if (routine->kind == HOT_NO_FILE)
        return xstrdup("code that was made at run time, or the kernel's own");
    if (routine->kind == HOT_MODULE && !file_exists(routine->module))
        return xstrdup("that file is not here, so nothing is known about its code");
    if (routine->kind == HOT_MODULE)
        return xstrdup("stripped, so the routine cannot be identified: build it with "
                       "-g");
    if (routine->kind == HOT_SYMBOL)
        return xasprintf("'%s' has no debug information: build it with -g",
                         path_base(routine->module));
    return xasprintf("its source '%s' is not on this machine", routine->file);
}

static bool is_for_tuning(const struct hot_routine *routine)
{
    return routine->language &&
           (!strcmp(routine->language, "C") || !strcmp(routine->language, "C++"));
}

static void look_into(struct app *app, struct app_row *row,
                      const struct settings *settings, const char *build)
{
    struct known_flags known;
    struct error why = {0};
    if (known_flags_find(settings, row->source, row->routine->module, &known, &why))
        row->why_not = xstrdup(why.text);
    else if (reads(row, &known))
        write_commands(app, row, build, settings, &known);
    row->flags_from = xstrdup(known.from);
    known_flags_release(&known);
}

static void look_at(struct app *app, struct app_row *row, const struct settings *settings,
                    const char *build)
{
    const struct hot_routine *routine = row->routine;
    if (!routine->source) {
        row->why_not = no_source(routine);
        return;
    }
    row->source = typed_path(routine->source);
    row->line =
        routine->loop_nr && routine->loop[0].line ? routine->loop[0].line : routine->line;
    if (is_library(row->source))
        row->why_not = xasprintf(
            "it is code of a library, in '%s': look at what calls it", row->source);
    else if (!is_for_tuning(routine))
        row->why_not =
            xasprintf("written in %s; kernels are read in C",
                      routine->language ? routine->language : "an unknown language");
    else if (!routine->loop_nr)
        row->why_not = xstrdup("not in a loop of its own: look at what calls it");
    else {
        row->is_ours = true;
        look_into(app, row, settings, build);
    }
}

static void app_next(struct app *app, const struct settings *settings)
{
    char *build = build_command(app, settings);
    for (size_t i = 0; i < app->row_nr && i < kernels_max; i++)
        look_at(app, &app->row[i], settings, build);
    free(build);
}

/* ---- rows ---- */

/* The routines worth a look, and what sampled cache misses say of each. */

/* A page of them; what is further down is below 1 % or noise in most programs. */
enum { rows_max = 12 };

/* Misses fetch whole lines; what is written back is not among them. */
static struct quantity bytes_of(const struct app *app, const struct hot_routine *routine,
                                const struct machine *machine)
{
    return sample_count(routine->misses, app->samples.miss_period * machine->line_bytes);
}

static struct quantity rate_of(const struct app *app, const struct hot_routine *routine,
                               const struct machine *machine)
{
    struct quantity wall = quantity_scale(routine->cpu_s, 1.0 / (double)routine->threads);
    return quantity_scale(quantity_divide(bytes_of(app, routine, machine), wall), 1e-9);
}

static int ask(struct app_row *row, const struct settings *settings,
               const struct machine *machine, const struct rule_set *rules,
               struct error *err)
{
    struct question question = {
        .machine = settings->machine ? settings->machine : "here",
        .memory = settings->memory,
        .read_gbs = row->gbs,
        .write_gbs = quantity_exact(0, PROVENANCE_SAMPLED),
        .gbs = row->gbs.value,
        .random_share = quantity_unknown(),
        .cores = (int)row->routine->threads < machine->cores ? (int)row->routine->threads
                                                             : machine->cores,
    };
    struct error why = {0};
    if (settings->access &&
        access_parse(settings->access, "--access", &question.random_share, err))
        return -1;
    row->answer = xcalloc(1, sizeof(*row->answer));
    if (answer_question(&question, rules, row->answer, &why)) {
        row->answer_why = xstrdup(why.text);
        answer_release(row->answer);
        free(row->answer);
        row->answer = NULL;
    }
    return 0;
}

static int explain_misses(struct app *app, const struct settings *settings,
                          struct error *err)
{
    struct machine machine = {0};
    struct error why = {0};
    int status = 0;
    bool known = !profile_load(settings->machine ? settings->machine : "here",
                               settings->memory, &machine, &why);
    if (known)
        status = rule_set_load_given(&settings->rules, &app->rules, err);
    for (size_t i = 0; i < app->row_nr && !status; i++) {
        struct app_row *row = &app->row[i];
        if (!known)
            row->answer_why = xstrdup(why.text);
        else if (row->routine->misses < HOT_SAMPLES_MIN)
            row->answer_why = xstrdup("hardly any cache misses: not limited by memory");
        else {
            row->gbs = rate_of(app, row->routine, &machine);
            status = ask(row, settings, &machine, app->rules, err);
        }
    }
    machine_release(&machine);
    return status;
}

/* Fills the rows. app_rows.c, app_next.c. */
static int app_explain(struct app *app, const struct settings *settings,
                       struct error *err)
{
    app->row = xcalloc(rows_max, sizeof(*app->row));
    for (size_t i = 0; i < app->hot.nr && app->row_nr < rows_max; i++) {
        const struct hot_routine *routine = &app->hot.routine[i];
        if (!hot_matters(routine->samples, routine->share))
            continue;
        app->row[app->row_nr++] = (struct app_row){
            .routine = routine,
            .gbs = quantity_unknown(),
            .whole_if_twice =
                hot_whole_gain(routine, hot_running_s(&app->hot, &app->samples), 2),
        };
    }
    return app->samples.miss_event ? explain_misses(app, settings, err) : 0;
}

/* ---- text ---- */

/* An application as text for a terminal. */

/* ---- what was run ---- */

static void add_load(struct layout *layout, const struct app *app)
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
    layout_paragraph(layout, "%s", buf_str(&text));
    buf_release(&text);
}

/* Shares of what ran say little of a program that mostly does not. */
static void add_waiting(struct layout *layout, const struct app *app)
{
    double ran = app->hot.busiest_s / app->samples.wall_s;
    if (ran < 0.8)
        layout_paragraph(layout,
                         "Its busiest thread ran for %.0f %% of that time; otherwise it "
                         "waited for input, for others, for the kernel or for a free "
                         "core. Gains refer to the time in which it ran.",
                         100 * ran);
}

static void add_head(struct layout *layout, const struct app *app)
{
    char *end = app_end(&app->samples);
    app_command(&app->samples, layout->out);
    if (app->samples.rank)
        buf_addf(layout->out, " (rank %s)", app->samples.rank);
    buf_add(layout->out, "\n");
    add_load(layout, app);
    add_waiting(layout, app);
    if (*end)
        layout_paragraph(layout, "%s; this covers its time until then.", end);
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
static void add_shared(struct layout *layout, struct quantity share, size_t before,
                       const char *text)
{
    struct buf label = {0};
    buf_add_share_cell(&label, share, 0);
    buf_addf(layout->out, "%*s%-13s", (int)before, "", buf_str(&label));
    buf_add(layout->out, label.length > 12 ? " " : "");
    buf_add_wrapped(layout->out, text, before + 13, layout->width);
    buf_add(layout->out, "\n");
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

static void add_loop(struct layout *layout, const struct hot_routine *routine,
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
    add_shared(layout, loop->share, 4, buf_str(&text));
    buf_release(&text);
}

static void add_row(struct layout *layout, const struct app *app,
                    const struct app_row *row)
{
    struct buf text = {0};
    add_place(row, &text);
    add_more(app, row, &text);
    add_shared(layout, row->routine->share, 2, buf_str(&text));
    for (size_t i = 0; i < row->routine->loop_nr && i < 4; i++)
        if (hot_matters(row->routine->loop[i].samples, row->routine->loop[i].share))
            add_loop(layout, row->routine, &row->routine->loop[i]);
    buf_release(&text);
}

static void add_rows(struct layout *layout, const struct app *app)
{
    uint64_t shown = 0;
    size_t more = app->hot.nr - app->row_nr;
    layout_heading(layout, "Where the CPU time goes");
    for (size_t i = 0; i < app->row_nr; i++) {
        add_row(layout, app, &app->row[i]);
        shown += app->row[i].routine->samples;
    }
    if (more)
        layout_paragraph(
            layout, "The other %.1f %% lie in %zu routine%s, %s too small to be ranked.",
            100 * (double)(app->hot.total - shown) / (double)app->hot.total, more,
            more == 1 ? "" : "s", more == 1 ? "" : "each ");
}

/* ---- memory ---- */

static void add_verdicts(struct layout *layout, const struct answer *answer)
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
        layout_line(layout, verdict->transformation, "%s", buf_str(&text));
        buf_release(&text);
    }
}

static void add_memory_of(struct layout *layout, const struct app_row *row)
{
    struct buf text = {0};
    if (!row->answer) {
        if (row->answer_why)
            layout_paragraph(layout, "%s: %s", row->routine->name, row->answer_why);
        return;
    }
    buf_add_figure(&text, row->gbs, 1, "GB/s");
    layout_paragraph(layout, "%s: %s read from memory by %d core%s. %s %s",
                     row->routine->name, buf_str(&text), row->answer->cores,
                     row->answer->cores == 1 ? "" : "s",
                     buf_str(&row->answer->occupancy.diagnosis.sentence),
                     buf_str(&row->answer->occupancy.diagnosis.reason));
    add_verdicts(layout, row->answer);
    buf_release(&text);
}

static void add_memory(struct layout *layout, const struct app *app)
{
    layout_heading(layout, "What limits it");
    if (!app->samples.miss_event) {
        layout_paragraph(
            layout,
            "Not known: %s, so the bytes that each routine moves were not counted. "
            "Tuning a routine finds them with the cache model; "
            "'inflight profile' takes them from regions that declare theirs.",
            app->samples.miss_why ? app->samples.miss_why
                                  : "cache misses were not sampled");
        return;
    }
    for (size_t i = 0; i < app->row_nr; i++)
        add_memory_of(layout, &app->row[i]);
}

/* ---- the next commands ---- */

static void add_command(struct layout *layout, const char *command)
{
    buf_addf(layout->out, "    %s\n", command); /* to be pasted: never wrapped */
}

typedef const char *text_of_row(const struct app_row *row);

static const char *why_not_of(const struct app_row *row)
{
    return row->why_not;
}

static const char *flags_from_of(const struct app_row *row)
{
    return row->flags_from;
}

/* The names of all rows that have the same text as `first`, which is the first of them;
 * false = it is not: they were said with another one. */
static bool name_same(const struct app *app, size_t first, text_of_row *text_of,
                      struct buf *names)
{
    const char *text = text_of(&app->row[first]);
    for (size_t i = 0; i < app->row_nr; i++) {
        const char *other = text_of(&app->row[i]);
        if (!other || strcmp(other, text))
            continue;
        if (i < first)
            return false;
        buf_add(names, names->length ? ", " : "");
        add_name(app->row[i].routine->name, names);
    }
    return true;
}

static void add_reason(struct layout *layout, const struct app *app, size_t first)
{
    struct buf names = {0};
    if (name_same(app, first, why_not_of, &names))
        layout_paragraph(layout, "%s: %s.", buf_str(&names), app->row[first].why_not);
    buf_release(&names);
}

static bool has_command(const struct app *app)
{
    for (size_t i = 0; i < app->row_nr; i++)
        if (app->row[i].tune)
            return true;
    return false;
}

static void add_next(struct layout *layout, const struct app *app)
{
    layout_heading(layout, "What to type next");
    for (size_t i = 0; i < app->row_nr; i++) {
        const struct app_row *row = &app->row[i];
        struct buf name = {0};
        if (!row->tune)
            continue;
        add_name(row->routine->name, &name);
        layout_paragraph(layout, "%s:", buf_str(&name));
        add_command(layout, row->capture);
        add_command(layout, row->tune);
        buf_release(&name);
    }
    for (size_t i = 0; i < app->row_nr; i++)
        if (app->row[i].why_not)
            add_reason(layout, app, i);
    if (app->row_nr == 0)
        layout_paragraph(layout, "Nothing: no routine stands out.");
    if (app->unknown_build)
        layout_paragraph(layout, "BUILD stands for the command that builds the program.");
    else if (app->guessed_build && has_command(app))
        layout_paragraph(layout,
                         "'%s' is a guess: if another command builds the program as it "
                         "ran here (with a target or with variables, say), put that in "
                         "its place, or give it to this command with --build.",
                         app->guessed_build);
}

/* ---- what it rests on ---- */

static void add_flags_from(struct layout *layout, const struct app *app, size_t first)
{
    struct buf names = {0};
    if (name_same(app, first, flags_from_of, &names))
        layout_line(layout, "flags", "of %s: from %s", buf_str(&names),
                    app->row[first].flags_from);
    buf_release(&names);
}

static void add_base(struct layout *layout, const struct app *app)
{
    const struct samples *samples = &app->samples;
    struct quantity overhead = app_overhead(app);
    layout_heading(layout, "What this rests on");
    for (size_t i = 0; i < app->row_nr; i++)
        if (app->row[i].flags_from)
            add_flags_from(layout, app, i);
    layout_line(layout, "samples",
                "%llu at %.0f Hz of each running thread, in user mode%s",
                (unsigned long long)samples->total, samples->frequency_hz,
                samples->lost ? "" : "; none was lost");
    if (samples->lost)
        layout_line(layout, "lost",
                    "%llu samples or records: shares may be off by as much; a lower "
                    "--frequency loses fewer",
                    (unsigned long long)samples->lost);
    if (app_seen(samples) < 0.9)
        layout_line(
            layout, "not seen",
            "%.0f %% of the CPU time in user mode: of processes that ended before "
            "their first sample was due; a higher --frequency sees more",
            100 * (1 - app_seen(samples)));
    layout_line(layout, "not resolved",
                "%.1f %%: no debug information says which function it is",
                100 * (double)app->hot.unresolved / (double)app->hot.total);
    if (overhead.known)
        layout_line(layout, "overhead",
                    "about %.2g %% of its time: a sample takes %.2g us "
                    "here (%.2g to %.2g)",
                    100 * overhead.value, 1e6 * app->cost_s.value, 1e6 * app->cost_s.low,
                    1e6 * app->cost_s.high);
    else if (!app->recorded)
        layout_line(layout, "overhead", "too little to tell from noise here");
}

void app_text(const struct app *app, bool colour, int columns, struct buf *out)
{
    struct layout layout = layout_on(out, colour, columns);
    add_head(&layout, app);
    add_rows(&layout, app);
    add_memory(&layout, app);
    add_next(&layout, app);
    add_base(&layout, app);
}

/* ---- app advise ---- */

/* Fewer say nothing: the share of a routine that has all of the time would be known to
 * some 7 %, of one that has half of it to 14 %. */
enum { samples_min = 50 };

void app_release(struct app *app)
{
    for (size_t i = 0; i < app->row_nr; i++) {
        struct app_row *row = &app->row[i];
        if (row->answer)
            answer_release(row->answer);
        free(row->answer);
        free(row->answer_why);
        free(row->source);
        free(row->capture);
        free(row->tune);
        free(row->why_not);
        free(row->flags_from);
    }
    free(app->guessed_build);
    free(app->row);
    rule_set_free(app->rules);
    hot_release(&app->hot);
    samples_release(&app->samples);
    *app = (struct app){0};
}

/* "./app 3 'a b'": the command as it was typed. */
static void app_command(const struct samples *samples, struct buf *out)
{
    buf_add_shell_words(out, (const char *const *)samples->argv.v);
}

/* How it ended, where that is not status 0; "" else. Caller frees. */
static char *app_end(const struct samples *samples)
{
    const char *name = samples->argv.nr ? samples->argv.v[0] : "the program";
    if (samples->end == SPAWN_SIGNALLED || samples->end == SPAWN_INTERRUPTED)
        return xasprintf("'%s' was ended by a signal (%s)", name,
                         strsignal(samples->code));
    if (samples->end == SPAWN_EXITED && samples->code)
        return xasprintf("'%s' ended with status %d", name, samples->code);
    return xstrdup("");
}

/* Share of CPU time that sampling took; unknown where the cost is. */
static struct quantity app_overhead(const struct app *app)
{
    return quantity_scale(app->cost_s, app->samples.frequency_hz);
}

/* Of the CPU time in user mode, what the samples stand for: well below 1 where processes
 * end before their first sample is due. Unknown CPU time: 1. */
static double app_seen(const struct samples *samples)
{
    double seen = (double)samples->total / samples->frequency_hz;
    return samples->user_s > 0 ? fmin(1, seen / samples->user_s) : 1;
}

static int cannot_start(const char *name, int cause, struct error *err)
{
    if (cause == ENOENT)
        return fail(err, STATUS_INPUT, "there is no program '%s'%s: %s", name,
                    strchr(name, '/') ? "" : " on the PATH",
                    strchr(name, '/') ? "look at the path"
                                      : "write './' before one in this folder");
    return fail(err, STATUS_INPUT, "'%s' cannot be started: %s", name, strerror(cause));
}

/* Interrupted by us before it began there is nothing to tell. */
static int run_program(const struct settings *settings, struct app *app,
                       struct error *err)
{
    struct spawn_request request = {
        .argv = (const char *const *)settings->program.v,
        .attached = true,
        .out_to_err = settings->json,
    };
    struct sample_options options = {
        .frequency_hz =
            settings->frequency > 0 ? (double)settings->frequency : SAMPLE_FREQUENCY_HZ,
        .misses = true,
    };
    struct spawn_outcome outcome = {0};
    int status;
    if (options.frequency_hz > SAMPLE_FREQUENCY_MAX)
        return fail(err, STATUS_USAGE,
                    "--frequency: at most %d samples a second, got %lld",
                    SAMPLE_FREQUENCY_MAX, settings->frequency);
    if (settings->save && file_check_writable(settings->save, err))
        return -1;
    app->cost_s = sample_cost();
    fflush(stdout);
    status = sample_run(&request, &options, &app->samples, &outcome, err);
    if (!status && outcome.end == SPAWN_NOT_STARTED)
        status = cannot_start(settings->program.v[0], outcome.code, err);
    if (!status && settings->save)
        status = samples_write(settings->save, &app->samples, err);
    spawn_outcome_release(&outcome);
    return status;
}

static int take_samples(const struct settings *settings, struct app *app,
                        struct error *err)
{
    if (!settings->samples)
        return run_program(settings, app, err);
    app->recorded = true;
    app->cost_s = quantity_unknown();
    return samples_read(settings->samples, &app->samples, err);
}

static int check_enough(const struct samples *samples, struct error *err)
{
    char *end = app_end(samples);
    int status = 0;
    bool short_lived = samples->user_s > 1 && app_seen(samples) < 0.5;
    if (samples->total < samples_min)
        status = fail(err, STATUS_FAILED,
                      "%s%s%llu samples of its CPU time in %.2f s are too few to say "
                      "where it goes (%d are needed): %s with --frequency %d",
                      end, *end ? ": " : "", (unsigned long long)samples->total,
                      samples->wall_s, samples_min,
                      short_lived ? "its processes end before their first sample is due; "
                                    "take more"
                                  : "give it more to do, or take more",
                      SAMPLE_FREQUENCY_MAX / 2);
    free(end);
    return status;
}

static int print_app(const struct settings *settings, const struct app *app,
                     struct error *err)
{
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document = app_json(app);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    app_text(app, term_colour(stdout, settings->colour), term_columns(stdout), &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* What was sampled until a program failed is reported all the same; that it failed is
 * ours to pass on. A Ctrl-C was meant. */
static int pass_on(const struct samples *samples, struct error *err)
{
    bool meant = samples->end == SPAWN_INTERRUPTED ||
                 (samples->end == SPAWN_SIGNALLED &&
                  (samples->code == SIGINT || samples->code == SIGTERM));
    char *end = app_end(samples);
    int status = *end && !meant ? fail(err, STATUS_FAILED,
                                       "%s; the report covers its time until then", end)
                                : 0;
    free(end);
    return status;
}

static int check_usage(const struct settings *settings, struct error *err)
{
    const struct {
        bool given;
        const char *name;
    } option[] = {{settings->counts.nr, "--counts"},
                  {settings->measurement, "--measurement"},
                  {settings->bandwidth_gbs >= 0, "--bandwidth"},
                  {settings->seconds_s >= 0, "--seconds"},
                  {settings->what_if, "--what-if"},
                  {settings->cpu, "--cpu"},
                  {settings->html, "--html"}};
    for (size_t i = 0; i < ARRAY_SIZE(option); i++)
        if (option[i].given)
            return fail(err, STATUS_USAGE, "%s does not go with a program after '--'",
                        option[i].name);
    if (settings->samples && settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "--samples FILE reads what was sampled before: no program is run");
    if (settings->samples && settings->save)
        return fail(err, STATUS_USAGE,
                    "--save writes what is sampled now, --samples reads it: give one of "
                    "them");
    return question_check(settings, err);
}

int app_find(struct app *app, const struct settings *settings, struct error *err)
{
    if (check_enough(&app->samples, err))
        return -1;
    hot_find(&app->samples, &app->hot);
    if (app_explain(app, settings, err))
        return -1;
    app_next(app, settings);
    return 0;
}

int advise_program(const struct settings *settings, struct error *err)
{
    struct app app = {.cost_s = quantity_unknown()};
    int status = check_usage(settings, err);
    spawn_catch_interrupt();
    if (!status)
        status = take_samples(settings, &app, err);
    if (!status)
        status = app_find(&app, settings, err);
    if (!status)
        status = print_app(settings, &app, err);
    if (!status && !app.recorded)
        status = pass_on(&app.samples, err);
    app_release(&app);
    return status;
}
