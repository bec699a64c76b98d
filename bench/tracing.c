/*
 * The tracer with its cache model against valgrind's cachegrind on the same kernels, both
 * with the same two levels: last-level misses and processor time per access, in turn in
 * the same run. Program start and buffers are subtracted: of both, runs of one call and
 * of several are compared. `long`: calls of 1e10 accesses, sampled within 20 s, against
 * what they must move. `slow`: within 200 s, for a machine that is busy.
 * Arguments: repetitions (3), "long", "slow", names of kernels.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/traffic/traffic.h"

/* A last level that is not hashed: its index lies within a page of 2 MiB. */
static const struct traffic_geometry two_levels = {
    .line_bytes = 64,
    .level_nr = 2,
    .level = {{.bytes = 32768, .ways = 8}, {.bytes = 1048576, .ways = 16}},
    .page_bytes = 2097152,
    .store_read_factor = 1,
    .tlb_entries = -1,
    .streams = -1,
    .plain = true,
};
static const struct traffic_geometry large = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{.bytes = 32768, .ways = 8},
              {.bytes = 1048576, .ways = 8},
              {.bytes = 33554432, .ways = 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};
#define CACHEGRIND_LEVELS "--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64"
#define SCALAR                                                                           \
    "-O2 -fno-tree-vectorize -fno-tree-slp-vectorize "                                   \
    "-fno-tree-loop-distribute-patterns -w"

/* Accesses by which the longer of two runs is longer: a second under cachegrind. */
static const double more_accesses = 6e7;

static const struct short_row {
    const char *kernel;
    long n, m;
} shorts[] = {
    {"stream", 500000, 1},  {"strided", 4000000, 6}, {"gather", 600000, 0},
    {"scatter", 600000, 0}, {"chase", 600000, 0},    {"histogram", 1000000, 300000},
    {"stencil", 100, 40},   {"product", 300, 0},     {"blocked", 240, 40},
    {"transpose", 900, 0},
};

/* Accesses and bytes of one call: what it must move, being one of many. */
static const struct long_row {
    const char *kernel;
    long n, m;
    double accesses, reads, writes;
    const char *closed;
} longs[] = {
    {"stream", 8000000, 417, 1.0008e10, 24 * 3.336e9, 8 * 3.336e9,
     "24, 8 bytes an element"},
    {"product", 1700, 0, 2.0 * 4.913e9 + 2.89e6, 16 * 2.89e6, 8 * 2.89e6,
     "two matrices once; the third stays from call to call"},
    {"sweeps", 240, 96, 8 * 96 * 1.3481e7, 96 * 219340800.0, 96 * 108756480.0,
     "n (2n^2 - 4n), n (n - 2)^2 a sweep"},
    {"phases", 8388608, 200, 3 * 2 * 200 * 8388608.0, 200 * 24 * 8388608.0,
     200 * 8 * 8388608.0, "24, 8 bytes an element of the first half"},
};

/*
 * Running.
 */

/* Of all children so far: what others do on the machine matters less than to the clock.
 */
