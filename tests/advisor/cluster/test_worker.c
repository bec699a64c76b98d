/* Searches whose variants are judged by workers in other processes, by the commands as
 * they are typed. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine/machine.h"
#include "core/process/spawn.h"
#include "search/remote/questions.h"
#include "search/remote/remote.h"
#include "tests/advisor/place.h"

SUITE(cluster_worker);

enum { WORKERS_MAX = 3 };

/* As words; every plan in turn. */
#define CAMPAIGN                                                                         \
    INFLIGHT_PROGRAM, "tune", "grid.c", "--set", "n=40", "--set", "m=40", "--set",       \
        "c=0.1", "--on", "shared folder", "--machine", "skl", "--strategy",              \
        "exhaustive", "--cores", "1", "--json"

struct site {
    struct place place;
    struct spawn_child *worker[WORKERS_MAX];
    size_t worker_nr;
};

/* On that processor alone, which is another kind of node; NULL = on all. */
static void site_worker_on(struct site *site, const char *processor)
{
    const char *const words[] = {"taskset",        "-c",     processor,
                                 INFLIGHT_PROGRAM, "worker", "shared folder",
                                 "--quiet",        NULL},
                      *const *argv = processor ? words : words + 3;
    struct spawn_request request = {.argv = argv,
                                    .env_extra = (const char *const *)site->place.env.v,
                                    .dir = site->place.work,
                                    .timeout_s = 600};
    check_ok(spawn_start(&request, &site->worker[site->worker_nr++], &site->place.err),
             &site->place.err);
}

static void site_worker(struct site *site)
{
    site_worker_on(site, NULL);
}

/* Each leaves by itself. */
static void site_end(struct site *site)
{
    struct spawn_outcome outcome[WORKERS_MAX];
    check_ok(
        spawn_wait_all(site->worker, site->worker_nr, false, outcome, &site->place.err),
        &site->place.err);
    for (size_t i = 0; i < site->worker_nr; i++) {
        check_eq(outcome[i].end, SPAWN_EXITED);
        check_eq(outcome[i].code, 0);
        spawn_outcome_release(&outcome[i]);
    }
    place_drop(&site->place);
}

static json_t *site_run(struct site *site, const char *args)
{
    struct spawn_outcome outcome;
    json_t *document = NULL;
    place_run(&site->place, args, &outcome);
    check_eq(outcome.code, 0);
    if (outcome.code)
        puts(buf_str(&outcome.err));
    check_ok(json_read_text(buf_str(&outcome.out), "stdout", NULL, &document,
                            &site->place.err),
             &site->place.err);
    spawn_outcome_release(&outcome);
    return document;
}

static const json_t *only_kind(const json_t *document)
{
    const json_t *kinds = json_object_get(document, "kinds");
    check_eq(json_array_size(kinds), 1);
    return json_array_get(kinds, 0);
}

TEST("two workers judge the variants of one search")
{
    struct site site = {0};
    place_make(&site.place);
    site_worker(&site);
    site_worker(&site);
    json_t *document = site_run(
        &site, "tune grid.c --set n=40 --set m=40 --set c=0.1 --on 'shared folder' "
               "--machine skl --strategy exhaustive --variants 9 --budget 200s -o out.c "
               "--cores 1 --build-record grid.inflight.json --json");
    const json_t *kind = only_kind(document), *report = json_object_get(kind, "report"),
                 *variants = json_object_get(report, "variants"), *one;
    check_eq(json_integer_value(json_object_get(kind, "workers")), 2);
    check(json_array_size(variants) >= 9);
    size_t i;
    json_array_foreach(variants, i, one)
        check_str(json_string_value(json_object_get(one, "outcome")), "ok");
    const json_t *campaign = json_object_get(report, "campaign");
    check_eq(json_array_size(json_object_get(campaign, "nodes")), 2);
    check(json_number_value(json_object_get(campaign, "node_seconds")) > 0);
    /* The words of the user, not those of the search of one kind. */
    const json_t *words = json_object_get(report, "command_line");
    check_str(json_string_value(json_array_get(words, json_array_size(words) - 1)),
              "--json");
    char *output = path_join(site.place.work, "out.c"),
         *record = path_join(site.place.work, "grid.inflight.json");
    check(file_exists(output));
    check(file_exists(record));
    check(text_ends(json_string_value(json_object_get(report, "output")), "/out.c"));
    json_decref(document);
    check_run(&site.place, "report --list", 0, "*grid*", "");
    free(output);
    free(record);
    site_end(&site);
}

/* Whether a process has both in its words. */
static bool process_with(const char *one, const char *other)
{
    DIR *proc = opendir("/proc");
    bool found = false;
    for (const struct dirent *entry; proc && !found && (entry = readdir(proc));) {
        char *path = xasprintf("/proc/%s/cmdline", entry->d_name);
        struct buf words = {0};
        found = isdigit((unsigned char)*entry->d_name) &&
                file_read(path, &words, NULL) == 0 && words.length &&
                memmem(words.data, words.length, one, strlen(one)) &&
                memmem(words.data, words.length, other, strlen(other));
        buf_release(&words);
        free(path);
    }
    if (proc)
        closedir(proc);
    return found;
}

