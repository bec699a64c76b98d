/*
 * OpenMP as far as plans need it, on POSIX threads that the thread sanitizer knows: the
 * runtimes of the compilers synchronise by means that it does not see, and it reports
 * races that are none. Compiled with -DINFLIGHT_THREADS beside program_verify.c; takes
 * the calls that gcc (GOMP_...) and clang (__kmpc_...) make.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEAM = 4 };

/* One loop whose iterations are handed out while it runs. */
struct work {
    long long next, end, step, chunk;
    bool is_guided, is_set;
    int left; /* threads that are through */
};

static struct {
    pthread_barrier_t meeting;
    pthread_mutex_t critical, atomic;
    char lock; /* of `work` */
    struct work work;
    bool is_parallel;
} team = {.critical = PTHREAD_MUTEX_INITIALIZER, .atomic = PTHREAD_MUTEX_INITIALIZER};
static __thread int thread_number;

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int nr);

int omp_get_thread_num(void)
{
    return thread_number;
}

int omp_get_num_threads(void)
{
    return team.is_parallel ? TEAM : 1;
}

int omp_get_max_threads(void)
{
    return TEAM;
}

int omp_in_parallel(void)
{
    return team.is_parallel;
}

void omp_set_num_threads(int nr)
{
    (void)nr;
}

static void meet(void)
{
    if (team.is_parallel)
        pthread_barrier_wait(&team.meeting);
}

/* ---- threads ---- */

struct member {
    void (*run)(void *data);
    void *data;
    int number;
};

static void *run_member(void *data)
{
    const struct member *member = data;

    thread_number = member->number;
    member->run(member->data);
    return NULL;
}

/* A region inside of a region has one thread. */
static void run_team(void (*run)(void *data), void *data)
{
    pthread_t thread[TEAM];
    struct member member[TEAM];
    bool started[TEAM] = {false};

    if (team.is_parallel) {
        run(data);
        return;
    }
    pthread_barrier_init(&team.meeting, NULL, TEAM);
    team.is_parallel = true;
    for (int i = 1; i < TEAM; i++) {
        member[i] = (struct member){run, data, i};
        started[i] = pthread_create(&thread[i], NULL, run_member, &member[i]) == 0;
        if (!started[i])
            __builtin_trap();
    }
    run(data);
    for (int i = 1; i < TEAM; i++)
        pthread_join(thread[i], NULL);
    team.is_parallel = false;
    team.work.is_set = false;
    pthread_barrier_destroy(&team.meeting);
}

/* ---- loops that are handed out ---- */

/*
 * Who gets which iterations is no order between them: a lock that the sanitizer knew of
 * would hide races between one thread's iterations and those that another gets later. So
 * these functions are none of its business.
 */
#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

UNSEEN static void lock_work(void)
{
    while (__atomic_test_and_set(&team.lock, __ATOMIC_ACQUIRE))
        sched_yield();
}

UNSEEN static void unlock_work(void)
{
    __atomic_clear(&team.lock, __ATOMIC_RELEASE);
}

/* The first thread that arrives sets it up; it is forgotten when all are through. */
UNSEEN static void work_begin(long long start, long long end, long long step,
                              long long chunk, bool is_guided)
{
    lock_work();
    if (!team.work.is_set)
        team.work =
            (struct work){start, end, step, chunk > 0 ? chunk : 1, is_guided, true, 0};
    unlock_work();
}

/* Gives the others a turn first: a single thread could do all of a short loop. */
UNSEEN static bool work_take(long long *from, long long *to)
{
    struct work *work = &team.work;
    long long left, nr;

    sched_yield();
    lock_work();
    left = (work->end - work->next + work->step - (work->step > 0 ? 1 : -1)) / work->step;
    nr = work->is_guided && left / TEAM > work->chunk ? left / TEAM : work->chunk;
    nr = nr < left ? nr : left;
    *from = work->next;
    *to = work->next + nr * work->step;
    if (left > 0)
        work->next = *to;
    unlock_work();
    return left > 0;
}

UNSEEN static void work_end(void)
{
    lock_work();
    team.work.left++;
    if (team.work.left == omp_get_num_threads())
        team.work.is_set = false;
    unlock_work();
}

/* ---- gcc ---- */

typedef void gomp_function(void *data);
void GOMP_parallel(gomp_function *run, void *data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
bool GOMP_single_start(void);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);

void GOMP_parallel(gomp_function *run, void *data, unsigned threads, unsigned flags)
{
    (void)threads;
    (void)flags;
    run_team(run, data);
}

void GOMP_barrier(void)
{
    meet();
}

void GOMP_critical_start(void)
{
    pthread_mutex_lock(&team.critical);
}

void GOMP_critical_end(void)
{
    pthread_mutex_unlock(&team.critical);
}

