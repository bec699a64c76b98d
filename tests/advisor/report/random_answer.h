/* What `inflight advise` says of random numbers on a shipped profile. */
#ifndef TESTS_ADVISOR_RANDOM_ANSWER_H
#define TESTS_ADVISOR_RANDOM_ANSWER_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/files/json.h"

struct rule_set;

/* The document; its text is appended. NULL: the question was refused. */
json_t *random_numbers(const struct rule_set *rules, uint64_t seed, struct buf *text);

#endif
