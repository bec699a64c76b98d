/* What is beside the plan: as text, as JSON, compared, put together. */
#include "search/space/environment.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"

bool environments_equal(const struct environment *a, const struct environment *b)
{
    return a->huge_pages == b->huge_pages && a->start == b->start &&
           a->background == b->background && a->threads == b->threads &&
           a->smt == b->smt && !strcmp(a->compiler, b->compiler) &&
           !strcmp(a->flags, b->flags) && !strcmp(a->schedule, b->schedule);
}

bool environments_same_run(const struct environment *a, const struct environment *b)
{
    return a->huge_pages == b->huge_pages && a->threads == b->threads &&
           a->smt == b->smt && !strcmp(a->compiler, b->compiler) &&
           !strcmp(a->flags, b->flags) && !strcmp(a->schedule, b->schedule);
}

static void add_phrase(struct buf *out, const char *before, const char *text,
                       const char *behind)
{
    buf_addf(out, "%s%s%s%s", out->length ? ", " : "", before, text, behind);
}

char *environment_phrase(const struct environment *environment)
{
    struct buf out = {0};
    char number[32];
    if (environment->huge_pages)
        add_phrase(&out, "huge pages", "", "");
    if (environment->start != RUN_START_WARM)
        add_phrase(&out, "", run_start_word(environment->start), " start");
    if (environment->background != RUN_BACKGROUND_IDLE)
        add_phrase(&out, "", run_background_word(environment->background),
                   " load beside");
    if (*environment->compiler)
        add_phrase(&out, "compiler ", environment->compiler, "");
    if (*environment->flags)
        add_phrase(&out, "flags '", environment->flags, "'");
    snprintf(number, sizeof(number), "%d", environment->threads);
    if (environment->threads > 1)
        add_phrase(&out, "", number, " threads");
    snprintf(number, sizeof(number), "%d", environment->smt);
    if (environment->smt > 1)
        add_phrase(&out, "", number, " hardware threads a core");
    if (*environment->schedule)
        add_phrase(&out, "schedule ", environment->schedule, "");
    return buf_detach(&out);
}

struct environment environment_with(const struct environment *base,
                                    const struct environment *over)
{
    struct environment both = *base;
    both.huge_pages = base->huge_pages || over->huge_pages;
    if (over->threads)
        both.threads = over->threads;
    if (over->smt)
        both.smt = over->smt;
    /* Flags are those of a compiler: another one takes its own. */
    if (*over->compiler) {
        memcpy(both.compiler, over->compiler, sizeof(both.compiler));
        memcpy(both.flags, over->flags, sizeof(both.flags));
    } else if (*over->flags) {
        memcpy(both.flags, over->flags, sizeof(both.flags));
    }
    if (*over->schedule)
        memcpy(both.schedule, over->schedule, sizeof(both.schedule));
    return both;
}

/* ---- JSON ---- */

static void add_count(json_t *root, const char *key, int count)
{
    if (count > 1)
        json_object_set_new(root, key, json_integer(count));
}

static void add_word(json_t *root, const char *key, const char *word)
{
    if (*word)
        json_object_set_new(root, key, text_json(word));
}

json_t *environment_to_json(const struct environment *environment)
{
    json_t *root =
        json_pack("{s:s, s:s, s:s}", "pages", environment->huge_pages ? "huge" : "small",
                  "start", run_start_word(environment->start), "background",
                  run_background_word(environment->background));
    add_count(root, "threads", environment->threads);
    add_count(root, "smt", environment->smt);
    add_word(root, "compiler", environment->compiler);
    add_word(root, "flags", environment->flags);
    add_word(root, "schedule", environment->schedule);
    return root;
}

static int read_start(const struct json_at *at, struct environment *environment,
                      struct error *err)
{
    const char *word = NULL;
    if (!json_has(at, "start"))
        return 0;
    if (json_string_at(at, "start", &word, err))
        return -1;
    if (!run_start_from_word(word, &environment->start))
        return json_fail(at, err,
                         "start: expected warm, cold-data, cold-code or cold, got \"%s\"",
                         word);
    return 0;
}

static int read_background(const struct json_at *at, struct environment *environment,
                           struct error *err)
{
    const char *word = NULL;
    if (!json_has(at, "background"))
        return 0;
    if (json_string_at(at, "background", &word, err))
        return -1;
    if (!run_background_from_word(word, &environment->background))
        return json_fail(
            at, err, "background: expected idle, arithmetic, memory or disk, got \"%s\"",
            word);
    return 0;
}

static int read_count(const struct json_at *at, const char *key, int *count,
                      struct error *err)
{
    long long number = 0;
    if (!json_has(at, key))
        return 0;
    if (json_integer_at(at, key, 2, 65536, &number, err))
        return -1;
    *count = (int)number;
    return 0;
}

static int read_word(const struct json_at *at, const char *key, char *word, size_t room,
                     struct error *err)
{
    const char *text = NULL;
    if (!json_has(at, key))
        return 0;
    if (json_string_at(at, key, &text, err))
        return -1;
    if (strlen(text) >= room)
        return json_fail(at, err, "%s: at most %zu characters are taken", key, room - 1);
    memcpy(word, text, strlen(text) + 1);
    return 0;
}

int environment_from_json(const struct json_at *at, struct environment *environment,
                          struct error *err)
{
    const char *pages = NULL;
    if (json_string_at(at, "pages", &pages, err))
        return -1;
    if (strcmp(pages, "huge") && strcmp(pages, "small"))
        return json_fail(at, err, "pages: expected small or huge, got \"%s\"", pages);
    environment->huge_pages = !strcmp(pages, "huge");
    return read_start(at, environment, err) || read_background(at, environment, err) ||
                   read_count(at, "threads", &environment->threads, err) ||
                   read_count(at, "smt", &environment->smt, err) ||
                   read_word(at, "compiler", environment->compiler,
                             sizeof(environment->compiler), err) ||
                   read_word(at, "flags", environment->flags, sizeof(environment->flags),
                             err) ||
                   read_word(at, "schedule", environment->schedule,
                             sizeof(environment->schedule), err)
               ? -1
               : 0;
}
