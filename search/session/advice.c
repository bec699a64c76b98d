#include "search/session/advice.h"

#include <math.h>

/* What has no bound is worth a gain of 2. */
static double worth_up_to(struct quantity bound_speedup, double most)
{
    return bound_speedup.known ? fmin(fmax(bound_speedup.value, 1), most) : 2;
}

double advice_worth(struct quantity bound_speedup)
{
    return worth_up_to(bound_speedup, 10);
}

double advice_expected(struct quantity bound_speedup, double trust)
{
    return pow(worth_up_to(bound_speedup, ADVICE_MAX_BOUND), trust);
}
