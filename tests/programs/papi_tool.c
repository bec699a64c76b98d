/*
 * A PAPI-based tool that knows nothing of inflight, to be brought into a program with
 * LD_PRELOAD: counts the events of $PAPI_TOOL_EVENTS (commas between them) from before
 * main() until exit, and writes "event count" lines to $PAPI_TOOL_OUT.
 */
#include <papi.h>
#include <sde_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { events_max = 16 };
static int set = PAPI_NULL, nr, failed;
static char names[1024], *event[events_max];

static void split(void)
{
    for (char *at = names; *at && nr < events_max;) {
        event[nr++] = at;
        at += strcspn(at, ",");
        if (*at)
            *at++ = '\0';
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("PAPI_TOOL_EVENTS");

    papi_sde_init("papi_tool"); /* libsde is needed, not only linked */
    snprintf(names, sizeof(names), "%s", text ? text : "");
    split();
    failed = PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
             PAPI_create_eventset(&set) != PAPI_OK;
    for (int i = 0; !failed && i < nr; i++)
        failed = PAPI_add_named_event(set, event[i]) != PAPI_OK;
    failed = failed || PAPI_start(set) != PAPI_OK;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("PAPI_TOOL_OUT");
    long long value[events_max] = {0};
    FILE *out = path ? fopen(path, "w") : NULL;

    if (!out)
        return;
    if (failed || PAPI_stop(set, value) != PAPI_OK)
        fprintf(out, "failed\n");
    for (int i = 0; !failed && i < nr; i++)
        fprintf(out, "%s %lld\n", event[i], value[i]);
    fclose(out);
}
