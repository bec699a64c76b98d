/*
 * The ceilings beside other programs' figures: reads and STREAM triads (plain stores, 24
 * bytes an element) of memory and of the cache levels, one core and all, by our kernels,
 * by likwid-bench (its best variant) and by plain C loops (gcc -O3 -march=native,
 * OpenMP). All of them take their turn in every repetition; each figure is the median
 * over the repetitions. Ours runs on huge pages, and so do the others where glibc can be
 * told (2.35 and later). Exit 1 when ours is below 95 % of the best of the others
 * somewhere, or nothing could be compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/machine/machine.h"

enum {
    REPETITIONS = 7,
    REPETITIONS_MAX = 100,
    SOURCES_MAX = 8,
    CASES_MAX = 24,
    LEVELS = 3
};
static const double wanted = 0.95;
#define HUGE_PAGES_FOR_MALLOC "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

/* One loop in one place. */
struct place {
    int level; /* 0 = memory */
    bool all_cores, triad;
    size_t cores, bytes; /* of each core; 0 until ours has chosen it */
};

/* One program's figures for one place. */
struct series {
    const char *name; /* "inflight", "plain C", or a test of likwid-bench */
    double gbs[REPETITIONS_MAX];
    size_t nr;
    bool failed; /* once: it is not tried again */
};

/* [0] is ours. Reads and triads of a place follow each other: ours measures both at once.
 */
struct contest {
    struct place place;
    struct series series[SOURCES_MAX];
    size_t series_nr;
};

struct bench {
    size_t cores; /* of this machine */
    struct contest contest[CASES_MAX];
    size_t contest_nr, repetitions;
    struct machine_rates rates; /* of the present place, by ours */
    struct buf likwid_tests;    /* what likwid-bench -a says; empty = there is none */
};

/* Runs of the others, and those in which other processes took turns on their cores: they
 * stop a run, while our windows are repeated. */
static size_t others, others_crowded;

static void count_run(const struct spawn_outcome *outcome)
{
    const double usual_per_s = 20; /* on an idle machine it is about one */

    others++;
    others_crowded += (double)outcome->involuntary_switches >
                      usual_per_s * outcome->wall_s + usual_per_s;
}

