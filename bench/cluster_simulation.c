/*
 * How a campaign on a cluster goes with the number of nodes: a queue that gives nodes
 * over time, jobs that start up and are preempted, a head that reads and writes one
 * message after the other. Who is asked what is decided by search/remote/dispatch.c
 * itself, under a clock of its own; what waits for what is as in search/remote/remote.c,
 * the window of session/prebuild.c and the list of strategy/blind.c
 * (docs/reference/cluster.md).
 *
 *   cluster_simulation [option VALUE]...    (see usage() for the options)
 *
 * The same options give the same figures, but for --measure: what a message takes here.
 */
#include <getopt.h>
#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/files/fs.h"
#include "core/process/term.h"
#include "search/records/records.h"
#include "search/remote/dispatch.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/space/space.h"

/* As in search/remote/remote.c and mailbox.c. */
static const double look_around_s = 0.5, missed_s = 15, nap_min_s = 0.001,
                    nap_max_s = 0.05;
enum { DEPTH_MIN = 2 };

enum { EXPLAINED = 4, COMPARED = 2, COMPARISONS = 10, SEEDS_MAX = 101 };

struct settings {
    double startup_s;     /* of a job; 0 = from 1 to 60 s, all alike */
    double arrival_s;     /* the queue gives the nodes within so long, all alike */
    double per_hour;      /* a node is lost so often */
    double unseen;        /* share of losses that only silence tells */
    double requeue_s;     /* mean until the queue gives another for it */
    double put_s, take_s; /* the head writes a question, reads an answer */
    double look_s;        /* ... looks whether one worker is there */
    double search_s;      /* ... decides about one verdict */
    size_t ahead;         /* questions that the search asks ahead for each worker */
    size_t depth, window, seeds; /* window: workers that it is made for; 0 = that work */
    bool keep; /* those that have nothing to do any more stay to the end */
};

/* ---- what a verdict takes: of what was recorded, over the median of its space ---- */

struct costs {
    double *ratio;
    size_t nr, alloc;
};

static int add_costs(struct costs *costs, const char *path, struct error *err)
{
    struct dataset *dataset;
    size_t nr;
    if (dataset_load(path, &dataset, err))
        return -1;
    const struct dataset_entry *entry = dataset_entries(dataset, &nr);
    double *sorted = xcalloc(nr + 1, sizeof(*sorted));
    for (size_t i = 0; i < nr; i++)
        sorted[i] = entry[i].cost_s;
    double median = median_sorting(sorted, nr);
    for (size_t i = 0; i < nr; i++) {
        if (!(entry[i].cost_s > 0))
            continue;
        GROW(costs->ratio, costs->nr + 1, costs->alloc);
        costs->ratio[costs->nr++] = entry[i].cost_s / median;
    }
    free(sorted);
    dataset_free(dataset);
    return 0;
}

static int read_costs(struct costs *costs, struct error *err)
{
    static const char pattern[] = INFLIGHT_SOURCE_DIR "/bench/data/spaces/*.json.gz";
    glob_t found = {0};
    int status = glob(pattern, 0, NULL, &found)
                     ? fail(err, STATUS_INPUT, "there is no '%s'", pattern)
                     : 0;
    for (size_t i = 0; !status && i < found.gl_pathc; i++)
        status = add_costs(costs, found.gl_pathv[i], err);
    globfree(&found);
    return status;
}

/* ---- the world ---- */

enum event_kind { EVENT_START, EVENT_READY, EVENT_DONE, EVENT_LOST, EVENT_SEEN };

struct event {
    double at_s;
    enum event_kind kind;
    size_t node;
};

struct node {
    double start_s, end_s; /* its job: paid for */
    double free_s;         /* since when it has nothing to do */
    bool ready, lost, away;
    size_t worker; /* SIZE_MAX = it has not joined */
    size_t *inbox; /* questions, unordered */
    size_t inbox_nr, inbox_alloc;
    size_t at; /* the question that it works on; SIZE_MAX = none */
};

struct asked {
    double cost_s;
    enum dispatch_kind kind;
    size_t times;
};

struct answer {
    size_t node, question;
};

