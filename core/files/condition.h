/*
 * Conditions on named values, and sentences with values in them: what the files of rules
 * and of metrics have in common. A condition is {"op": "<", "value": 3} beside the name
 * or the formula of what it asks for; a sentence has {name} where a value goes. What a
 * name is worth, and whether there is one of that name, the caller knows.
 */
#ifndef CORE_FILES_CONDITION_H
#define CORE_FILES_CONDITION_H

#include "core/base/quantity.h"
#include "core/files/json.h"

struct buf;
struct error;
struct strvec;

/* word in files, in sentences */
#define CONDITION_OP_MAP(X)                                                              \
    X(LESS, "<", "below")                                                                \
    X(AT_MOST, "<=", "at most")                                                          \
    X(MORE, ">", "above")                                                                \
    X(AT_LEAST, ">=", "at least")                                                        \
    X(EQUAL, "==", "is")                                                                 \
    X(NOT_EQUAL, "!=", "is not")                                                         \
    X(IN, "in", "one of")

enum condition_op {
#define X(name, word, phrase) OP_##name,
    CONDITION_OP_MAP(X)
#undef X
};
const char *condition_op_word(enum condition_op op);

struct condition {
    enum condition_op op;
    double low, high;   /* numbers: the bound (low == high), or the ends for `in` */
    const json_t *word; /* words: a string, or an array of them for `in`; borrowed */
};

/* "op" and "value": a number, or the two ends of a range for `in`; each times `factor`.
 */
int condition_read_numbers(const struct json_at *at, double factor,
                           struct condition *condition, struct error *err);
/* The same of words, which must be among `words` (NULL-terminated); `what` has them in
 * messages: "the metric \"cause\"". */
int condition_read_words(const struct json_at *at, const char *what,
                         const char *const *words, struct condition *condition,
                         struct error *err);

/* Whether it holds by the value, and whether other values of the interval would not
 * agree: certain is what holds and does not straddle, possible what straddles. */
struct condition_truth {
    bool holds, straddles;
};
/* Of what is not known (NULL for a word) neither. */
struct condition_truth condition_of_number(const struct condition *condition,
                                           struct quantity number);
struct condition_truth condition_of_word(const struct condition *condition,
                                         const char *word);
/* Both: no other one makes up for one that does not hold anyhow. */
struct condition_truth truth_both(struct condition_truth a, struct condition_truth b);

/* "at least 90 %", "from 1 to 2", "one of full, window": of numbers in that unit. */
void condition_add_text(const struct condition *condition, const char *unit,
                        struct buf *out);

/* The names in the sentence's braces, in order. Fails where one lacks its closing brace.
 */
int sentence_names(const struct json_at *here, const char *sentence, struct strvec *names,
                   struct error *err);
/* The sentence, each name filled in by `add`. Caller frees. */
char *sentence_fill(const char *sentence,
                    void (*add)(void *data, const char *name, struct buf *out),
                    void *data);
/* A value as it stands there: "51 %" of a share, "12.3 GB/s"; "unknown". What a bare
 * number counts the sentence says. */
void sentence_add_value(struct quantity value, const char *unit, struct buf *out);

#endif
