/* What is known of events before they are counted, and which there are. */
#include <stdio.h>
#include <string.h>

#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf.h"

static int refuse(const struct papi_seam *seam, const char *event, enum papi_refusal why,
                  struct error *err)
{
    char name[32];
    struct papi_refused refused = {.event = event, .why = why};

    refused.words = seam->papi->text();
    if (why != PAPI_NO_LIBRARY)
        refused.disabled = seam->papi->disabled(papi_component_of_name(event, name));
    return papi_refuse(&refused, &seam->host, err);
}

int papi_describe_with(const struct papi_seam *seam, const char *event,
                       struct papi_event_about *about, struct error *err)
{
    struct papi_described described;
    enum papi_refusal why;
    int component;

    *about = (struct papi_event_about){.component = "kernel"};
    if (perf_software_known(event) || perf_terms_is(event))
        return 0;
    why = seam->papi->start();
    if (!why)
        why = seam->papi->find(event, &component);
    if (why)
        return refuse(seam, event, why, err);
    snprintf(about->component, sizeof(about->component), "%s",
             seam->papi->component_name(component));
    about->of_process = strcmp(about->component, "perf_event") == 0;
    seam->papi->describe(event, &described);
    about->level = described.level;
    memcpy(about->unit, described.unit, sizeof(about->unit));
    return 0;
}

int papi_event_describe(const char *event, struct papi_event_about *about,
                        struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_describe_with(&seam, event, about, err);
}

int papi_list_with(const struct papi_seam *seam, const struct papi_listing *listing,
                   struct error *err)
{
    if (seam->papi->start() != PAPI_DONE)
        return fail(err, STATUS_MISSING, "PAPI does not start: %s", seam->papi->text());
    for (int i = 0; *seam->papi->component_name(i); i++) {
        const char *name = seam->papi->component_name(i);
        const char *why = seam->papi->disabled(name);

        listing->component(listing->context, name, why ? why : "");
        if (!why)
            seam->papi->list(i, listing->event, listing->context);
    }
    return 0;
}

int papi_list(const struct papi_listing *listing, struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_list_with(&seam, listing, err);
}

int papi_events_start(const char *const *event, size_t event_nr, struct error *err)
{
    struct papi_counter *counter;
    int result = papi_counter_new(event, event_nr, NULL, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    papi_counter_free(counter);
    return result;
}
