/*
 * rules: the rule engine (pure) and the recipe as data (JSON files here, schema
 * inflight.rules/1). Metrics in, verdicts out. Measures nothing.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include <stdint.h>

#include "core/base/quantity.h"
#include "core/files/json.h"

struct error;
struct strvec;

/* try: likely to pay. allow: the same, but results change, in the last digits say, which
 * the user must permit. avoid: likely not to pay here, or to cost more than it brings.
 * stop: cannot pay as long as what limits the loop stays what it is. */
enum verdict { VERDICT_TRY, VERDICT_ALLOW, VERDICT_AVOID, VERDICT_STOP };
const char *verdict_word(enum verdict verdict);   /* "try", of rules and documents */
const char *verdict_phrase(enum verdict verdict); /* "not recommended", of texts */

/*
 * The metrics rules may name: one table that loading, --help and tests read. Those of its
 * first part are what occupancy_metrics() (core/occupancy) sends; the others come from
 * the loop model, the machine profile and the run.
 */
struct rule_metric {
    const char *name;
    /* share (0..1, printed in percent), ratio, count, lines, GB/s, ns, flop/byte, word,
     * names (of arrays and fields: for sentences only) */
    const char *unit;
    const char *meaning;
    /* NULL = numeric; else the accepted words, NULL-terminated */
    const char *const *words;
};
const struct rule_metric *rule_metrics(size_t *nr);

/* What rules may advise: one table that loading, --help and tests read. */
struct rule_transformation {
    const char *name;
    bool in_plan; /* changes the source; else the environment of the run */
    const char *meaning;
};
const struct rule_transformation *rule_transformations(size_t *nr);
/* NULL = there is none of that name. */
const struct rule_transformation *transformation_find(const char *name);

/* The values of one situation. Unset metrics are unknown: a condition on them is neither
 * true nor false. */
struct rule_facts; /* opaque: one slot per metric */
struct rule_facts *rule_facts_new(void);
void rule_facts_free(struct rule_facts *facts);
/* An unknown quantity unsets the metric. Refused: a name that is no metric, a number for
 * a word or the other way round, a word the metric does not have. */
int rule_facts_number(struct rule_facts *facts, const char *metric, struct quantity value,
                      struct error *err);
int rule_facts_word(struct rule_facts *facts, const char *metric, const char *word,
                    struct error *err);
int rule_facts_names(struct rule_facts *facts, const char *metric, const char *names,
                     struct error *err);
/* The known ones, in the order of the table. */
json_t *rule_facts_to_json(const struct rule_facts *facts);

struct rule_set;
/*
 * `path` NULL = the shipped recipe. *set is NULL the first time; called again it adds a
 * file, whose rules then come before those there are: a user's opinion goes before the
 * shipped one. Unknown metrics, operators, words, resources, transformations, keys and
 * ids already taken are refused with their place; *set is then as it was.
 */
int rule_set_load(const char *path, struct rule_set **set, struct error *err);
/*
 * What --rules says, once for each file: FILE adds its rules before those of the shipped
 * recipe and of files given earlier; only:FILE as well, and leaves the shipped recipe out
 * (a file of that name is ./only:FILE). Nothing given: the shipped recipe. *set is NULL
 * when it fails.
 */
int rule_set_load_given(const struct strvec *given, struct rule_set **set,
                        struct error *err);
/* 16 digits: sets that say the same have the same. Caller frees. */
char *rule_set_hash(const struct rule_set *set);
void rule_set_free(struct rule_set *set);
size_t rule_set_nr(const struct rule_set *set);

/*
 * Two transformations that pay together where each alone is worth nothing, so that what
 * rules say of each alone says nothing of both: the second on top of the first.
 */
struct rule_pair {
    const char *first, *second; /* names of rule_transformations() */
    const char *reason, *source;
};
/* In the order in which they are to be tried. */
const struct rule_pair *rule_set_pairs(const struct rule_set *set, size_t *nr);

/*
 * How much of what its rules promise a transformation has been seen to bring, 0 .. 1:
 * with a rule of weight w, the w / 100 * realized-th power of the bound.
 */
double rule_set_realized(const struct rule_set *set, const char *transformation);

/*
 * How a transformation changes the work given to a resource, by the resource's word
 * ("l1_mshrs" ...): work after / work before. Resources that are not listed: 1. Where the
 * least is a metric its low end is certain; its value raises a guess below it, and stands
 * for a guess that is a metric which is not known.
 */
struct rule_work {
    const char *resource;
    double factor; /* the best guess; < 0: unknown */
    /* less is not left for certain: 0 .. factor; 0 = nobody knows. Of a rule, < 0: as the
     * metric's interval says. */
    double min;
    /* metrics that these are the values of; NULL = as given in the file */
    const char *metric, *min_metric;
};

struct rule_verdict {
    const char *rule;           /* id */
    const char *transformation; /* a name of rule_transformations() */
    enum verdict verdict;
    int weight;         /* order among equals: higher first, 0..100 */
    double realized;    /* rule_set_realized(), or what the rule itself says */
    char *reason;       /* the rule's sentence, {metric} filled in; owned by the list */
    const char *source; /* "Mehta 2022, section III-C" ... */
    struct rule_work *work; /* factors filled in; owned by the list */
    size_t work_nr;
    bool of_cause; /* a condition asks for the cause, or its kind: it is about that */
    /* a metric's interval lies on both sides of a condition's bound: of this rule, or of
     * an earlier one that would then have given another verdict */
    bool undecided;
};
struct rule_verdicts {
    struct rule_verdict *item;
    size_t nr, alloc;
};
/*
 * For each transformation the first rule in file order whose conditions all hold, by the
 * metrics' values, gives the verdict. Conditions on unknown metrics do not hold: no rule,
 * no opinion. All opinions are listed in file order; the deciding one of a transformation
 * is its first. Borrowed strings live as long as the set.
 */
int rule_set_judge(const struct rule_set *set, const struct rule_facts *facts,
                   struct rule_verdicts *out, struct error *err);
/* NULL = no rule has an opinion. */
const struct rule_verdict *rule_verdicts_deciding(const struct rule_verdicts *verdicts,
                                                  const char *transformation);
void rule_verdicts_release(struct rule_verdicts *verdicts);

/*
 * An array of the rules in the order in which they are asked: the keys of the file
 * ("transformation" is an array, even of one), and
 * for people "conditions" (a sentence each, with the unit in words), "changes" (what is
 * left of the work of each resource) and "bound". Caller json_decref's.
 */
json_t *rule_set_to_json(const struct rule_set *set);

/*
 * Situations with the verdicts that are expected (inflight.rules-test/1,
 * docs/reference/rules.md), judged: {"cases": [{"name", "expected": [{"transformation",
 * "want", "got", "rule", "reason", "agrees"}]}], "expectations": n, "disagreements": n}.
 * `want` and `got` are verdicts or "none". Refused with its place: a metric, word,
 * transformation or verdict that there is not, and a case that expects nothing.
 */
int rule_cases_judge(const struct rule_set *set, const char *path, json_t **out,
                     struct error *err);
/* A mistyped name of a rule or transformation: the one that was meant, NULL = none is
 * like it. Borrowed. */
const char *rule_set_nearest(const struct rule_set *set, const char *word);

#endif
