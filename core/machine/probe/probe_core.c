/* What the cores compute: clock of the first one, FLOP/s of one and of all. */
#include "core/machine/probe/probe.h"
#include "core/machine/sampling/windows.h"
#include "core/machine/topology/arch.h"

#define ADD_AGAIN(i)                                                                     \
    sum += step;                                                                         \
    __asm__ volatile("" : "+r"(sum)); /* one addition after the other */

static void run_adds(void *subject, int variant, size_t work)
{
    unsigned long sum = 0, step = 1;

    (void)variant;
    __asm__ volatile(
        ""
        : "+r"(step)); /* not an immediate: some cores execute those for free */
    while (work--) {
        REP_40(ADD_AGAIN)
    }
    *(unsigned long *)subject += sum;
}

static void measure_clock(struct probe *probe)
{
    unsigned long adds = 0;
    struct trials trials = {.stop_s = probe_stop(probe, 0.02)};
    size_t clock = trials_add(
        &trials, &(struct trial){.run = run_adds, .subject = &adds, .target_s = 1e-3});

    trials_run(&trials, probe->quick ? 25 : 100, probe_until(probe, 0.02));
    probe->machine->ghz =
        40 * arch_add_cycles / trial_ns(&trials, clock).low; /* disturbances only add */
    trials_release(&trials);
}

/* Keeps the sums alive. */
static volatile double arithmetic_sink;

static double run_flops(void *own, const void *what)
{
    const struct arch_flops *flops = what;
    const size_t rounds = 2000; /* some 10 us */

    (void)own;
    arithmetic_sink = flops->run(rounds);
    return (double)rounds * flops->each;
}

/* The widest vectors need not be the fastest: all widths are candidates. */
static void add_flops(struct windows *windows, size_t contest,
                      const struct arch_flops *flops)
{
    for (size_t kind = 0; kind < FLOPS_KINDS; kind++)
        windows_add(windows, &(struct window_job){.burst = run_flops,
                                                  .what = &flops[kind],
                                                  .contest = contest + kind,
                                                  .window_s = 1e-3});
}

static void run_windows(struct team_member *member)
{
    windows_run(member->task, member, NULL);
}

static struct machine_flops flops_of(const struct windows *windows, size_t contest)
{
    return (struct machine_flops){
        .scalar = windows_rate(windows, contest + FLOPS_SCALAR, NULL),
        .simd = windows_rate(windows, contest + FLOPS_SIMD, NULL),
        .fma = windows_rate(windows, contest + FLOPS_FMA, NULL)};
}

static int measure_flops(struct probe *probe, size_t cores,
                         struct machine_flops *in_double, struct machine_flops *in_single,
                         struct error *err)
{
    struct windows windows = {.rounds = probe->quick ? 9 : 41,
                              .end_s = probe_until(probe, 0.02),
                              .stop_s = probe_stop(probe, 0.02)};
    int width = 0, result;

    for (size_t i = 0; i < arch_kernels_nr(); i++) {
        const struct arch_kernels *kernels = arch_kernels_at(i);

        if (kernels->simd_bytes == width)
            continue;
        width = kernels->simd_bytes;
        add_flops(&windows, 0, kernels->flops_double);
        add_flops(&windows, FLOPS_KINDS, kernels->flops_single);
    }
    result = team_run(&probe->topology, cores, run_windows, &windows, err);
    *in_double = flops_of(&windows, 0);
    *in_single = flops_of(&windows, FLOPS_KINDS);
    windows_release(&windows);
    return result;
}

int probe_core(struct probe *probe, struct error *err)
{
    struct machine *machine = probe->machine;
    size_t cores = probe->topology.cpus.cpu_nr;

    probe_say(probe, "measuring clock and arithmetic");
    machine->simd_bytes = arch_kernels()->simd_bytes;
    if (arch_add_cycles > 0 && probe_on_first_core(probe, measure_clock, err))
        return -1;
    if (measure_flops(probe, 1, &machine->flops_double, &machine->flops_single, err))
        return -1;
    machine->all_flops_double = machine->flops_double;
    machine->all_flops_single = machine->flops_single;
    return cores > 1 ? measure_flops(probe, cores, &machine->all_flops_double,
                                     &machine->all_flops_single, err)
                     : 0;
}
