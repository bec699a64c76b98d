/* Copies of a process that hold a kernel's arrays, load variants and time them in turn.
 */
#define _POSIX_C_SOURCE 200809L /* dprintf */
#include "core/run/run_parts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As templates/harness/program_slots.c has them. From turn_at on, a byte of the barrier's
 * file for each copy says whose call is under way: one of LAUNCH_FIRST and LAUNCH_SECOND,
 * 0 = none. */
enum { slots = 16, turn_at = 2048 };
static const double default_settle_s = 0.05, default_sample_s = 1e-3;
/* Mapping and filling 24 GiB takes less. */
static const double load_limit_s = 60;
/* From the end of its answers to that of a process. */
static const double ending_s = 0.2;

struct run_arena {
    struct run_program program;
    struct run_opts opts; /* with the program's place */
    struct strvec args;
    struct run_place place;
    char *folder, *barrier;
    bool own_scratch, runs;
    struct gate gate;
    struct background background;
    struct spawn_child **child;
    struct spawn_outcome *end;
    struct circumstances around;
    struct {
        char *path; /* NULL = empty */
        unsigned long used;
    } slot[slots];
    unsigned long commands;
    unsigned generation; /* of its processes, from 0 */
    unsigned turns;      /* in this generation */
};

int run_arena_open(const struct run_program *program, const struct run_opts *opts,
                   struct run_arena **out, struct error *err)
{
    struct run_arena *arena = xcalloc(1, sizeof(*arena));
    struct run_opts full = launch_defaults(opts);

    arena->program = *program;
    arena->opts = launch_placed(program, &full);
    if (program->args)
        strvec_push_all(&arena->args, program->args);
    arena->program.args = &arena->args;
    if (program->place) {
        arena->place = *program->place;
        arena->program.place = &arena->place;
    }
    arena->program.path = xstrdup(program->path);
    arena->child = xcalloc(arena->opts.copies, sizeof(struct spawn_child *));
    arena->end = xcalloc(arena->opts.copies, sizeof(*arena->end));
    if (launch_make_folder(&arena->opts, &arena->folder, &arena->own_scratch, err)) {
        run_arena_close(arena);
        return -1;
    }
    arena->barrier = path_join(arena->folder, "barrier");
    *out = arena;
    return 0;
}

void run_arena_close(struct run_arena *arena)
{
    if (!arena)
        return;
    arena_stop(arena, NULL);
    launch_remove_folder(arena->folder, arena->own_scratch);
    strvec_release(&arena->args);
    free((char *)arena->program.path);
    free(arena->barrier);
    free(arena->child);
    free(arena->end);
    free(arena);
}

void run_arena_rest(struct run_arena *arena)
{
    arena_stop(arena, NULL);
}

unsigned run_arena_starts(const struct run_arena *arena)
{
    return arena->generation;
}

bool run_arena_is_fresh(const struct run_arena *arena)
{
    return arena->turns <= 1;
}

/* ---- its processes ---- */

static int start_copy(struct run_arena *arena, size_t copy, struct error *err)
{
    const struct gate_pipes *pipes = &arena->gate.pipes[copy];
    struct spawn_request request = {.pass_fd = {pipes->to_copy[0], pipes->from_copy[1]}};
    struct strvec argv = {0}, env = {0};
    int result;

    launch_push_common(&argv, &arena->program, &arena->opts, copy);
    launch_push_copy(&argv, &arena->opts, copy, arena->barrier);
    strvec_push(&argv, "--commands");
    strvec_pushf(&argv, "%d,%d", pipes->to_copy[0], pipes->from_copy[1]);
    launch_push_environment(&env, &arena->program, &arena->opts, copy);
    request.argv = (const char *const *)argv.v;
    request.env_extra = (const char *const *)env.v;
    result = spawn_start(&request, &arena->child[copy], err);
    strvec_release(&env);
    strvec_release(&argv);
    return result;
}

