/* The section of reports on --in-app, from its document. */
#ifndef ADVISOR_IN_APP_TEXT_H
#define ADVISOR_IN_APP_TEXT_H

#include "advisor/cli/layout.h"
#include "core/files/json.h"

/* `in_app`: as in_app_to_json makes it. `evidence`: also what was copied. */
void in_app_text(const json_t *in_app, bool evidence, struct layout *layout);

#endif
