/* The command line and what a program does to itself before it touches memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "program.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_ARGUMENTS = 2, EXIT_MEMORY = 3, EXIT_DIFFERENT = 4 };
enum { FOR_TIME = 1, FOR_TRACE = 2, FOR_VERIFY = 4, FOR_ARENA = 8, FOR_ALL = 15 };

#define UNUSED_IN_SOME __attribute__((unused)) /* programs, that is */

/* One array as asked for: `--buffer NAME=LENGTH:CONTENTS`; with rows NAME=LENGTH/3/5:...
 */
struct asked {
    size_t length;
    size_t extent[LEVELS_MAX]; /* with rows: elements of each level */
    bool is_folded;            /* each row begins in the last element of the one before */
    const char *contents;      /* "uniform(0,1)" */
    size_t host, shift; /* not 0: it lies in the memory of array host - 1, `shift` of
                           its elements behind the first byte */
};

/* One set of sizes. */
struct sizes {
    long long *integer; /* one per scalar of the table */
    double *real;
    struct asked *array; /* one per array of the table */
};

struct request {
    struct sizes *sizes; /* more than one with --next */
    size_t sizes_nr;
    unsigned long long seed;
    bool huge_pages;
    const char *cpu, *out, *background;
    bool cold_data, cold_code; /* when a sample begins */
    unsigned long long memory_bytes;
    long long copies, index, samples, sample_min_ns, limit_ns;
    const char *barrier;
    double stop_at_ns, stop_ratio; /* slower calls need not be sampled to the end; 0 = no
                                      such limit. The ratio: of the second of two in turn
                                      over the first */
    int gate_in, gate_out;         /* -1 = none */
    int commands_in, commands_out; /* of an arena; -1 = none */
    const char *geometry, *total, *budget;
    double relative_double, relative_float, absolute;
    const char *kept;
    bool full_precision, against_itself, reference_only, stepped;
};

struct option {
    const char *name;
    int programs; /* FOR_... */
    bool has_value;
    void (*read)(struct request *request, const char *name, const char *value);
};

__attribute__((noreturn, format(printf, 2, 3))) static void stop(int status,
                                                                 const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(status);
}

static void *must_alloc(size_t nr, size_t bytes)
{
    void *memory = calloc(nr ? nr : 1, bytes);

    if (!memory)
        stop(EXIT_MEMORY, "not enough memory for %zu bytes", nr * bytes);
    return memory;
}

static long long read_integer(const char *name, const char *value)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(value, &end, 10);
    if (end == value || *end || errno)
        stop(EXIT_ARGUMENTS, "%s: '%s' is not an integer", name, value);
    return number;
}

static double read_real(const char *name, const char *value)
{
    char *end;
    double number = strtod(value, &end);

    end += strspn(end, "fFlL"); /* as in C */
    if (end == value || *end)
        stop(EXIT_ARGUMENTS, "%s: '%s' is not a number", name, value);
    return number;
}

/* Where the value of "NAME=value" begins. */
static const char *split_named(const char *option, const char *text)
{
    const char *equals = strchr(text, '=');

    if (!equals)
        stop(EXIT_ARGUMENTS, "%s: expected NAME=..., got '%s'", option, text);
    return equals + 1;
}

static bool is_named(const char *text, const char *name)
{
    size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && text[length] == '=';
}

static void read_set(struct request *request, const char *name, const char *value)
{
    struct sizes *sizes = &request->sizes[request->sizes_nr - 1];
    const char *number = split_named(name, value);

    for (size_t i = 0; i < inflight_table.scalar_nr; i++) {
        if (!is_named(value, inflight_table.scalar[i].name))
            continue;
        if (inflight_table.scalar[i].kind == 'i')
            sizes->integer[i] = read_integer(name, number);
        else
            sizes->real[i] = read_real(name, number);
        return;
    }
    stop(EXIT_ARGUMENTS, "%s: the kernel has no scalar parameter in '%s'", name, value);
}

static size_t find_array(const char *option, const char *text)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (is_named(text, inflight_table.array[i].name))
            return i;
    stop(EXIT_ARGUMENTS, "%s: the kernel has no array in '%s'", option, text);
}

