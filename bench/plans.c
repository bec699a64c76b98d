/*
 * Random plans over the kernels of tests/kernels: are those that the check calls legal
 * right, and those that it calls illegal wrong?
 *
 *     bench/plans --seed 1 --count 5000 --jobs 2     legal ones
 *     bench/plans --seed 1 --illegal 500             refused ones, forced
 *     bench/plans --kernel K --plan P                one again
 *
 * Each plan is compiled by gcc and clang at -O1 with sanitizers and run against the
 * untransformed kernel, bit for bit (0 and -0 are equal), at sizes of 0, 1, 2, 3, around
 * block sizes and primes; parallel ones run under the thread sanitizer too. Refused ones
 * are compiled by gcc at -O3, which makes use of what it is promised. How far it is and
 * each problem go to stderr as they are known, tables to stdout; one line of JSON per
 * kernel is kept in build/bench/plans-0.jsonl and so on, a file per job. Exit 1 when
 * something was wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/plan_report.h"
#include "bench/plan_worker.h"

#define KERNELS INFLIGHT_SOURCE_DIR "/tests/kernels"

struct options {
    unsigned long long seed, count, jobs, group, say; /* say: where a group reports to */
    bool illegal, in_group;
    const char *kernel, *plan;
    char *program;
};

static char *result_path(const struct options *options, unsigned long long group)
{
    return xasprintf("%s/plans%s-%llu.jsonl", BENCH_DIR,
                     options->illegal ? "-illegal" : "", group);
}

static int read_options(int argc, char **argv, struct options *options)
{
    const struct {
        const char *name;
        unsigned long long *number;
        const char **text;
    } known[] = {
        {"--seed", &options->seed, NULL},     {"--count", &options->count, NULL},
        {"--jobs", &options->jobs, NULL},     {"--group", &options->group, NULL},
        {"--illegal", &options->count, NULL}, {"--kernel", NULL, &options->kernel},
        {"--plan", NULL, &options->plan},     {"--say", &options->say, NULL}};

    for (int i = 1; i + 1 < argc; i += 2) {
        size_t k = 0;
        while (k < ARRAY_SIZE(known) && strcmp(argv[i], known[k].name))
            k++;
        if (k == ARRAY_SIZE(known))
            return -1;
        if (known[k].number)
            *known[k].number = strtoull(argv[i + 1], NULL, 10);
        else
            *known[k].text = argv[i + 1];
        options->illegal |= !strcmp(argv[i], "--illegal");
        options->in_group |= !strcmp(argv[i], "--group");
    }
    return argc % 2 == 1 && options->jobs > 0 && !(options->plan && !options->kernel)
               ? 0
               : -1;
}

/* All lines that the groups wrote so far. */
static json_t *collect(const struct options *options)
{
    json_t *all = json_array();

    for (size_t i = 0; i < options->jobs; i++) {
        char *path = result_path(options, i);
        struct buf text = {0};

        if (file_read(path, &text, NULL) == 0)
            for (char *line = text.data, *end; line && (end = strchr(line, '\n'));
                 line = end + 1) {
                *end = '\0';
                json_array_append_new(all, json_loads(line, 0, NULL));
            }
        buf_release(&text);
        free(path);
    }
    return all;
}

/* What is wrong with the kernel that is through, and how far all groups are. */
static void say_progress(const struct options *options, json_t *kernel, size_t kernel_nr)
{
    FILE *to = options->say ? fdopen(dup((int)options->say), "w") : NULL;
    json_t *one = json_pack("[O]", kernel), *all = collect(options);
    struct plan_problems so_far = plan_problems(all, options->illegal, NULL);

    if (to) {
        plan_problems(one, options->illegal, to);
        fprintf(to, "plans: %zu of %zu kernels, %zu plans, %zu problems\n",
                json_array_size(all), kernel_nr, so_far.plans, so_far.problems);
        fclose(to);
    }
    json_decref(one);
    json_decref(all);
}

