/*
 * Latency of memory against the load on it: one chaser on the first core, generators on
 * all others. Latency and bandwidth come from the same window; the generators run on
 * until the chaser has finished it. All settings, the unloaded one among them, are
 * measured once in every round.
 */
#include <math.h>
#include <stdlib.h>

#include "core/machine/arch.h"
#include "core/machine/load.h"
#include "core/machine/predict.h"
#include "core/machine/team.h"

enum { SETTINGS_MAX = 48, ROUNDS_MAX = 61, BURST_BYTES = 1024, FREE_BURST_BYTES = 16384 };

struct setting {
    enum load_mix mix;
    size_t generators; /* that are active */
    double idle;       /* times a burst's own time between bursts */
    double gbs[ROUNDS_MAX], latency_ns[ROUNDS_MAX];
};

/* Written by one thread, read by the chaser: a line of its own each. */
struct generator {
    _Alignas(256) _Atomic double bytes;
};

struct curve_task {
    struct probe *probe;
    struct setting setting[SETTINGS_MAX];
    size_t setting_nr, rounds_max, round_nr, buffer_bytes;
    struct generator *generator;
    double *seen;       /* bytes of each generator when it was last looked at */
    atomic_int current; /* index of the setting, -1 = stop */
    atomic_int failed;
    double spin_ns, end_s;
};

static void add_setting(struct curve_task *task, enum load_mix mix, size_t generators,
                        double idle)
{
    if (task->setting_nr < SETTINGS_MAX)
        task->setting[task->setting_nr++] =
            (struct setting){.mix = mix, .generators = generators, .idle = idle};
}

static void choose_settings(struct curve_task *task, size_t generators)
{
    static const double idle[] = {24, 10, 5, 2.5, 1.2, 0.5, 0};

    add_setting(task, LOAD_READ, 0, 0);
    for (enum load_mix mix = 0; mix < LOAD_MIXES && generators; mix++) {
        for (size_t nr = 1; nr < generators; nr *= 2)
            add_setting(task, mix, nr, 0);
        for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
            add_setting(task, mix, generators, idle[i]);
    }
}

static void spin(size_t times)
{
    while (times--)
        arch_relax();
}

static double spin_ns(void)
{
    const size_t times = 20000;
    double start = clock_s();

    spin(times);
    return (clock_s() - start) / (double)times * 1e9;
}

/* Bursts and pauses; the pause follows the burst's own time under the present load. */
static void generate_once(struct curve_task *task, const struct setting *setting,
                          struct load_buffer *buffer, struct generator *own)
{
    size_t burst = setting->idle > 0 ? BURST_BYTES : FREE_BURST_BYTES, bursts = 4;
    double start = clock_s(), bytes = 0, pause_ns;

    if (setting->idle > 0) {
        bytes = load_burst(buffer, setting->mix, burst);
        pause_ns = (clock_s() - start) * 1e9 * setting->idle;
        spin((size_t)(pause_ns / task->spin_ns) + 1);
    } else {
        while (bursts--)
            bytes += load_burst(buffer, setting->mix, burst);
    }
    atomic_store_explicit(&own->bytes,
                          atomic_load_explicit(&own->bytes, memory_order_relaxed) + bytes,
                          memory_order_relaxed);
}

static void generate(struct curve_task *task, size_t index, struct load_buffer *buffer)
{
    struct generator *own = &task->generator[index];
    int current;

    while ((current = atomic_load_explicit(&task->current, memory_order_relaxed)) >= 0) {
        const struct setting *setting = &task->setting[current];

        if (index < setting->generators)
            generate_once(task, setting, buffer, own);
        else
            arch_relax();
    }
}

static double generated(const struct curve_task *task, size_t generators)
{
    double bytes = 0;

    for (size_t i = 0; i < generators; i++)
        bytes += atomic_load_explicit(&task->generator[i].bytes, memory_order_relaxed);
    return bytes;
}

/* Has this generator done nothing since it was last looked at? Somebody else runs on its
 * core then. */
static bool stands_still(const struct generator *generator, double *seen)
{
    double bytes = atomic_load_explicit(&generator->bytes, memory_order_relaxed);
    bool still = bytes == *seen;

    *seen = bytes;
    return still;
}

