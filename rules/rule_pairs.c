/* Pairs of transformations that pay together only, from the files of rules. */
#include <stdlib.h>
#include <string.h>

#include "rules/rule_set.h"

static int read_name(const struct json_at *at, const char *key, const char **name,
                     struct error *err)
{
    const char *word;
    if (json_string_at(at, key, &word, err))
        return -1;
    const struct rule_transformation *found = transformation_find(word);
    if (!found || !found->in_plan)
        return json_fail(at, err, "%s: \"%s\" is no transformation of a plan", key, word);
    *name = found->name;
    return 0;
}

static int read_pair(const struct json_at *at, struct rule_pair *pair, struct error *err)
{
    if (json_only_keys(at, "first second reason source", err) ||
        read_name(at, "first", &pair->first, err) ||
        read_name(at, "second", &pair->second, err) ||
        json_string_at(at, "reason", &pair->reason, err) ||
        json_string_at(at, "source", &pair->source, err))
        return -1;
    return strcmp(pair->first, pair->second)
               ? 0
               : json_fail(at, err, "a pair has two different transformations");
}

int rule_pairs_read(const struct json_at *top, struct rule_set *set, struct error *err)
{
    struct json_at list;
    size_t nr = 0;
    if (!json_has(top, "pairs"))
        return 0;
    if (json_array_at(top, "pairs", &list, &nr, err))
        return -1;
    struct rule_pair *pair = xcalloc(set->pair_nr + nr + 1, sizeof(*pair));
    for (size_t i = 0; i < nr; i++) {
        struct json_at element = json_element(&list, i);
        if (read_pair(&element, &pair[i], err)) {
            free(pair);
            return -1;
        }
    }
    if (set->pair_nr)
        memcpy(pair + nr, set->pair, set->pair_nr * sizeof(*pair));
    free(set->pair);
    set->pair = pair;
    set->pair_nr += nr;
    return 0;
}

const struct rule_pair *rule_set_pairs(const struct rule_set *set, size_t *nr)
{
    *nr = set->pair_nr;
    return set->pair;
}
