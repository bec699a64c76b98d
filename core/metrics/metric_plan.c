/* Which events are counted in which run. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/metrics/metric_parts.h"

/* Of an event of the definitions. */
struct chosen {
    char *name; /* that counts here; NULL = none does, or nobody asked yet */
    bool asked;
};

struct planning {
    const struct metric_plan_request *request;
    struct metric_plan *plan;
    struct chosen *chosen; /* per event of the set */
    struct strvec anchor;  /* what every run counts, by the names that count */
    struct strvec missing; /* why the hardware's events that do not count do not */
};

static bool is_software(const char *event)
{
    return text_begins(event, "perf::") || text_begins(event, "sde:::");
}

static bool fits(const struct planning *planning, const struct strvec *event)
{
    bool at_once = false;

    return !planning->request->fits(planning->request->data, event, &at_once, NULL) &&
           at_once;
}

/*
 * What counts under which name.
 */

static bool counts(const struct planning *planning, const char *name, struct error *err)
{
    struct strvec one = {0};
    bool at_once;

    strvec_push(&one, name);
    bool result =
        planning->request->fits(planning->request->data, &one, &at_once, err) == 0;
    strvec_release(&one);
    return result;
}

/* Other tools' own names are not for us: those of PAPI and of the kernel's PMUs are. */
static bool is_ours(const char *alias)
{
    return strchr(alias, '/') || strstr(alias, "::") || text_begins(alias, "PAPI_");
}

static char *name_that_counts(const struct planning *planning,
                              const struct metric_event *event, struct error *err)
{
    if (counts(planning, event->name, err))
        return xstrdup(event->name);
    for (size_t i = 0; i < event->alias.nr; i++)
        if (is_ours(event->alias.v[i]) && counts(planning, event->alias.v[i], NULL))
            return xstrdup(event->alias.v[i]);
    return NULL;
}

static void note_missing(struct planning *planning, const char *event, const char *why)
{
    planning->plan->missing_nr++;
    strvec_push(is_software(event) ? &planning->plan->note : &planning->missing, why);
}

/* By the name that counts; NULL = it cannot be counted, which is noted once. */
static const char *choose(struct planning *planning, const char *event)
{
    const struct metric_set *set = planning->request->set;
    int at = metric_event_find(set, event);
    struct chosen *chosen = at == METRIC_NONE ? NULL : &planning->chosen[at];
    struct error why = {0};

    if (!chosen || chosen->asked)
        return chosen ? chosen->name : NULL;
    chosen->asked = true;
    chosen->name = name_that_counts(planning, &set->event[at], &why);
    if (!chosen->name)
        note_missing(planning, event, why.text);
    else if (!is_software(chosen->name))
        planning->plan->hardware = true;
    return chosen->name;
}

static void choose_all(struct planning *planning, const struct strvec *event,
                       struct strvec *out)
{
    for (size_t i = 0; i < event->nr; i++) {
        const char *name = choose(planning, event->v[i]);

        if (name)
            strvec_push_once(out, name);
    }
}

/*
 * Runs.
 */

static void add_once(struct strvec *run, const struct strvec *event)
{
    for (size_t i = 0; i < event->nr; i++)
        strvec_push_once(run, event->v[i]);
}

/* Into the run, if all of it fits. */
static bool join(const struct planning *planning, struct strvec *run,
                 const struct strvec *event)
{
    struct strvec both = {0};

    strvec_push_all(&both, run);
    add_once(&both, event);
    bool joined = both.nr == run->nr || fits(planning, &both);
    if (joined) {
        strvec_release(run);
        *run = both;
    } else {
        strvec_release(&both);
    }
    return joined;
}

static bool join_any(struct planning *planning, const struct strvec *event)
{
    for (size_t i = 0; i < planning->plan->run_nr; i++)
        if (join(planning, &planning->plan->run[i], event))
            return true;
    return false;
}

static struct strvec *new_run(struct metric_plan *plan)
{
    GROW(plan->run, plan->run_nr + 1, plan->run_alloc);
    plan->run[plan->run_nr] = (struct strvec){0};
    return &plan->run[plan->run_nr++];
}

static bool is_planned(const struct metric_plan *plan, const char *event)
{
    for (size_t i = 0; i < plan->run_nr; i++)
        if (strvec_has(&plan->run[i], event))
            return true;
    return false;
}

static bool all_planned(const struct metric_plan *plan, const struct strvec *event)
{
    for (size_t i = 0; i < event->nr; i++)
        if (!is_planned(plan, event->v[i]))
            return false;
    return true;
}

/* A run of its own, with the anchors; only a single event may push them out. */
static bool begin_run(struct planning *planning, const struct strvec *event)
{
    struct strvec run = {0};

    strvec_push_all(&run, &planning->anchor);
    if (!join(planning, &run, event)) {
        strvec_release(&run);
        if (event->nr > 1)
            return false;
        strvec_push_all(&run, event);
    }
    *new_run(planning->plan) = run;
    return true;
}

