/*
 * Records whole spaces: every legal plan of the fixed grid (search/strategy/grid.c) for
 * some kernels, as inflight.space/1 in bench/data/spaces, on which bench/search_score
 * replays strategies; and in bench/data/unseen those of kernels that no rule was made
 * with.
 *
 *   spaces [--only NAME] [--explain | --list]
 *
 * One after the other on the processors that the process may use (taskset), some ten
 * minutes each; what has a file already is left out. Then, or with --explain alone for
 * all that have files, traffic is traced for the variants that a guided search over the
 * space asks about: with the times as recorded, and with times drawn from their
 * intervals.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/machine/machine.h"
#include "search/search.h"

/* Of different kinds, and with calls of milliseconds: the words replace the file's sizes,
 * which make calls of a second. Larger than L2 all of them. */
static const struct kernel_case {
    const char *name, *words[3];
} cases[] = {
    {"transpose_lda", {"set n = 800", "set lda = 808", "set ldb = 816"}},
    {"gemm_textbook", {"set n = 192", "set m = 192", "set l = 192"}},
    {"gather_horner", {"set n = 100000", "set m = 6000000"}},
    {"stencil_27", {"set n = 64"}},
    {"triad_stream", {"set n = 1500000"}},
    {"column_sums", {"set rows = 1000", "set columns = 800"}},
    {"gemv_columns", {"set n = 800", "set m = 800"}},
    {"copy_stream", {"set n = 2000000"}},
    {"gather_computed_key", {"set n = 100000", "set m = 8388608"}},
    {"permute_3d", {"set n = 96"}},
    {"matvec_both", {"set n = 900"}},
    {"laplace_columns", {"set n = 900"}},
    {"ger_update", {"set n = 900", "set m = 900"}},
    {"gather_two_tables", {"set n = 100000", "set m = 4000000"}},
    {"reversed_rows", {"set n = 900", "set m = 900"}},
    {"space_blur", {NULL}},
    {"space_basis", {NULL}},
    {"space_lower", {NULL}},
    {"space_plate", {NULL}},
    {"space_rows", {NULL}},
    {"space_planes", {NULL}},
};

/* Of bench/kernels, at the sizes of the file. */
static bool is_unseen(const struct kernel_case *one)
{
    return !strncmp(one->name, "space_", strlen("space_"));
}

/* ---- one kernel, live ---- */

struct recorder {
    struct machine *machine;
    struct toolchain toolchain;
    char *scratch;
    struct rule_set *rules;
};

struct recording {
    const struct recorder *recorder;
    struct kernel_request request;
    struct kernel *kernel;
    struct live *live;
    json_t *measurements; /* inflight.measurement/1, one a plan */
    size_t told;
};

static int open_recording(const struct recorder *recorder, const struct kernel_case *one,
                          struct recording *out, struct error *err)
{
    *out = (struct recording){.recorder = recorder, .measurements = json_array()};
    char *path = xasprintf("%s/%s/kernels/%s.c", INFLIGHT_SOURCE_DIR,
                           is_unseen(one) ? "bench" : "tests", one->name);
    out->request.path = path;
    for (size_t i = 0; i < ARRAY_SIZE(one->words) && one->words[i]; i++)
        strvec_push(&out->request.words, one->words[i]);
    if (kernel_open(&out->request, &out->kernel, err) || kernel_bind(out->kernel, err))
        return -1;
    struct live_opts opts = {.kernel = out->kernel,
                             .machine = recorder->machine,
                             .toolchain = &recorder->toolchain,
                             .budget_s = 8,
                             .scratch = recorder->scratch,
                             .unsanitized = true,
                             .pairs = 32};
    return live_new(&opts, &out->live, err);
}

static void close_recording(struct recording *recording)
{
    live_free(recording->live);
    kernel_free(recording->kernel);
    json_decref(recording->measurements);
    strvec_release(&recording->request.words);
    free((char *)recording->request.path);
}

static json_t *find_plan(const json_t *measurements, const char *plan)
{
    size_t i;
    json_t *one;
    json_array_foreach(measurements, i,
                       one) if (!strcmp(bench_text(one, "plan"), plan)) return one;
    return NULL;
}

/* Times are those of quick runs, beside the kernel as written, all alike; an explained
 * run adds its traffic. */
