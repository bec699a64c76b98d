/* What Slurm's commands print is understood, and what they are given; played by small
 * scripts in front of PATH. test_slurm.c asks the real ones. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/cluster/jobs.h"
#include "advisor/cluster/slurm.h"
#include "core/base.h"
#include "core/base/random.h"
#include "tests/cases.h"
#include "tests/check.h"

SUITE(cluster_slurm_commands);

/* ---- what they print ---- */

static const char *state_word(enum slurm_state state)
{
    static const char *const word[] = {
        [SLURM_PENDING] = "pending",
        [SLURM_RUNNING] = "running",
        [SLURM_ENDING] = "ending",
        [SLURM_ENDED] = "ended",
    };

    return word[state];
}

static void add_tasks(struct buf *out, const struct slurm_jobs *jobs)
{
    for (size_t i = 0; i < jobs->task_nr; i++) {
        const struct slurm_task *task = &jobs->task[i];

        buf_addf(out, "%s_%zu %s%s%s: %s, %s\n", task->id, task->task,
                 state_word(task->state), *task->node ? " on " : "", task->node,
                 task->word, task->reason);
    }
}

static void push_ids(struct strvec *ids)
{
    strvec_push(ids, "7");
    strvec_push(ids, "9");
}

TEST("the queue is read")
{
    struct cases cases;
    struct strvec ids = {0};

    push_ids(&ids);
    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/cluster/squeue.cases", 13, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        struct slurm_jobs jobs = {0};
        struct error err = {0};
        struct buf text = {0};

        bool failed = slurm_read_jobs(one->text, &ids, &jobs, &err) != 0;
        if (failed) {
            check_case(&cases, one, "error", err.text);
        } else {
            add_tasks(&text, &jobs);
            check_case(&cases, one, "read", buf_str(&text));
        }
        check_eq(failed, case_part(one, "error") != NULL);
        slurm_jobs_release(&jobs);
        buf_release(&text);
    }
    cases_release(&cases);
    strvec_release(&ids);
}

/* A cut answer must not make tasks of the queue look gone; only where a line ends is it
 * one that squeue could have given. */
TEST("an answer that is cut off is none, and no garbled one crashes")
{
    static const char whole[] = "7|1|RUNNING|n1|None\n9|12|PENDING||Resources\n";
    struct strvec ids = {0};
    uint64_t state = 27;

    push_ids(&ids);
    for (size_t length = 0; length < sizeof(whole); length++) {
        struct slurm_jobs jobs = {0};
        char *text = xstrndup(whole, length);
        bool at_end = length == 0 || text[length - 1] == '\n';

        check_eq(slurm_read_jobs(text, &ids, &jobs, NULL), at_end ? 0 : -1);
        slurm_jobs_release(&jobs);
        free(text);
    }
    for (int round = 0; round < 20000; round++) {
        static const char pieces[] = "|\n0N/7\x80 ";
        struct slurm_jobs jobs = {0};
        size_t nr = 0;
        char text[sizeof(whole)];

        memcpy(text, whole, sizeof(whole));
        for (uint64_t k = random_next(&state) % 4; k < 4; k++)
            text[random_next(&state) % (sizeof(whole) - 1)] =
                pieces[random_next(&state) % (sizeof(pieces) - 1)];
        slurm_read_jobs(text, &ids, &jobs, NULL);
        slurm_jobs_release(&jobs);
        slurm_read_nodes(text, "7", &nr, NULL);
    }
    strvec_release(&ids);
}

TEST("a task is found by its array and its number")
{
    struct slurm_jobs jobs = {0};
    struct strvec ids = {0};
    const struct slurm_task *found;

    push_ids(&ids);
    check_ok(
        slurm_read_jobs("7|1|RUNNING|n1|None\n9|1|PENDING||None\n", &ids, &jobs, NULL),
        NULL);
    found = slurm_jobs_find(&jobs, "9", 1);
    check(found && found->state == SLURM_PENDING);
    check(slurm_jobs_find(&jobs, "9", 2) == NULL);
    check(slurm_jobs_find(&jobs, "8", 1) == NULL);
    slurm_jobs_release(&jobs);
    strvec_release(&ids);
}

