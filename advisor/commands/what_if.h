/* How advice from numbers would move if some of them were otherwise. */
#ifndef ADVISOR_WHAT_IF_H
#define ADVISOR_WHAT_IF_H

#include "advisor/report/numbers.h"

struct error;

struct what_if {
    struct question question; /* the base with the changes */
    struct strvec words;      /* owned: "machine=knl" split at the '=' */
    struct buf reported;      /* "l1_mshrs = 24, latency = 120 ns" */
};

/* `text`: "key=value,key=value". Refused with the known keys: unknown ones; also keys
 * given twice, values that cannot be, and keys that contradict each other. */
int what_if_parse(const char *text, const struct question *base, struct what_if *out,
                  struct error *err);
void what_if_release(struct what_if *what_if);

/* The keys by name; NULL behind the last. */
const char *what_if_key(size_t i);

/* What moved: cause, occupancy, the queues, verdicts and bounds. */
void what_if_text(const struct what_if *what_if, const struct answer *base,
                  const struct answer *then, struct buf *out);
json_t *what_if_json(const struct what_if *what_if, const struct answer *base,
                     const struct answer *then);

#endif
