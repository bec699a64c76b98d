/* What strategies ask and tell: the subject, the runner, the observer. */
#ifndef SEARCH_SUBJECT_H
#define SEARCH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct candidate;
struct compared;
struct error;
struct kernel_counts;
struct kernel_view;
struct machine;
struct measurement;
struct quantity;
struct search_costs;
struct strvec;

struct search_subject {
    void *data;
    struct kernel_view (*view)(void *data);
    struct kernel_counts (*counts)(void *data);
    int (*check)(void *data, const char *plan,
                 struct error *err); /* 0 = legal; STATUS_ILLEGAL with the dependence */
    const struct machine *machine;
    bool huge_pages_available;
    int cores; /* loaded alike */
    /* Only these plans may be tried, as search_grid() writes them; NULL = any. Borrowed.
     */
    const struct strvec *space;
};

enum measure_effort {
    MEASURE_QUICK,  /* a launch or two: enough to drop the hopeless; results of what is
                       faster than the best are compared at small sizes */
    MEASURE_CHECK,  /* no time: results compared at small sizes and the full one */
    MEASURE_FULL,   /* until the interval is narrow; results as of QUICK */
    MEASURE_EXPLAIN /* FULL and CHECK, and traffic and occupancy */
};

struct search_runner {
    void *data;
    /* 0 for every recorded outcome. `stop_at_s`: a QUICK run may stop as soon as the call
     * is sure to take longer (0 = never). */
    int (*measure)(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err);
    /* time(a) / time(b), interleaved launches: above 1 b is faster. `seconds`: how long
     * it may take. */
    int (*compare)(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err);
    /* The same in what the session keeps running: cheaper, but without what differs from
     * one start to the next. NULL = compare. */
    int (*look)(void *data, const struct candidate *a, const struct candidate *b,
                double seconds, struct quantity *ratio, struct error *err);
    /* Builds what QUICK runs of these will need, several at once, while nothing is timed.
     * What cannot be built is for `measure` to say. NULL = there is nothing to build. */
    int (*prepare)(void *data, const struct candidate *candidate, size_t nr,
                   struct error *err);
    size_t prepare_min, prepare_max; /* candidates that are worth one go, at first
                                           and when none of them was faster */
    /* Where what was prepared is measured ahead, by as many as there are at the moment:
     * `max` candidates in one go, `prepare_min` at a time, the next one when `ahead` of
     * them are still to be asked for. NULL = as above, and the next go when all of the
     * last were asked for. */
    void (*window)(void *data, size_t *max, size_t *ahead);
    /* Whoever measures asks first whether a plan is legal: `prepare` takes what was not
     * asked, and `measure` fails with STATUS_ILLEGAL and the dependence. */
    bool asks_legality;
    /* Nothing will be prepared any more. May be NULL. */
    void (*no_more)(void *data);
    /* NULL = nothing is known before it was seen. */
    void (*costs)(void *data, struct search_costs *costs);
    /* Seconds for which it can go on: the search ends with them if they end before its
     * budget. NULL = for ever. */
    double (*left_s)(void *data);
    const char *left_of; /* what ends then: "the battery" */
};

/* What is being done, for who watches. */
struct search_step {
    const char *doing; /* one sentence */
    size_t variants;   /* measured so far */
    double best;       /* how many times as fast as written the best so far is, by first
                          runs; 0 = not known */
    double left_s; /* until all is done, closing and report included; 0 and below = none
                    */
};

struct search_observer {
    void *data;
    void (*step)(void *data, const struct search_step *step);
    int (*measured)(void *data, const struct measurement *measurement,
                    struct error *err); /* saves it */
    /* Saves it: a, b, seconds and ratio are told. Not called for one that was cut short
     * by an interrupt. */
    int (*compared)(void *data, const struct compared *comparison, struct error *err);
};

#endif
