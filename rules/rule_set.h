/* What the files of rules/ share; private to the folder. */
#ifndef RULES_RULE_SET_H
#define RULES_RULE_SET_H

#include "core/base.h"
#include "rules/rules.h"

const char *const *verdict_list(size_t *nr);
const char *const *resource_list(size_t *nr);

struct rule_condition {
    const struct rule_metric *metric;
    struct condition is;
};

struct rule {
    const char *id, *sentence, *source;
    uint64_t about; /* bit i: rule_transformations()[i] */
    enum verdict verdict;
    int weight;
    double realized; /* < 0: as for its transformation */
    struct rule_condition *when;
    size_t when_nr;
    struct rule_work *work;
    size_t work_nr;
};

/* What a transformation leaves of the work given to a resource that none of its rules
 * speaks of. */
struct rule_rest {
    const char *transformation;
    struct rule_work *work;
    size_t work_nr;
    double realized; /* 0 .. 1, see rule_set_realized(); < 0: not said */
};

struct rule_set {
    struct rule *rule;
    size_t rule_nr;
    struct rule_rest *rest;
    size_t rest_nr;
    struct rule_pair *pair;
    size_t pair_nr;
    json_t **root; /* the strings of the rules live in them */
    size_t root_nr;
};

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
/* The value as it stands in sentences; "unknown". */
void fact_print(const struct rule_metric *metric, const struct fact *fact,
                struct buf *out);

/* Room for the names of all metrics, or rules. */
enum { NAMES_MAX = 256 };
size_t transformation_names(const char **name, size_t room);
/* "unknown metric ...", with the one that was meant or where they are listed. */
int unknown_metric(const struct json_at *here, const char *name, struct error *err);
int unknown_transformation(const struct json_at *here, const char *name,
                           struct error *err);
/* From numbers in that unit to the metric's own; 0 = it is not measured in that. */
double unit_factor(const char *word, const struct rule_metric *metric);

#endif
