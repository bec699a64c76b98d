/* Measures the kernel: `program --set n=100 --buffer a=100:zero --samples 5 --out
 * results`. */
#include "program_buffers.c"
#include "program_step.c"

#include <fcntl.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { BARRIER_BYTES = 4096, SPINS_MAX = 1 << 14, DRIFT_SAMPLES = 4096 };

/* The words of the barrier's file. The last one to arrive copies `over` to `ended`: one
 * answer for all, which nobody can change before everybody has read it. */
struct shared {
    _Atomic unsigned arrived, generation, over, ended;
};

struct timing {
    const struct request *request;
    struct shared *shared;
    void **data;
    long long warm_ns; /* the first call */
    long long calls;   /* per sample */
    long long began_ns;
    FILE *out;
};

static long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

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
        atomic_store(&shared->ended, atomic_load(&shared->over));
        atomic_store(&shared->arrived, 0);
        atomic_fetch_add(&shared->generation, 1);
    }
    for (long spins = 0; atomic_load(&shared->generation) == generation; spins++)
        if (spins > SPINS_MAX)
            sched_yield(); /* more copies than processors */
    return atomic_load(&shared->ended);
}

static long long run_calls(const struct timing *timing, long long calls)
{
    const struct sizes *sizes = &timing->request->sizes[0];
    struct inflight_result result;
    long long start = now_ns();

    for (long long i = 0; i < calls; i++)
        inflight_variant_call(timing->data, sizes->integer, sizes->real, &result);
    return now_ns() - start;
}

static long long calls_for(long long wanted_ns, double ns_per_call)
{
    double calls = (double)wanted_ns / (ns_per_call > 1 ? ns_per_call : 1);

    return calls < 1 ? 1 : (long long)calls + 1;
}

/* A call of less than a sample is counted out twice: the first one found the caches cold.
 * One of more than half the time there is, in any copy, is all that is measured. */
static void warm_up(struct timing *timing)
{
    const struct request *request = timing->request;
    long long wanted = request->sample_min_ns, spent;

    barrier_wait(timing);
    timing->warm_ns = spent = run_calls(timing, 1);
    fprintf(timing->out, "warm %.9f\n", (double)spent * 1e-9);
    timing->calls = calls_for(wanted, (double)spent);
    if (request->gate_out < 0 && spent > request->limit_ns / 2) {
        atomic_store(&timing->shared->over, 1);
    } else if (timing->calls > 1) {
        spent = run_calls(timing, timing->calls);
        timing->calls = calls_for(wanted, (double)spent / (double)timing->calls);
    }
}

static void pass_gate(const struct request *request, char letter)
{
    char answer;

    if (request->gate_out < 0)
        return;
    while (write(request->gate_out, &letter, 1) < 0 && errno == EINTR)
        ;
    while (read(request->gate_in, &answer, 1) < 0 && errno == EINTR)
        ;
}

/* A call that takes more than half of the time there is counts as the sample itself:
 * after so long a call cold caches no longer matter. Not so when counters wait for the
 * samples. */
static void print_sample(const struct timing *timing, long long spent, long long calls)
{
    fprintf(timing->out, "sample %.12g %lld\n", (double)spent * 1e-9 / (double)calls,
            calls);
}

static void take_samples(struct timing *timing)
{
    const struct request *request = timing->request;

    timing->began_ns = now_ns();
    for (long long i = 0; i < request->samples; i++) {
        bool ended = barrier_wait(timing);

        if (ended && i == 0)
            print_sample(timing, timing->warm_ns, 1);
        if (ended)
            break;
        print_sample(timing, run_calls(timing, timing->calls), timing->calls);
        if (now_ns() - timing->began_ns > request->limit_ns)
            atomic_store(&timing->shared->over, 1);
    }
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

static const char *oddity(double value)
{
    switch (fpclassify(value)) {
    case FP_NAN:
        return "nan";
    case FP_INFINITE:
        return "inf";
    case FP_SUBNORMAL:
        return "denormal";
    default:
        return NULL;
    }
}

static const char *oddity_at(const struct inflight_array *array, const void *data,
                             size_t i)
{
    float single;

    if (array->bytes == 8)
        return oddity(((const double *)data)[i]);
    single = ((const float *)data)[i];
    return fpclassify(single) == FP_SUBNORMAL ? "denormal" : oddity((double)single);
}

static void report_drift(FILE *out, const struct inflight_array *array,
                         const struct buffer *buffer)
{
    size_t length = buffer->bytes / array->bytes, step = length / DRIFT_SAMPLES + 1;
    const char *odd = NULL;

    if (!array->is_written || array->kind != 'f')
        return;
    for (size_t i = 0; i < length && !odd; i += step)
        odd = oddity_at(array, buffer->data, i);
    if (odd)
        fprintf(out, "drift %s %s\n", array->name, odd);
}

int main(int argc, char **argv)
{
    struct request request = read_args(argc, argv, FOR_TIME);
    struct buffer *buffer = must_alloc(inflight_table.array_nr, sizeof(*buffer));
    struct timing timing = {.request = &request};
    size_t bytes = 0;

    limit_self(&request);
    timing.out = open_out(&request);
    timing.shared = open_barrier(&request);
    timing.data = buffers_fill(&request, buffer);
    if (request.stepped) {
        step_call(&request, timing.data);
        return 0;
    }
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        bytes += buffer[i].bytes;
    fprintf(timing.out, "buffers %zu\n", bytes);
    warm_up(&timing);
    fprintf(timing.out, "huge %lld\n", huge_bytes());
    pass_gate(&request, 'R');
    take_samples(&timing);
    pass_gate(&request, 'E');
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        report_drift(timing.out, &inflight_table.array[i], &buffer[i]);
    close_out(&request, timing.out);
    return 0;
}
