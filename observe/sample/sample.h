/*
 * Where an application spends its time, by sampling from outside: nothing of it is
 * changed. perf_event's CPU clock, which needs no PMU: at a fixed rate each running
 * thread is asked where in the program it is. All threads and all processes that the
 * application starts count, so it may be a script, make or mpirun. The same on recorded
 * samples (inflight.samples/1).
 */
#ifndef CORE_OBSERVE_SAMPLE_H
#define CORE_OBSERVE_SAMPLE_H

#include <stdint.h>

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/process/spawn.h"

struct error;

enum { SAMPLE_FREQUENCY_HZ = 997 }; /* a prime: not in step with what ticks at 1000 Hz */
enum { SAMPLE_FREQUENCY_MAX = 20000 };

/* One place of one thread. */
struct sample_hit {
    uint32_t thread, module; /* into samples.thread and .module */
    uint64_t offset;         /* in the module's file; an address where it has no file */
    uint64_t samples;        /* of the clock */
    uint64_t misses;         /* samples of the second event, 0 where there is none */
};

/* A file that code was run from. */
struct sample_module {
    char *path; /* absolute; "[vdso]", "//anon" (code made at run time) ... as the kernel
                   calls what has no file */
};

/* It has a file, so that its code can be looked at. */
bool sample_module_is_file(const char *path);

struct sample_thread {
    int process, thread;    /* as the kernel numbers them */
    uint32_t program;       /* module that the process executes; UINT32_MAX = not known */
    double first_s, last_s; /* when it was hit, since the program's start */
};

struct samples {
    struct sample_hit *hit; /* in no order; each place of a thread once */
    size_t hit_nr, hit_alloc;
    struct sample_module *module;
    size_t module_nr, module_alloc;
    struct sample_thread *thread; /* those that were hit at least once */
    size_t thread_nr, thread_alloc;
    double frequency_hz; /* of the clock: a sample stands for 1 / frequency of one
                            thread's time in user mode */
    uint64_t total;      /* samples of the clock */
    uint64_t lost;       /* that found no room, both events */
    /* user_s, system_s: of all its processes that were waited for; NaN = not known */
    double wall_s, user_s, system_s;
    /* The second event: cache lines that came from memory, counted by the PMU. Each
     * sample of it stands for miss_period of them. NULL = not to be had here, and
     * miss_why says why. */
    char *miss_event, *miss_why;
    double miss_period;
    /* How the program ended. */
    enum spawn_end end;
    int code;
    struct strvec argv;
    char *dir;  /* absolute: where it was started */
    char *rank; /* that we were started as, by mpirun or srun; NULL = none */
};
void samples_release(struct samples *samples);

/* Seconds that one sample takes from the program: calculations of this process timed with
 * and without many samples, in turn. Takes 0.1 s; unknown where it drowns in noise. */
struct quantity sample_cost(void);

struct sample_options {
    double frequency_hz; /* 0 = SAMPLE_FREQUENCY_HZ */
    bool misses;         /* the second event, too, where the machine can count it */
};

/* Fails with STATUS_MISSING and the remedy where the kernel does not let this user
 * sample. Starts nothing. */
int sample_possible(struct error *err);

/*
 * Runs the program as spawn_run does (streams, time limit, Ctrl-C as the request says)
 * and samples it. 0 also when the program could not be started, failed or was
 * interrupted: the outcome says so, and the samples are those until then. -1 when
 * sampling is not possible; then nothing was started. Caller releases both.
 */
int sample_run(const struct spawn_request *program, const struct sample_options *options,
               struct samples *samples, struct spawn_outcome *outcome, struct error *err);

/* As inflight.samples/1. */
int samples_write(const char *path, const struct samples *samples, struct error *err);
int samples_read(const char *path, struct samples *samples, struct error *err);

/* What is asked about: a function of the source with all that is inlined into it, its
 * inlined instances and the compiler's clones of it (f.part.0, f._omp_fn.0), or lines. */
struct sample_routine {
    const char *function;      /* NULL = only the lines */
    const char *file;          /* that it is written in; NULL = any */
    int first_line, last_line; /* code of these lines of the file counts, too; 0 = none */
};

/*
 * Seconds of CPU time (all threads together, user mode) in the routine; the interval is
 * that of a Poisson count (95 %). Unknown when there was no sample at all. A routine that
 * was not found is 0 s with an interval; where much is not resolved that says little.
 */
struct sample_seconds {
    struct quantity cpu_s;     /* in the routine */
    struct quantity busiest_s; /* of it, in the one thread that was longest in it */
    struct quantity share;     /* of all CPU time in user mode, binomial interval */
    uint64_t samples;
    size_t threads;  /* in which it was seen */
    double resolved; /* of all samples, whose function is known from debug information */
};
struct sample_seconds samples_in_routine(const struct samples *samples,
                                         const struct sample_routine *routine);

/* 95 % of a count that is Poisson distributed (Byar's approximation: Rothman and Boice,
 * 1979; within 1 % of the exact limits from 5 on), times `scale`; and of a share of
 * `of` (Wilson's score interval). of > 0. */
struct quantity sample_count(uint64_t count, double scale);
struct quantity sample_share(uint64_t count, uint64_t of);

#endif
