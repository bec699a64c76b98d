#define _GNU_SOURCE /* sched_setaffinity, MAP_ANONYMOUS */
#include "bench/claims_quiet.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void call(long n, long m, double *y, const double *a, const double *x);

enum { TURNS_MAX = 4096, CPUS_MAX = 64 };
static const double batch_s = 5e-3, untimed_below_s = 0.05;

/* Between the copies of a round. */
struct round {
    _Atomic unsigned arrived, generation, over;
    size_t turns;
    double ratio[CPUS_MAX], call_s[CPUS_MAX][2];
};

/* ---- one copy ---- */

static void meet(struct round *round, size_t copies)
{
    unsigned generation = atomic_load(&round->generation);

    if (atomic_fetch_add(&round->arrived, 1) + 1 == copies) {
        atomic_store(&round->arrived, 0);
        atomic_fetch_add(&round->generation, 1);
    }
    while (atomic_load(&round->generation) == generation)
        ;
}

static double *filled(size_t nr)
{
    size_t bytes = nr * sizeof(double) + (2 << 20);
    double *area =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (area == MAP_FAILED)
        _exit(3);
    madvise(area, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < nr; i++)
        area[i] = (double)(i % 1021) / 1021;
    return area;
}

struct copy {
    const struct quiet_pair *pair;
    call *function[2];
    double *y, *a, *x;
    long calls[2]; /* of a batch */
    double call_s[2];
};

static double time_batch(const struct copy *copy, int side, long calls)
{
    double began_s = clock_s();

    for (long i = 0; i < calls; i++)
        copy->function[side](copy->pair->n, copy->pair->m, copy->y, copy->a, copy->x);
    return (clock_s() - began_s) / (double)calls;
}

static struct copy copy_make(const struct quiet_pair *pair, char *const library[2])
{
    struct copy copy = {.pair = pair};

    copy.y = filled((size_t)pair->n);
    copy.a = filled((size_t)(pair->n * pair->m));
    copy.x = filled((size_t)pair->m);
    for (int side = 0; side < 2; side++) {
        void *opened = dlopen(library[side], RTLD_NOW | RTLD_LOCAL);

        copy.function[side] = opened ? (call *)dlsym(opened, "claim") : NULL;
        if (!copy.function[side])
            _exit(4);
        time_batch(&copy, side, 1);
        copy.call_s[side] = time_batch(&copy, side, 1);
        copy.calls[side] = (long)(batch_s / copy.call_s[side]) + 1;
    }
    return copy;
}

/* Copies may differ by a call in how many make a batch; nobody waits within one. */
static void run_copy(struct round *round, size_t index, size_t copies, struct copy *copy,
                     double seconds)
{
    static double taken[2][TURNS_MAX], ratio[TURNS_MAX];
    double end_s = clock_s() + seconds;
    size_t turns = 0;

    for (; turns < TURNS_MAX; turns++) {
        if (index == 0 && turns >= 2 && clock_s() > end_s)
            atomic_store(&round->over, 1);
        meet(round, copies);
        if (atomic_load(&round->over))
            break;
        for (size_t k = 0; k < 2; k++) {
            int side = (int)((turns + k) % 2);

            if (copy->call_s[side] < untimed_below_s) /* caches adapt */
                time_batch(copy, side, copy->calls[side]);
            meet(round, copies);
            taken[side][turns] = time_batch(copy, side, copy->calls[side]);
        }
        ratio[turns] = taken[0][turns] / taken[1][turns];
    }
    round->ratio[index] = median_of(ratio, turns);
    for (int side = 0; side < 2; side++)
        round->call_s[index][side] = median_of(taken[side], turns);
}

/* ---- rounds ---- */

static pid_t start_copy(struct round *round, size_t index, const int *cpu, size_t cpu_nr,
                        const struct quiet_pair *pair, char *const library[2],
                        double seconds)
{
    pid_t pid = fork();
    cpu_set_t set;

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu[index], &set);
    sched_setaffinity(0, sizeof(set), &set);
    struct copy copy = copy_make(pair, library);
    run_copy(round, index, cpu_nr, &copy, seconds);
    _exit(0);
}

