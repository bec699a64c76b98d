/*
 * What a pair of region markers costs a program that is linked with the shared library:
 * not recorded, recorded, recorded with events of PAPI where they count; in one thread
 * and in two at once, in regions of their own, within each other, and all in one. Prints
 * the least and the median of the rounds, in ns of processor time a pair, against what is
 * asked for. Exit 1 when the median of a figure with a limit is above it.
 *
 *     bench/regions [--rounds N] [--events LIST]
 */
#include <getopt.h>
#include <inflight.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

enum { PAIRS = 200000, THREADS_MAX = 2 };
/* Issue 8. */
static const double inactive_limit_ns = 5, active_limit_ns = 300;

/* ---- the program that is measured: this one, started again ---- */

static const char *const shape_names[] = {"one region", "of their own", "nested",
                                          "bytes"};

struct task {
    pthread_barrier_t *start;
    int shape, number;
    double ns;
};

static void pairs(int shape, int number)
{
    static const char *const own[] = {"first", "second"};
    const char *name = shape == 1 ? own[number] : "region";
    for (int i = 0; i < PAIRS; i++) {
        inflight_region_begin(name);
        if (shape == 2) {
            inflight_region_begin("within");
            inflight_region_end("within");
        }
        if (shape == 3)
            inflight_region_bytes(name, 64, 0);
        inflight_region_end(name);
    }
}

/* Of the thread's processor time: who else runs does not count. */
static double thread_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static void *run_task(void *data)
{
    struct task *task = data;
    pairs(task->shape, task->number);
    pthread_barrier_wait(task->start);
    double start = thread_s();
    pairs(task->shape, task->number);
    task->ns = (thread_s() - start) * 1e9 / PAIRS / (task->shape == 2 ? 2 : 1);
    return NULL;
}

/* Prints ns a pair, of the slowest thread. */
static int measure(int shape, int threads)
{
    struct task task[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    pthread_barrier_t start;
    double most = 0;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        task[i] = (struct task){&start, shape, i, 0};
        pthread_create(&thread[i], NULL, run_task, &task[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        most = task[i].ns > most ? task[i].ns : most;
    }
    printf("%.17g\n", most);
    return 0;
}

/* ---- the rounds ---- */

struct figure {
    const char *mode;
    const char *events; /* NULL = not recorded */
    int shape, threads;
    double limit_ns; /* 0 = none asked for */
};

static int run_once(const char *self, const struct figure *figure, const char *folder,
                    double *ns, struct error *err)
{
    char *shape = xasprintf("%d", figure->shape),
         *threads = xasprintf("%d", figure->threads);
    char *where = xasprintf("INFLIGHT_REGIONS=%s", figure->events ? folder : "");
    char *what =
        xasprintf("INFLIGHT_REGIONS_EVENTS=%s", figure->events ? figure->events : "");
    const char *const argv[] = {self, "--measure", shape, threads, NULL};
    const char *const env[] = {where, what, NULL};
    struct spawn_request request = {.argv = argv, .env_extra = env, .timeout_s = 120};
    struct spawn_outcome outcome;
    int status = spawn_run(&request, &outcome, err);
    if (!status && (outcome.end != SPAWN_EXITED || outcome.code))
        status = fail(err, STATUS_FAILED, "the measured program failed: %s",
                      buf_str(&outcome.err));
    if (!status)
        *ns = strtod(buf_str(&outcome.out), NULL);
    spawn_outcome_release(&outcome);
    free(shape);
    free(threads);
    free(where);
    free(what);
    return status;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static int run_figure(const char *self, const struct figure *figure, int rounds,
                      bool *missed, struct error *err)
{
    double *ns = xcalloc((size_t)rounds, sizeof(*ns));
    char *folder = NULL;
    int status = scratch_make(&folder, err);
    for (int i = 0; i < rounds && !status; i++)
        status = run_once(self, figure, folder, &ns[i], err);
    if (!status) {
        qsort(ns, (size_t)rounds, sizeof(*ns), by_value);
        double median = ns[rounds / 2];
        bool over = figure->limit_ns > 0 && median > figure->limit_ns;
        *missed = *missed || over;
        printf("%-12s  %-12s  %7d  %8.1f  %8.1f", figure->mode,
               shape_names[figure->shape], figure->threads, ns[0], median);
        if (figure->limit_ns > 0)
            printf("  %6.0f  %s", figure->limit_ns, over ? "missed" : "reached");
        printf("\n");
    }
    free(ns);
    scratch_remove(folder);
    return status;
}

static int run_all(const char *self, const char *events, int rounds, bool *missed,
                   struct error *err)
{
    const struct figure figure[] = {
        {"inactive", NULL, 0, 1, inactive_limit_ns},
        {"inactive", NULL, 0, 2, inactive_limit_ns},
        {"active", "", 0, 1, active_limit_ns},
        {"active", "", 2, 1, active_limit_ns},
        {"active", "", 3, 1, active_limit_ns},
        {"active", "", 1, 2, active_limit_ns},
        {"active", "", 0, 2, active_limit_ns},
        {"with events", events, 0, 1, 0},
        {"with events", events, 0, 2, 0},
    };
    printf(
        "markers       regions       threads     least    median   limit   ns a pair\n");
    for (size_t i = 0; i < ARRAY_SIZE(figure) && (i < 7 || events); i++)
        if (run_figure(self, &figure[i], rounds, missed, err))
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {{"rounds", required_argument, NULL, 'r'},
                                          {"events", required_argument, NULL, 'e'},
                                          {0}};
    const char *events = NULL;
    struct error err = {0};
    bool missed = false;
    long rounds = 15;
    int code;
    if (argc == 4 && !strcmp(argv[1], "--measure"))
        return measure(atoi(argv[2]), atoi(argv[3]));
    while ((code = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        if (code == 'r')
            rounds = strtol(optarg, NULL, 10);
        else if (code == 'e')
            events = optarg;
        else
            return 2;
    }
    if (rounds < 1 || rounds > 1000 || optind < argc) {
        fprintf(stderr, "usage: bench/regions [--rounds 1..1000] [--events LIST]\n");
        return 2;
    }
    if (run_all("/proc/self/exe", events, (int)rounds, &missed, &err)) {
        fprintf(stderr, "bench/regions: %s\n", err.text);
        return 1;
    }
    return missed;
}
