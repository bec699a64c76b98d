#include "tests/cases.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/files/json.h"
#include "tests/check.h"

static struct case_part *new_part(struct test_case *one)
{
    one->part = xrealloc(one->part, one->part_nr + 1, sizeof(*one->part));
    one->part[one->part_nr] = (struct case_part){0};
    return &one->part[one->part_nr++];
}

/* "part" or "part: text". */
static void begin_part(struct test_case *one, const char *line)
{
    struct case_part *part = new_part(one);
    const char *colon = strstr(line, ": ");

    part->one_line = colon != NULL;
    part->name = colon ? xasprintf("%.*s", (int)(colon - line), line) : xstrdup(line);
    part->text = colon ? xstrdup(colon + 2) : NULL;
}

/* The text up to here goes to the last part of the last case. */
static void end_text(struct cases *cases, struct buf *text, bool before_case)
{
    struct test_case *one = cases->nr ? &cases->v[cases->nr - 1] : NULL;
    struct case_part *part = one && one->part_nr ? &one->part[one->part_nr - 1] : NULL;
    char **to = part ? &part->text : one ? &one->text : &cases->comment;
    size_t n = text->length;

    if (before_case && n && buf_str(text)[n - 1] == '\n' &&
        (n == 1 || buf_str(text)[n - 2] == '\n'))
        buf_truncate(text, n - 1);
    if (part && part->one_line)
        check_str(buf_str(text), "");
    else
        *to = xstrdup(buf_str(text));
    buf_reset(text);
}

static void take_line(struct cases *cases, struct buf *text, const char *line)
{
    if (strcmp(line, "==") == 0 || strncmp(line, "== ", 3) == 0) {
        end_text(cases, text, true);
        cases->v = xrealloc(cases->v, cases->nr + 1, sizeof(*cases->v));
        cases->v[cases->nr++] =
            (struct test_case){.name = xstrdup(line[2] ? line + 3 : "")};
    } else if (cases->nr && strncmp(line, "-- ", 3) == 0) {
        end_text(cases, text, false);
        begin_part(&cases->v[cases->nr - 1], line + 3);
    } else {
        buf_addf(text, "%s\n", line);
    }
}

bool cases_read(const char *path, size_t min, struct cases *cases)
{
    struct buf file = {0}, text = {0};
    struct error err = {0};
    bool read;

    *cases = (struct cases){.path = xstrdup(path)};
    read = check_ok(file_read(path, &file, &err), &err);
    for (char *line = file.data, *end; read && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!check(end != NULL))
            break;
        *end = '\0';
        take_line(cases, &text, line);
    }
    end_text(cases, &text, false);
    buf_release(&file);
    buf_release(&text);
    return check(cases->nr >= min) && read;
}

static void write_cases(const struct cases *cases)
{
    struct buf file = {0};
    struct error err = {0};

    buf_add(&file, cases->comment);
    for (size_t i = 0; i < cases->nr; i++) {
        const struct test_case *one = &cases->v[i];

        buf_addf(&file, "%s==%s%s\n%s", i || *cases->comment ? "\n" : "",
                 *one->name ? " " : "", one->name, one->text);
        for (size_t k = 0; k < one->part_nr; k++)
            buf_addf(&file, one->part[k].one_line ? "-- %s: %s\n" : "-- %s\n%s",
                     one->part[k].name, one->part[k].text);
    }
    check_ok(file_write(cases->path, buf_str(&file), file.length, &err), &err);
    buf_release(&file);
}

void cases_release(struct cases *cases)
{
    if (cases->changed)
        write_cases(cases);
    for (size_t i = 0; i < cases->nr; i++) {
        struct test_case *one = &cases->v[i];

        for (size_t k = 0; k < one->part_nr; k++) {
            free(one->part[k].name);
            free(one->part[k].text);
        }
        free(one->part);
        free(one->name);
        free(one->text);
    }
    free(cases->v);
    free(cases->path);
    free(cases->comment);
    *cases = (struct cases){0};
}

struct test_case *cases_find(const struct cases *cases, const char *name)
{
    for (size_t i = 0; i < cases->nr; i++)
        if (strcmp(cases->v[i].name, name) == 0)
            return &cases->v[i];
    return NULL;
}

static struct case_part *find_part(const struct test_case *one, const char *name)
{
    for (size_t i = 0; i < one->part_nr; i++)
        if (strcmp(one->part[i].name, name) == 0)
            return &one->part[i];
    return NULL;
}

