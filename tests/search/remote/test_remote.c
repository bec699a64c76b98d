/* A search whose variants are judged by other processes, which see nothing of it but a
 * folder. */
#define _GNU_SOURCE /* prctl */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/remote/remote.h"
#include "search/remote/serve.h"
#include "tests/search/scripted_trial.h"

SUITE(search_remote);

static const struct space_entry table[] = {{.plan = "tile(i:16*", .illegal = "carried"},
                                           {.plan = "tile(*", .seconds = 0.4},
                                           {.plan = "unroll(*", .seconds = 0.9},
                                           {.plan = NULL}};

/* Their jobs began before they came. */
static const double ran_before_s = 1000;

/* ---- a worker ---- */

struct worker_script {
    const char *folder, *id;
    int dies_at; /* is killed within its n-th question from 1; 0 = never */
    int mute_at; /* stops for good there; 0 = never */
    bool later;  /* comes when the search has begun */
    bool slow;   /* has opened when it has begun: another one is home */
    int asked;
    struct space space;
};

static bool is_there(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    bool there = file_exists(path);
    free(path);
    return there;
}

static int answer(void *data, const struct json_at *question, json_t *out,
                  struct error *err)
{
    struct worker_script *script = data;
    const char *what = json_string_value(json_object_get(question->node, "what"));
    script->asked++;
    if (script->asked == script->dies_at)
        raise(SIGKILL);
    if (script->asked == script->mute_at)
        raise(SIGSTOP);
    if (!strcmp(what, "open")) {
        while (script->slow && !is_there(script->folder, "begun"))
            usleep(1000);
        if (json_has(question, "original"))
            json_object_set_new(
                out, "original_s",
                json_quantity(quantity_between(7, 7, 7, 1, PROVENANCE_CLOCK)));
        return 0;
    }
    if (!strcmp(what, "refuse"))
        return fail(err, STATUS_MISSING, "there is no such thing here");
    const struct search_subject *subject = &script->space.subject;
    struct candidate candidate;
    if (!strcmp(what, "measure") &&
        (candidate_at(question, "candidate", &candidate, err) ||
         (*candidate.plan && (subject->check)(subject->data, candidate.plan, err))))
        return -1;
    return question_ask_runner(question, &script->space.runner, out, err);
}

/* Before the head has threads: what is forked beside them may find locks held. */
static pid_t start_worker(struct worker_script script)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (script.later && !is_there(script.folder, "begun"))
        usleep(1000);
    json_t *hello =
        json_pack("{s:s, s:s, s:i}", "kind", "k", "node", script.id, "processors", 2);
    space_transpose(&script.space.kernel, 2000);
    space_init(&script.space, table);
    struct serve_opts opts = {.folder = script.folder,
                              .id = script.id,
                              .hello = hello,
                              .began_s = clock_s() - ran_before_s,
                              .answer = answer,
                              .data = &script};
    int status = serve(&opts, NULL);
    space_release(&script.space);
    json_decref(hello);
    _exit(status ? 1 : 0);
}

