/*
 * Do claims hold on a busy machine? Six kernels of ours, from no gain to a large one. The
 * product compares two versions of each (live_compare_file, as for the closing claim of
 * `tune` and for `compare`), beside 0, 2 and 4 processes that do nothing but calculate.
 * What the second version gains on the machine as it is, which must be quiet, is measured
 * right before and right after each claim, by code that shares nothing with the product's
 * (claims_quiet.c): where pages lie and what neighbours on the host do moves the ratio
 * itself within minutes.
 *
 *     claims [REPETITIONS [SECONDS]]
 *
 * REPETITIONS of each kernel under each load (4); SECONDS that a comparison may take (5).
 * A claim holds when its 95 % interval meets the range of the quiet ratio's six rounds,
 * three before and three after; "median held": when it holds their median. What is
 * declined is no claim. Exit 1 when under some load less than 90 % of the claims hold, or
 * nothing is claimed at all. About 15 minutes. Every claim is in build/bench/claims.csv.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/claims_quiet.h"
#include "core/machine/machine.h"
#include "search/search.h"

enum { LOADS = 3, ROUNDS = 3, NEIGHBOURS_MAX = 4 };
static const size_t neighbours[LOADS] = {0, 2, NEIGHBOURS_MAX};
static const double round_s = 1;

struct tally {
    size_t asked, failed, declined, held, median_held;
    double disturbed; /* sum of the shares */
};

struct subject {
    const char *name, *file;
    const char *define; /* of the first version; NULL = as it is */
    const char *second; /* what comes before the second version's text */
    long n, m;
    char *path, *rival;
    struct kernel *kernel;
    struct live *live;
    double quiet[2 * ROUNDS]; /* before and after a claim */
    double least, most;       /* of all rounds */
    double call_s[2];
    struct tally tally[LOADS];
};

static struct subject subjects[] = {
    {.name = "same",
     .file = "claim_passes",
     .define = "-DPASSES=100",
     .second = "",
     .n = 2000,
     .m = 100},
    {.name = "tenth",
     .file = "claim_passes",
     .define = "-DPASSES=110",
     .second = "#undef PASSES\n#define PASSES 100\n",
     .n = 20000,
     .m = 110},
    {.name = "stream",
     .file = "claim_stream",
     .define = "-DPASSES=3",
     .second = "#undef PASSES\n#define PASSES 2\n",
     .n = 1000000,
     .m = 3},
    {.name = "passes",
     .file = "claim_passes",
     .define = "-DPASSES=250",
     .second = "#undef PASSES\n#define PASSES 100\n",
     .n = 2000,
     .m = 250},
    {.name = "columns",
     .file = "claim_columns",
     .second = "#define ALONG\n",
     .n = 1000,
     .m = 1000},
    {.name = "long columns",
     .file = "claim_columns",
     .second = "#define ALONG\n",
     .n = 4000,
     .m = 4000},
};

struct bench {
    struct toolchain toolchain;
    struct machine machine;
    struct machine_cpus cpus;
    char *scratch;
    FILE *log;
    size_t repetitions;
    double seconds;
};

/* ---- the kernels ---- */

static int write_rival(const struct bench *bench, struct subject *subject,
                       struct error *err)
{
    char *text = xasprintf("%s#include \"%s\"\n", subject->second, subject->path);
    subject->rival = xasprintf("%s/%s.c", bench->scratch, subject->name);
    for (char *at = subject->rival; (at = strchr(at, ' '));)
        *at = '_';
    int status = file_write(subject->rival, text, strlen(text), err);
    free(text);
    return status;
}

