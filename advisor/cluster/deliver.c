#include "advisor/cluster/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/cluster/kinds.h"
#include "advisor/program/commands.h"
#include "advisor/report/report.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"
#include "core/process/term.h"

/* "tuned.c" of one kind; of several "tuned.amd-26-17-2c.c". Caller frees. */
static char *name_for(bool several, const struct kind *kind, const char *path)
{
    const char *dot = strrchr(path_base(path), '.');
    if (!several)
        return xstrdup(path);
    if (!dot)
        return xasprintf("%s.%s", path, kind->name);
    return xasprintf("%.*s.%s%s", (int)(dot - path), path, kind->name, dot);
}

/* What the user reads names his file. */
static void say_output(const struct settings *settings, bool several,
                       const struct kind *kind)
{
    if (!settings->output || !report_has(kind->report, "output"))
        return;
    char *name = name_for(several, kind, settings->output), *path = path_absolute(name);
    json_object_set_new(kind->report, "output", text_json(path));
    report_settle(kind->report);
    free(path);
    free(name);
}

static int deliver_one(bool several, const struct kind *kind, const char *from,
                       const char *to, struct error *err)
{
    struct buf text = {0};
    char *path = path_join(kind->folder, from),
         *name = to ? name_for(several, kind, to) : NULL;
    int status = 0;
    if (name && file_exists(path))
        status = file_read(path, &text, err) ||
                         file_write(name, buf_str(&text), text.length, err)
                     ? -1
                     : 0;
    buf_release(&text);
    free(path);
    free(name);
    return status;
}

static int deliver_faces(const struct settings *settings, bool several,
                         const struct kind *kind, struct error *err)
{
    struct settings own = *settings;
    char *html = own.html ? name_for(several, kind, own.html) : NULL,
         *sarif = own.sarif ? name_for(several, kind, own.sarif) : NULL;
    own.html = html;
    own.sarif = sarif;
    int status = report_faces(&own, kind->report, err);
    free(html);
    free(sarif);
    return status;
}

static int deliver_kind(const struct settings *settings, bool several,
                        const struct kind *kind, struct error *err)
{
    const char *save =
        settings->save && text_ends(settings->save, ".gz") ? "save.gz" : "save";
    if (kind->report)
        say_output(settings, several, kind);
    return deliver_one(several, kind, "output", settings->output, err) ||
                   deliver_one(several, kind, save, settings->save, err) ||
                   deliver_one(several, kind, "header", settings->header, err) ||
                   (kind->report && deliver_faces(settings, several, kind, err))
               ? -1
               : 0;
}

static int print(const struct settings *settings, const struct kinds *kinds,
                 struct error *err)
{
    struct buf text = {0};
    if (settings->json) {
        json_t *document = kinds_json(kinds);
        int status = print_json(document, err);
        json_decref(document);
        return status;
    }
    if (kinds->nr == 1 && kinds->item->report)
        report_text(kinds->item->report, term_colour(stdout, settings->colour),
                    settings->evidence, term_columns(stdout), &text);
    else
        kinds_text(kinds, &text);
    int status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

int campaign_deliver(const struct settings *settings, const struct kinds *kinds,
                     struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < kinds->nr && !status; i++)
        status = deliver_kind(settings, kinds->nr > 1, &kinds->item[i], err);
    return status ? status : print(settings, kinds, err);
}
