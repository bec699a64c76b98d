/* The clock that samples are timed with, and what it costs to read it. */
#include <limits.h>
#include <time.h>

enum {
    CLOCK_READINGS = 256,
    CLOCK_STEPS = 200,           /* enough to have seen the smallest */
    CLOCK_PATIENCE_NS = 20000000 /* for a clock that ticks in milliseconds */
};

/* `step_ns`: the smallest difference of two readings in a row; since a reading takes its
 * time, this is an upper bound of the resolution. `empty_ns`: what two readings with
 * nothing between are apart. */
struct clock {
    double step_ns, empty_ns;
};

/* Inlined into what times, which is never flushed: see program_caches.c. */
__attribute__((always_inline)) static inline long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static double clock_step_ns(void)
{
    long long began = now_ns(), last = began, step = LLONG_MAX;

    for (int seen = 0; seen < CLOCK_STEPS;) {
        long long now = now_ns();

        if (now > last) {
            step = now - last < step ? now - last : step;
            seen++;
        }
        if (now - began > CLOCK_PATIENCE_NS && seen > 0)
            break;
        last = now;
    }
    return (double)step;
}

static int by_size(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;

    return (x > y) - (x < y);
}

/* The mean of the middle half: a coarse clock shows 0 or one step, an interrupt far more.
 */
static double clock_empty_ns(void)
{
    long long apart[CLOCK_READINGS];
    double sum = 0;

    for (int i = 0; i < CLOCK_READINGS; i++) {
        long long start = now_ns();

        apart[i] = now_ns() - start;
    }
    qsort(apart, CLOCK_READINGS, sizeof(apart[0]), by_size);
    for (int i = CLOCK_READINGS / 4; i < CLOCK_READINGS * 3 / 4; i++)
        sum += (double)apart[i];
    return sum / (CLOCK_READINGS / 2.0);
}

static struct clock clock_look(void)
{
    struct clock clock = {.step_ns = clock_step_ns()};

    clock.empty_ns = clock_empty_ns();
    return clock;
}

/* Less what reading the clock takes; never below what the clock can tell. */
static double clock_net_ns(const struct clock *clock, long long spent_ns)
{
    double net = (double)spent_ns - clock->empty_ns;

    return net > clock->step_ns ? net : clock->step_ns;
}