static int keep(void *data, const struct measurement *measurement, struct error *err)
{
    struct recording *recording = data;
    json_t *document = dataset_measurement_json(measurement),
           *old = find_plan(recording->measurements, measurement->plan);
    (void)err;
    if (!old) {
        json_array_append(recording->measurements, document);
        if (++recording->told % 20 == 0)
            fprintf(stderr, "  %zu variants\n", recording->told);
    } else if (measurement->has_traffic) {
        json_object_set(old, "traffic", json_object_get(document, "traffic"));
    } else {
        json_object_update(old, document);
    }
    json_decref(document);
    return 0;
}

static int measure_all(struct recording *recording, struct error *err)
{
    struct search_subject subject = live_subject(recording->live);
    struct search_runner runner = live_runner(recording->live);
    struct search_observer observer = {.data = recording, .measured = keep};
    struct search_opts opts = {.strategy = "exhaustive",
                               .budget_s = 7200,
                               .plans_only = true,
                               .rules = recording->recorder->rules};
    struct search_result result = {0};
    int status = search_run(&subject, &runner, &observer, &opts, &result, err);
    if (!status && spawn_interrupted())
        status = fail(err, STATUS_FAILED, "interrupted");
    search_result_release(&result);
    return status;
}

/* ---- the file ---- */

static char *space_path(const struct kernel_case *one)
{
    return xasprintf("%s/bench/data/%s/%s.json.gz", INFLIGHT_SOURCE_DIR,
                     is_unseen(one) ? "unseen" : "spaces", one->name);
}

static int write_space(const struct recording *recording, const char *path,
                       struct error *err)
{
    const struct recorder *recorder = recording->recorder;
    struct buf source = {0};
    if (file_read(recording->request.path, &source, err))
        return -1;
    struct dataset_about about = {.name = kernel_name(recording->kernel),
                                  .file = path_base(recording->request.path),
                                  .source = buf_str(&source),
                                  .words = &recording->request.words,
                                  .cflags = &recording->request.cflags,
                                  .machine = recorder->machine,
                                  .cores = (int)live_copies(recording->live),
                                  .compiler = recorder->toolchain.version,
                                  .flags = &recorder->toolchain.flags};
    json_t *root = dataset_json(&about);
    json_object_set(root, "measurements", recording->measurements);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
    int status = file_write_gz(path, text, strlen(text), err);
    free(text);
    json_decref(root);
    buf_release(&source);
    return status;
}

static int read_space(struct recording *recording, const char *path, struct error *err)
{
    json_t *root = NULL;
    if (json_read_file(path, "inflight.space/1", &root, err))
        return -1;
    json_decref(recording->measurements);
    recording->measurements = json_incref(json_object_get(root, "measurements"));
    json_decref(root);
    return 0;
}

/* ---- what guidance asks about ---- */

struct asking {
    struct search_runner behind;
    struct strvec asked; /* plans to be explained that are not */
};

static int ask(void *data, const struct candidate *candidate, enum measure_effort effort,
               double stop_at_s, struct measurement *out, struct error *err)
{
    struct asking *asking = data;
    int status = asking->behind.measure(asking->behind.data, candidate, effort, stop_at_s,
                                        out, err);
    if (!status && effort == MEASURE_EXPLAIN && out->outcome == RUN_OUTCOME_OK &&
        !out->has_traffic)
        strvec_push(&asking->asked, candidate->plan);
    return status;
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    const struct asking *asking = data;
    return asking->behind.compare(asking->behind.data, a, b, seconds, ratio, err);
}

/* As recorded, and drawn anew so often. */
enum { SEEDS = 20 };

static int ask_guided(const struct recorder *recorder, const char *path,
                      struct asking *asking, struct error *err)
{
    struct dataset *dataset = NULL;
    if (dataset_load(path, &dataset, err))
        return -1;
    int status = 0;
    for (unsigned long long seed = 0; !status && seed <= SEEDS; seed++) {
        struct search_subject subject = dataset_subject(dataset);
        struct search_runner runner = {
            .data = asking, .measure = ask, .compare = compare};
        struct search_opts opts = {.budget_s = 3600, .rules = recorder->rules};
        struct search_result result = {0};
        asking->behind = dataset_runner(dataset);
        dataset_seed(dataset, seed);
        status = search_run(&subject, &runner, NULL, &opts, &result, err);
        search_result_release(&result);
    }
    dataset_free(dataset);
    return status;
}

static int explain(struct recording *recording, const char *plan, struct error *err)
{
    struct search_runner runner = live_runner(recording->live);
    struct candidate candidate = {.plan = plan};
    struct measurement measurement = {0};
    if (runner.measure(runner.data, &candidate, MEASURE_EXPLAIN, 0, &measurement, err))
        return -1;
    if (measurement.has_traffic)
        keep(recording, &measurement, NULL);
    else
        fprintf(stderr, "  %s: %s\n", plan,
                measurement.detail ? measurement.detail : "not explained");
    measurement_release(&measurement);
    return 0;
}

