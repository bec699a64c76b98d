/* After reports about page faults: a large buffer that malloc fetches from the system
 * and gives back in every call. Known remedy: one buffer that is kept. */
#include <stdlib.h>

#pragma inflight kernel
#pragma inflight set n = 6000000
void scratch_each_call(int n, double *restrict out, const double *restrict in)
{
    double *work = malloc((size_t)(n + 1) * sizeof(*work));
    work[0] = 0;
    for (int i = 0; i < n; i++)
        work[i + 1] = in[i] * in[i] + 1;
    for (int i = 0; i < n; i++)
        out[i] = work[i + 1] - work[i];
    free(work);
}

enum { ROOM = 6000001 };
static double kept[ROOM];

void hand(int n, double *restrict out, const double *restrict in)
{
    double *work = kept;
    work[0] = 0;
    for (int i = 0; i < n; i++)
        work[i + 1] = in[i] * in[i] + 1;
    for (int i = 0; i < n; i++)
        out[i] = work[i + 1] - work[i];
}
