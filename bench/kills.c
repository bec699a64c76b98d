/*
 * Kills `inflight tune` with SIGKILL at random moments (a fixed seed) until --count kills
 * have hit it, lets the same command go on each time, and looks at what is left:
 *
 *   - every session ends, and every answer (measurement, comparison) that was in the
 *     database after a kill is in the finished session, unchanged;
 *   - no variant is measured twice: in its records launches only add up, and it is
 *     explained once;
 *   - the database opens (which checks it) after each kill;
 *   - a second after a kill no process of it lives; its scratch folder is gone after the
 *     next run;
 *   - the same winner set: timing is noisy, so two searches may differ without any kill.
 *     What is asked is that the report follows from the records alone: the finished
 *     session is opened again and searched once more, which must ask for nothing new
 *     and give the same winner, gains, advice and reason to end (numbers but for a
 *     millionth: documents keep ten digits).
 *
 * How often the winner is that of a search that nobody killed is told beside it.
 * Arguments: --count N (50), --seed N (1), --variants N (4), --budget TIME (8s), and
 * another kernel's FILE.c. Prints a table; exit 1 when something is off.
 */
#define _GNU_SOURCE /* memmem */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/kills_records.h"

static const char mark[] = "INFLIGHT_KILLS=here";

struct kills {
    long long count, variants;
    const char *budget;
    const char *kernel;
    uint64_t random;
    char *folder, *database, *scratch;
    double whole_s; /* a search that nobody kills takes this long */
    long long killed, sessions, ended, lost, twice, left_processes, damaged;
    long long replayed, asked_again, as_reference;
    char *reference;
};

/* ---- one process ---- */

static void become_inflight(const struct kills *kills)
{
    char *variants = xasprintf("%lld", kills->variants);
    int out = open("/dev/null", O_WRONLY);

    setenv("INFLIGHT_DATABASE", kills->database, 1);
    setenv("TMPDIR", kills->scratch, 1);
    setenv("INFLIGHT_KILLS", "here", 1);
    dup2(out, STDOUT_FILENO);
    execl(INFLIGHT_PROGRAM, "inflight", "tune", kills->kernel, "--variants", variants,
          "--budget", kills->budget, "--try", "none", "-q", (char *)NULL);
    _exit(127);
}

static pid_t start(const struct kills *kills)
{
    pid_t pid = fork();

    if (pid == 0)
        become_inflight(kills);
    return pid;
}

/* 0 to 1, by Knuth's generator. */
static double draw(struct kills *kills)
{
    kills->random = kills->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(kills->random >> 11) / 9007199254740992.0;
}

/* Waits at most so long. True: it has ended, with this status. */
static bool ended_within(pid_t pid, double seconds, int *status)
{
    double until_s = clock_s() + seconds;

    while (clock_s() < until_s) {
        if (waitpid(pid, status, WNOHANG) == pid)
            return true;
        usleep(2000);
    }
    return false;
}

static bool has_mark(const char *pid)
{
    char *path = xasprintf("/proc/%s/environ", pid);
    struct buf environment = {0};
    bool found = file_read(path, &environment, NULL) == 0 &&
                 environment.length >= sizeof(mark) &&
                 memmem(environment.data, environment.length, mark, sizeof(mark));

    buf_release(&environment);
    free(path);
    return found;
}

static long long marked_processes(void)
{
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    long long nr = 0;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            nr += has_mark(entry->d_name);
    if (dir)
        closedir(dir);
    return nr;
}

static long long scratch_folders(const struct kills *kills)
{
    DIR *dir = opendir(kills->scratch);
    const struct dirent *entry;
    long long nr = 0;

    while (dir && (entry = readdir(dir)))
        nr += strncmp(entry->d_name, "inflight-", 9) == 0;
    if (dir)
        closedir(dir);
    return nr;
}

/* ---- one session ---- */

