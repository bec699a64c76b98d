#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/papi_counter.h"
#include "core/traffic/counters/papi_source.h"

/* What is wanted of a set, while it is tried. */
struct attempt {
    const struct papi_seam *seam;
    const struct strvec *name;
    const size_t *which;
    size_t which_nr;
    int component;
    struct papi_place place;
    size_t failed; /* in `which`: the event at which it was refused */
};

/* Makes, fills and starts a set of the first `nr` events. */
static enum papi_refusal try_set(struct attempt *attempt, size_t nr, bool multiplexed,
                                 int *handle)
{
    const struct papi_calls *papi = attempt->seam->papi;
    enum papi_refusal why =
        papi->create(attempt->component, attempt->place, multiplexed, handle);

    attempt->failed = 0;
    if (why)
        return why;
    for (size_t i = 0; !why && i < nr; i++) {
        attempt->failed = i;
        why = papi->add(*handle, attempt->name->v[attempt->which[i]]);
    }
    if (!why)
        why = papi->run(*handle);
    if (why)
        papi->destroy(*handle);
    return why;
}

static bool goes(struct attempt *attempt, const size_t *which, size_t nr)
{
    struct attempt part = *attempt;
    long long value[2];
    int handle;

    part.which = which;
    if (try_set(&part, nr, false, &handle))
        return false;
    attempt->seam->papi->stop(handle, value);
    attempt->seam->papi->destroy(handle);
    return true;
}

static int refuse_one(const struct attempt *attempt, enum papi_refusal why,
                      struct error *err)
{
    const struct papi_calls *papi = attempt->seam->papi;
    struct papi_refused refused = {
        .event = attempt->name->v[attempt->which[attempt->failed]],
        .why = why,
        .words = papi->text(),
        .component = papi->component_name(attempt->component),
        .shared = attempt->place.cpu >= 0,
    };

    return papi_refuse(&refused, &attempt->seam->host, err);
}

/* The first event that counts alone but not beside an earlier one. */
static int name_conflict(struct attempt *attempt, struct error *err)
{
    for (size_t i = 0; i < attempt->which_nr; i++) {
        if (!goes(attempt, &attempt->which[i], 1)) {
            attempt->failed = i;
            return refuse_one(attempt, PAPI_NO_TOGETHER, err);
        }
        for (size_t k = 0; k < i; k++) {
            size_t pair[] = {attempt->which[k], attempt->which[i]};

            if (!goes(attempt, pair, 2))
                return fail(err, STATUS_MISSING,
                            "the events '%s' and '%s' cannot be counted together: they "
                            "need the same counter; count them in two runs",
                            attempt->name->v[pair[0]], attempt->name->v[pair[1]]);
        }
    }
    return fail(err, STATUS_MISSING,
                "the %zu events from '%s' to '%s' do not fit into the counters together, "
                "not even by turns; count fewer of them in one run",
                attempt->which_nr, attempt->name->v[attempt->which[0]],
                attempt->name->v[attempt->which[attempt->which_nr - 1]]);
}

static double share_of(const struct attempt *attempt)
{
    int counters = attempt->seam->papi->counters(attempt->component);

    /* there are enough, but some of the events need the same one */
    if (counters <= 0 || (size_t)counters >= attempt->which_nr)
        return 0.5;
    return (double)counters / (double)attempt->which_nr;
}

int papi_set_open(const struct papi_seam *seam, const struct strvec *name,
                  const size_t *which, size_t which_nr, int component,
                  struct papi_place place, struct papi_set *set, struct error *err)
{
    struct attempt attempt = {seam, name, which, which_nr, component, place, 0};
    bool multiplexed = false;
    int handle;
    enum papi_refusal why = try_set(&attempt, which_nr, false, &handle);

    if (why == PAPI_NO_TOGETHER && which_nr > 1) {
        multiplexed = true;
        why = try_set(&attempt, which_nr, true, &handle);
        if (why)
            return name_conflict(&attempt, err);
    }
    if (why)
        return refuse_one(&attempt, why, err);
    *set = (struct papi_set){.handle = handle,
                             .event_nr = which_nr,
                             .multiplexed = multiplexed,
                             .share = multiplexed ? share_of(&attempt) : 1};
    set->event = xcalloc(which_nr, sizeof(*set->event));
    memcpy(set->event, which, which_nr * sizeof(*which));
    return 0;
}

static int cannot_read(const struct papi_seam *seam, struct error *err)
{
    return fail(err, STATUS_FAILED, "PAPI cannot read its counters: %s",
                seam->papi->text());
}

int papi_set_stop(const struct papi_seam *seam, const struct papi_set *set,
                  long long *value, struct error *err)
{
    if (seam->papi->stop(set->handle, value) == PAPI_DONE)
        return 0;
    return cannot_read(seam, err);
}

int papi_set_read(const struct papi_seam *seam, const struct papi_set *set,
                  long long *value, struct error *err)
{
    if (seam->papi->read(set->handle, value) == PAPI_DONE)
        return 0;
    return cannot_read(seam, err);
}

void papi_set_close(const struct papi_seam *seam, struct papi_set *set)
{
    seam->papi->destroy(set->handle);
    free(set->event);
    *set = (struct papi_set){0};
}

/* Whether events go into the counters all at once: they are counted for a moment. */
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
