/*
 * What sampling costs an application: its time with and without, asked to be 2 % more at
 * most.
 *
 *     bench/sampling [--pairs 20] [--seconds 1] [--frequency 997] [--most 2]
 *
 * Two programs of our own on as many threads as there are processors: one that calculates
 * in registers, one that reads far more memory than caches hold. Each is run in pairs,
 * once sampled and once not, whoever comes first by turns. A row has the ratio of the
 * times (geometric mean over the pairs, 95 % by Student's t of the logarithms), for wall
 * time and for CPU time: on a machine with neighbours the second is the steadier one.
 * Exit 1 when a row's wall time is beyond --most with its whole interval.
 *
 *     bench_sampling --work calculate|read TURNS     one of the two programs
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "observe/observe.h"

enum { threads_max = 256, pairs_max = 1000 };

static const size_t read_bytes = (size_t)256 << 20;

/* ---- the programs ---- */

struct work {
    bool reads;
    long turns;
    const uint64_t *data;
    uint64_t sum;
};

static void *run_work(void *argument)
{
    struct work *work = argument;
    uint64_t x = 1;

    for (long turn = 0; turn < work->turns; turn++) {
        if (!work->reads)
            for (int i = 0; i < 1000000; i++)
                x = x * UINT64_C(6364136223846793005) + 1;
        else /* each turn another sixteenth: one line after the other */
            for (size_t i = 0; i < read_bytes / 16; i += 64)
                x += work->data[((size_t)(turn % 16) * (read_bytes / 16) + i) / 8];
    }
    work->sum = x;
    return NULL;
}

static int work(const char *kind, long turns)
{
    static struct work one[threads_max];
    pthread_t thread[threads_max];
    long nr = sysconf(_SC_NPROCESSORS_ONLN);
    bool reads = !strcmp(kind, "read");
    uint64_t *data = reads ? calloc(read_bytes, 1) : NULL, sum = 0;

    nr = nr > threads_max ? threads_max : nr;
    for (size_t i = 0; data && i < read_bytes / 8; i += 512)
        data[i] = i; /* touched: pages of their own */
    for (long i = 0; i < nr; i++) {
        one[i] = (struct work){reads, turns, data, 0};
        pthread_create(&thread[i], NULL, run_work, &one[i]);
    }
    for (long i = 0; i < nr; i++) {
        pthread_join(thread[i], NULL);
        sum += one[i].sum;
    }
    free(data);
    return sum == 12345; /* used */
}

/* ---- pairs ---- */

struct run {
    double wall_s, cpu_s;
    uint64_t samples, lost;
};

static int run_once(const char *self, const char *kind, long turns, double frequency_hz,
                    struct run *run, struct error *err)
{
    char *number = xasprintf("%ld", turns);
    const char *const argv[] = {self, "--work", kind, number, NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = 600};
    struct sample_options options = {.frequency_hz = frequency_hz, .misses = true};
    struct spawn_outcome outcome = {0};
    struct samples samples = {0};
    int status = frequency_hz > 0
                     ? sample_run(&request, &options, &samples, &outcome, err)
                     : spawn_run(&request, &outcome, err);

    if (!status && (outcome.end != SPAWN_EXITED || outcome.code))
        status = fail(err, STATUS_FAILED, "the program did not end as it should");
    *run = (struct run){outcome.wall_s, outcome.user_s + outcome.system_s, samples.total,
                        samples.lost};
    samples_release(&samples);
    spawn_outcome_release(&outcome);
    free(number);
    return status;
}

/* Turns for so many seconds; the first run warms, too. */
static int calibrate(const char *self, const char *kind, double seconds, long *turns,
                     struct error *err)
{
    struct run run = {0};

    for (*turns = 8; run.wall_s < 0.2; *turns *= 2)
        if (run_once(self, kind, *turns, 0, &run, err))
            return -1;
    *turns = (long)fmax(1, (double)*turns / 2 * seconds / run.wall_s);
    return 0;
}