TEST(
    "an array is lost that was forgotten or cut short, not one that waits, failed or was "
    "cancelled")
{
    static const struct {
        const char *queue;
        bool over, lost;
    } row[] = {
        {"", true, true}, /* forgotten */
        {"9|1|RUNNING|n1|None\n", true, true},
        {"7|1|PENDING||Priority\n", false, false},
        {"7|1|RUNNING|n1|None\n7|2|TIMEOUT|n2|TimeLimit\n", false, false},
        {"7|1|COMPLETING|n1|None\n", false, false},
        {"7|1|COMPLETED|n1|None\n7|2|TIMEOUT|n2|TimeLimit\n", true, true},
        {"7|1|NODE_FAIL|n1|None\n", true, true},
        {"7|1|FAILED|n1|NonZeroExitCode\n", true, false},
        {"7|1|CANCELLED|n1|None\n7|2|COMPLETED|n2|None\n", true, false},
    };
    struct strvec ids = {0};
    char id[] = "7";

    push_ids(&ids);
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        struct job_array array = {.id = id};
        struct slurm_jobs queue = {0};
        struct error err = {0};

        check_ok(slurm_read_jobs(row[i].queue, &ids, &queue, &err), &err);
        check_eq(job_array_is_lost(&array, &queue), row[i].lost);
        check_eq(array.over, row[i].over);
        check(!job_array_is_lost(&array, &queue) || !array.over); /* told once */
        array = (struct job_array){.id = id, .fruitless = 3};
        check(!job_array_is_lost(&array, &queue)); /* nothing ever comes of it */
        queue.silent = true;
        array = (struct job_array){.id = id};
        check(!job_array_is_lost(&array, &queue) && !array.over);
        slurm_jobs_release(&queue);
    }
    strvec_release(&ids);
}

TEST("nodes of a partition are counted")
{
    struct cases cases;

    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/cluster/sinfo.cases", 13, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        const char *partition = case_part(one, "partition");
        struct error err = {0};
        char number[32];
        size_t nr = 99;

        bool failed = slurm_read_nodes(
            one->text, strcmp(partition, "-") == 0 ? NULL : partition, &nr, &err);
        snprintf(number, sizeof(number), "%zu", nr);
        check_case(&cases, one, failed ? "error" : "nodes", failed ? err.text : number);
        check_eq(failed, case_part(one, "error") != NULL);
        check(!failed || nr == 0);
    }
    cases_release(&cases);
}

/* ---- what they are given ---- */

/* A folder with a blank and a quote in its name, `bin` in it in front of PATH. */
struct stage {
    char *scratch, *dir, *bin, *path_before;
};

static bool stage_open(struct stage *stage)
{
    struct error err = {0};

    *stage = (struct stage){0};
    if (!check_ok(scratch_make(&stage->scratch, &err), &err))
        return false;
    stage->dir = path_join(stage->scratch, "it's a 100% folder");
    stage->bin = path_join(stage->scratch, "bin");
    stage->path_before = xstrdup(getenv("PATH"));
    char *path = xasprintf("%s:%s", stage->bin, stage->path_before);
    setenv("PATH", path, 1);
    free(path);
    return check_ok(dir_make_all(stage->dir, &err), &err) &&
           check_ok(dir_make_all(stage->bin, &err), &err);
}

static void stage_close(struct stage *stage)
{
    if (stage->path_before)
        setenv("PATH", stage->path_before, 1);
    free(stage->path_before);
    free(stage->bin);
    free(stage->dir);
    scratch_remove(stage->scratch);
}

/* The command is from now on a script that writes its arguments, a line each, and what
 * it knows of its variables to the file COMMAND.given, and does this. */
static void play(const struct stage *stage, const char *command, const char *deed)
{
    char *path = path_join(stage->bin, command);
    char *text = xasprintf("#!/bin/sh\nfor word; do echo \"$word\"; done >'%s/%s.given'\n"
                           "env >'%s/%s.env'\n%s\n",
                           stage->bin, command, stage->bin, command, deed);
    struct error err = {0};

    check_ok(file_write(path, text, strlen(text), &err), &err);
    check_eq(chmod(path, 0755), 0);
    free(text);
    free(path);
}

static char *read_of(const char *dir, const char *name)
{
    char *path = path_join(dir, name);
    struct error err = {0};
    struct buf text = {0};

    check_ok(file_read(path, &text, &err), &err);
    free(path);
    return buf_detach(&text);
}

static const char *const command[] = {"/opt/my tools/inflight", "worker",
                                      "it's $HOME; a `x` \"y\"", NULL};

