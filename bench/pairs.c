/*
 * Are comparisons honest, and do they see anything? Compared as the search compares
 * (search/live/live_pair.c): all cores loaded, both variants in one process on the same
 * buffers. "Called different": the whole 95 % interval of the ratio lies on one side
 * of 1.
 *
 *     pairs [SAME [DIFFERENT [SECONDS]]]
 *
 * SAME comparisons (200) of a kernel with itself, in turn of four kinds: to be called
 * different in at most 5 %. DIFFERENT comparisons (50) of 103 against 100 equal blocks of
 * work: to be found in at least 80 %, each within 10 s. SECONDS: what a comparison of a
 * kernel with itself may take (3; a launch begun is finished); the others get 8, as in a
 * search. Ctrl-C ends it with what is known by then. Exit 1 when a figure is not reached.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "search/live/live.h"
#include "variants/build/build.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

/* A kernel, and how the comparisons with it went. */
struct subject {
    const char *file;
    const char *define[2]; /* what comes before each side's text; NULL = as it is */
    double ratio;          /* true one */
    char *program, *library[2];
    struct strvec args;
    size_t asked, failed, different, wrong_way, held;
    double longest_s;
};

struct bench {
    struct toolchain toolchain;
    struct machine_cpus cpus;
    char *scratch;
};

/* Their calls take 0.01 s. */
static const struct live_launch_cost launch_cost = {
    .own_s = 0.2, .pair_s = 0.04, .min = 3};

static struct subject same[] = {
    {.file = "pair_compute", .ratio = 1},
    {.file = "pair_cached", .ratio = 1},
    {.file = "pair_stream", .ratio = 1},
    {.file = "pair_random", .ratio = 1},
};
static struct subject different[] = {
    {.file = "pair_compute", .define = {"103", "100"}, .ratio = 1.03},
    {.file = "pair_cached", .define = {"103", "100"}, .ratio = 1.03},
};

/* ---- programs ---- */

/* A file that includes the kernel's own, with another number of blocks. */
static char *write_side(const struct bench *bench, const char *kernel, const char *blocks,
                        struct error *err)
{
    char *path = xasprintf("%s/%s_%s.c", bench->scratch, path_base(kernel), blocks);
    char *text = xasprintf("#define BLOCKS %s\n#include \"%s\"\n", blocks, kernel);
    if (file_write(path, text, strlen(text), err)) {
        free(path);
        path = NULL;
    }
    free(text);
    return path;
}

static int build_sides(const struct bench *bench, struct subject *subject,
                       struct kernel *kernel, struct error *err)
{
    struct variant_side side[2] = {{0}, {0}};
    struct plan *plan = NULL;
    char *source[2] = {NULL, NULL};
    int status = plan_parse("", &plan, err);
    for (size_t i = 0; !status && i < 2; i++) {
        side[i].plan = plan;
        if (!subject->define[i])
            continue;
        source[i] = write_side(bench, kernel_path(kernel), subject->define[i], err);
        side[i].source = source[i];
        status = source[i] ? 0 : -1;
    }
    if (!status)
        status = variant_build_arena(kernel, &bench->toolchain, bench->scratch,
                                     &subject->program, err);
    for (int i = 0; !status && i < 2; i++)
        status = variant_build_library(kernel, &side[i], &bench->toolchain,
                                       bench->scratch, &subject->library[i], err);
    free(source[0]);
    free(source[1]);
    plan_free(plan);
    return status;
}

static int build(const struct bench *bench, struct subject *subject, struct error *err)
{
    char *path = xasprintf("%s/bench/kernels/%s.c", INFLIGHT_SOURCE_DIR, subject->file);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    int status = kernel_open(&request, &kernel, err);
    if (!status)
        status = kernel_bind(kernel, err);
    if (!status)
        status = build_sides(bench, subject, kernel, err);
    if (!status)
        variant_args(kernel, &subject->args);
    kernel_free(kernel);
    free(path);
    return status;
}

/* ---- comparisons ---- */

static void take(struct subject *subject, struct run_result result[2], double took_s)
{
    struct quantity ratio = run_ratio(&result[0], &result[1]);
    subject->asked++;
    subject->longest_s = fmax(subject->longest_s, took_s);
    if (!ratio.known) {
        const struct run_result *bad = &result[result[0].outcome == RUN_OUTCOME_OK];
        fprintf(stderr, "\npairs: %s: %s\n", subject->file,
                bad->detail ? bad->detail : "no ratio");
        subject->failed++;
        return;
    }
    subject->different += ratio.low > 1 || ratio.high < 1;
    subject->wrong_way += subject->ratio > 1 && ratio.high < 1;
    subject->held += ratio.low <= subject->ratio && subject->ratio <= ratio.high;
}

