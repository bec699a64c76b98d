#include "core/machine/curves/rate_sets.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/machine/sampling/pointer_chase.h"
#include "core/machine/sampling/windows.h"
#include "core/machine/topology/arch.h"
#include "core/machine/topology/memory.h"
#include "core/process/term.h"

/* Arrays start some lines apart: at the same offset in their pages (and in the banks of
 * the memory) they get in each other's way. The one that is written comes first, so that
 * no load is soon after a store to the same offset of another page. */
enum { SKEW_BYTES = 256, BURST_BYTES = 256 << 10, SMALL_BURST_BYTES = 1 << 20 };

/* What a job does: one kind on one set, with one candidate. */
struct rate_job {
    size_t set;
    enum rate_kind kind;
    const struct arch_kernels *kernels;
    int chains; /* RATE_RANDOM */
};

struct rate_task {
    const struct rate_plan *plan;
    struct windows streams, random;
    struct rate_job *job;
    size_t job_nr;
    atomic_bool failed;
    struct error err;
};

/* One member's memory. */
struct own {
    const struct rate_plan *plan;
    char *base[RATE_SETS_MAX];
    size_t at[RATE_SETS_MAX];
    struct chase chase[RATE_SETS_MAX];
    size_t warm; /* the set that is in its cache; set_nr = none */
};

static const int chain_choices[] = {8, 12, 16, 20, 24, 32, 40};

struct quantity *rate_of_kind(struct machine_rates *rates, enum rate_kind kind)
{
    struct quantity *const of[RATE_KINDS] = {
        [RATE_READ] = &rates->read_gbs,
        [RATE_WRITE] = &rates->write_gbs,
        [RATE_COPY] = &rates->copy_gbs,
        [RATE_TRIAD] = &rates->triad_gbs,
        [RATE_NONTEMPORAL] = &rates->nontemporal_gbs,
        [RATE_RANDOM] = &rates->random_lines_per_s,
    };

    return of[kind];
}

static size_t arrays_of(enum rate_kind kind)
{
    return kind == RATE_TRIAD ? 3 : kind == RATE_COPY ? 2 : 1;
}

static size_t array_bytes(const struct rate_set *set, enum rate_kind kind)
{
    return set->bytes / arrays_of(kind) / ARCH_KERNEL_BYTES * ARCH_KERNEL_BYTES;
}

/* Equal pieces of an array, as large as a burst. */
static size_t unit_bytes(size_t array)
{
    size_t pieces = (array + BURST_BYTES - 1) / BURST_BYTES;

    return array / pieces / ARCH_KERNEL_BYTES * ARCH_KERNEL_BYTES;
}

static volatile uint64_t rate_sink;

static void run_kernel(const struct rate_job *job, char *to, size_t array, size_t bytes)
{
    const struct arch_kernels *kernels = job->kernels;
    const char *a = to + array + SKEW_BYTES, *b = a + array + SKEW_BYTES;

    switch (job->kind) {
    case RATE_READ:
        rate_sink += kernels->read(to, bytes);
        break;
    case RATE_WRITE:
        kernels->write(to, bytes);
        break;
    case RATE_COPY:
        kernels->copy(to, a, bytes);
        break;
    case RATE_TRIAD:
        kernels->triad(to, a, b, bytes);
        break;
    default:
        kernels->nontemporal(to, bytes);
    }
}

/* Returns GB. Reading the clock after a burst must not count: small sets have more passes
 * in it. */
static double burst(void *member, const void *what)
{
    const struct rate_job *job = what;
    struct own *own = member;
    const struct rate_set *set = &own->plan->set[job->set];
    size_t array = array_bytes(set, job->kind), unit = unit_bytes(array), moved = 0;
    size_t enough = unit < BURST_BYTES / 2 ? SMALL_BURST_BYTES : unit;

    for (; moved < enough; moved += unit) {
        if (own->at[job->set] + unit > array)
            own->at[job->set] = 0;
        run_kernel(job, own->base[job->set] + own->at[job->set], array, unit);
        own->at[job->set] += unit;
    }
    return 1e-9 * (double)(moved * arrays_of(job->kind));
}

static double pass_s(const struct rate_set *set, const char *base)
{
    double start = clock_s();

    rate_sink += arch_kernels()->read(base, array_bytes(set, RATE_READ));
    return clock_s() - start;
}

/* A shared victim cache takes many passes to learn lines (see chase_warm). */
static void warm(const struct rate_set *set, const char *base)
{
    const int passes_max = 20;
    double best = pass_s(set, base);

    for (int i = 0, vain = 0; i < passes_max && vain < 3; i++) {
        double took = pass_s(set, base);

        vain = took > 0.97 * best ? vain + 1 : 0;
        best = fmin(best, took);
    }
}

