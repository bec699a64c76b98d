#include "tests/cases.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/base.h"
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

bool cases_read(const char *path, size_t least, struct cases *cases)
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
    return check(cases->nr >= least) && read;
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

char *case_file(const struct test_case *one, const char *dir, const char *name)
{
    char *path = path_join(dir, name);
    struct error err = {0};

    check_ok(file_write(path, one->text, strlen(one->text), &err), &err);
    return path;
}
