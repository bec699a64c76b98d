/* The script inflight-slurm with the real Slurm, three nodes on this machine. What single
 * commands print is test_cluster.py's. */
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/json.h"
#include "tests/advisor/cluster/slurm_fixture.h"
#include "tests/check.h"

SUITE(cluster_slurm);

enum { NODES = 3 };

/* Says that it is there, as a worker does, and does nothing. */
static const char worker[] =
    "#!/bin/sh\n"
    "job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"
    "echo \"{\\\"job\\\": \\\"$job\\\"}\" >\"$2/workers/$SLURMD_NODENAME.$job.json\"\n"
    "echo \"$job of it\"\n"
    "exec sleep 1000\n";

/* A Slurm, the folder of a campaign with a blank in its name, and what the script said
 * last. */
struct site {
    struct slurm_fixture slurm;
    char *scratch, *dir, *program, *slurm_dir;
    json_t *told;
};

static bool site_open(struct site *site)
{
    struct error err = {0};

    *site = (struct site){0};
    if (!check_ok(scratch_make(&site->scratch, &err), &err))
        return false;
    site->dir = path_join(site->scratch, "a 1% folder");
    site->program = path_join(site->scratch, "worker");
    char *workers = path_join(site->dir, "workers");
    bool made = check_ok(dir_make_all(workers, &err), &err) &&
                check_ok(file_write(site->program, worker, strlen(worker), &err), &err) &&
                check_eq(chmod(site->program, 0755), 0) &&
                check_ok(slurm_fixture_start(&site->slurm, NODES, 0, &err), &err);
    free(workers);
    if (made)
        site->slurm_dir = xstrdup(site->slurm.dir);
    return made;
}

static void site_close(struct site *site)
{
    slurm_fixture_stop(&site->slurm);
    if (site->slurm_dir)
        check_eq(slurm_fixture_processes(site->slurm_dir), 0);
    json_decref(site->told);
    free(site->slurm_dir);
    free(site->program);
    free(site->dir);
    scratch_remove(site->scratch);
}

