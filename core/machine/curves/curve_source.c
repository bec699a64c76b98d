#include "core/machine/curves/curve_source.h"

#include <math.h>
#include <stdlib.h>

#include "core/machine/sampling/load.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/topology/arch.h"
#include "core/machine/topology/team.h"
#include "core/process/term.h"

/* Bursts without pauses are long; with pauses they shrink, so that a pause is of the
 * order of a microsecond and many of them lie in a window. */
enum { LONG_BURST_BYTES = 16384, SHORT_BURST_BYTES = 1024, LINE_GAP = 256 };

/* Written by one thread, read by the chaser: lines of its own each. */
struct generator {
    _Alignas(LINE_GAP) _Atomic double bytes;
    atomic_size_t beat; /* of bursts and pauses alike */
    size_t seen;        /* the chaser's: beat when it last looked */
};

/* What the generators shall do. They may see two settings mixed for a moment: the chaser
 * waits before it measures. */
struct command {
    _Alignas(LINE_GAP) _Atomic int mix;
    atomic_size_t generators;
    _Atomic double idle;
    atomic_uint number; /* changes with every command */
    atomic_bool stop;
};

struct load_task {
    struct command command;
    const struct probe *probe;
    const struct load_site *site;
    const struct sweep_plan *plan;
    struct sweep *sweep;
    struct sweep_setting ordered;
    struct generator *generator;
    size_t generator_nr, look;
    atomic_int failed;
};

/* The active ones lie evenly among all: neighbours share caches and links. */
static bool is_active(size_t index, size_t active, size_t all)
{
    return (index + 1) * active / all > index * active / all;
}

static size_t burst_bytes(double idle)
{
    double bytes = LONG_BURST_BYTES / fmax(1, 4 * idle);

    return (size_t)fmax(bytes / SHORT_BURST_BYTES, 1) * SHORT_BURST_BYTES;
}