/* A cached set comes back into its cache after another set, and then goes through what
 * the job does once: stores leave lines in another state than loads, and non-temporal
 * ones leave nothing. */
static void settle(void *member, const void *what)
{
    const struct rate_job *job = what;
    struct own *own = member;
    const struct rate_set *set = &own->plan->set[job->set];
    double passed = 0;

    if (!set->cached)
        return;
    if (own->warm != job->set)
        warm(set, own->base[job->set]);
    own->warm = job->set;
    while (passed < 1e-9 * (double)set->bytes)
        passed += burst(own, what);
}

/* Returns lines. Some 10 us, from a cache as from memory. */
static double random_burst(void *member, const void *what)
{
    const struct rate_job *job = what;
    struct own *own = member;
    const size_t steps = own->plan->set[job->set].cached ? 4096 : 128;

    chase_run(&own->chase[job->set], job->chains, steps);
    return (double)steps * job->chains;
}

static void random_settle(void *member, const void *what)
{
    const struct rate_job *job = what;
    struct own *own = member;

    if (own->plan->set[job->set].cached && own->warm != job->set)
        chase_warm(&own->chase[job->set]);
    own->warm = job->set;
}

static size_t contest_of(size_t set, enum rate_kind kind)
{
    return set * RATE_KINDS + kind;
}

static bool has_kernel(const struct rate_set *set, const struct arch_kernels *kernels,
                       enum rate_kind kind)
{
    if (set->only && strcmp(set->only[kind], kernels->name) != 0)
        return false;
    if (kind == RATE_WRITE)
        return kernels->write;
    return kind != RATE_NONTEMPORAL || (kernels->nontemporal && kernels->has_nontemporal);
}

static double window_s(const struct rate_set *set)
{
    return set->cached ? 2e-3 : 5e-3;
}

static void add_stream(struct rate_task *task, size_t set, enum rate_kind kind)
{
    for (size_t i = 0; i < arch_kernels_nr(); i++) {
        const struct arch_kernels *kernels = arch_kernels_at(i);

        if (!has_kernel(&task->plan->set[set], kernels, kind))
            continue;
        task->job[task->job_nr] =
            (struct rate_job){.set = set, .kind = kind, .kernels = kernels};
        windows_add(&task->streams,
                    &(struct window_job){.burst = burst,
                                         .settle = settle,
                                         .what = &task->job[task->job_nr++],
                                         .contest = contest_of(set, kind),
                                         .window_s = window_s(&task->plan->set[set])});
    }
}

static void add_random(struct rate_task *task, size_t set)
{
    for (size_t i = 0; i < ARRAY_SIZE(chain_choices); i++) {
        task->job[task->job_nr] = (struct rate_job){
            .set = set, .kind = RATE_RANDOM, .chains = chain_choices[i]};
        windows_add(&task->random,
                    &(struct window_job){.burst = random_burst,
                                         .settle = random_settle,
                                         .what = &task->job[task->job_nr++],
                                         .contest = contest_of(set, RATE_RANDOM),
                                         .window_s = window_s(&task->plan->set[set])});
    }
}

static void add_jobs(struct rate_task *task)
{
    const struct rate_plan *plan = task->plan;

    task->job = xcalloc(plan->set_nr *
                            (RATE_RANDOM * arch_kernels_nr() + ARRAY_SIZE(chain_choices)),
                        sizeof(*task->job));
    for (size_t set = 0; set < plan->set_nr; set++) {
        for (enum rate_kind kind = 0; kind < RATE_RANDOM; kind++)
            if (plan->set[set].kinds >> kind & 1)
                add_stream(task, set, kind);
        if (plan->set[set].kinds >> RATE_RANDOM & 1)
            add_random(task, set);
    }
}

