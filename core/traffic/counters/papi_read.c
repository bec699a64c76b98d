#include "core/traffic/counters/papi_counter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/perf.h"

/* Rate of the kernel's turns: perf_event_mux_interval_ms, unless somebody changed it. */
static const double turn_s = 4e-3;

struct quantity count_multiplexed(double scaled, double share, double counted_s)
{
    double turns = fmax(1, counted_s / turn_s);
    double half = 1.96 * scaled * sqrt(fmax(0, 1 - share) / turns);

    return quantity_between(scaled, fmax(scaled - half, scaled * fmin(share, 1)),
                            scaled + half, 0, PROVENANCE_PAPI);
}

/* Adds one place's count to the event; counts of different places have no common error.
 */
static void tally(struct event_count *count, struct quantity value, double share)
{
    count->value =
        count->share > 0 ? quantity_add_independent(count->value, value) : value;
    if (count->share <= 0 || share < count->share)
        count->share = share;
}

static double number_of(const struct papi_counter *counter, size_t event, long long bits)
{
    double number = (double)bits;

    if (counter->floating[event])
        memcpy(&number, &bits, sizeof(number));
    return number;
}

static void miss(struct event_count *count, const char *why)
{
    if (!count->why)
        count->why = xstrdup(why);
}

static void tally_scaled(struct event_count *count, double value, double share,
                         double counted_s)
{
    tally(count, count_multiplexed(value, share, counted_s), share);
}

static const char overflow[] = "the counter overflowed: it holds a negative number";

static int read_set(const struct papi_counter *counter, const struct papi_set *set,
                    bool stop, double seconds, struct event_count *count,
                    struct error *err)
{
    long long *value = xcalloc(set->event_nr + 1, sizeof(*value));
    int result = (stop ? papi_set_stop : papi_set_read)(&counter->seam, set, value, err);

    for (size_t i = 0; result == 0 && i < set->event_nr; i++) {
        size_t event = set->event[i];

        if (value[i] < 0 && !counter->floating[event])
            miss(&count[event], overflow);
        else
            tally_scaled(&count[event], number_of(counter, event, value[i]), set->share,
                         seconds * set->share);
    }
    free(value);
    return result;
}

static int read_kernel(const struct papi_counter *counter,
                       const struct kernel_count *which, struct event_count *count,
                       struct error *err)
{
    struct perf_count got;

    count += which->event;
    if (perf_core_read(counter->seam.core, which->fd, &got, err))
        return -1;
    if (got.share <= 0)
        miss(count, "the kernel never gave it a counter: others held them all");
    else if (got.overflowed)
        miss(count, overflow);
    else
        tally_scaled(count, got.value, got.share, got.counted_s);
    return 0;
}

static struct event_count *new_counts(const struct strvec *event, struct count_set *set)
{
    struct event_count *first;

    GROW(set->count, set->count_nr + event->nr, set->count_alloc);
    first = set->count + set->count_nr;
    for (size_t i = 0; i < event->nr; i++)
        first[i] = (struct event_count){.event = xstrdup(event->v[i]),
                                        .value = quantity_unknown()};
    set->count_nr += event->nr;
    return first;
}

static int read_all(struct papi_counter *counter, bool stop, struct count_set *set,
                    struct error *err)
{
    double seconds = clock_s() - counter->began_s;
    struct event_count *count = new_counts(&counter->event, set);
    int result = 0;

    for (size_t i = 0; result == 0 && i < counter->set_nr; i++)
        result = read_set(counter, &counter->set[i], stop, seconds, count, err);
    for (size_t i = 0; result == 0 && i < counter->count_nr; i++)
        result = read_kernel(counter, &counter->count[i], count, err);
    for (size_t i = 0; i < counter->event.nr; i++)
        if (count[i].why) { /* a sum without one of its parts is none */
            count[i].value = quantity_unknown();
            count[i].share = 0;
        }
    set->seconds = quantity_exact(seconds, PROVENANCE_CLOCK);
    if (counter->user_only)
        strvec_push(&set->note,
                    "events of the cores counted in user mode only: this user "
                    "may not see the kernel's part");
    if (!set->source)
        set->source = xstrdup(counter->set_nr ? "PAPI" : "the kernel");
    return result;
}

int papi_counter_read(struct papi_counter *counter, struct count_set *set,
                      struct error *err)
{
    return read_all(counter, false, set, err);
}

int papi_counter_end(struct papi_counter *counter, struct count_set *set,
                     struct error *err)
{
    int result = read_all(counter, true, set, err);

    papi_counter_stop(counter);
    return result;
}
