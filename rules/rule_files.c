/* The shipped recipe, the user's files, what they are together, and a set without sense
 * for comparison. */
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/files/hash.h"
#include "rules/rule_set.h"

static const char alone[] = "only:";

static const char *path_of(const char *given, bool *only)
{
    *only = strncmp(given, alone, strlen(alone)) == 0;
    return *only ? given + strlen(alone) : given;
}

int rule_set_load_given(const struct strvec *given, struct rule_set **set,
                        struct error *err)
{
    bool shipped = true, only;
    int status = 0;

    *set = NULL;
    for (size_t i = 0; i < given->nr && !status; i++) {
        if (!*path_of(given->v[i], &only))
            status = fail(err, STATUS_USAGE, "'%s' names no file of rules", given->v[i]);
        shipped = shipped && !only;
    }
    if (!status && shipped)
        status = rule_set_load(NULL, set, err);
    for (size_t i = 0; i < given->nr && !status; i++)
        status = rule_set_load(path_of(given->v[i], &only), set, err);
    if (status) {
        rule_set_free(*set);
        *set = NULL;
    }
    return status;
}

char *rule_set_hash(const struct rule_set *set)
{
    struct hash hash = hash_begin();

    for (size_t i = 0; i < set->root_nr; i++) {
        char *text = json_dumps(set->root[i], JSON_COMPACT);

        hash_text(&hash, text);
        free(text);
    }
    for (size_t i = 0; i < set->rule_nr; i++) {
        const struct rule *rule = &set->rule[i];
        char *reported = xasprintf("%s %d %d %zu", rule->id, rule->verdict, rule->weight,
                                   rule->work_nr);

        hash_text(&hash, reported);
        free(reported);
    }
    return hash_hex_short(&hash);
}

static void *copy_of(const void *from, size_t nr, size_t size)
{
    void *copy = xcalloc(nr ? nr : 1, size);

    return nr ? memcpy(copy, from, nr * size) : copy;
}

static struct rule_set *set_copy(const struct rule_set *set)
{
    struct rule_set *copy = xcalloc(1, sizeof(*copy));

    *copy = *set;
    copy->rule = copy_of(set->rule, set->rule_nr, sizeof(*set->rule));
    copy->rest = copy_of(set->rest, set->rest_nr, sizeof(*set->rest));
    for (size_t i = 0; i < set->rest_nr; i++)
        copy->rest[i].work =
            copy_of(set->rest[i].work, set->rest[i].work_nr, sizeof(*copy->rest[i].work));
    copy->pair = copy_of(set->pair, set->pair_nr, sizeof(*set->pair));
    copy->root = copy_of(set->root, set->root_nr, sizeof(*set->root));
    for (size_t i = 0; i < set->root_nr; i++)
        json_incref(copy->root[i]);
    for (size_t i = 0; i < set->rule_nr; i++) {
        struct rule *rule = &copy->rule[i];

        rule->when = copy_of(rule->when, rule->when_nr, sizeof(*rule->when));
        rule->work = copy_of(rule->work, rule->work_nr, sizeof(*rule->work));
    }
    return copy;
}

/* What they say changes places; when they say it, of what and in which words stays. */
static void swap_opinions(struct rule *a, struct rule *b)
{
    struct rule was = *a;

    a->verdict = b->verdict;
    a->weight = b->weight;
    a->work = b->work;
    a->work_nr = b->work_nr;
    b->verdict = was.verdict;
    b->weight = was.weight;
    b->work = was.work;
    b->work_nr = was.work_nr;
}

struct rule_set *rule_set_shuffled(const struct rule_set *set, uint64_t seed)
{
    struct rule_set *copy = set_copy(set);

    for (size_t i = copy->rule_nr; i > 1; i--)
        swap_opinions(&copy->rule[i - 1], &copy->rule[random_next(&seed) % i]);
    return copy;
}
