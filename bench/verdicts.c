/*
 * How many variants are judged in a second: for calls of about 1 ms, 50 ms, and 0.5 s on
 * 1 GiB, the first plans of a shuffled grid, each built, compared with the original's
 * results at small sizes and timed in the arena as a search does it (first looks, with
 * the limit of the guided search). The kernel as written is measured before.
 *
 *   verdicts [--plans N] [--seed N]
 *
 * Exit 1 when a figure was missed.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/base/random.h"
#include "core/machine/machine.h"
#include "search/search.h"

static const struct subject {
    const char *label, *file, *words[2];
    double asked; /* a second */
} subjects[] = {
    {"1 ms", "tests/kernels/gemv_columns.c", {"set n = 500", "set m = 1000"}, 10},
    {"50 ms", "templates/kernels/transpose.c", {"set n = 4000"}, 4},
    {"0.5 s, 1 GiB", "templates/kernels/transpose.c", {"set n = 8192"}, 1},
};

struct bench {
    struct machine machine;
    struct toolchain toolchain;
    char *scratch;
    size_t plans;
    uint64_t seed;
};

/* What came of them. */
struct tally {
    size_t nr, timed, given_up, other;
    double seconds, call_s, best_s;
    double *took;
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void shuffle(struct strvec *plans, uint64_t seed)
{
    for (size_t i = plans->nr; i > 1; i--) {
        size_t j = random_next(&seed) % i;
        char *one = plans->v[i - 1];
        plans->v[i - 1] = plans->v[j];
        plans->v[j] = one;
    }
}

static int judge(const struct search_runner *runner, const char *plan,
                 struct tally *tally, struct error *err)
{
    const double much_slower = 1.5; /* search/finish/settle.c */
    struct candidate candidate = {.plan = plan};
    struct measurement out = {0};
    double began_s = clock_s();
    if (runner->measure(runner->data, &candidate, MEASURE_QUICK,
                        much_slower * tally->best_s, &out, err))
        return -1;
    tally->took[tally->nr++] = clock_s() - began_s;
    tally->timed += out.outcome == RUN_OUTCOME_OK;
    tally->given_up += out.outcome == RUN_OUTCOME_STOPPED;
    tally->other += out.outcome != RUN_OUTCOME_OK && out.outcome != RUN_OUTCOME_STOPPED;
    if (out.outcome == RUN_OUTCOME_OK && out.time_s.value < tally->best_s)
        tally->best_s = out.time_s.value;
    measurement_release(&out);
    return 0;
}

static int judge_all(const struct search_runner *runner, const struct strvec *plans,
                     size_t most, struct tally *tally, struct error *err)
{
    double began_s = clock_s();
    size_t nr = plans->nr < most ? plans->nr : most, ready = 0;
    int status = 0;
    tally->took = xcalloc(nr + 1, sizeof(*tally->took));
    for (size_t i = 0; !status && i < nr && !spawn_interrupted(); i++) {
        struct candidate *batch = xcalloc(runner->prepare_most, sizeof(*batch));
        size_t batch_nr = 0;
        for (; i == ready && batch_nr < runner->prepare_most && i + batch_nr < nr;
             batch_nr++)
            batch[batch_nr].plan = plans->v[i + batch_nr];
        ready += batch_nr;
        if (batch_nr)
            status = runner->prepare(runner->data, batch, batch_nr, err);
        if (!status)
            status = judge(runner, plans->v[i], tally, err);
        free(batch);
    }
    tally->seconds = clock_s() - began_s;
    return status;
}

static int explain(const struct search_runner *runner, struct tally *tally,
                   struct error *err)
{
    struct candidate candidate = {.plan = ""};
    struct measurement out = {0};
    if (runner->measure(runner->data, &candidate, MEASURE_EXPLAIN, 0, &out, err))
        return -1;
    tally->call_s = tally->best_s = out.time_s.value;
    int status = out.time_s.known
                     ? 0
                     : fail(err, STATUS_FAILED, "the kernel as written has no time");
    measurement_release(&out);
    return status;
}

static int run_kernel(const struct bench *bench, struct kernel *kernel,
                      struct tally *tally, struct error *err)
{
    struct machine machine = bench->machine;
    struct live_opts opts = {.kernel = kernel,
                             .machine = &machine,
                             .toolchain = &bench->toolchain,
                             .budget_s = 30,
                             .scratch = bench->scratch};
    struct live *live = NULL;
    struct strvec plans = {0};
    if (live_new(&opts, &live, err))
        return -1;
    struct search_subject subject = live_subject(live);
    struct search_runner runner = live_runner(live);
    int status = search_grid(&subject, &plans, err) || explain(&runner, tally, err);
    if (!status) {
        shuffle(&plans, bench->seed);
        status = judge_all(&runner, &plans, bench->plans, tally, err);
    }
    strvec_release(&plans);
    live_free(live);
    return status;
}

static int run(const struct bench *bench, const struct subject *subject,
               struct tally *tally, struct error *err)
{
    char *path = xasprintf("%s/%s", INFLIGHT_SOURCE_DIR, subject->file);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(subject->words) && subject->words[i]; i++)
        strvec_push(&request.words, subject->words[i]);
    int status = kernel_open(&request, &kernel, err) || kernel_bind(kernel, err) ||
                 run_kernel(bench, kernel, tally, err);
    kernel_free(kernel);
    strvec_release(&request.words);
    free(path);
    return status;
}