TEST("an array is submitted")
{
    static const char *const more[] = {"--mem=2G", "-q", "high"};
    struct strvec options = {0};
    struct error err = {0};
    struct stage stage;
    char *id = NULL;

    if (!stage_open(&stage))
        goto out;
    for (size_t i = 0; i < ARRAY_SIZE(more); i++)
        strvec_push(&options, more[i]);
    struct slurm_request request = {
        .folder = stage.dir,
        .name = "heat-p",
        .command = command,
        .node_nr = 20,
        .partition = "p",
        .account = "proj 1",
        .constraint = "zen5&ib",
        .time = "1:00:00",
        .exclusive = true,
        .options = &options,
    };
    play(&stage, "sbatch", "echo 'Welcome to this cluster!'; echo 4711");
    check_ok(slurm_submit(&request, &id, &err), &err);
    check_str(id, "4711");
    char *want = xasprintf("--parsable\n--requeue\n--open-mode=append\n--nodes=1\n"
                           "--ntasks=1\n--array=1-20\n--job-name=heat-p\n"
                           "--output=%s/it's a 100%%%% folder/heat-p-%%a.log\n"
                           "--partition=p\n--account=proj 1\n--constraint=zen5&ib\n"
                           "--time=1:00:00\n--exclusive\n--mem=2G\n-q\nhigh\n"
                           "%s/heat-p.sh\n",
                           stage.scratch, stage.dir);
    char *given = read_of(stage.bin, "sbatch.given");
    check_str(given, want);
    free(given);
    free(want);
    given = read_of(stage.dir, "heat-p.sh");
    check_str(given, "#!/bin/sh\nexec '/opt/my tools/inflight' worker "
                     "'it'\\''s $HOME; a `x` \"y\"'\n");
    free(given);
out:
    free(id);
    strvec_release(&options);
    stage_close(&stage);
}

TEST("only what is asked for is given, and the script runs the words as they are")
{
    char *id = NULL, *out = NULL;
    struct error err = {0};
    struct stage stage;

    if (!stage_open(&stage))
        goto out;
    out = path_join(stage.dir, "what came $of it");
    const char *const touch[] = {"cp", "/dev/null", out, NULL};
    struct slurm_request request = {
        .folder = stage.dir, .name = "x", .command = touch, .node_nr = 1};
    /* runs its last argument */
    play(&stage, "sbatch", "for word; do :; done; sh \"$word\"; echo 1");
    check_ok(slurm_submit(&request, &id, &err), &err);
    check(file_exists(out));
    char *given = read_of(stage.bin, "sbatch.given");
    check(strstr(given, "partition") == NULL && strstr(given, "exclusive") == NULL);
    check_contains(given, "\n--array=1-1\n");
    free(given);
out:
    free(id);
    free(out);
    stage_close(&stage);
}

TEST("what sbatch says is passed on")
{
    static const struct {
        const char *deed, *part;
        enum status status;
    } cases[] = {
        {"echo 'sbatch: error: Batch job submission failed: Invalid account' >&2; exit 1",
         "Slurm does not take the jobs for partition 'p': Batch job submission failed: "
         "Invalid account; change what this names (--partition",
         STATUS_INPUT},
        {"printf 'sbatch: error: first\\n\\nsbatch: second\\n' >&2; exit 1",
         "'p': first; second; change", STATUS_INPUT},
        {"exit 3", "it does not say why", STATUS_INPUT},
        {"echo Submitted batch job 12",
         "sbatch ended, and printed no number of a job; if "
         "it is in the queue all the same, this removes it: scancel --name=heat",
         STATUS_FAILED},
        {"echo '12;north'", "no number of a job", STATUS_FAILED},
        {":", "no number of a job", STATUS_FAILED},
        {"echo 12; kill -9 $$", "sbatch was ended by signal 9", STATUS_FAILED},
    };
    struct stage stage;

    if (!stage_open(&stage))
        goto out;
    struct slurm_request request = {.folder = stage.dir,
                                    .name = "heat",
                                    .command = command,
                                    .node_nr = 2,
                                    .partition = "p"};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        char *id;

        play(&stage, "sbatch", cases[i].deed);
        check_fails(slurm_submit(&request, &id, &err), &err, cases[i].status,
                    cases[i].part);
        check(id == NULL);
    }
out:
    stage_close(&stage);
}

