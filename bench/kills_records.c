#include "bench/kills_records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void records_release(struct records *records)
{
    strvec_release(&records->answer);
    json_decref(records->report);
    *records = (struct records){0};
}

static int add_answer(void *data, const struct store_answer *answer)
{
    struct records *records = data;

    strvec_pushf(&records->answer, "%s|%s|%s", answer->variant,
                 answer->other ? answer->other : "", answer->json);
    return 0;
}

static int read_from(struct store *store, long long session, struct records *records,
                     struct error *err)
{
    struct store_session got = {0};
    int failed = store_session_answers(store, session, STORE_MEASUREMENT, add_answer,
                                       records, err) ||
                 store_session_answers(store, session, STORE_COMPARISON, add_answer,
                                       records, err) ||
                 store_session_get(store, session, &got, err);

    if (!failed && got.report_json)
        failed = json_read_text(got.report_json, "report", "inflight.report/1",
                                &records->report, err);
    store_session_release(&got);
    return failed;
}

int records_read(const char *database, long long session, struct records *records)
{
    struct store *store = NULL;
    struct error err = {0};

    records_release(records);
    int failed =
        store_open(database, &store, &err) || read_from(store, session, records, &err);
    store_close(store);
    /* killed before there was a session: nothing is there, and nothing is lost */
    if (failed && strstr(err.text, "there is no session"))
        return 0;
    if (failed)
        fprintf(stderr, "bench: %s\n", err.text);
    return failed ? -1 : 0;
}

long long records_lost(const struct records *before, const struct records *after)
{
    long long lost = 0;

    for (size_t i = 0; i < before->answer.nr; i++)
        lost += !strvec_has(&after->answer, before->answer.v[i]);
    return lost;
}

/* ---- measured twice ---- */

struct told {
    bool is_measurement, explained, failed;
    json_int_t launches;
};

static struct told tell(const char *answer)
{
    const char *json = strchr(strchr(answer, '|') + 1, '|') + 1;
    struct told told = {0};
    json_t *document = NULL;

    if (json_read_text(json, "answer", "inflight.measurement/1", &document, NULL) == 0) {
        const json_t *sampling = json_object_get(document, "sampling");

        told = (struct told){
            .is_measurement = true,
            .explained = json_is_object(json_object_get(document, "traffic")),
            .failed = !json_is_object(json_object_get(document, "time_ns")),
            .launches = json_integer_value(json_object_get(sampling, "launches"))};
    }
    json_decref(document);
    return told;
}

/* The last answer on the same variant before answer i; NULL = none. */
static const char *last_before(const struct records *records, size_t i)
{
    const char *answer = records->answer.v[i];
    size_t length = strcspn(answer, "|") + 1;

    while (i-- > 0)
        if (strncmp(records->answer.v[i], answer, length) == 0)
            return records->answer.v[i];
    return NULL;
}

long long records_twice(const struct records *records)
{
    long long twice = 0;

    for (size_t i = 0; i < records->answer.nr; i++) {
        struct told now = tell(records->answer.v[i]), before;
        const char *last = last_before(records, i);

        if (!now.is_measurement || !last)
            continue;
        before = tell(last);
        twice += before.explained || before.failed ||
                 (!now.explained && !now.failed && now.launches <= before.launches);
    }
    return twice;
}

/* ---- the end ---- */

const char *records_winner(const struct records *records)
{
    const char *plan = json_string_value(
        json_object_get(json_object_get(records->report, "best"), "plan"));

    return plan ? plan : "";
}

static bool same(const json_t *a, const json_t *b, struct buf *where);

static bool same_number(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

static bool same_list(const json_t *a, const json_t *b, struct buf *where)
{
    bool all = json_array_size(a) == json_array_size(b);

    for (size_t i = 0; all && i < json_array_size(a); i++) {
        size_t length = where->length;

        buf_addf(where, "[%zu]", i);
        all = same(json_array_get(a, i), json_array_get(b, i), where);
        if (all)
            buf_truncate(where, length);
    }
    return all;
}

static bool same_object(const json_t *a, const json_t *b, struct buf *where)
{
    bool all = json_object_size(a) == json_object_size(b);
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        size_t length = where->length;

        buf_addf(where, ".%s", key);
        all = all && same(value, json_object_get(b, key), where);
        if (!all)
            break;
        buf_truncate(where, length);
    }
    return all;
}

static bool same(const json_t *a, const json_t *b, struct buf *where)
{
    if (json_is_number(a) && json_is_number(b))
        return same_number(json_number_value(a), json_number_value(b));
    if (json_is_array(a) && json_is_array(b))
        return same_list(a, b, where);
    if (json_is_object(a) && json_is_object(b))
        return same_object(a, b, where);
    return json_equal(a, b);
}

bool records_same_end(const struct records *a, const struct records *b, struct buf *where)
{
    static const char *const keys[] = {"advice",     "source_gain",  "environment_gain",
                                       "total_gain", "ties",         "stop",
                                       "pruned",     "emitted_gain", "left"};
    bool all = strcmp(records_winner(a), records_winner(b)) == 0;

    if (!all)
        buf_add(where, "best");
    for (size_t i = 0; all && i < ARRAY_SIZE(keys); i++) {
        const json_t *left = json_object_get(a->report, keys[i]),
                     *right = json_object_get(b->report, keys[i]);

        buf_reset(where);
        buf_add(where, keys[i]);
        all = (!left && !right) || (left && right && same(left, right, where));
    }
    return all;
}