static void await_process(const struct site *site, const char *word, bool there)
{
    double until_s = clock_s() + PATIENCE_S;
    while (process_with(site->place.work, word) != there && clock_s() < until_s)
        usleep(20000);
    check_eq(process_with(site->place.work, word), there);
}

/* As a shell would: nobody of ours ends what it leaves behind. */
static pid_t start_apart(const struct place *place, const char *const *argv)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    for (size_t i = 0; i < place->env.nr; i++)
        putenv(place->env.v[i]);
    if (chdir(place->work) || !freopen("/dev/null", "w", stdout) ||
        !freopen("/dev/null", "w", stderr))
        _exit(126);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

TEST("the search of a campaign that is killed ends with it, and the same command goes on")
{
    static const char *const argv[] = {CAMPAIGN,   "--variants", "3",
                                       "--budget", "200s",       NULL};
    struct site site = {0};
    place_make(&site.place);
    site_worker(&site);
    pid_t campaign = start_apart(&site.place, argv);
    await_process(&site, "/kind-", true);
    kill(campaign, SIGKILL);
    waitpid(campaign, NULL, 0);
    await_process(&site, "/kind-", false);
    site_worker(&site); /* the first one may have gone with that search */
    json_t *document = site_run(
        &site, "tune grid.c --set n=40 --set m=40 --set c=0.1 --on 'shared folder' "
               "--machine skl --strategy exhaustive --variants 3 --budget 200s --cores 1 "
               "--json");
    only_kind(document);
    json_decref(document);
    site_end(&site);
}

/* The first question of a search, as far as a node needs it. */
static json_t *opening(const struct site *site)
{
    static const char *const words[] = {"tune", "grid.c", "--set", "n=40", "--set",
                                        "m=40", "--set",  "c=0.1", NULL};
    json_t *question = question_new("open");
    json_object_set_new(question, "words", json_strings(words, 8));
    json_object_set_new(question, "folder", json_string(site->place.work));
    json_object_set_new(question, "machine", json_string("skl"));
    json_object_set_new(question, "cores", json_integer(1));
    for (size_t i = 0; i < 5; i++) {
        static const char *const key[] = {"call_s", "fill_s", "budget_s", "trace_s",
                                          "trace_one_s"};
        json_object_set_new(question, key[i], json_real(i == 2 ? 30 : 0.01));
    }
    return question;
}

static bool is_timed(const json_t *answer)
{
    return json_is_object(json_object_get(answer, "original_s"));
}

TEST("a node times the kernel as written when it is told to, once")
{
    struct site site = {0};
    struct remote *remote = NULL;
    json_t *question, *answer = NULL;
    place_make(&site.place);
    site_worker(&site);
    char *folder = path_join(site.place.work, "shared folder");
    struct remote_opts opts = {.folder = folder};
    check_ok(remote_new(&opts, &remote, &site.place.err), &site.place.err);
    static const bool told[] = {false, true, true}, timed[] = {false, true, false};
    for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
        question = opening(&site);
        if (told[i])
            json_object_set_new(question, "original", json_true());
        check_ok(remote_ask_first(remote, question, &answer, &site.place.err),
                 &site.place.err);
        check_eq(is_timed(answer), timed[i]);
        json_decref(answer);
    }
    remote_free(remote);
    free(folder);
    site_end(&site);
}

/* As in compare_measured: definitions whose events count anywhere. */
TEST("what counters of a node say, the rules are told here")
{
    struct site site = {0};
    struct spawn_outcome outcome;
    place_make(&site.place);
    site_worker(&site);
    place_run(&site.place,
              "tune two.c:8 --set n=1000 --on 'shared folder' --machine skl --cores 1 "
              "--variants 1 --budget 200s --evidence --cpu ./counted_software.json",
              &outcome);
    check_eq(outcome.code, 0);
    if (strstr(buf_str(&outcome.err), "counters tell the rules nothing"))
        check_skip("no event of the kernel counts here");
    else
        check(text_matches(buf_str(&outcome.out),
                           "*full.shared_core]\n*  Counters beside it, by the "
                           "definitions of counted_software:\n    Division           90 "
                           "% of cycles\n*"));
    spawn_outcome_release(&outcome);
    site_end(&site);
}

TEST("other commands run on a node as they are")
{
    struct site site = {0};
    place_make(&site.place);
    site_worker(&site);
    json_t *document =
        site_run(&site, "measure grid.c --set n=40 --set m=40 --set c=0.1 --on "
                        "'shared folder' --machine skl --cores 1 --quiet --json");
    check_str(json_string_value(json_object_get(document, "schema")),
              "inflight.measure/1");
    json_decref(document);
    site_end(&site);
}

