#define _XOPEN_SOURCE 700 /* gethostname */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/apply/keep_record.h"
#include "advisor/cli/cli.h"
#include "advisor/metrics/metrics_facts.h"
#include "advisor/program/commands.h"
#include "advisor/session/context.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "core/machine/machine.h"
#include "core/process/spawn.h"
#include "core/traffic/traffic.h"
#include "search/live/live.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/remote/serve.h"
#include "search/session/measured.h"
#include "search/space/space.h"
#include "variants/kernel/kernel.h"

/* What the questions are about, once the first of them has said it. */
struct node {
    bool quiet, is_open, is_ready;
    bool is_timed;   /* the kernel as written, by this node alone */
    json_t *opening; /* owns the words */
    char **word;
    struct settings settings;
    struct context bench;
};

static void node_close(struct node *node)
{
    if (node->is_open) {
        context_release(&node->bench);
        settings_release(&node->settings);
    }
    free(node->word);
    json_decref(node->opening);
    *node = (struct node){.quiet = node->quiet};
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* The words of the command as the user gave them, in his folder. */
static int read_words(struct node *node, const struct json_at *question,
                      struct error *err)
{
    struct strvec words = {0};
    const char *folder = NULL;
    if (json_strings_at(question, "words", &words, err) ||
        json_string_at(question, "folder", &folder, err)) {
        strvec_release(&words);
        return -1;
    }
    strvec_release(&words);
    if (chdir(folder))
        return fail(err, STATUS_INPUT,
                    "this node does not see the folder '%s': a campaign's files must lie "
                    "where all nodes see them",
                    folder);
    const json_t *list = json_object_get(node->opening, "words");
    size_t nr = json_array_size(list);
    node->word = xcalloc(nr + 1, sizeof(*node->word));
    for (size_t i = 0; i < nr; i++)
        node->word[i] = (char *)json_string_value(json_array_get(list, i));
    const struct command *command = nr ? command_find(node->word[0]) : NULL;
    return command ? settings_parse(command, (int)nr, node->word, &node->settings, err)
                   : json_fail(question, err, "words: no command of this program");
}

/* Again only for another kernel or profile. */
static int node_open(struct node *node, const struct json_at *question, struct error *err)
{
    const char *machine = NULL;
    long long cores = 0;
    if (node->is_open && same(node->opening, question->node, "words") &&
        same(node->opening, question->node, "machine") &&
        same(node->opening, question->node, "cores"))
        return 0;
    node_close(node);
    node->opening = json_deep_copy(question->node);
    struct json_at kept = json_top(question->file, node->opening);
    if (json_string_at(&kept, "machine", &machine, err) ||
        json_integer_at(&kept, "cores", 0, 1 << 20, &cores, err) ||
        read_words(node, &kept, err))
        return -1;
    node->settings.on = NULL;
    node->settings.quiet = true;
    node->settings.machine = machine;
    node->settings.cores = cores > 0 ? cores : -1;
    context_start(&node->bench, &node->settings);
    node->bench.note_in_answer = true;
    node->is_open = true;
    return context_live(&node->bench, err);
}

/* ---- questions ---- */

static int answer_profile(const struct json_at *question, json_t *answer,
                          struct error *err)
{
    struct machine machine = {0};
    struct machine_probe_opts opts = {.quick = true};
    if (json_bool_at(question, "quick", &opts.quick, err) ||
        machine_probe(&opts, &machine, err))
        return -1;
    json_object_set_new(answer, "machine", machine_to_json(&machine));
    machine_release(&machine);
    return 0;
}

static int answer_look(struct node *node, const struct json_at *question, json_t *answer,
                       struct error *err)
{
    if (node_open(node, question, err))
        return -1;
    struct live_look look = live_look(node->bench.live);
    json_object_set_new(answer, "copies",
                        json_integer((json_int_t)live_copies(node->bench.live)));
    json_object_set_new(answer, "call_s", json_real(look.call_s));
    json_object_set_new(answer, "fill_s", json_real(look.fill_s));
    return 0;
}

/* How fast this node is by itself; proves the kernel as written, too. */
static int time_original(struct node *node, json_t *answer, struct error *err)
{
    const struct search_runner *runner = &node->bench.live_runner;
    struct measurement measurement = {0};
    if (node->is_timed)
        return 0;
    if (runner->measure(runner->data, &(struct candidate){.plan = ""}, MEASURE_QUICK, 0,
                        &measurement, err))
        return -1;
    int status =
        measurement.time_s.known
            ? 0
            : fail(err, STATUS_UNVERIFIABLE,
                   "the kernel as written does not run on this node: %s",
                   measurement.detail ? measurement.detail : "no reason is known");
    json_object_set_new(answer, "original_s", json_quantity(measurement.time_s));
    measurement_release(&measurement);
    node->is_timed = !status;
    return status;
}

/* What all nodes compare with. Told for the first time, the kernel as written is timed
 * here by itself before, if it was not yet: so nodes are compared. */
static int refer(struct node *node, const struct json_at *question, json_t *answer,
                 struct error *err)
{
    struct json_at reference;
    struct quantity time_s;
    const char *plan = NULL;
    if (!json_has(question, "reference"))
        return 0;
    return json_object_at(question, "reference", &reference, err) ||
                   json_string_at(&reference, "plan", &plan, err) ||
                   json_quantity_at(&reference, "time_s", &time_s, err) ||
                   time_original(node, answer, err) ||
                   live_refer(node->bench.live, plan, time_s, err)
               ? -1
               : 0;
}

static int take_budget(struct node *node, const struct json_at *question,
                       struct error *err)
{
    double budget_s, trace_s, trace_one_s;
    struct live_look look;
    if (json_number_at(question, "call_s", 0, INFINITY, &look.call_s, err) ||
        json_number_at(question, "fill_s", 0, INFINITY, &look.fill_s, err) ||
        json_number_at(question, "budget_s", 0, INFINITY, &budget_s, err) ||
        json_number_at(question, "trace_s", 0, INFINITY, &trace_s, err) ||
        json_number_at(question, "trace_one_s", 0, INFINITY, &trace_one_s, err))
        return -1;
    if (!node->is_ready) {
        live_take_look(node->bench.live, &look);
        if (live_shorten(node->bench.live, budget_call_s(&node->settings), &look, err))
            return -1;
    }
    live_set_budget(node->bench.live, clock_s() + budget_s, budget_s, trace_s,
                    trace_one_s);
    node->is_ready = true;
    return 0;
}

static int answer_open(struct node *node, const struct json_at *question, json_t *answer,
                       struct error *err)
{
    return node_open(node, question, err) || take_budget(node, question, err) ||
                   (json_has(question, "original") && time_original(node, answer, err)) ||
                   refer(node, question, answer, err)
               ? -1
               : 0;
}

static int answer_file(struct node *node, const struct json_at *question, json_t *answer,
                       struct error *err)
{
    struct environment environment[2];
    struct quantity ratio = quantity_unknown();
    const char *text = NULL, *plan = NULL;
    double seconds = 0;
    bool verified = false;
    if (question_file_at(question, &text, &plan, environment, &seconds, err))
        return -1;
    char *path = context_emitted(&node->bench);
    int status = file_write(path, text, strlen(text), err) ||
                         live_compare_file(node->bench.live, path, plan, environment,
                                           seconds, &ratio, &verified, err)
                     ? -1
                     : 0;
    json_object_set_new(answer, "ratio", json_quantity(ratio));
    json_object_set_new(answer, "verified", json_boolean(verified));
    free(path);
    return status;
}

static int answer_processor(struct node *node, json_t *answer, struct error *err)
{
    struct record_machine machine = {0};
    const struct record_cpu *cpu = &machine.cpu;
    int status = keep_record_processor(&node->bench, &machine, err);
    if (!status)
        json_object_set_new(answer, "processor",
                            json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "architecture",
                                      cpu->architecture, "vendor", cpu->vendor, "family",
                                      cpu->family, "model", cpu->model, "name", cpu->name,
                                      "isa", json_strvec(&machine.isa)));
    record_machine_release(&machine);
    return status;
}

