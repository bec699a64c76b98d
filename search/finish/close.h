/* The closing measurements, and those of --audit. */
#ifndef SEARCH_CLOSE_H
#define SEARCH_CLOSE_H

#include "search/session/engine.h"

/* What the plan of measurement `plan` gains on huge pages over the kernel as
 * written, when `later` comparisons must follow; *gain stays as it is where that cannot
 * be had. */
int session_compare_pages(struct session *session, size_t plan, int later,
                          struct quantity *gain, struct error *err);

/* Gains of the best against the baseline and of environments, interleaved; what
 * is left; why it ended. */
int session_close(struct session *session, struct error *err);

/* What --audit finds. A rule, not the search, left it out: */
bool audit_wants(const struct advice *advice);
void audit_begin(struct session *session, size_t best);
/* It was tried on measurement `before`, and `after` is the best now. */
void audit_note(struct session *session, const struct advice *advice, size_t before,
                size_t after);
void audit_unreached(struct session *session);
/* What the wrongly discarded cost, interleaved; after the winner stands. */
int audit_close(struct session *session, struct error *err);
void audit_release(struct search_audit *audit);

#endif