/* `more`: an option; NULL = none. A failure is told by `want`, a part of what it says. */
static void call(struct site *site, const char *action, const char *more,
                 const char *want)
{
    static const char script[] = INFLIGHT_SOURCE_DIR "/advisor/cluster/inflight-slurm";
    char *program = xasprintf("--program=%s", site->program);
    const char *const argv[] = {script, action, site->dir, program, more, NULL};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    json_decref(site->told);
    site->told = NULL;
    if (check_ok(spawn_run(&(struct spawn_request){.argv = argv}, &outcome, &err),
                 &err)) {
        if (want)
            check_contains(buf_str(&outcome.err), want);
        else
            check_str(buf_str(&outcome.err), "");
        if (!want)
            check_ok(
                json_read_text(buf_str(&outcome.out), "told", NULL, &site->told, &err),
                &err);
        spawn_outcome_release(&outcome);
    }
    free(program);
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static size_t workers(const struct site *site)
{
    char *pattern = path_join(site->dir, "workers/*.json");
    glob_t found = {0};

    glob(pattern, 0, NULL, &found);
    size_t nr = found.gl_pathc;
    globfree(&found);
    free(pattern);
    return nr;
}

static bool await_workers(const struct site *site, size_t nr)
{
    double until_s = clock_s() + PATIENCE_S;

    while (workers(site) < nr && clock_s() < until_s)
        rest();
    return check(workers(site) >= nr);
}

/* All nodes have a worker of array 1. */
static bool begin(struct site *site)
{
    if (!site_open(site))
        return false;
    call(site, "submit", "--partition=p", NULL);
    return await_workers(site, NODES);
}

static const char *why_over(const struct site *site, const char *job)
{
    const char *why =
        json_string_value(json_object_get(json_object_get(site->told, "over"), job));
    return why ? why : "it is there";
}

static bool is(const struct site *site, const char *what)
{
    const json_t *told = json_object_get(site->told, what);
    return json_is_true(told) || json_array_size(told) > 0;
}

/* Until that is why it is over. */
static void await_over(struct site *site, const char *job, const char *why)
{
    double until_s = clock_s() + PATIENCE_S;

    do {
        call(site, "watch", NULL, NULL);
        rest();
    } while (strcmp(why_over(site, job), why) != 0 && clock_s() < until_s);
    check_str(why_over(site, job), why);
}

static void command(const char *const *argv)
{
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check_ok(spawn_run(&(struct spawn_request){.argv = argv}, &outcome, &err), &err);
    check_eq(outcome.code, 0);
    check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
}

TEST("as many workers as nodes are up come, print to the folder, and are cancelled")
{
    struct site site;

    if (!begin(&site))
        return site_close(&site);
    call(&site, "watch", NULL, NULL);
    check(!is(&site, "ended") && !is(&site, "awaited"));
    for (int task = 1; task <= NODES; task++) {
        char *job = xasprintf("1_%d", task), *want = xasprintf("%s of it\n", job),
             *log = xasprintf("%s/inflight-a 1%% folder-1-%d.log", site.dir, task);
        struct error err = {0};
        struct buf text = {0};

        check_str(why_over(&site, job), "it is there");
        check_ok(file_read(log, &text, &err), &err);
        check_str(buf_str(&text), want);
        buf_release(&text);
        free(log);
        free(want);
        free(job);
    }
    call(&site, "submit", "--partition=q", NULL); /* its only node is taken */
    call(&site, "watch", NULL, NULL);
    check(!is(&site, "ended") && is(&site, "awaited"));
    call(&site, "cancel", NULL, NULL);
    check(is(&site, "over"));
    call(&site, "watch", NULL, NULL);
    check(is(&site, "ended") && !is(&site, "awaited"));
    check_str(why_over(&site, "1_2"), "its job is over (CANCELLED)");
    call(&site, "cancel", NULL, NULL); /* has ended */
    check(is(&site, "over"));
    site_close(&site);
}

TEST("Slurm's own words are passed on where it refuses")
{
    struct site site;

    if (!site_open(&site))
        return site_close(&site);
    call(&site, "submit", "--partition=r",
         "no partition 'r' here; there are: p, q, u (--partition)");
    call(&site, "submit", "--constraint=n9", "Invalid feature specification");
    slurm_fixture_end_controller(&site.slurm);
    call(&site, "submit", "--nodes=1", "Unable to contact slurm controller");
    site_close(&site);
}

TEST("a worker whose job is requeued, or makes room for another one, is over")
{
    static const char *const requeue[] = {"scontrol", "requeue", "1_2", NULL},
                             *const urgent[] = {"sbatch",
                                                "--parsable",
                                                "--partition=u",
                                                "--constraint=n3",
                                                "--output=/dev/null",
                                                "--wrap=sleep 1000",
                                                NULL};
    struct site site;

    if (!begin(&site))
        return site_close(&site);
    command(requeue);
    await_over(&site, "1_2", "its job is over (PENDING)");
    check_str(why_over(&site, "1_1"), "it is there");
    command(urgent); /* tasks are given to nodes in order */
    await_over(&site, "1_3", "its job is over (PENDING)");
    site_close(&site);
}

TEST("a node that dies takes its worker, which comes back with it; the daemon alone does "
     "not")
{
    struct site site;

    if (!begin(&site))
        return site_close(&site);
    slurm_fixture_kill_daemon(&site.slurm, 1);
    slurm_fixture_start_node(&site.slurm, 1);
    slurm_fixture_kill_node(&site.slurm, 2);
    await_over(&site, "1_2", "its job is over (PENDING)");
    check_str(why_over(&site, "1_1"), "it is there");
    slurm_fixture_start_node(&site.slurm, 2);
    await_over(&site, "1_2", "it is there");
    site_close(&site);
}

static void check_silent(struct site *site, const char *part)
{
    call(site, "watch", NULL, NULL);
    const char *silence = json_string_value(json_object_get(site->told, "silence"));
    if (check(silence != NULL))
        check_contains(silence, part);
}

TEST("a controller that has ended, stands still or died is silent, and jobs go on")
{
    struct error err = {0};
    struct site site;

    if (!begin(&site))
        return site_close(&site);
    slurm_fixture_end_controller(&site.slurm);
    check_silent(&site, "Unable to contact slurm controller");
    check_ok(slurm_fixture_start_controller(&site.slurm, &err), &err);
    await_over(&site, "1_1", "it is there");
    slurm_fixture_freeze_controller(&site.slurm);
    check_silent(&site, "squeue"); /* its own patience, or ours */
    check_ok(slurm_fixture_start_controller(&site.slurm, &err), &err);
    await_over(&site, "1_1", "it is there");
    slurm_fixture_kill_controller(&site.slurm);
    check_silent(&site, "squeue");
    site_close(&site);
}

/* In a process that is killed while jobs run; it says where its folders are. */
static void run_and_die(int fd)
{
    struct buf text = {0};
    struct site site;

    if (begin(&site)) {
        buf_addf(&text, "%s\n%s", site.slurm.dir, site.scratch);
        if (write(fd, buf_str(&text), text.length) < 0)
            _exit(1);
    }
    kill(getpid(), SIGKILL);
}

TEST("nothing is left when we are killed")
{
    char dir[512] = "";
    int pipe_end[2];

    if (!check_eq(pipe(pipe_end), 0))
        return;
    pid_t child = fork();
    if (child == 0)
        run_and_die(pipe_end[1]);
    close(pipe_end[1]);
    waitpid(child, NULL, 0);
    ssize_t got = read(pipe_end[0], dir, sizeof(dir) - 1);
    close(pipe_end[0]);
    char *scratch = strchr(dir, '\n');
    if (!check(got > 0 && scratch))
        return;
    *scratch++ = '\0';
    double until_s = clock_s() + PATIENCE_S;
    while (slurm_fixture_processes(dir) > 0 && clock_s() < until_s)
        rest();
    check_eq(slurm_fixture_processes(dir), 0);
    dir_remove_all(dir);
    dir_remove_all(scratch);
}
