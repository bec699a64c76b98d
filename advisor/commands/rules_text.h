/* What inflight rules prints for people, from its JSON. */
#ifndef ADVISOR_RULES_TEXT_H
#define ADVISOR_RULES_TEXT_H

#include "core/base.h"
#include "variants/plan/plan.h"

void rules_say_table(const json_t *rules, struct buf *out);
void rules_say_one_by_one(const json_t *rules, struct buf *out);
void rules_say_metrics(const json_t *metrics, struct buf *out);
void rules_say_transformations(const json_t *transformations, struct buf *out);
/* Verdicts of one situation. */
void rules_say_verdicts(const json_t *verdicts, struct buf *out);
/* What rule_cases_judge() made. */
void rules_say_result(const json_t *result, struct buf *out);

#endif
