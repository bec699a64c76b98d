#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/machine/curves/rate_sets.h"
#include "core/machine/sampling/windows.h"
#include "core/machine/topology/arch.h"
#include "tests/check.h"

SUITE(machine_rates);

/* An array that ends where memory ends: touching a byte more is a fault. */
struct array {
    char *mapping, *at;
    size_t mapping_bytes, bytes;
};

enum { BEFORE = 64, GUARD = 0xa5 };

static struct array array_of(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (bytes + BEFORE + page - 1) / page * page;
    struct array array = {.mapping_bytes = used + page, .bytes = bytes};

    array.mapping = mmap(NULL, array.mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (array.mapping == MAP_FAILED || mprotect(array.mapping + used, page, PROT_NONE))
        abort();
    array.at = array.mapping + used - bytes;
    memset(array.mapping, GUARD, used);
    return array;
}

static void array_release(struct array *array)
{
    munmap(array->mapping, array->mapping_bytes);
}

static void fill_doubles(const struct array *array, double first)
{
    double *to = (double *)(void *)array->at;

    for (size_t i = 0; i < array->bytes / sizeof(double); i++)
        to[i] = first + (double)i;
}

static bool starts_untouched(const struct array *array)
{
    for (size_t i = 1; i <= BEFORE; i++)
        if ((unsigned char)array->at[-(ptrdiff_t)i] != GUARD)
            return false;
    return true;
}

static bool holds_value(const struct array *array)
{
    const uint64_t *word = (const uint64_t *)(const void *)array->at;

    for (size_t i = 0; i < array->bytes / sizeof(*word); i++)
        if (word[i] != ARCH_KERNEL_VALUE)
            return false;
    return true;
}

static const size_t sizes[] = {512, 1024, 1536, 4096, 12800};

static void check_reading(const struct arch_kernels *kernels, size_t bytes)
{
    struct array from = array_of(bytes);
    uint64_t before;

    fill_doubles(&from, 1);
    before = kernels->read(from.at, bytes);
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        from.at[i] ^= 4;
        if (!check(kernels->read(from.at, bytes) != before))
            fprintf(stderr, "%s does not read byte %zu of %zu\n", kernels->name, i,
                    bytes);
        from.at[i] ^= 4;
    }
    array_release(&from);
}

static void check_copying(const struct arch_kernels *kernels, size_t bytes)
{
    struct array from = array_of(bytes), to = array_of(bytes);

    fill_doubles(&from, 1);
    kernels->copy(to.at, from.at, bytes);
    check(memcmp(to.at, from.at, bytes) == 0);
    check(starts_untouched(&to));
    array_release(&from);
    array_release(&to);
}

static void check_triad(const struct arch_kernels *kernels, size_t bytes)
{
    struct array a = array_of(bytes), b = array_of(bytes), to = array_of(bytes);
    const double *result = (const double *)(const void *)to.at;

    fill_doubles(&a, 1);
    fill_doubles(&b, 1000);
    kernels->triad(to.at, a.at, b.at, bytes);
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        check(result[i] == 1 + (double)i + 3 * (1000 + (double)i));
    check(starts_untouched(&to));
    array_release(&a);
    array_release(&b);
    array_release(&to);
}

static void check_storing(void (*store)(void *, size_t), size_t bytes)
{
    struct array to = array_of(bytes);

    store(to.at, bytes);
    check(holds_value(&to));
    check(starts_untouched(&to));
    array_release(&to);
}

TEST("every kernel does what it says")
{
    for (size_t i = 0; i < arch_kernels_nr(); i++)
        for (size_t j = 0; j < ARRAY_SIZE(sizes); j++) {
            const struct arch_kernels *kernels = arch_kernels_at(i);

            check_reading(kernels, sizes[j]);
            check_copying(kernels, sizes[j]);
            check_triad(kernels, sizes[j]);
            if (kernels->write)
                check_storing(kernels->write, sizes[j]);
            if (kernels->nontemporal)
                check_storing(kernels->nontemporal, sizes[j]);
        }
}

TEST("the usual kernels are complete")
{
    const struct arch_kernels *usual = arch_kernels();

    check(usual == arch_kernels_at(0));
    check(usual->read && usual->copy && usual->write && usual->nontemporal &&
          usual->triad);
    for (size_t i = 1; i < arch_kernels_nr(); i++) {
        check(strcmp(arch_kernels_at(i)->name, usual->name) != 0);
        check(arch_kernels_at(i)->simd_bytes <= usual->simd_bytes);
    }
}

