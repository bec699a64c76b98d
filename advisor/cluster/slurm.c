#include "advisor/cluster/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/base/text.h"
#include "core/files/fs.h"
#include "core/process/spawn.h"

/* sbatch itself waits and tries again when the controller is busy: 15 times, a second
 * longer each time. */
static const double submit_patience_s = 130;
/* Of a queue of 100,000 tasks, whose lines have about 50 bytes, some times over. */
enum { output_max = 64 << 20, field_nr = 5 };

/* ---- running its commands ---- */

/* Variables that change what a command prints or whom it tells of are taken away from it:
 * what they begin with. The other settings of sbatch are the user's. */
static const struct {
    const char *command, *variables;
} settings[] = {
    {"sbatch", "SBATCH_WAIT"},
    {"squeue", "SQUEUE_"},
    {"scancel", "SCANCEL_"},
    {"sinfo", "SINFO_"},
};

static void add_without_settings(struct strvec *argv, const char *command)
{
    extern char **environ;

    strvec_push(argv, "env");
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
            if (strcmp(settings[i].command, command) == 0 &&
                text_begins(*entry, settings[i].variables)) {
                char *name = xstrndup(*entry, strcspn(*entry, "="));

                strvec_push(argv, "-u");
                strvec_push(argv, name);
                free(name);
            }
}

static int check_command(const char *command, struct error *err)
{
    char *path = path_of_program(command);
    bool there = path != NULL;

    free(path);
    if (there)
        return 0;
    return fail(err, STATUS_MISSING,
                "there is no command '%s' here, and Slurm is used by its commands; load "
                "its module (module load slurm), or start the workers yourself and name "
                "their folder (--on FOLDER)",
                command);
}

/* argv[0] is the command's name. */
static int run(const struct strvec *argv, double patience_s,
               struct spawn_outcome *outcome, struct error *err)
{
    struct strvec all = {0};

    if (check_command(argv->v[0], err))
        return -1;
    add_without_settings(&all, argv->v[0]);
    strvec_push_all(&all, argv);
    /* Whoever calls us after an interrupt cancels, and asks what remains. */
    struct spawn_request request = {
        .argv = (const char *const *)all.v,
        .timeout_s = patience_s,
        .output_limit = output_max,
        .after_interrupt = spawn_interrupted() || strcmp(argv->v[0], "sbatch") == 0 ||
                           strcmp(argv->v[0], "scancel") == 0,
    };
    int result = spawn_run(&request, outcome, err);
    strvec_release(&all);
    return result;
}

static bool is_good(const struct spawn_outcome *outcome)
{
    return outcome->end == SPAWN_EXITED && outcome->code == 0;
}

/* "sbatch: error: Invalid account" without what every line begins with, in one line. */
static void add_message(struct buf *out, const char *command, const char *text)
{
    char *ours = xasprintf("%s: ", command);
    bool first = true;

    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        const char *from = text_behind(text_behind(text, ours), "error: ");

        while (from < end && isspace((unsigned char)*from))
            from++;
        if (from >= end)
            continue;
        buf_add(out, first ? "" : "; ");
        buf_add_n(out, from, (size_t)(end - from));
        first = false;
    }
    free(ours);
}

/* "squeue ended with status 1: Unable to contact slurm controller" */
static void add_outcome(struct buf *out, const char *command,
                        const struct spawn_outcome *outcome, double patience_s)
{
    char *phrase = spawn_end_phrase(outcome->end, outcome->code);
    struct buf message = {0};

    if (outcome->end == SPAWN_TIMED_OUT)
        buf_addf(out, "%s did not answer within %.3g s", command, patience_s);
    else if (outcome->end == SPAWN_INTERRUPTED)
        buf_addf(out, "%s was interrupted", command);
    else
        buf_addf(out, "%s %s", command, phrase ? phrase : "ended");
    add_message(&message, command, buf_str(&outcome->err));
    if (message.length)
        buf_addf(out, ": %s", buf_str(&message));
    buf_release(&message);
    free(phrase);
}

/* ---- to submit ---- */

/* What decides how many tasks there are, where, and how we get to know of them. */
static const struct {
    const char *name;
    char letter; /* 0 = none */
} own_options[] = {
    {"--array", 'a'},  {"--nodes", 'N'},    {"--ntasks", 'n'},
    {"--output", 'o'}, {"--job-name", 'J'}, {"--clusters", 'M'},
    {"--wait", 'W'},   {"--wrap", 0},       {"--test-only", 0},
};