static int start(struct run_arena *arena, struct error *err)
{
    if (arena->runs)
        return 0;
    arena->around = circumstances_before(arena->opts.launch_limit_s);
    if (launch_make_barrier(arena->barrier, err) ||
        gate_open(&arena->gate, arena->opts.copies, err))
        return -1;
    arena->runs = true; /* what there is of it can be stopped */
    arena->generation++;
    arena->turns = 0;
    if (background_start(&arena->program, &arena->opts, arena->folder, &arena->background,
                         err))
        return -1;
    for (size_t i = 0; i < arena->opts.copies; i++)
        if (start_copy(arena, i, err))
            return -1;
    gate_keep_ours(&arena->gate); /* the end of a copy is then the end of its answers */
    return 0;
}

/* Ends copies that still run, and waits for all. */
static void end_copies(struct run_arena *arena)
{
    for (size_t i = 0; i < arena->opts.copies; i++) {
        if (!arena->child[i])
            continue;
        if (!spawn_wait_for(arena->child[i], 0) && spawn_pid(arena->child[i]) > 0)
            kill(-spawn_pid(arena->child[i]), SIGKILL);
        spawn_wait_all(&arena->child[i], 1, false, &arena->end[i], NULL);
        arena->child[i] = NULL;
    }
    circumstances_after(&arena->around);
}

void arena_stop(struct run_arena *arena, struct launch *usage)
{
    if (!arena->runs)
        return;
    gate_release(&arena->gate); /* whoever waits for commands ends by himself */
    for (size_t i = 0; i < arena->opts.copies; i++)
        if (arena->child[i])
            spawn_wait_for(arena->child[i], 1);
    end_copies(arena);
    background_stop(&arena->background);
    if (usage) {
        usage->background_note = arena->background.note;
        arena->background.note = NULL;
    }
    background_release(&arena->background);
    for (size_t i = 0; i < arena->opts.copies; i++) {
        if (usage)
            launch_add_usage(usage, &arena->end[i]);
        spawn_outcome_release(&arena->end[i]);
    }
    for (size_t i = 0; i < slots; i++) {
        free(arena->slot[i].path);
        arena->slot[i].path = NULL;
    }
    arena->runs = false;
}

/* ---- commands ---- */

enum answer { ALL_ANSWERED, SOME_REFUSED, SOME_ENDED, NONSENSE, TOO_LATE };

static void tell(const struct run_arena *arena, const char *line)
{
    for (size_t i = 0; i < arena->opts.copies; i++)
        dprintf(arena->gate.pipes[i].to_copy[1], "%s\n", line);
}

static enum answer answer_of(int fd, char wanted)
{
    char letter;

    if (read(fd, &letter, 1) != 1)
        return SOME_ENDED;
    return letter == wanted ? ALL_ANSWERED : letter == 'N' ? SOME_REFUSED : NONSENSE;
}

/* Reads what is there; fd -1 = has answered. Returns the worst. */
static enum answer take_answers(int *fd, size_t nr, char wanted)
{
    enum answer worst = ALL_ANSWERED;

    for (size_t i = 0; i < nr; i++) {
        struct pollfd ready = {.fd = fd[i], .events = POLLIN};

        if (poll(&ready, 1, 0) <= 0)
            continue;
        enum answer one = answer_of(fd[i], wanted);
        worst = one > worst ? one : worst;
        fd[i] = -1;
    }
    return worst;
}

static bool have_answered(const int *fd, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (fd[i] >= 0)
            return false;
    return true;
}

/* One letter of each copy: the wanted one, or that it refuses. */
static enum answer wait_for_answers(struct run_arena *arena, char wanted, double limit_s)
{
    size_t nr = arena->opts.copies;
    int *fd = xcalloc(nr, sizeof(*fd));
    double until = clock_s() + limit_s;
    enum answer answer = ALL_ANSWERED;

    for (size_t i = 0; i < nr; i++)
        fd[i] = arena->gate.pipes[i].from_copy[0];
    while (answer <= SOME_REFUSED && !have_answered(fd, nr)) {
        bool ended = spawn_wait_to_read(arena->child, nr, fd, nr, until - clock_s());
        enum answer now = take_answers(fd, nr, wanted);

        answer = now > answer ? now : answer;
        if (answer <= SOME_REFUSED && !have_answered(fd, nr) &&
            (ended || spawn_interrupted()))
            answer = SOME_ENDED;
        else if (answer <= SOME_REFUSED && !have_answered(fd, nr) && clock_s() > until)
            answer = TOO_LATE;
    }
    free(fd);
    return answer;
}