static void read_buffer(struct request *request, const char *name, const char *value)
{
    struct sizes *sizes = &request->sizes[request->sizes_nr - 1];
    const char *text = split_named(name, value);
    struct asked *asked = &sizes->array[find_array(name, value)];
    char *colon;

    asked->length = strtoull(text, &colon, 10);
    for (size_t k = 0; *colon == '/' && k < LEVELS_MAX; k++)
        asked->extent[k] = strtoull(colon + 1, &colon, 10);
    if (colon == text || *colon != ':')
        stop(EXIT_ARGUMENTS, "%s: expected NAME=LENGTH:CONTENTS, got '%s'", name, value);
    asked->contents = colon + 1;
}

/* Another set of sizes; what it does not say stays as in the one before. */
static void add_sizes(struct request *request)
{
    size_t scalars = inflight_table.scalar_nr, arrays = inflight_table.array_nr;
    size_t bytes = (request->sizes_nr + 1) * sizeof(*request->sizes);
    struct sizes *last, *sizes;

    request->sizes = realloc(request->sizes, bytes);
    if (!request->sizes)
        stop(EXIT_MEMORY, "not enough memory for %zu bytes", bytes);
    sizes = &request->sizes[request->sizes_nr++];
    sizes->integer = must_alloc(scalars, sizeof(*sizes->integer));
    sizes->real = must_alloc(scalars, sizeof(*sizes->real));
    sizes->array = must_alloc(arrays, sizeof(*sizes->array));
    if (request->sizes_nr == 1)
        return;
    last = sizes - 1;
    memcpy(sizes->integer, last->integer, scalars * sizeof(*sizes->integer));
    memcpy(sizes->real, last->real, scalars * sizeof(*sizes->real));
    memcpy(sizes->array, last->array, arrays * sizeof(*sizes->array));
    for (size_t i = 0; i < arrays; i++)
        sizes->array[i].host = sizes->array[i].shift = sizes->array[i].is_folded = 0;
}

/* "b=a=1" */
static void read_overlap(struct request *request, const char *name, const char *value)
{
    const char *host = split_named(name, value), *shift = split_named(name, host);
    struct asked *guest =
        &request->sizes[request->sizes_nr - 1].array[find_array(name, value)];

    guest->host = find_array(name, host) + 1;
    guest->shift = (size_t)read_integer(name, shift);
}

static void read_fold(struct request *request, const char *name, const char *value)
{
    size_t room = strlen(value) + sizeof("=");
    char *text = must_alloc(room, 1);

    snprintf(text, room, "%s=", value);
    request->sizes[request->sizes_nr - 1].array[find_array(name, text)].is_folded = true;
    free(text);
}

static void read_next(struct request *request, const char *name, const char *value)
{
    (void)name;
    (void)value;
    add_sizes(request);
}

static void read_pages(struct request *request, const char *name, const char *value)
{
    request->huge_pages = strcmp(value, "huge") == 0;
    if (!request->huge_pages && strcmp(value, "small") != 0)
        stop(EXIT_ARGUMENTS, "%s: expected small or huge, got '%s'", name, value);
}

static void read_start(struct request *request, const char *name, const char *value)
{
    request->cold_data = !strcmp(value, "cold-data") || !strcmp(value, "cold");
    request->cold_code = !strcmp(value, "cold-code") || !strcmp(value, "cold");
    if (!request->cold_data && !request->cold_code && strcmp(value, "warm") != 0)
        stop(EXIT_ARGUMENTS, "%s: expected warm, cold-data, cold-code or cold, got '%s'",
             name, value);
}

static void read_gate(struct request *request, const char *name, const char *value)
{
    if (sscanf(value, "%d,%d", &request->gate_in, &request->gate_out) != 2)
        stop(EXIT_ARGUMENTS, "%s: expected IN,OUT, got '%s'", name, value);
}

