/*
 * Does the prompt come back in time? `inflight tune KERNEL --budget B -o FILE` on ten
 * kernels of templates/kernels for B of 15, 30 and 60 s: the wall time over the budget,
 * the worst and the median. Usage: budget [--busy N] [--budget S] [KERNEL...], with N
 * processes that compute beside it. Exit 1 when one takes more than 1.1 times its budget
 * without having said before that it cannot be kept, or fails.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

static const char *const all_kernels[] = {
    "transpose", "dgemm",     "triad",   "jacobi2d",      "stencil27",
    "gather",    "histogram", "softmax", "embedded_atom", "spmv"};
static const double all_budgets[] = {15, 30, 60};
static const double allowed = 1.1;
enum { BUSY_MOST = 64 };

struct figures {
    double ratio[ARRAY_SIZE(all_kernels) * ARRAY_SIZE(all_budgets)];
    size_t nr;
    int bad;
};

struct crowd {
    pid_t pid[BUSY_MOST];
    size_t nr;
};

static void begin_crowd(struct crowd *crowd, size_t nr)
{
    for (crowd->nr = 0; crowd->nr < nr && crowd->nr < BUSY_MOST; crowd->nr++) {
        crowd->pid[crowd->nr] = fork();
        if (crowd->pid[crowd->nr] != 0)
            continue;
        for (double i = 1; getppid() != 1; i++)
            for (volatile double at = i; at < i + 1e6;)
                at++;
        _exit(0);
    }
}

static void end_crowd(const struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->nr; i++)
        if (crowd->pid[i] > 0) {
            kill(crowd->pid[i], SIGKILL);
            waitpid(crowd->pid[i], NULL, 0);
        }
}

static double share(const json_t *time, const char *key)
{
    return 100 * json_number_value(json_object_get(time, key)) /
           json_number_value(json_object_get(time, "wall_s"));
}

static void print_row(const char *kernel, double budget, double seconds,
                      const json_t *report)
{
    const json_t *time = json_object_get(report, "time"),
                 *told = json_object_get(report, "budget");
    struct buf gain = {0};

    bench_gain(json_object_get(report, "source_gain"), &gain);
    printf(
        "| %s | %.0f s | %.1f s | %.2f | %zu | %s | %.0f / %.0f / %.0f / %.0f %% | %zu "
        "| %s |\n",
        kernel, budget, seconds, seconds / budget,
        json_array_size(json_object_get(report, "variants")), buf_str(&gain),
        share(time, "compiling_s"), share(time, "verifying_s"), share(time, "timing_s"),
        share(time, "tracing_s"), json_array_size(json_object_get(told, "left_out")),
        *bench_text(told, "shortage") ? "yes" : "");
    fflush(stdout);
    buf_release(&gain);
}

static void run(const char *kernel, double budget, struct figures *figures)
{
    char *path = xasprintf("%s/templates/kernels/%s.c", INFLIGHT_SOURCE_DIR, kernel);
    char *limit = xasprintf("%.0fs", budget), *out = xasprintf("%s/tuned.c", BENCH_DIR);
    char *name = xasprintf("budget_%s_%.0f", kernel, budget);
    const char *const words[] = {"tune", path,      "--budget", limit, "-o",
                                 out,    "--fresh", "--json",   NULL};
    double seconds = 0;
    json_t *report = bench_report(name, words, &seconds);

    if (report) {
        print_row(kernel, budget, seconds, report);
        figures->ratio[figures->nr++] = seconds / budget;
        figures->bad += seconds > allowed * budget &&
                        !*bench_text(json_object_get(report, "budget"), "shortage");
    } else {
        printf("| %s | %.0f s | failed |\n", kernel, budget);
        figures->bad++;
    }
    json_decref(report);
    free(name);
    free(out);
    free(limit);
    free(path);
}

static void run_all(char **kernel, int kernel_nr, double budget, struct figures *figures)
{
    size_t nr = kernel_nr ? (size_t)kernel_nr : ARRAY_SIZE(all_kernels);

    for (size_t i = 0; i < nr; i++)
        for (size_t b = 0; b < (budget > 0 ? 1 : ARRAY_SIZE(all_budgets)); b++)
            if (figures->nr < ARRAY_SIZE(figures->ratio))
                run(kernel_nr ? kernel[i] : all_kernels[i],
                    budget > 0 ? budget : all_budgets[b], figures);
}

static void print_summary(struct figures *figures)
{
    if (!figures->nr)
        return;
    sort_doubles(figures->ratio, figures->nr);
    printf(
        "\nwall over budget: worst %.2f, median %.2f of %zu; %d above %.1f or failed\n",
        figures->ratio[figures->nr - 1], median_of_sorted(figures->ratio, figures->nr),
        figures->nr, figures->bad, allowed);
}

int main(int argc, char **argv)
{
    struct figures figures = {.nr = 0};
    struct crowd crowd = {.nr = 0};
    double budget = 0;
    int at = 1;

    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
        if (!strcmp(argv[at], "--busy"))
            begin_crowd(&crowd, strtoul(argv[at + 1], NULL, 10));
        else if (!strcmp(argv[at], "--budget"))
            budget = strtod(argv[at + 1], NULL);
    }
    puts(
        "| kernel | budget | wall | wall / budget | variants | source gain | compiling / "
        "checking / timing / tracing | left out | said to be too little |");
    puts("|---|---|---|---|---|---|---|---|---|");
    fflush(stdout);
    run_all(argv + at, argc - at, budget, &figures);
    end_crowd(&crowd);
    print_summary(&figures);
    return figures.bad > 0;
}