/* None of these reaches sbatch. */
TEST("options that inflight decides itself are refused")
{
    static const char *const refused[] = {
        "--array=1-3", "-a", "--nodes=2", "-N2",      "--output=x", "-o",
        "--wait",      "-W", "--wrap=ls", "--clus=x", "-Mx",        "--test-only"};
    static const char *const taken[] = {
        "--nodelist=n1", "--ntasks-per-core=1", "--wait-all-nodes=1", "-w", "-A",
        "--mem=1G"};
    struct stage stage;

    if (!stage_open(&stage))
        goto out;
    play(&stage, "sbatch", "echo 5");
    for (size_t i = 0; i < ARRAY_SIZE(refused) + ARRAY_SIZE(taken); i++) {
        bool bad = i < ARRAY_SIZE(refused);
        struct strvec options = {0};
        struct error err = {0};
        char *id;

        strvec_push(&options, bad ? refused[i] : taken[i - ARRAY_SIZE(refused)]);
        struct slurm_request request = {.folder = stage.dir,
                                        .name = "heat",
                                        .command = command,
                                        .node_nr = 2,
                                        .options = &options};
        int result = slurm_submit(&request, &id, &err);
        if (bad)
            check_fails(result, &err, STATUS_USAGE, "cannot be among the options");
        else
            check_ok(result, &err);
        free(id);
        strvec_release(&options);
    }
out:
    stage_close(&stage);
}

TEST("what no batch script or log can have is refused")
{
    static const char *const bad[] = {"inflight", "a\nb", NULL};
    struct error err = {0};
    struct stage stage;
    char *id;

    if (!stage_open(&stage))
        goto out;
    play(&stage, "sbatch", "echo 5");
    struct slurm_request request = {
        .folder = stage.dir, .name = "heat", .command = bad, .node_nr = 2};
    check_fails(slurm_submit(&request, &id, &err), &err, STATUS_USAGE,
                "control character in its word 2");
    request.command = command;
    request.folder = "/tmp/a\\b";
    check_fails(slurm_submit(&request, &id, &err), &err, STATUS_USAGE, "backslash");
    request.folder = stage.dir;
    setenv("SLURM_CLUSTERS", "north,south", 1);
    check_fails(slurm_submit(&request, &id, &err), &err, STATUS_USAGE,
                "SLURM_CLUSTERS is set ('north,south')");
    unsetenv("SLURM_CLUSTERS");
out:
    stage_close(&stage);
}

/* Each of the user's settings would hide jobs, change lines or wait for an answer. */
TEST("settings of the user do not change what is asked")
{
    static const char *const variables[][2] = {{"SQUEUE_STATES", "RUNNING"},
                                               {"SCANCEL_INTERACTIVE", "1"},
                                               {"SINFO_PARTITION", "q"},
                                               {"SBATCH_WAIT", "1"},
                                               {"SBATCH_ACCOUNT", "mine"}};
    static const char *const files[] = {"squeue.env", "scancel.env", "sinfo.env",
                                        "sbatch.env"};
    struct slurm_jobs jobs = {0};
    struct strvec ids = {0};
    struct error err = {0};
    struct stage stage;
    char *id = NULL;
    size_t nr;

    if (!stage_open(&stage))
        goto out;
    push_ids(&ids);
    play(&stage, "squeue", "echo '7|2|RUNNING|n1|None'");
    play(&stage, "scancel", ":");
    play(&stage, "sinfo", "echo 'p*|up|2|idle'");
    play(&stage, "sbatch", "echo 3");
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
        setenv(variables[i][0], variables[i][1], 1);
    check_ok(slurm_jobs(&ids, PATIENCE_S, &jobs, &err), &err);
    check(!jobs.silent && slurm_jobs_find(&jobs, "7", 2) != NULL);
    check_ok(slurm_cancel(&ids, PATIENCE_S, &err), &err);
    check_ok(slurm_partition_nodes(NULL, PATIENCE_S, &nr, &err), &err);
    check_eq(nr, 2);
    check_ok(slurm_submit(
                 &(struct slurm_request){
                     .folder = stage.dir, .name = "x", .command = command, .node_nr = 1},
                 &id, &err),
             &err);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char *text = read_of(stage.bin, files[i]),
             *own = xasprintf("%s=", variables[i][0]);

        check(strstr(text, own) == NULL);
        check_contains(text, "SBATCH_ACCOUNT=mine");
        free(own);
        free(text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
        unsetenv(variables[i][0]);
    char *given = read_of(stage.bin, "scancel.given");
    check_str(given, "--quiet\n7\n9\n");
    free(given);
out:
    free(id);
    slurm_jobs_release(&jobs);
    strvec_release(&ids);
    stage_close(&stage);
}

/* ---- when they fail ---- */

TEST("a controller that does not answer is told from jobs that are gone")
{
    static const struct {
        const char *deed, *part; /* NULL = it answers */
        double patience_s;
    } cases[] = {
        {":", NULL, PATIENCE_S},
        {"echo '7|1|RUNNING|n1|None'", NULL, PATIENCE_S},
        {"echo 'slurm_load_jobs error: Unable to contact slurm controller (connect "
         "failure)' >&2; exit 1",
         "squeue ended with status 1: slurm_load_jobs error: Unable to contact slurm "
         "controller (connect failure)",
         PATIENCE_S},
        {"sleep 60", "squeue did not answer within 0.2 s", 0.2},
        {"trap '' TERM; echo '7|1|RUNNING|n1|None'; while :; do sleep 1; done",
         "squeue did not answer within 0.2 s", 0.2},
        {"echo '7|1|RUNNING|n1|None'; printf '7|2|RUNN'",
         "ends within a line: '7|2|RUNN'", PATIENCE_S},
        {"echo '7|1|RUNNING|n1|None'; exit 1", "squeue ended with status 1", PATIENCE_S},
        {"echo '7|1|RUNNING|n1|None'; kill -9 $$", "squeue was ended by signal 9",
         PATIENCE_S},
    };
    struct slurm_jobs jobs = {0};
    struct strvec ids = {0};
    struct stage stage;

    if (!stage_open(&stage))
        goto out;
    push_ids(&ids);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};

        play(&stage, "squeue", cases[i].deed);
        check_ok(slurm_jobs(&ids, cases[i].patience_s, &jobs, &err), &err);
        check_eq(jobs.silent, cases[i].part != NULL);
        if (cases[i].part) {
            check_contains(jobs.silence, cases[i].part);
            check_eq(jobs.task_nr, 0);
        } else {
            check_eq(jobs.task_nr, i);
        }
    }
