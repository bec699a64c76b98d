/* Measures the kernel: `program --set n=100 --buffer a=100:zero --samples 5 --out
 * results`. */
#include "program_sample.c"

#include "program_load.c"

#include <stdatomic.h>

enum {
    BARRIER_BYTES = 4096,
    SPINS_MAX = 1 << 14,
    LOOKED_AT = 4096,
    EMPTY_CALLS = 2000,
    EMPTY_ROUNDS = 5
};

/* The words of the barrier's file. The last one to arrive copies `over` to `ended` and
 * moves `disturbed` to `agreed`: one answer for all, which nobody can change before
 * everybody has read it. `slow`: how many copies have seen enough of a slow kernel; when
 * it is all of them, sampling is over and `stopped` is set. */
struct shared {
    _Atomic unsigned arrived, generation, over, ended, disturbed, agreed, slow, stopped;
    _Atomic long long released_ns; /* when the last one arrived */
};

typedef void calling(void *const *array, const long long *integer, const double *real,
                     struct inflight_result *result);

struct timing {
    const struct request *request;
    struct shared *shared;
    struct sampler sampler;
    calling *call;
    void **data;
    struct spent warm; /* the first call */
    long long calls;   /* per sample */
    unsigned before;   /* what disturbed the next sample before it began */
    long long began_ns;
    long long taken;           /* samples */
    double min_ns, longest_ns; /* of their calls */
    FILE *out;
};

static struct shared *open_barrier(const struct request *request)
{
    static struct shared alone;
    struct shared *shared;
    int fd;

