/* inflight.samples/1: samples as a file, to be looked at elsewhere or later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/json.h"
#include "observe/sample/sample.h"

static const char schema[] = "inflight.samples/1";

/* ---- writing ---- */

static json_t *modules_json(const struct samples *samples)
{
    json_t *list = json_array();

    for (size_t i = 0; i < samples->module_nr; i++)
        json_array_append_new(list, json_string(samples->module[i].path));
    return list;
}

static json_t *threads_json(const struct samples *samples)
{
    json_t *list = json_array();

    for (size_t i = 0; i < samples->thread_nr; i++) {
        const struct sample_thread *thread = &samples->thread[i];

        json_array_append_new(
            list, json_pack("[i, i, o, f, f]", thread->process, thread->thread,
                            thread->program == UINT32_MAX
                                ? json_null()
                                : json_integer((json_int_t)thread->program),
                            thread->first_s, thread->last_s));
    }
    return list;
}

static json_t *hits_json(const struct samples *samples)
{
    json_t *list = json_array();

    for (size_t i = 0; i < samples->hit_nr; i++) {
        const struct sample_hit *hit = &samples->hit[i];

        json_array_append_new(
            list, json_pack("[I, I, I, I, I]", (json_int_t)hit->thread,
                            (json_int_t)hit->module, (json_int_t)hit->offset,
                            (json_int_t)hit->samples, (json_int_t)hit->misses));
    }
    return list;
}

static json_t *misses_json(const struct samples *samples)
{
    return samples->miss_event ? json_pack("{s:s, s:f}", "event", samples->miss_event,
                                           "period_lines", samples->miss_period)
                               : json_null();
}

int samples_write(const char *path, const struct samples *samples, struct error *err)
{
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:s?, s:f, s:I, s:o, s:o, s:o, s:s, s:i, s:o, s:s?}", "schema",
        schema, "command", json_strvec(&samples->argv), "dir", samples->dir, "rank",
        samples->rank, "frequency_hz", samples->frequency_hz, "lost",
        (json_int_t)samples->lost, "wall_s", json_number_or_null(samples->wall_s),
        "user_s", json_number_or_null(samples->user_s), "system_s",
        json_number_or_null(samples->system_s), "end", spawn_end_word(samples->end),
        "code", samples->code, "misses", misses_json(samples), "misses_why",
        samples->miss_why);
    int status;

    json_object_set_new(root, "modules", modules_json(samples));
    json_object_set_new(root, "threads", threads_json(samples));
    json_object_set_new(root, "hits", hits_json(samples));
    status = json_write_file(path, root, err);
    json_decref(root);
    return status;
}

/* ---- reading ---- */

static int read_time(const struct json_at *top, const char *key, double *seconds,
                     struct error *err)
{
    *seconds = NAN;
    return json_number_if(top, key, 0, 1e12, seconds, err);
}

static int read_end(const struct json_at *top, struct samples *samples, struct error *err)
{
    const char *word;
    long long code;

    if (json_string_at(top, "end", &word, err) ||
        json_integer_at(top, "code", -1, 4096, &code, err))
        return -1;
    samples->code = (int)code;
    for (int end = SPAWN_EXITED; end <= SPAWN_NOT_STARTED; end++)
        if (strcmp(word, spawn_end_word((enum spawn_end)end)) == 0) {
            samples->end = (enum spawn_end)end;
            return 0;
        }
    return json_fail(top, err, "end: '%s' is not a way for a program to end", word);
}

static int read_misses(const struct json_at *top, struct samples *samples,
                       struct error *err)
{
    struct json_at at;

    if (json_copy_if(top, "misses_why", &samples->miss_why, err))
        return -1;
    if (!json_has(top, "misses"))
        return 0;
    return json_object_at(top, "misses", &at, err) ||
                   json_copy_at(&at, "event", &samples->miss_event, err) ||
                   json_number_at(&at, "period_lines", 1, 1e15, &samples->miss_period,
                                  err)
               ? -1
               : 0;
}

static int read_head(const struct json_at *top, struct samples *samples,
                     struct error *err)
{
    long long lost;