/* exp of the mean of logarithms, with its interval. */
static struct quantity mean_ratio(const double *ratio, size_t nr)
{
    double mean = 0, variance = 0, half;

    for (size_t i = 0; i < nr; i++)
        mean += log(ratio[i]) / (double)nr;
    for (size_t i = 0; i < nr; i++)
        variance += pow(log(ratio[i]) - mean, 2) / (double)(nr - 1);
    half = student_95(nr - 1) * sqrt(variance / (double)nr);
    return quantity_between(exp(mean), exp(mean - half), exp(mean + half), nr,
                            PROVENANCE_CLOCK);
}

struct plan {
    long pairs;
    double seconds, frequency_hz, most;
};

static int measure(const char *self, const char *kind, const struct plan *plan,
                   bool *beyond, struct error *err)
{
    static double wall[pairs_max], cpu[pairs_max];
    struct run with = {0}, without = {0};
    uint64_t samples = 0, lost = 0;
    double cpu_s = 0;
    long turns;

    if (calibrate(self, kind, plan->seconds, &turns, err))
        return -1;
    for (long i = 0; i < plan->pairs; i++) {
        for (int k = 0; k < 2; k++)
            if (run_once(self, kind, turns, (i + k) % 2 ? plan->frequency_hz : 0,
                         (i + k) % 2 ? &with : &without, err))
                return -1;
        wall[i] = with.wall_s / without.wall_s;
        cpu[i] = with.cpu_s / without.cpu_s;
        samples += with.samples;
        lost += with.lost;
        cpu_s += with.cpu_s;
    }
    struct quantity by_wall = mean_ratio(wall, (size_t)plan->pairs),
                    by_cpu = mean_ratio(cpu, (size_t)plan->pairs);

    printf(
        "| %s | %ld | %.2f | %.4f (%.4f to %.4f) | %.4f (%.4f to %.4f) | %.0f | %llu |\n",
        kind, plan->pairs, without.wall_s, by_wall.value, by_wall.low, by_wall.high,
        by_cpu.value, by_cpu.low, by_cpu.high, (double)samples / cpu_s,
        (unsigned long long)lost);
    fflush(stdout);
    *beyond |= by_wall.low > 1 + plan->most / 100;
    return 0;
}

static int read_plan(int argc, char **argv, struct plan *plan)
{
    *plan = (struct plan){20, 1, SAMPLE_FREQUENCY_HZ, 2};
    for (int i = 1; i + 1 < argc; i += 2) {
        double number = atof(argv[i + 1]);

        if (!strcmp(argv[i], "--pairs"))
            plan->pairs = (long)number;
        else if (!strcmp(argv[i], "--seconds"))
            plan->seconds = number;
        else if (!strcmp(argv[i], "--frequency"))
            plan->frequency_hz = number;
        else if (!strcmp(argv[i], "--most"))
            plan->most = number;
        else
            return -1;
    }
    return argc % 2 && plan->pairs > 1 && plan->pairs <= pairs_max && plan->seconds > 0 &&
                   plan->frequency_hz > 0
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    static const char *const kind[] = {"calculate", "read"};
    struct error err = {0};
    struct plan plan;
    bool beyond = false;

    if (argc == 4 && !strcmp(argv[1], "--work"))
        return work(argv[2], atol(argv[3]));
    if (read_plan(argc, argv, &plan)) {
        fprintf(stderr,
                "usage: bench/sampling [--pairs N] [--seconds S] [--frequency HZ] "
                "[--most PERCENT]\n");
        return 2;
    }
    printf("| program | pairs | s | wall time with / without | CPU time with / without | "
           "samples a CPU second | lost |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < ARRAY_SIZE(kind); i++)
        if (measure(argv[0], kind[i], &plan, &beyond, &err)) {
            fprintf(stderr, "bench_sampling: %s\n", err.text);
            return 1;
        }
    return beyond;
}
