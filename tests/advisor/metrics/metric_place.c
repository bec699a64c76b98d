#include "tests/advisor/metrics/metric_place.h"

#include <stdlib.h>
#include <string.h>

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/advisor/metrics"

static const char *const files[] = {
    "toy.json",   "old.csv",      "new.csv",      "tied.csv",  "range.csv",
    "sample.csv", "zero.csv",     "epyc.csv",     "part1.csv", "part2.csv",
    "little.csv", "skylake.csv",  "foreign.csv",  "words.csv", "a=b,c.csv",
    "wide.csv",   "expected.csv", "expected.json"};

/* What differs from toy.json but the name. */
static const struct {
    const char *name, *from, *to;
} brothers[] = {
    {"round", "\"CYCLES\", \"unit\"", "\"Slots / Width + 0 * CYCLES\", \"unit\""},
    {"unknown", "\"FLOPS\", \"unit\"", "\"FLOPZ\", \"unit\""},
    {"wide", "a CPU of the tests", "a CPU with long lines"},
    {"wide", "\"family\": \"6\", \"models\": [\"7F\"]",
     "\"family\": \"F\", \"models\": [\"1\"]"},
    {"wide", "Fused ones count once.", "Fused ones count twice."}};

static void replace(struct buf *text, const char *from, const char *to)
{
    const char *at = strstr(buf_str(text), from);
    struct buf out = {0};

    if (!check(at != NULL))
        return;
    buf_addf(&out, "%.*s%s%s", (int)(at - buf_str(text)), buf_str(text), to,
             at + strlen(from));
    buf_release(text);
    *text = out;
}

static void make_brother(struct place *place, const char *name)
{
    char *path = path_join(place->work, "toy.json"), *file = xasprintf("%s.json", name);
    char *quoted = xasprintf("\"%s\"", name);
    struct buf text = {0};

    check_ok(file_read(path, &text, &place->err), &place->err);
    replace(&text, "\"toy\"", quoted);
    for (size_t i = 0; i < ARRAY_SIZE(brothers); i++)
        if (strcmp(brothers[i].name, name) == 0)
            replace(&text, brothers[i].from, brothers[i].to);
    metric_place_write(place, file, buf_str(&text));
    buf_release(&text);
    free(path);
    free(file);
    free(quoted);
}

void metric_place_make(struct place *place)
{
    place_make(place);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        place_copy(place, DATA, files[i]);
    make_brother(place, "round");
    make_brother(place, "unknown");
    make_brother(place, "wide");
}

void metric_place_print(struct place *place, const char *args, const char *name)
{
    struct spawn_outcome outcome = {0};
    char *path = path_join(place->work, name);

    place_run(place, args, &outcome);
    check_eq(outcome.code, 0);
    check_ok(file_write(path, buf_str(&outcome.out), outcome.out.length, &place->err),
             &place->err);
    spawn_outcome_release(&outcome);
    free(path);
}

void metric_place_write(struct place *place, const char *name, const char *text)
{
    char *path = path_join(place->work, name);

    check_ok(file_write(path, text, strlen(text), &place->err), &place->err);
    free(path);
}
