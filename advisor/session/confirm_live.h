/* --confirm on this machine. */
#ifndef ADVISOR_CONFIRM_LIVE_H
#define ADVISOR_CONFIRM_LIVE_H

#include "advisor/session/context.h"
#include "core/base.h"
#include "search/finish/confirm.h"

/* Makes the counter-experiment for `of`, an explained measurement of `plan` on the
 * workbench's live runner, if --confirm was given and nothing was interrupted; *result
 * keeps a sentence of NULL otherwise. Sizes, copies and contents are the old ones again
 * afterwards. What cannot be confirmed is said in the result, no failure. */
int confirm_live(struct context *bench, const struct measurement *of,
                 struct confirm_result *result, struct error *err);

#endif
