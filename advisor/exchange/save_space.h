/* inflight tune --save: what a search measured, as a recorded space. */
#ifndef ADVISOR_SAVE_SPACE_H
#define ADVISOR_SAVE_SPACE_H

#include "advisor/session/workbench.h"

/* Writes settings->save (inflight.space/1, compressed when it ends in .gz): the plans
 * measured in the plain environment. Nothing to do without the option. Says where it is
 * on standard error. */
int save_space(struct workbench *bench, const struct search_result *result,
               struct error *err);

#endif
