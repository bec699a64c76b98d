/* The real Slurm, with three nodes on this machine. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/cluster/slurm.h"
#include "core/base.h"
#include "tests/advisor/cluster/slurm_fixture.h"
#include "tests/check.h"

SUITE(cluster_slurm);

enum { NODES = 3 };

/* A Slurm, a folder with a blank in its name, and one submission. */
struct site {
    struct slurm_fixture slurm;
    char *scratch, *dir, *slurm_dir;
    struct strvec ids;
    struct slurm_jobs jobs;
};

static bool site_open(struct site *site)
{
    struct error err = {0};

    *site = (struct site){0};
    if (!check_ok(scratch_make(&site->scratch, &err), &err))
        return false;
    site->dir = path_join(site->scratch, "a 1% folder");
    if (!check_ok(dir_make_all(site->dir, &err), &err) ||
        !check_ok(slurm_fixture_start(&site->slurm, NODES, 0, &err), &err))
        return false;
    site->slurm_dir = xstrdup(site->slurm.dir);
    return true;
}

static void site_close(struct site *site)
{
    slurm_fixture_stop(&site->slurm);
    if (site->slurm_dir)
        check_eq(slurm_fixture_processes(site->slurm_dir), 0);
    free(site->slurm_dir);
    free(site->dir);
    scratch_remove(site->scratch);
    slurm_jobs_release(&site->jobs);
    strvec_release(&site->ids);
}

/* `script` runs with the folder as $0. */
static const char *submit(struct site *site, size_t node_nr, const char *script)
{
    const char *const command[] = {"sh", "-c", script, site->dir, NULL};
    struct error err = {0};
    char *id = NULL;

    if (check_ok(slurm_submit(&(struct slurm_request){.folder = site->dir,
                                                      .name = "task",
                                                      .command = command,
                                                      .node_nr = node_nr,
                                                      .partition = "p"},
                              &id, &err),
                 &err))
        strvec_push(&site->ids, id);
    free(id);
    return site->ids.nr ? site->ids.v[site->ids.nr - 1] : "";
}

static void ask(struct site *site)
{
    struct error err = {0};

    check_ok(slurm_jobs(&site->ids, PATIENCE_S, &site->jobs, &err), &err);
}

/* Of the queue; tasks that it does not list have ended. */
static enum slurm_state state_of(const struct site *site, size_t task)
{
    const struct slurm_task *found = slurm_jobs_find(&site->jobs, site->ids.v[0], task);

    return found ? found->state : SLURM_ENDED;
}

static bool has_state(struct site *site, size_t nr, const enum slurm_state *wanted)
{
    for (size_t i = 0; i < nr; i++)
        if (state_of(site, i + 1) != wanted[i])
            return false;
    return !site->jobs.silent;
}

