/* inflight profile: a whole program as its user starts it, by its marked regions. */
#include <stdlib.h>

#include "advisor/commands.h"

static int run_program(const struct settings *settings, const char *folder,
                       struct spawn_outcome *outcome, struct error *err)
{
    char *variable = xasprintf("INFLIGHT_REGIONS=%s", folder);
    const char *const env[] = {variable, NULL};
    struct spawn_request request = {.argv = (const char *const *)settings->program.v,
                                    .env_extra = env,
                                    .attached = true,
                                    .out_to_err = settings->json};
    int status = spawn_run(&request, outcome, err);
    free(variable);
    return status;
}

int profile_command(const struct settings *settings, struct error *err)
{
    char *folder = NULL;
    struct spawn_outcome outcome = {0};
    if (settings->timeline_s > 0 || settings->from || settings->list)
        return profile_timeline(settings, err);
    if (!settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "profile takes a program: inflight profile -- PROGRAM [arguments]");
    spawn_catch_interrupt();
    int status = scratch_make(&folder, err);
    if (!status)
        status = run_program(settings, folder, &outcome, err);
    spawn_outcome_release(&outcome);
    scratch_remove(folder);
    return status;
}
