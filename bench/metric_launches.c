/* In how many runs of a program the events of the shipped definitions of metrics are
 * counted, by general counters that a core has: the planner with counters that are all
 * alike. Prints a table for docs/figures.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metrics.h"

static const size_t counters[] = {4, 6, 8};

/* Events of the kernel need none. */
static int fits(void *data, const struct strvec *event, bool *at_once, struct error *err)
{
    size_t needed = 0;

    (void)err;
    for (size_t i = 0; i < event->nr; i++)
        needed += strncmp(event->v[i], "perf::", strlen("perf::")) != 0;
    *at_once = needed <= *(const size_t *)data;
    return 0;
}

static size_t runs_of(const struct metric_set *set, size_t with, bool facts)
{
    const struct metric_plan_request request = {
        .set = set, .facts = facts, .fits = fits, .data = &with};
    struct metric_plan plan;
    size_t nr;

    metric_plan_make(&request, &plan);
    nr = plan.run_nr;
    metric_plan_release(&plan);
    return nr;
}

static void print_runs(const struct metric_set *set, bool facts)
{
    for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
        printf("%s%zu", i ? ", " : "", runs_of(set, counters[i], facts));
    printf(" |");
}

static void print_row(const char *name)
{
    struct metric_set *set;

    if (metric_set_load(name, NULL, &set, NULL))
        return; /* a part of others */
    if (set->recognise) {
        printf("| `%s` | %zu | ", name, set->event_nr);
        print_runs(set, false);
        printf(" ");
        print_runs(set, true);
        printf("\n");
    }
    metric_set_free(set);
}

int main(void)
{
    struct metric_file *file;
    struct error err = {0};
    size_t nr;

    if (metric_files(&file, &nr, &err)) {
        fprintf(stderr, "metric_launches: %s\n", err.text);
        return status_exit(err.status);
    }
    printf("| file | events | all metrics, with 4, 6, 8 counters | what tells the rules "
           "something |\n|---|---:|---:|---:|\n");
    for (size_t i = 0; i < nr; i++)
        print_row(file[i].name);
    metric_files_release(file, nr);
    return 0;
}
