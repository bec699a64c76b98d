/*
 * A campaign on a Slurm of three nodes that things happen to, as they happen on a
 * cluster: is anything lost, counted twice or left behind?
 *
 *     cluster [FAULTS [SEED [KIND...]]]
 *     cluster hold NODES
 *
 * The same search, by the real program, five times undisturbed, and then FAULTS times
 * (50), with one fault each, of the kinds below in turn (or of each KIND), at a moment
 * and of a length that SEED (1) decides. It ended well when no variant is missing or was
 * measured twice, its winner is in their winner set, and nothing is left but jobs that it
 * named with a command, which then removes them. Winner set: plans that in one of the
 * undisturbed records are not slower than its winner beyond the intervals; and one of
 * those winners must be so in its own record. The user's data, and so the folder that
 * head and workers share, is a file system of its own where we may mount one, so that it
 * can be filled up. Exit 1 when a search did not end well.
 *
 * `hold`: nothing happens to it. A Slurm of NODES nodes, for whoever started this: prints
 * its SLURM_CONF, and ends it at the end of the standard input.
 */
#define _GNU_SOURCE /* nftw */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "core/base/random.h"
#include "core/files/json.h"
#include "core/process/cleanup.h"
#include "core/process/spawn.h"
#include "core/store/store.h"
#include "tests/advisor/cluster/slurm_fixture.h"

enum { NODES = 3, VARIANTS = 6, UNDISTURBED = 5 };
/* Nothing here takes so long; behind it a campaign is ended, and has failed. Behind a
 * worker that is silent for 90 s, others are asked. */
static const double campaign_s = 400, settle_s = 60;

struct bench {
    struct slurm_fixture slurm;
    char *dir, *data, *kernel;
    bool mounted;
    size_t daemons; /* processes when no campaign runs */
    uint64_t random;
    pid_t campaign;                     /* 0 = none */
    struct strvec plans, best, winners; /* of the undisturbed searches */
};

static double chance(struct bench *bench, double from, double to)
{
    return from + (to - from) * (double)(random_next(&bench->random) >> 11) / 0x1p53;
}

static void rest(double seconds)
{
    double until_s = clock_s() + seconds;
    do
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    while (clock_s() < until_s && !spawn_interrupted());
}

/* ---- processes ---- */

static bool is_worker(const char *pid, const char *data)
{
    static const char words[] = "inflight\0worker"; /* as they lie in memory */
    char *path = xasprintf("/proc/%s/cmdline", pid);
    struct buf file = {0};
    bool found = file_read(path, &file, NULL) == 0 && file.length &&
                 memmem(file.data, file.length, words, sizeof(words)) &&
                 memmem(file.data, file.length, data, strlen(data));
    buf_release(&file);
    free(path);
    return found;
}

/* One of the workers by chance; 0 = none. */
static pid_t find_worker(struct bench *bench)
{
    DIR *proc = opendir("/proc");
    pid_t found[64];
    size_t nr = 0;
    for (const struct dirent *entry; proc && (entry = readdir(proc));)
        if (isdigit((unsigned char)entry->d_name[0]) && nr < ARRAY_SIZE(found) &&
            is_worker(entry->d_name, bench->data))
            found[nr++] = (pid_t)atol(entry->d_name);
    if (proc)
        closedir(proc);
    return nr ? found[(size_t)chance(bench, 0, (double)nr)] : 0;
}

static pid_t parent_of(pid_t pid)
{
    char *path = xasprintf("/proc/%ld/stat", (long)pid);
    struct buf file = {0};
    long parent = 0;
    if (pid && file_read(path, &file, NULL) == 0 && strrchr(buf_str(&file), ')'))
        sscanf(strrchr(buf_str(&file), ')') + 1, " %*c %ld", &parent);
    buf_release(&file);
    free(path);
    return (pid_t)parent;
}

/* ---- the campaign ---- */

static void campaign_start(struct bench *bench)
{
    char *variants = xasprintf("%d", VARIANTS), *out = path_join(bench->dir, "out.json"),
         *said = path_join(bench->dir, "err.txt"), *self = program_inflight();
    const char *argv[] = {
        self, "tune",       bench->kernel, "--on",       "slurm",  "--partition",
        "p",  "--strategy", "exhaustive",  "--variants", variants, "--budget",
        "3m", "--flags",    "-O1",         "--json",     NULL};
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (!freopen(out, "w", stdout) || !freopen(said, "a", stderr))
            _exit(126);
        execv(self, (char *const *)argv);
        _exit(127);
    }
    bench->campaign = pid;
    free(variants);
    free(out);
    free(said);
    free(self);
}