static bool is_option(const char *word, const char *name, char letter)
{
    size_t length = strcspn(word, "=");

    if (letter && word[0] == '-' && word[1] == letter)
        return true;
    /* Long options may be shortened as long as it is clear which one is meant. */
    return length > 3 && strncmp(word, name, length) == 0 && length <= strlen(name);
}

static int check_options(const struct strvec *options, struct error *err)
{
    for (size_t i = 0; options && i < options->nr; i++)
        for (size_t k = 0; k < ARRAY_SIZE(own_options); k++)
            if (is_option(options->v[i], own_options[k].name, own_options[k].letter))
                return fail(err, STATUS_USAGE,
                            "'%s' cannot be among the options for sbatch: inflight "
                            "decides %s itself; leave it out",
                            options->v[i], own_options[k].name);
    return 0;
}

/* Several clusters would have ids of their own. */
static int check_clusters(struct error *err)
{
    static const char *const names[] = {"SBATCH_CLUSTERS", "SLURM_CLUSTERS"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (getenv(names[i]) && *getenv(names[i]))
            return fail(err, STATUS_USAGE,
                        "%s is set ('%s'), and inflight asks only the cluster that "
                        "Slurm's commands belong to here; unset it, or start the workers "
                        "yourself and name their folder (--on FOLDER)",
                        names[i], getenv(names[i]));
    return 0;
}

static int check_words(const struct slurm_request *request, struct error *err)
{
    if (strchr(request->folder, '\\'))
        return fail(err, STATUS_USAGE,
                    "the folder '%s' has a backslash in its name, which Slurm does not "
                    "take in names of logs; take a folder of another name",
                    request->folder);
    for (const char *const *word = request->command; *word; word++)
        for (const char *c = *word; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                return fail(err, STATUS_USAGE,
                            "the job's command has a control character in its word %zu, "
                            "which no batch script can hold; take a folder without one",
                            (size_t)(word - request->command) + 1);
    return 0;
}

/* Caller frees *path. */
static int write_script(const struct slurm_request *request, char **path,
                        struct error *err)
{
    struct buf text = {0};
    int result;

    buf_add(&text, "#!/bin/sh\nexec ");
    buf_add_shell_words(&text, request->command);
    buf_add(&text, "\n");
    *path = xasprintf("%s/%s.sh", request->folder, request->name);
    result = file_write(*path, buf_str(&text), text.length, err);
    buf_release(&text);
    return result;
}

/* '%' begins a pattern in it. */
static void add_log_option(struct strvec *argv, const struct slurm_request *request)
{
    struct buf out = {0};

    for (const char *c = request->folder; *c; c++)
        buf_add(&out, *c == '%' ? "%%" : (const char[]){*c, '\0'});
    strvec_pushf(argv, "--output=%s/%s-%%a.log", buf_str(&out), request->name);
    buf_release(&out);
}

static void add_given(struct strvec *argv, const char *option, const char *value)
{
    if (value)
        strvec_pushf(argv, "--%s=%s", option, value);
}

static void add_request(struct strvec *argv, const struct slurm_request *request,
                        const char *script)
{
    static const char *const fixed[] = {"--parsable", "--requeue", "--open-mode=append",
                                        "--nodes=1", "--ntasks=1"};

    strvec_push(argv, "sbatch");
    for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
        strvec_push(argv, fixed[i]);
    strvec_pushf(argv, "--array=1-%zu", request->node_nr);
    strvec_pushf(argv, "--job-name=%s", request->name);
    add_log_option(argv, request);
    add_given(argv, "partition", request->partition);
    add_given(argv, "account", request->account);
    add_given(argv, "constraint", request->constraint);
    add_given(argv, "time", request->time);
    if (request->exclusive)
        strvec_push(argv, "--exclusive");
    if (request->options)
        strvec_push_all(argv, request->options);
    strvec_push(argv, script);
}

/* The last line, since some sites let sbatch say more: all digits. NULL = it is not. */
static char *read_id(const char *text)
{
    size_t end = strlen(text), from;

    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    for (from = end; from > 0 && isdigit((unsigned char)text[from - 1]);)
        from--;
    if (from == end || (from > 0 && text[from - 1] != '\n'))
        return NULL;
    return xstrndup(text + from, end - from);
}

static int fail_refused(const struct slurm_request *request,
                        const struct spawn_outcome *outcome, struct error *err)
{
    struct buf message = {0};
    const char *partition = request->partition ? request->partition : "(default)";

    add_message(&message, "sbatch", buf_str(&outcome->err));
    fail(err, STATUS_INPUT,
         "Slurm does not take the jobs for partition '%s': %s; change what this names "
         "(--partition, --account, --node-constraint, --time, --slurm-options), or try "
         "again later",
         partition, message.length ? buf_str(&message) : "it does not say why");
    buf_release(&message);
    return -1;
}

/* Whether there is a job now is not known. */
static int fail_unclear(const struct slurm_request *request,
                        const struct spawn_outcome *outcome, struct error *err)
{
    struct buf message = {0};

    add_outcome(&message, "sbatch", outcome, submit_patience_s);
    fail(err, STATUS_FAILED,
         "cannot submit to Slurm: %s, and printed no number of a job; if it is in the "
         "queue all the same, this removes it: scancel --name=%s",
         buf_str(&message), request->name);
    buf_release(&message);
    return -1;
}

int slurm_submit(const struct slurm_request *request, char **id, struct error *err)
{
    struct spawn_outcome outcome = {0};
    struct strvec argv = {0};
    char *script = NULL;
    int result = -1;

    *id = NULL;
    if (check_options(request->options, err) || check_clusters(err) ||
        check_words(request, err) || check_command("sbatch", err) ||
        write_script(request, &script, err))
        goto out;
    add_request(&argv, request, script);
    if (run(&argv, submit_patience_s, &outcome, err))
        goto out;
    if (outcome.end == SPAWN_EXITED && outcome.code != 0) {
        fail_refused(request, &outcome, err);
        goto out;
    }
    if (is_good(&outcome))
        *id = read_id(buf_str(&outcome.out));
    result = *id ? 0 : fail_unclear(request, &outcome, err);
out:
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    free(script);
    return result;
}

/* ---- the queue ---- */

static const struct {
    const char *word;
    enum slurm_state state;
} states[] = {
    {"PENDING", SLURM_PENDING},       {"CONFIGURING", SLURM_PENDING},
    {"REQUEUED", SLURM_PENDING},      {"REQUEUE_HOLD", SLURM_PENDING},
    {"REQUEUE_FED", SLURM_PENDING},   {"SPECIAL_EXIT", SLURM_PENDING},
    {"RESV_DEL_HOLD", SLURM_PENDING}, {"COMPLETING", SLURM_ENDING},
    {"STAGE_OUT", SLURM_ENDING},      {"COMPLETED", SLURM_ENDED},
    {"CANCELLED", SLURM_ENDED},       {"FAILED", SLURM_ENDED},
    {"TIMEOUT", SLURM_ENDED},         {"PREEMPTED", SLURM_ENDED},
    {"NODE_FAIL", SLURM_ENDED},       {"BOOT_FAIL", SLURM_ENDED},
    {"DEADLINE", SLURM_ENDED},        {"OUT_OF_MEMORY", SLURM_ENDED},
    {"REVOKED", SLURM_ENDED},
};

static enum slurm_state state_of(const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(states); i++)
        if (strcmp(states[i].word, word) == 0)
            return states[i].state;
    return SLURM_RUNNING;
}

/* The line's fields between '|'; the last one may hold some itself. How many there are.
 */
static size_t split(char *line, char *field[], size_t nr)
{
    size_t found = 0;

    for (; found < nr; found++) {
        field[found] = line;
        line = found + 1 < nr ? strchr(line, '|') : NULL;
        if (!line)
            return found + 1;
        *line++ = '\0';
    }
    return found;
}

static bool is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")];
}

