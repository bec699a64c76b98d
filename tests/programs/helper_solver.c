/* A program that says by software-defined events what it does: first few steps, then ten
 * times as many a second, for half a second each. */
#include <sde_lib.h>
#include <time.h>

static long long steps;
static double residual = 1;

static long long tenfold(void *param)
{
    return 10 * *(long long *)param;
}

static void step(long nap_ns, int nr)
{
    struct timespec nap = {0, nap_ns};

    for (int i = 0; i < nr; i++) {
        nanosleep(&nap, NULL);
        steps++;
        residual /= 2;
    }
}

int main(void)
{
    papi_handle_t solver = papi_sde_init("solver");
    void *recorder;

    papi_sde_register_counter(solver, "STEPS", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &steps);
    papi_sde_register_counter(solver, "RESIDUAL", PAPI_SDE_RO | PAPI_SDE_INSTANT,
                              PAPI_SDE_double, &residual);
    papi_sde_register_counter_cb(solver, "TENFOLD", PAPI_SDE_RO | PAPI_SDE_DELTA,
                                 PAPI_SDE_long_long, tenfold, &steps);
    papi_sde_create_recorder(solver, "TIMES", sizeof(double), papi_sde_compare_double,
                             &recorder);
    step(50000000, 10);
    step(5000000, 100);
    return 0;
}