/* Its status; -1: it had to be killed, -2: it was. */
static int campaign_wait(struct bench *bench, double seconds)
{
    double until_s = clock_s() + seconds;
    int status = 0;
    pid_t ended = 0;
    while (!(ended = waitpid(bench->campaign, &status, WNOHANG)) && clock_s() < until_s)
        rest(0.05);
    if (!ended) {
        kill(bench->campaign, SIGKILL);
        waitpid(bench->campaign, &status, 0);
        status = -1;
    }
    bench->campaign = 0;
    return status < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static bool campaign_runs(const struct bench *bench)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)bench->campaign, &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid == 0;
}

struct session {
    struct strvec measured; /* plans, one a measurement */
    size_t twice;
    struct strvec documents;
};

/* ---- what it has left in the database ---- */

static int add_document(void *data, const char *variant, const char *text)
{
    struct session *session = data;
    (void)variant;
    strvec_push(&session->documents, text);
    return 0;
}

static int last_session(void *data, const struct store_session *session)
{
    *(long long *)data = session->id;
    return 1;
}

static json_t *document(const char *text)
{
    json_t *out = NULL;
    return json_read_text(text, "measurement", NULL, &out, NULL) ? NULL : out;
}

static const char *plan_of(const json_t *measurement)
{
    const char *plan = json_string_value(json_object_get(measurement, "plan"));
    return plan ? plan : "";
}

static double figure(const json_t *measurement, const char *object, const char *key)
{
    return json_number_value(json_object_get(json_object_get(measurement, object), key));
}

static bool was_interrupted(const json_t *measurement)
{
    const char *outcome = json_string_value(json_object_get(measurement, "outcome"));
    return outcome && !strcmp(outcome, "interrupted");
}

/* A measurement is there again only when it says more: more launches, or explained; or
 * when the first one was interrupted, and says nothing. */
static bool says_more(const json_t *now, const json_t *before)
{
    if (was_interrupted(before))
        return true;
    return json_is_object(json_object_get(before, "time_ns")) &&
           ((json_is_object(json_object_get(now, "traffic")) &&
             !json_is_object(json_object_get(before, "traffic"))) ||
            figure(now, "sampling", "launches") >
                figure(before, "sampling", "launches") ||
            !json_is_object(json_object_get(now, "time_ns")));
}

static bool same_variant(const json_t *a, const json_t *b)
{
    return strcmp(plan_of(a), plan_of(b)) == 0 &&
           json_equal(json_object_get(a, "environment"),
                      json_object_get(b, "environment"));
}

static int session_read(struct bench *bench, struct session *session, struct error *err)
{
    char *path = path_join(bench->data, "inflight/sessions.db");
    struct store *store = NULL;
    long long id = 0;
    int status = store_open(path, &store, err);
    free(path);
    if (status)
        return -1;
    status = store_session_each(store, last_session, &id, err) < 0 ||
                     store_measurement_each(store, id, add_document, session, err)
                 ? -1
                 : 0;
    store_close(store);
    json_t **all = xcalloc(session->documents.nr + 1, sizeof(*all));
    for (size_t i = 0; i < session->documents.nr; i++) {
        all[i] = document(session->documents.v[i]);
        strvec_push_once(&session->measured, plan_of(all[i]));
        for (size_t k = i; k-- > 0;)
            if (same_variant(all[k], all[i])) {
                session->twice += !says_more(all[i], all[k]);
                break;
            }
    }
    for (size_t i = 0; i < session->documents.nr; i++)
        json_decref(all[i]);
    free(all);
    return status;
}

static void session_release(struct session *session)
{
    strvec_release(&session->measured);
    strvec_release(&session->documents);
}

/* ---- what is left elsewhere ---- */

static size_t parts;
static bool folders_count;

static int count_parts(const char *path, const struct stat *entry, int type,
                       struct FTW *where)
{
    (void)entry;
    (void)where;
    parts += type == FTW_F &&
             (text_ends(path, ".part") || (folders_count && strstr(path, "/campaigns/")));
    return 0;
}