static void count(struct generator *own, double bytes)
{
    /* One writer: no read-modify-write needed. */
    atomic_store_explicit(&own->bytes,
                          atomic_load_explicit(&own->bytes, memory_order_relaxed) + bytes,
                          memory_order_relaxed);
    atomic_store_explicit(&own->beat,
                          atomic_load_explicit(&own->beat, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void pause_until(struct load_task *task, struct generator *own, double end_s)
{
    unsigned number = atomic_load_explicit(&task->command.number, memory_order_relaxed);

    while (clock_s() < end_s &&
           atomic_load_explicit(&task->command.number, memory_order_relaxed) == number) {
        arch_relax();
        count(own, 0);
    }
}

/* The pause follows the burst's own time under the present load. */
static void generate_once(struct load_task *task, struct load_buffer *buffer,
                          struct generator *own)
{
    enum load_mix mix =
        (enum load_mix)atomic_load_explicit(&task->command.mix, memory_order_relaxed);
    double idle = atomic_load_explicit(&task->command.idle, memory_order_relaxed);
    double start, end;

    if (idle <= 0) {
        count(own, load_burst(buffer, mix, LONG_BURST_BYTES));
        return;
    }
    start = clock_s();
    count(own, load_burst(buffer, mix, burst_bytes(idle)));
    end = clock_s();
    pause_until(task, own, end + idle * (end - start));
}

static void generate(struct load_task *task, size_t index, struct load_buffer *buffer)
{
    struct generator *own = &task->generator[index];

    while (!atomic_load_explicit(&task->command.stop, memory_order_relaxed)) {
        size_t active =
            atomic_load_explicit(&task->command.generators, memory_order_relaxed);

        if (is_active(index, active, task->generator_nr))
            generate_once(task, buffer, own);
        else
            arch_relax();
    }
}

static double generated(const struct load_task *task)
{
    double bytes = 0;

    for (size_t i = 0; i < task->generator_nr; i++)
        bytes += atomic_load_explicit(&task->generator[i].bytes, memory_order_relaxed);
    return bytes;
}

/* Has the next active generator done nothing since it was last looked at? Somebody else
 * runs on its core then. */
static bool one_stands_still(struct load_task *task, size_t active)
{
    struct generator *generator;
    size_t beat, seen;

    if (!active)
        return false;
    do
        task->look = (task->look + 1) % task->generator_nr;
    while (!is_active(task->look, active, task->generator_nr));
    generator = &task->generator[task->look];
    beat = atomic_load_explicit(&generator->beat, memory_order_relaxed);
    seen = generator->seen;
    generator->seen = beat;
    return beat == seen;
}

/* Generators follow after a burst; queues and caches need longer to forget. */
static void order(struct load_task *task, const struct sweep_setting *setting)
{
    const double settle_s = 1e-3;

    atomic_store(&task->command.mix, (int)setting->mix);
    atomic_store(&task->command.generators, setting->generators);
    atomic_store(&task->command.idle, setting->idle);
    atomic_fetch_add(&task->command.number, 1);
    for (double start = clock_s(); clock_s() - start < settle_s;) {
        chase_run(task->site->chaser, 1, 256);
        one_stands_still(task, setting->generators);
    }
    task->ordered = *setting;
}

static bool is_ordered(const struct load_task *task, const struct sweep_setting *setting)
{
    return task->ordered.mix == setting->mix &&
           task->ordered.generators == setting->generators &&
           task->ordered.idle == setting->idle;
}

/* One window; the chaser's own lines are traffic too. Disturbed when another process ran
 * on the chaser's core or on that of a generator; one generator is looked at per batch,
 * in turn. */
static bool window(void *self, const struct sweep_setting *setting, double *gbs,
                   double *latency_ns)
{
    struct load_task *task = self;
    const double window_s = task->probe->quick ? 2e-3 : 4e-3;
    const size_t batch = 1024;
    size_t steps = 0;
    double before, took;
    bool disturbed = false;
    struct watch start, now;

    if (!is_ordered(task, setting))
        order(task, setting);
    before = generated(task);
    start = watch_now();
    do {
        chase_run(task->site->chaser, 1, batch);
        steps += batch;
        disturbed |= one_stands_still(task, setting->generators);
        now = watch_now();
    } while (now.wall_s - start.wall_s < window_s);
    took = now.wall_s - start.wall_s;
    *gbs = (generated(task) - before +
            (double)steps * machine_transfer_bytes(task->probe->machine)) /
           took / 1e9;
    *latency_ns = took / (double)steps * 1e9;
    return !disturbed && !watch_was_disturbed(&start, &now);
}

static double now_s(void *self)
{
    (void)self;
    return clock_s();
}

static int map_buffer(const struct load_task *task, struct load_buffer *buffer)
{
    const struct load_site *site = task->site;

    buffer->evaded = 1 - task->probe->machine->store_read_factor;
    if (region_map(&buffer->region, site->buffer_bytes, true, NULL))
        return -1;
    /* Numbers, not zeros: some CPUs move lines of zeros for less. */
    arch_kernels()->write(buffer->region.base, buffer->region.bytes);
    return site->node < 0
               ? 0
               : topology_bind_memory(&task->probe->topology, buffer->region.base,
                                      buffer->region.bytes, site->node);
}

static void work(struct team_member *member)
{
    struct load_task *task = member->task;
    struct load_buffer buffer = {0};

    if (member->index > 0 && map_buffer(task, &buffer))
        atomic_store(&task->failed, 1);
    team_wait(member);
    if (atomic_load(&task->failed)) {
        region_release(&buffer.region);
        return;
    }
    if (member->index == 0) {
        sweep_run(task->plan,
                  &(struct sweep_source){.window = window, .now_s = now_s, .self = task},
                  task->sweep);
        atomic_store(&task->command.stop, true);
    } else {
        generate(task, member->index - 1, &buffer);
    }
    region_release(&buffer.region);
}

static void *aligned_zeros(size_t nr, size_t size)
{
    char *all = aligned_alloc(LINE_GAP, (nr ? nr : 1) * size);

    if (!all)
        abort();
    for (size_t i = 0; i < nr * size; i++)
        all[i] = 0;
    return all;
}

int load_sweep(const struct probe *probe, const struct load_site *site,
               const struct sweep_plan *plan, struct sweep *sweep, struct error *err)
{
    struct load_task *task = aligned_zeros(1, sizeof(*task));
    int result;

    task->probe = probe;
    task->site = site;
    task->plan = plan;
    task->sweep = sweep;
    task->generator_nr = site->cpu_nr - 1;
    task->generator = aligned_zeros(task->generator_nr, sizeof(*task->generator));
    result = team_run_on(&probe->topology, site->cpu, site->cpu_nr, work, task, err);
    if (!result && atomic_load(&task->failed))
        result = fail(err, STATUS_MISSING, "not enough memory to load all cores");
    free(task->generator);
    free(task);
    return result;
}

struct sweep_plan load_plan(const struct probe *probe, size_t cores, double seconds)
{
    bool nontemporal = arch_kernels()->has_nontemporal;

    return (struct sweep_plan){.mix_nr = nontemporal ? LOAD_MIXES : LOAD_NONTEMPORAL,
                               .generators = cores - 1,
                               /* 2 in a quick probe, 5 in a full one */
                               .finer = (size_t)fmax(1, round(log2(probe->seconds / 4))),
                               .rounds_min = 5,
                               /* medians gain little beyond */
                               .rounds_max = (size_t)fmax(25, probe->seconds),
                               .seconds = seconds,
                               .stop_s = probe->end_s,
                               .seed = 1};
}

void load_curves(const struct sweep *sweep, const struct sweep_plan *plan,
                 double store_read_factor, struct machine_curve **curve, size_t *curve_nr,
                 size_t *curve_alloc)
{
    /* Without generators all mixes are the same. */
    size_t mixes = plan->generators ? plan->mix_nr : 1;

    for (size_t mix = 0; mix < mixes; mix++) {
        struct machine_curve one = {
            .read_share = load_read_share((enum load_mix)mix, store_read_factor),
            .nontemporal = mix == LOAD_NONTEMPORAL};

        sweep_curve(sweep, mix, &one);
        if (!one.point_nr)
            continue;
        GROW(*curve, *curve_nr + 1, *curve_alloc);
        (*curve)[(*curve_nr)++] = one;
    }
}