static double children_cpu_s(void)
{
    struct rusage used;

    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static int spawn_words(const char *first, const char *words,
                       struct spawn_outcome *outcome)
{
    struct strvec argv = {0};
    struct error err = {0};
    int result;

    strvec_push(&argv, first);
    strvec_split(&argv, words);
    result = spawn_run(
        &(struct spawn_request){.argv = (const char *const *)argv.v, .timeout_s = 600},
        outcome, &err);
    strvec_release(&argv);
    if (result == 0 && outcome->end == SPAWN_EXITED && outcome->code == 0)
        return 0;
    if (result == 0)
        fprintf(stderr, "bench: %s %s: %s\n", first, words, buf_str(&outcome->err));
    else
        fprintf(stderr, "bench: %s\n", err.text);
    return -1;
}

static int run_words(const char *first, const char *words)
{
    struct spawn_outcome outcome = {0};
    int result = spawn_words(first, words, &outcome);

    spawn_outcome_release(&outcome);
    return result;
}

static int build_plain(const char *dir)
{
    char *words =
        xasprintf(SCALAR " '-I%s' '%s/bench/kernels/access_classes.c' "
                         "'%s/bench/kernels/access_classes_main.c' -o '%s/plain'",
                  INFLIGHT_SOURCE_DIR, INFLIGHT_SOURCE_DIR, INFLIGHT_SOURCE_DIR, dir);
    int result = run_words("gcc", words);

    free(words);
    return result;
}

static int build_traced(const char *dir)
{
    struct strvec sources = {0};
    struct error err = {0};
    struct buf link = {0};
    char *kernels =
        xasprintf(SCALAR " -fsanitize=thread '-I%s' -c "
                         "'%s/bench/kernels/access_classes.c' -o '%s/traced.o'",
                  INFLIGHT_SOURCE_DIR, INFLIGHT_SOURCE_DIR, dir);
    int result = traffic_tracer_sources(&sources, &err);

    buf_addf(
        &link,
        "-O2 -w -DTRACED '-I%s' '%s/traced.o' '%s/bench/kernels/access_classes_main.c'",
        INFLIGHT_SOURCE_DIR, dir, INFLIGHT_SOURCE_DIR);
    for (size_t i = 0; i < sources.nr; i++)
        buf_addf(&link, " '%s'", sources.v[i]);
    buf_addf(&link, " -o '%s/traced'", dir);
    if (result == 0)
        result = run_words("gcc", kernels) || run_words("gcc", buf_str(&link)) ? -1 : 0;
    buf_release(&link);
    strvec_release(&sources);
    free(kernels);
    return result;
}

/* ---- cachegrind ---- */

/* Data misses of the last level from the summary; negative = not there. */
static double misses_of(const char *text)
{
    const char *events = strstr(text, "\nevents: "),
               *summary = strstr(text, "\nsummary: ");
    double misses = 0;

    if (!events || !summary)
        return -1;
    events += strlen("\nevents: ");
    summary += strlen("\nsummary: ");
    while (*events && *events != '\n') {
        size_t length = strcspn(events, " \n");
        char *end;
        double value = strtod(summary, &end);

        if (length == 4 && (!strncmp(events, "DLmr", 4) || !strncmp(events, "DLmw", 4)))
            misses += value;
        summary = end;
        events += length + (events[length] == ' ');
    }
    return misses;
}

static int cachegrind(const char *dir, const struct short_row *row, int calls,
                      double *seconds, double *misses)
{
    char *out = xasprintf("%s/cachegrind.out", dir);
    char *words = xasprintf("--tool=cachegrind --cache-sim=yes " CACHEGRIND_LEVELS
                            " '--cachegrind-out-file=%s' '%s/plain' --kernel %s --n %ld "
                            "--m %ld --calls %d",
                            out, dir, row->kernel, row->n, row->m, calls);
    struct buf text = {0};
    struct error err = {0};
    double start = children_cpu_s();
    int result = run_words("valgrind", words);

    *seconds = children_cpu_s() - start;
    if (result == 0 && file_read(out, &text, &err) == 0)
        *misses = misses_of(buf_str(&text));
    else
        result = -1;
    buf_release(&text);
    free(words);
    free(out);
    return result;
}

/* ---- ours ---- */

static int traced(const char *dir, const char *kernel, long n, long m, int calls,
                  const struct traffic_trace_request *how, double *cpu_s, double *seconds,
                  struct traffic *traffic)
{
    struct strvec args = {0};
    struct error err = {0};
    struct traffic_trace_request request = *how;
    char *program = path_join(dir, "traced"), *words;
    double start, start_cpu = children_cpu_s();
    int result;

    words = xasprintf("--kernel %s --n %ld --m %ld --calls %d", kernel, n, m, calls);
    strvec_split(&args, words);
    request.program = program;
    request.args = &args;
    request.scratch = dir;
    request.cpu = -1;
    start = clock_s();
    result = traffic_trace(&request, traffic, &err);
    *seconds = clock_s() - start;
    *cpu_s = children_cpu_s() - start_cpu;
    if (result)
        fprintf(stderr, "bench: %s\n", err.text);
    strvec_release(&args);
    free(words);
    free(program);
    return result;
}

/*
 * Short kernels.
 */

struct both {
    double ours_s, theirs_s; /* a call */
    double ours, theirs;     /* misses of a call in the steady state */
    double accesses;
};

/* Ours with one call and with some more; gives how many more. */
static int once_ours(const char *dir, const struct short_row *row, struct both *both)
{
    static const struct traffic_trace_request whole = {
        .geometry = two_levels, .accesses_budget = 1e10, .limit_s = 600};
    double few_s, many_s, wall_s;
    struct traffic traffic = {0};
    int more;

    if (traced(dir, row->kernel, row->n, row->m, 1, &whole, &few_s, &wall_s, &traffic))
        return -1;
    both->accesses = traffic.accesses.value;
    more = 3 + (int)(more_accesses / both->accesses);
    traffic_release(&traffic);
    if (traced(dir, row->kernel, row->n, row->m, 1 + more, &whole, &many_s, &wall_s,
               &traffic))
        return -1;
    both->ours_s = (many_s - few_s) / more;
    both->ours = traffic.edge[1].fills.value;
    traffic_release(&traffic);
    return more;
}

static int once(const char *dir, const struct short_row *row, struct both *both)
{
    double few_s, many_s, few, many;
    int more = once_ours(dir, row, both);

    if (more < 0 || cachegrind(dir, row, 1, &few_s, &few) ||
        cachegrind(dir, row, 1 + more, &many_s, &many))
        return -1;
    both->theirs_s = (many_s - few_s) / more;
    both->theirs = (many - few) / more;
    return 0;
}

enum { REPETITIONS_MAX = 15 };

static int run_short(const char *dir, const struct short_row *row, int repetitions)
{
    double ours[REPETITIONS_MAX], theirs[REPETITIONS_MAX], ratio[REPETITIONS_MAX];
    struct both both = {0};
    double off;

    for (int i = 0; i < repetitions; i++) {
        if (once(dir, row, &both))
            return 1;
        ours[i] = 1e9 * both.ours_s / both.accesses;
        theirs[i] = 1e9 * both.theirs_s / both.accesses;
        ratio[i] = theirs[i] / ours[i];
    }
    off = both.ours / both.theirs - 1;
    printf("| %s | %.4g | %.5g | %.5g | %+.2f %% | %s | %.2f | %.2f | %.1f |\n",
           row->kernel, both.accesses, both.ours, both.theirs, 100 * off,
           fabs(off) <= 0.03 ? "yes" : "**no**",
           median_sorting(ours, (size_t)repetitions),
           median_sorting(theirs, (size_t)repetitions),
           median_sorting(ratio, (size_t)repetitions));
    fflush(stdout);
    return fabs(off) > 0.03;
}

/*
 * Long ones.
 */

static void print_long(const char *what, struct quantity got, double want)
{
    printf("|  | %s | %.5g MB (%.5g to %.5g) | %.5g MB | %+.2f %% | %s | |\n", what,
           got.value * 1e-6, got.low * 1e-6, got.high * 1e-6, want * 1e-6,
           100 * (got.value / want - 1),
           fabs(got.value / want - 1) <= 0.03 ? "yes" : "**no**");
}

static int run_long(const char *dir, const struct long_row *row, double limit_s)
{
    struct traffic_trace_request request = {
        .geometry = large, .accesses_total = row->accesses, .limit_s = limit_s};
    struct traffic traffic = {0};
    double seconds = 0, cpu_s;
    int off;

    if (traced(dir, row->kernel, row->n, row->m, 1, &request, &cpu_s, &seconds, &traffic))
        return 1;
    printf("| %s | %s | %.4g accesses, %.2f %% simulated | | | | %.1f s |\n", row->kernel,
           row->closed, traffic.accesses.value, 100 * traffic.traced_share, seconds);
    print_long("read", traffic_read_bytes(&traffic), row->reads);
    print_long("written", traffic_write_bytes(&traffic), row->writes);
    printf("\n<!-- %s -->\n", traffic.note ? traffic.note : "");
    fflush(stdout);
    off = fabs(traffic_read_bytes(&traffic).value / row->reads - 1) > 0.03 ||
          seconds > limit_s;
    traffic_release(&traffic);
    return off;
}

/*
 * Arguments.
 */

static bool wanted(const char *name, int argc, char **argv)
{
    bool any = false;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], name))
            return true;
        any = any ||
              (strcmp(argv[i], "long") && strcmp(argv[i], "slow") && atoi(argv[i]) == 0);
    }
    return !any;
}