static int run_to_the_end(const struct kills *kills)
{
    int status = 0;
    pid_t pid = start(kills);

    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static void kill_it(struct kills *kills, pid_t pid, long long session,
                    struct records *before)
{
    int status;

    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    kills->killed++;
    sleep(1);
    kills->left_processes += marked_processes();
    if (records_read(kills->database, session, before))
        kills->damaged++;
    fprintf(stderr, "bench: kill %lld: session %lld has %zu answers\n", kills->killed,
            session, before->answer.nr);
}

/* Killed again and again until it is done or the count is reached. */
static int end_with_kills(struct kills *kills, long long session)
{
    struct records before = {0}, after = {0};
    bool done = false;
    int status = 0;

    while (!done && kills->killed < kills->count) {
        pid_t pid = start(kills);

        done = ended_within(pid, draw(kills) * kills->whole_s, &status);
        if (!done)
            kill_it(kills, pid, session, &before);
    }
    bool well =
        done ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : run_to_the_end(kills) == 0;
    kills->sessions++;
    if (well && records_read(kills->database, session, &after) == 0 && after.report)
        kills->ended++;
    kills->lost += records_lost(&before, &after);
    kills->twice += records_twice(&after);
    records_release(&before);
    records_release(&after);
    return well ? 0 : -1;
}

/* The report once more from what is there. */
static int look_again(struct kills *kills, long long session)
{
    struct records before = {0}, after = {0};
    struct store *store = NULL;
    struct error err = {0};
    int failed = records_read(kills->database, session, &before) ||
                 store_open(kills->database, &store, &err) ||
                 store_session_reopen(store, session, &err);

    store_close(store);
    failed =
        failed || run_to_the_end(kills) || records_read(kills->database, session, &after);
    if (!failed) {
        struct buf where = {0};
        bool same = records_same_end(&before, &after, &where);

        kills->asked_again += after.answer.nr != before.answer.nr;
        kills->replayed += same;
        kills->as_reference += strcmp(records_winner(&after), kills->reference) == 0;
        if (!same)
            fprintf(stderr, "bench: session %lld differs when asked again: %s\n", session,
                    buf_str(&where));
        buf_release(&where);
    } else {
        fprintf(stderr, "bench: session %lld: %s\n", session, err.text);
    }
    records_release(&before);
    records_release(&after);
    return failed;
}

static int find_reference(struct kills *kills)
{
    struct records whole = {0};
    double began_s = clock_s();

    fprintf(stderr, "bench: a search that nobody kills ...\n");
    if (run_to_the_end(kills) || records_read(kills->database, 1, &whole))
        return -1;
    kills->whole_s = clock_s() - began_s;
    kills->reference = xstrdup(records_winner(&whole));
    fprintf(stderr, "bench: %.0f s, %zu answers, winner '%s'\n", kills->whole_s,
            whole.answer.nr, kills->reference);
    records_release(&whole);
    return 0;
}

static int work(struct kills *kills)
{
    if (find_reference(kills))
        return -1;
    for (long long session = 2; kills->killed < kills->count; session++)
        if (end_with_kills(kills, session) || look_again(kills, session))
            return -1;
    sleep(6); /* what is younger may be in use */
    return run_to_the_end(kills);
}

/* ---- what came of it ---- */

static int row(const char *what, long long asked, long long reached)
{
    printf("| %s | %lld | %lld |\n", what, asked, reached);
    return asked != reached;
}

static int print(const struct kills *kills)
{
    int off = 0;

    printf("One search: %.0f s, at most %lld variants of %s\n\n", kills->whole_s,
           kills->variants, path_base(kills->kernel));
    puts("| what | asked | reached |\n|---|---|---|");
    off += row("kills", kills->count, kills->killed);
    off += row("sessions that ended, of those that were begun", kills->sessions,
               kills->ended);
    off += row("answers lost that were in the database after a kill", 0, kills->lost);
    off += row("variants measured twice", 0, kills->twice);
    off += row("databases that did not open after a kill", 0, kills->damaged);
    off += row("processes left a second after a kill", 0, kills->left_processes);
    off += row("scratch folders left after the next run", 0, scratch_folders(kills));
    off += row("sessions whose records give the same end once more", kills->sessions,
               kills->replayed);
    off += row("of these, sessions that then asked for more", 0, kills->asked_again);
    printf("\n%lld of %lld sessions have the winner of the one that nobody killed "
           "('%s').\n",
           kills->as_reference, kills->sessions, kills->reference);
    return off;
}

static int read_arguments(int argc, char **argv, struct kills *kills)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (argv[i][0] != '-')
            kills->kernel = argv[i];
        else if (!strcmp(argv[i], "--count") && atoll(value) > 0)
            kills->count = atoll(argv[++i]);
        else if (!strcmp(argv[i], "--seed") && atoll(value) > 0)
            kills->random = (uint64_t)atoll(argv[++i]);
        else if (!strcmp(argv[i], "--variants") && atoll(value) > 0)
            kills->variants = atoll(argv[++i]);
        else if (!strcmp(argv[i], "--budget") && *value)
            kills->budget = argv[++i];
        else
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct kills kills = {.count = 50,
                          .variants = 4,
                          .budget = "8s",
                          .random = 1,
                          .kernel =
                              INFLIGHT_SOURCE_DIR "/bench/kernels/small_transpose.c"};
    struct error err = {0};

    if (read_arguments(argc, argv, &kills)) {
        fprintf(stderr, "usage: bench/kills [--count N] [--seed N] [--variants N] "
                        "[--budget TIME] [FILE.c]\n");
        return 2;
    }
    kills.folder = xstrdup(BENCH_DIR "/kills");
    kills.database = path_join(kills.folder, "sessions.db");
    kills.scratch = path_join(kills.folder, "scratch");
    dir_remove_all(kills.folder);
    if (dir_make_all(kills.scratch, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 1;
    }
    int failed = work(&kills), off = kills.reference ? print(&kills) : 1;
    free(kills.folder);
    free(kills.database);
    free(kills.scratch);
    free(kills.reference);
    return failed || off;
}