static void print(const struct subject *subject, const struct tally *tally)
{
    double rate = (double)tally->nr / tally->seconds;
    if (tally->nr)
        qsort(tally->took, tally->nr, sizeof(*tally->took), by_size);
    printf("| %s | %.2g ms | %zu | %zu, %zu, %zu | %.2f s, %.2f s | %.1f | %g | %s |\n",
           subject->label, tally->call_s * 1e3, tally->nr, tally->timed, tally->given_up,
           tally->other, tally->nr ? tally->took[tally->nr / 2] : 0,
           tally->nr ? tally->took[tally->nr - 1] : 0, rate, subject->asked,
           rate >= subject->asked ? "yes" : "**no**");
    fflush(stdout);
}

static int start(struct bench *bench, struct error *err)
{
    char *path = NULL;
    int status = machine_default_path(&path, err) ||
                 machine_load(path, &bench->machine, err) ||
                 toolchain_find("gcc", NULL, &bench->toolchain, err) ||
                 scratch_make(&bench->scratch, err);
    free(path);
    return status ? -1 : 0;
}

static bool run_all(const struct bench *bench, struct error *err)
{
    bool good = true;
    printf("| call | as written | judged | timed, given up, not run | a variant: median, "
           "longest | a second | asked | reached |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < ARRAY_SIZE(subjects) && !spawn_interrupted(); i++) {
        struct tally tally = {0};
        if (run(bench, &subjects[i], &tally, err)) {
            fprintf(stderr, "verdicts: %s: %s\n", subjects[i].label, err->text);
            good = false;
        } else {
            print(&subjects[i], &tally);
            good = good && (double)tally.nr / tally.seconds >= subjects[i].asked;
        }
        free(tally.took);
        *err = (struct error){0};
    }
    return good;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"plans", required_argument, NULL, 'p'},
                                            {"seed", required_argument, NULL, 's'},
                                            {0}};
    struct bench bench = {.plans = 60, .seed = 1};
    struct error err = {0};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        if (c == 'p')
            bench.plans = strtoul(optarg, NULL, 10);
        else
            bench.seed = strtoull(optarg, NULL, 10);
    }
    spawn_catch_interrupt();
    bool good = false;
    if (start(&bench, &err))
        fprintf(stderr, "verdicts: %s\n", err.text);
    else
        good = run_all(&bench, &err);
    toolchain_release(&bench.toolchain);
    machine_release(&bench.machine);
    if (bench.scratch)
        scratch_remove(bench.scratch);
    return !good;
}
