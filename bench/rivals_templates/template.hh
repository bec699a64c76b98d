/* What the templates share. Kernel Tuner compiles them as C++ and takes the time from what the function returns. */
#include <time.h>

#define MIN(a, b)       ((a) < (b) ? (a) : (b))
#define TEXT(words)     #words
#define UNROLLED(times) _Pragma(TEXT(GCC unroll times))

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}