/* Where something may remain in the queue, the campaign says so, with the command that
 * removes it: caller frees. NULL = nothing may. */
static char *told_command(const struct bench *bench)
{
    static const char before[] = "in the queue: ";
    char *path = path_join(bench->dir, "err.txt");
    struct buf text = {0};
    const char *told =
        file_read(path, &text, NULL) == 0 ? strstr(buf_str(&text), before) : NULL;
    char *line =
        told ? xstrndup(told + strlen(before), strcspn(told + strlen(before), "\n"))
             : NULL;
    buf_release(&text);
    free(path);
    return line;
}

static size_t files_left(const struct bench *bench)
{
    char *told = told_command(bench); /* then its folder stays */
    parts = 0;
    folders_count = !told;
    free(told);
    nftw(bench->data, count_parts, 16, FTW_PHYS | FTW_MOUNT);
    return parts;
}

/* Of the campaign: partition p has no others. */
static size_t jobs_left(void)
{
    struct spawn_outcome outcome = {0};
    const char *argv[] = {"squeue",        "--noheader",     "--array",
                          "--partition=p", "--format=%i %T", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = 60};
    size_t nr = SIZE_MAX;
    if (spawn_run(&request, &outcome, NULL) == 0 && outcome.end == SPAWN_EXITED &&
        outcome.code == 0) {
        nr = 0;
        for (const char *c = buf_str(&outcome.out); *c; c++)
            nr += *c == '\n';
    }
    spawn_outcome_release(&outcome);
    return nr;
}

static void command(const char *const *argv)
{
    struct spawn_outcome outcome = {0};
    struct spawn_request request = {.argv = argv, .timeout_s = 60};
    if (spawn_run(&request, &outcome, NULL) == 0)
        spawn_outcome_release(&outcome);
}

/* Our own job goes, and nodes come back that Slurm took out of use ("Duplicate jobid",
 * when a job comes back before its node has forgotten it): no campaign can do that. */
static void tidy(void)
{
    command((const char *[]){"scancel", "--partition=u", NULL});
    for (size_t i = 1; i <= NODES; i++) {
        char *node = xasprintf("NodeName=n%zu", i);
        command((const char *[]){"scontrol", "--quiet", "update", node, "State=RESUME",
                                 NULL});
        free(node);
    }
}

/* Waits until nothing is left that this campaign began, or not much longer; does what the
 * campaign said would remove it. */
static void settle(struct bench *bench, size_t *jobs, size_t *processes)
{
    double until_s = clock_s() + settle_s;
    char *told = told_command(bench);
    struct strvec words = {0};
    if (told)
        strvec_split(&words, told);
    strvec_push(&words, NULL);
    if (told)
        command((const char *const *)words.v);
    tidy();
    do {
        *jobs = jobs_left();
        *processes = slurm_fixture_processes(bench->slurm.dir);
        *processes = *processes > bench->daemons ? *processes - bench->daemons : 0;
        rest(0.2);
    } while ((*jobs || *processes) && clock_s() < until_s && !spawn_interrupted());
    strvec_release(&words);
    free(told);
}

/* ---- faults ---- */

static size_t some_node(struct bench *bench)
{
    return 1 + (size_t)chance(bench, 0, NODES);
}

static void kill_worker(struct bench *bench)
{
    pid_t pid = find_worker(bench);
    if (pid)
        kill(pid, SIGKILL);
}

static void stop_worker(struct bench *bench)
{
    pid_t pid = find_worker(bench);
    if (!pid)
        return;
    kill(pid, SIGSTOP);
    for (double until_s = clock_s() + 120; clock_s() < until_s && campaign_runs(bench);)
        rest(0.5);
    kill(pid, SIGCONT);
}

static void kill_step(struct bench *bench)
{
    pid_t pid = parent_of(find_worker(bench));
    if (pid > 1)
        kill(pid, SIGKILL);
}

static void kill_node(struct bench *bench)
{
    size_t node = some_node(bench);
    slurm_fixture_kill_node(&bench->slurm, node);
    rest(chance(bench, 1, 20));
    slurm_fixture_start_node(&bench->slurm, node);
}

static void kill_daemon(struct bench *bench)
{
    size_t node = some_node(bench);
    slurm_fixture_kill_daemon(&bench->slurm, node);
    rest(chance(bench, 0, 10));
    slurm_fixture_start_node(&bench->slurm, node);
}

