#include "tests/metric_place.h"

#include <stdlib.h>
#include <string.h>

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/advisor/metrics"

static const char *const files[] = {
    "toy.json",   "round.json",   "unknown.json", "old.csv",   "new.csv",   "tied.csv",
    "range.csv",  "sample.csv",   "zero.csv",     "epyc.csv",  "part1.csv", "part2.csv",
    "little.csv", "skylake.csv",  "foreign.csv",  "words.csv", "a=b,c.csv", "wide.json",
    "wide.csv",   "expected.csv", "expected.json"};

void metric_place_make(struct place *place)
{
    place_make(place);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        place_copy(place, DATA, files[i]);
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
