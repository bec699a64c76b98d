#include "advisor/cli/cli.h"
#include "core/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
