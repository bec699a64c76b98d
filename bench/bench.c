#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(const char *name, const json_t *report)
{
    char *path = xasprintf("%s/%s.json", BENCH_DIR, name);
    struct error err = {0};

    if (dir_make_all(BENCH_DIR, &err) || json_write_file(path, report, &err))
        fprintf(stderr, "bench: %s\n", err.text);
    free(path);
}

static json_t *parse(const char *name, const char *schema,
                     const struct spawn_outcome *outcome)
{
    struct error err = {0};
    json_t *report = NULL;

    if (outcome->end != SPAWN_EXITED || outcome->code)
        fprintf(stderr, "bench: inflight failed on %s: %s", name, buf_str(&outcome->err));
    else if (json_read_text(buf_str(&outcome->out), name, schema, &report, &err))
        fprintf(stderr, "bench: %s\n", err.text);
    return report;
}

json_t *bench_document(const char *name, const char *schema, const char *const *words,
                       double *seconds)
{
    struct strvec argv = {0};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    json_t *report = NULL;

    strvec_push(&argv, INFLIGHT_PROGRAM);
    for (; *words; words++)
        strvec_push(&argv, *words);
    struct spawn_request request = {.argv = (const char *const *)argv.v,
                                    .output_limit = 64u << 20};
    fprintf(stderr, "bench: %s ...\n", name);
    double start = clock_s();
    if (spawn_run(&request, &outcome, &err))
        fprintf(stderr, "bench: %s\n", err.text);
    else
        report = parse(name, schema, &outcome);
    *seconds = clock_s() - start;
    if (report)
        keep(name, report);
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return report;
}

json_t *bench_report(const char *name, const char *const *words, double *seconds)
{
    return bench_document(name, "inflight.report/1", words, seconds);
}

double bench_value(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);

    if (json_is_object(node))
        node = json_object_get(node, "value");
    return json_is_number(node) ? json_number_value(node) : NAN;
}

void bench_gain(const json_t *quantity, struct buf *out)
{
    double value = bench_value(quantity, "value");

    if (isnan(value))
        buf_add(out, "-");
    else
        buf_addf(out, "%.2f (%.2f to %.2f)", value, bench_value(quantity, "low"),
                 bench_value(quantity, "high"));
}

const char *bench_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

double bench_utilization(const json_t *measurement, const char *resource)
{
    const json_t *queue;
    size_t i;

    json_array_foreach(json_object_get(measurement, "queues"), i, queue)
    {
        if (!strcmp(bench_text(queue, "resource"), resource))
            return bench_value(queue, "utilization");
    }
    return NAN;
}

int bench_kernels(struct strvec *names, struct error *err)
{
    static const char path[] = INFLIGHT_SOURCE_DIR "/tests/kernels/manifest.json";
    json_t *manifest, *entry;
    size_t i;

    if (json_read_file(path, "inflight.kernels/1", &manifest, err))
        return -1;
    json_array_foreach(json_object_get(manifest, "kernels"), i, entry)
    {
        if (strcmp(bench_text(entry, "model"), "none"))
            strvec_push(names, bench_text(entry, "name"));
    }
    json_decref(manifest);
    return 0;
}

json_t *bench_profile(const char *path, bool quick, double *seconds)
{
    const char *argv[] = {
        INFLIGHT_PROGRAM, "machine", "--quiet", "--output", path, NULL, NULL};
    struct spawn_request request = {.argv = argv};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    json_t *profile = NULL;

    argv[5] = quick ? "--quick" : NULL;
    if (dir_make_all(BENCH_DIR, &err) || spawn_run(&request, &outcome, &err))
        fprintf(stderr, "bench: %s\n", err.text);
    else if (outcome.end != SPAWN_EXITED || outcome.code)
        fprintf(stderr, "bench: inflight machine failed: %s", buf_str(&outcome.err));
    else if (json_read_file(path, "inflight.machine/1", &profile, &err))
        fprintf(stderr, "bench: %s\n", err.text);
    *seconds = outcome.wall_s;
    spawn_outcome_release(&outcome);
    return profile;
}
