#include "bench/faults.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"
#include "variants/verify/verify.h"

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/harness"

/* Address space of a variant, beside what verification needs: small, so that the hog
 * meets it soon. */
static const double memory_bytes = 512e6;

static int open_kernel(struct kernel **kernel, struct error *err)
{
    struct kernel_request request = {.path = DATA "/scaled.c"};

    if (kernel_open(&request, kernel, err))
        return -1;
    return kernel_bind(*kernel, err);
}

/* The kernel as it is, and broken, for an arena. */
static int build_arena(const struct toolchain *toolchain, const char *broken,
                       struct fault_bench *bench, struct error *err)
{
    struct variant_side side[2] = {{0}, {.source = broken}};
    struct plan *plan = NULL;
    int status = plan_parse("", &plan, err);

    side[0].plan = plan;
    if (!status)
        status =
            variant_build_arena(bench->kernel, toolchain, bench->dir, &bench->arena, err);
    for (int i = 0; !status && i < 2; i++)
        status = variant_build_library(bench->kernel, &side[i], toolchain, bench->dir,
                                       &bench->library[i], err);
    plan_free(plan);
    return status;
}

int fault_bench_make(const struct toolchain *toolchain, struct fault_bench *bench,
                     struct error *err)
{
    static const char broken[] = DATA "/broken.c";

    *bench = (struct fault_bench){0};
    if (open_kernel(&bench->kernel, err) || scratch_make(&bench->dir, err) ||
        scratch_make(&bench->scratch, err) ||
        variant_build_file(bench->kernel, broken, toolchain, VARIANT_VERIFY, bench->dir,
                           &bench->verifying, err) ||
        variant_build_file(bench->kernel, broken, toolchain, VARIANT_TIME, bench->dir,
                           &bench->timing, err) ||
        build_arena(toolchain, broken, bench, err)) {
        fault_bench_release(bench);
        return -1;
    }
    variant_args(bench->kernel, &bench->args);
    return 0;
}

void fault_bench_release(struct fault_bench *bench)
{
    if (bench->dir)
        scratch_remove(bench->dir);
    if (bench->scratch)
        scratch_remove(bench->scratch);
    free(bench->verifying);
    free(bench->timing);
    free(bench->arena);
    free(bench->library[0]);
    free(bench->library[1]);
    kernel_free(bench->kernel);
    strvec_release(&bench->args);
    *bench = (struct fault_bench){0};
}

static size_t entries_in(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t nr = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        nr += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return nr;
}

/* Whether the process inherited the word from an environment that we made. */
static bool has_word(const char *pid, const char *word)
{
    char *path = xasprintf("/proc/%s/environ", pid);
    struct buf text = {0};
    bool found = false;

    if (file_read(path, &text, NULL) == 0)
        for (size_t i = 0; i < text.length; i += strlen(text.data + i) + 1)
            found = found || strstr(text.data + i, word);
    buf_release(&text);
    free(path);
    return found;
}

/* Living processes of the programs that we started: they have FAULT_BENCH=<our number>.
 */
static size_t processes_left(void)
{
    char *word = xasprintf("FAULT_BENCH=%ld", (long)getpid()), *own;
    DIR *dir = opendir("/proc");
    size_t nr = 0;

    own = xasprintf("%ld", (long)getpid());
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        nr += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
              strcmp(entry->d_name, own) != 0 && has_word(entry->d_name, word);
    if (dir)
        closedir(dir);
    free(own);
    free(word);
    return nr;
}

static int verify(const struct fault_bench *bench, double limit_s,
                  struct fault_record *record, struct error *err)
{
    struct verify_opts opts = {.limit_s = limit_s,
                               .memory_limit_bytes = memory_bytes,
                               .cpu = -1,
                               .scratch = bench->scratch};
    struct verify_report report = {0};

    if (variant_verify(bench->kernel, bench->verifying, &opts, &report, err))
        return -1;
    record->verified = report.outcome;
    record->sentence = xstrdup(report.detail);
    verify_report_release(&report);
    return 0;
}

