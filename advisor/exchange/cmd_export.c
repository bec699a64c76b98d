/* inflight export: a session in the formats of other tuners. */
#include <stdio.h>
#include <stdlib.h>

#include "advisor/cli/database.h"
#include "advisor/cli/output.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/program/commands.h"

static int write_text(const struct settings *settings, const struct buf *text,
                      struct error *err)
{
    if (settings->output)
        return file_write_gz(settings->output, buf_str(text), text->length, err);
    return print_data(buf_str(text), err);
}

/* What was asked for, and a word for it. Caller frees. */
static int read_session(const struct settings *settings, struct exchange_space *space,
                        char **what, struct error *err)
{
    struct store *store = NULL;
    struct store_session session = {0};
    int status = database_open(settings, true, &store, err);
    if (!status)
        status = store_session_get(store, settings->session > 0 ? settings->session : 0,
                                   &session, err);
    if (!status)
        status = space_of_session(store, &session, space, err);
    if (!status)
        *what = xasprintf("session %lld (%s of %s)", session.id, session.command,
                          session.title);
    store_session_release(&session);
    store_close(store);
    return status;
}

static int read_space(const struct settings *settings, struct exchange_space *space,
                      char **what, struct error *err)
{
    if (!settings->file)
        return read_session(settings, space, what, err);
    *what = xasprintf("'%s'", settings->file);
    return space_of_dataset(settings->file, space, err);
}

int export_command(const struct settings *settings, struct error *err)
{
    enum exchange_format format = EXCHANGE_FORMAT_T4;
    struct exchange_space space = {0};
    struct buf text = {0};
    char *what = NULL;
    int status =
        settings->format ? exchange_format_from_word(settings->format, &format, err) : 0;
    if (!status && settings->output)
        status = file_check_writable(settings->output, err);
    if (!status)
        status = read_space(settings, &space, &what, err);
    if (!status)
        status = exchange_text(&space, format, &text, err);
    if (!status)
        status = write_text(settings, &text, err);
    if (!status && settings->output && !settings->quiet)
        fprintf(stderr, "inflight: %s: %zu results in '%s'\n", what, space.result_nr,
                settings->output);
    exchange_space_release(&space);
    buf_release(&text);
    free(what);
    return status;
}