struct sim {
    const struct settings *settings;
    const struct costs *costs;
    uint64_t state;
    double median_s, now_s, looked_s, nap_s;
    struct event *event; /* a heap, the earliest first */
    size_t event_nr, event_alloc;
    struct node *node;
    size_t node_nr, node_alloc;
    size_t *node_of; /* worker */
    size_t worker_nr, worker_alloc;
    struct dispatch *dispatch;
    struct asked *asked;
    size_t asked_nr, asked_alloc;
    struct answer *answer; /* not read yet */
    size_t answer_nr, answer_alloc;
    /* the search: `measured` of `variants` have been taken, in their order; those before
     * `ready` have been asked for; question of variant i */
    size_t variants, measured, ready, batch, home_nr;
    size_t *of;
    double useful_s, head_s;
    size_t given_up;
};

static double uniform(struct sim *sim)
{
    return (double)(random_next(&sim->state) >> 11) * 0x1p-53;
}

static double exponential(struct sim *sim, double mean)
{
    return -mean * log1p(-uniform(sim));
}

static double verdict_s(struct sim *sim)
{
    return sim->median_s * sim->costs->ratio[random_next(&sim->state) % sim->costs->nr];
}

static void happen(struct sim *sim, double at_s, enum event_kind kind, size_t node)
{
    GROW(sim->event, sim->event_nr + 1, sim->event_alloc);
    size_t i = sim->event_nr++;
    for (; i > 0 && sim->event[(i - 1) / 2].at_s > at_s; i = (i - 1) / 2)
        sim->event[i] = sim->event[(i - 1) / 2];
    sim->event[i] = (struct event){at_s, kind, node};
}

static struct event pop(struct sim *sim)
{
    struct event first = sim->event[0], last = sim->event[--sim->event_nr];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < sim->event_nr; i = child) {
        if (child + 1 < sim->event_nr &&
            sim->event[child + 1].at_s < sim->event[child].at_s)
            child++;
        if (sim->event[child].at_s >= last.at_s)
            break;
        sim->event[i] = sim->event[child];
    }
    sim->event[i] = last;
    return first;
}

static void submit(struct sim *sim, double start_s)
{
    GROW(sim->node, sim->node_nr + 1, sim->node_alloc);
    sim->node[sim->node_nr] = (struct node){
        .start_s = start_s, .end_s = -1, .worker = SIZE_MAX, .at = SIZE_MAX};
    happen(sim, start_s, EVENT_START, sim->node_nr++);
}

/* ---- a worker ---- */

/* What the search waits for first, else by number. */
static void take_up(struct sim *sim, size_t number, double at_s)
{
    struct node *node = &sim->node[number];
    size_t first = 0;
    if (node->at != SIZE_MAX || !node->inbox_nr)
        return;
    for (size_t i = 1; i < node->inbox_nr; i++) {
        enum dispatch_kind kind = sim->asked[node->inbox[i]].kind,
                           other = sim->asked[node->inbox[first]].kind;
        if (kind < other || (kind == other && node->inbox[i] < node->inbox[first]))
            first = i;
    }
    node->at = node->inbox[first];
    node->inbox[first] = node->inbox[--node->inbox_nr];
    happen(sim, at_s + sim->asked[node->at].cost_s, EVENT_DONE, number);
}

/* One that looks for questions naps up to 50 ms. */
static void deliver(struct sim *sim, size_t number, size_t question)
{
    struct node *node = &sim->node[number];
    if (node->lost || node->away)
        return;
    GROW(node->inbox, node->inbox_nr + 1, node->inbox_alloc);
    node->inbox[node->inbox_nr++] = question;
    double nap_s = nap_min_s + 0.3 * fmax(sim->now_s - node->free_s, 0);
    take_up(sim, number, sim->now_s + uniform(sim) * fmin(nap_s, nap_max_s));
}

static void node_starts(struct sim *sim, size_t number, double at_s)
{
    const struct settings *settings = sim->settings;
    double startup_s =
        settings->startup_s > 0 ? settings->startup_s : 1 + 59 * uniform(sim);
    happen(sim, at_s + startup_s, EVENT_READY, number);
    if (settings->per_hour > 0)
        happen(sim, at_s + exponential(sim, 3600 / settings->per_hour), EVENT_LOST,
               number);
}

static void node_is_lost(struct sim *sim, size_t number, double at_s)
{
    struct node *node = &sim->node[number];
    if (node->away)
        return;
    bool unseen = uniform(sim) < sim->settings->unseen;
    node->lost = true;
    node->end_s = at_s;
    node->at = SIZE_MAX;
    node->inbox_nr = 0;
    if (!unseen)
        happen(sim, at_s, EVENT_SEEN, number);
    submit(sim, at_s + exponential(sim, sim->settings->requeue_s));
}