    if (!request->barrier)
        return &alone;
    fd = open(request->barrier, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        stop(EXIT_ARGUMENTS, "cannot open '%s': %s", request->barrier, strerror(errno));
    shared = mmap(NULL, BARRIER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        stop(EXIT_MEMORY, "cannot map '%s': %s", request->barrier, strerror(errno));
    close(fd);
    return shared;
}

/* True if some copy was over the time limit when the last one arrived. */
static bool barrier_wait(struct timing *timing)
{
    struct shared *shared = timing->shared;
    unsigned generation = atomic_load(&shared->generation);
    long long arrived = atomic_fetch_add(&shared->arrived, 1) + 1LL;

    if (arrived == timing->request->copies) {
        if (atomic_exchange(&shared->slow, 0) == timing->request->copies) {
            atomic_store(&shared->stopped, 1);
            atomic_store(&shared->over, 1);
        }
        atomic_store(&shared->ended, atomic_load(&shared->over));
        atomic_store(&shared->agreed, atomic_exchange(&shared->disturbed, 0));
        atomic_store(&shared->arrived, 0);
        atomic_store(&shared->released_ns, now_ns());
        atomic_fetch_add(&shared->generation, 1);
    }
    for (long spins = 0; atomic_load(&shared->generation) == generation; spins++)
        if (spins > SPINS_MAX)
            sched_yield(); /* more copies than processors */
    return atomic_load(&shared->ended);
}

/* How much later than the others' meeting ended this copy goes on. */
UNUSED_IN_SOME static long long late_ns(const struct timing *timing)
{
    return now_ns() - atomic_load(&timing->shared->released_ns);
}

NEVER_FLUSHED static long long run_calls(const struct timing *timing, long long calls)
{
    const struct sizes *sizes = &timing->request->sizes[0];
    struct inflight_result result;
    long long start = now_ns();

    for (long long i = 0; i < calls; i++)
        timing->call(timing->data, sizes->integer, sizes->real, &result);
    return now_ns() - start;
}

/* With what it really ran. */
static struct spent time_calls(const struct timing *timing, long long calls)
{
    struct ran before = ran_so_far(), after;
    long long wall_ns = run_calls(timing, calls);

    after = ran_so_far();
    return spent_between(&before, &after, wall_ns);
}

/* What a call of nothing costs by the same way: arguments, both calls, the loop. Not
 * subtracted: whoever calls the kernel pays it too, and part of it overlaps with the
 * kernel. */
static double empty_call_ns(const struct timing *timing, calling *empty_call)
{
    const struct sizes *sizes = &timing->request->sizes[0];
    struct inflight_result result;
    long long min = LLONG_MAX;

    for (int k = 0; k < EMPTY_ROUNDS; k++) {
        long long start = now_ns(), spent;

        for (int i = 0; i < EMPTY_CALLS; i++)
            empty_call(timing->data, sizes->integer, sizes->real, &result);
        spent = now_ns() - start;
        min = spent < min ? spent : min;
    }
    return clock_net_ns(&timing->sampler.clock, min) / EMPTY_CALLS;
}

static long long calls_for(const struct timing *timing, double ns_per_call)
{
    double wanted = (double)timing->request->sample_min_ns;
    double min = min_sample_ns(&timing->sampler), calls;

    if (is_cold(&timing->sampler))
        return 1; /* the second call would find what the first one brought */
    calls = (wanted > min ? wanted : min) / (ns_per_call > 1 ? ns_per_call : 1);
    return calls < 1 ? 1 : (long long)calls + 1;
}

/* One batch that no sample is made of: how long a warm call takes, and what page faults
 * the kernel itself causes. */
static double settle(struct timing *timing)
{
    struct spent spent;

    sampler_plan(&timing->sampler, 0, timing->calls);
    sample_begin(&timing->sampler);
    spent = time_calls(timing, timing->calls);
    sample_end(&timing->sampler, &spent);
    return (double)spent.ns / (double)timing->calls;
}

static long long wall_ns(const struct spent *spent)
{
    return spent->ns + (spent->inside ? 0 : spent->waited_ns);
}

/* A call of less than a sample is counted out twice: the first one found the caches cold.
 * One of more than half the time there is, in any copy, is all that is measured. */
UNUSED_IN_SOME static void warm_up(struct timing *timing)
{
    const struct request *request = timing->request;
    double call_ns;

    barrier_wait(timing);
    timing->warm = time_calls(timing, 1);
    call_ns = clock_net_ns(&timing->sampler.clock, timing->warm.ns);
    fprintf(timing->out, "warm %.12g\n", call_ns * 1e-9);
    timing->calls = calls_for(timing, call_ns);
    if (request->gate_out < 0 && wall_ns(&timing->warm) > request->limit_ns / 2) {
        atomic_store(&timing->shared->over, 1);
    } else if (timing->calls > 1) {
        call_ns = settle(timing);
        timing->calls = calls_for(timing, call_ns);
    }
    sampler_plan(&timing->sampler, call_ns * (double)timing->calls, timing->calls);
}

UNUSED_IN_SOME static void pass_gate(const struct request *request, char letter)
{
    char answer;

    if (request->gate_out < 0)
        return;
    while (write(request->gate_out, &letter, 1) < 0 && errno == EINTR)
        ;
    while (read(request->gate_in, &answer, 1) < 0 && errno == EINTR)
        ;
}

static void print_sample(const struct timing *timing, const struct spent *spent,
                         long long calls, unsigned disturbed)
{
    double net = clock_net_ns(&timing->sampler.clock, spent->ns);

    fprintf(timing->out, "sample %.12g %lld\n", net * 1e-9 / (double)calls, calls);
    if (spent->waited_ns > 0)
        fprintf(timing->out, "waited %.12g %s\n",
                (double)spent->waited_ns * 1e-9 / (double)calls,
                spent->inside ? "inside" : "beside");
    if (disturbed)
        fprintf(timing->out, "disturbed %u\n", disturbed);
}

static void note_call(struct timing *timing, double call_ns)
{
    if (timing->taken == 0 || call_ns < timing->min_ns)
        timing->min_ns = call_ns;
    if (timing->taken == 0 || call_ns > timing->longest_ns)
        timing->longest_ns = call_ns;
    timing->taken++;
}

/* One sample may be bad luck, two in a row are not: all so far have to be slower. The
 * copies meet once more and end when each has seen the same. */
static void vote_slow(const struct timing *timing, double stop_ns)
{
    if (stop_ns > 0 && timing->taken >= 2 && timing->min_ns > stop_ns)
        atomic_fetch_add(&timing->shared->slow, 1);
}

static void print_stopped(const struct timing *timing)
{
    if (atomic_load(&timing->shared->stopped))
        fprintf(timing->out, "stopped\n");
}

static void take_sample(struct timing *timing)
{
    struct spent spent;
    unsigned disturbed;

    sample_begin(&timing->sampler);
    spent = time_calls(timing, timing->calls);
    disturbed = sample_end(&timing->sampler, &spent) | timing->before;
    atomic_fetch_or(&timing->shared->disturbed, disturbed);
    note_call(timing,
              clock_net_ns(&timing->sampler.clock, spent.ns) / (double)timing->calls);
    print_sample(timing, &spent, timing->calls, disturbed);
    if (now_ns() - timing->began_ns > timing->request->limit_ns)
        atomic_store(&timing->shared->over, 1);
}

/*
 * Until there are as many undisturbed samples as asked for, or twice as many in all: on a
 * noisy machine no sample may ever be undisturbed. What disturbed one copy disturbed the
 * sample of all.
 *
 * A call that takes more than half of the time there is counts as the sample itself:
 * after so long a call cold caches no longer matter. Not so when counters wait for the
 * samples.
 */
UNUSED_IN_SOME static void take_samples(struct timing *timing)
{
    long long wanted = timing->request->samples, good = 0;

    timing->began_ns = now_ns();
    for (long long taken = 0;; taken++) {
        bool ended;

        sample_prepare(&timing->sampler);
        ended = barrier_wait(timing);
        if (ended && taken == 0)
            print_sample(timing, &timing->warm, 1, 0);
        good += taken > 0 && atomic_load(&timing->shared->agreed) == 0;
        if (ended || good == wanted || taken == 2 * wanted)
            break;
        take_sample(timing);
        vote_slow(timing, timing->request->stop_at_ns);
    }
    print_stopped(timing);
}

/* AnonHugePages of the whole process, -1 if the kernel does not tell. */
static long long huge_bytes(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long long kib = -1;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "AnonHugePages: %lld kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib < 0 ? -1 : kib * 1024;
}

static bool is_denormal(const struct inflight_array *array, const void *data, size_t i)
{
    const char *at = (const char *)data + place_of(array, i);

    /* each in its own type: a float as a double is normal */
    return array->bytes == 8 ? fpclassify(*(const double *)at) == FP_SUBNORMAL
                             : fpclassify(*(const float *)at) == FP_SUBNORMAL;
}

/* Arrays of which one element in a hundred, or more, is too small to be normal. */
static void report_denormals(FILE *out, const struct inflight_array *array,
                             const struct buffer *buffer)
{
    size_t length = buffer->length, step = length / LOOKED_AT + 1, seen = 0, found = 0;

    if (array->kind != 'f' || (array->bytes != 8 && array->bytes != 4))
        return;
    for (size_t i = 0; i < length; i += step, seen++)
        found += is_denormal(array, buffer->data, i);
    if (found * 100 >= seen && found)
        fprintf(out, "denormal %s\n", array->name);
}

#ifndef INFLIGHT_ARENA /* program_arena.c has one of its own */
#include "program_step.c"

int main(int argc, char **argv)
{
    struct request request = read_args(argc, argv, FOR_TIME);
    struct buffer *buffer = must_alloc(inflight_table.array_nr, sizeof(*buffer));
    struct timing timing = {.request = &request, .call = inflight_variant_call};
    size_t bytes = 0;

    limit_self(&request);
    if (request.background)
        load_run(&request);
    timing.out = open_out(request.out);
    timing.shared = open_barrier(&request);
    timing.data = buffers_fill(&request, buffer);
    if (request.stepped) {
        report_arrays(timing.out, buffer);
        step_call(&request, timing.data);
        return 0;
    }
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        bytes += buffer[i].bytes;
    fprintf(timing.out, "buffers %zu\n", bytes);
    timing.sampler = sampler_make(&request, buffer);
    sampler_report(&timing.sampler, empty_call_ns(&timing, inflight_variant_empty_call),
                   timing.out);
    warm_up(&timing);
    fprintf(timing.out, "huge %lld\n", huge_bytes());
    pass_gate(&request, 'R');
    take_samples(&timing);
    pass_gate(&request, 'E');
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        report_denormals(timing.out, &inflight_table.array[i], &buffer[i]);
    if (!inflight_variant_ran)
        fprintf(timing.out, "original\n");
    close_out(request.out, timing.out);
    return 0;
}
#endif
