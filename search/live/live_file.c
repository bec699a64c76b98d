/* The live runner: another file or other sizes than it began with. */
#include <stdlib.h>
#include <string.h>

#include "search/live/live_parts.h"

/* The kernel as written stays proven: it was at other sizes. */
static void forget_full_size(struct built *built)
{
    if (!*built->plan)
        return;
    built->full_verified = false;
    if (built->refused == RUN_OUTCOME_NOT_BUILT)
        return;
    built->refused = RUN_OUTCOME_OK;
}

int live_rebind(struct live *live, size_t copies, struct error *err)
{
    for (size_t i = 0; i < live->built_nr; i++)
        forget_full_size(live->built[i]);
    strvec_release(&live->args);
    live->args = (struct strvec){0};
    variant_args(live->opts.kernel, &live->args);
    strvec_release(&live->failing);
    live->failing = (struct strvec){0};
    live->launch_s = 0;
    live->original_s = quantity_unknown();
    live_forget(live);
    live_leave_arena(live);
    return live_choose_copies(live, copies ? copies : live->opts.copies, err);
}

int live_measure_file(struct live *live, const char *source,
                      const struct kernel_counts *counts,
                      const struct environment *environment, struct measurement *out,
                      struct error *err)
{
    struct built *built = NULL;
    if (live_built_file(live, source, NULL, environment, &built, err))
        return -1;
    *out = measurement_begun(&(struct candidate){"", *environment}, RUN_OUTCOME_OK);
    if (live_measure_built(live, built, counts, MEASURE_EXPLAIN, 0, out, err)) {
        measurement_release(out);
        return -1;
    }
    return 0;
}