static void event_happens(struct sim *sim, struct event event)
{
    struct node *node = &sim->node[event.node];
    switch (event.kind) {
    case EVENT_START:
        node_starts(sim, event.node, event.at_s);
        break;
    case EVENT_READY:
        node->ready = !node->lost;
        node->free_s = event.at_s;
        break;
    case EVENT_DONE:
        if (node->lost || node->at == SIZE_MAX)
            break;
        GROW(sim->answer, sim->answer_nr + 1, sim->answer_alloc);
        sim->answer[sim->answer_nr++] = (struct answer){event.node, node->at};
        node->at = SIZE_MAX;
        node->free_s = event.at_s;
        take_up(sim, event.node, event.at_s);
        break;
    case EVENT_LOST:
        node_is_lost(sim, event.node, event.at_s);
        break;
    case EVENT_SEEN: /* when the head looks around */
        if (node->worker != SIZE_MAX)
            dispatch_leave(sim->dispatch, node->worker);
        break;
    }
}

/* ---- the head ---- */

static void head_works(struct sim *sim, double seconds)
{
    sim->now_s += seconds;
    sim->head_s += seconds;
}

static bool read_answers(struct sim *sim)
{
    size_t nr = sim->answer_nr;
    for (size_t i = 0; i < nr; i++) {
        struct answer *answer = &sim->answer[i];
        head_works(sim, sim->settings->take_s);
        if (dispatch_take(sim->dispatch, sim->node[answer->node].worker, answer->question,
                          sim->now_s))
            sim->useful_s += sim->asked[answer->question].cost_s;
    }
    sim->answer_nr = 0;
    return nr > 0;
}

/* Who came is asked at once. */
static void look_around(struct sim *sim)
{
    if (sim->now_s - sim->looked_s < look_around_s)
        return;
    for (size_t i = 0; i < sim->node_nr; i++) {
        struct node *node = &sim->node[i];
        if (!node->ready || node->lost || node->away)
            continue;
        head_works(sim, sim->settings->look_s);
        if (node->worker != SIZE_MAX) {
            dispatch_heard(sim->dispatch, node->worker, sim->now_s);
            continue;
        }
        node->worker = dispatch_join(sim->dispatch, sim->settings->depth, sim->now_s);
        GROW(sim->node_of, sim->worker_nr + 1, sim->worker_alloc);
        sim->node_of[sim->worker_nr++] = i;
    }
    dispatch_tick(sim->dispatch, sim->now_s);
    sim->looked_s = sim->now_s;
}

static void send_questions(struct sim *sim)
{
    size_t worker, question;
    while (dispatch_next(sim->dispatch, &worker, &question)) {
        head_works(sim, sim->settings->put_s);
        sim->asked[question].times++;
        deliver(sim, sim->node_of[worker], question);
    }
}

static size_t put(struct sim *sim, enum dispatch_kind kind, double cost_s)
{
    size_t question = dispatch_put(sim->dispatch, kind);
    GROW(sim->asked, question + 1, sim->asked_alloc);
    sim->asked[question] = (struct asked){.cost_s = cost_s, .kind = kind};
    return sim->asked_nr++;
}

/* session_prebuild() with what remote_runner() wants. */
static void ask_ahead(struct sim *sim)
{
    size_t working = dispatch_working(sim->dispatch),
           nr = sim->settings->window ? sim->settings->window
                : working             ? working
                                      : 1,
           ahead = nr * sim->settings->ahead, max = ahead * DEPTH_MIN;
    if (sim->measured + ahead < sim->ready)
        return;
    sim->batch = sim->batch ? 2 * sim->batch : nr * DEPTH_MIN;
    sim->batch = sim->batch < max ? sim->batch : max;
    for (size_t i = 0; i < sim->batch && sim->ready < sim->variants; i++)
        sim->of[sim->ready++] = put(sim, DISPATCH_ANY, verdict_s(sim));
}

static void everybody(struct sim *sim)
{
    while (sim->event_nr && sim->event[0].at_s <= sim->now_s)
        event_happens(sim, pop(sim));
}

/* The next time that it looks after something happened. */
static void nap(struct sim *sim)
{
    double until_s = sim->looked_s + look_around_s;
    if (sim->event_nr && sim->event[0].at_s < until_s)
        until_s = sim->event[0].at_s;
    do {
        sim->nap_s = fmin(sim->nap_s > 0 ? 1.3 * sim->nap_s : nap_min_s, nap_max_s);
        sim->now_s += sim->nap_s;
    } while (sim->now_s < until_s);
}

