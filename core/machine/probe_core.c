/* What one core computes: its clock and its multiply-adds. */
#include "core/machine/arch.h"
#include "core/machine/probe.h"

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

static void run_simd(void *subject, int variant, size_t work)
{
    (void)variant;
    *(double *)subject += arch_kernels()->simd(work);
}

static void run_scalar(void *subject, int variant, size_t work)
{
    (void)variant;
    *(double *)subject += arch_kernels()->scalar(work);
}

static struct quantity per_second(struct quantity ns, double each)
{
    return quantity_divide(quantity_exact(each * 1e9, PROVENANCE_PROBE), ns);
}

static void measure(struct probe *probe)
{
    const double target_s = 1e-3;
    struct machine *machine = probe->machine;
    const struct arch_kernels *kernels = arch_kernels();
    unsigned long adds = 0;
    double sum = 0;
    struct trials trials = {0};
    size_t clock = trials_add(
        &trials,
        &(struct trial){.run = run_adds, .subject = &adds, .target_s = target_s});
    size_t simd = trials_add(
        &trials, &(struct trial){.run = run_simd, .subject = &sum, .target_s = target_s});
    size_t scalar = trials_add(
        &trials,
        &(struct trial){.run = run_scalar, .subject = &sum, .target_s = target_s});

    trials_run(&trials, probe->quick ? 25 : 100, probe_until(probe, 0.05));
    if (arch_add_cycles > 0)
        machine->ghz = 40 * arch_add_cycles /
                       trial_ns(&trials, clock).low; /* disturbances only add */
    machine->flops_double.fma = per_second(trial_ns(&trials, simd), kernels->simd_flops);
    machine->flops_double.scalar =
        per_second(trial_ns(&trials, scalar), kernels->scalar_flops);
    machine->simd_bytes = kernels->simd_bytes;
    trials_release(&trials);
}

int probe_core(struct probe *probe, struct error *err)
{
    probe_say(probe, "measuring clock and arithmetic");
    return probe_on_first_core(probe, measure, err);
}