/* "12_3" of the campaign; caller frees. NULL = none runs. */
static char *some_task(struct bench *bench)
{
    struct spawn_outcome outcome = {0};
    const char *argv[] = {"squeue",        "--noheader",  "--array", "--states=RUNNING",
                          "--partition=p", "--format=%i", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = 60};
    struct strvec words = {0};
    if (spawn_run(&request, &outcome, NULL) == 0) {
        for (const char *at = buf_str(&outcome.out), *end; *at; at = end + (*end != 0)) {
            end = at + strcspn(at, "\n");
            strvec_pushf(&words, "%.*s", (int)(end - at), at);
        }
        spawn_outcome_release(&outcome);
    }
    char *task =
        words.nr ? xstrdup(words.v[(size_t)chance(bench, 0, (double)words.nr)]) : NULL;
    strvec_release(&words);
    return task;
}

static void cancel_task(struct bench *bench)
{
    char *task = some_task(bench);
    if (task)
        command((const char *[]){"scancel", task, NULL});
    free(task);
}

static void requeue_task(struct bench *bench)
{
    char *task = some_task(bench);
    if (task)
        command((const char *[]){"scontrol", "requeue", task, NULL});
    free(task);
}

static void preempt(struct bench *bench)
{
    char *wrap = xasprintf("--wrap=sleep %.0f", chance(bench, 1, 20)),
         *node = xasprintf("--nodelist=n%zu", some_node(bench));
    command((const char *[]){"sbatch", "--partition=u", "--output=/dev/null", node, wrap,
                             NULL});
    free(wrap);
    free(node);
}

static void restart_controller(struct bench *bench)
{
    struct error err = {0};
    if (slurm_fixture_start_controller(&bench->slurm, &err))
        fprintf(stderr, "cluster: %s\n", err.text);
}

static void kill_controller(struct bench *bench)
{
    slurm_fixture_kill_controller(&bench->slurm);
    rest(chance(bench, 1, 60));
    restart_controller(bench);
}

static void freeze_controller(struct bench *bench)
{
    slurm_fixture_freeze_controller(&bench->slurm);
    rest(chance(bench, 1, 60));
    restart_controller(bench);
}

static void fill_up(struct bench *bench)
{
    static const char zeros[4096];
    char *path = path_join(bench->data, "full");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    while (fd >= 0 && write(fd, zeros, sizeof(zeros)) > 0)
        ;
    rest(chance(bench, 1, 20));
    if (fd >= 0)
        close(fd);
    unlink(path);
    free(path);
}

static void interrupt(struct bench *bench)
{
    kill(bench->campaign, SIGINT);
    campaign_wait(bench, campaign_s);
    campaign_start(bench);
}

static void kill_campaign(struct bench *bench)
{
    kill(bench->campaign, SIGKILL);
    campaign_wait(bench, campaign_s);
    campaign_start(bench);
}

static struct fault {
    const char *name, *what;
    void (*strike)(struct bench *bench);
    size_t tried, good;
} fault[] = {
    {"worker", "a worker is killed", kill_worker, 0, 0},
    {"step", "a slurmstepd is killed", kill_step, 0, 0},
    {"node", "a node dies with all on it", kill_node, 0, 0},
    {"daemon", "a slurmd is killed", kill_daemon, 0, 0},
    {"cancel", "scancel of a task", cancel_task, 0, 0},
    {"requeue", "scontrol requeue of a task", requeue_task, 0, 0},
    {"preempt", "a job of more priority takes a node", preempt, 0, 0},
    {"control", "the controller dies for up to 60 s", kill_controller, 0, 0},
    {"freeze", "the controller stands still for up to 60 s", freeze_controller, 0, 0},
    {"full", "the shared folder is full for up to 20 s", fill_up, 0, 0},
    {"stop", "a worker stands still for up to 120 s", stop_worker, 0, 0},
    {"interrupt", "Ctrl-C, and the same command again", interrupt, 0, 0},
    {"kill", "the campaign is killed, and the same command again", kill_campaign, 0, 0},
};

/* ---- one campaign ---- */

static int data_open(struct bench *bench, struct error *err)
{
    bench->mounted = false;
    if (dir_make_all(bench->data, err))
        return -1;
    bench->mounted =
        mount("inflight-bench", bench->data, "tmpfs", 0, "size=48m,mode=700") == 0;
    return 0;
}

