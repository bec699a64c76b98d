/* The words that files of rules are made of, and what was meant where one is unknown. */
#include <string.h>

#include "core/base/text.h"
#include "core/cause/cause.h"
#include "rules/rule_set.h"
#include "variants/plan/plan.h"

static const char *const verdict_words[] = {
    [VERDICT_TRY] = "try",
    [VERDICT_ALLOW] = "allow",
    [VERDICT_AVOID] = "avoid",
    [VERDICT_STOP] = "stop",
};

/* Of the environment of the run. */
static const struct rule_transformation around[] = {
    {"smt", false, "more hardware threads per core"},
    {"hugepages", false, "huge pages for the buffers"},
};

/* Put together once. */
static struct {
    struct rule_transformation item[64]; /* as many as bits of struct rule.about */
    size_t nr;
    bool whole;
} all;

static void add_transformation(const char *name, bool in_plan, const char *meaning)
{
    all.item[all.nr++] = (struct rule_transformation){name, in_plan, meaning};
}

/* Those of the table of plans first. */
const struct rule_transformation *rule_transformations(size_t *nr)
{
    size_t rows = 0, hands = 0;
    const struct transformation *row = transformations(&rows);
    for (size_t i = 0; i < rows && !all.whole; i++)
        for (size_t k = 0; k < ARRAY_SIZE(row[i].rule); k++)
            if (row[i].rule[k].word)
                add_transformation(row[i].rule[k].word, true, row[i].rule[k].meaning);
    const struct step_by_hand *hand = steps_by_hand(&hands);
    for (size_t i = 0; i < hands && !all.whole; i++)
        add_transformation(hand[i].name, hand[i].follows, hand[i].meaning);
    for (size_t i = 0; i < ARRAY_SIZE(around) && !all.whole; i++)
        add_transformation(around[i].name, around[i].in_plan, around[i].meaning);
    all.whole = true;
    *nr = all.nr;
    return all.item;
}

const char *verdict_word(enum verdict verdict)
{
    return verdict_words[verdict];
}

const char *verdict_phrase(enum verdict verdict)
{
    static const char *const phrases[] = {[VERDICT_TRY] = "try",
                                          [VERDICT_ALLOW] = "allow",
                                          [VERDICT_AVOID] = "not recommended",
                                          [VERDICT_STOP] = "no use"};
    return phrases[verdict];
}

const char *const *verdict_list(size_t *nr)
{
    *nr = ARRAY_SIZE(verdict_words);
    return verdict_words;
}

const char *const *resource_list(size_t *nr)
{
    static const char *words[RESOURCE_NR];

    *nr = 0;
    for (int r = 0; r < RESOURCE_NR; r++)
        if (r != RESOURCE_NONE)
            words[(*nr)++] = resource_word((enum resource)r);
    return words;
}

const struct rule_transformation *transformation_find(const char *name)
{
    size_t nr;
    const struct rule_transformation *list = rule_transformations(&nr);

    for (size_t i = 0; i < nr; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

/* ---- what was meant ---- */

static size_t metric_names(const char **name, size_t room)
{
    size_t nr;
    const struct rule_metric *metric = rule_metrics(&nr);

    for (size_t i = 0; i < nr && i < room; i++)
        name[i] = metric[i].name;
    return nr < room ? nr : room;
}

int unknown_metric(const struct json_at *here, const char *name, struct error *err)
{
    const char *names[NAMES_MAX];
    const char *near = nearest_word(name, names, metric_names(names, NAMES_MAX));

    return near ? json_fail(here, err, "unknown metric \"%s\"; did you mean \"%s\"?",
                            name, near)
                : json_fail(here, err,
                            "unknown metric \"%s\"; 'inflight rules --metrics' lists "
                            "those that there are",
                            name);
}

int unknown_transformation(const struct json_at *here, const char *name,
                           struct error *err)
{
    const char *names[NAMES_MAX];
    struct buf known = {0};

    buf_add_known(&known, name, names, transformation_names(names, NAMES_MAX));
    json_fail(here, err, "unknown transformation \"%s\"%s", name, buf_str(&known));
    buf_release(&known);
    return -1;
}

size_t transformation_names(const char **name, size_t room)
{
    size_t nr;
    const struct rule_transformation *list = rule_transformations(&nr);

    for (size_t i = 0; i < nr && i < room; i++)
        name[i] = list[i].name;
    return nr < room ? nr : room;
}

/* ---- units ---- */

static const struct {
    const char *word, *of; /* of: the unit that metrics are kept in */
    double factor;
} units[] = {
    {"%", "share", 0.01}, {"MB/s", "GB/s", 1e-3}, {"TB/s", "GB/s", 1e3},
    {"us", "ns", 1e3},    {"s", "ns", 1e9},       {"byte/flop", "flop/byte", 0},
};

double unit_factor(const char *word, const struct rule_metric *metric)
{
    if (strcmp(word, metric->unit) == 0)
        return 1;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(units[i].word, word) == 0 && strcmp(units[i].of, metric->unit) == 0)
            return units[i].factor;
    return 0;
}