static void read_commands(struct request *request, const char *name, const char *value)
{
    if (sscanf(value, "%d,%d", &request->commands_in, &request->commands_out) != 2)
        stop(EXIT_ARGUMENTS, "%s: expected IN,OUT, got '%s'", name, value);
}

/* The options that only store a value: READ(function, member, conversion). */
#define READ(function, member, conversion)                                               \
    static void function(struct request *request, const char *name, const char *value)   \
    {                                                                                    \
        (void)name;                                                                      \
        (void)value;                                                                     \
        request->member = conversion;                                                    \
    }
#define INTEGER (read_integer(name, value))
#define WHOLE   ((unsigned long long)read_integer(name, value))
#define REAL    (read_real(name, value))
READ(read_seed, seed, WHOLE)
READ(read_cpu, cpu, value)
READ(read_memory, memory_bytes, WHOLE)
READ(read_out, out, value)
READ(read_background, background, value)
READ(read_copies, copies, INTEGER)
READ(read_index, index, INTEGER)
READ(read_barrier, barrier, value)
READ(read_samples, samples, INTEGER)
READ(read_sample_min, sample_min_ns, INTEGER)
READ(read_limit, limit_ns, INTEGER)
READ(read_stop_at, stop_at_ns, REAL)
READ(read_geometry, geometry, value)
READ(read_total, total, value)
READ(read_budget, budget, value)
READ(read_relative_double, relative_double, REAL)
READ(read_relative_float, relative_float, REAL)
READ(read_absolute, absolute, REAL)
READ(read_kept, kept, value)
READ(read_full_precision, full_precision, true)
READ(read_against_itself, against_itself, true)
READ(read_reference_only, reference_only, true)
READ(read_stepped, stepped, true)

static const struct option options[] = {
    {"--set", FOR_ALL, true, read_set},
    {"--buffer", FOR_ALL, true, read_buffer},
    {"--seed", FOR_ALL, true, read_seed},
    {"--pages", FOR_ALL, true, read_pages},
    {"--cpu", FOR_ALL, true, read_cpu},
    {"--memory", FOR_ALL, true, read_memory},
    {"--out", FOR_ALL, true, read_out},
    {"--copies", FOR_TIME, true, read_copies},
    {"--index", FOR_TIME, true, read_index},
    {"--barrier", FOR_TIME, true, read_barrier},
    {"--samples", FOR_TIME, true, read_samples},
    {"--sample-min-ns", FOR_TIME, true, read_sample_min},
    {"--limit-ns", FOR_TIME, true, read_limit},
    {"--gate", FOR_TIME, true, read_gate},
    {"--start", FOR_TIME, true, read_start},
    {"--background", FOR_TIME, true, read_background},
    {"--commands", FOR_ARENA, true, read_commands},
    {"--stop-at-ns", FOR_TIME, true, read_stop_at},
    {"--stepped", FOR_TIME, false, read_stepped},
    {"--geometry", FOR_TRACE, true, read_geometry},
    {"--total", FOR_TRACE, true, read_total},
    {"--budget", FOR_TRACE, true, read_budget},
    {"--relative-double", FOR_VERIFY, true, read_relative_double},
    {"--relative-float", FOR_VERIFY, true, read_relative_float},
    {"--absolute", FOR_VERIFY, true, read_absolute},
    {"--kept", FOR_VERIFY, true, read_kept},
    {"--full-precision", FOR_VERIFY, false, read_full_precision},
    {"--against-itself", FOR_VERIFY, false, read_against_itself},
    {"--reference-only", FOR_VERIFY, false, read_reference_only},
    {"--next", FOR_VERIFY, false, read_next},
    {"--overlap", FOR_VERIFY, true, read_overlap},
    {"--fold", FOR_VERIFY, true, read_fold},
};

static const struct option *find_option(const char *name, int program)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (options[i].programs & program && strcmp(options[i].name, name) == 0)
            return &options[i];
    stop(EXIT_ARGUMENTS, "unknown argument '%s'", name);
}

