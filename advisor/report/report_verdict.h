/* What a report's figures say together: one gain for each plan, one order of the advice,
 * one verdict. Every face of the document (text, page, SARIF) reads it. */
#ifndef ADVISOR_REPORT_VERDICT_H
#define ADVISOR_REPORT_VERDICT_H

#include "core/files/json.h"

/*
 * Adds to an inflight.report/1 what follows from the rest of it:
 * "verdict" (headline, the gain, how sure and why, what limits the loop, what to type
 * next), "next", and to each entry of "advice" and "variants" its "gain" over the kernel
 * as written (docs/formats.md). Documents of earlier versions get it from the times of
 * their variants.
 */
void report_settle(json_t *report);

/* Gains over the kernel as written; NULL where there is none. Borrowed. */
const json_t *report_gain(const json_t *report); /* of the plan that was kept */
const json_t *report_plan_gain(const json_t *report, const char *plan);

/* The first advice that was not tried and is worth it; NULL = none. Borrowed. */
const json_t *report_first_untried(const json_t *report);

/* "strided access", what limits the loop, for titles. Caller frees. */
char *report_limit_phrase(const json_t *report);

/* report_next.c: [{"sentence", "command": [words] or null}], most useful first. */
json_t *report_next(const json_t *report);

#endif
