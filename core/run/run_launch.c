#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "core/run/run_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a launch holds while it runs. */
struct running {
    const struct run_program *program;
    const struct run_opts *opts;
    double limit_s;
    char *folder, *barrier;
    bool own_scratch;
    struct gate gate;
    struct background background;
    struct spawn_child **child; /* [copies], NULL when waited for */
    struct spawn_outcome *end;  /* [copies] */
};

void launch_release(struct launch *launch)
{
    for (size_t i = 0; launch->copy && i < launch->copies; i++)
        copy_results_release(&launch->copy[i]);
    for (size_t i = 0; launch->second && i < launch->copies; i++)
        copy_results_release(&launch->second[i]);
    free(launch->copy);
    free(launch->second);
    free(launch->verdict.detail);
    free(launch->background_note);
    *launch = (struct launch){0};
}

static size_t size_or(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

static double number_or(double given, double otherwise)
{
    return given > 0 ? given : otherwise;
}

struct run_opts launch_defaults(const struct run_opts *opts)
{
    struct run_opts full = *opts;

    full.copies = size_or(opts->copies, 1);
    full.threads = opts->threads > 0 ? opts->threads : 1;
    full.launch_limit_s = number_or(opts->launch_limit_s, 60);
    full.launches_min = size_or(opts->launches_min, 3);
    full.launches_max = size_or(opts->launches_max, 12);
    if (full.launches_max < full.launches_min)
        full.launches_max = full.launches_min;
    full.samples_per_launch =
        size_or(opts->samples_per_launch, opts->start == RUN_START_WARM ? 5 : 25);
    full.minimum_of = size_or(opts->minimum_of, 1);
    full.sample_min_s = number_or(opts->sample_min_s, 1e-3);
    full.budget_s = number_or(opts->budget_s, 10);
    full.target_spread = number_or(opts->target_spread, 0.02);
    return full;
}

struct run_opts launch_placed(const struct run_program *program,
                              const struct run_opts *opts)
{
    struct run_opts placed = *opts;

    if (!program->place)
        return placed;
    if (program->place->cpu)
        placed.cpu = program->place->cpu;
    if (program->place->copies)
        placed.copies = program->place->copies;
    if (program->place->threads > 0)
        placed.threads = program->place->threads;
    return placed;
}

static const int *cpus_of(const struct run_opts *opts, size_t copy)
{
    return opts->cpu + copy * (size_t)opts->threads;
}

void launch_push_common(struct strvec *argv, const struct run_program *program,
                        const struct run_opts *opts, size_t copy)
{
    struct buf list = {0};

    strvec_push(argv, program->path);
    if (program->args)
        strvec_push_all(argv, program->args);
    strvec_push(argv, "--pages");
    strvec_push(argv, program->huge_pages ? "huge" : "small");
    if (opts->cpu) {
        for (int i = 0; i < opts->threads; i++)
            buf_addf(&list, "%s%d", i ? "," : "", cpus_of(opts, copy)[i]);
        strvec_push(argv, "--cpu");
        strvec_push(argv, buf_str(&list));
    }
    if (opts->memory_limit_bytes > 0) {
        strvec_push(argv, "--memory");
        strvec_pushf(argv, "%.0f", opts->memory_limit_bytes);
    }
    buf_release(&list);
}

void launch_push_environment(struct strvec *env, const struct run_program *program,
                             const struct run_opts *opts, size_t copy)
{
    const char *schedule = program->place ? program->place->schedule : NULL;
    struct buf places = {0};

    strvec_pushf(env, "OMP_NUM_THREADS=%d", opts->threads);
    strvec_push(env, "OMP_DYNAMIC=false"); /* as many as asked for, or none */
    if (opts->cpu) {
        for (int i = 0; i < opts->threads; i++)
            buf_addf(&places, "%s{%d}", i ? "," : "", cpus_of(opts, copy)[i]);
        strvec_pushf(env, "OMP_PLACES=%s", buf_str(&places));
        strvec_push(env, "OMP_PROC_BIND=close");
    }
    if (schedule && *schedule)
        strvec_pushf(env, "OMP_SCHEDULE=%s", schedule);
    buf_release(&places);
}

static char *results_path(const struct running *running, size_t copy)
{
    return xasprintf("%s/results.%zu", running->folder, copy);
}

/* What is not said is warm. */
static void push_start(struct strvec *argv, const struct run_opts *opts)
{
    if (opts->start == RUN_START_WARM)
        return;
    strvec_push(argv, "--start");
    strvec_push(argv, run_start_word(opts->start));
}

static size_t batches(const struct run_opts *full)
{
    return full->samples_per_launch * full->minimum_of;
}

void launch_push_copy(struct strvec *argv, const struct run_opts *opts, size_t copy,
                      const char *barrier)
{
    strvec_push(argv, "--copies");
    strvec_pushf(argv, "%zu", opts->copies);
    strvec_push(argv, "--index");
    strvec_pushf(argv, "%zu", copy);
    strvec_push(argv, "--barrier");
    strvec_push(argv, barrier);
    push_start(argv, opts);
}

static void push_timing(struct strvec *argv, const struct running *running, size_t copy)
{
    const struct run_opts *opts = running->opts;
    const struct gate_pipes *pipes = running->gate.pipes;
    char *results = results_path(running, copy);

    strvec_push(argv, "--out");
    strvec_push(argv, results);
    launch_push_copy(argv, opts, copy, running->barrier);
    strvec_push(argv, "--samples");
    strvec_pushf(argv, "%zu", batches(opts));
    strvec_push(argv, "--sample-min-ns");
    strvec_pushf(argv, "%.0f", opts->sample_min_s * 1e9);
    strvec_push(argv, "--limit-ns");
    strvec_pushf(argv, "%.0f", running->limit_s * 1e9);
    if (opts->stop_at_s > 0) {
        strvec_push(argv, "--stop-at-ns");
        strvec_pushf(argv, "%.9g", opts->stop_at_s * 1e9);
    }
    if (pipes) {
        strvec_push(argv, "--gate");
        strvec_pushf(argv, "%d,%d", pipes[copy].to_copy[0], pipes[copy].from_copy[1]);
    }
    free(results);
}

int launch_make_folder(const struct run_opts *opts, char **folder, bool *own,
                       struct error *err)
{
    *own = !opts->scratch;
    if (*own)
        return scratch_make(folder, err);
    *folder = path_join(opts->scratch, "launch-XXXXXX");
    if (mkdtemp(*folder))
        return 0;
    fail(err, STATUS_MISSING, "cannot make a folder in '%s': %s", opts->scratch,
         strerror(errno));
    free(*folder);
    *folder = NULL;
    return -1;
}

void launch_remove_folder(char *folder_owned, bool own)
{
    if (folder_owned && own) {
        scratch_remove(folder_owned);
    } else if (folder_owned) {
        dir_remove_all(folder_owned);
        free(folder_owned);
    }
}

int launch_make_barrier(const char *path, struct error *err)
{
    static const char zeroes[LAUNCH_BARRIER_BYTES];

    return file_write(path, zeroes, sizeof(zeroes), err);
}

static int prepare(struct running *running, struct error *err)
{
    size_t copies = running->opts->copies;

    running->child = xcalloc(copies, sizeof(struct spawn_child *));
    running->end = xcalloc(copies, sizeof(*running->end));
    if (launch_make_folder(running->opts, &running->folder, &running->own_scratch, err))
        return -1;
    running->barrier = path_join(running->folder, "barrier");
    if (launch_make_barrier(running->barrier, err))
        return -1;
    return running->opts->at_gate ? gate_open(&running->gate, copies, err) : 0;
}

static int start_copy(struct running *running, size_t copy, struct error *err)
{
    const struct gate_pipes *pipes = running->gate.pipes;
    struct spawn_request request = {.timeout_s = running->opts->launch_limit_s};
    struct strvec argv = {0}, env = {0};
    int result;

    launch_push_common(&argv, running->program, running->opts, copy);
    push_timing(&argv, running, copy);
    launch_push_environment(&env, running->program, running->opts, copy);
    request.argv = (const char *const *)argv.v;
    request.env_extra = (const char *const *)env.v;
    if (pipes) {
        request.pass_fd[0] = pipes[copy].to_copy[0];
        request.pass_fd[1] = pipes[copy].from_copy[1];
    }
    result = spawn_start(&request, &running->child[copy], err);
    strvec_release(&env);
    strvec_release(&argv);
    return result;
}

static int run_copies(struct running *running, struct error *err)
{
    size_t copies = running->opts->copies;

    if (background_start(running->program, running->opts, running->folder,
                         &running->background, err))
        return -1;
    for (size_t i = 0; i < copies; i++)
        if (start_copy(running, i, err))
            return -1;
    if (running->opts->at_gate)
        return gate_wait_all(&running->gate, running->opts, running->child, running->end,
                             err);
    return spawn_wait_all(running->child, copies, true, running->end, err);
}

int launch_check_started(const struct run_program *program,
                         const struct spawn_outcome *end, struct error *err)
{
    if (end->end != SPAWN_NOT_STARTED)
        return 0;
    if (end->code == EACCES)
        return fail(
            err, STATUS_MISSING,
            "'%s' may not be started: set TMPDIR to a folder whose file system is "
            "not mounted noexec ('inflight doctor' says more)",
            program->path);
    return fail(err, STATUS_FAILED, "cannot start '%s': %s", program->path,
                strerror(end->code));
}

void launch_join_verdict_take(struct launch *launch, struct verdict verdict,
                              unsigned blame)
{
    if (verdict.weight > launch->verdict.weight)
        launch->blame = blame;
    verdict_join_take(&launch->verdict, verdict);
}

void launch_read_results(struct launch *launch, const char *path, size_t samples_max,
                         double wall_s, struct copy_results *results, unsigned blame)
{
    struct error why = {0};

    if (copy_results_read(path, samples_max, wall_s, results, &why))
        launch_join_verdict_take(launch, verdict_bad_results_take(xstrdup(why.text)),
                                 blame);
}

void launch_add_usage(struct launch *launch, const struct spawn_outcome *end)
{
    if (end->max_rss_kib > launch->max_rss_kib)
        launch->max_rss_kib = end->max_rss_kib;
    launch->involuntary_switches += end->involuntary_switches;
    launch->major_faults += end->major_faults;
    launch->left_behind += end->left_behind;
}

/* Sets the usage of one copy and joins its verdict. */
static int judge_copy(const struct running *running, const struct circumstances *around,
                      size_t copy, struct launch *launch, struct error *err)
{
    const struct spawn_outcome *end = &running->end[copy];
    char *path;

    if (launch_check_started(running->program, end, err))
        return -1;
    launch_add_usage(launch, end);
    launch_join_verdict_take(launch, verdict_of_end(end, around), LAUNCH_FIRST);
    if (end->end != SPAWN_EXITED || end->code != 0)
        return 0;
    path = results_path(running, copy);
    launch_read_results(launch, path, 2 * batches(running->opts), end->wall_s,
                        &launch->copy[copy], LAUNCH_FIRST);
    free(path);
    return 0;
}

static int judge(const struct running *running, const struct circumstances *around,
                 struct launch *launch, struct error *err)
{
    launch->copies = running->opts->copies;
    launch->copy = xcalloc(launch->copies, sizeof(*launch->copy));
    for (size_t i = 0; i < launch->copies; i++)
        if (judge_copy(running, around, i, launch, err))
            return -1;
    return 0;
}

/* Ends copies that nobody has waited for: some other step failed. */
static void stop_copies(struct running *running)
{
    for (size_t i = 0; running->child && i < running->opts->copies; i++) {
        if (!running->child[i])
            continue;
        if (spawn_pid(running->child[i]) > 0)
            kill(-spawn_pid(running->child[i]), SIGKILL);
        spawn_wait_all(&running->child[i], 1, false, &running->end[i], NULL);
    }
}

static void finish(struct running *running)
{
    stop_copies(running);
    background_release(&running->background);
    for (size_t i = 0; running->end && i < running->opts->copies; i++)
        spawn_outcome_release(&running->end[i]);
    free(running->end);
    free(running->child);
    gate_release(&running->gate);
    free(running->barrier);
    launch_remove_folder(running->folder, running->own_scratch);
}

static int run_flight(struct running *running, struct launch *launch, struct error *err)
{
    struct circumstances around = circumstances_before(running->opts->launch_limit_s);
    double started = clock_s();
    int result = -1;

    *launch = (struct launch){0};
    enum account before = account_switch(ACCOUNT_TIMING);
    bool landed = prepare(running, err) == 0 && run_copies(running, err) == 0;
    account_switch(before);
    if (landed) {
        circumstances_after(&around);
        background_stop(&running->background);
        launch->background_note = running->background.note;
        running->background.note = NULL;
        result = judge(running, &around, launch, err);
    }
    finish(running);
    launch->wall_s = clock_s() - started;
    if (result)
        launch_release(launch);
    return result;
}

int launch_run(const struct run_program *program, const struct run_opts *opts,
               double limit_s, struct launch *launch, struct error *err)
{
    struct running running = {.program = program, .opts = opts, .limit_s = limit_s};

    return run_flight(&running, launch, err);
}