/* 0 = it has left by itself. */
static int end_of(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

/* ---- the head ---- */

struct head {
    char *folder;
    struct trial trial;
    double (*node_s)(void *data, double used_node_s);
    struct remote *remote;
    struct error err;
};

static void head_start(struct head *head)
{
    *head = (struct head){0};
    trial_start(&head->trial, table);
    check_ok(scratch_make(&head->folder, &head->err), &head->err);
    check_ok(mailbox_make(head->folder, &head->err), &head->err);
}

/* When all workers were started. */
static void head_listen(struct head *head)
{
    struct remote_opts opts = {
        .folder = head->folder, .last = "last", .silent_s = 6, .node_s = head->node_s};
    check_ok(remote_new(&opts, &head->remote, &head->err), &head->err);
}

static void head_open(struct head *head)
{
    struct space *space = &head->trial.space;
    const struct mailbox_patience none = {0};
    json_t *begun = json_object();
    head_listen(head);
    check_ok(remote_open(head->remote, question_new("open"), &head->err), &head->err);
    mailbox_put(head->folder, "", "begun", begun, &none, NULL);
    json_decref(begun);
    space->runner = remote_runner(head->remote, &space->subject, &space->machine, 2);
}

static void head_end(struct head *head)
{
    remote_free(head->remote);
    trial_release(&head->trial);
    scratch_remove(head->folder);
}

/* Every plan that a search without workers measures, once and no other. */
static void check_same_plans(const struct search_result *got)
{
    struct trial here = {0};
    struct error err = {0};
    trial_start(&here, table);
    check_ok(
        space_run(&here.space,
                  (struct search_opts){.strategy = "exhaustive", .budget_variants = 30},
                  &here.result, &err),
        &err);
    check_eq(got->measurement_nr, here.result.measurement_nr);
    for (size_t i = 0; i < here.result.measurement_nr; i++) {
        const char *plan = here.result.measurement[i].plan;
        size_t at = space_find(got, plan), nr = 0;
        check(at < got->measurement_nr);
        for (size_t k = 0; k < got->measurement_nr; k++)
            nr += !strcmp(got->measurement[k].plan, plan);
        check_eq(nr, 1);
        if (at < got->measurement_nr)
            check_near(got->measurement[at].time_s.value,
                       here.result.measurement[i].time_s.value, 0.05);
    }
    trial_release(&here);
}

static void search(struct head *head)
{
    struct search_opts opts = {.strategy = "exhaustive", .budget_variants = 30};
    check_ok(space_run(&head->trial.space, opts, &head->trial.result, &head->err),
             &head->err);
    check_same_plans(&head->trial.result);
}

TEST("one worker judges what a search here would")
{
    struct head head;
    head_start(&head);
    pid_t one = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    head_open(&head);
    search(&head);
    json_t *workers = remote_workers_json(head.remote);
    check_eq(json_array_size(workers), 1);
    json_decref(workers);
    check(remote_node_s(head.remote) > ran_before_s);
    head_end(&head);
    check_eq(end_of(one), 0);
}

TEST("several share the work, one that comes later, too")
{
    struct head head;
    head_start(&head);
    pid_t pid[3];
    pid[0] = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    pid[1] = start_worker((struct worker_script){.folder = head.folder, .id = "two"});
    pid[2] = start_worker(
        (struct worker_script){.folder = head.folder, .id = "three", .later = true});
    head_open(&head);
    search(&head);
    head_end(&head);
    for (size_t i = 0; i < ARRAY_SIZE(pid); i++)
        check_eq(end_of(pid[i]), 0);
}

static void wait_until_there(const char *folder, const char *name)
{
    while (!is_there(folder, name))
        usleep(1000);
}

/* The kernel as written takes there; 0 = not known. */
static double original_s(const struct remote *remote, size_t worker)
{
    json_t *workers = remote_workers_json(remote);
    const json_t *time_s = json_object_get(json_array_get(workers, worker), "original_s");
    double seconds = json_number_value(json_object_get(time_s, "value"));
    json_decref(workers);
    return seconds;
}

TEST("while the home explains the kernel as written, the others time it")
{
    struct head head;
    head_start(&head);
    pid_t pid[2];
    pid[0] = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    pid[1] = start_worker(
        (struct worker_script){.folder = head.folder, .id = "two", .slow = true});
    wait_until_there(head.folder, MAILBOX_WORKERS "/one.json");
    wait_until_there(head.folder, MAILBOX_WORKERS "/two.json");
    head_open(&head);
    check_eq(original_s(head.remote, 0), 0);
    search(&head);
    check(original_s(head.remote, 0) > 0);
    check_eq(original_s(head.remote, 1), 7);
    head_end(&head);
    for (size_t i = 0; i < ARRAY_SIZE(pid); i++)
        check_eq(end_of(pid[i]), 0);
}

TEST("a worker that is killed, and said to be gone, costs nothing but time")
{
    struct head head;
    head_start(&head);
    pid_t one = start_worker(
        (struct worker_script){.folder = head.folder, .id = "one", .dies_at = 4});
    pid_t two = start_worker(
        (struct worker_script){.folder = head.folder, .id = "two", .later = true});
    head_open(&head);
    /* Nobody but a batch system can tell; here the silence does. */
    search(&head);
    head_end(&head);
    check(end_of(one) != 0);
    check_eq(end_of(two), 0);
}

TEST("one that falls silent is not waited for")
{
    struct head head;
    head_start(&head);
    pid_t one = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    pid_t two = start_worker(
        (struct worker_script){.folder = head.folder, .id = "two", .mute_at = 3});
    head_open(&head);
    search(&head);
    kill(two, SIGKILL);
    end_of(two);
    head_end(&head);
    check_eq(end_of(one), 0);
}

TEST("the first one falls silent before the search has begun: the second one is asked")
{
    static const char *const hello[] = {"workers/one.json", "workers/two.json"};
    struct head head;
    json_t *answer_to = NULL;
    head_start(&head);
    pid_t one = start_worker(
        (struct worker_script){.folder = head.folder, .id = "one", .mute_at = 1});
    pid_t two = start_worker((struct worker_script){.folder = head.folder, .id = "two"});
    for (size_t i = 0; i < ARRAY_SIZE(hello); i++)
        while (!is_there(head.folder, hello[i]))
            usleep(1000);
    head_listen(&head);
    check_ok(remote_ask_first(head.remote, question_new("open"), &answer_to, &head.err),
             &head.err);
    json_decref(answer_to);
    kill(one, SIGKILL);
    end_of(one);
    head_end(&head);
    check_eq(end_of(two), 0);
}

TEST("what a worker refuses is said in its words; without workers to come it ends")
{
    struct head head;
    json_t *answer_to = NULL;
    head_start(&head);
    pid_t one = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    head_listen(&head);
    check(remote_ask_first(head.remote, question_new("refuse"), &answer_to, &head.err) ==
          -1);
    check_eq(head.err.status, STATUS_MISSING);
    check_str(head.err.text, "there is no such thing here");
    kill(one, SIGKILL);
    end_of(one);
    const struct mailbox_patience none = {0};
    json_t *last = json_object();
    mailbox_put(head.folder, "", "last", last, &none, NULL);
    mailbox_put(head.folder, MAILBOX_WORKERS, "one.bye", last, &none, NULL);
    json_decref(last);
    error_clear(&head.err);
    check(remote_ask_first(head.remote, question_new("open"), &answer_to, &head.err) ==
          -1);
    check(strstr(head.err.text, "lost") != NULL);
    head_end(&head);
}

static double nothing_more(void *data, double used_node_s)
{
    (void)data;
    return used_node_s;
}

TEST("a search ends with its node-seconds, and one worker stays for that")
{
    struct head head;
    struct search_opts opts = {.strategy = "exhaustive", .budget_variants = 30};
    head_start(&head);
    head.node_s = nothing_more;
    pid_t one = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    pid_t two = start_worker((struct worker_script){.folder = head.folder, .id = "two"});
    head_open(&head);
    check_ok(space_run(&head.trial.space, opts, &head.trial.result, &head.err),
             &head.err);
    check_eq(head.trial.result.measurement_nr, 1);
    check_contains(head.trial.result.stop, "its share of the node-hours ended after 0 ");
    check_eq(remote_left_s(head.remote), 0);
    head_end(&head);
    check_eq(end_of(one), 0);
    check_eq(end_of(two), 0);
}

TEST("behind the search the home alone stays, and nobody is waited for when it is lost")
{
    struct head head;
    json_t *answer_to = NULL;
    head_start(&head);
    pid_t one = start_worker((struct worker_script){.folder = head.folder, .id = "one"});
    pid_t two = start_worker((struct worker_script){.folder = head.folder, .id = "two"});
    head_open(&head);
    search(&head);
    check_ok(remote_stay(head.remote, &head.err), &head.err);
    json_t *workers = remote_workers_json(head.remote), *worker;
    size_t gone = 0, i;
    json_array_foreach(workers, i, worker) {
        bool left = !strcmp(json_string_value(json_object_get(worker, "state")), "gone");
        gone += left;
        if (!left)
            mailbox_bye(head.folder, json_string_value(json_object_get(worker, "id")),
                        "test");
    }
    check(gone + 1 >= json_array_size(workers));
    json_decref(workers);
    check(remote_ask(head.remote, question_new("refuse"), &answer_to, &head.err) == -1 ||
          answer_to);
    json_decref(answer_to);
    while (!head.err.status && remote_stay(head.remote, &head.err) == 0)
        ;
    check_str(head.err.text, "the node that was left was lost");
    error_clear(&head.err);
    check(remote_ask(head.remote, question_new("refuse"), &answer_to, &head.err) == -1);
    check_str(head.err.text, "the node that was left was lost");
    error_clear(&head.err);
    head_end(&head);
    check_eq(end_of(one), 0);
    check_eq(end_of(two), 0);
}

/* ---- messages ---- */

TEST("messages are whole, sorted, and half ones are not seen")
{
    const struct mailbox_patience none = {0};
    char *folder = NULL;
    struct strvec names = {0};
    struct error err = {0};
    check_ok(scratch_make(&folder, &err), &err);
    check_ok(mailbox_make(folder, &err), &err);
    check(mailbox_is_one(folder));
    json_t *document = json_pack("{s:i}", "n", 1);
    check_ok(mailbox_put(folder, MAILBOX_ANSWERS, "2.json", document, &none, &err), &err);
    check_ok(mailbox_put(folder, MAILBOX_ANSWERS, "1.json", document, &none, &err), &err);
    char *half = mailbox_path(folder, MAILBOX_ANSWERS, "0.json.part");
    check_ok(file_write(half, "{", 1, &err), &err);
    mailbox_list(folder, MAILBOX_ANSWERS, &names);
    check_eq(names.nr, 2);
    check_str(names.v[0], "1.json");
    json_t *read = mailbox_read(folder, MAILBOX_ANSWERS, "1.json");
    check(json_equal(read, document));
    check(mailbox_read(folder, MAILBOX_ANSWERS, "0.json.part") == NULL);
    check(mailbox_put("/nonexistent", MAILBOX_ANSWERS, "1.json", document, &none, &err) ==
          -1);
    json_decref(read);
    json_decref(document);
    strvec_release(&names);
    free(half);
    scratch_remove(folder);
}

static void count_said(void *data, const char *sentence)
{
    check(strstr(sentence, "waiting: cannot write") != NULL);
    ++*(int *)data;
}

/* The half message is a device without room, until that is taken away. */
TEST("a folder without room is waited for, as long as patience lasts, and said once")
{
    int said = 0;
    const struct mailbox_patience none = {0}, some = {PATIENCE_S, count_said, &said};
    char *folder = NULL;
    struct error err = {0};
    check_ok(scratch_make(&folder, &err), &err);
    check_ok(mailbox_make(folder, &err), &err);
    json_t *document = json_pack("{s:i}", "n", 1);
    char *half = mailbox_path(folder, MAILBOX_ANSWERS, "1.json.part");
    check_eq(symlink("/dev/full", half), 0);
    check_eq(mailbox_put(folder, MAILBOX_ANSWERS, "1.json", document, &none, &err), -1);
    check(strstr(err.text, "No space left on device") != NULL);
    check(mailbox_read(folder, MAILBOX_ANSWERS, "1.json") == NULL);
    error_clear(&err);
    check_eq(symlink("/dev/full", half), 0);
    check_ok(mailbox_put(folder, MAILBOX_ANSWERS, "1.json", document, &some, &err), &err);
    check_eq(said, 1);
    json_t *read = mailbox_read(folder, MAILBOX_ANSWERS, "1.json");
    check(json_equal(read, document));
    json_decref(read);
    json_decref(document);
    free(half);
    scratch_remove(folder);
}

TEST("a beat counts up, and needs no clock of ours")
{
    char *folder = NULL;
    struct error err = {0};
    struct mailbox_beater *beater = NULL;
    check_ok(scratch_make(&folder, &err), &err);
    check_eq(mailbox_beat(folder, "w"), -1);
    check_ok(mailbox_beater_start(folder, "w", &beater, &err), &err);
    while (mailbox_beat(folder, "w") > 10) /* the first one comes from the thread */
        usleep(1000);
    long long first = mailbox_beat(folder, "w");
    while (mailbox_beat(folder, "w") == first)
        usleep(10000);
    check(mailbox_beat(folder, "w") > first);
    mailbox_beater_stop(beater);
    scratch_remove(folder);
}
