/* Our own counts as PAPI's software-defined events: library "inflight". The only adapter
 * of libsde in the program; traced programs have their own (tracer_export.c). */
#include <math.h>

#include "core/traffic/traffic.h"

#ifdef INFLIGHT_HAS_SDE

#include <sde_lib.h>

#include "core/traffic/counters/traffic_events.h"

static long long exported[TRAFFIC_EVENT_NR], calls, line_bytes;

static void offer(papi_sde_fptr_struct_t *sde, papi_handle_t library, const char *name,
                  const char *description, int mode, long long *value)
{
    sde->register_counter(library, name, PAPI_SDE_RO | mode, PAPI_SDE_long_long, value);
    if (sde->describe_counter)
        sde->describe_counter(library, name, description);
}

/* Through the functions of whichever libsde asks. */
static papi_handle_t offer_all(papi_sde_fptr_struct_t *sde)
{
    papi_handle_t library = sde->init("inflight");

    for (size_t i = 0; i < TRAFFIC_EVENT_NR; i++)
        offer(sde, library, traffic_events[i].name, traffic_events[i].description,
              PAPI_SDE_DELTA, &exported[i]);
    offer(sde, library, "CALLS", "kernel calls counted", PAPI_SDE_DELTA, &calls);
    offer(sde, library, "LINE_BYTES", "bytes of a cache line, of the call counted last",
          PAPI_SDE_INSTANT, &line_bytes);
    return library;
}

/* `papi_native_avail -sde libinflight_events.so` asks this. */
papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *sde)
{
    return offer_all(sde);
}

static void offer_once(void)
{
    static bool done;
    papi_sde_fptr_struct_t sde;

    if (done)
        return;
    done = true;
    POPULATE_SDE_FPTR_STRUCT(sde);
    sde.describe_counter = NULL; /* libsde 1.0 loses descriptions at exit */
    offer_all(&sde);
}

static long long whole(struct quantity quantity)
{
    return quantity.known && fabs(quantity.value) < 9e18 ? llround(quantity.value) : 0;
}

bool traffic_export(const struct traffic *traffic)
{
    offer_once();
    for (size_t i = 0; i < TRAFFIC_EVENT_NR; i++)
        exported[i] += whole(traffic_events[i].value(traffic));
    calls++;
    line_bytes = traffic->line_bytes;
    return true;
}

#else

bool traffic_export(const struct traffic *traffic)
{
    (void)traffic;
    return false;
}

#endif