static int run_round(const struct quiet_pair *pair, const int *cpu, size_t cpu_nr,
                     char *const library[2], double seconds, struct round *round,
                     struct error *err)
{
    pid_t pid[CPUS_MAX] = {0};
    bool failed = false;

    memset(round, 0, sizeof(*round));
    for (size_t i = 0; i < cpu_nr; i++)
        pid[i] = start_copy(round, i, cpu, cpu_nr, pair, library, seconds);
    for (size_t i = 0; i < cpu_nr; i++) {
        int status = 0;

        failed |= pid[i] < 0 || waitpid(pid[i], &status, 0) < 0 || status != 0;
        for (size_t k = 0; failed && k < cpu_nr; k++)
            if (pid[k] > 0)
                kill(pid[k], SIGKILL); /* they would wait for this one */
    }
    return failed ? fail(err, STATUS_FAILED, "the quiet measurement did not run") : 0;
}

static int build(const char *source, const struct quiet_pair *pair, const char *compiler,
                 const char *library, struct error *err)
{
    const char *const argv[] = {compiler, "-O3", "-march=native", "-shared", "-fPIC",
                                "-w",     "-o",  library,         source,    pair->define,
                                NULL};
    struct spawn_outcome outcome = {0};
    int status = spawn_run(&(struct spawn_request){.argv = argv}, &outcome, err);
    bool good = !status && outcome.end == SPAWN_EXITED && outcome.code == 0;

    spawn_outcome_release(&outcome);
    return status || good
               ? status
               : fail(err, STATUS_FAILED, "'%s' refuses '%s'", compiler, source);
}

static void take_round(const struct round *round, size_t cpu_nr, double *ratio,
                       double call_s[2])
{
    *ratio = median_of(round->ratio, cpu_nr);
    for (int side = 0; side < 2; side++)
        call_s[side] = round->call_s[0][side];
}

int quiet_ratios(const struct quiet_pair *pair, const int *cpu, size_t cpu_nr,
                 size_t rounds, double seconds, const char *compiler, const char *scratch,
                 double *ratio, double call_s[2], struct error *err)
{
    struct round *round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *library[2] = {xasprintf("%s/quiet0.so", scratch),
                        xasprintf("%s/quiet1.so", scratch)};
    int status = round == MAP_FAILED ? fail(err, STATUS_FAILED, "no shared memory") : 0;

    for (int side = 0; !status && side < 2; side++)
        status = build(pair->source[side], pair, compiler, library[side], err);
    for (size_t i = 0; !status && i < rounds; i++) {
        status = run_round(pair, cpu, cpu_nr < CPUS_MAX ? cpu_nr : CPUS_MAX, library,
                           seconds, round, err);
        if (!status)
            take_round(round, cpu_nr, &ratio[i], call_s);
    }
    if (round != MAP_FAILED)
        munmap(round, sizeof(*round));
    free(library[0]);
    free(library[1]);
    return status;
}

/* ---- neighbours ---- */

static void calculate(pid_t parent)
{
    volatile unsigned long long x = 1;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) /* it may have ended before we asked */
        for (int i = 0; i < 1000000; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
    _exit(0);
}

int neighbours_start(pid_t *pid, size_t nr, struct error *err)
{
    pid_t parent = getpid();

    for (size_t i = 0; i < nr; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            calculate(parent);
        if (pid[i] < 0) {
            int cause = errno;

            neighbours_end(pid, i);
            return fail(err, STATUS_FAILED, "cannot start a neighbour: %s",
                        strerror(cause));
        }
    }
    return 0;
}

void neighbours_end(const pid_t *pid, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        kill(pid[i], SIGKILL);
    for (size_t i = 0; i < nr; i++)
        waitpid(pid[i], NULL, 0);
}
