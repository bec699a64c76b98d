#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "core/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool in_colour;

void print_colour(bool colour)
{
    in_colour = colour;
}

int print_text(const char *text, struct error *err)
{
    struct buf safe = {0};
    term_add_printable(&safe, text, in_colour);
    int status = print_data(buf_str(&safe), err);
    buf_release(&safe);
    return status;
}

int print_data(const char *text, struct error *err)
{
    if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
        return fail(err, STATUS_FAILED, "cannot write to standard output: %s",
                    strerror(errno));
    return 0;
}

int print_json(const json_t *document, struct error *err)
{
    char *text = json_text(document);
    int status = print_data(text, err);
    free(text);
    return status;
}

/* ---- files that are written ---- */

static int check_folder(const char *output, struct error *err)
{
    char *copy = xstrdup(output), *slash = strrchr(copy, '/');
    if (slash)
        slash[slash == copy] = 0;
    const char *dir = slash ? copy : ".";
    int status = 0;
    if (!dir_exists(dir))
        status =
            fail(err, STATUS_USAGE, "the folder '%s' of the output does not exist", dir);
    else if (access(dir, W_OK))
        status = fail(err, STATUS_USAGE,
                      "the folder '%s' of the output cannot be written to", dir);
    free(copy);
    return status;
}

static int check_output(const char *output, const char *source, struct error *err)
{
    if (!*output)
        return fail(err, STATUS_USAGE, "the name of the output is empty; name a file");
    if (!strcmp(output, "-"))
        return fail(err, STATUS_USAGE,
                    "the output '-' is no file; write './-' for a file of that name");
    if (dir_exists(output))
        return fail(err, STATUS_USAGE, "the output '%s' is a folder; name a file",
                    output);
    if (source && file_is_same(output, source))
        return fail(err, STATUS_USAGE,
                    "the output '%s' is the source itself; name another file, or take a "
                    "diff with --patch",
                    output);
    return check_folder(output, err) ? -1 : file_check_writable(output, err);
}

int outputs_check(const struct settings *settings, struct error *err)
{
    const char *const output[] = {settings->output, settings->save, settings->header,
                                  settings->html,   settings->csv,  settings->sarif};
    for (size_t i = 0; i < ARRAY_SIZE(output); i++) {
        if (output[i] && check_output(output[i], settings->file, err))
            return -1;
        for (size_t k = 0; output[i] && k < i; k++)
            if (output[k] && !strcmp(output[i], output[k]))
                return fail(err, STATUS_USAGE,
                            "two outputs would be written to '%s'; name a file for each",
                            output[i]);
    }
    return 0;
}
