/*
 * The events of every shipped definition of metrics, a line each: file, PMU, event, and
 * "note" where the definition says that libpfm4 has no name for it, else "-". For
 * bench/metric_events, which asks libpfm4 of several architectures.
 */
#include <stdio.h>

#include "core/metrics/metrics.h"

static void print_events(const struct metric_set *set)
{
    for (size_t i = 0; i < set->pmu.nr; i++)
        for (size_t k = 0; k < set->event_nr; k++)
            printf("%s %s %s %s\n", set->name, set->pmu.v[i], set->event[k].name,
                   set->event[k].note ? "note" : "-");
}

int main(void)
{
    struct metric_file *file;
    struct error err = {0};
    size_t nr;
    int result = metric_files(&file, &nr, &err);

    for (size_t i = 0; i < nr && !result; i++) {
        struct metric_set *set = NULL;

        result = file[i].common ? 0 : metric_set_load(file[i].name, NULL, &set, &err);
        if (set)
            print_events(set);
        metric_set_free(set);
    }
    if (result)
        fprintf(stderr, "%s\n", err.text);
    error_clear(&err);
    metric_files_release(file, nr);
    return result ? 1 : 0;
}