    if (json_only_keys(top,
                       "schema command dir rank frequency_hz lost wall_s user_s system_s "
                       "end code misses misses_why modules threads hits",
                       err) ||
        json_strings_at(top, "command", &samples->argv, err) ||
        json_copy_at(top, "dir", &samples->dir, err) ||
        json_copy_if(top, "rank", &samples->rank, err) ||
        json_number_at(top, "frequency_hz", 1e-3, 1e6, &samples->frequency_hz, err) ||
        json_integer_at(top, "lost", 0, INT64_MAX, &lost, err) ||
        read_time(top, "wall_s", &samples->wall_s, err) ||
        read_time(top, "user_s", &samples->user_s, err) ||
        read_time(top, "system_s", &samples->system_s, err) ||
        read_end(top, samples, err) || read_misses(top, samples, err))
        return -1;
    samples->lost = (uint64_t)lost;
    return 0;
}

static int read_modules(const struct json_at *top, struct samples *samples,
                        struct error *err)
{
    struct strvec path = {0};
    int status = json_strings_at(top, "modules", &path, err);

    GROW(samples->module, path.nr, samples->module_alloc);
    for (size_t i = 0; i < path.nr; i++)
        samples->module[i].path = xstrdup(path.v[i]);
    samples->module_nr = path.nr;
    strvec_release(&path);
    return status;
}

/* Integer number k of a row, from 0 to `most`. */
static int read_integer(const struct json_at *row, size_t k, long long max,
                        long long *out, struct error *err)
{
    const json_t *number = json_array_get(row->node, k);

    *out = json_integer_value(number);
    if (!json_is_integer(number) || *out < 0 || *out > max)
        return json_fail(row, err, "number %zu: expected an integer from 0 to %lld",
                         k + 1, max);
    return 0;
}

static int check_length(const struct json_at *row, size_t nr, struct error *err)
{
    if (!json_is_array(row->node) || json_array_size(row->node) != nr)
        return json_fail(row, err, "expected %zu numbers", nr);
    return 0;
}

static int read_thread(const struct json_at *row, void *into, struct error *err)
{
    struct samples *samples = into;
    struct sample_thread *thread;
    long long process, number, program = UINT32_MAX;

    if (check_length(row, 5, err) || read_integer(row, 0, INT32_MAX, &process, err) ||
        read_integer(row, 1, INT32_MAX, &number, err) ||
        (!json_is_null(json_array_get(row->node, 2)) &&
         read_integer(row, 2, (long long)samples->module_nr - 1, &program, err)))
        return -1;
    GROW(samples->thread, samples->thread_nr + 1, samples->thread_alloc);
    thread = &samples->thread[samples->thread_nr++];
    *thread = (struct sample_thread){(int)process, (int)number, (uint32_t)program,
                                     json_number_value(json_array_get(row->node, 3)),
                                     json_number_value(json_array_get(row->node, 4))};
    if (!(thread->first_s >= 0 && thread->last_s >= thread->first_s))
        return json_fail(row, err, "the thread ends before it begins");
    return 0;
}

static int read_hit(const struct json_at *row, void *into, struct error *err)
{
    struct samples *samples = into;
    const long long max[5] = {(long long)samples->thread_nr - 1,
                              (long long)samples->module_nr - 1, INT64_MAX, UINT32_MAX,
                              UINT32_MAX};
    long long number[5];

    if (check_length(row, 5, err))
        return -1;
    for (size_t k = 0; k < 5; k++)
        if (read_integer(row, k, max[k], &number[k], err))
            return -1;
    GROW(samples->hit, samples->hit_nr + 1, samples->hit_alloc);
    samples->hit[samples->hit_nr++] =
        (struct sample_hit){(uint32_t)number[0], (uint32_t)number[1], (uint64_t)number[2],
                            (uint64_t)number[3], (uint64_t)number[4]};
    samples->total += (uint64_t)number[3];
    return 0;
}

int samples_read(const char *path, struct samples *samples, struct error *err)
{
    json_t *root = NULL;
    int status = json_read_file(path, schema, &root, err);

    *samples = (struct samples){0};
    if (status == 0) {
        struct json_at top = json_top(path, root);

        status =
            read_head(&top, samples, err) || read_modules(&top, samples, err) ||
                    json_each(&top, "threads", 0, SIZE_MAX, read_thread, samples, err) ||
                    json_each(&top, "hits", 0, SIZE_MAX, read_hit, samples, err)
                ? -1
                : 0;
    }
    json_decref(root);
    if (status)
        samples_release(samples);
    return status;
}
