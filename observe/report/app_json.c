/* An application as inflight.application/1. */
#include "observe/report/app.h"

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

json_t *app_json(const struct app *app)
{
    const struct samples *samples = &app->samples;
    double total = (double)app->hot.total;
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:I, s:I, s:I, s:f, s:I, s:f, "
        "s:f, s:o, s:o, s:o}",
        "schema", "inflight.application/1", "command",
        json_strings((const char *const *)samples->argv.v, samples->argv.nr), "dir",
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
