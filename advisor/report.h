/* The report: one JSON document (inflight.report/1); every other form is made from it, so
 * an old session prints as a new one. */
#ifndef ADVISOR_REPORT_H
#define ADVISOR_REPORT_H

#include "advisor/workbench.h"

struct report_input {
    const struct workbench *bench;
    const struct search_result *result;
    const char *output; /* file written, NULL = none */
    struct quantity
        emitted_gain; /* measured from the emitted file alone; unknown = not measured */
    bool emitted_verified;
    struct account_times time;            /* of the whole command, until now */
    const struct confirm_result *confirm; /* of --confirm; NULL = none was made */
};
json_t *report_json(const struct report_input *input);

/* For a terminal of `columns`. `evidence`: every variant and pruned plan, too. */
void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 struct buf *out);

/* The comment on top of an emitted file. `with`: the environment that the gain was
 * measured in, "" = the source alone. Caller frees. */
char *report_comment(const struct workbench *bench, const char *plan,
                     struct quantity gain, const char *with);

#endif
