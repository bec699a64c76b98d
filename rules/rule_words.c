/* The words that files of rules are made of, and what was meant where one is unknown. */
#include <string.h>

#include "core/base/near.h"
#include "rules/rule_set.h"

static const char *const op_words[] = {
#define X(name, word) [OP_##name] = word,
    CONDITION_OP_MAP(X)
#undef X
};

const char *const *condition_op_list(size_t *nr)
{
    *nr = ARRAY_SIZE(op_words);
    return op_words;
}

const char *condition_op_word(enum condition_op op)
{
    return op_words[op];
}

static const char *const verdict_words[] = {
    [VERDICT_TRY] = "try",
    [VERDICT_AVOID] = "avoid",
    [VERDICT_STOP] = "stop",
};

/* The words of core/occupancy's RESOURCE_MAP, which this folder does not see; a test
 * holds them together. */
static const char *const resource_words[] = {
    "l1_mshrs", "l2_mshrs", "page_walkers", "memory", "l2_link", "l3_link", "arithmetic",
};

static const struct rule_transformation transformations[] = {
    {"simd", true, "vector instructions for the innermost loop"},
    {"interchange", true, "another order of the loops"},
    {"tile", true, "work on blocks that a cache holds until they are used up"},
    {"skew", true, "slant the loops so that they can be tiled"},
    {"unroll_jam", true,
     "several iterations of an outer loop at a time, reuse in registers"},
    {"unroll", true, "several iterations of the innermost loop at a time"},
    {"scalar_replace", true, "keep array elements in registers"},
    {"prefetch_l1", true, "software prefetch into L1"},
    {"prefetch_l2", true, "software prefetch into L2 only"},
    {"nontemporal", true, "stores past the caches"},
    {"fuse", true, "make one loop of neighbouring ones"},
    {"distribute", true, "make several loops of one"},
    {"pack", true, "copy a block to consecutive memory before it is used"},
    {"pad", true, "lengthen rows so that they do not collide in a cache"},
    {"parallel", true, "share the loop among cores"},
    {"soa", false, "an array for each field in place of an array of structs"},
    {"sort", false, "look-ups in the order of the places they go to"},
    {"scalar_temporaries", false, "variables in place of arrays that live an iteration"},
    {"collapse", false, "one long loop in place of short nested ones"},
    {"privatize", false, "a copy of what is updated for every thread or vector lane"},
    {"smt", false, "more hardware threads per core"},
    {"hugepages", false, "huge pages for the buffers"},
};

const struct rule_transformation *rule_transformations(size_t *nr)
{
    *nr = ARRAY_SIZE(transformations);
    return transformations;
}

const char *verdict_word(enum verdict verdict)
{
    return verdict_words[verdict];
}

const char *const *verdict_list(size_t *nr)
{
    *nr = ARRAY_SIZE(verdict_words);
    return verdict_words;
}

const char *const *resource_list(size_t *nr)
{
    *nr = ARRAY_SIZE(resource_words);
    return resource_words;
}

const struct rule_transformation *transformation_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(transformations); i++)
        if (strcmp(transformations[i].name, name) == 0)
            return &transformations[i];
    return NULL;
}

/* ---- what was meant ---- */

const char *nearest_word(const char *word, const char *const *words, size_t nr)
{
    size_t least = SIZE_MAX;
    const char *near = NULL;

    for (size_t i = 0; i < nr; i++) {
        size_t off = word_distance(word, words[i]);

        if (off < least) {
            least = off;
            near = words[i];
        }
    }
    return near;
}

void say_known(const char *word, const char *const *words, size_t nr, struct buf *out)
{
    enum { FEW = 30 };
    const char *near = nearest_word(word, words, nr);

    if (near)
        buf_addf(out, "; did you mean \"%s\"?", near);
    else if (nr > FEW) /* the only long list is that of the metrics */
        buf_add(out, "; 'inflight rules --metrics' lists those that there are");
    if (near || nr > FEW)
        return;
    buf_add(out, "; known are: ");
    for (size_t i = 0; i < nr; i++)
        buf_addf(out, "%s%s", i ? ", " : "", words[i]);
}

size_t rule_metric_names(const char **name, size_t room)
{
    size_t nr;
    const struct rule_metric *metric = rule_metrics(&nr);

    for (size_t i = 0; i < nr && i < room; i++)
        name[i] = metric[i].name;
    return nr < room ? nr : room;
}

size_t transformation_names(const char **name, size_t room)
{
    size_t nr = ARRAY_SIZE(transformations);

    for (size_t i = 0; i < nr && i < room; i++)
        name[i] = transformations[i].name;
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
