/* The live runner: what measuring this kernel takes, by what was seen so far. */
#include "search/live.h"

/* A first run samples so long (live_beside.c), and a comparison is of three launches. */
static const double sampling_s = 2, comparison_launches = 3;
/* A plan is run beside the original, which is run alone. */
static const double beside_original = 1.5;

int live_check(struct live *live, struct built *built, bool small_only, struct error *err)
{
    bool had_program = built->program[VARIANT_VERIFY] != NULL;
    double began_s = clock_s(), took_s;
    int status = live_verify(live, built, small_only, err);

    took_s = (clock_s() - began_s) * (*built->plan ? 1 : beside_original);
    if (!small_only && !had_program && took_s > live->check_s)
        live->check_s = took_s;
    return status;
}

void live_costs(void *data, struct search_costs *costs)
{
    const struct live *live = data;

    *costs = (struct search_costs){0};
    if (live->launch_s <= 0)
        return;
    costs->try_s = live->launch_s + sampling_s;
    costs->comparison_s = comparison_launches * live->launch_s;
    costs->check_s = live->check_s;
}

void live_set_budget(struct live *live, double budget_s, double trace_s,
                     double trace_one_s)
{
    live->opts.budget_s = budget_s;
    live->opts.trace_s = trace_s;
    live->opts.trace_one_s = trace_one_s;
}
