#include "core/traffic/counters/papi_source.h"

#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/papi_counter.h"
#include "core/traffic/counters/perf.h"

struct papi_seam papi_seam_here(void)
{
    return (struct papi_seam){&papi_calls, &perf_core_calls, perf_uncore_devices,
                              papi_host_here()};
}

int papi_find(const struct papi_seam *seam, const char *event, int *component,
              struct error *err)
{
    char name[32];
    struct papi_refused refused = {.event = event};

    refused.why = seam->papi->start();
    if (!refused.why)
        refused.why = seam->papi->find(event, component);
    if (!refused.why)
        return 0;
    refused.words = seam->papi->text();
    if (refused.why != PAPI_NO_LIBRARY)
        refused.disabled = seam->papi->disabled(papi_component_of_name(event, name));
    return papi_refuse(&refused, &seam->host, err);
}

bool papi_counter_is_core(const struct papi_counter *counter, size_t event)
{
    return counter->component[event] >= 0 &&
           strcmp(counter->seam.papi->component_name(counter->component[event]),
                  "perf_event") == 0;
}

/* PAPI attaches to what runs, so this one is for the kernel. */
static int encode(struct papi_counter *counter, size_t i, struct error *err)
{
    const char *event = counter->event.v[i];

    if (strncmp(event, "PAPI_", strlen("PAPI_")) == 0)
        return fail(
            err, STATUS_MISSING,
            "the preset '%s' cannot be counted in a program that has not started: "
            "PAPI alone knows what it stands for; name the event itself (papi_avail -e "
            "%s shows it)",
            event, event);
    counter->component[i] = kernel_core;
    return counter->seam.core->encode(event, &counter->core[i], err);
}

static int find_terms(struct papi_counter *counter, size_t i, struct error *err)
{
    const char *event = counter->event.v[i];
    struct error why = {0};

    if (perf_terms_find(counter->seam.devices, event, &counter->core[i], &why) == 0)
        return 0;
    if (counter->seam.host.core_counters)
        return fail(err, why.status, "the event '%s' cannot be counted: %s", event,
                    why.text);
    return papi_refuse(&(struct papi_refused){.event = event,
                                              .why = PAPI_NO_EVENT,
                                              .words = why.text,
                                              .component = "perf_event"},
                       &counter->seam.host, err);
}

static int find_event(struct papi_counter *counter, size_t i, struct error *err)
{
    const char *event = counter->event.v[i], *devices = counter->seam.devices;

    if (perf_software_find(event, &counter->core[i])) {
        counter->component[i] = kernel_software;
        return 0;
    }
    if (perf_uncore_is(devices, event)) {
        counter->component[i] = kernel_uncore;
        return perf_uncore_find(devices, event, &counter->uncore[i], err);
    }
    if (perf_terms_is(event)) {
        counter->component[i] = kernel_core;
        return find_terms(counter, i, err);
    }
    if (papi_find(&counter->seam, event, &counter->component[i], err))
        return -1;
    return counter->opts.ahead && papi_counter_is_core(counter, i)
               ? encode(counter, i, err)
               : 0;
}

bool papi_event_known(const char *event)
{
    struct papi_seam seam = papi_seam_here();
    struct perf_code code;
    int component;

    return perf_software_find(event, &code) ||
           papi_find(&seam, event, &component, NULL) == 0;
}

static bool is_floating(const struct papi_counter *counter, size_t i)
{
    struct papi_described described = {0};

    if (counter->component[i] >= 0)
        counter->seam.papi->describe(counter->event.v[i], &described);
    return described.floating;
}

int papi_counter_make(const struct papi_seam *seam, const char *const *event,
                      size_t event_nr, const struct papi_counter_opts *opts,
                      struct papi_counter **counter, struct error *err)
{
    struct papi_counter *made = xcalloc(1, sizeof(*made));

    *counter = NULL;
    made->seam = *seam;
    made->opts = opts ? *opts : (struct papi_counter_opts){0};
    made->component = xcalloc(event_nr + 1, sizeof(*made->component));
    made->floating = xcalloc(event_nr + 1, sizeof(*made->floating));
    made->uncore = xcalloc(event_nr + 1, sizeof(*made->uncore));
    made->core = xcalloc(event_nr + 1, sizeof(*made->core));
    for (size_t i = 0; i < event_nr; i++) {
        strvec_push(&made->event, event[i]);
        if (find_event(made, i, err)) {
            papi_counter_free(made);
            return -1;
        }
        made->floating[i] = is_floating(made, i);
    }
    *counter = made;
    return 0;
}

int papi_counter_new(const char *const *event, size_t event_nr,
                     const struct papi_counter_opts *opts, struct papi_counter **counter,
                     struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_counter_make(&seam, event, event_nr, opts, counter, err);
}

void papi_counter_free(struct papi_counter *counter)
{
    if (!counter)
        return;
    papi_counter_stop(counter);
    for (size_t i = 0; i < counter->event.nr; i++)
        perf_uncore_release(&counter->uncore[i]);
    strvec_release(&counter->event);
    free(counter->uncore);
    free(counter->core);
    free(counter->component);
    free(counter->floating);
    free(counter->set);
    free(counter->count);
    free(counter);
}