/* Counts per round: a multiply-add is two, a float is half a double. */
TEST("arithmetic is counted")
{
    for (size_t i = 0; i < arch_kernels_nr(); i++) {
        const struct arch_flops *d = arch_kernels_at(i)->flops_double;
        const struct arch_flops *s = arch_kernels_at(i)->flops_single;

        check_near(d[FLOPS_FMA].each, 2 * d[FLOPS_SIMD].each, 0);
        check_near(d[FLOPS_FMA].each,
                   d[FLOPS_SCALAR].each * arch_kernels_at(i)->simd_bytes / 8, 0);
        check_near(s[FLOPS_FMA].each, 2 * d[FLOPS_FMA].each, 0);
        check_near(s[FLOPS_SCALAR].each, d[FLOPS_SCALAR].each, 0);
        for (int kind = 0; kind < FLOPS_KINDS; kind++) {
            check(isfinite(d[kind].run(100000)));
            check(isnormal(s[kind].run(100000)));
        }
    }
}

TEST("members must run together")
{
    static const struct {
        struct window_part part[3];
        double total; /* NaN = they did not */
        bool alone;
    } cases[] = {
        {{{10, 5.000, false}, {20, 5.001, false}, {30, 5.000, false}}, 60, true},
        {{{10, 5.000, false}, {20, 5.000, true}, {30, 5.000, false}}, 60, false},
        {{{10, 5.000, false}, {20, 5.002, false}, {30, 5.000, false}}, NAN, true},
        {{{10, 5.002, false}, {20, 5.000, false}, {30, 5.0001, true}}, NAN, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        bool alone;
        double total = window_together(cases[i].part, 3, 0.0101, &alone);

        check(isnan(total) == isnan(cases[i].total));
        if (!isnan(total))
            check_near(total, cases[i].total, 1e-12);
        check_eq(alone, cases[i].alone);
    }
}

static void add_job(struct windows *windows, size_t contest, double best,
                    const double *sample, size_t nr)
{
    struct window_job *job;

    windows_add(windows, &(struct window_job){.contest = contest, .best = best});
    job = &windows->job[windows->job_nr - 1];
    for (size_t i = 0; i < nr; i++) {
        GROW(job->sample, job->sample_nr + 1, job->sample_alloc);
        job->sample[job->sample_nr++] = sample[i];
    }
}

TEST("the best median is the ceiling")
{
    static const double slow[] = {10, 10, 90}, fast[] = {19, 20, 21, 22, 18};
    struct windows windows = {0};
    const struct window_job *winner = NULL;
    struct quantity rate;

    add_job(&windows, 1, 90, slow, 3);
    add_job(&windows, 1, 22, fast, 5);
    add_job(&windows, 2, 500, fast, 5);
    add_job(&windows, 1, 80, slow, 2); /* too few of its own: no ceiling */
    rate = windows_rate(&windows, 1, &winner);
    check(winner == &windows.job[1]);
    check_near(rate.value, 20, 1e-12);
    check(rate.low <= 19 && rate.high >= 21 && rate.low > 18 && rate.high < 22);
    check_eq(rate.runs, 5);
    check(!windows_rate(&windows, 7, NULL).known);
    windows_release(&windows);
}

TEST("without windows of our own the end is open")
{
    static const double few[] = {30, 31};
    struct windows windows = {0};
    struct quantity rate;

    add_job(&windows, 0, 40, few, 2);
    add_job(&windows, 0, 50, NULL, 0);
    add_job(&windows, 1, 0, NULL, 0);
    rate = windows_rate(&windows, 0, NULL);
    check_near(rate.value, 50, 1e-12);
    check(isinf(rate.high));
    check(!windows_rate(&windows, 1, NULL).known);
    windows_release(&windows);
}

TEST("the best candidates stay")
{
    static const double best[] = {5, 9, 9, 1, 7};
    static const bool stays[] = {false, true, true, false, true};
    struct windows windows = {0};

    for (size_t i = 0; i < ARRAY_SIZE(best); i++)
        add_job(&windows, 3, best[i], NULL, 0);
    add_job(&windows, 4, 0.1, NULL, 0);
    windows_narrow(&windows, 3);
    for (size_t i = 0; i < ARRAY_SIZE(best); i++)
        check_eq(windows.job[i].dropped, !stays[i]);
    check(!windows.job[5].dropped); /* alone in its contest */
    windows_narrow(&windows, 1);    /* of equal ones the first */
    check(!windows.job[1].dropped && windows.job[2].dropped && windows.job[4].dropped);
    windows_release(&windows);
}

TEST("all cores draw at least what one draws")
{
    struct quantity one = quantity_between(10, 9, 11, 20, PROVENANCE_PROBE);
    struct quantity seen = quantity_between(8, 8, INFINITY, 0, PROVENANCE_PROBE);
    struct quantity more = quantity_between(12, 12, INFINITY, 0, PROVENANCE_PROBE);
    struct quantity measured = quantity_between(8, 7, 9, 20, PROVENANCE_PROBE);

    check_near(rate_at_least(seen, one).value, 10, 0);
    check_near(rate_at_least(quantity_unknown(), one).low, 9, 0);
    check(isinf(rate_at_least(quantity_unknown(), one).high));
    check_near(rate_at_least(more, one).value, 12, 0);
    check_near(rate_at_least(measured, one).value, 8, 0); /* it was measured */
    check(!rate_at_least(quantity_unknown(), quantity_unknown()).known);
}

enum { KIB = 1024, MIB = 1024 * 1024 };

TEST("sets fit their level")
{
    static const struct {
        struct machine_level level[3];
        int cores;
        size_t want[3];
    } cases[] = {
        /* measured sizes */
        {{{.effective_bytes = 32 * KIB},
          {.effective_bytes = 1 * MIB},
          {.effective_bytes = 16 * MIB}},
         2,
         {24 * KIB, 512 * KIB, 8 * MIB}},
        /* claimed ones are shared by the cores that are here */
        {{{.claimed_bytes = 32 * KIB, .cores_sharing = 1},
          {.claimed_bytes = 1 * MIB, .cores_sharing = 1},
          {.claimed_bytes = 32 * MIB, .cores_sharing = 8}},
         2,
         {24 * KIB, 512 * KIB, 8 * MIB}},
        /* a last level hardly larger than the one above; one that is not */
        {{{.effective_bytes = 32 * KIB},
          {.effective_bytes = 1 * MIB},
          {.effective_bytes = 1.5 * MIB}},
         2,
         {24 * KIB, 512 * KIB, 1.25 * MIB}},
        {{{.effective_bytes = 32 * KIB},
          {.effective_bytes = 2 * MIB},
          {.effective_bytes = 2 * MIB}},
         2,
         {24 * KIB, 1 * MIB, 0}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = {.cores = cases[i].cores, .level_nr = 3};

        memcpy(machine.level, cases[i].level, sizeof(cases[i].level));
        for (int level = 0; level < 3; level++)
            check_eq(rate_level_bytes(&machine, level), cases[i].want[level]);
    }
}

/* A set for a level that nobody has measured could be memory's: there is none. */
TEST("an unknown level has no set")
{
    char probed[] = "cpu=Test CPU";
    struct machine machine = {
        .fingerprint = probed,
        .cores = 2,
        .level_nr = 3,
        .level = {{.effective_bytes = 32 * KIB},
                  {.effective_bytes = 1 * MIB},
                  {.claimed_bytes = 260 * MIB, .cores_sharing = 2}}};

    check_eq(rate_level_bytes(&machine, 1), 512 * KIB);
    check_eq(rate_level_bytes(&machine, 2), 0);
    check_eq(rate_memory_bytes(&machine, 2, 0), (size_t)520 * MIB);
    /* more is proven than is claimed: memory begins beyond that */
    machine.level[2].claimed_bytes = 16 * MIB;
    machine.level[2].effective_bytes = machine.level[2].effective_low_bytes = 32 * MIB;
    check_eq(rate_level_bytes(&machine, 2), 16 * MIB);
    check_eq(rate_memory_bytes(&machine, 2, 0), 128 * MIB);
}

TEST("memory sets respect the machine")
{
    const double gib = 1024.0 * MIB;
    const struct {
        double last_bytes;
        int sharing;
        size_t cores;
        double available;
        size_t want; /* of each core */
    } cases[] = {
        {32.0 * MIB, 8, 1, 24 * gib, 128 * MIB}, /* it has the level for itself */
        {32.0 * MIB, 8, 2, 24 * gib, 64 * MIB},
        {32.0 * MIB, 8, 2, 0, 64 * MIB}, /* memory not known */
        {32.0 * MIB, 8, 256, 512 * gib, 64 * MIB},
        {32.0 * MIB, 8, 256, 16 * gib, 16 * MIB},   /* a quarter of it together */
        {32.0 * MIB, 8, 256, 2 * gib, 0},           /* too small to be memory */
        {480.0 * MIB, 128, 2, 24 * gib, 960 * MIB}, /* of the host */
        {480.0 * MIB, 128, 2, 2 * gib, 0},
        {0, 1, 4, 0, 64 * MIB},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = {.cores = (int)cases[i].cores, .level_nr = 1};

        machine.level[0] = (struct machine_level){.claimed_bytes = cases[i].last_bytes,
                                                  .cores_sharing = cases[i].sharing};
        if (!check_eq(rate_memory_bytes(&machine, cases[i].cores, cases[i].available),
                      cases[i].want))
            fprintf(stderr, "case %zu\n", i);
    }
}

TEST("what was wanted is measured")
{
    struct rate_set set[2] = {{.bytes = 24 * KIB,
                               .kinds = 1 << RATE_TRIAD | 1 << RATE_RANDOM,
                               .cached = true,
                               .random_bytes = 128},
                              {.bytes = 1 * MIB, .kinds = 1 << RATE_READ}};
    struct rate_plan plan = {.cores = 1, .set = set, .set_nr = 2, .rounds = 3};
    struct topology topology = {0};
    struct error err = {0};

    if (!check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    if (check_ok(rates_measure(&topology, &plan, &err), &err)) {
        check(set[0].rates.triad_gbs.known && set[0].winner[RATE_TRIAD] != NULL);
        check(set[0].rates.random_lines_per_s.known);
        check(!set[0].rates.read_gbs.known && !set[0].winner[RATE_READ]);
        check(set[1].rates.read_gbs.known && set[1].rates.read_gbs.value > 0);
        check(!set[1].rates.random_lines_per_s.known);
    }
    topology_release(&topology);
}

TEST("one loop alone can be asked for")
{
    struct topology topology = {0};
    struct error err = {0};

    if (!check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    for (size_t i = 0; i < arch_kernels_nr(); i++) {
        const char *only[RATE_KINDS] = {[RATE_READ] = arch_kernels_at(i)->name};
        struct rate_set set = {.bytes = 1 * MIB, .kinds = 1 << RATE_READ, .only = only};
        struct rate_plan plan = {.cores = 1, .set = &set, .set_nr = 1, .rounds = 1};

        if (check_ok(rates_measure(&topology, &plan, &err), &err))
            check_str(set.winner[RATE_READ], only[RATE_READ]);
    }
    topology_release(&topology);
}

/* A member's calls, in order. */
struct calls {
    size_t settled, bursts, out_of_order;
};

static void count_settle(void *own, const void *what)
{
    struct calls *calls = own;

    (void)what;
    calls->settled++;
}

static double count_burst(void *own, const void *what)
{
    struct calls *calls = own;

    calls->out_of_order += calls->settled == 0;
    calls->bursts++;
    return *(const double *)what;
}

static void run_counted(struct team_member *member)
{
    struct calls calls = {0};

    windows_run(member->task, member, &calls);
    check_eq(calls.out_of_order, 0);
    check(calls.bursts > calls.settled);
}

/* Two loops of the same speed, one of which does a thousand times as much. */
TEST("windows find the faster loop")
{
    static const double little = 1, much = 1000;
    struct windows windows = {.rounds = 5};
    const struct window_job *winner = NULL;
    struct topology topology = {0};
    struct error err = {0};
    struct window_job job = {
        .burst = count_burst, .settle = count_settle, .window_s = 1e-4};

    job.what = &little;
    windows_add(&windows, &job);
    job.what = &much;
    windows_add(&windows, &job);
    if (check_ok(topology_load(NULL, &topology, &err), &err) &&
        check_ok(team_run(&topology, 1, run_counted, &windows, &err), &err)) {
        check(windows_rate(&windows, 0, &winner).known);
        check(winner == &windows.job[1]);
        check_eq(windows.round, 5);
    }
    topology_release(&topology);
    windows_release(&windows);
}