/* With room for the skew, each in huge pages of its own. */
static size_t room_of(const struct rate_set *set)
{
    size_t bytes = set->bytes + 3 * SKEW_BYTES;

    return (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
}

static void place_sets(struct own *own, char *base)
{
    for (size_t i = 0; i < own->plan->set_nr; i++) {
        own->base[i] = base;
        base += room_of(&own->plan->set[i]);
    }
    own->warm = own->plan->set_nr;
}

static void build_chases(struct own *own)
{
    for (size_t i = 0; i < own->plan->set_nr; i++) {
        const struct rate_set *set = &own->plan->set[i];

        if (set->kinds >> RATE_RANDOM & 1)
            chase_build(&own->chase[i], &(struct chase_plan){.base = own->base[i],
                                                             .bytes = set->bytes,
                                                             .spacing = set->random_bytes,
                                                             .order = CHASE_BLOCK_LOCAL,
                                                             .seed = i + 1});
    }
    own->warm = own->plan->set_nr;
}

static void work(struct team_member *member)
{
    struct rate_task *task = member->task;
    struct own *own = xcalloc(1, sizeof(*own));
    struct region region = {0};
    size_t bytes = 0;

    own->plan = task->plan;
    for (size_t i = 0; i < own->plan->set_nr; i++)
        bytes += room_of(&own->plan->set[i]);
    if (region_map(&region, bytes, true, member->index == 0 ? &task->err : NULL))
        atomic_store(&task->failed, true);
    team_wait(member);
    if (!atomic_load(&task->failed)) {
        arch_kernels()->write(region.base, region.bytes);
        place_sets(own, region.base);
        windows_run(&task->streams, member, own);
        if (task->random.job_nr)
            build_chases(own);
        windows_run(&task->random, member, own);
    }
    region_release(&region);
    free(own);
}

static void fill_set(const struct rate_task *task, size_t index)
{
    struct rate_set *set = &task->plan->set[index];

    for (enum rate_kind kind = 0; kind < RATE_KINDS; kind++) {
        const struct windows *windows =
            kind == RATE_RANDOM ? &task->random : &task->streams;
        const struct window_job *winner = NULL;

        *rate_of_kind(&set->rates, kind) =
            windows_rate(windows, contest_of(index, kind), &winner);
        if (winner && kind != RATE_RANDOM)
            set->winner[kind] = ((const struct rate_job *)winner->what)->kernels->name;
    }
}

int rates_measure(const struct topology *topology, const struct rate_plan *plan,
                  struct error *err)
{
    struct rate_task task = {.plan = plan};
    double now = clock_s();
    int result = -1;

    assert(plan->set_nr <= RATE_SETS_MAX);
    add_jobs(&task);
    task.streams.rounds = task.random.rounds = plan->rounds;
    task.streams.end_s = now + (task.random.job_nr ? 0.75 : 1) * plan->seconds;
    task.random.end_s = now + plan->seconds;
    task.streams.stop_s = task.random.stop_s = plan->stop_s;
    if (team_run(topology, plan->cores, work, &task, err))
        goto out;
    if (atomic_load(&task.failed)) {
        fail(err, STATUS_MISSING, "%s",
             task.err.text[0] ? task.err.text : "not enough memory to load all cores");
        goto out;
    }
    for (size_t i = 0; i < plan->set_nr; i++)
        fill_set(&task, i);
    result = 0;
out:
    windows_release(&task.streams);
    windows_release(&task.random);
    free(task.job);
    return result;
}

/* Three quarters of the first level, so that loops are long; half of the others, or
 * twice the level above. Where that is too much for a last level that is small beside
 * the one above it (and then holds other lines than that one), half way between. */
size_t rate_level_bytes(const struct machine *machine, int level)
{
    double size = machine_share_guess_bytes(machine, level), above, bytes;

    if (level == 0)
        return (size_t)(0.75 * size) / 4096 * 4096;
    above = machine_share_guess_bytes(machine, level - 1);
    if (size <= 1.2 * above)
        return 0;
    bytes = fmax(size / 2, 2 * above);
    if (bytes > 0.9 * size)
        bytes = (above + size) / 2;
    return (size_t)bytes / 4096 * 4096;
}

/* Four times the share of the last level, at least 64 MiB; twice is still beyond it. */
size_t rate_memory_bytes(const struct machine *machine, size_t cores, double available)
{
    double share = 0, bytes = 64 << 20;

    if (machine->level_nr) {
        int last = machine->level_nr - 1;

        share = machine_share_max_bytes(machine, last) *
                machine_level_users(machine, last) /
                fmin(machine->level[last].cores_sharing, (double)cores);
    }
    bytes = fmax(bytes, 4 * share);
    if (available > 0)
        bytes = fmin(bytes, available / 4 / (double)cores);
    return bytes < 2 * share || bytes < 2 * HUGE_PAGE_BYTES
               ? 0
               : (size_t)bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
}

struct quantity rate_at_least(struct quantity all, struct quantity one)
{
    if (!one.known || (all.known && (!isinf(all.high) || all.value >= one.value)))
        return all;
    return quantity_between(one.value, one.low, INFINITY, one.runs, one.provenance);
}