static int open_subject(struct bench *bench, struct subject *subject, struct error *err)
{
    struct kernel_request request = {.path = subject->path};
    if (subject->define)
        strvec_push(&request.cflags, subject->define);
    strvec_pushf(&request.words, "set n = %ld", subject->n);
    strvec_pushf(&request.words, "set m = %ld", subject->m);
    int status = kernel_open(&request, &subject->kernel, err);
    if (!status)
        status = kernel_bind(subject->kernel, err);
    struct live_opts opts = {.kernel = subject->kernel,
                             .machine = &bench->machine,
                             .toolchain = &bench->toolchain,
                             .scratch = bench->scratch};
    if (!status)
        status = live_new(&opts, &subject->live, err);
    strvec_release(&request.cflags);
    strvec_release(&request.words);
    return status;
}

/* One side of a claim: ROUNDS values. */
static int measure_quiet(const struct bench *bench, struct subject *subject,
                         double *ratio, struct error *err)
{
    const struct quiet_pair pair = {.source = {subject->path, subject->rival},
                                    .define = subject->define,
                                    .n = subject->n,
                                    .m = subject->m};

    if (quiet_ratios(&pair, bench->cpus.cpu, bench->cpus.cpu_nr, ROUNDS, round_s, "gcc",
                     bench->scratch, ratio, subject->call_s, err))
        return -1;
    for (size_t i = 0; i < ROUNDS; i++) {
        subject->least = fmin(subject->least, ratio[i]);
        subject->most = fmax(subject->most, ratio[i]);
    }
    return 0;
}

static int prepare(struct bench *bench, struct subject *subject, struct error *err)
{
    subject->path =
        xasprintf("%s/bench/kernels/%s.c", INFLIGHT_SOURCE_DIR, subject->file);
    subject->least = INFINITY;
    return write_rival(bench, subject, err) || open_subject(bench, subject, err) ||
                   measure_quiet(bench, subject, subject->quiet, err)
               ? -1
               : 0;
}

/* ---- claims ---- */

static void take(const struct bench *bench, struct subject *subject, size_t load,
                 struct quantity ratio)
{
    struct tally *tally = &subject->tally[load];
    double quiet[2 * ROUNDS], least, most, middle;

    memcpy(quiet, subject->quiet, sizeof(quiet));
    sort_doubles(quiet, ARRAY_SIZE(quiet));
    middle = median_of_sorted(quiet, ARRAY_SIZE(quiet));
    least = quiet[0];
    most = quiet[ARRAY_SIZE(quiet) - 1];
    fprintf(bench->log, "%s,%zu,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.4f,%d\n", subject->name,
            neighbours[load], middle, least, most, ratio.value, ratio.low, ratio.high,
            ratio.disturbed, !ratio.doubted);
    fflush(bench->log);
    tally->asked++;
    tally->disturbed += ratio.disturbed;
    if (!ratio.known) {
        tally->failed++;
    } else if (ratio.doubted) {
        tally->declined++;
    } else {
        tally->held += ratio.low <= most && least <= ratio.high;
        tally->median_held += ratio.low <= middle && middle <= ratio.high;
    }
}

static int claim_beside(const struct bench *bench, struct subject *subject, size_t nr,
                        struct quantity *ratio, struct error *err)
{
    const struct environment plain[2] = {{0}, {0}};
    pid_t pid[NEIGHBOURS_MAX];
    bool verified = false;
    int status = neighbours_start(pid, nr, err);

    if (status)
        return status;
    status = live_compare_file(subject->live, subject->rival, plain, bench->seconds,
                               ratio, &verified, err);
    neighbours_end(pid, nr);
    return status;
}

/* What was quiet after one claim was so before the next. */
static int claim_once(const struct bench *bench, struct subject *subject, size_t load,
                      struct error *err)
{
    struct quantity ratio;

    fprintf(stderr, "claims: %s beside %zu\n", subject->name, neighbours[load]);
    if (claim_beside(bench, subject, neighbours[load], &ratio, err) ||
        measure_quiet(bench, subject, subject->quiet + ROUNDS, err))
        return -1;
    if (!spawn_interrupted())
        take(bench, subject, load, ratio);
    memcpy(subject->quiet, subject->quiet + ROUNDS, ROUNDS * sizeof(double));
    return 0;
}