static void turn(struct sim *sim)
{
    everybody(sim);
    bool any = read_answers(sim);
    look_around(sim);
    send_questions(sim);
    if (any)
        sim->nap_s = 0;
    else
        nap(sim);
}

static void wait_for(struct sim *sim, size_t question)
{
    enum dispatch_state state;
    while ((state = dispatch_state(sim->dispatch, question)) != DISPATCH_ANSWERED &&
           state != DISPATCH_GIVEN_UP)
        turn(sim);
    sim->given_up += state == DISPATCH_GIVEN_UP;
    head_works(sim, sim->settings->search_s);
}

static void ask_home(struct sim *sim, double cost_s)
{
    wait_for(sim, put(sim, DISPATCH_HOME, cost_s));
}

/* All but the home leave. */
static void send_away(struct sim *sim)
{
    size_t home = 0;
    bool any = dispatch_home(sim->dispatch, &home);
    for (size_t i = 0; i < sim->node_nr; i++) {
        struct node *node = &sim->node[i];
        if (node->lost || (any && node->worker == home))
            continue;
        node->away = true;
        node->end_s = sim->now_s;
        if (node->worker != SIZE_MAX)
            dispatch_leave(sim->dispatch, node->worker);
    }
}

/* Exhaustive: the kernel as written explained, every variant once, the best ones compared
 * and the best one explained. */
static void search(struct sim *sim)
{
    ask_home(sim, EXPLAINED * verdict_s(sim));
    for (; sim->measured < sim->variants; sim->measured++) {
        ask_ahead(sim);
        wait_for(sim, sim->of[sim->measured]);
    }
    if (!sim->settings->keep)
        send_away(sim);
    for (int i = 0; i < COMPARISONS; i++)
        ask_home(sim, COMPARED * verdict_s(sim));
    ask_home(sim, EXPLAINED * verdict_s(sim));
}

/* ---- figures ---- */

struct figures {
    double wall_s, efficiency, jobs, twice, given_up, head;
};

static struct figures figures_of(const struct sim *sim)
{
    double used_s = 0;
    size_t jobs = 0, times = 0, asked = 0;
    for (size_t i = 0; i < sim->node_nr; i++) {
        const struct node *node = &sim->node[i];
        double end_s = node->end_s >= 0 ? node->end_s : sim->now_s;
        jobs += node->start_s < end_s;
        used_s += fmax(end_s - node->start_s, 0);
    }
    for (size_t i = 0; i < sim->asked_nr; i++) {
        times += sim->asked[i].times;
        asked += sim->asked[i].times > 0;
    }
    return (struct figures){.wall_s = sim->now_s,
                            .efficiency = sim->useful_s / used_s,
                            .jobs = (double)jobs,
                            .twice = (double)(times - asked),
                            .given_up = (double)sim->given_up,
                            .head = sim->head_s / sim->now_s};
}

static struct figures simulate(const struct settings *settings, const struct costs *costs,
                               size_t nodes, size_t variants, double median_s,
                               uint64_t seed)
{
    struct sim sim = {.settings = settings,
                      .costs = costs,
                      .state = seed,
                      .median_s = median_s,
                      .variants = variants,
                      .dispatch =
                          dispatch_new(&(struct dispatch_opts){.least_s = missed_s})};
    sim.of = xcalloc(variants + 1, sizeof(*sim.of));
    for (size_t i = 0; i < nodes; i++)
        submit(&sim, i ? settings->arrival_s * uniform(&sim) : 0);
    search(&sim);
    struct figures figures = figures_of(&sim);
    for (size_t i = 0; i < sim.node_nr; i++)
        free(sim.node[i].inbox);
    free(sim.node);
    free(sim.node_of);
    free(sim.event);
    free(sim.asked);
    free(sim.answer);
    free(sim.of);
    dispatch_free(sim.dispatch);
    return figures;
}

/* The median of all seeds, and the least and the most. */
static struct spread {
    double median, low, high;
} spread_of(const struct figures *figures, size_t nr, size_t member)
{
    double value[SEEDS_MAX];
    for (size_t i = 0; i < nr; i++)
        memcpy(&value[i], (const char *)&figures[i] + member, sizeof(*value));
    double median = median_sorting(value, nr);
    return (struct spread){median, value[0], value[nr - 1]};
}