void GOMP_atomic_start(void)
{
    pthread_mutex_lock(&team.atomic);
}

void GOMP_atomic_end(void)
{
    pthread_mutex_unlock(&team.atomic);
}

bool GOMP_single_start(void)
{
    return thread_number == 0;
}

void GOMP_loop_end_nowait(void)
{
    work_end();
}

/* Nobody may begin the next loop before all are out of this one. */
void GOMP_loop_end(void)
{
    meet();
    work_end();
    meet();
}

#define LOOP(kind, guided)                                                               \
    bool GOMP_loop_##kind##_start(long start, long end, long step, long chunk,           \
                                  long *from, long *to);                                 \
    bool GOMP_loop_##kind##_next(long *from, long *to);                                  \
    void GOMP_parallel_loop_##kind(gomp_function *run, void *data, unsigned threads,     \
                                   long start, long end, long step, long chunk,          \
                                   unsigned flags);                                      \
    bool GOMP_loop_##kind##_next(long *from, long *to)                                   \
    {                                                                                    \
        long long first, last;                                                           \
        bool some = work_take(&first, &last);                                            \
                                                                                         \
        *from = (long)first;                                                             \
        *to = (long)last;                                                                \
        return some;                                                                     \
    }                                                                                    \
    bool GOMP_loop_##kind##_start(long start, long end, long step, long chunk,           \
                                  long *from, long *to)                                  \
    {                                                                                    \
        work_begin(start, end, step, chunk, guided);                                     \
        return GOMP_loop_##kind##_next(from, to);                                        \
    }                                                                                    \
    void GOMP_parallel_loop_##kind(gomp_function *run, void *data, unsigned threads,     \
                                   long start, long end, long step, long chunk,          \
                                   unsigned flags)                                       \
    {                                                                                    \
        (void)threads;                                                                   \
        (void)flags;                                                                     \
        work_begin(start, end, step, chunk, guided);                                     \
        run_team(run, data);                                                             \
        team.work.is_set = false;                                                        \
    }
LOOP(dynamic, false)
LOOP(guided, true)
LOOP(nonmonotonic_dynamic, false)
LOOP(nonmonotonic_guided, true)

/* ---- clang ---- */

typedef void kmpc_function(int *global, int *bound, ...);
void __kmpc_fork_call(void *place, int nr, kmpc_function *run, ...);
int __kmpc_global_thread_num(void *place);
void __kmpc_push_num_threads(void *place, int thread, int threads);
void __kmpc_barrier(void *place, int thread);
void __kmpc_critical(void *place, int thread, void *lock);
void __kmpc_end_critical(void *place, int thread, void *lock);
int __kmpc_reduce(void *place, int thread, int nr, size_t bytes, void *data,
                  void (*join)(void *, void *), void *lock);
void __kmpc_end_reduce(void *place, int thread, void *lock);
int __kmpc_reduce_nowait(void *place, int thread, int nr, size_t bytes, void *data,
                         void (*join)(void *, void *), void *lock);
void __kmpc_end_reduce_nowait(void *place, int thread, void *lock);
void __kmpc_for_static_fini(void *place, int thread);

enum { KMPC_ARGUMENTS = 24 };

struct fork {
    kmpc_function *run;
    void *argument[KMPC_ARGUMENTS];
};

static void run_fork(void *data)
{
    const struct fork *fork = data;
    void *const *a = fork->argument;
    int number = thread_number, bound = thread_number;

    fork->run(&number, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
              a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20],
              a[21], a[22], a[23]);
}

void __kmpc_fork_call(void *place, int nr, kmpc_function *run, ...)
{
    struct fork fork = {.run = run};
    va_list list;

    (void)place;
    if (nr > KMPC_ARGUMENTS)
        __builtin_trap();
    va_start(list, run);
    for (int i = 0; i < nr; i++)
        fork.argument[i] = va_arg(list, void *);
    va_end(list);
    run_team(run_fork, &fork);
}

int __kmpc_global_thread_num(void *place)
{
    (void)place;
    return thread_number;
}

void __kmpc_push_num_threads(void *place, int thread, int threads)
{
    (void)place;
    (void)thread;
    (void)threads;
}

void __kmpc_barrier(void *place, int thread)
{
    (void)place;
    (void)thread;
    meet();
}

void __kmpc_critical(void *place, int thread, void *lock)
{
    (void)place;
    (void)thread;
    (void)lock;
    pthread_mutex_lock(&team.critical);
}

void __kmpc_end_critical(void *place, int thread, void *lock)
{
    (void)place;
    (void)thread;
    (void)lock;
    pthread_mutex_unlock(&team.critical);
}