static int answer_counts(struct node *node, json_t *answer, struct error *err)
{
    struct count_set counts = {0};
    int status = metrics_count(&node->bench, &counts, err);
    if (!status)
        json_object_set_new(answer, "counts", count_set_to_json(&counts));
    count_set_release(&counts);
    return status;
}

/* Another command of ours, as if it were typed here; with the profile of this kind of
 * node, not that of the machine whose home this may be. */
static int answer_run(struct node *node, const struct json_at *question, json_t *answer,
                      struct error *err)
{
    struct strvec words = {0}, env = {0};
    struct spawn_outcome outcome;
    const char *folder = NULL;
    char *kind = machine_fingerprint_here(), *profile = NULL;
    char *self = program_inflight();
    strvec_push(&words, self);
    node_close(node);
    int status = json_strings_at(question, "words", &words, err) ||
                         json_string_at(question, "folder", &folder, err) ||
                         kind_profile_path(kind ? kind : "", &profile, err)
                     ? -1
                     : 0;
    strvec_pushf(&env, "INFLIGHT_PROFILE=%s", profile ? profile : "");
    struct spawn_request request = {.argv = (const char *const *)words.v,
                                    .env_extra = (const char *const *)env.v,
                                    .dir = folder,
                                    .output_limit = 64 << 20};
    if (!status && !(status = spawn_run(&request, &outcome, err))) {
        json_object_set_new(answer, "out", text_json(buf_str(&outcome.out)));
        json_object_set_new(answer, "err", text_json(buf_str(&outcome.err)));
        json_object_set_new(
            answer, "status",
            json_integer(outcome.end == SPAWN_EXITED ? outcome.code : STATUS_FAILED));
        spawn_outcome_release(&outcome);
    }
    strvec_release(&words);
    strvec_release(&env);
    free(profile);
    free(kind);
    free(self);
    return status;
}