/* Whose call was under way when a copy ended; 0 = nobody's. It stands in memory that a
 * broken kernel may have written to: what makes no sense says nothing. */
static unsigned turn_of(const struct run_arena *arena, size_t copy)
{
    struct buf text = {0};
    unsigned turn = 0;

    if (file_read(arena->barrier, &text, NULL) == 0 && turn_at + copy < text.length)
        turn = (unsigned char)text.data[turn_at + copy];
    buf_release(&text);
    return turn == LAUNCH_FIRST || turn == LAUNCH_SECOND ? turn : 0;
}

/* Copies that wait at the barrier are late with the one that they wait for: it alone is
 * in a call. */
static unsigned all_turns(const struct run_arena *arena)
{
    unsigned turns = 0;

    for (size_t i = 0; i < arena->opts.copies; i++)
        turns |= turn_of(arena, i);
    return turns;
}

/* None may end by itself. */
static struct verdict verdict_of(const struct spawn_outcome *end,
                                 const struct circumstances *around)
{
    if (end->end == SPAWN_EXITED && end->code == 0)
        return verdict_bad_results_take(
            xstrdup("it ended before its results were complete"));
    return verdict_of_end(end, around);
}

/* Why its copies are no more; `blame`: whose fault it is if no call was under way. */
static int judge_end(struct run_arena *arena, enum answer answer, double limit_s,
                     unsigned blame, struct launch *launch, struct error *err)
{
    unsigned late = all_turns(arena);
    bool ended = answer == TOO_LATE || spawn_interrupted();

    /* Its answers end before it does. */
    for (size_t i = 0; i < arena->opts.copies && answer == SOME_ENDED; i++)
        ended = spawn_wait_for(arena->child[i], ended ? 0 : ending_s) || ended;
    end_copies(arena);
    if (!ended)
        launch_join_verdict_take(
            launch,
            verdict_bad_results_take(xstrdup("it wrote to descriptors that are not its "
                                             "own, or closed them")),
            late ? late : blame);
    arena->around.limit_s = limit_s;
    for (size_t i = 0; i < arena->opts.copies; i++) {
        struct spawn_outcome *end = &arena->end[i];
        unsigned turn = turn_of(arena, i);

        if (launch_check_started(&arena->program, end, err))
            return -1;
        if (answer == TOO_LATE)
            end->end = SPAWN_TIMED_OUT;
        else if (spawn_interrupted())
            end->end = SPAWN_INTERRUPTED;
        launch_join_verdict_take(launch, verdict_of(end, &arena->around),
                                 answer == TOO_LATE && late ? late
                                 : turn                     ? turn
                                                            : blame);
    }
    arena_stop(arena, launch);
    return 0;
}

/* Returns 1 when the arena is no more; launch->verdict then says why. */
static int command(struct run_arena *arena, const char *line, double limit_s,
                   unsigned blame, bool *refused, struct launch *launch,
                   struct error *err)
{
    enum answer answer;

    tell(arena, line);
    answer = wait_for_answers(arena, *line == 'l' ? 'L' : 'D', limit_s);
    *refused = answer == SOME_REFUSED;
    if (answer == ALL_ANSWERED || answer == SOME_REFUSED)
        return 0;
    return judge_end(arena, answer, limit_s, blame, launch, err) ? -1 : 1;
}

/* ---- variants in slots ---- */

/* The one that it is in, or the one that was not used for longest; never `other`. */
static size_t slot_for(const struct run_arena *arena, const char *path, size_t other)
{
    size_t oldest = other == 0;

    for (size_t i = 0; i < slots; i++)
        if (i != other && arena->slot[i].path && strcmp(arena->slot[i].path, path) == 0)
            return i;
    for (size_t i = 0; i < slots; i++)
        if (i != other && arena->slot[i].used < arena->slot[oldest].used)
            oldest = i;
    return oldest;
}