/* All in one run; else each where there is room. */
static void place(struct planning *planning, const struct strvec *event)
{
    if (all_planned(planning->plan, event) || join_any(planning, event) ||
        begin_run(planning, event))
        return;
    for (size_t i = 0; i < event->nr; i++) {
        struct strvec one = {0};

        strvec_push(&one, event->v[i]);
        if (!is_planned(planning->plan, one.v[0]) && !join_any(planning, &one))
            begin_run(planning, &one);
        strvec_release(&one);
    }
}

/*
 * What is wanted.
 */

static bool is_wanted(const struct metric_plan_request *request, size_t metric)
{
    int model = request->set->metric[metric].model;

    if (request->facts && !request->set->metric[metric].fact)
        return false;
    return model != METRIC_NONE &&
           (!request->model ||
            strcmp(request->set->model[model].name, request->model) == 0);
}

static void find_anchors(struct planning *planning)
{
    static const char *const name[] = {"cycles", "instructions"};
    const struct metric_set *set = planning->request->set;
    struct strvec event = {0};

    for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
        int metric = metric_find(set, name[i]);

        if (metric != METRIC_NONE)
            metric_events_of(set, metric, &event);
    }
    choose_all(planning, &event, &planning->anchor);
    strvec_release(&event);
}

/* Of the wanted events those that the source counted together. */
static void place_sets(struct planning *planning, const struct strvec *wanted)
{
    const struct metric_set *set = planning->request->set;

    for (size_t i = 0; i < set->event_set_nr; i++) {
        const struct strvec *together = &set->event_set[i].event;
        struct strvec event = {0}, name = {0};

        for (size_t k = 0; k < together->nr; k++)
            if (strvec_has(wanted, together->v[k]))
                strvec_push(&event, together->v[k]);
        choose_all(planning, &event, &name);
        place(planning, &name);
        strvec_release(&name);
        strvec_release(&event);
    }
}

static void place_metric(struct planning *planning, size_t metric)
{
    struct strvec event = {0}, name = {0};

    metric_events_of(planning->request->set, (int)metric, &event);
    choose_all(planning, &event, &name);
    place(planning, &name);
    strvec_release(&name);
    strvec_release(&event);
}

/* The events of the bandwidth are another table's; what does not count is left out. */
static void place_memory(struct planning *planning)
{
    const struct strvec *memory = planning->request->memory;
    struct error why = {0};
    bool at_once;

    if (!memory || !memory->nr)
        return;
    if (planning->request->fits(planning->request->data, memory, &at_once, &why))
        note_missing(planning, memory->v[0], why.text);
    else
        place(planning, memory);
}

static void place_wanted(struct planning *planning)
{
    const struct metric_plan_request *request = planning->request;
    struct strvec wanted = {0};
    bool memory = false;

    for (size_t i = 0; i < request->set->metric_nr; i++) {
        if (!is_wanted(request, i))
            continue;
        metric_events_of(request->set, (int)i, &wanted);
        memory = memory || metric_asks_for_memory(&request->set->metric[i]);
    }
    place_sets(planning, &wanted);
    for (size_t i = 0; i < request->set->metric_nr; i++)
        if (is_wanted(request, i))
            place_metric(planning, i);
    if (memory)
        place_memory(planning);
    strvec_release(&wanted);
}

/* The runs beyond the last one are counted along with those before. */
static void fold(struct metric_plan *plan, size_t max)
{
    while (max && plan->run_nr > max) {
        struct strvec *last = &plan->run[--plan->run_nr];

        add_once(&plan->run[plan->run_nr % max], last);
        strvec_release(last);
        plan->by_turns = true;
    }
}

/* Where the hardware counts nothing, one sentence says it of all. */
static void note_hardware(struct planning *planning)
{
    const struct strvec *missing = &planning->missing;

    if (planning->plan->hardware || missing->nr < 2)
        strvec_push_all(&planning->plan->note, missing);
    else
        strvec_pushf(&planning->plan->note,
                     "none of the %zu events of '%s' counts here: %s", missing->nr,
                     planning->request->set->name, missing->v[0]);
}

void metric_plan_make(const struct metric_plan_request *request, struct metric_plan *plan)
{
    struct planning planning = {.request = request, .plan = plan};

    *plan = (struct metric_plan){0};
    planning.chosen = xcalloc(request->set->event_nr + 1, sizeof(*planning.chosen));
    find_anchors(&planning);
    place_wanted(&planning);
    fold(plan, request->runs_max);
    note_hardware(&planning);
    for (size_t i = 0; i < request->set->event_nr; i++)
        free(planning.chosen[i].name);
    free(planning.chosen);
    strvec_release(&planning.anchor);
    strvec_release(&planning.missing);
}

void metric_plan_release(struct metric_plan *plan)
{
    for (size_t i = 0; i < plan->run_nr; i++)
        strvec_release(&plan->run[i]);
    free(plan->run);
    strvec_release(&plan->note);
    *plan = (struct metric_plan){0};
}
