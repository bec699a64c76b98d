#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "core/run/run.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"

SUITE(variants_timing);

static void time_kernel(const char *name, const struct toolchain *toolchain,
                        const struct run_opts *opts, struct run_result *result)
{
    struct kernel *kernel = fixture_bound(name, NULL);
    struct strvec args = {0};
    struct error err = {0};
    char *program;

    *result = (struct run_result){.outcome = RUN_OUTCOME_NOT_BUILT};
    if (!kernel)
        return;
    program = fixture_build(kernel, NULL, toolchain, VARIANT_TIME);
    variant_args(kernel, &args);
    if (program)
        check_ok(run_measure(&(struct run_program){.path = program, .args = &args}, opts,
                             result, &err),
                 &err);
    free(program);
    strvec_release(&args);
    kernel_free(kernel);
}

TEST("kernels are timed")
{
    static const struct {
        const char *file;
        double bytes;
    } cases[] = {{"plain", 80000},
                 {"vla", 4 * (6300 + 70 + 90)},
                 {"sparse", 4 * (201 + 1600) + 8 * (1600 + 300 + 200)},
                 {"integers", 1000 * (1 + 2 + 8 + 1)},
                 {"globals", 6400}};
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    struct run_opts opts = {.launches_min = 1,
                            .launches_max = 1,
                            .samples_per_launch = 3,
                            .sample_min_s = 1e-4};

    for (size_t i = 0; i < nr * ARRAY_SIZE(cases); i++) {
        const size_t k = i % ARRAY_SIZE(cases);
        struct run_result result;

        time_kernel(cases[k].file, &toolchain[i / ARRAY_SIZE(cases)], &opts, &result);
        check_eq(result.outcome, RUN_OUTCOME_OK);
        check_str(result.detail ? result.detail : "", "");
        check(result.sample_nr >= 3 && result.sample_nr <= 6); /* some repeated */
        check(result.clock_step_s > 0 && result.call_overhead_s > 0);
        check(result.empty_call_s > 0);
        check(result.calls >= 3 && result.warm_s > 0);
        check_near(result.buffer_bytes, cases[k].bytes, 0);
        check(result.denormal == NULL);
        run_result_release(&result);
    }
}

/* After two samples that are slower; the limits are such that any kernel is, or none. */
TEST("the slow are stopped")
{
    const struct toolchain *toolchain;
    struct run_opts opts = {.launches_min = 1,
                            .launches_max = 1,
                            .samples_per_launch = 8,
                            .stop_at_s = 1e-15};
    struct run_result result;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    time_kernel("vla", &toolchain[0], &opts, &result);
    check_eq(result.outcome, RUN_OUTCOME_STOPPED);
    check_eq(result.sample_nr, 2);
    check(result.at_least_s > 0 && !run_time_s(&result).known);
    run_result_release(&result);
    opts.stop_at_s = 10;
    time_kernel("vla", &toolchain[0], &opts, &result);
    check_eq(result.outcome, RUN_OUTCOME_OK);
    check(result.sample_nr >= 8);
    run_result_release(&result);
}

/* One call is a sample then. What is said of it must make sense; whether it is slower is
 * not asked on a machine with neighbours. */
TEST("cold starts time single calls")
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    struct run_opts opts = {
        .launches_min = 1, .launches_max = 1, .samples_per_launch = 4, .copies = 2};

    for (size_t i = 0; i < nr; i++) {
        for (int start = RUN_START_COLD_DATA; start < RUN_START_NR; start++) {
            struct run_result result;

            opts.start = (enum run_start)start;
            time_kernel("vla", &toolchain[i], &opts, &result);
            check_str(result.detail ? result.detail : "", "");
            check(result.sample_nr >= 4 && result.sample_nr <= 8);
            check_near(result.calls, (double)result.sample_nr, 0);
            check(run_time_s(&result).known);
            run_result_release(&result);
        }
    }
}

static int first_cpu(void)
{
    cpu_set_t set;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof(set), &set))
        return -1;
    while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set))
        cpu++;
    return cpu < CPU_SETSIZE ? cpu : -1;
}

/* Two copies on one processor: either waits while the other has it, for as long as that
 * runs. That is no part of its time. */
TEST("waiting is taken out")
{
    const struct toolchain *toolchain;
    const int cpu[] = {first_cpu(), first_cpu()};
    struct run_opts opts = {.cpu = cpu,
                            .copies = 2,
                            .launches_min = 1,
                            .launches_max = 1,
                            .samples_per_launch = 2,
                            .sample_min_s = 0.1};
    double waited_s = 0;

    if (fixture_toolchains(&toolchain) == 0 || cpu[0] < 0)
        return;
    struct run_result result;
    time_kernel("vla", &toolchain[0], &opts, &result);
    check_eq(result.outcome, RUN_OUTCOME_OK);
    for (size_t i = 0; i < result.sample_nr; i++) {
        check(!result.sample[i].waits_inside);
        waited_s += result.sample[i].waited_s;
    }
    check(waited_s > 0);
    run_result_release(&result);
}

TEST("loads run beside")
{
    const struct toolchain *toolchain;
    struct run_opts opts = {
        .launches_min = 1, .launches_max = 1, .samples_per_launch = 1};

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (int kind = 0; kind < RUN_BACKGROUND_NR; kind++) {
        struct run_result result;

        opts.background = (enum run_background)kind;
        time_kernel("vla", &toolchain[0], &opts, &result);
        check_str(result.detail ? result.detail : "", "");
        check_eq(result.launches, 1);
        if (result.note && strstr(result.note, "background")) /* no processor is left */
            check_contains(result.note, "no background load: the copies use every core");
        run_result_release(&result);
    }
}

static int count_gate(void *data, bool begin, const pid_t *pids, size_t nr,
                      struct error *err)
{
    int *calls = data;

    (void)err;
    calls[begin ? 0 : 1] += (int)nr;
    for (size_t i = 0; i < nr; i++)
        check_eq(kill(pids[i], 0), 0); /* they wait for us */
    return 0;
}

TEST("copies start together and pass the gate")
{
    const struct toolchain *toolchain;
    struct run_result result;
    int calls[2] = {0};
    struct run_opts opts = {.copies = 3,
                            .launches_min = 1,
                            .launches_max = 1,
                            .samples_per_launch = 4,
                            .sample_min_s = 1e-4,
                            .at_gate = count_gate,
                            .gate_data = calls};

    if (fixture_toolchains(&toolchain) == 0)
        return;
    time_kernel("vla", &toolchain[0], &opts, &result);
    check_eq(result.outcome, RUN_OUTCOME_OK);
    check(result.sample_nr >= 4 && result.sample_nr <= 8);
    check_eq(calls[0], 3);
    check_eq(calls[1], 3);
    run_result_release(&result);
}

TEST("numbers too small to be normal are told")
{
    const struct toolchain *toolchain;
    struct run_opts opts = {
        .launches_min = 1, .launches_max = 1, .samples_per_launch = 1};
    struct run_result result;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    time_kernel("denormal", &toolchain[0], &opts, &result);
    check_str(result.denormal ? result.denormal : "", "b");
    run_result_release(&result);
}

TEST("a crash is an outcome")
{
    const struct toolchain *toolchain;
    struct run_opts opts = {.launches_min = 1, .launches_max = 1};
    struct run_result result;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    time_kernel("crash", &toolchain[0], &opts, &result);
    check_eq(result.outcome, RUN_OUTCOME_CRASHED);
    run_result_release(&result);
}
