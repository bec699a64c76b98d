/* What of the regions the counters of this machine can say. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/traffic/traffic.h"
#include "observe/report/regions_report.h"

/* Do they count in this process? */
static bool do_count(const char *const *event, size_t nr)
{
    struct papi_counter *counter = NULL;
    struct count_set set = {0};
    struct error ignored = {0};
    bool counts = !papi_counter_new(event, nr, NULL, &counter, &ignored) &&
                  !papi_counter_begin(counter, NULL, 0, &ignored) &&
                  !papi_counter_end(counter, &set, &ignored);
    for (size_t i = 0; i < set.count_nr; i++)
        counts = counts && set.count[i].value.known;
    papi_counter_free(counter);
    count_set_release(&set);
    return counts;
}

/* Only what PAPI counts of a thread: neither boxes outside of the cores nor what the
 * kernel or a daemon counts for the whole machine. */
static void push_bandwidth(struct strvec *list)
{
    struct papi_bandwidth bandwidth = {0};
    struct error ignored = {0};
    if (!papi_bandwidth_thread_events(&bandwidth, &ignored) &&
        list->nr + bandwidth.event.nr <= REGION_EVENTS_MAX)
        strvec_push_all(list, &bandwidth.event);
    papi_bandwidth_release(&bandwidth);
}

int regions_check_events(const char *list, struct error *err)
{
    size_t nr = 0;
    for (const char *name = list; name; nr++) {
        size_t length = strcspn(name, ",");
        if (!length || length > REGION_EVENT_LETTERS)
            return fail(err, STATUS_USAGE,
                        "--events: expected names of 1 to %d letters between commas, got "
                        "'%s'",
                        REGION_EVENT_LETTERS, list);
        name = name[length] ? name + length + 1 : NULL;
    }
    if (nr > REGION_EVENTS_MAX)
        return fail(err, STATUS_USAGE,
                    "--events: at most %d are counted at once, got %zu; run the program "
                    "again for the others",
                    REGION_EVENTS_MAX, nr);
    return 0;
}

char *regions_events(const struct settings *settings)
{
    static const char *const basic[] = {"PAPI_TOT_CYC", "PAPI_TOT_INS"};
    struct strvec list = {0};
    if (settings->events && strcmp(settings->events, "auto"))
        return xstrdup(strcmp(settings->events, "none") ? settings->events : "");
    if (do_count(basic, ARRAY_SIZE(basic))) {
        strvec_push(&list, basic[0]);
        strvec_push(&list, basic[1]);
        push_bandwidth(&list);
    }
    char *text = strvec_join(&list, ",");
    strvec_release(&list);
    return text;
}