static void data_close(struct bench *bench)
{
    if (bench->mounted)
        umount2(bench->data, MNT_DETACH);
    bench->mounted = false;
    dir_remove_all(bench->data);
}

/* Until so many variants are measured, or it has ended. */
static void wait_for_variants(struct bench *bench, size_t nr)
{
    double until_s = clock_s() + campaign_s;
    size_t measured = 0;
    while (measured < nr && clock_s() < until_s && campaign_runs(bench)) {
        struct session session = {0};
        char *path = path_join(bench->data, "inflight/sessions.db");
        if (file_exists(path) && session_read(bench, &session, NULL) == 0)
            measured = session.measured.nr;
        free(path);
        session_release(&session);
        rest(0.2);
    }
    while (!find_worker(bench) && clock_s() < until_s && campaign_runs(bench))
        rest(0.2);
}

static json_t *read_report(const struct bench *bench)
{
    char *path = path_join(bench->dir, "out.json");
    json_t *root = NULL, *report = NULL;
    if (json_read_file(path, NULL, &root, NULL) == 0)
        report = json_incref(
            json_object_get(json_array_get(json_object_get(root, "kinds"), 0), "report"));
    json_decref(root);
    free(path);
    return report;
}

/* Plans whose interval reaches down to that of the best. */
static void winners_of(const struct session *session, const char *best,
                       struct strvec *winners)
{
    double high = 0;
    for (size_t i = 0; i < session->documents.nr; i++) {
        json_t *one = document(session->documents.v[i]);
        if (strcmp(plan_of(one), best) == 0)
            high = figure(one, "time_ns", "high");
        json_decref(one);
    }
    for (size_t i = 0; i < session->documents.nr; i++) {
        json_t *one = document(session->documents.v[i]);
        if (json_is_object(json_object_get(one, "time_ns")) &&
            figure(one, "time_ns", "low") <= high)
            strvec_push_once(winners, plan_of(one));
        json_decref(one);
    }
}

static size_t missing(const struct strvec *wanted, const struct strvec *there)
{
    size_t nr = 0;
    for (size_t i = 0; i < wanted->nr; i++)
        nr += !strvec_has(there, wanted->v[i]);
    return nr;
}

static void show_trouble(const struct bench *bench)
{
    char *path = path_join(bench->dir, "err.txt");
    struct buf text = {0};
    if (file_read(path, &text, NULL) == 0)
        fputs(buf_str(&text), stderr);
    buf_release(&text);
    free(path);
}

/* Without a strike: what the others are compared with. */
static bool campaign_run(struct bench *bench, struct fault *strike, struct error *err)
{
    struct session session = {0};
    double began_s = clock_s();
    char *said = path_join(bench->dir, "err.txt");
    unlink(said);
    free(said);
    if (data_open(bench, err))
        return false;
    campaign_start(bench);
    if (strike) {
        wait_for_variants(bench, (size_t)chance(bench, 0, VARIANTS));
        if (campaign_runs(bench))
            strike->strike(bench);
    }
    int status = campaign_wait(bench, campaign_s);
    size_t jobs, processes;
    settle(bench, &jobs, &processes);
    size_t files = files_left(bench);
    session_read(bench, &session, err);
    json_t *report = read_report(bench);
    const char *best = plan_of(json_object_get(report, "best"));
    if (!strike) {
        for (size_t i = 0; i < session.measured.nr; i++)
            strvec_push_once(&bench->plans, session.measured.v[i]);
        winners_of(&session, best, &bench->winners);
        strvec_push_once(&bench->best, best);
    }
    size_t lost = missing(&bench->plans, &session.measured);
    struct strvec winners = {0};
    winners_of(&session, best, &winners);
    bool won = report && strvec_has(&bench->winners, best) &&
               missing(&bench->best, &winners) < bench->best.nr,
         good = status == 0 && !lost && !session.twice && won && !jobs && !processes &&
                !files;
    printf("%-9s %s: status %d, %.0f s, %zu variants, %zu missing, %zu twice, winner "
           "'%s'%s, left: %zu jobs, %zu processes, %zu files\n",
           strike ? strike->name : "none", good ? "good" : "BAD", status,
           clock_s() - began_s, session.measured.nr, lost, session.twice, best,
           won ? "" : " (another one)", jobs, processes, files);
    if (!good)
        show_trouble(bench);
    json_decref(report);
    strvec_release(&winners);
    session_release(&session);
    data_close(bench);
    return good;
}