/* One window; the chaser's own lines are traffic too. False when another process ran on
 * the chaser's core or on that of a generator; one generator is looked at per batch, in
 * turn. */
static bool measure_window(struct curve_task *task, size_t generators,
                           struct setting *setting)
{
    const double window_s = task->probe->quick ? 2e-3 : 4e-3;
    size_t steps = 0, batch = 1024, look = 0;
    double before = generated(task, generators), bytes, took;
    bool disturbed = false;
    struct watch start = watch_now(), now;

    do {
        chase_run(&task->probe->chaser, 1, batch);
        steps += batch;
        if (setting->generators) {
            look = (look + 1) % setting->generators;
            disturbed |= stands_still(&task->generator[look], &task->seen[look]);
        }
        now = watch_now();
    } while (now.wall_s - start.wall_s < window_s);
    took = now.wall_s - start.wall_s;
    bytes = generated(task, generators) - before +
            (double)steps * task->probe->machine->line_bytes;
    setting->gbs[task->round_nr] = bytes / took / 1e9;
    setting->latency_ns[task->round_nr] = took / (double)steps * 1e9;
    return !disturbed && !watch_was_disturbed(&start, &now);
}

static void measure_setting(struct curve_task *task, size_t generators, size_t index)
{
    const double settle_s = 1e-3;

    atomic_store(&task->current, (int)index);
    for (double start = clock_s(); clock_s() - start < settle_s;)
        chase_run(&task->probe->chaser, 1, 256);
    for (int tries = 0; tries < 8; tries++)
        if (measure_window(task, generators, &task->setting[index]))
            return;
    task->setting[index].latency_ns[task->round_nr] = NAN; /* no window was ours alone */
}

static void chase(struct curve_task *task, size_t generators)
{
    const size_t least = 5;

    task->spin_ns = spin_ns();
    while (task->round_nr < task->rounds_max &&
           (task->round_nr < least || clock_s() < task->end_s)) {
        for (size_t i = 0; i < task->setting_nr; i++)
            measure_setting(task, generators, i);
        task->round_nr++;
    }
    atomic_store(&task->current, -1);
}

static void work(struct team_member *member)
{
    struct curve_task *task = member->task;
    struct load_buffer buffer = {0};

    if (member->index > 0 && region_map(&buffer.region, task->buffer_bytes, true, NULL))
        atomic_store(&task->failed, 1);
    team_wait(member);
    if (!atomic_load(&task->failed)) {
        if (member->index == 0)
            chase(task, member->team->member_nr - 1);
        else
            generate(task, member->index - 1, &buffer);
    }
    region_release(&buffer.region);
}

/* Over the rounds in which the setting had a window of its own; unknown with fewer than
 * three. */
static struct quantity over_rounds(const struct curve_task *task,
                                   const struct setting *setting, const double *sample)
{
    double valid[ROUNDS_MAX];
    size_t nr = 0;

    for (size_t round = 0; round < task->round_nr; round++)
        if (!isnan(setting->latency_ns[round]))
            valid[nr++] = sample[round];
    return samples_quantity(valid, nr < 3 ? 0 : nr);
}

/* Rounds in which the unloaded latency was far above its usual: others were loading the
 * memory. */
static void drop_crowded_rounds(struct curve_task *task)
{
    const double *unloaded = task->setting[0].latency_ns;
    double limit = 1.15 * over_rounds(task, &task->setting[0], unloaded).low;
    size_t kept = 0;

    for (size_t round = 0; round < task->round_nr; round++) {
        if (unloaded[round] > limit)
            continue;
        for (size_t i = 0; i < task->setting_nr; i++) {
            task->setting[i].gbs[kept] = task->setting[i].gbs[round];
            task->setting[i].latency_ns[kept] = task->setting[i].latency_ns[round];
        }
        kept++;
    }
    task->round_nr = kept;
}

static int by_gbs(const void *a, const void *b)
{
    double x = ((const struct machine_point *)a)->gbs,
           y = ((const struct machine_point *)b)->gbs;

    return (x > y) - (x < y);
}