static void check_request(const struct request *request)
{
    for (size_t k = 0; k < request->sizes_nr && !request->background; k++)
        for (size_t i = 0; i < inflight_table.array_nr; i++)
            if (!request->sizes[k].array[i].contents)
                stop(EXIT_ARGUMENTS, "no --buffer for array '%s'",
                     inflight_table.array[i].name);
    if (!request->out && request->commands_in < 0)
        stop(EXIT_ARGUMENTS, "no --out");
    if (request->copies < 1 || request->index < 0 || request->index >= request->copies ||
        (request->copies > 1 && !request->barrier))
        stop(EXIT_ARGUMENTS, "--copies, --index and --barrier do not fit together");
}

static struct request read_args(int argc, char **argv, int program)
{
    struct request request = {.seed = 1,
                              .copies = 1,
                              .samples = 5,
                              .sample_min_ns = 1000000,
                              .limit_ns = LLONG_MAX,
                              .gate_in = -1,
                              .gate_out = -1,
                              .commands_in = -1,
                              .commands_out = -1,
                              .geometry = "",
                              .total = "0",
                              .budget = "0"};

    add_sizes(&request);
    for (int i = 1; i < argc; i++) {
        const struct option *option = find_option(argv[i], program);

        if (option->has_value && i + 1 == argc)
            stop(EXIT_ARGUMENTS, "%s: no value", argv[i]);
        option->read(&request, option->name, option->has_value ? argv[++i] : NULL);
    }
    check_request(&request);
    return request;
}

static void pin(const char *list)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (const char *at = list; *at; at += *at == ',') {
        char *end;
        unsigned long cpu = strtoul(at, &end, 10);

        if (end == at || (*end && *end != ',') || cpu >= CPU_SETSIZE)
            stop(EXIT_ARGUMENTS, "--cpu: expected numbers with commas, got '%s'", list);
        CPU_SET(cpu, &set);
        at = end;
    }
    if (sched_setaffinity(0, sizeof(set), &set))
        stop(EXIT_ARGUMENTS, "--cpu %s: %s", list, strerror(errno));
}

/*
 * Few kernels look at what malloc gives. An access next to address 0 when an eighth of
 * the allowed address space is no longer to be had is a want of memory.
 */
enum { NEAR_NULL_BYTES = 1 << 16 };
static size_t memory_allowed;

static void stop_if_out_of_memory(const void *address)
{
    static const char sentence[] = "the kernel has used up the memory it may have\n";

    if (memory_allowed == 0 || (size_t)address >= NEAR_NULL_BYTES ||
        mmap(NULL, memory_allowed / 8, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
            MAP_FAILED)
        return;
    if (write(2, sentence, sizeof(sentence) - 1) < 0)
        _exit(EXIT_MEMORY);
    _exit(EXIT_MEMORY);
}

/* Otherwise the access is repeated and ends the program. */
static void on_want(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    stop_if_out_of_memory(info->si_addr);
}

static void watch_for_want(size_t bytes)
{
    struct sigaction action = {.sa_sigaction = on_want,
                               .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};

    memory_allowed = bytes;
    sigaction(SIGSEGV, &action, NULL);
}

static void limit_self(const struct request *request)
{
    struct rlimit none = {0, 0};
    struct rlimit space = {request->memory_bytes, request->memory_bytes};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
#if defined(INFLIGHT_ADDRESS) || defined(INFLIGHT_THREADS)
    space.rlim_cur = RLIM_INFINITY; /* sanitizers map far more than they use */
#endif
    if (request->memory_bytes && space.rlim_cur != RLIM_INFINITY) {
        setrlimit(RLIMIT_AS, &space);
        watch_for_want(request->memory_bytes);
    }
    if (request->cpu)
        pin(request->cpu);
}

UNUSED_IN_SOME static FILE *open_out(const char *path)
{
    FILE *out = fopen(path, "w");

    if (!out)
        stop(EXIT_ARGUMENTS, "cannot write '%s': %s", path, strerror(errno));
    return out;
}

UNUSED_IN_SOME static void close_out(const char *path, FILE *out)
{
    fputs("done\n", out);
    if (ferror(out) | fclose(out))
        stop(1, "cannot write '%s': %s", path, strerror(errno));
}