static int time_it(const struct fault_bench *bench, double limit_s,
                   struct fault_record *record, struct error *err)
{
    struct run_program program = {.path = bench->timing, .args = &bench->args};
    struct run_opts opts = {.launches_min = 1,
                            .launches_max = 1,
                            .samples_per_launch = 2,
                            .sample_min_s = 1e-4,
                            .launch_limit_s = limit_s,
                            .memory_limit_bytes = memory_bytes,
                            .scratch = bench->scratch};
    struct run_result result = {0};

    if (run_measure(&program, &opts, &result, err))
        return -1;
    record->timed = result.outcome;
    record->timed_sentence = xstrdup(result.detail);
    record->note = xstrdup(result.note);
    run_result_release(&result);
    return 0;
}

static int take_turns(const struct fault_bench *bench, struct run_arena *arena,
                      bool broken, double limit_s, struct run_result result[2],
                      struct error *err)
{
    const char *const library[2] = {bench->library[0], bench->library[broken]};
    const struct run_turns how = {.pairs = 2,
                                  .sample_min_s = 1e-4,
                                  .settle_s = 1e-3,
                                  .limit_s = limit_s / 2,
                                  .kill_s = limit_s};

    return run_arena_turns(arena, library, &how, result, err);
}

static void forget(struct run_result result[2])
{
    run_result_release(&result[0]);
    run_result_release(&result[1]);
}

/* The kernel with itself, with the broken one, and with itself again. */
static int arena_it(const struct fault_bench *bench, double limit_s,
                    struct fault_record *record, struct error *err)
{
    struct run_program program = {.path = bench->arena, .args = &bench->args};
    struct run_opts opts = {.launch_limit_s = limit_s,
                            .memory_limit_bytes = memory_bytes,
                            .scratch = bench->scratch};
    struct run_result result[2] = {{0}, {0}};
    struct run_arena *arena;

    if (run_arena_open(&program, &opts, &arena, err))
        return -1;
    int status = take_turns(bench, arena, false, 30, result, err);
    forget(result);
    if (!status)
        status = take_turns(bench, arena, true, limit_s, result, err);
    record->in_turn = result[1].outcome;
    record->blames_other = result[0].outcome != RUN_OUTCOME_OK;
    record->turn_sentence = xstrdup(result[1].detail);
    forget(result);
    if (!status)
        status = take_turns(bench, arena, false, 30, result, err);
    record->goes_on =
        result[0].outcome == RUN_OUTCOME_OK && result[1].outcome == RUN_OUTCOME_OK;
    record->starts = run_arena_starts(arena);
    forget(result);
    run_arena_close(arena);
    return status;
}

int fault_run(struct fault_bench *bench, const char *kind, double limit_s,
              struct fault_record *record, struct error *err)
{
    char *number = xasprintf("%ld", (long)getpid());
    int result;

    *record = (struct fault_record){0};
    setenv("FAULT_BENCH", number, 1);
    if (kind)
        setenv("FAULT_KIND", kind, 1);
    result = verify(bench, limit_s, record, err) ||
             time_it(bench, limit_s, record, err) ||
             arena_it(bench, limit_s, record, err);
    unsetenv("FAULT_KIND");
    unsetenv("FAULT_BENCH");
    record->processes_left = processes_left();
    record->files_left = entries_in(bench->scratch);
    free(number);
    if (result)
        fault_record_release(record);
    return result ? -1 : 0;
}

bool fault_is_expected(const struct fault *fault, const struct fault_record *record)
{
    return record->verified == fault->verified &&
           (fault->timed == FAULT_EITHER || record->timed == fault->timed) &&
           (fault->in_turn == FAULT_EITHER || record->in_turn == fault->in_turn) &&
           (!record->blames_other || record->in_turn != RUN_OUTCOME_OK) &&
           record->goes_on && record->starts <= 2 &&
           (!fault->sentence ||
            (record->sentence && strstr(record->sentence, fault->sentence))) &&
           record->processes_left == 0 && record->files_left == 0;
}

void fault_record_release(struct fault_record *record)
{
    free(record->sentence);
    free(record->timed_sentence);
    free(record->turn_sentence);
    free(record->note);
    *record = (struct fault_record){0};
}