/* Runs ourselves on one kernel, so that a crash costs that kernel only. */
static json_t *run_kernel(const struct options *options, const char *name,
                          unsigned long long count)
{
    char *seed = xasprintf("%llu", options->seed), *nr = xasprintf("%llu", count);
    const char *const argv[] = {options->program,
                                "--kernel",
                                name,
                                "--seed",
                                seed,
                                options->illegal ? "--illegal" : "--count",
                                nr,
                                NULL};
    struct spawn_outcome outcome;
    struct error err = {0};
    json_t *result = NULL;

    if (spawn_run(&(struct spawn_request){.argv = argv, .output_limit = 64u << 20},
                  &outcome, &err) == 0) {
        result = json_loads(buf_str(&outcome.out), 0, NULL);
        const char *said = buf_str(&outcome.err), *last = strrchr(said, '\n');

        while (last && last > said && last[-1] != '\n')
            last--;
        if (!result)
            result =
                json_pack("{s:s, s:s}", "kernel", name, "failed", last ? last : said);
        spawn_outcome_release(&outcome);
    }
    free(seed);
    free(nr);
    return result;
}

/* The kernels of one group, one after the other. */
static int run_group(const struct options *options, struct error *err)
{
    struct strvec names = {0};
    char *path = result_path(options, options->group);

    if (bench_kernels(&names, err) || dir_make_all(BENCH_DIR, err)) {
        free(path);
        return -1;
    }
    FILE *out = fopen(path, "w");
    for (size_t i = options->group; out && i < names.nr; i += options->jobs) {
        unsigned long long each = options->count / names.nr,
                           more = i < options->count % names.nr;
        json_t *result = run_kernel(options, names.v[i], each + more);

        json_dumpf(result, out, JSON_COMPACT);
        fputc('\n', out);
        fflush(out); /* for the other groups */
        say_progress(options, result, names.nr);
        json_decref(result);
    }
    if (out)
        fclose(out);
    strvec_release(&names);
    free(path);
    return out ? 0 : fail(err, STATUS_FAILED, "cannot write into '%s'", BENCH_DIR);
}

static int start_groups(const struct options *options, char **argv, int argc,
                        struct error *err)
{
    struct spawn_child **child = xcalloc(options->jobs, sizeof(struct spawn_child *));
    struct spawn_outcome *outcome = xcalloc(options->jobs, sizeof(*outcome));
    size_t nr = 0;
    int result = 0, say = dup(STDERR_FILENO);

    for (size_t i = 0; i < options->jobs; i++) {
        char *old = result_path(options, i);

        unlink(old);
        free(old);
    }
    for (; nr < options->jobs && !result; nr++) {
        struct strvec words = {0};

        for (int i = 0; i < argc; i++)
            strvec_push(&words, argv[i]);
        strvec_push(&words, "--group");
        strvec_pushf(&words, "%zu", nr);
        strvec_push(&words, "--say");
        strvec_pushf(&words, "%d", say);
        result = spawn_start(&(struct spawn_request){.argv = (const char *const *)words.v,
                                                     .pass_fd = {say}},
                             &child[nr], err);
        strvec_release(&words);
    }
    if (result == 0)
        result = spawn_wait_all(child, nr, false, outcome, err);
    for (size_t i = 0; i < nr && result == 0; i++)
        spawn_outcome_release(&outcome[i]);
    close(say);
    free(child);
    free(outcome);
    return result;
}

static int run_all(const struct options *options, char **argv, int argc,
                   struct error *err)
{
    double start = clock_s();

    if (start_groups(options, argv, argc, err))
        return -1;
    json_t *all = collect(options);
    size_t wrong = plan_report(all, options->count, options->illegal, clock_s() - start);
    json_decref(all);
    return wrong ? fail(err, STATUS_FAILED, "%zu plans are not as they should be", wrong)
                 : 0;
}

int main(int argc, char **argv)
{
    struct options options = {.seed = 1, .count = 200, .jobs = 2, .program = argv[0]};
    struct error err = {0};
    int result;

    if (read_options(argc, argv, &options)) {
        fputs("usage: plans [--seed S] [--count N] [--illegal N] [--jobs J] [--kernel K "
              "[--plan P]]\n",
              stderr);
        return 2;
    }
    if (options.plan)
        result = plan_worker_single(options.kernel, options.plan, options.illegal, &err);
    else if (options.kernel)
        result = plan_worker(options.kernel, options.seed, options.count, options.illegal,
                             &err);
    else if (options.in_group)
        result = run_group(&options, &err);
    else
        result = run_all(&options, argv, argc, &err);
    if (result)
        fprintf(stderr, "plans: %s\n", err.text);
    return result ? 1 : 0;
}
