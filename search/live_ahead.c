/* The live runner: programs of the next candidates, built while nothing is timed. C is
 * written here, one plan after the other (isl and libclang are not made for more), only
 * compilers and linkers run beside each other. */
#include <stdlib.h>
#include <string.h>

#include "search/live.h"

struct ahead {
    struct live *live;
    struct variant_queue *queue;
    struct strvec shapes; /* that an earlier one of the batch will take to a sanitizer */
};

/* Two for each processor, so that a slow compiler leaves the others with work; few, so
 * that little was built for nothing when the search turns elsewhere. */
size_t live_prepare_most(void)
{
    return 2 * variant_queue_processors();
}

static void queue_program(const struct ahead *ahead, const struct built *built,
                          enum variant_program what)
{
    struct toolchain later = *built->toolchain;
    char *path = NULL;
    later.queue = ahead->queue;
    if (!built->program[what])
        variant_build(ahead->live->opts.kernel, built->parsed, &later, what,
                      ahead->live->opts.scratch, &path, NULL);
    free(path);
}

static void queue_sanitized(struct ahead *ahead, const struct built *built,
                            enum variant_program what)
{
    char *shape = live_new_shape(ahead->live, built, what);
    bool fresh = shape && !strvec_has(&ahead->shapes, shape);
    if (fresh)
        strvec_push(&ahead->shapes, shape);
    free(shape);
    if (fresh)
        queue_program(ahead, built, what);
}

/* What first runs are timed with. */
static void queue_timed(const struct ahead *ahead, const struct built *built,
                        const struct environment *environment)
{
    const struct variant_side side = {.plan = built->parsed};
    struct toolchain later = *built->toolchain;
    char *path = NULL;
    later.queue = ahead->queue;
    if (ahead->live->no_arena || !live_beside(ahead->live, built, environment))
        queue_program(ahead, built, VARIANT_TIME);
    else if (!built->library)
        variant_build_library(ahead->live->opts.kernel, &side, &later,
                              ahead->live->opts.scratch, &path, NULL);
    free(path);
}

static void queue_candidate(struct ahead *ahead, const struct candidate *candidate)
{
    struct built *built = NULL;
    if (live_built_get(ahead->live, candidate, &built, NULL) || built->source ||
        built->refused != RUN_OUTCOME_OK)
        return;
    if (!built->small_verified && *built->plan) {
        queue_program(ahead, built, VARIANT_VERIFY);
        queue_sanitized(ahead, built, VARIANT_ADDRESS);
        if (live_is_parallel(built))
            queue_sanitized(ahead, built, VARIANT_THREADS);
    }
    queue_timed(ahead, built, &candidate->environment);
}

int live_prepare(void *data, const struct candidate *candidate, size_t nr,
                 struct error *err)
{
    struct ahead ahead = {.live = data, .queue = variant_queue_new()};
    for (size_t i = 0; i < nr && !spawn_interrupted(); i++)
        queue_candidate(&ahead, &candidate[i]);
    int status = variant_queue_build(ahead.queue, err);
    variant_queue_free(ahead.queue);
    strvec_release(&ahead.shapes);
    return status;
}