/* ---- all ---- */

static const char kernel[] =
    "#pragma inflight kernel\n"
    "#pragma inflight set n = 300\n"
    "void turn(int n, const double in[restrict n][n], double out[restrict n][n])\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int j = 0; j < n; j++)\n"
    "            out[j][i] = in[i][j];\n"
    "}\n";

static int bench_open(struct bench *bench, struct error *err)
{
    char *config = path_join(BENCH_DIR, "cluster/config"), *home, *temporary;
    if (scratch_make(&bench->dir, err))
        return -1;
    home = path_join(bench->dir, "home");
    temporary = path_join(bench->dir, "tmp");
    bench->data = path_join(bench->dir, "data");
    bench->kernel = path_join(bench->dir, "turn.c");
    int status = dir_make_all(config, err) || dir_make_all(home, err) ||
                         dir_make_all(temporary, err) ||
                         file_write(bench->kernel, kernel, strlen(kernel), err)
                     ? -1
                     : 0;
    setenv("XDG_CONFIG_HOME", config, 1); /* the profile is made once */
    setenv("XDG_DATA_HOME", bench->data, 1);
    setenv("HOME", home, 1);
    setenv("TMPDIR", temporary, 1);
    free(config);
    free(home);
    free(temporary);
    return status || slurm_fixture_start(&bench->slurm, NODES, 0, err) ? -1 : 0;
}

static void bench_close(struct bench *bench)
{
    if (bench->campaign > 0)
        campaign_wait(bench, 0);
    data_close(bench);
    slurm_fixture_stop(&bench->slurm);
    strvec_release(&bench->plans);
    strvec_release(&bench->winners);
    strvec_release(&bench->best);
    free(bench->data);
    free(bench->kernel);
    if (bench->dir)
        scratch_remove(bench->dir);
}

/* In turn, of those that were named, or of all. */
static struct fault *choose(size_t turn, char **kind, size_t kinds)
{
    for (size_t i = 0; kinds && i < ARRAY_SIZE(fault); i++)
        if (!strcmp(fault[i].name, kind[turn % kinds]))
            return &fault[i];
    return &fault[turn % ARRAY_SIZE(fault)];
}

static bool strike_all(struct bench *bench, size_t nr, char **kind, size_t kinds,
                       struct error *err)
{
    bool good = true;
    for (size_t i = 0; good && i < UNDISTURBED && !spawn_interrupted(); i++)
        good = campaign_run(bench, NULL, err);
    for (size_t i = 0; i < (good ? nr : 0) && !err->status && !spawn_interrupted(); i++) {
        struct fault *one = choose(i, kind, kinds);
        one->tried++;
        one->good += campaign_run(bench, one, err);
    }
    printf("\n| fault | times | ended well |\n|---|---|---|\n");
    for (size_t i = 0; i < ARRAY_SIZE(fault); i++) {
        if (fault[i].tried)
            printf("| %s | %zu | %zu |\n", fault[i].what, fault[i].tried, fault[i].good);
        good = good && fault[i].good == fault[i].tried;
    }
    return good;
}

static int hold(size_t nodes)
{
    struct slurm_fixture slurm;
    struct error err = {0};
    char rest[256];
    if (slurm_fixture_start(&slurm, nodes, 0, &err)) {
        fprintf(stderr, "cluster: %s\n", err.text);
        return 1;
    }
    printf("%s\n", slurm.conf);
    while (read(STDIN_FILENO, rest, sizeof(rest)) > 0)
        ;
    slurm_fixture_stop(&slurm);
    return 0;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct error err = {0};
    size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 50;
    bench.random = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    spawn_catch_interrupt();
    if (argc == 3 && !strcmp(argv[1], "hold"))
        return hold(strtoul(argv[2], NULL, 10));
    bool good = bench_open(&bench, &err) == 0;
    if (good) {
        bench.daemons = slurm_fixture_processes(bench.slurm.dir);
        good = strike_all(&bench, nr, argv + 3, argc > 3 ? (size_t)argc - 3 : 0, &err);
    }
    if (err.status)
        fprintf(stderr, "cluster: %s\n", err.text);
    bench_close(&bench);
    return good ? 0 : 1;
}
