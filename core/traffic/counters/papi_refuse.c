#include "core/traffic/counters/papi_counter.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool core_counters(void)
{
    static const char *const places[] = {"cpu", "cpu_core", "armv8_pmuv3_0",
                                         "armv8_pmuv3"};
    bool found = false;

    for (size_t i = 0; !found && i < ARRAY_SIZE(places); i++) {
        char *path = path_join("/sys/bus/event_source/devices", places[i]);

        found = dir_exists(path);
        free(path);
    }
    return found;
}

struct papi_host papi_host_here(void)
{
    struct papi_host host = {
        .core_counters = core_counters(), .paranoid = -1, .privileged = geteuid() == 0};
    struct buf text = {0};

    if (file_read("/proc/sys/kernel/perf_event_paranoid", &text, NULL) == 0)
        host.paranoid = strtol(buf_str(&text), NULL, 10);
    buf_release(&text);
    return host;
}

const char *papi_component_of_name(const char *event, char out[32])
{
    const char *end = strstr(event, ":::");

    if (end)
        snprintf(out, 32, "%.*s", (int)(end - event), event);
    else
        snprintf(out, 32, "%s",
                 strstr(event, "_unc") || strstr(event, "nest") || strstr(event, "dmc")
                     ? "perf_event_uncore"
                     : "perf_event");
    return out;
}

/* The remedies of components that PAPI leaves out or switches off. */
static const char *remedy_of(const char *component)
{
    static const struct {
        const char *component, *remedy;
    } remedies[] = {
        {"pcp",
         "start the daemon of Performance Co-Pilot (systemctl start pmcd) with its "
         "perfevent agent"},
        {"sde", "link the program with libsde, or load it with LD_PRELOAD=libsde.so.1"},
        {"perf_event_uncore",
         "set /proc/sys/kernel/perf_event_paranoid to 0 or lower, or "
         "run as root, where the machine has such counters"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
        if (strcmp(component, remedies[i].component) == 0)
            return remedies[i].remedy;
    return "papi_component_avail lists what this PAPI can use";
}

static int no_component(const struct papi_refused *refused, const char *component,
                        struct error *err)
{
    if (refused->disabled && !*refused->disabled)
        return fail(err, STATUS_MISSING,
                    "the event '%s' cannot be counted: this PAPI was built without the "
                    "component '%s'; install one that has it",
                    refused->event, component);
    return fail(err, STATUS_MISSING,
                "the event '%s' cannot be counted: PAPI's component '%s' is disabled "
                "(%s); %s",
                refused->event, component,
                refused->disabled ? refused->disabled : refused->words,
                remedy_of(component));
}

static int no_right(const struct papi_refused *refused, const struct papi_host *host,
                    struct error *err)
{
    int needed = refused->shared ? 0 : refused->in_kernel ? 1 : 2;

    if (host->paranoid <= needed)
        return fail(
            err, STATUS_MISSING,
            "the event '%s' cannot be counted: %s although perf_event_paranoid is "
            "%ld; run as root or with CAP_PERFMON (containers often forbid "
            "perf_event_open)",
            refused->event, refused->words, host->paranoid);
    return fail(
        err, STATUS_MISSING,
        "the event '%s' cannot be counted: %s; perf_event_paranoid is %ld and must "
        "be %d or lower (sysctl kernel.perf_event_paranoid=%d), or run as root or "
        "with CAP_PERFMON",
        refused->event, refused->words, host->paranoid, needed, needed);
}

/* Where the cores have none, nothing else of the hardware counts either. */
static bool of_the_hardware(const char *component)
{
    return strncmp(component, "perf_event", strlen("perf_event")) == 0;
}

int papi_refuse(const struct papi_refused *refused, const struct papi_host *host,
                struct error *err)
{
    char guessed[32];
    const char *component = refused->component
                                ? refused->component
                                : papi_component_of_name(refused->event, guessed);

    if (refused->why == PAPI_NO_LIBRARY)
        return fail(err, STATUS_MISSING,
                    "PAPI does not start: %s; is the installed library the one compiled "
                    "against?",
                    refused->words);
    if (of_the_hardware(component) && !host->core_counters)
        return fail(
            err, STATUS_MISSING,
            "the event '%s' cannot be counted: %s; this machine shows no hardware "
            "counters, as most virtual machines; the cache model needs none",
            refused->event, refused->words);
    if (refused->disabled || refused->why == PAPI_NO_COMPONENT)
        return no_component(refused, component, err);
    if (refused->why == PAPI_NO_RIGHT ||
        (refused->shared && !host->privileged && host->paranoid > 0))
        return no_right(refused, host, err);
    if (refused->why == PAPI_NO_TOGETHER)
        return fail(
            err, STATUS_MISSING,
            "the event '%s' cannot be counted: somebody else holds the counter it "
            "needs (perf, the NMI watchdog: sysctl kernel.nmi_watchdog=0)",
            refused->event);
    return fail(err, STATUS_MISSING,
                "the event '%s' cannot be counted: %s; papi_native_avail and papi_avail "
                "list what this machine counts",
                refused->event, refused->words);
}
