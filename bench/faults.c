/*
 * Broken variants through the functions that the search uses: what is recorded of each,
 * and what is left behind. After each the variant as it should be is verified and
 * measured: the session goes on. Exit 1 when anything differs from what it should be.
 */
#include "bench/faults.h"

#include <stdio.h>

static const double limit_s = 2;

static const char *words(const struct fault_record *record)
{
    if (record->sentence)
        return record->sentence;
    if (record->timed_sentence)
        return record->timed_sentence;
    return record->note ? record->note : "";
}

static bool goes_on(struct fault_bench *bench, struct error *err)
{
    struct fault_record record = {0};
    bool good = fault_run(bench, NULL, 10, &record, err) == 0 &&
                record.verified == RUN_OUTCOME_OK && record.timed == RUN_OUTCOME_OK;

    fault_record_release(&record);
    return good;
}

static int run_one(struct fault_bench *bench, const struct fault *fault,
                   struct error *err)
{
    struct fault_record record = {0};
    bool good, on;

    if (fault_run(bench, fault->kind, limit_s, &record, err))
        return -1;
    good = fault_is_expected(fault, &record);
    on = goes_on(bench, err);
    printf("| %s | %s, %s, %s | %s, %s, %s | %s | %zu | %zu | %u | %s | %s |\n",
           fault->kind, run_outcome_word(fault->verified),
           fault->timed == FAULT_EITHER ? "any" : run_outcome_word(fault->timed),
           fault->in_turn == FAULT_EITHER ? "any" : run_outcome_word(fault->in_turn),
           run_outcome_word(record.verified), run_outcome_word(record.timed),
           run_outcome_word(record.in_turn), words(&record), record.processes_left,
           record.files_left, record.starts, on ? "yes" : "NO",
           good && on ? "yes" : "NO");
    fflush(stdout);
    fault_record_release(&record);
    return good && on ? 0 : 1;
}

int main(void)
{
    struct toolchain toolchain = {0};
    struct fault_bench bench = {0};
    struct error err = {0};
    int differ = 0, one = 0;

    if (toolchain_find("gcc", NULL, &toolchain, &err) ||
        fault_bench_make(&toolchain, &bench, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 2;
    }
    puts(
        "| broken by | expected (verifying, timing, in an arena) | recorded | sentence | "
        "processes left | files left | starts of the arena | goes on | as expected |");
    puts("|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(faults) && one >= 0; i++) {
        one = run_one(&bench, &faults[i], &err);
        differ += one > 0;
    }
    if (one < 0)
        fprintf(stderr, "bench: %s\n", err.text);
    else
        printf("\n%zu kinds, %d not as expected.\n", ARRAY_SIZE(faults), differ);
    fault_bench_release(&bench);
    toolchain_release(&toolchain);
    return one < 0 ? 2 : differ > 0;
}