static bool is_state(const char *word)
{
    return *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")];
}

/* Jobs that are no arrays have "N/A" for the task. */
static bool add_task(struct slurm_jobs *jobs, char *field[field_nr],
                     const struct strvec *ids)
{
    if (!is_number(field[0]) || !is_state(field[2]) ||
        !(is_number(field[1]) || strcmp(field[1], "N/A") == 0))
        return false;
    if (!strvec_has(ids, field[0]))
        return true;
    errno = 0;
    size_t task = strtoul(field[1], NULL, 10);
    if (!is_number(field[1]) || errno)
        return false;
    GROW(jobs->task, jobs->task_nr + 1, jobs->task_alloc);
    jobs->task[jobs->task_nr++] = (struct slurm_task){
        .id = xstrdup(field[0]),
        .task = task,
        .state = state_of(field[2]),
        .word = xstrdup(field[2]),
        .node = xstrdup(field[3]),
        .reason = xstrdup(field[4]),
    };
    return true;
}

int slurm_read_jobs(const char *text, const struct strvec *ids, struct slurm_jobs *jobs,
                    struct error *err)
{
    for (const char *end; *text; text = end + 1) {
        char *field[field_nr], *line;

        end = strchr(text, '\n');
        if (!end)
            return fail(err, STATUS_FAILED,
                        "the answer of squeue ends within a line: '%s'", text);
        line = xstrndup(text, (size_t)(end - text));
        bool good =
            split(line, field, field_nr) == field_nr && add_task(jobs, field, ids);
        free(line);
        if (!good)
            return fail(err, STATUS_FAILED,
                        "squeue said '%.*s', which is no line of a job",
                        (int)(end - text), text);
    }
    return 0;
}

