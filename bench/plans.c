/*
 * Random plans over the kernels of tests/kernels: are those that the check calls legal
 * right, and those that it calls illegal wrong?
 *
 *     bench/plans --seed 1 --count 5000 --jobs 2     legal ones
 *     bench/plans --seed 1 --illegal 500             refused ones, forced
 *     bench/plans --kernel K --plan P                one again
 *     bench/plans --random --seed 1 --count 5000     of random kernels, 20 plans each
 *     bench/plans --kernel random-1-7 --plan P       one of those again
 *     bench/plans --file X.c --count 200             of files with a main under -DTEST
 *                 [--flags '-fno-strict-aliasing'] [--reassociate]
 *
 * Runs of other seeds are other kernels, so a long run may be split by seed. Random
 * kernels (kernel_random.h, kept in build/bench/random-kernels) and files are built by
 * gcc and clang-19 with sanitizers and by one of them at -O3, and must print what the
 * original prints, in all calls in which that is clean; a file's own call with which
 * sanitizers find fault in the original counts at -O3 only. `announced`: they do not, in
 * a call that what the plan says that it rests on excludes. clang-19 needs
 * libomp-19-dev and libclang-rt-19-dev.
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

enum { PLANS_PER_RANDOM = 20 };

struct options {
    struct plan_job job; /* of its kernels each, or all: seed, count, flags ... */
    unsigned long long jobs, group, say; /* say: where a group reports to */
    bool in_group, is_random;
    struct strvec files; /* kernels given by their paths */
    char *program;
};

static char *result_path(const struct options *options, unsigned long long group)
{
    return xasprintf("%s/plans%s-%llu.jsonl", BENCH_DIR,
                     options->job.illegal ? "-illegal" : "", group);
}

/* Those without a value. */
static bool read_switch(const char *word, struct options *options)
{
    bool *const on = !strcmp(word, "--random")        ? &options->is_random
                     : !strcmp(word, "--reassociate") ? &options->job.reassociate
                                                      : NULL;
    if (on)
        *on = true;
    return on;
}

static int read_options(int argc, char **argv, struct options *options)
{
    struct plan_job *job = &options->job;
    const struct {
        const char *name;
        unsigned long long *number;
        const char **text;
    } known[] = {{"--seed", &job->seed, NULL},     {"--count", &job->count, NULL},
                 {"--jobs", &options->jobs, NULL}, {"--group", &options->group, NULL},
                 {"--illegal", &job->count, NULL}, {"--kernel", NULL, &job->kernel},
                 {"--plan", NULL, &job->plan},     {"--flags", NULL, &job->flags},
                 {"--say", &options->say, NULL},   {"--file", NULL, NULL}};

    for (int i = 1; i < argc; i++) {
        size_t k = 0;

        if (read_switch(argv[i], options))
            continue;
        while (k < ARRAY_SIZE(known) && strcmp(argv[i], known[k].name))
            k++;
        if (k == ARRAY_SIZE(known) || i + 1 == argc)
            return -1;
        job->illegal |= !strcmp(argv[i], "--illegal");
        options->in_group |= !strcmp(argv[i], "--group");
        i++;
        if (known[k].number)
            *known[k].number = strtoull(argv[i], NULL, 10);
        else if (known[k].text)
            *known[k].text = argv[i];
        else
            strvec_push(&options->files, argv[i]);
    }
    return options->jobs > 0 && !(job->plan && !job->kernel) ? 0 : -1;
}

/* The kernels: files, random ones, or those of tests/kernels. */
static int find_kernels(const struct options *options, struct strvec *names,
                        struct error *err)
{
    strvec_push_all(names, &options->files);
    for (size_t i = 0; options->is_random && i * PLANS_PER_RANDOM < options->job.count;
         i++)
        strvec_pushf(names, "random-%llu-%zu", options->job.seed, i);
    return names->nr ? 0 : bench_kernels(names, err);
}

/* Plans of kernel `i` of `nr`. Of files the count is that of each. */
static unsigned long long count_of(const struct options *options, size_t i, size_t nr)
{
    unsigned long long count = options->job.count;

    return options->files.nr ? count : count / nr + (i < count % nr);
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
    struct plan_problems so_far = plan_problems(all, options->job.illegal, NULL);

    if (to) {
        plan_problems(one, options->job.illegal, to);
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
    const struct plan_job *job = &options->job;
    struct strvec argv = {0};

    strvec_push(&argv, options->program);
    strvec_pushf(&argv, "--kernel");
    strvec_push(&argv, name);
    strvec_push(&argv, job->illegal ? "--illegal" : "--count");
    strvec_pushf(&argv, "%llu", count);
    strvec_push(&argv, "--seed");
    strvec_pushf(&argv, "%llu", job->seed);
    strvec_push(&argv, "--flags");
    strvec_push(&argv, job->flags ? job->flags : "");
    if (job->reassociate)
        strvec_push(&argv, "--reassociate");
    struct spawn_outcome outcome;
    struct error err = {0};
    json_t *result = NULL;

    if (spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                          .output_limit = 64u << 20},
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
    strvec_release(&argv);
    return result;
}

/* The kernels of one group, one after the other. */
static int run_group(const struct options *options, struct error *err)
{
    struct strvec names = {0};
    char *path = result_path(options, options->group);

    if (find_kernels(options, &names, err) || dir_make_all(BENCH_DIR, err)) {
        free(path);
        return -1;
    }
    FILE *out = fopen(path, "w");
    for (size_t i = options->group; out && i < names.nr; i += options->jobs) {
        json_t *result = run_kernel(options, names.v[i], count_of(options, i, names.nr));

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
    size_t wrong =
        plan_report(all, options->job.count, options->job.illegal, clock_s() - start);
    json_decref(all);
    return wrong ? fail(err, STATUS_FAILED, "%zu plans are not as they should be", wrong)
                 : 0;
}

int main(int argc, char **argv)
{
    struct options options = {
        .job = {.seed = 1, .count = 200}, .jobs = 2, .program = argv[0]};
    struct error err = {0};
    int result;

    if (read_options(argc, argv, &options)) {
        fputs("usage: plans [--seed S] [--count N] [--illegal N] [--jobs J] [--random | "
              "--file FILE.c ... | --kernel K [--plan P]] [--flags F] [--reassociate]\n",
              stderr);
        return 2;
    }
    if (options.job.plan)
        result = plan_worker_single(&options.job, &err);
    else if (options.job.kernel)
        result = plan_worker(&options.job, &err);
    else if (options.in_group)
        result = run_group(&options, &err);
    else
        result = run_all(&options, argv, argc, &err);
    if (result)
        fprintf(stderr, "plans: %s\n", err.text);
    strvec_release(&options.files);
    return result ? 1 : 0;
}
