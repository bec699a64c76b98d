#include "advisor/metrics/metrics_told.h"

#include <stdlib.h>

#include "advisor/metrics/metrics_measure.h"

/* ---- counting ---- */

static int take_runs(struct workbench *bench, struct metrics_measured *measured,
                     struct error *err)
{
    struct count_set all = {0};
    double variation = 0;
    if (measured->run_nr == 0)
        return 0;
    if (metric_runs_combine(measured->run, measured->run_nr, &all, &variation, err))
        return -1;
    metrics_facts_take(measured->set, &all, measured->given, measured->given_nr,
                       &bench->facts);
    measured->set = NULL;
    count_set_release(&all);
    return 0;
}

int metrics_tell(struct workbench *bench, struct error *err)
{
    struct metrics_request request = {
        .settings = bench->settings, .cpu = bench->settings->cpu, .facts = true};
    struct metrics_measured measured = {0};
    struct error why = {0};
    int status = metrics_of_bench(bench, &request, &measured, &why);
    if (!status)
        status = take_runs(bench, &measured, &why);
    if (!status && bench->settings->cpu && !bench->facts.set)
        progress_note(&bench->progress, "counters say nothing to the rules: %s",
                      measured.note.nr ? measured.note.v[0]
                                       : "--cpu's definitions have no facts for them");
    metrics_measured_release(&measured);
    if (status && (spawn_interrupted() || bench->settings->cpu))
        return fail(err, why.status, "%s", why.text);
    if (status)
        progress_note(&bench->progress, "counters are left out: %s", why.text);
    return 0;
}

/* ---- telling ---- */

struct list {
    struct search_fact *fact;
    size_t nr, alloc;
};

static void take(void *context, const char *fact, struct quantity value)
{
    struct list *list = context;
    GROW(list->fact, list->nr + 1, list->alloc);
    list->fact[list->nr++] = (struct search_fact){fact, value};
}

size_t metrics_told(const struct workbench *bench, struct search_fact **fact)
{
    struct list list = {0};
    metrics_facts_tell(&bench->facts, take, &list);
    *fact = list.fact;
    return list.nr;
}