static void cell(const struct figures *figures, size_t nr, size_t member, double scale,
                 int digits)
{
    struct spread spread = spread_of(figures, nr, member);
    printf(" %.*f (%.*f to %.*f) |", digits, scale * spread.median, digits,
           scale * spread.low, digits, scale * spread.high);
}

static void say_table(const struct settings *settings, const struct costs *costs,
                      size_t variants, double median_s)
{
    static const size_t nodes[] = {1, 3, 10, 30, 100, 300, 1000};
    struct figures figures[SEEDS_MAX];
    double alone_s = NAN;
    printf(
        "\n%zu variants, a verdict takes %.0f s in the median\n\n| nodes | wall time, "
        "s | speed-up | efficiency, %% | jobs | asked twice | given up | head busy, %% "
        "|\n|---|---|---|---|---|---|---|---|\n",
        variants, median_s);
    for (size_t n = 0; n < ARRAY_SIZE(nodes); n++) {
        for (size_t seed = 0; seed < settings->seeds; seed++)
            figures[seed] =
                simulate(settings, costs, nodes[n], variants, median_s, seed + 1);
        size_t nr = settings->seeds, wall = offsetof(struct figures, wall_s);
        double wall_s = spread_of(figures, nr, wall).median;
        alone_s = n ? alone_s : wall_s;
        printf("| %zu |", nodes[n]);
        cell(figures, nr, wall, 1, 0);
        printf(" %.1f |", alone_s / wall_s);
        cell(figures, nr, offsetof(struct figures, efficiency), 100, 0);
        cell(figures, nr, offsetof(struct figures, jobs), 1, 0);
        cell(figures, nr, offsetof(struct figures, twice), 1, 0);
        cell(figures, nr, offsetof(struct figures, given_up), 1, 0);
        cell(figures, nr, offsetof(struct figures, head), 100, 0);
        puts("");
    }
}

/* ---- what a message takes here ---- */

/* Bytes of a recorded measurement: what an answer holds. */
enum { MESSAGES = 2000, ANSWER_BYTES = 3000 };

static int measure_messages(struct error *err)
{
    const struct mailbox_patience none = {0};
    const struct candidate candidate = {.plan = (char *)"interchange(j,i) simd"};
    char folder[] = "/tmp/cluster_simulation.XXXXXX", name[64];
    char *text = xcalloc(ANSWER_BYTES + 1, 1);
    memset(text, 'x', ANSWER_BYTES);
    if (!mkdtemp(folder) || mailbox_make(folder, err))
        return -1;
    json_t *question = question_measure(&candidate, MEASURE_QUICK, 0),
           *answer = json_pack("{s:s}", "measurement", text);
    int status = 0;
    double put_s = -clock_s();
    for (int i = 0; i < MESSAGES && !status; i++) {
        snprintf(name, sizeof(name), "1-%08d.json", i);
        status = mailbox_put(folder, MAILBOX_INBOX, name, question, &none, err);
    }
    put_s += clock_s();
    for (int i = 0; i < MESSAGES && !status; i++) {
        snprintf(name, sizeof(name), "1-%08d@host.1.json", i);
        status = mailbox_put(folder, MAILBOX_ANSWERS, name, answer, &none, err);
    }
    struct strvec names = {0};
    double take_s = -clock_s();
    mailbox_list(folder, MAILBOX_ANSWERS, &names);
    for (size_t i = 0; i < names.nr; i++) {
        json_decref(mailbox_read(folder, MAILBOX_ANSWERS, names.v[i]));
        mailbox_remove(folder, MAILBOX_ANSWERS, names.v[i]);
    }
    take_s += clock_s();
    strvec_release(&names);
    double look_s = -clock_s();
    for (int i = 0; i < MESSAGES; i++)
        mailbox_beat(folder, MAILBOX_INBOX);
    look_s += clock_s();
    printf("a question is written in %.0f us, an answer read in %.0f us, a beat in %.1f "
           "us\n",
           1e6 * put_s / MESSAGES, 1e6 * take_s / MESSAGES, 1e6 * look_s / MESSAGES);
    dir_remove_all(folder);
    json_decref(question);
    json_decref(answer);
    free(text);
    return status;
}

/* ---- the command line ---- */

