#include "advisor/session/code_diffs.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/session/emitted.h"
#include "core/base.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

static bool is_there(const struct code_diffs *code, const char *plan)
{
    return json_object_get(code->diffs, plan) || json_object_get(code->refused, plan);
}

static int start(struct code_diffs *code, struct kernel *kernel, struct error *err)
{
    struct buf text = {0};
    if (code->original)
        return 0;
    if (file_read(kernel_path(kernel), &text, err))
        return -1;
    code->original = buf_detach(&text);
    code->lines = json_array();
    code->place = json_object();
    code->diffs = json_object();
    code->refused = json_object();
    return 0;
}

static size_t place_of(struct code_diffs *code, const char *line, size_t length)
{
    char *copy = xstrndup(line, length);
    json_t *text = text_json(copy),
           *place = json_object_get(code->place, json_string_value(text));
    size_t at = place ? (size_t)json_integer_value(place) : json_array_size(code->lines);
    if (!place) {
        json_object_set_new(code->place, json_string_value(text),
                            json_integer((json_int_t)at));
        json_array_append(code->lines, text);
    }
    json_decref(text);
    free(copy);
    return at;
}

static void add_range(struct buf *out, size_t first, size_t last)
{
    buf_addf(out, "%s%zu", out->length ? " " : "", first);
    if (last > first)
        buf_addf(out, "-%zu", last);
}

/* Each line of the diff by its place. */
static void add_diff(struct code_diffs *code, const char *plan, const char *diff)
{
    struct buf places = {0};
    size_t first = 0, last = 0;
    bool open = false;
    while (*diff) {
        size_t length = strcspn(diff, "\n"), at = place_of(code, diff, length);
        if (open && at != last + 1)
            add_range(&places, first, last);
        if (!open || at != last + 1)
            first = at;
        last = at;
        open = true;
        diff += length + (diff[length] == '\n');
    }
    if (open)
        add_range(&places, first, last);
    json_object_set_new(code->diffs, plan, json_string(buf_str(&places)));
    buf_release(&places);
}

void code_diffs_add(struct code_diffs *code, struct kernel *kernel, const char *plan)
{
    enum account before = account_switch(ACCOUNT_ANALYSIS);
    struct plan *parsed = NULL;
    struct error err = {0};
    struct buf source = {0}, diff = {0};
    if (!*plan || is_there(code, plan) || start(code, kernel, &err))
        goto out;
    if (plan_parse(plan, &parsed, &err) == 0 &&
        kernel_emit(kernel, parsed, NULL, &source, &err) == 0) {
        patch_text(path_base(kernel_path(kernel)), code->original, buf_str(&source), "",
                   &diff);
        add_diff(code, plan, buf_str(&diff));
    } else {
        json_object_set_new(code->refused, plan, text_json(err.text));
    }
out:
    plan_free(parsed);
    buf_release(&source);
    buf_release(&diff);
    account_switch(before);
}

json_t *code_diffs_json(const struct code_diffs *code)
{
    if (!code->original)
        return NULL;
    return json_pack("{s:O, s:O, s:O}", "lines", code->lines, "diffs", code->diffs,
                     "refused", code->refused);
}

/* "5" or "5-9"; the text behind it, NULL = neither. */
static const char *read_range(const char *text, size_t nr, size_t *first, size_t *last)
{
    char *end = NULL;
    if (*text < '0' || *text > '9')
        return NULL;
    *first = *last = strtoul(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *last = strtoul(end + 1, &end, 10);
    bool fits = *first <= *last && *last < nr && (!*end || *end == ' ');
    return fits ? end + (*end == ' ') : NULL;
}

bool code_diffs_text(const json_t *code, const char *plan, struct buf *out)
{
    const json_t *lines = json_object_get(code, "lines");
    const char *at =
        json_string_value(json_object_get(json_object_get(code, "diffs"), plan));
    size_t begin = out->length;
    while (at && *at) {
        size_t first = 0, last = 0;
        at = read_range(at, json_array_size(lines), &first, &last);
        for (size_t i = first; at && i <= last; i++) {
            const char *line = json_string_value(json_array_get(lines, i));
            buf_addf(out, "%s\n", line ? line : "");
        }
    }
    if (!at)
        buf_truncate(out, begin);
    return at != NULL;
}

void code_diffs_release(struct code_diffs *code)
{
    free(code->original);
    json_decref(code->lines);
    json_decref(code->place);
    json_decref(code->diffs);
    json_decref(code->refused);
    *code = (struct code_diffs){0};
}
