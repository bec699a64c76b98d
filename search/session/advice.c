#include "search/session/advice.h"

#include <math.h>

double advice_worth(struct quantity bound_speedup)
{
    return bound_speedup.known ? fmin(fmax(bound_speedup.value, 1), 10) : 2;
}

double advice_expected(struct quantity bound_speedup, double trust)
{
    return pow(advice_worth(bound_speedup), trust);
}