static const struct settings defaults = {
    .arrival_s = 60,
    .per_hour = 0.1,
    .unseen = 0.01,
    .requeue_s = 60,
    /* --measure, alone on a 2-core guest of a Zen 5 with a local disk, 2026-11-27 */
    .put_s = 290e-6,
    .take_s = 51e-6,
    .look_s = 1.8e-6,
    /* a replay of 288 variants takes 0.06 ms for each; the rest is for the database */
    .search_s = 500e-6,
    .ahead = 16,
    .depth = 8,
    .seeds = 5,
};

static const struct number {
    const char *name, *what;
    size_t member;
    double max;
    bool whole;
} numbers[] = {
    {"startup", "seconds of a job until it can be asked; 0 = 1 to 60, all alike",
     offsetof(struct settings, startup_s), 1e5, false},
    {"arrival", "seconds within which the queue gives the nodes",
     offsetof(struct settings, arrival_s), 1e6, false},
    {"lost", "times that a node is lost in an hour", offsetof(struct settings, per_hour),
     3600, false},
    {"unseen", "share of the losses that only silence tells",
     offsetof(struct settings, unseen), 1, false},
    {"requeue", "mean seconds until there is another for a lost one",
     offsetof(struct settings, requeue_s), 1e6, false},
    {"put", "seconds to write a question", offsetof(struct settings, put_s), 10, false},
    {"take", "seconds to read an answer", offsetof(struct settings, take_s), 10, false},
    {"look", "seconds to look for one beat", offsetof(struct settings, look_s), 10,
     false},
    {"search", "seconds of the search for each verdict",
     offsetof(struct settings, search_s), 10, false},
    {"depth", "questions that a worker has", offsetof(struct settings, depth), 1000,
     true},
    {"ahead", "questions asked ahead for each worker", offsetof(struct settings, ahead),
     10000, true},
    {"window", "workers that the search asks ahead for; 0 = those that work",
     offsetof(struct settings, window), 1e5, true},
    {"seeds", "campaigns of each size", offsetof(struct settings, seeds), SEEDS_MAX,
     true},
};

static int usage(const char *problem)
{
    fprintf(stderr,
            "%s\nusage: cluster_simulation [options]\n  --measure  what a message takes "
            "here\n  --keep     workers stay while the best are compared\n",
            problem);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        fprintf(stderr, "  --%s N  %s\n", numbers[i].name, numbers[i].what);
    return 2;
}

static int read_number(const struct number *number, const char *text,
                       struct settings *settings)
{
    char *end = NULL, *member = (char *)settings + number->member;
    double value = strtod(text, &end);
    size_t whole = (size_t)value;
    if (end == text || *end || !(value >= 0 && value <= number->max) ||
        (number->whole && value != floor(value)))
        return usage("a number is not valid");
    memcpy(member, number->whole ? (void *)&whole : (void *)&value,
           number->whole ? sizeof(whole) : sizeof(value));
    return 0;
}

static int read_words(int argc, char **argv, struct settings *settings, bool *measure)
{
    struct option options[ARRAY_SIZE(numbers) + 3] = {{"measure", no_argument, NULL, 'm'},
                                                      {"keep", no_argument, NULL, 'k'}};
    enum { FIRST = 256 };
    for (int i = 0; i < (int)ARRAY_SIZE(numbers); i++)
        options[i + 2] =
            (struct option){numbers[i].name, required_argument, NULL, FIRST + i};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'm')
            *measure = true;
        else if (c == 'k')
            settings->keep = true;
        else if (c < FIRST)
            return usage("that is not known");
        else if (read_number(&numbers[c - FIRST], optarg, settings))
            return 2;
    }
    return optind < argc || !settings->seeds ? usage("that is not known") : 0;
}

static int run(const struct settings *settings, struct error *err)
{
    static const size_t variants[] = {300, 100000};
    static const double median_s[] = {1, 3};
    struct costs costs = {0};
    int status = read_costs(&costs, err);
    for (size_t i = 0; i < ARRAY_SIZE(variants) && !status; i++)
        for (size_t k = 0; k < ARRAY_SIZE(median_s); k++)
            say_table(settings, &costs, variants[i], median_s[k]);
    free(costs.ratio);
    return status;
}

int main(int argc, char **argv)
{
    struct settings settings = defaults;
    struct error err = {0};
    bool measure = false;
    int status = read_words(argc, argv, &settings, &measure);
    if (!status && (measure ? measure_messages(&err) : run(&settings, &err))) {
        fprintf(stderr, "%s\n", err.text);
        status = 2;
    }
    return status;
}