static int compare(const struct bench *bench, struct subject *subject, double seconds,
                   struct error *err)
{
    struct run_program program = {subject->program, &subject->args, false, NULL};
    struct run_opts opts = {
        .cpu = bench->cpus.cpu, .copies = bench->cpus.cpu_nr, .scratch = bench->scratch};
    struct run_result result[2] = {{0}, {0}};
    double started = clock_s();
    live_pair_effort(seconds, launch_cost, true, &opts);
    const char *const library[2] = {subject->library[0], subject->library[1]};
    if (run_measure_together(&program, library, &opts, result, err))
        return -1;
    if (!spawn_interrupted())
        take(subject, result, clock_s() - started);
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    return 0;
}

static int compare_all(const struct bench *bench, struct subject *subject,
                       size_t subject_nr, size_t times, double seconds, struct error *err)
{
    double started = clock_s();
    for (size_t i = 0; i < subject_nr && times > 0; i++)
        if (build(bench, &subject[i], err))
            return -1;
    for (size_t i = 0; i < times && !spawn_interrupted(); i++) {
        struct subject *now = &subject[i % subject_nr];
        fprintf(stderr, "\rpairs: %zu of %zu, %.0f s, %s, %zu of %zu called different   ",
                i + 1, times, clock_s() - started, now->file, now->different, now->asked);
        if (compare(bench, now, seconds, err))
            return -1;
    }
    fputc('\n', stderr);
    return 0;
}

/* ---- the table ---- */

/* Wilson's 95 % interval of a share. */
static void print_share(size_t hits, size_t nr)
{
    double n = (double)nr, p = nr ? (double)hits / n : NAN, z = 1.96;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    printf("%.1f %% (%.1f to %.1f)", 100 * p, 100 * fmax(0, middle - half),
           100 * fmin(1, middle + half));
}

static void print_row(const struct subject *subject)
{
    if (subject->asked == 0)
        return;
    printf("| %s | %.2f | %zu | %zu | ", subject->file, subject->ratio, subject->asked,
           subject->different);
    print_share(subject->different, subject->asked);
    printf(" | %zu | %.1f s |\n", subject->held, subject->longest_s);
}

static void print_total(const char *what, const struct subject *subject,
                        size_t subject_nr, bool few_wanted, bool *reached)
{
    size_t asked = 0, hits = 0;
    double longest_s = 0;
    for (size_t i = 0; i < subject_nr; i++) {
        asked += subject[i].asked;
        hits += few_wanted ? subject[i].different + subject[i].failed
                           : subject[i].different - subject[i].wrong_way;
        longest_s = fmax(longest_s, subject[i].longest_s);
    }
    if (asked == 0)
        return;
    bool good = few_wanted ? (double)hits <= 0.05 * (double)asked
                           : (double)hits >= 0.80 * (double)asked && longest_s <= 10;
    printf("%s: %zu of %zu, ", what, hits, asked);
    print_share(hits, asked);
    printf(", the longest took %.1f s: %s\n", longest_s,
           good ? "reached" : "NOT REACHED");
    *reached = *reached && good;
}

static bool print_all(void)
{
    bool reached = true;
    puts("| kernel | true ratio | comparisons | called different | share (95 % interval) "
         "| intervals that hold the true ratio | longest |");
    puts("|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(same); i++)
        print_row(&same[i]);
    for (size_t i = 0; i < ARRAY_SIZE(different); i++)
        print_row(&different[i]);
    puts("");
    print_total("same, called different (at most 5 %)", same, ARRAY_SIZE(same), true,
                &reached);
    print_total("3 % apart, found (at least 80 %, within 10 s each)", different,
                ARRAY_SIZE(different), false, &reached);
    return reached;
}

static void subjects_release(struct subject *subject, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        free(subject[i].program);
        free(subject[i].library[0]);
        free(subject[i].library[1]);
        strvec_release(&subject[i].args);
    }
}

int main(int argc, char **argv)
{
    size_t times[2] = {argc > 1 ? strtoul(argv[1], NULL, 10) : 200,
                       argc > 2 ? strtoul(argv[2], NULL, 10) : 50};
    double seconds = argc > 3 ? strtod(argv[3], NULL) : 3;
    struct bench bench = {0};
    struct error err = {0};
    bool reached = false;
    spawn_catch_interrupt();
    if (scratch_make(&bench.scratch, &err) || machine_cpus(NULL, &bench.cpus, &err) ||
        toolchain_find("gcc", NULL, &bench.toolchain, &err) ||
        compare_all(&bench, same, ARRAY_SIZE(same), times[0], seconds, &err) ||
        compare_all(&bench, different, ARRAY_SIZE(different), times[1], 8, &err))
        fprintf(stderr, "pairs: %s\n", err.text);
    else
        reached = print_all();
    subjects_release(same, ARRAY_SIZE(same));
    subjects_release(different, ARRAY_SIZE(different));
    toolchain_release(&bench.toolchain);
    free(bench.cpus.cpu);
    if (bench.scratch)
        scratch_remove(bench.scratch);
    return reached ? 0 : 1;
}
