/* What the files of rules/ share; private to the folder. */
#ifndef RULES_RULE_SET_H
#define RULES_RULE_SET_H

#include "rules/rules.h"

/* word in files */
#define CONDITION_OP_MAP(X)                                                              \
    X(LESS, "<")                                                                         \
    X(AT_MOST, "<=")                                                                     \
    X(MORE, ">")                                                                         \
    X(AT_LEAST, ">=")                                                                    \
    X(EQUAL, "==")                                                                       \
    X(NOT_EQUAL, "!=")                                                                   \
    X(IN, "in")

enum condition_op {
#define X(name, word) OP_##name,
    CONDITION_OP_MAP(X)
#undef X
};

const char *condition_op_word(enum condition_op op);
const char *const *condition_op_list(size_t *nr);
const char *const *verdict_list(size_t *nr);
const char *const *resource_list(size_t *nr);

struct condition {
    const struct rule_metric *metric;
    enum condition_op op;
    double low, high;   /* numbers: the bound (low == high), or the ends for `in` */
    const json_t *word; /* words: a string, or an array of them for `in` */
};

struct rule {
    const char *id, *transformation, *sentence, *source;
    enum verdict verdict;
    int weight;
    struct condition *when;
    size_t when_nr;
    struct rule_work *work;
    size_t work_nr;
};

struct rule_set {
    struct rule *rule;
    size_t rule_nr;
    struct rule_pair *pair;
    size_t pair_nr;
    json_t **root; /* the strings of the rules live in them */
    size_t root_nr;
};

/* The pairs of a file go before those there are; none is added when it fails. */
int rule_pairs_read(const struct json_at *top, struct rule_set *set, struct error *err);

/* One slot of the facts: the number, the word (NULL = unknown), or the names. */
struct fact {
    struct quantity number;
    const char *word;
    char *names; /* owned */
};
/* Names stand in sentences only: no condition and no work can be made of them. */
bool rule_metric_is_names(const struct rule_metric *metric);
const struct fact *fact_of(const struct rule_facts *facts,
                           const struct rule_metric *metric);

const struct rule_metric *rule_metric_find(const char *name); /* NULL = none */
/* The table's own copy of the word; NULL when the metric does not have it. */
const char *rule_metric_word(const struct rule_metric *metric, const char *word);
void rule_metric_list_words(const struct rule_metric *metric, struct buf *out);
/* The value as it stands in sentences; "unknown". */
void fact_print(const struct rule_metric *metric, const struct fact *fact,
                struct buf *out);

/* Room for the names of all metrics. */
enum { NAMES_MAX = 256 };
size_t rule_metric_names(const char **name, size_t room);
const struct rule_transformation *transformation_find(const char *name);
size_t transformation_names(const char **name, size_t room);
/* NULL = none is like it. */
const char *nearest_word(const char *word, const char *const *words, size_t nr);
/* Behind "unknown x": the one that was meant, else the few that there are. */
void say_known(const char *word, const char *const *words, size_t nr, struct buf *out);
/* From numbers in that unit to the metric's own; 0 = it is not measured in that. */
double unit_factor(const char *word, const struct rule_metric *metric);

/* The next "{name}" in `text`: its name without braces; NULL when there is none. */
const char *placeholder_next(const char *text, size_t *name_length);

/* Whether the metric's value meets the condition, and whether other values of its
 * interval would not agree. */
struct truth {
    bool holds, straddles;
};
struct truth condition_truth(const struct condition *condition, const struct fact *fact);

#endif
