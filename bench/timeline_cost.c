/*
 * What reading an application costs it, and how punctual the readings are.
 *
 *     bench/timeline [--pairs 15] [--seconds 1] [--interval 10ms] [--threads 1]
 *
 * An application of our own computes for about --seconds and times itself; it is run by
 * itself and under `inflight profile --timeline`, by turns (A B, B A ...). The first
 * table has the ratio of the two, median of pairs with the order statistics that hold it
 * with 95 %; the second how late readings were after their deadlines, from the CSV of all
 * runs.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "observe/observe.h"

enum { threads_most = 64 };

struct options {
    double seconds, interval_s;
    long long pairs, threads;
    char *interval;
};

/* ---- the application ---- */

static long long rounds;

/* Through a table that the second-level cache holds: what a reading may disturb. */
static void *compute(void *result)
{
    enum { nr = 1 << 14 };
    double *table = xcalloc(nr, sizeof(*table)), sum = 0;

    for (long long i = 0; i < rounds; i++)
        for (size_t k = 0; k < nr; k++) {
            table[k] = table[k] * 0.99 + (double)((k * 40503) & 1023);
            sum += table[(k * 7919) & (nr - 1)];
        }
    free(table);
    *(double *)result = sum;
    return NULL;
}

static double work(long long threads)
{
    pthread_t thread[threads_most];
    double result[threads_most], start = clock_s();

    for (long long i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, compute, &result[i]))
            return NAN;
    for (long long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return clock_s() - start;
}

/* "work ROUNDS THREADS FILE": leaves its own time in the file. */
static int be_application(char **argv)
{
    struct buf text = {0};
    struct error err = {0};
    int status;

    rounds = strtoll(argv[2], NULL, 10);
    buf_addf(&text, "%.9f\n", work(strtoll(argv[3], NULL, 10)));
    status = file_write(argv[4], buf_str(&text), text.length, &err);
    buf_release(&text);
    return status ? 1 : 0;
}

/* ---- pairs ---- */

struct bench {
    struct options options;
    const char *self;
    char *dir, *time_file, *csv, *rounds, *threads;
    double *ratio, *late_s;
    size_t ratio_nr, late_nr, late_alloc, missed, readings;
    double own_share; /* sum over runs */
};

static int run(struct bench *bench, bool observed, double *seconds, struct error *err)
{
    struct strvec argv = {0};
    struct spawn_request request = {0};
    struct spawn_outcome outcome = {0};
    struct buf text = {0};
    int status;

    if (observed) {
        const char *const words[] = {
            INFLIGHT_PROGRAM, "profile",  "--timeline", bench->options.interval,
            "--csv",          bench->csv, "--"};

        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            strvec_push(&argv, words[i]);
    }
    strvec_push(&argv, bench->self);
    strvec_push(&argv, "work");
    strvec_push(&argv, bench->rounds);
    strvec_push(&argv, bench->threads);
    strvec_push(&argv, bench->time_file);
    request.argv = (const char *const *)argv.v;
    status = spawn_run(&request, &outcome, err);
    if (!status && (outcome.end != SPAWN_EXITED || outcome.code != 0))
        status = fail(err, STATUS_FAILED, "a run failed: %.300s", buf_str(&outcome.err));
    if (!status)
        status = file_read(bench->time_file, &text, err);
    *seconds = strtod(buf_str(&text), NULL);
    buf_release(&text);
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return status;
}

/* Lateness of each reading behind the deadline it was for; the last one is the program's
 * end. */
static int take_csv(struct bench *bench, struct error *err)
{
    struct timeline timeline;
    double interval = bench->options.interval_s;
    int status = timeline_csv_read(bench->csv, &timeline, err);

    for (size_t i = 0; !status && i + 1 < timeline.bin_nr; i++) {
        double to = timeline.bin[i].to_s;

        GROW(bench->late_s, bench->late_nr + 1, bench->late_alloc);
        bench->late_s[bench->late_nr++] = to - floor(to / interval + 1e-6) * interval +
                                          (double)timeline.bin[i].missed * interval;
    }
    bench->missed += timeline_missed(&timeline);
    bench->readings += timeline.bin_nr;
    bench->own_share += timeline.own_cpu_s / timeline_seconds(&timeline);
    timeline_release(&timeline);
    return status;
}

static int run_pair(struct bench *bench, bool observed_first, struct error *err)
{
    double seconds[2];

    for (int i = 0; i < 2; i++) {
        bool observed = observed_first == (i == 0);

        if (run(bench, observed, &seconds[observed], err) ||
            (observed && take_csv(bench, err)))
            return -1;
    }
    bench->ratio[bench->ratio_nr++] = seconds[1] / seconds[0];
    return 0;
}

