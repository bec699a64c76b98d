/* What in a report excludes something else that it says: on the values of its document,
 * and on what is printed of it. */
#ifndef TESTS_ADVISOR_CONTRADICTIONS_H
#define TESTS_ADVISOR_CONTRADICTIONS_H

#include "core/base.h"
#include "core/files/json.h"

/* "KIND: what" each. */

/* Of a settled inflight.report/1, or of what `advise` says of numbers. `loops`: names
 * that sentences may use beside the document's arrays; NULL = they are not known. */
void contradictions_of_values(const json_t *report, const struct strvec *loops,
                              struct strvec *out);
/* Of the text of any face. */
void contradictions_of_text(const char *text, struct strvec *out);

#endif