static bool has(const char *word, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], word))
            return true;
    return false;
}

static int run_shorts(const char *dir, int argc, char **argv)
{
    int off = 0, repetitions = 3;
    struct spawn_outcome outcome = {0};

    for (int i = 1; i < argc; i++)
        if (atoi(argv[i]) > 0)
            repetitions =
                atoi(argv[i]) < REPETITIONS_MAX ? atoi(argv[i]) : REPETITIONS_MAX;
    if (spawn_words("valgrind", "--version", &outcome)) {
        fprintf(stderr, "bench: this compares with valgrind's cachegrind, which is not "
                        "there; install it: apt-get install valgrind\n");
        return 1;
    }
    printf("%.*s, L1 32 KiB 8 ways, last level 1 MiB 16 ways; medians of %d\n\n",
           (int)strcspn(buf_str(&outcome.out), "\n"), buf_str(&outcome.out), repetitions);
    spawn_outcome_release(&outcome);
    puts("| kernel | accesses a call | misses, ours | cachegrind's | off | within 3 % | "
         "ns an access, ours | cachegrind's | times faster |\n"
         "|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(shorts); i++)
        if (wanted(shorts[i].kernel, argc, argv))
            off += run_short(dir, &shorts[i], repetitions);
    return off;
}

static int run_longs(const char *dir, int argc, char **argv)
{
    int off = 0;

    puts("| kernel | | sampled (interval) | must move | off | within 3 % | took |\n"
         "|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(longs); i++)
        if (wanted(longs[i].kernel, argc, argv))
            off += run_long(dir, &longs[i], has("slow", argc, argv) ? 200 : 20);
    return off;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    char *scratch = NULL;
    int off = 1;

    if (scratch_make(&scratch, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 2;
    }
    if (build_plain(scratch) == 0 && build_traced(scratch) == 0)
        off = has("long", argc, argv) ? run_longs(scratch, argc, argv)
                                      : run_shorts(scratch, argc, argv);
    scratch_remove(scratch);
    return off > 0;
}
