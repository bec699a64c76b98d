/* The shipped recipe, the user's files, and what they are together. */
#include <stdlib.h>
#include <string.h>

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