out:
    slurm_jobs_release(&jobs);
    strvec_release(&ids);
    stage_close(&stage);
}

TEST("what cannot be cancelled, and no answer about nodes, are failures with a remedy")
{
    struct strvec ids = {0}, none = {0};
    struct error err = {0};
    struct stage stage;
    size_t nr;

    if (!stage_open(&stage))
        goto out;
    push_ids(&ids);
    play(&stage, "scancel", "echo 'scancel: error: Socket timed out' >&2; exit 1");
    check_fails(slurm_cancel(&ids, PATIENCE_S, &err), &err, STATUS_FAILED,
                "cannot cancel what was submitted to Slurm: scancel ended with status 1: "
                "Socket timed out; later this will: scancel 7 9");
    play(&stage, "scancel", "sleep 60");
    check_fails(slurm_cancel(&ids, 0.2, &err), &err, STATUS_FAILED,
                "scancel did not answer within 0.2 s; later this will: scancel 7 9");
    check_ok(slurm_cancel(&none, PATIENCE_S, &err), &err);
    play(&stage, "sinfo", "echo 'sinfo: error: no configuration' >&2; exit 1");
    check_fails(slurm_partition_nodes("p", PATIENCE_S, &nr, &err), &err, STATUS_MISSING,
                "Slurm does not answer: sinfo ended with status 1: no configuration; try "
                "again later");
    play(&stage, "sinfo", "sleep 60");
    check_fails(slurm_partition_nodes("p", 0.2, &nr, &err), &err, STATUS_MISSING,
                "sinfo did not answer within 0.2 s");
out:
    strvec_release(&ids);
    stage_close(&stage);
}

TEST("a command that is not there is named")
{
    struct slurm_jobs jobs = {0};
    struct strvec ids = {0};
    struct error err = {0};
    struct stage stage;
    char *id;
    size_t nr;

    if (!stage_open(&stage))
        goto out;
    push_ids(&ids);
    setenv("PATH", stage.bin, 1);
    check_fails(slurm_submit(&(struct slurm_request){.folder = stage.dir,
                                                     .name = "x",
                                                     .command = command,
                                                     .node_nr = 1},
                             &id, &err),
                &err, STATUS_MISSING,
                "there is no command 'sbatch' here, and Slurm is used by its commands; "
                "load its module (module load slurm), or start the workers yourself and "
                "name their folder (--on FOLDER)");
    check_fails(slurm_jobs(&ids, PATIENCE_S, &jobs, &err), &err, STATUS_MISSING,
                "squeue");
    check_fails(slurm_cancel(&ids, PATIENCE_S, &err), &err, STATUS_MISSING, "scancel");
    check_fails(slurm_partition_nodes("p", PATIENCE_S, &nr, &err), &err, STATUS_MISSING,
                "sinfo");
out:
    strvec_release(&ids);
    stage_close(&stage);
}