static void forget_tasks(struct slurm_jobs *jobs)
{
    for (size_t i = 0; i < jobs->task_nr; i++) {
        free(jobs->task[i].id);
        free(jobs->task[i].word);
        free(jobs->task[i].node);
        free(jobs->task[i].reason);
    }
    jobs->task_nr = 0;
}

void slurm_jobs_release(struct slurm_jobs *jobs)
{
    forget_tasks(jobs);
    free(jobs->task);
    free(jobs->silence);
    *jobs = (struct slurm_jobs){0};
}

const struct slurm_task *slurm_jobs_find(const struct slurm_jobs *jobs, const char *id,
                                         size_t task)
{
    for (size_t i = 0; i < jobs->task_nr; i++)
        if (jobs->task[i].task == task && strcmp(jobs->task[i].id, id) == 0)
            return &jobs->task[i];
    return NULL;
}

/* What the output says, or why it says nothing. */
static void understand(const struct spawn_outcome *outcome, const struct strvec *ids,
                       double patience_s, struct slurm_jobs *jobs)
{
    struct error problem = {0};
    struct buf why = {0};

    if (!is_good(outcome))
        add_outcome(&why, "squeue", outcome, patience_s);
    else if (outcome->out.length >= output_max)
        buf_add(&why, "the answer of squeue is too long");
    else if (slurm_read_jobs(buf_str(&outcome->out), ids, jobs, &problem))
        buf_add(&why, problem.text);
    jobs->silent = why.length > 0;
    if (jobs->silent) {
        forget_tasks(jobs);
        jobs->silence = buf_detach(&why);
    }
    buf_release(&why);
}

/* All jobs of the user: asked for a single one that it does not know any more, squeue
 * fails just as when there is no controller. */
int slurm_jobs(const struct strvec *ids, double patience_s, struct slurm_jobs *jobs,
               struct error *err)
{
    struct spawn_outcome outcome = {0};
    struct strvec argv = {0};
    int result;

    slurm_jobs_release(jobs);
    strvec_push(&argv, "squeue");
    strvec_push(&argv, "--noheader");
    strvec_push(&argv, "--array");
    strvec_push(&argv, "--all");
    strvec_push(&argv, "--states=all");
    strvec_pushf(&argv, "--user=%lu", (unsigned long)getuid());
    strvec_push(&argv, "--format=%F|%K|%T|%N|%r");
    result = run(&argv, patience_s, &outcome, err);
    if (result == 0)
        understand(&outcome, ids, patience_s, jobs);
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return result;
}

int slurm_cancel(const struct strvec *ids, double patience_s, struct error *err)
{
    struct spawn_outcome outcome = {0};
    struct strvec argv = {0};
    struct buf why = {0};
    int result = -1;

    if (ids->nr == 0)
        return 0;
    strvec_push(&argv, "scancel");
    strvec_push(&argv, "--quiet"); /* of those that have ended */
    strvec_push_all(&argv, ids);
    if (run(&argv, patience_s, &outcome, err))
        goto out;
    result = 0;
    if (!is_good(&outcome)) {
        char *list = strvec_join(ids, " ");

        add_outcome(&why, "scancel", &outcome, patience_s);
        result = fail(err, STATUS_FAILED,
                      "cannot cancel what was submitted to Slurm: %s; later this will: "
                      "scancel %s",
                      buf_str(&why), list);
        free(list);
    }
out:
    buf_release(&why);
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return result;
}