/* Until tasks 1 to nr are in these states. */
static bool await(struct site *site, size_t nr, const enum slurm_state *wanted)
{
    double until_s = clock_s() + PATIENCE_S;

    for (;;) {
        ask(site);
        if (has_state(site, nr, wanted))
            return true;
        if (clock_s() > until_s)
            return check(!"the tasks have come to be as they should");
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

static bool await_file(const char *dir, const char *name)
{
    char *path = path_join(dir, name);
    double until_s = clock_s() + PATIENCE_S;

    while (!file_exists(path) && clock_s() < until_s)
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    bool there = check(file_exists(path));
    free(path);
    return there;
}

static void check_file(const char *dir, const char *name, const char *want)
{
    char *path = path_join(dir, name);
    struct error err = {0};
    struct buf text = {0};

    check_ok(file_read(path, &text, &err), &err);
    check_str(buf_str(&text), want);
    buf_release(&text);
    free(path);
}

static void requeue(const char *id, size_t task)
{
    char *job = xasprintf("%s_%zu", id, task);
    const char *const argv[] = {"scontrol", "requeue", job, NULL};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check_ok(spawn_run(&(struct spawn_request){.argv = argv}, &outcome, &err), &err);
    check_eq(outcome.code, 0);
    check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
    free(job);
}

static const enum slurm_state all_run[NODES] = {SLURM_RUNNING, SLURM_RUNNING,
                                                SLURM_RUNNING},
                              all_ended[NODES + 1] = {SLURM_ENDED, SLURM_ENDED,
                                                      SLURM_ENDED, SLURM_ENDED};
/* Says that it runs and does nothing. */
static const char idle[] =
    ": >\"$0/$SLURM_ARRAY_TASK_ID.${SLURM_RESTART_COUNT:-0}\"; exec sleep 1000";

TEST("nodes are counted, an array runs, and what it printed is in the folder")
{
    struct error err = {0};
    struct site site;
    size_t nr;

    if (!site_open(&site))
        goto out;
    check_ok(slurm_partition_nodes(NULL, PATIENCE_S, &nr, &err), &err);
    check_eq(nr, NODES);
    check_ok(slurm_partition_nodes("q", PATIENCE_S, &nr, &err), &err);
    check_eq(nr, 1);
    check_fails(slurm_partition_nodes("r", PATIENCE_S, &nr, &err), &err, STATUS_USAGE,
                "no partition 'r' here; there are: p, q, u (--partition)");
    submit(
        &site, NODES,
        "echo \"$SLURM_ARRAY_TASK_ID of it\" >\"$0/out $SLURM_ARRAY_TASK_ID\"; pwd -P");
    if (!await(&site, NODES, all_ended))
        goto out;
    check_file(site.dir, "out 1", "1 of it\n");
    check_file(site.dir, "out 2", "2 of it\n");
    check_file(site.dir, "out 3", "3 of it\n");
    char here[4096], *want;
    if (check(getcwd(here, sizeof(here)) != NULL)) {
        want = xasprintf("%s\n", here);
        check_file(site.dir, "task-2.log", want);
        free(want);
    }
out:
    site_close(&site);
}

TEST("Slurm's own words are passed on where it refuses")
{
    static const char *const command[] = {"true", NULL};
    struct error err = {0};
    struct site site;
    char *id;

    if (!site_open(&site))
        goto out;
    struct slurm_request request = {.folder = site.dir,
                                    .name = "task",
                                    .command = command,
                                    .node_nr = 1,
                                    .partition = "r"};
    check_fails(slurm_submit(&request, &id, &err), &err, STATUS_INPUT,
                "Slurm does not take the jobs for partition 'r': invalid partition "
                "specified: r; Batch job submission failed: Invalid partition name "
                "specified; change what this names");
    request.partition = "p";
    request.constraint = "n9";
    check_fails(slurm_submit(&request, &id, &err), &err, STATUS_INPUT,
                "Invalid feature specification");
    request.constraint = NULL;
    slurm_fixture_end_controller(&site.slurm);
    check_fails(slurm_submit(&request, &id, &err), &err, STATUS_INPUT,
                "Unable to contact slurm controller");
out:
    site_close(&site);
}

TEST("tasks wait, run, are requeued and cancelled")
{
    static const enum slurm_state one_waits[] = {SLURM_RUNNING, SLURM_RUNNING,
                                                 SLURM_RUNNING, SLURM_PENDING},
                                  next_runs[] = {SLURM_RUNNING, SLURM_PENDING,
                                                 SLURM_RUNNING, SLURM_RUNNING};
    struct error err = {0};
    struct site site;

    if (!site_open(&site))
        goto out;
    const char *id = submit(&site, NODES + 1, idle);
    if (!await(&site, NODES + 1, one_waits))
        goto out;
    const struct slurm_task *task = slurm_jobs_find(&site.jobs, id, 4);
    check_str(task->node, "");
    check_str(task->word, "PENDING");
    requeue(id, 2);
    if (!await(&site, NODES + 1, next_runs))
        goto out;
    check_ok(slurm_cancel(&site.ids, PATIENCE_S, &err), &err);
    await(&site, NODES + 1, all_ended);
    check_ok(slurm_cancel(&site.ids, PATIENCE_S, &err), &err); /* has ended */
out:
    site_close(&site);
}

TEST("a node that dies takes its task, which waits; the daemon alone does not")
{
    static const enum slurm_state second_waits[] = {SLURM_RUNNING, SLURM_PENDING,
                                                    SLURM_RUNNING};
    struct site site;

    if (!site_open(&site))
        goto out;
    const char *id = submit(&site, NODES, idle);
    if (!await(&site, NODES, all_run))
        goto out;
    const struct slurm_task *task = slurm_jobs_find(&site.jobs, id, 2);
    size_t node = strtoul(task->node + 1, NULL, 10),
           other = strtoul(slurm_jobs_find(&site.jobs, id, 1)->node + 1, NULL, 10);
    if (!check(node >= 1 && node <= NODES && other >= 1 && other <= NODES) ||
        !await_file(site.dir, "2.0"))
        goto out;
    slurm_fixture_kill_daemon(&site.slurm, other);
    slurm_fixture_start_node(&site.slurm, other);
    slurm_fixture_kill_node(&site.slurm, node);
    if (!await(&site, NODES, second_waits))
        goto out;
    slurm_fixture_start_node(&site.slurm, node);
    if (await(&site, NODES, all_run))
        await_file(site.dir, "2.1");
out:
    site_close(&site);
}

TEST("a controller that has ended, stands still or died is silent, and jobs go on")
{
    struct error err = {0};
    struct site site;

    if (!site_open(&site))
        goto out;
    submit(&site, NODES, idle);
    if (!await(&site, NODES, all_run))
        goto out;
    slurm_fixture_end_controller(&site.slurm);
    ask(&site);
    check(site.jobs.silent);
    check_contains(site.jobs.silence, "Unable to contact slurm controller");
    check_ok(slurm_fixture_start_controller(&site.slurm, &err), &err);
    check(await(&site, NODES, all_run));
    slurm_fixture_freeze_controller(&site.slurm);
    check_ok(slurm_jobs(&site.ids, 0.5, &site.jobs, &err), &err);
    check(site.jobs.silent);
    check_str(site.jobs.silence, "squeue did not answer within 0.5 s");
    check_ok(slurm_fixture_start_controller(&site.slurm, &err), &err);
    ask(&site);
    check(has_state(&site, NODES, all_run));
    slurm_fixture_kill_controller(&site.slurm);
    ask(&site);
    check(site.jobs.silent);
out:
    site_close(&site);
}

TEST("a job of partition u takes the place of one of p")
{
    static const char *const command[] = {"sleep", "1000", NULL};
    static const enum slurm_state one_waits[] = {SLURM_PENDING, SLURM_RUNNING,
                                                 SLURM_RUNNING};
    struct error err = {0};
    struct site site;
    char *id = NULL;

    if (!site_open(&site))
        goto out;
    submit(&site, NODES, idle);
    if (!await(&site, NODES, all_run))
        goto out;
    char *node = xstrdup(slurm_jobs_find(&site.jobs, site.ids.v[0], 1)->node);
    check_ok(slurm_submit(&(struct slurm_request){.folder = site.dir,
                                                  .name = "urgent",
                                                  .command = command,
                                                  .node_nr = 1,
                                                  .partition = "u",
                                                  .constraint = node},
                          &id, &err),
             &err);
    free(node);
    await(&site, NODES, one_waits);
out:
    free(id);
    site_close(&site);
}

/* In a process that is killed while jobs run; it says where its folders are. */
static void run_and_die(int fd)
{
    struct buf text = {0};
    struct site site;

    if (site_open(&site)) {
        submit(&site, NODES, idle);
        await(&site, NODES, all_run);
        await_file(site.dir, "1.0");
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
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    check_eq(slurm_fixture_processes(dir), 0);
    dir_remove_all(dir);
    dir_remove_all(scratch);
}
