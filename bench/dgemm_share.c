/*
 * How near does a plan bring the textbook's triple loop to a tuned library? The kernel
 * templates/kernels/dgemm.c, transformed by the plan of search/propose/propose_blocks.c,
 * compiled with gcc and clang, against OpenBLAS on one core, in turn in the same process.
 *
 *     dgemm [--runs N] [--plan 'PLAN'] [SIZE ...]
 *
 * SIZE: 768 1024 1536 2048 and 769 1001 1537 2047 unless given. N runs of each (15).
 * Asked: the share of OpenBLAS's speed is at least 0.90 at the sizes up to 2048. Shown:
 * median of the ratios of neighbouring runs with its 95 % interval (order statistics).
 * Exit 1 when a figure is not reached or a result differs.
 */
#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "search/search.h"
#include "variants/variants.h"

void openblas_set_num_threads(int threads);

enum { RUNS_DEFAULT = 15, RUNS_MAX = 1000 };
static const double asked = 0.90;
static const char *const compilers[] = {"gcc", "clang-19"};

typedef void dgemm_fn(int n, double *c, const double *a, const double *b);

struct matrices {
    int n;
    double *a, *b, *c, *want;
};

/* ---- making it ---- */

static struct block_machine this_machine(void)
{
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    bool wide = __builtin_cpu_supports("avx512f"), avx = __builtin_cpu_supports("avx");
    return (struct block_machine){.l2_bytes = l2 > 0 ? (double)l2 : 0,
                                  .registers = wide ? 32 : 16,
                                  .vector_bytes = wide  ? 64
                                                  : avx ? 32
                                                        : 16,
                                  .element_bytes = sizeof(double)};
}

static char *plan_here(void)
{
    struct block_machine machine = this_machine();
    struct block_shape shape = propose_blocks(&machine);
    return propose_blocks_plan(
        &shape, &(struct block_names){"i", "j", "k", {"A"}, {"B"}, "C", NULL});
}

static int emit(const char *plan_text, const char *path, double *seconds,
                struct error *err)
{
    struct kernel_request request = {.path = INFLIGHT_SOURCE_DIR
                                     "/templates/kernels/dgemm.c"};
    struct kernel *kernel = NULL;
    struct plan *plan = NULL;
    struct buf text = {0};
    clock_t begin = clock();
    int status = kernel_open(&request, &kernel, err) ||
                         plan_parse(plan_text, &plan, err) ||
                         kernel_emit(kernel, plan, plan_text, &text, err)
                     ? -1
                     : file_write(path, buf_str(&text), text.length, err);
    *seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    buf_release(&text);
    plan_free(plan);
    kernel_free(kernel);
    return status;
}

/* NULL when there is no such compiler or it refuses the file. */
static dgemm_fn *load(const char *compiler, const char *source, const char *dir)
{
    char *object = xasprintf("%s/%s.so", dir, compiler);
    const char *const argv[] = {
        compiler,  "-O3", "-march=native", "-shared", "-fPIC", "-Wall",
        "-Wextra", "-o",  object,          source,    NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = 60};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    dgemm_fn *run = NULL;
    if (!spawn_run(&request, &outcome, &err) && outcome.end == SPAWN_EXITED &&
        !outcome.code) {
        void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "dgemm") : NULL;
        memcpy(&run, &symbol, sizeof(run));
    } else
        printf("%s: %s%s\n", compiler, err.text, buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    free(object);
    return run;
}

/* ---- measuring it ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double *matrix(int n, bool random)
{
    size_t length = (size_t)n * (size_t)n, bytes = (length * sizeof(double) + 63) & ~63ul;
    double *all = aligned_alloc(64, bytes);
    for (size_t i = 0; all && i < length; i++)
        all[i] = random ? (double)rand() / RAND_MAX - 0.5 : 0;
    return all;
}

static void library(const struct matrices *m, double *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m->n, m->n, m->n, 1, m->a,
                m->n, m->b, m->n, 1, c, m->n);
}

/* Sums of n products of numbers below 0.5 differ by rounding only. */
static bool is_right(const struct matrices *m, dgemm_fn *run)
{
    size_t length = (size_t)m->n * (size_t)m->n;
    memset(m->c, 0, length * sizeof(double));
    memset(m->want, 0, length * sizeof(double));
    run(m->n, m->c, m->a, m->b);
    library(m, m->want);
    for (size_t i = 0; i < length; i++)
        if (!(fabs(m->c[i] - m->want[i]) <= 1e-12 * m->n))
            return false;
    return true;
}