static int load(struct run_arena *arena, size_t at, const char *path, unsigned side,
                struct launch *launch, struct error *err)
{
    char *line;
    bool refused;
    int result;

    arena->slot[at].used = ++arena->commands;
    if (arena->slot[at].path && strcmp(arena->slot[at].path, path) == 0)
        return 0;
    line = xasprintf("load %zu %s", at, path);
    free(arena->slot[at].path);
    arena->slot[at].path = NULL;
    result = command(arena, line, load_limit_s, side, &refused, launch, err);
    free(line);
    if (result)
        return result;
    if (refused) {
        launch_join_verdict_take(
            launch,
            (struct verdict){RUN_OUTCOME_NOT_BUILT,
                             xstrdup("its library could not be loaded"), 1},
            side);
        return 1;
    }
    arena->slot[at].path = xstrdup(path);
    return 0;
}

/* ---- turns ---- */

static char *turns_line(const struct run_turns *how, const size_t slot[2],
                        const char *path)
{
    return xasprintf("turns %zu %zu %d %zu %.0f %.0f %.0f %.9g %.9g %s", slot[0], slot[1],
                     how->first, how->pairs,
                     (how->sample_min_s > 0 ? how->sample_min_s : default_sample_s) * 1e9,
                     (how->settle_s > 0 ? how->settle_s : default_settle_s) * 1e9,
                     how->limit_s * 1e9, how->first_limit_s * 1e9, how->stop_ratio, path);
}

/* Each copy writes files of its own: the program adds its number. */
static void read_results(const struct run_arena *arena, const char *path, size_t max,
                         double wall_s, struct launch *launch)
{
    for (size_t i = 0; i < arena->opts.copies; i++) {
        char *first = xasprintf("%s.%zu", path, i),
             *second = xasprintf("%s.%zu.second", path, i);

        launch_read_results(launch, first, max, wall_s, &launch->copy[i], LAUNCH_FIRST);
        launch_read_results(launch, second, max, wall_s, &launch->second[i],
                            LAUNCH_SECOND);
        unlink(first);
        unlink(second);
        free(first);
        free(second);
    }
}

static int take_turns(struct run_arena *arena, const size_t slot[2],
                      const struct run_turns *how, struct launch *launch,
                      struct error *err)
{
    char *path = path_join(arena->folder, "results"), *line = turns_line(how, slot, path);
    double began_s = clock_s(),
           limit_s = how->kill_s > 0 ? how->kill_s : arena->opts.launch_limit_s;
    bool refused;
    int result = command(arena, line, limit_s, LAUNCH_BOTH, &refused, launch, err);

    arena->turns++;
    if (result == 0)
        read_results(arena, path, 2 * how->pairs, clock_s() - began_s, launch);
    free(line);
    free(path);
    return result;
}

int arena_turns(struct run_arena *arena, const char *const library[2],
                const struct run_turns *how, struct launch *launch, struct error *err)
{
    enum account before = account_switch(ACCOUNT_TIMING);
    double began_s = clock_s();
    bool ran = arena->runs;
    size_t slot[2];
    int result;

    *launch = (struct launch){.copies = arena->opts.copies};
    launch->copy = xcalloc(launch->copies, sizeof(*launch->copy));
    launch->second = xcalloc(launch->copies, sizeof(*launch->second));
    result = start(arena, err);
    if (result) {
        arena_stop(arena, NULL);
    } else {
        slot[0] = slot_for(arena, library[0], slots);
        result = load(arena, slot[0], library[0], LAUNCH_FIRST, launch, err);
    }
    launch->starting_s = ran || result ? 0 : clock_s() - began_s;
    if (result == 0) {
        slot[1] = slot_for(arena, library[1], slot[0]);
        result = load(arena, slot[1], library[1], LAUNCH_SECOND, launch, err);
    }
    if (result == 0)
        result = take_turns(arena, slot, how, launch, err);
    launch->wall_s = clock_s() - began_s;
    account_switch(before);
    if (result < 0)
        launch_release(launch);
    return result < 0 ? -1 : 0;
}
