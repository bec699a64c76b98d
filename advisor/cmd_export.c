/* inflight export: a session in the formats of other tuners. */
#include <stdio.h>
#include <stdlib.h>

#include "advisor/commands.h"
#include "advisor/exchanged.h"

static int write_text(const struct settings *settings, const struct buf *text,
                      struct error *err)
{
    if (settings->output)
        return file_write_gz(settings->output, buf_str(text), text->length, err);
    return print_text(buf_str(text), err);
}

static int export_from(const struct settings *settings, struct store *store,
                       enum exchange_format format, struct error *err)
{
    struct store_session session = {0};
    struct exchange_space space = {0};
    struct buf text = {0};
    int status = store_session_get(store, settings->session > 0 ? settings->session : 0,
                                   &session, err);
    if (!status)
        status = space_of_session(store, &session, &space, err);
    if (!status)
        status = exchange_text(&space, format, &text, err);
    if (!status)
        status = write_text(settings, &text, err);
    if (!status && settings->output && !settings->quiet)
        fprintf(stderr, "inflight: session %lld (%s of %s): %zu results in '%s'\n",
                session.id, session.command, session.title, space.result_nr,
                settings->output);
    exchange_space_release(&space);
    store_session_release(&session);
    buf_release(&text);
    return status;
}

int export_command(const struct settings *settings, struct error *err)
{
    enum exchange_format format = EXCHANGE_FORMAT_T4;
    struct store *store = NULL;
    char *path = settings->database ? xstrdup(settings->database) : NULL;
    int status =
        settings->format ? exchange_format_from_word(settings->format, &format, err) : 0;
    if (!status && settings->output)
        status = file_check_writable(settings->output, err);
    if (!status && !path)
        status = store_default_path(&path, err);
    if (!status)
        status = store_open(path, &store, err);
    if (!status)
        status = export_from(settings, store, format, err);
    store_close(store);
    free(path);
    return status;
}