static int claim_all(struct bench *bench, struct subject *subject, struct error *err)
{
    int status = prepare(bench, subject, err);

    for (size_t i = 0; !status && i < bench->repetitions; i++)
        for (size_t load = 0; !status && load < LOADS; load++)
            if (!spawn_interrupted())
                status = claim_once(bench, subject, load, err);
    return status;
}

/* ---- the table ---- */

static void print_row(const struct subject *subject)
{
    printf("| %s | %.3f to %.3f | %.3g ms |", subject->name, subject->least,
           subject->most, subject->call_s[0] * 1e3);
    for (size_t load = 0; load < LOADS; load++) {
        const struct tally *tally = &subject->tally[load];
        printf(" %zu of %zu, %zu declined, %.0f %% |", tally->held,
               tally->asked - tally->declined - tally->failed, tally->declined,
               tally->asked ? 100 * tally->disturbed / (double)tally->asked : NAN);
    }
    puts("");
}

static bool print_total(size_t load)
{
    struct tally all = {0};
    for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
        const struct tally *tally = &subjects[i].tally[load];
        all.asked += tally->asked;
        all.failed += tally->failed;
        all.declined += tally->declined;
        all.held += tally->held;
        all.median_held += tally->median_held;
    }
    size_t claimed = all.asked - all.declined - all.failed;
    bool good = claimed && 10 * all.held >= 9 * claimed;
    printf("beside %zu: %zu of %zu claims hold (median held: %zu), declined %zu of %zu, "
           "failed %zu: %s\n",
           neighbours[load], all.held, claimed, all.median_held, all.declined, all.asked,
           all.failed, good ? "reached" : "NOT REACHED");
    return good;
}

static bool print_all(void)
{
    bool reached = true;
    puts("| kernel | quiet ratio, all rounds | a call | beside 0: held, declined, "
         "taken | beside 2 | beside 4 |\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
        print_row(&subjects[i]);
    puts("");
    for (size_t load = 0; load < LOADS; load++)
        reached = print_total(load) && reached;
    return reached;
}

static int run(struct bench *bench, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(subjects) && !spawn_interrupted(); i++)
        if (claim_all(bench, &subjects[i], err))
            return -1;
    return 0;
}

static int start(struct bench *bench, struct error *err)
{
    static const char log[] = BENCH_DIR "/claims.csv";
    if (dir_make_all(BENCH_DIR, err) || scratch_make(&bench->scratch, err) ||
        machine_cpus(NULL, &bench->cpus, err) ||
        toolchain_find("gcc", NULL, &bench->toolchain, err))
        return -1;
    bench->log = fopen(log, "we");
    if (!bench->log)
        return fail(err, STATUS_FAILED, "cannot write '%s'", log);
    fputs("kernel,neighbours,truth,truth_low,truth_high,ratio,low,high,disturbed,"
          "believed\n",
          bench->log);
    return 0;
}

static void end(struct bench *bench)
{
    for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
        live_free(subjects[i].live);
        kernel_free(subjects[i].kernel);
        free(subjects[i].rival);
        free(subjects[i].path);
    }
    toolchain_release(&bench->toolchain);
    free(bench->cpus.cpu);
    if (bench->log)
        fclose(bench->log);
    if (bench->scratch)
        scratch_remove(bench->scratch);
}

int main(int argc, char **argv)
{
    struct bench bench = {.repetitions = argc > 1 ? strtoul(argv[1], NULL, 10) : 4,
                          .seconds = argc > 2 ? strtod(argv[2], NULL) : 5};
    struct error err = {0};
    bool reached = false;
    spawn_catch_interrupt();
    if (start(&bench, &err) || run(&bench, &err))
        fprintf(stderr, "claims: %s\n", err.text);
    else
        reached = print_all();
    end(&bench);
    return reached ? 0 : 1;
}