/* 1: the caller adds what it has, alone, and says when it is through. */
int __kmpc_reduce_nowait(void *place, int thread, int nr, size_t bytes, void *data,
                         void (*join)(void *, void *), void *lock)
{
    (void)place;
    (void)thread;
    (void)nr;
    (void)bytes;
    (void)data;
    (void)join;
    (void)lock;
    pthread_mutex_lock(&team.atomic);
    return 1;
}

void __kmpc_end_reduce_nowait(void *place, int thread, void *lock)
{
    (void)place;
    (void)thread;
    (void)lock;
    pthread_mutex_unlock(&team.atomic);
}

int __kmpc_reduce(void *place, int thread, int nr, size_t bytes, void *data,
                  void (*join)(void *, void *), void *lock)
{
    return __kmpc_reduce_nowait(place, thread, nr, bytes, data, join, lock);
}

void __kmpc_end_reduce(void *place, int thread, void *lock)
{
    __kmpc_end_reduce_nowait(place, thread, lock);
    meet();
}

void __kmpc_for_static_fini(void *place, int thread)
{
    (void)place;
    (void)thread;
}

/* How clang numbers the schedules. */
enum { KMPC_STATIC_CHUNKED = 33, KMPC_STATIC = 34, KMPC_DYNAMIC = 35, KMPC_GUIDED = 36 };
enum { KMPC_SCHEDULE = 0xffff };

/* [*low, *high], both included; *stride from one chunk of a thread to its next. */
static void static_part(long long *low, long long *high, long long *stride,
                        long long step, long long chunk, bool is_chunked)
{
    long long nr = (*high - *low + step) / step, threads = omp_get_num_threads();
    long long each = is_chunked ? chunk : (nr + threads - 1) / threads;
    long long first = each * thread_number, last = first + each - 1;

    *stride = each * threads * step;
    if (!is_chunked && last > nr - 1)
        last = nr - 1;
    *high = *low + last * step;
    *low += first * step;
}

#define KMPC_LOOP(suffix, type, wide)                                                    \
    void __kmpc_for_static_init_##suffix(void *place, int thread, int schedule,          \
                                         int *last, type *low, type *high, wide *stride, \
                                         wide step, wide chunk);                         \
    void __kmpc_dispatch_init_##suffix(void *place, int thread, int schedule, type low,  \
                                       type high, wide step, wide chunk);                \
    int __kmpc_dispatch_next_##suffix(void *place, int thread, int *last, type *low,     \
                                      type *high, wide *step);                           \
    void __kmpc_dispatch_fini_##suffix(void *place, int thread);                         \
    void __kmpc_for_static_init_##suffix(void *place, int thread, int schedule,          \
                                         int *last, type *low, type *high, wide *stride, \
                                         wide step, wide chunk)                          \
    {                                                                                    \
        long long from = (long long)*low, to = (long long)*high, by;                     \
                                                                                         \
        (void)place;                                                                     \
        (void)thread;                                                                    \
        static_part(&from, &to, &by, step, chunk,                                        \
                    (schedule & KMPC_SCHEDULE) == KMPC_STATIC_CHUNKED);                  \
        *last = thread_number == omp_get_num_threads() - 1;                              \
        *low = (type)from;                                                               \
        *high = (type)to;                                                                \
        *stride = (wide)by;                                                              \
    }                                                                                    \
    void __kmpc_dispatch_init_##suffix(void *place, int thread, int schedule, type low,  \
                                       type high, wide step, wide chunk)                 \
    {                                                                                    \
        (void)place;                                                                     \
        (void)thread;                                                                    \
        work_begin((long long)low, (long long)high + (step > 0 ? 1 : -1), step, chunk,   \
                   (schedule & KMPC_SCHEDULE) == KMPC_GUIDED);                           \
    }                                                                                    \
    int __kmpc_dispatch_next_##suffix(void *place, int thread, int *last, type *low,     \
                                      type *high, wide *step)                            \
    {                                                                                    \
        long long from, to;                                                              \
                                                                                         \
        (void)place;                                                                     \
        (void)thread;                                                                    \
        if (!work_take(&from, &to)) {                                                    \
            work_end();                                                                  \
            return 0;                                                                    \
        }                                                                                \
        *last = to >= team.work.end;                                                     \
        *step = (wide)team.work.step;                                                    \
        *low = (type)from;                                                               \
        *high = (type)(to - team.work.step);                                             \
        return 1;                                                                        \
    }                                                                                    \
    void __kmpc_dispatch_fini_##suffix(void *place, int thread)                          \
    {                                                                                    \
        (void)place;                                                                     \
        (void)thread;                                                                    \
    }
KMPC_LOOP(4, int, int)
KMPC_LOOP(4u, unsigned, int)
KMPC_LOOP(8, long long, long long)
KMPC_LOOP(8u, unsigned long long, long long)
