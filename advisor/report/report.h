/* The report: one JSON document (inflight.report/1); every other form is made from it, so
 * an old session prints as a new one. */
#ifndef ADVISOR_REPORT_H
#define ADVISOR_REPORT_H

#include "core/base/quantity.h"
#include "core/files/json.h"
#include "core/process/account.h"

struct buf;
struct context;
struct error;
struct in_app_result;

struct report_input {
    const struct context *bench;
    const struct search_result *result;
    const char *output; /* file written, NULL = none */
    struct quantity
        emitted_gain; /* measured from the emitted file alone; unknown = not measured */
    bool emitted_verified;
    struct account_times time;          /* of the whole command, until now */
    const struct in_app_result *in_app; /* of --in-app; NULL = none was made */
    const json_t *others; /* winners of other kinds of nodes here (others.h); NULL = there
                             are none */
};
json_t *report_json(const struct report_input *input);

/* Of a settled document (report_verdict.h), for a terminal of `columns`. `evidence`: what
 * the answer rests on, too. */
void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 struct buf *out);

/* report_sarif.c, of a settled document: SARIF 2.1.0; the same as lines of the form
 * "file:line:column: note: ...". */
json_t *report_sarif(const json_t *report);
int report_sarif_write(const json_t *report, const char *path, struct error *err);
void report_diagnostics(const json_t *report, struct buf *out);

/* html.c: one page into a file that needs no other file and no network, made in the
 * browser from the document alone by the scripts of templates/report; what an older
 * document lacks is left out. Fails for a document of another kind than inflight.report/1
 * of a session, and when a shipped part of the page cannot be read. */
int report_html_write(const json_t *report, const char *path, struct error *err);

/* The comment on top of an emitted file. `with`: the environment that the gain was
 * measured in, "" = the source alone. Caller frees. */
char *report_comment(const struct context *bench, const char *plan, struct quantity gain,
                     const char *with);

#endif
