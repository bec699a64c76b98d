/* inflight import: results of other tuners as a session. */
#include <stdio.h>
#include <stdlib.h>

#include "advisor/cli/database.h"
#include "advisor/cli/output.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/program/commands.h"

static int import_into(const struct settings *settings,
                       const struct exchange_space *space,
                       const struct imported *imported, struct error *err)
{
    struct store *store = NULL;
    long long session = 0;
    int status = database_open(settings, false, &store, err);
    if (!status)
        status = session_of_space(store, space, imported, &session, err);
    store_close(store);
    if (status)
        return -1;
    struct buf text = {0};
    buf_addf(
        &text, "session %lld: %zu results of %s; 'inflight report %lld' shows them\n",
        session, space->result_nr, space->kernel ? space->kernel : "a kernel", session);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

int import_command(const struct settings *settings, struct error *err)
{
    struct imported imported = {.path = settings->file, .format = EXCHANGE_FORMAT_NR};
    struct exchange_space space = {0};
    char *note = NULL;
    if (!settings->file)
        return fail(err, STATUS_USAGE, "a file is needed; try 'inflight import --help'");
    if (settings->format &&
        exchange_format_from_word(settings->format, &imported.format, err))
        return -1;
    if (exchange_read(settings->file, &imported.format, &space, &note, err))
        return -1;
    imported.note = note;
    if (note && !settings->quiet)
        fprintf(stderr, "inflight: note: %s\n", note);
    int status = import_into(settings, &space, &imported, err);
    exchange_space_release(&space);
    free(note);
    return status;
}
