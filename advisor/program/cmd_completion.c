/* inflight completion: the script by which a shell completes inflight's words. */
#include "advisor/cli/output.h"
#include "advisor/program/commands.h"
#include "advisor/program/completion.h"

int completion_command(const struct settings *settings, struct error *err)
{
    struct buf script = {0};
    if (!settings->shell)
        return fail(err, STATUS_USAGE,
                    "which shell: bash, zsh or fish? Try 'inflight completion --help'");
    int status = completion_script(settings->shell, &script, err) ||
                 print_data(buf_str(&script), err);
    buf_release(&script);
    return status ? -1 : 0;
}