/* The output of a program; false with a word on stderr when it did not end well. */
static bool output_of(const char *const *argv, const char *const *env, struct buf *out)
{
    struct spawn_request request = {.argv = argv, .env_extra = env, .timeout_s = 120};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    bool well = !spawn_run(&request, &outcome, &err) && outcome.end == SPAWN_EXITED &&
                outcome.code == 0;

    count_run(&outcome);
    if (well)
        buf_add(out, buf_str(&outcome.out));
    else
        fprintf(stderr, "bench: %s %s (%s %d) %.200s\n", argv[0], argv[1] ? argv[1] : "",
                spawn_end_word(outcome.end), outcome.code,
                err.text[0] ? err.text : buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    return well;
}

static double ours(struct bench *bench, struct contest *contest)
{
    struct place *place = &contest->place;
    struct error err = {0};
    double bytes = 0;
    struct quantity rate;

    if (!place->triad) {
        bench->rates = (struct machine_rates){0};
        if (machine_rates_now(place->level, place->all_cores, &bench->rates, &bytes,
                              &err))
            fprintf(stderr, "bench: %s\n", err.text);
        contest[0].place.bytes = contest[1].place.bytes = (size_t)bytes;
    }
    rate = place->triad ? bench->rates.triad_gbs : bench->rates.read_gbs;
    return rate.known ? rate.value : NAN;
}

static double plain(const struct place *place)
{
    char *bytes = xasprintf("%zu", place->bytes);
    char *threads = xasprintf("OMP_NUM_THREADS=%zu", place->cores);
    const char *argv[] = {BENCH_DIR "/stream", place->triad ? "triad" : "read", bytes,
                          "0.5", NULL};
    const char *env[] = {threads, "OMP_PROC_BIND=close", "OMP_PLACES=cores",
                         HUGE_PAGES_FOR_MALLOC, NULL};
    struct buf out = {0};
    double gbs = output_of(argv, env, &out) ? strtod(buf_str(&out), NULL) : NAN;

    buf_release(&out);
    free(bytes);
    free(threads);
    return gbs;
}

static double likwid(const char *test, const struct place *place)
{
    /* Domain N is the whole node; kB are 1000 bytes there, of all threads together. */
    char *group =
        xasprintf("N:%zukB:%zu", place->bytes * place->cores / 1000, place->cores);
    const char *argv[] = {"likwid-bench", "-t", test, "-w", group, "-s", "1", NULL};
    const char *env[] = {HUGE_PAGES_FOR_MALLOC, NULL};
    struct buf out = {0};
    const char *found =
        output_of(argv, env, &out) ? strstr(buf_str(&out), "MByte/s:") : NULL;
    double gbs = found ? 1e-3 * strtod(found + strlen("MByte/s:"), NULL) : NAN;

    buf_release(&out);
    free(group);
    return gbs > 0 ? gbs : NAN;
}

static void measure(struct bench *bench, struct contest *contest, struct series *series)
{
    const struct place *place = &contest->place;
    double gbs = series == contest->series              ? ours(bench, contest)
                 : !place->bytes                        ? NAN
                 : strcmp(series->name, "plain C") == 0 ? plain(place)
                                                        : likwid(series->name, place);

    if (isnan(gbs))
        series->failed = true;
    else
        series->gbs[series->nr++] = gbs;
}

static void add_series(struct contest *contest, const char *name)
{
    contest->series[contest->series_nr++] = (struct series){.name = name};
}

static bool likwid_has(const struct bench *bench, const char *test)
{
    char *line = xasprintf("\n%s - ", test);
    bool has = strstr(buf_str(&bench->likwid_tests), line) != NULL;

    free(line);
    return has;
}

/* Plain stores only: the tests called _mem use non-temporal ones. What the CPU cannot run
 * fails at its first try. */
static void add_likwid(const struct bench *bench, struct contest *contest)
{
    static const char *const reads[] = {"load_avx512", "load_avx", "load_sse", "load"};
    static const char *const triads[] = {"stream_avx512_fma", "stream_avx_fma",
                                         "stream_avx", "stream_sse", "stream"};
    bool triad = contest->place.triad;
    const char *const *test = triad ? triads : reads;
    size_t nr = triad ? ARRAY_SIZE(triads) : ARRAY_SIZE(reads);

    for (size_t i = 0; i < nr; i++) /* the scalar ones only where there is nothing else */
        if (likwid_has(bench, test[i]) && (i + 1 < nr || contest->series_nr == 2))
            add_series(contest, test[i]);
}

static void add_place(struct bench *bench, int level, bool all_cores)
{
    for (int triad = 0; triad < 2; triad++) {
        struct contest *contest = &bench->contest[bench->contest_nr++];

        contest->place = (struct place){.level = level,
                                        .all_cores = all_cores,
                                        .triad = triad,
                                        .cores = all_cores ? bench->cores : 1};
        add_series(contest, "inflight");
        add_series(contest, "plain C");
        add_likwid(bench, contest);
    }
}

static void choose_places(struct bench *bench, int levels)
{
    for (int all = 0; all <= (bench->cores > 1); all++)
        for (int level = levels; level >= 0; level--)
            add_place(bench, level, all);
}

/* Median with quartiles; unknown without samples. */
static struct quantity middle_of(const double *sample, size_t nr)
{
    double sorted[REPETITIONS_MAX];

    for (size_t i = 0; i < nr; i++) { /* insertion sort */
        size_t at = i;

        for (; at > 0 && sorted[at - 1] > sample[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = sample[i];
    }
    return nr ? quantity_between(
                    nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2,
                    sorted[nr / 4], sorted[nr - 1 - nr / 4], nr, PROVENANCE_CLOCK)
              : quantity_unknown();
}

static struct quantity figure(const struct series *series)
{
    return middle_of(series->gbs, series->failed ? 0 : series->nr);
}

/* Of those that are not ours. */
static const struct series *best_of(const struct contest *contest)
{
    const struct series *best = NULL;

    for (size_t i = 1; i < contest->series_nr; i++) {
        const struct series *series = &contest->series[i];

        if (figure(series).known && (!best || figure(series).value > figure(best).value))
            best = series;
    }
    return best;
}

static void print_figure(struct quantity gbs)
{
    if (gbs.known)
        printf(" %.1f (%.1f to %.1f) |", gbs.value, gbs.low, gbs.high);
    else
        printf(" - |");
}

static void print_place(const struct place *place)
{
    char level[16];

    snprintf(level, sizeof(level), "L%d", place->level);
    printf("| %s, %zu core%s | %s |", place->level ? level : "memory", place->cores,
           place->cores == 1 ? "" : "s", place->triad ? "triad" : "read");
}

/* The ratio of medians, and the quartiles of the repetitions' ratios. True if reached,
 * false also if there is nothing to compare with. */
static bool print_row(const struct contest *contest)
{
    const struct series *own = &contest->series[0], *best = best_of(contest);
    double ratio[REPETITIONS_MAX], reached = 0;
    struct quantity spread;

    print_place(&contest->place);
    print_figure(figure(own));
    print_figure(figure(&contest->series[1]));
    if (!best || !figure(own).known) {
        puts(" - | - | - | nothing to compare |");
        return false;
    }
    printf(" %s |", best->name);
    print_figure(figure(best));
    for (size_t i = 0; i < own->nr; i++)
        ratio[i] = own->gbs[i] / best->gbs[i];
    spread = middle_of(ratio, own->nr);
    reached = figure(own).value / figure(best).value;
    printf(" %.2f (%.2f to %.2f) | %s |\n", reached, spread.low, spread.high,
           reached >= wanted ? "yes" : "no");
    return reached >= wanted;
}

static void run(struct bench *bench)
{
    for (size_t turn = 0; turn < bench->repetitions; turn++) {
        fprintf(stderr, "bench: repetition %zu of %zu\n", turn + 1, bench->repetitions);
        for (size_t i = 0; i < bench->contest_nr; i++) {
            struct contest *contest = &bench->contest[i];

            for (size_t j = 0; j < contest->series_nr; j++)
                if (!contest->series[j].failed)
                    measure(bench, contest, &contest->series[j]);
        }
    }
}

static int print(const struct bench *bench)
{
    int missed = 0;

    if (!bench->likwid_tests.length)
        puts("likwid-bench cannot be run (Debian package likwid): compared with plain C "
             "only.\n");
    if (10 * others_crowded > others)
        printf("In %zu of %zu runs of the others other processes took turns on their "
               "cores, which flatters ours: repeat it on a quiet machine.\n\n",
               others_crowded, others);
    printf("GB/s, median (quartiles) of %zu repetitions in turn.\n\n",
           bench->repetitions);
    puts("| where | loop | inflight | plain C | best other | its figure | ratio | at "
         "least 95 % |");
    puts("|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < bench->contest_nr; i++)
        missed += !print_row(&bench->contest[i]);
    return missed > 0;
}

static void read_arguments(int argc, char **argv, struct bench *bench, int *levels)
{
    bench->repetitions = REPETITIONS;
    for (int i = 1; i < argc; i++) {
        long nr = strtol(argv[i], NULL, 10);

        if (strcmp(argv[i], "caches") == 0)
            *levels = LEVELS;
        if (nr > 0 && nr <= REPETITIONS_MAX)
            bench->repetitions = (size_t)nr;
    }
}

int main(int argc, char **argv)
{
    static const char *const list[] = {"likwid-bench", "-a", NULL};
    struct bench *bench = xcalloc(1, sizeof(*bench));
    struct machine_cpus cpus = {0};
    struct error err = {0};
    int levels = 0, status = 1;

    read_arguments(argc, argv, bench, &levels);
    if (machine_cpus(NULL, &cpus, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        goto out;
    }
    bench->cores = cpus.cpu_nr;
    output_of(list, NULL, &bench->likwid_tests);
    choose_places(bench, levels);
    run(bench);
    status = print(bench);
out:
    buf_release(&bench->likwid_tests);
    free(cpus.cpu);
    free(bench);
    return status;
}