/* Ranks of the median's 95 % interval, from the binomial distribution's normal limit. */
static bool report(const char *compiler, int n, double *share, size_t runs,
                   double fastest)
{
    sort_doubles(share, runs);
    double half = 0.98 * sqrt((double)runs), middle = (double)runs / 2;
    size_t low = middle > half ? (size_t)(middle - half) : 0;
    size_t high = (size_t)(middle + half) < runs ? (size_t)(middle + half) : runs - 1;
    printf("%6d  %-9s %7.1f   %.3f (%.3f to %.3f)   %s\n", n, compiler,
           2e-9 * n * n * (double)n / fastest, share[runs / 2], share[low], share[high],
           share[runs / 2] >= asked ? "yes" : "no");
    fflush(stdout);
    return share[runs / 2] >= asked;
}

static bool measure(const struct matrices *m, const char *compiler, dgemm_fn *run,
                    size_t runs)
{
    static double share[RUNS_MAX];
    double fastest = INFINITY;
    if (!is_right(m, run)) {
        printf("%6d  %-9s the result differs\n", m->n, compiler);
        return false;
    }
    for (size_t i = 0; i < runs; i++) {
        double begin = now();
        library(m, m->want);
        double middle = now();
        run(m->n, m->c, m->a, m->b);
        double end = now();
        share[i] = (middle - begin) / (end - middle);
        fastest = end - middle < fastest ? end - middle : fastest;
    }
    return report(compiler, m->n, share, runs, fastest);
}

static bool measure_size(int n, dgemm_fn *const *run, size_t runs)
{
    struct matrices m = {n, matrix(n, true), matrix(n, true), matrix(n, false),
                         matrix(n, false)};
    bool good = m.a && m.b && m.c && m.want;
    if (!good)
        printf("%6d  not enough memory\n", n);
    for (size_t i = 0; m.want && i < ARRAY_SIZE(compilers); i++)
        if (run[i])
            good = measure(&m, compilers[i], run[i], runs) && good;
    free(m.a);
    free(m.b);
    free(m.c);
    free(m.want);
    return good;
}

/* ---- the program ---- */

struct options {
    size_t runs;
    char *plan;
    int size[64];
    size_t size_nr;
};

static bool read_options(int argc, char **argv, struct options *options)
{
    static const int sizes[] = {768, 1024, 1536, 2048, 769, 1001, 1537, 2047};
    *options = (struct options){.runs = RUNS_DEFAULT};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && !strcmp(argv[i], "--plan")) {
            free(options->plan);
            options->plan = xstrdup(argv[++i]);
        } else if (more && !strcmp(argv[i], "--runs"))
            options->runs = strtoul(argv[++i], NULL, 10);
        else if (atoi(argv[i]) > 0 && options->size_nr < ARRAY_SIZE(options->size))
            options->size[options->size_nr++] = atoi(argv[i]);
        else
            return false;
    }
    if (!options->size_nr) {
        memcpy(options->size, sizes, sizeof(sizes));
        options->size_nr = ARRAY_SIZE(sizes);
    }
    options->plan = options->plan ? options->plan : plan_here();
    return options->runs > 0 && options->runs <= RUNS_MAX;
}

static int run_all(const struct options *options, const char *dir, struct error *err)
{
    char *source = xasprintf("%s/dgemm.c", dir);
    dgemm_fn *run[ARRAY_SIZE(compilers)] = {NULL};
    double seconds;
    bool good = true;
    int status = emit(options->plan, source, &seconds, err);
    if (!status)
        printf("plan: %s\nfrom the file to the text: %.2f s (asked: at most 1)\n"
               "     n  compiler  GFLOP/s   share of OpenBLAS         %.2f reached\n",
               options->plan, seconds, asked);
    for (size_t i = 0; !status && i < ARRAY_SIZE(compilers); i++) {
        run[i] = load(compilers[i], source, dir);
        good = good && run[i];
    }
    for (size_t i = 0; !status && i < options->size_nr; i++)
        good = measure_size(options->size[i], run, options->runs) && good;
    free(source);
    return status ? status : !good;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error err = {0};
    char *dir = NULL;
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: dgemm [--runs N] [--plan 'PLAN'] [SIZE ...]\n");
        free(options.plan);
        return STATUS_USAGE;
    }
    openblas_set_num_threads(1);
    int status = scratch_make(&dir, &err) ? -1 : run_all(&options, dir, &err);
    if (status < 0)
        fprintf(stderr, "bench/dgemm: %s\n", err.text);
    if (dir)
        scratch_remove(dir);
    free(options.plan);
    return status < 0 ? 2 : status;
}
