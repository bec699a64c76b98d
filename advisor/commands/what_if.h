/* Advice from numbers where the machine is otherwise than its profile says. */
#ifndef ADVISOR_WHAT_IF_H
#define ADVISOR_WHAT_IF_H

#include "advisor/report/numbers.h"

struct error;

/* `text`: "key=value,key=value". Refused with the known keys: unknown ones; also keys
 * given twice and values that cannot be. The words of the text, key by value, are pushed,
 * also on failure. */
int what_if_parse(const char *text, struct question *question, struct strvec *words,
                  struct error *err);

/* What stands before that answer: what was assumed, and which queue is too short for the
 * bandwidth that was given. */
void what_if_text(const struct strvec *words, const struct answer *answer,
                  struct buf *out);
/* {key: value as it was given}. Caller json_decref's. */
json_t *what_if_json(const struct strvec *words);

#endif