/* Sorted, and of points within 2 % of each other in bandwidth the one with the most load
 * is kept: where a curve bends back, more load gives less bandwidth, and the latency that
 * goes with a bandwidth is not unique. */
static void thin(struct machine_curve *curve)
{
    size_t kept = 0;

    qsort(curve->point, curve->point_nr, sizeof(*curve->point), by_gbs);
    for (size_t i = 0; i < curve->point_nr; i++) {
        if (kept && curve->point[i].gbs < 1.02 * curve->point[kept - 1].gbs)
            continue;
        curve->point[kept++] = curve->point[i];
    }
    curve->point_nr = kept;
}

static void push_point(struct machine_curve *curve, double gbs,
                       struct quantity latency_ns)
{
    GROW(curve->point, curve->point_nr + 1, curve->point_alloc);
    curve->point[curve->point_nr++] =
        (struct machine_point){.gbs = gbs, .latency_ns = latency_ns};
}

static void add_point(const struct curve_task *task, const struct setting *setting,
                      struct machine_curve *curve)
{
    struct quantity gbs = over_rounds(task, setting, setting->gbs);

    if (gbs.known)
        push_point(curve, gbs.value, over_rounds(task, setting, setting->latency_ns));
}

static void add_curve(struct curve_task *task, enum load_mix mix)
{
    struct machine *machine = task->probe->machine;
    struct machine_curve *curve;

    GROW(machine->curve, machine->curve_nr + 1, machine->curve_alloc);
    curve = &machine->curve[machine->curve_nr++];
    *curve = (struct machine_curve){.read_share = load_read_share[mix]};
    for (size_t i = 0; i < task->setting_nr; i++)
        if (!task->setting[i].generators || task->setting[i].mix == mix)
            add_point(task, &task->setting[i], curve);
    if (!curve
             ->point_nr) { /* no quiet window at all: what the chase alone has measured */
        double latency_ns = machine->memory_latency_ns.value;

        push_point(curve, machine->line_bytes / latency_ns, machine->memory_latency_ns);
    }
    thin(curve);
}

/* The curve's end and what all cores draw complete each other: where the latter is open
 * ("at least"), the curve may have seen more; where it is more, the curve is predicted up
 * to it. */
static void join_end(struct machine_curve *curve, struct quantity *node_gbs)
{
    double end = curve->point[curve->point_nr - 1].gbs;

    if (!node_gbs->known)
        return;
    if (isinf(node_gbs->high) && end > node_gbs->value)
        node_gbs->value = node_gbs->low = end;
    curve_predict(curve, node_gbs->value, NULL);
}

static void fill_curves(struct curve_task *task, size_t generators)
{
    struct machine *machine = task->probe->machine;

    drop_crowded_rounds(task);
    add_curve(task, LOAD_READ);
    join_end(&machine->curve[machine->curve_nr - 1], &machine->node_read_gbs);
    if (!generators)
        return;
    add_curve(task, LOAD_COPY);
    join_end(&machine->curve[machine->curve_nr - 1], &machine->node_copy_gbs);
}

int probe_curves(struct probe *probe, struct error *err)
{
    size_t cores = probe->topology.cpus.cpu_nr;
    struct curve_task *task = xcalloc(1, sizeof(*task));
    int result = -1;

    probe_say(probe, "measuring the latency of memory under load");
    task->probe = probe;
    task->rounds_max = probe->quick ? 21 : ROUNDS_MAX;
    task->buffer_bytes = load_buffer_bytes(probe);
    task->seen = xcalloc(cores, sizeof(*task->seen));
    task->generator = aligned_alloc(256, cores * sizeof(*task->generator));
    task->end_s = probe_until(probe, 0.15);
    if (!task->generator)
        abort();
    for (size_t i = 0; i < cores; i++)
        atomic_init(&task->generator[i].bytes, 0);
    choose_settings(task, cores - 1);
    if (team_run(&probe->topology, cores, work, task, err))
        goto out;
    if (atomic_load(&task->failed)) {
        fail(err, STATUS_MISSING, "not enough memory to load all cores");
        goto out;
    }
    fill_curves(task, cores - 1);
    result = 0;
out:
    free(task->generator);
    free(task->seen);
    free(task);
    return result;
}
