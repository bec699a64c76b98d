/* A measurement saved with what explains it, and explained again elsewhere and later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/records/replay.h"
#include "tests/search/scripted_space.h"

SUITE(search_replay);

struct saved {
    struct space space;
    struct machine machine;
    struct measurement measurement;
    json_t *document;
    char *dir, *path;
    struct error err;
};

static void save(struct saved *saved)
{
    check_ok(json_write_file(saved->path, saved->document, &saved->err), &saved->err);
}

/* A gather on huge pages, as a published machine of many cores would have it. */
static void saved_make(struct saved *saved)
{
    struct candidate candidate = {"prefetch(table:16)",
                                  {.huge_pages = true, .start = RUN_START_COLD}};
    struct error *err = &saved->err;

    space_gather(&saved->space.kernel, 10000000, 100000000);
    space_init(&saved->space, NULL);
    check_ok(machine_load("skl", &saved->machine, err), err);
    check_ok(saved->space.runner.measure(saved->space.runner.data, &candidate,
                                         MEASURE_EXPLAIN, 0, &saved->measurement, err),
             err);
    saved->measurement.sample[1].disturbed = RUN_DISTURBED_STOLEN;
    check_ok(measurement_explain(&saved->measurement, &saved->machine, 12,
                                 &saved->space.kernel.counts, err),
             err);
    struct measurement_origin origin = {.machine = &saved->machine,
                                        .cores = 12,
                                        .counts = saved->space.kernel.counts,
                                        .kernel = "gather",
                                        .file = "src/gather.c",
                                        .date = "2026-11-21T20:00:00Z"};
    saved->document = measurement_save_json(&saved->measurement, &origin);
    check_ok(scratch_make(&saved->dir, err), err);
    saved->path = path_join(saved->dir, "m.json");
    save(saved);
}

static void saved_release(struct saved *saved)
{
    measurement_release(&saved->measurement);
    machine_release(&saved->machine);
    json_decref(saved->document);
    space_release(&saved->space);
    scratch_remove(saved->dir);
    free(saved->path);
}

/* Every figure to nine digits, every word. */
static void check_same(const json_t *a, const json_t *b, const char *path)
{
    const char *key;
    json_t *value;

    if (json_is_number(a) && json_is_number(b)) {
        check_near(json_number_value(a), json_number_value(b), 1e-9);
        return;
    }
    if (json_is_array(a) && json_is_array(b)) {
        check_eq(json_array_size(a), json_array_size(b));
        for (size_t i = 0; i < json_array_size(a); i++)
            check_same(json_array_get(a, i), json_array_get(b, i), path);
        return;
    }
    if (!json_is_object(a) || !json_is_object(b)) {
        if (!json_equal(a, b))
            check_str("differs", path);
        return;
    }
    check_eq(json_object_size(a), json_object_size(b));
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
        check_same(value, json_object_get(b, key), key);
    }
}

TEST("the replay is the measurement")
{
    struct saved saved = {0};
    struct measurement_replay replay;

    saved_make(&saved);
    if (check_ok(measurement_replay(saved.path, NULL, 0, &replay, &saved.err),
                 &saved.err)) {
        json_t *before = measurement_to_json(&saved.measurement),
               *after = measurement_to_json(&replay.measurement);

        check(replay.measurement.has_occupancy && replay.measurement.replayed);
        check_same(after, before, "measurement");
        check_str(replay.measured_on, "skl");
        check(!replay.elsewhere);
        check_eq(replay.origin.cores, 12);
        check_str(replay.origin.kernel, "gather");
        check_str(replay.origin.file, "src/gather.c");
        check_str(replay.origin.compiler, NULL);
        check_eq(replay.measurement.environment.start, RUN_START_COLD);
        check_eq(replay.measurement.sample[1].disturbed, RUN_DISTURBED_STOLEN);
        json_decref(before);
        json_decref(after);
        measurement_replay_release(&replay);
    }
    saved_release(&saved);
}

TEST("another machine explains it")
{
    struct saved saved = {0};
    struct measurement_replay replay;
    struct machine other;

    saved_make(&saved);
    check_ok(machine_load("knl", &other, &saved.err), &saved.err);
    if (check_ok(measurement_replay(saved.path, &other, 4, &replay, &saved.err),
                 &saved.err)) {
        check(replay.elsewhere);
        check_str(replay.machine.name, "knl");
        check_str(replay.measured_on, "skl");
        check_eq(replay.origin.cores, 4);
        check_near(replay.measurement.time_s.value, saved.measurement.time_s.value, 1e-9);
        check_near(replay.measurement.occupancy.bandwidth_gbs.value * 3,
                   saved.measurement.occupancy.bandwidth_gbs.value, 1e-6);
        measurement_replay_release(&replay);
    }
    machine_release(&other);
    saved_release(&saved);
}

/* Documents of earlier versions know neither machine nor cores nor counts. */
TEST("older ones are read with a machine")
{
    static const char *const key[] = {"machine", "cores", "counts", "kernel",
                                      "file",    "date",  "hash",   "compiler"};
    struct saved saved = {0};
    struct measurement_replay replay;

    saved_make(&saved);
    for (size_t i = 0; i < ARRAY_SIZE(key); i++)
        json_object_del(saved.document, key[i]);
    json_object_del(json_object_get(saved.document, "environment"), "start");
    json_object_del(json_object_get(saved.document, "environment"), "background");
    save(&saved);
    check_fails(measurement_replay(saved.path, NULL, 0, &replay, &saved.err), &saved.err,
                STATUS_INPUT, "does not hold the profile of its machine");
    if (check_ok(measurement_replay(saved.path, &saved.machine, 0, &replay, &saved.err),
                 &saved.err)) {
        check_str(replay.measured_on, NULL);
        check(!replay.elsewhere);
        check_eq(replay.origin.cores, saved.machine.cores);
        check(!replay.origin.counts.flops.known);
        check_eq(replay.measurement.environment.start, RUN_START_WARM);
        measurement_replay_release(&replay);
    }
    saved_release(&saved);
}

static void check_refused(struct saved *saved, const char *key, json_t *value,
                          const char *part)
{
    json_t *kept = json_incref(json_object_get(saved->document, key));
    struct measurement_replay replay;

    json_object_set_new(saved->document, key, value);
    save(saved);
    check_fails(measurement_replay(saved->path, NULL, 0, &replay, &saved->err),
                &saved->err, STATUS_INPUT, part);
    check(!replay.document && !replay.measurement.plan);
    json_object_set_new(saved->document, key, kept);
}

TEST("what cannot be explained is refused")
{
    struct saved saved = {0};

    saved_make(&saved);
    check_refused(&saved, "traffic", json_null(), "but not what moved");
    check_refused(&saved, "outcome", json_string("crashed"), "ended as 'crashed'");
    check_refused(&saved, "time_ns", json_null(), "there is no time to explain");
    check_refused(&saved, "machine", json_string("skl"), "machine: expected an object");
    check_refused(&saved, "machine", json_pack("{s:i}", "cores", 3), "machine");
    check_refused(&saved, "cores", json_integer(0), "cores: ");
    check_refused(&saved, "counts", json_pack("{s:i}", "flops", 3), "counts.flops: ");
    check_refused(&saved, "kernel", json_integer(3), "kernel: expected a string");
    check_refused(&saved, "environment",
                  json_pack("{s:s, s:s}", "pages", "small", "start", "tepid"),
                  "environment: start: expected warm, cold-data");
    check_refused(&saved, "schema", json_string("inflight.report/1"), "schema: expected");
    saved_release(&saved);
}