static int explain_asked(struct recording *recording, const struct strvec *asked,
                         size_t *nr, struct error *err)
{
    *nr = 0;
    for (size_t i = 0; i < asked->nr && !spawn_interrupted(); i++) {
        if (json_object_get(find_plan(recording->measurements, asked->v[i]), "traffic"))
            continue;
        if (explain(recording, asked->v[i], err))
            return -1;
        ++*nr;
    }
    return 0;
}

/* What is known of one variant leads to the next. */
static int explain_space(struct recording *recording, const char *path, struct error *err)
{
    size_t nr = 1, round = 0;
    int status = 0;
    for (; !status && nr && round < 8 && !spawn_interrupted(); round++) {
        struct asking asking = {{0}, {0}};
        status = ask_guided(recording->recorder, path, &asking, err);
        if (!status)
            status = explain_asked(recording, &asking.asked, &nr, err);
        if (!status && nr)
            status = write_space(recording, path, err);
        fprintf(stderr, "  explained %zu more\n", nr);
        strvec_release(&asking.asked);
    }
    return status;
}

/* ---- all of them ---- */

enum mode { RECORD, EXPLAIN, LIST };

/* The legal plans. */
static int list(const struct recorder *recorder, const struct kernel_case *one,
                struct error *err)
{
    struct recording recording = {0};
    struct strvec plans = {0};
    int status = open_recording(recorder, one, &recording, err);
    if (!status) {
        struct search_subject subject = live_subject(recording.live);
        status = search_grid(&subject, &plans, err);
    }
    for (size_t i = 0; !status && i < plans.nr; i++)
        printf("%s: %s\n", one->name, plans.v[i]);
    strvec_release(&plans);
    close_recording(&recording);
    return status;
}

static int record(const struct recorder *recorder, const struct kernel_case *one,
                  enum mode mode, struct error *err)
{
    char *path = space_path(one);
    bool there = file_exists(path);
    struct recording recording = {0};
    int status = mode == LIST ? list(recorder, one, err) : 0;
    if (mode != LIST && there == (mode == EXPLAIN)) {
        fprintf(stderr, "%s\n", one->name);
        status = open_recording(recorder, one, &recording, err);
        if (!status)
            status =
                there ? read_space(&recording, path, err) : measure_all(&recording, err);
        if (!status && !there)
            status = write_space(&recording, path, err);
        if (!status)
            status = explain_space(&recording, path, err);
        close_recording(&recording);
    }
    free(path);
    return status;
}

static int start_recorder(struct recorder *recorder, struct error *err)
{
    static struct machine machine;
    char *path = NULL;
    int status = machine_default_path(&path, err);
    *recorder = (struct recorder){.machine = &machine};
    if (!status)
        status = machine_load(path, &machine, err);
    if (!status)
        status = toolchain_find("gcc", NULL, &recorder->toolchain, err);
    if (!status)
        status = rule_set_load(NULL, &recorder->rules, err);
    if (!status)
        status = scratch_make(&recorder->scratch, err);
    free(path);
    return status;
}

static int record_all(const char *only, enum mode mode, struct error *err)
{
    struct recorder recorder;
    int status = start_recorder(&recorder, err);
    for (size_t i = 0; !status && i < ARRAY_SIZE(cases) && !spawn_interrupted(); i++)
        if ((!only || !strcmp(only, cases[i].name)) &&
            record(&recorder, &cases[i], mode, err)) {
            fprintf(stderr, "spaces: %s: %s\n", cases[i].name, err->text);
            *err = (struct error){0};
        }
    rule_set_free(recorder.rules);
    toolchain_release(&recorder.toolchain);
    machine_release(recorder.machine);
    if (recorder.scratch)
        scratch_remove(recorder.scratch);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"only", required_argument, NULL, 'o'},
                                            {"explain", no_argument, NULL, 'e'},
                                            {"list", no_argument, NULL, 'l'},
                                            {0}};
    const char *only = NULL;
    enum mode mode = RECORD;
    struct error err = {0};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        only = c == 'o' ? optarg : only;
        mode = c == 'e' ? EXPLAIN : c == 'l' ? LIST : mode;
    }
    spawn_catch_interrupt();
    if (record_all(only, mode, &err) == 0)
        return 0;
    fprintf(stderr, "spaces: %s\n", err.text);
    return 1;
}