static int need_open(const struct node *node, struct error *err)
{
    return node->is_open
               ? 0
               : fail(err, STATUS_FAILED, "this worker was not told which kernel it is");
}

static int ask_legality(struct node *node, const char *plan, struct error *err)
{
    const struct search_subject *subject = &node->bench.subject;
    return subject->check(subject->data, plan, err);
}

static int ask_runner(struct node *node, const struct json_at *question, const char *what,
                      json_t *out, struct error *err)
{
    struct candidate candidate;
    if (!strcmp(what, "measure") &&
        (candidate_at(question, "candidate", &candidate, err) ||
         (*candidate.plan && ask_legality(node, candidate.plan, err))))
        return -1;
    return question_ask_runner(question, &node->bench.live_runner, out, err);
}

static int answer(void *data, const struct json_at *question, json_t *out,
                  struct error *err)
{
    struct node *node = data;
    const char *what = NULL;
    if (json_string_at(question, "what", &what, err))
        return -1;
    if (!strcmp(what, "profile"))
        return answer_profile(question, out, err);
    if (!strcmp(what, "run"))
        return answer_run(node, question, out, err);
    if (!strcmp(what, "look"))
        return answer_look(node, question, out, err);
    if (!strcmp(what, "open"))
        return answer_open(node, question, out, err);
    if (need_open(node, err) || refer(node, question, out, err))
        return -1;
    if (!strcmp(what, "file"))
        return answer_file(node, question, out, err);
    if (!strcmp(what, "counts"))
        return answer_counts(node, out, err);
    if (!strcmp(what, "processor"))
        return answer_processor(node, out, err);
    return ask_runner(node, question, what, out, err);
}

/* Of what waits builds what is legal, several at once: for what is compared with, which
 * the first of them may tell. */
static void prepare(void *data, const json_t *const *question, size_t nr)
{
    struct node *node = data;
    const struct search_runner *runner = &node->bench.live_runner;
    struct candidate *candidate = xcalloc(nr + 1, sizeof(*candidate));
    size_t candidates = 0;
    for (size_t i = 0; i < nr; i++) {
        struct json_at at = json_top("question", question[i]);
        if (node->is_timed)
            refer(node, &at, NULL, NULL);
        if (json_has(&at, "candidate") &&
            candidate_at(&at, "candidate", &candidate[candidates], NULL) == 0 &&
            node->is_open && ask_legality(node, candidate[candidates].plan, NULL) == 0)
            candidates++;
    }
    if (candidates > 1)
        runner->prepare(runner->data, candidate, candidates, NULL);
    free(candidate);
}

