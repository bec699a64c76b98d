#include <stdio.h>
#include <stdlib.h>

#include "bench/faults.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(variants_faults);

static void check_record(const struct fault *fault, const struct fault_record *record)
{
    if (check(fault_is_expected(fault, record)))
        return;
    fprintf(
        stderr,
        "    (%s: %s, %s, %s; '%s', '%s', '%s'; left: %zu processes, %zu files; %u "
        "starts%s%s)\n",
        fault->kind, run_outcome_word(record->verified), run_outcome_word(record->timed),
        run_outcome_word(record->in_turn), record->sentence ? record->sentence : "",
        record->timed_sentence ? record->timed_sentence : "",
        record->turn_sentence ? record->turn_sentence : "", record->processes_left,
        record->files_left, record->starts, record->blames_other ? ", other blamed" : "",
        record->goes_on ? "" : ", does not go on");
}

/* Only those that are to run out of time get little of it. */
static void run_faults(bool that_time_out)
{
    const struct toolchain *toolchain;
    struct fault_bench bench;
    struct error err = {0};

    if (fixture_toolchains(&toolchain) == 0 ||
        !check_ok(fault_bench_make(&toolchain[0], &bench, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct fault_record record;

        if ((faults[i].verified == RUN_OUTCOME_TIMED_OUT) != that_time_out)
            continue;
        if (!check_ok(fault_run(&bench, faults[i].kind, that_time_out ? 0.2 : 30, &record,
                                &err),
                      &err))
            break;
        check_record(&faults[i], &record);
        fault_record_release(&record);
    }
    fault_bench_release(&bench);
}

TEST("faults have their names, nothing is left")
{
    run_faults(false);
}

TEST("endless ones are ended")
{
    run_faults(true);
}

/* What runs after them runs as if they had not been. */
TEST("the right variant is right")
{
    const struct toolchain *toolchain;
    struct fault_record record = {0};
    struct fault_bench bench;
    struct error err = {0};

    if (fixture_toolchains(&toolchain) == 0 ||
        !check_ok(fault_bench_make(&toolchain[0], &bench, &err), &err))
        return;
    if (check_ok(fault_run(&bench, NULL, 30, &record, &err), &err)) {
        check_str(record.sentence ? record.sentence : "", "");
        check_eq(record.verified, RUN_OUTCOME_OK);
        check_eq(record.timed, RUN_OUTCOME_OK);
        check_eq(record.processes_left + record.files_left, 0);
    }
    fault_record_release(&record);
    fault_bench_release(&bench);
}

/* A program that takes all arguments and is no compiler. */
TEST("a compiler that writes nothing is named")
{
    char compiler[] = "true", version[] = "true 1.0";
    struct toolchain none = {.compiler = compiler, .version = version};
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct plan *plan = NULL;
    struct error err = {0};
    char *path = NULL;

    if (kernel && check_ok(plan_parse("", &plan, &err), &err))
        check_fails(
            variant_build(kernel, plan, &none, VARIANT_TIME, fixture_dir(), &path, &err),
            &err, STATUS_FAILED, "the compiler wrote nothing");
    free(path);
    plan_free(plan);
    kernel_free(kernel);
}