/* As many rounds as take the time asked for, alone. */
static int calibrate(struct bench *bench, struct error *err)
{
    double seconds;

    bench->rounds = xstrdup("2000");
    if (run(bench, false, &seconds, err))
        return -1;
    free(bench->rounds);
    bench->rounds = xasprintf("%.0f", 2000 * bench->options.seconds / seconds);
    return 0;
}

/* ---- tables ---- */

/* Ranks that hold the median with 95 %: binomial, normal approximation. */
static size_t rank_below(size_t nr)
{
    double rank = floor(((double)nr - 1.96 * sqrt((double)nr)) / 2);

    return rank > 1 ? (size_t)rank - 1 : 0;
}

static void print_tables(struct bench *bench)
{
    size_t nr = bench->ratio_nr, low = rank_below(nr), late = bench->late_nr;

    sort_doubles(bench->ratio, nr);
    sort_doubles(bench->late_s, late);
    printf("\n| interval | threads | pairs | time with / without | 95 %% | reading, "
           "%% of a core |\n|---|---|---|---|---|---|\n");
    printf("| %s | %s | %zu | %.4f | %.4f to %.4f | %.2f |\n", bench->options.interval,
           bench->threads, nr, median_of_sorted(bench->ratio, nr), bench->ratio[low],
           bench->ratio[nr - 1 - low], 100 * bench->own_share / (double)nr);
    if (!late)
        return;
    printf("\n| readings | late, median us | 90 %% | 99 %% | most | deadlines missed "
           "|\n|---|---|---|---|---|---|\n");
    printf("| %zu | %.0f | %.0f | %.0f | %.0f | %zu |\n", bench->readings,
           1e6 * median_of_sorted(bench->late_s, late),
           1e6 * bench->late_s[late * 9 / 10], 1e6 * bench->late_s[late * 99 / 100],
           1e6 * bench->late_s[late - 1], bench->missed);
}

static int bench_all(struct bench *bench, struct error *err)
{
    if (scratch_make(&bench->dir, err))
        return -1;
    bench->time_file = path_join(bench->dir, "time");
    bench->csv = path_join(bench->dir, "timeline.csv");
    bench->threads = xasprintf("%lld", bench->options.threads);
    bench->ratio = xcalloc((size_t)bench->options.pairs, sizeof(*bench->ratio));
    if (calibrate(bench, err))
        return -1;
    for (long long i = 0; i < bench->options.pairs; i++)
        if (run_pair(bench, i % 2, err))
            return -1;
    print_tables(bench);
    return 0;
}

static void bench_release(struct bench *bench)
{
    if (bench->dir)
        scratch_remove(bench->dir);
    free(bench->time_file);
    free(bench->csv);
    free(bench->rounds);
    free(bench->threads);
    free(bench->ratio);
    free(bench->late_s);
    free(bench->options.interval);
}

static int read_option(const char *name, const char *value, struct options *options,
                       struct error *err)
{
    if (!strcmp(name, "--pairs"))
        return parse_count(value, name, &options->pairs, err);
    if (!strcmp(name, "--threads"))
        return parse_count(value, name, &options->threads, err);
    if (!strcmp(name, "--seconds"))
        return parse_time(value, name, &options->seconds, err);
    if (strcmp(name, "--interval"))
        return fail(err, STATUS_USAGE, "unknown option '%s'", name);
    free(options->interval);
    options->interval = xstrdup(value);
    return parse_time(value, name, &options->interval_s, err);
}

int main(int argc, char **argv)
{
    struct bench bench = {.self = argv[0],
                          .options = {.seconds = 1,
                                      .interval_s = 0.01,
                                      .pairs = 15,
                                      .threads = 1,
                                      .interval = xstrdup("10ms")}};
    struct error err = {0};
    int status = 0;

    if (argc == 5 && !strcmp(argv[1], "work"))
        return be_application(argv);
    for (int i = 1; i < argc && !status; i += 2)
        status = i + 1 < argc ? read_option(argv[i], argv[i + 1], &bench.options, &err)
                              : fail(&err, STATUS_USAGE, "'%s' takes a value", argv[i]);
    if (!status && (bench.options.pairs < 1 || bench.options.threads < 1 ||
                    bench.options.threads > threads_most))
        status =
            fail(&err, STATUS_USAGE, "at least one pair, 1 to %d threads", threads_most);
    if (!status)
        status = bench_all(&bench, &err);
    bench_release(&bench);
    if (status)
        fprintf(stderr, "%s\n", err.text);
    return status ? status_exit(err.status) : 0;
}
