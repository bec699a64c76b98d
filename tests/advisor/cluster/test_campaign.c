/* `inflight tune --on slurm` with the real Slurm, three nodes on this machine. */
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base.h"
#include "core/files/json.h"
#include "core/process/spawn.h"
#include "core/process/term.h"
#include "tests/advisor/cluster/slurm_fixture.h"
#include "tests/check.h"

SUITE(cluster_campaign);

static const char kernel[] =
    "#pragma inflight kernel\n"
    "#pragma inflight set n = 200\n"
    "void turn(int n, const double in[restrict n][n], double out[restrict n][n])\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int j = 0; j < n; j++)\n"
    "            out[j][i] = in[i][j];\n"
    "}\n";

/* A Slurm, and a user with a home and a kernel of his own. */
struct site {
    struct slurm_fixture slurm;
    char *dir, *kernel, *data;
    size_t daemons; /* processes when no campaign runs */
    struct spawn_child *campaign;
    struct spawn_outcome outcome;
};

static bool site_open(struct site *site)
{
    struct error err = {0};

    *site = (struct site){0};
    if (!check_ok(scratch_make(&site->dir, &err), &err))
        return false;
    site->kernel = path_join(site->dir, "turn.c");
    site->data = path_join(site->dir, "data");
    if (!check_ok(file_write(site->kernel, kernel, strlen(kernel), &err), &err) ||
        !check_ok(slurm_fixture_start(&site->slurm, 3, 0, &err), &err))
        return false;
    site->daemons = slurm_fixture_processes(site->slurm.dir);
    return true;
}

static void site_close(struct site *site)
{
    slurm_fixture_stop(&site->slurm);
    spawn_outcome_release(&site->outcome);
    free(site->kernel);
    free(site->data);
    scratch_remove(site->dir);
}

static bool tune(struct site *site, const char *variants)
{
    struct error err = {0};
    char *data = xasprintf("XDG_DATA_HOME=%s", site->data),
         *config = xasprintf("XDG_CONFIG_HOME=%s/config", site->dir),
         *home = xasprintf("HOME=%s", site->dir);
    const char *argv[] = {INFLIGHT_PROGRAM, "tune",
                          site->kernel,     "--on",
                          "slurm",          "--slurm-options",
                          "--comment ours", /* two words for sbatch */
                          "--nodes",        "3",
                          "--strategy",     "exhaustive",
                          "--variants",     variants,
                          "--budget",       "25s",
                          "--json",         NULL};
    const char *environment[] = {data, config, home, NULL};
    struct spawn_request request = {
        .argv = argv, .env_extra = environment, .output_limit = 64 << 20};
    bool started = check_ok(spawn_start(&request, &site->campaign, &err), &err);

    free(data);
    free(config);
    free(home);
    return started;
}

static size_t count(const struct site *site, const char *pattern)
{
    char *path = path_join(site->data, pattern);
    glob_t found = {0};

    glob(path, 0, NULL, &found);
    size_t nr = found.gl_pathc;
    globfree(&found);
    free(path);
    return nr;
}

static bool await_workers(struct site *site, size_t nr)
{
    double until_s = clock_s() + PATIENCE_S;

    while (count(site, "inflight/campaigns/*/kind-*/workers/*.json") < nr &&
           clock_s() < until_s && !spawn_wait_for(site->campaign, 0.1))
        ;
    return check(count(site, "inflight/campaigns/*/kind-*/workers/*.json") >= nr);
}

static void end(struct site *site)
{
    struct error err = {0};

    check_ok(spawn_wait_all(&site->campaign, 1, false, &site->outcome, &err), &err);
    check_eq(site->outcome.end, SPAWN_EXITED);
    if (!check_eq(site->outcome.code, 0))
        check_str(buf_str(&site->outcome.err), "");
}

/* Neither jobs, nor processes, nor files. */
static void check_nothing_left(struct site *site)
{
    const char *argv[] = {"squeue", "--noheader", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    double until_s = clock_s() + PATIENCE_S;
    struct error err = {0};

    if (check_ok(spawn_run(&request, &outcome, &err), &err)) {
        check_str(buf_str(&outcome.out), "");
        check_eq(outcome.code, 0);
        spawn_outcome_release(&outcome);
    }
    while (slurm_fixture_processes(site->slurm.dir) > site->daemons &&
           clock_s() < until_s)
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    check_eq(slurm_fixture_processes(site->slurm.dir), site->daemons);
    check_eq(count(site, "inflight/campaigns/*"), 0);
}

TEST("a search goes on without a worker that is killed, and leaves nothing behind")
{
    static const char *const kill[] = {"scancel", "--signal=KILL", "--batch", "1_2",
                                       NULL};
    struct spawn_request request = {.argv = kill, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    struct site site;

    if (!site_open(&site) || !tune(&site, "3") || !await_workers(&site, 3))
        return site_close(&site);
    if (check_ok(spawn_run(&request, &outcome, &err), &err))
        spawn_outcome_release(&outcome);
    end(&site);
    json_t *document = NULL;
    if (check_ok(json_read_text(buf_str(&site.outcome.out), "campaign",
                                "inflight.campaign/1", &document, &err),
                 &err)) {
        const json_t *kinds = json_object_get(document, "kinds"),
                     *kind = json_array_get(kinds, 0),
                     *report = json_object_get(kind, "report"), *node;
        size_t i, gone = 0;
        json_array_foreach(json_object_get(json_object_get(report, "campaign"), "nodes"),
                           i, node) {
            const char *state = json_string_value(json_object_get(node, "state"));
            gone += state && strcmp(state, "gone") == 0;
        }
        check_eq(json_array_size(kinds), 1);
        check_eq(json_integer_value(json_object_get(kind, "workers")), 3);
        check_eq(gone, 1);
        check(json_array_size(json_object_get(report, "variants")) > 0);
    }
    json_decref(document);
    check_nothing_left(&site);
    site_close(&site);
}

TEST("jobs that the controller has forgotten are submitted again")
{
    struct error err = {0};
    struct site site;

    if (!site_open(&site) || !tune(&site, "3") || !await_workers(&site, 1))
        return site_close(&site);
    slurm_fixture_forget(&site.slurm);
    check_ok(slurm_fixture_start_controller(&site.slurm, &err), &err);
    end(&site);
    check(strstr(buf_str(&site.outcome.err), "it is submitted again") != NULL);
    check_nothing_left(&site);
    site_close(&site);
}

TEST("Ctrl-C cancels what was submitted")
{
    struct site site;

    if (!site_open(&site) || !tune(&site, "3") || !await_workers(&site, 1))
        return site_close(&site);
    kill(spawn_pid(site.campaign), SIGINT);
    struct error err = {0};
    check_ok(spawn_wait_all(&site.campaign, 1, false, &site.outcome, &err), &err);
    check_eq(site.outcome.end, SPAWN_SIGNALLED); /* after all is done, by the same */
    check_eq(site.outcome.code, SIGINT);
    check_nothing_left(&site);
    site_close(&site);
}