/* ---- who we are ---- */

static const char *from(const char *variable)
{
    const char *value = getenv(variable);
    return value ? value : "";
}

/* "1234_7" of an array, "1234" else, "" without a batch system. */
static char *job_name(void)
{
    const char *array = from("SLURM_ARRAY_JOB_ID");
    return *array ? xasprintf("%s_%s", array, from("SLURM_ARRAY_TASK_ID"))
                  : xstrdup(from("SLURM_JOB_ID"));
}

/* Of clock_s(); NAN = nobody says. Older versions of Slurm do not say it: from now. */
static double job_began_s(void)
{
    double began = strtod(from("SLURM_JOB_START_TIME"), NULL), now = (double)time(NULL);
    if (!*from("SLURM_JOB_ID"))
        return NAN;
    return clock_s() - (began > 0 && began < now ? now - began : 0);
}

/* As records of builds tell CPUs from each other: "amd-26-17". */
static char *cpu_word(void)
{
    struct machine_processor here;
    machine_processor_here(&here);
    struct record_machine owner = {.cpu = keep_record_cpu(&here)};
    char *word = record_cpu_word(&owner.cpu);
    record_machine_release(&owner);
    machine_processor_release(&here);
    return word;
}

static json_t *hello_json(char **id, struct error *err)
{
    char host[256] = "";
    struct machine_cpus cpus = {0};
    gethostname(host, sizeof(host) - 1);
    char *kind = machine_fingerprint_here(), *job = job_name(),
         *model = machine_cpu_model(), *cpu = cpu_word();
    if (machine_cpus(NULL, &cpus, err) || !kind) {
        free(kind);
        free(job);
        free(model);
        free(cpu);
        free(cpus.cpu);
        return NULL;
    }
    const char *node = *from("SLURMD_NODENAME") ? from("SLURMD_NODENAME") : host;
    *id = *job ? xasprintf("%s.%s.%s.%ld", node, job, from("SLURM_RESTART_COUNT"),
                           (long)getpid())
               : xasprintf("%s.%ld", node, (long)getpid());
    for (char *c = *id; *c; c++)
        if (*c == '/' || *c == '@')
            *c = '_';
    json_t *hello =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s}", "message",
                  "worker", "id", *id, "node", node, "job", job, "partition",
                  from("SLURM_JOB_PARTITION"), "kind", kind, "cpu_model", model, "cpu",
                  cpu, "cores", (json_int_t)cpus.cpu_nr, "processors",
                  (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "version", INFLIGHT_VERSION);
    free(cpus.cpu);
    free(kind);
    free(job);
    free(model);
    free(cpu);
    return hello;
}

static void say(void *data, const char *sentence)
{
    const struct node *node = data;
    if (!node->quiet)
        fprintf(stderr, "inflight: %s\n", sentence);
}

int worker_command(const struct settings *settings, struct error *err)
{
    struct node node = {.quiet = settings->quiet};
    char *id = NULL;
    if (!settings->file)
        return fail(err, STATUS_USAGE,
                    "worker needs the folder of a search: 'inflight worker FOLDER', the "
                    "FOLDER of 'inflight tune FILE.c --on FOLDER'");
    char *folder = path_absolute(settings->file);
    spawn_catch_interrupt();
    json_t *hello = mailbox_make(folder, err) ? NULL : hello_json(&id, err);
    struct serve_opts opts = {.folder = folder,
                              .id = id,
                              .hello = hello,
                              .began_s = job_began_s(),
                              .answer = answer,
                              .prepare = prepare,
                              .say = say,
                              .data = &node};
    if (hello && !settings->quiet)
        fprintf(stderr, "inflight: worker %s waits for questions in '%s'\n", id, folder);
    int status = hello ? serve(&opts, err) : -1;
    node_close(&node);
    json_decref(hello);
    free(folder);
    free(id);
    return status;
}
