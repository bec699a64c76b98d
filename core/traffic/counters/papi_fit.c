/* Whether events go into the counters all at once: they are counted for a moment. */
#include "core/traffic/counters/papi_source.h"

/* Long enough for the kernel to give out its counters, some 20 us. */
static void work(void)
{
    volatile unsigned sum = 0;

    for (unsigned i = 0; i < 20000; i++)
        sum += i;
}

static bool all_the_time(const struct count_set *set)
{
    for (size_t i = 0; i < set->count_nr; i++)
        if (set->count[i].share < 1)
            return false;
    return true;
}

static int count_here(struct papi_counter *counter, bool *at_once, struct error *err)
{
    struct count_set set = {0};
    int result = papi_counter_begin(counter, NULL, 0, err);

    if (result == 0) {
        work();
        result = papi_counter_end(counter, &set, err);
    }
    *at_once = result == 0 && all_the_time(&set);
    count_set_release(&set);
    return result;
}

int papi_events_fit_with(const struct papi_seam *seam, const struct strvec *event,
                         const struct papi_counter_opts *opts, bool *at_once,
                         struct error *err)
{
    const char *const *name = (const char *const *)event->v;
    struct papi_counter *counter = NULL;
    int result;

    *at_once = false;
    /* what is counted ahead has other names for the kernel, but counts nothing yet */
    if (opts && opts->ahead) {
        if (papi_counter_make(seam, name, event->nr, opts, &counter, err))
            return -1;
        papi_counter_free(counter);
    }
    if (papi_counter_make(seam, name, event->nr, NULL, &counter, err))
        return -1;
    result = count_here(counter, at_once, err);
    papi_counter_free(counter);
    return result;
}

int papi_events_fit(const struct strvec *event, const struct papi_counter_opts *opts,
                    bool *at_once, struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_events_fit_with(&seam, event, opts, at_once, err);
}