/* ---- the nodes ---- */

/* Letters for a node that is not there for jobs now: not responding, switched off or
 * being so, maintenance, to be rebooted, draining. "planned" and '-' are the
 * scheduler's next choice, '#' boots, '+' has a job that ends. */
static bool is_up(const char *state)
{
    static const char *const up[] = {"idle", "mixed", "allocated", "completing",
                                     "planned"};
    size_t length = strspn(state, "abcdefghijklmnopqrstuvwxyz");

    if (state[length + strspn(state + length, "-#+")])
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(up); i++)
        if (strlen(up[i]) == length && strncmp(state, up[i], length) == 0)
            return true;
    return false;
}

/* What is known of one partition while lines are read. */
struct nodes_found {
    bool is_there, accepts;
    size_t up;
    struct strvec names;
};

/* name (with '*' for the default), "up" or not, number, state */
static bool add_nodes(struct nodes_found *found, char *field[4], const char *partition)
{
    size_t length = strcspn(field[0], "*");
    bool is_default = field[0][length] == '*';

    if (length == 0 || !is_number(field[2]))
        return false;
    field[0][length] = '\0';
    strvec_push_once(&found->names, field[0]);
    if (partition ? strcmp(field[0], partition) != 0 : !is_default)
        return true;
    found->is_there = true;
    found->accepts = strcmp(field[1], "up") == 0;
    if (is_up(field[3]))
        found->up += strtoul(field[2], NULL, 10);
    return true;
}

static int judge_nodes(const struct nodes_found *found, const char *partition,
                       struct error *err)
{
    char *names = strvec_join(&found->names, ", ");
    int result = 0;

    if (found->names.nr == 0)
        result = fail(err, STATUS_MISSING,
                      "Slurm has no partition here; ask whoever "
                      "runs the cluster");
    else if (!found->is_there && partition)
        result = fail(err, STATUS_USAGE,
                      "Slurm has no partition '%s' here; there are: %s (--partition)",
                      partition, names);
    else if (!found->is_there)
        result = fail(err, STATUS_USAGE,
                      "Slurm has no default partition here; choose one (--partition): %s",
                      names);
    else if (!found->accepts || found->up == 0)
        result = fail(err, STATUS_MISSING,
                      "no node of partition '%s' is up now (sinfo tells more); choose "
                      "another one (--partition): %s, or wait for them in the queue "
                      "(--nodes N)",
                      partition ? partition : "(default)", names);
    free(names);
    return result;
}

int slurm_read_nodes(const char *text, const char *partition, size_t *nr,
                     struct error *err)
{
    struct nodes_found found = {0};
    int result = 0;

    for (const char *end; *text && result == 0; text = *end ? end + 1 : end) {
        char *field[4], *line;

        end = text + strcspn(text, "\n");
        line = xstrndup(text, (size_t)(end - text));
        if (!*end || split(line, field, 4) != 4 || !add_nodes(&found, field, partition))
            result = fail(err, STATUS_FAILED,
                          "sinfo said '%.*s', which is no line of a partition",
                          (int)(end - text), text);
        free(line);
    }
    if (result == 0)
        result = judge_nodes(&found, partition, err);
    *nr = result ? 0 : found.up;
    strvec_release(&found.names);
    return result;
}

int slurm_partition_nodes(const char *partition, double patience_s, size_t *nr,
                          struct error *err)
{
    struct spawn_outcome outcome = {0};
    struct strvec argv = {0};
    struct buf why = {0};
    int result = -1;

    *nr = 0;
    strvec_push(&argv, "sinfo");
    strvec_push(&argv, "--noheader");
    strvec_push(&argv, "--all");
    strvec_push(&argv, "--format=%P|%a|%D|%T");
    if (run(&argv, patience_s, &outcome, err))
        goto out;
    if (is_good(&outcome)) {
        result = slurm_read_nodes(buf_str(&outcome.out), partition, nr, err);
        goto out;
    }
    add_outcome(&why, "sinfo", &outcome, patience_s);
    fail(err, STATUS_MISSING,
         "Slurm does not answer: %s; try again later, or start the workers yourself and "
         "name their folder (--on FOLDER)",
         buf_str(&why));
out:
    buf_release(&why);
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return result;
}
