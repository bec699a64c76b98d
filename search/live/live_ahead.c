/* The live runner: programs of the next candidates, built while nothing is timed. C is
 * written here, one plan after the other (isl and libclang are not made for more), only
 * compilers and linkers run beside each other. */
#include <stdlib.h>
#include <string.h>

#include "search/live/live.h"

struct ahead {
    struct live *live;
    struct variant_queue *queue;
};

/* Four for each processor, so that a slow compiler leaves the others with work; few, so
 * that little was built for nothing when the search turns elsewhere. */
size_t live_prepare_most(void)
{
    return 4 * variant_queue_processors();
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

/* The library, and what compares its results. */
static void queue_library(const struct ahead *ahead, struct built *built)
{
    struct live *live = ahead->live;
    const struct variant_side side = {.plan = built->parsed};
    struct toolchain later = *built->toolchain;
    char *library = NULL, *path = NULL;
    later.queue = ahead->queue;
    if (!built->library &&
        !variant_build_library(live->opts.kernel, &side, &later, live->opts.scratch,
                               &library, NULL) &&
        !built->program[VARIANT_VERIFY])
        variant_build_verifier(live->opts.kernel, library, &later, live->opts.scratch,
                               &path, NULL);
    free(library);
    free(path);
}

static void queue_candidate(struct ahead *ahead, const struct candidate *candidate)
{
    struct built *built = NULL;
    if (live_built_get(ahead->live, candidate, &built, NULL) || built->source ||
        built->refused != RUN_OUTCOME_OK)
        return;
    if (!ahead->live->no_arena) {
        queue_library(ahead, built);
    } else if (!built->small_verified && *built->plan) {
        queue_program(ahead, built, VARIANT_VERIFY);
    }
    if (ahead->live->no_arena ||
        !live_beside(ahead->live, built, &candidate->environment))
        queue_program(ahead, built, VARIANT_TIME);
}

int live_prepare(void *data, const struct candidate *candidate, size_t nr,
                 struct error *err)
{
    struct ahead ahead = {.live = data, .queue = variant_queue_new()};
    for (size_t i = 0; i < nr && !spawn_interrupted(); i++)
        queue_candidate(&ahead, &candidate[i]);
    int status = variant_queue_build(ahead.queue, err);
    variant_queue_free(ahead.queue);
    return status;
}