TEST("what a node refuses ends the search with its reason")
{
    struct site site = {0};
    place_make(&site.place);
    site_worker(&site);
    check_run(&site.place,
              "tune grid.c --set n=40 --set m=40 --set c=0.1 --on 'shared folder' "
              "--machine skl --cores 100000 --budget 20s",
              2, "*", "inflight: *: --cores 100000: *");
    site_end(&site);
}

/* The first processor of ours; NULL = we have one only. Caller frees. */
static char *one_of_several(void)
{
    struct machine_cpus cpus = {0};
    char *one = machine_cpus(NULL, &cpus, NULL) == 0 && cpus.cpu_nr > 1
                    ? xasprintf("%d", cpus.cpu[0])
                    : NULL;
    free(cpus.cpu);
    return one;
}

static void await_files(const struct site *site, const char *pattern, size_t nr)
{
    char *path = path_join(site->place.work, pattern);
    double until_s = clock_s() + PATIENCE_S;
    glob_t found = {0};
    while (glob(path, 0, NULL, &found), found.gl_pathc < nr && clock_s() < until_s) {
        globfree(&found);
        usleep(10000);
    }
    check(found.gl_pathc >= nr);
    globfree(&found);
    free(path);
}

static void check_visit(const json_t *kinds, size_t here, size_t there)
{
    const json_t *kind = json_array_get(kinds, here),
                 *other = json_array_get(kinds, there),
                 *report = json_object_get(kind, "report"),
                 *list = json_object_get(report, "others"),
                 *visit = json_array_get(list, 0),
                 *winner = json_object_get(json_object_get(other, "report"), "best");
    check_eq(json_array_size(list), 1);
    check(json_equal(json_object_get(visit, "kind"), json_object_get(other, "name")));
    check(json_equal(json_object_get(visit, "plan"), json_object_get(winner, "plan")));
    if (!check(strcmp(json_string_value(json_object_get(visit, "end")), "not-measured") !=
               0))
        puts(json_string_value(json_object_get(visit, "reason")));
}

TEST("two kinds have a search each, and measure each other's winner")
{
    struct site site = {0};
    char *one = one_of_several();
    if (!one)
        return;
    place_make(&site.place);
    site_worker_on(&site, one);
    site_worker(&site);
    await_files(&site, "shared folder/workers/*.json", 2);
    json_t *document = site_run(
        &site, "tune grid.c --set n=40 --set m=40 --set c=0.1 --on 'shared folder' "
               "--machine skl --strategy exhaustive --variants 3 --budget 60s --cores 1 "
               "--node-hours 20 -o out.c --json");
    const json_t *kinds = json_object_get(document, "kinds");
    if (check_eq(json_array_size(kinds), 2)) {
        check_visit(kinds, 0, 1);
        check_visit(kinds, 1, 0);
    }
    check(json_array_size(json_object_get(document, "comparison")) >= 1);
    json_decref(document);
    free(one);
    site_end(&site);
}

TEST("Ctrl-C reports what is known by then")
{
    struct site site = {0};
    struct spawn_child *campaign = NULL;
    struct spawn_outcome outcome;
    json_t *document = NULL;
    place_make(&site.place);
    const char *const argv[] = {CAMPAIGN, "--budget", "500s", NULL};
    struct spawn_request request = {.argv = argv,
                                    .env_extra = (const char *const *)site.place.env.v,
                                    .dir = site.place.work,
                                    .output_limit = 64 << 20};
    check_ok(spawn_start(&request, &campaign, &site.place.err), &site.place.err);
    site_worker(&site);
    /* Behind the kernel as written. */
    await_files(&site, "shared folder/kind-*/inbox/*/1-*.json", 1);
    kill(spawn_pid(campaign), SIGINT);
    check_ok(spawn_wait_all(&campaign, 1, false, &outcome, &site.place.err),
             &site.place.err);
    check_eq(outcome.end, SPAWN_SIGNALLED); /* after all is done, by the same */
    check_eq(outcome.code, SIGINT);
    if (check_ok(json_read_text(buf_str(&outcome.out), "stdout", "inflight.campaign/1",
                                &document, &site.place.err),
                 &site.place.err))
        check(json_is_true(json_object_get(json_object_get(only_kind(document), "report"),
                                           "interrupted")));
    json_decref(document);
    spawn_outcome_release(&outcome);
    site_end(&site);
}

TEST("options of a campaign that there is not")
{
    struct place place = {0};
    place_make(&place);
    check_run(&place, "tune grid.c --partition p", 2, "",
              "inflight: --partition is for jobs: it needs --on slurm*");
    check_run(&place, "tune grid.c --time 30s --on here", 2, "",
              "inflight: --time is for jobs: it needs --on slurm; a search's own time is "
              "--budget*");
    check_run(&place, "tune grid.c --node-hours 2", 2, "",
              "inflight: --node-hours needs --on*");
    check_run(&place, "worker", 2, "", "inflight: worker needs the folder of a search*");
    place_drop(&place);
}