const char *case_part(const struct test_case *one, const char *part)
{
    struct case_part *found = find_part(one, part);

    return found ? found->text : NULL;
}

bool check_case(struct cases *cases, struct test_case *one, const char *name,
                const char *got)
{
    struct case_part *part = find_part(one, name);
    char *what = xasprintf("%s of '%s' in %s", name, one->name, cases->path);
    bool held;

    if (getenv("UPDATE_GOLDEN") && (!part || strcmp(part->text, got))) {
        if (!part) {
            part = new_part(one);
            part->name = xstrdup(name);
        }
        free(part->text);
        part->text = xstrdup(got);
        part->one_line = !strchr(got, '\n') && *got;
        cases->changed = true;
    }
    held = check_str_at(got, part ? part->text : NULL, what, HERE);
    free(what);
    return held;
}

/* ---- files that are refused ---- */

/* Of both, what `change` says; a new reference. */
static json_t *changed(const json_t *base, json_t *change)
{
    json_t *out, *value;
    const char *key;
    size_t i;

    if (!json_is_object(change) || !json_object_size(change))
        return json_incref(change);
    if (json_is_array(base)) {
        out = json_array();
        json_array_foreach(base, i, value)
            json_array_append_new(out, changed(value, change));
        return out;
    }
    out = json_is_object(base) ? json_copy((json_t *)base) : json_object();
    json_object_foreach(change, key, value)
        if (json_is_null(value))
            json_object_del(out, key);
        else
            json_object_set_new(out, key, changed(json_object_get(base, key), value));
    return out;
}

/* Caller frees. */
static char *document(const struct cases *cases, const struct test_case *one)
{
    const struct test_case *good = &cases->v[0];
    json_t *base = NULL, *change = NULL, *both;
    char *text = NULL;

    if (one != good && strcmp(good->name, "good") == 0) {
        base = json_loads(good->text, 0, NULL);
        change = json_loads(one->text, JSON_REJECT_DUPLICATES, NULL);
        check(base != NULL);
    }
    if (base && json_is_object(change)) {
        both = changed(base, change);
        text = json_text(both);
        json_decref(both);
    }
    json_decref(base);
    json_decref(change);
    return text ? text : xstrdup(one->text);
}

static char *put_file(const char *dir, const char *name, const char *text)
{
    char *path = path_join(dir, name);
    struct error err = {0};

    check_ok(file_write(path, text, strlen(text), &err), &err);
    return path;
}

char *case_file(const struct test_case *one, const char *dir)
{
    return put_file(dir, one->name, one->text);
}

/* Caller frees. */
static char *without_folder(const char *text, const char *dir)
{
    struct buf out = {0};
    size_t length = strlen(dir);

    while (*text)
        if (strncmp(text, dir, length) == 0 && text[length] == '/')
            text += length + 1;
        else
            buf_add_n(&out, text++, 1);
    return buf_detach(&out);
}

static void check_one_refused(struct cases *cases, struct test_case *one,
                              case_reader *read)
{
    char *name = xasprintf("%s%s", one->name, strchr(one->name, '.') ? "" : ".json");
    char *text = document(cases, one), *dir = NULL, *path = NULL, *got;
    const char *status = case_part(one, "status");
    struct error err = {0};

    if (!check_ok(scratch_make(&dir, &err), &err))
        goto out;
    path = put_file(dir, name, text);
    for (size_t i = 0; i < one->part_nr; i++)
        if (strchr(one->part[i].name, '.'))
            free(put_file(dir, one->part[i].name, one->part[i].text));
    if (strcmp(one->name, "good") == 0) {
        check_ok(read(one, path, &err), &err);
    } else if (check_eq_at(read(one, path, &err), -1, one->name, HERE)) {
        check_eq_at(err.status, status ? atoi(status) : STATUS_INPUT, one->name, HERE);
        got = without_folder(err.text, dir);
        check_case(cases, one, "error", got);
        free(got);
    }
    scratch_remove(dir);
out:
    free(path);
    free(text);
    free(name);
}

void check_refused(const char *path, size_t min, case_reader *read)
{
    struct cases cases;

    cases_read(path, min, &cases);
    for (size_t i = 0; i < cases.nr; i++)
        check_one_refused(&cases, &cases.v[i], read);
    cases_release(&cases);
}
