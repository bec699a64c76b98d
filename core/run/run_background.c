#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#include "core/run/run_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* To fill an area larger than the caches, 512 MiB at most, on a busy machine. */
static const double ready_limit_s = 10;

/* ---- where ---- */

static bool is_in(int cpu, const int *list, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (list[i] == cpu)
            return true;
    return false;
}

static bool has_sibling_in(int cpu, const int *list, size_t nr,
                           bool (*siblings)(int a, int b))
{
    for (size_t i = 0; i < nr; i++)
        if (siblings(cpu, list[i]))
            return true;
    return false;
}

size_t background_cpus(const int *allowed, size_t allowed_nr, const int *used,
                       size_t used_nr, bool (*siblings)(int a, int b), int *out,
                       bool *on_siblings)
{
    size_t nr = 0;

    *on_siblings = false;
    for (size_t i = 0; i < allowed_nr; i++)
        if (!is_in(allowed[i], used, used_nr) &&
            !has_sibling_in(allowed[i], used, used_nr, siblings) &&
            !has_sibling_in(allowed[i], out, nr, siblings))
            out[nr++] = allowed[i];
    if (nr > 0)
        return nr;
    for (size_t i = 0; i < allowed_nr; i++)
        if (!is_in(allowed[i], used, used_nr))
            out[nr++] = allowed[i];
    *on_siblings = nr > 0;
    return nr;
}

/* "0-1,8": whether the list names the number. */
static bool list_names(const char *list, long number)
{
    long low, high;

    while (range_next(&list, &low, &high) > 0)
        if (number >= low && number <= high)
            return true;
    return false;
}

static bool are_siblings(int a, int b)
{
    char *path =
        xasprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", a);
    struct buf text = {0};
    bool found =
        a != b && file_read(path, &text, NULL) == 0 && list_names(buf_str(&text), b);

    buf_release(&text);
    free(path);
    return found;
}

static size_t allowed_cpus(int cpu[CPU_SETSIZE])
{
    cpu_set_t set;
    size_t nr = 0;

    if (sched_getaffinity(0, sizeof(set), &set))
        return 0; /* more cpus than the set holds: none can be told apart */
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            cpu[nr++] = i;
    return nr;
}

/* Copies that are not bound take any cpus: helpers are not bound either (-1). */
static size_t choose(const struct run_opts *opts, int out[CPU_SETSIZE], bool *on_siblings)
{
    int allowed[CPU_SETSIZE];
    size_t nr = allowed_cpus(allowed), used = opts->copies * (size_t)opts->threads;

    *on_siblings = false;
    if (opts->cpu)
        return background_cpus(allowed, nr, opts->cpu, used, are_siblings, out,
                               on_siblings);
    for (size_t i = used; i < nr; i++)
        out[i - used] = -1;
    return nr > used ? nr - used : 0;
}

/* ---- the helpers ---- */

static char *ready_path(const char *folder, size_t i)
{
    return xasprintf("%s/background.%zu", folder, i);
}

static int start_one(const struct run_program *program, const struct run_opts *opts,
                     int cpu, const char *file, struct spawn_child **child,
                     struct error *err)
{
    struct strvec argv = {0};
    int result;

    strvec_push(&argv, program->path);
    strvec_push(&argv, "--background");
    strvec_push(&argv, run_background_word(opts->background));
    strvec_push(&argv, "--out");
    strvec_push(&argv, file);
    if (cpu >= 0) {
        strvec_push(&argv, "--cpu");
        strvec_pushf(&argv, "%d", cpu);
    }
    result = spawn_start(&(struct spawn_request){.argv = (const char *const *)argv.v},
                         child, err);
    strvec_release(&argv);
    return result;
}

/* False when the time is over. Those that have ended are told of at the end. */
static bool wait_for_file(const char *path, double until)
{
    while (!file_exists(path)) {
        if (clock_s() > until || spawn_interrupted())
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return true;
}

static void add_note(struct background *background, const char *text)
{
    if (!background->note)
        background->note = xstrdup(text);
}

static int start_all(const struct run_program *program, const struct run_opts *opts,
                     const char *folder, const int *cpu, size_t nr,
                     struct background *background, struct error *err)
{
    double until = clock_s() + ready_limit_s;

    background->child = xcalloc(nr, sizeof(struct spawn_child *));
    for (; background->nr < nr; background->nr++) {
        char *file = ready_path(folder, background->nr);
        int status = start_one(program, opts, cpu[background->nr], file,
                               &background->child[background->nr], err);

        free(file);
        if (status)
            return -1;
    }
    for (size_t i = 0; i < nr; i++) {
        char *file = ready_path(folder, i);

        if (!wait_for_file(file, until))
            add_note(background, "the background load was not up when sampling began");
        free(file);
    }
    return 0;
}

int background_start(const struct run_program *program, const struct run_opts *opts,
                     const char *folder, struct background *background, struct error *err)
{
    int cpu[CPU_SETSIZE];
    bool on_siblings;
    size_t nr;

    *background = (struct background){0};
    if (opts->background == RUN_BACKGROUND_IDLE)
        return 0;
    nr = choose(opts, cpu, &on_siblings);
    if (nr == 0) {
        add_note(background, "no background load: the copies use every core; ask for "
                             "fewer copies");
        return 0;
    }
    if (on_siblings)
        add_note(background, "the background load ran on hardware threads of the "
                             "measured cores; ask for fewer copies");
    return start_all(program, opts, folder, cpu, nr, background, err);
}

void background_stop(struct background *background)
{
    size_t nr = background->nr;
    struct spawn_outcome *end = xcalloc(nr + 1, sizeof(*end));

    for (size_t i = 0; i < nr; i++)
        if (spawn_pid(background->child[i]) > 0)
            kill(-spawn_pid(background->child[i]), SIGKILL);
    if (nr > 0)
        spawn_wait_all(background->child, nr, false, end, NULL);
    for (size_t i = 0; i < nr; i++) {
        if (end[i].end == SPAWN_EXITED || end[i].end == SPAWN_NOT_STARTED)
            add_note(background, "the background load ended before the samples did");
        spawn_outcome_release(&end[i]);
    }
    free(end);
    free(background->child);
    background->child = NULL;
    background->nr = 0;
}

void background_release(struct background *background)
{
    background_stop(background);
    free(background->note);
    *background = (struct background){0};
}
