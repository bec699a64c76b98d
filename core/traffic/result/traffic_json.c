#include "core/traffic/traffic.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct member {
    const char *key;
    size_t at;
};

#define EDGE(name)                                                                       \
    {                                                                                    \
#name "_lines", offsetof(struct traffic_edge, name)                              \
    }
#define LEVEL(name)                                                                      \
    {                                                                                    \
#name "_lines", offsetof(struct traffic, name)                                   \
    }
#define TRAFFIC(name)                                                                    \
    {                                                                                    \
#name, offsetof(struct traffic, name)                                            \
    }

static const struct member edge_members[] = {EDGE(fills), EDGE(covered), EDGE(software),
                                             EDGE(writebacks)};
#define PART(key, name)                                                                  \
    {                                                                                    \
        key, offsetof(struct traffic_part, name)                                         \
    }
/* Of a part; and arrays in it, one element per level. */
static const struct member part_members[] = {
    PART("accesses", accesses), PART("bytes", bytes),
    PART("nontemporal_lines", nontemporal_lines)};
static const struct member part_level_members[] = {PART("fills_lines", fills),
                                                   PART("covered_lines", covered),
                                                   PART("writebacks_lines", writebacks)};

/* Arrays in struct traffic, one element per level. */
static const struct member level_members[] = {LEVEL(l1_from), LEVEL(l1_covered_from)};
static const struct member members[] = {
    TRAFFIC(nontemporal_lines), TRAFFIC(page_walks),
    TRAFFIC(accesses),          TRAFFIC(bytes),
    TRAFFIC(instructions),      TRAFFIC(flops),
    TRAFFIC(branches_missed),
};
/* Only there when known: older records do not have them. */
static const struct member extras[] = {TRAFFIC(divisions), TRAFFIC(code_bytes)};

static struct quantity *quantity_in(void *structure, const struct member *member, int k)
{
    return (struct quantity *)(void *)((char *)structure + member->at) + k;
}

static struct quantity quantity_of(const void *structure, const struct member *member,
                                   int k)
{
    return (
        (const struct quantity *)(const void *)((const char *)structure + member->at))[k];
}

static json_t *level_to_json(const struct traffic *traffic, int k)
{
    json_t *level = json_object();

    for (size_t i = 0; i < ARRAY_SIZE(edge_members); i++)
        json_object_set_new(
            level, edge_members[i].key,
            json_quantity(quantity_of(&traffic->edge[k], &edge_members[i], 0)));
    for (size_t i = 0; i < ARRAY_SIZE(level_members); i++)
        json_object_set_new(level, level_members[i].key,
                            json_quantity(quantity_of(traffic, &level_members[i], k)));
    if (traffic->edge[k].hits.known)
        json_object_set_new(level, "hits_lines", json_quantity(traffic->edge[k].hits));
    return level;
}

static json_t *part_to_json(const struct traffic_part *part, int level_nr)
{
    json_t *object = json_object(), *levels = json_array();

    json_object_set_new(object, "name", json_string(part->name));
    if (part->line)
        json_object_set_new(object, "line", json_integer(part->line));
    for (size_t i = 0; i < ARRAY_SIZE(part_members); i++)
        json_object_set_new(object, part_members[i].key,
                            json_quantity(quantity_of(part, &part_members[i], 0)));
    for (int k = 0; k < level_nr; k++) {
        json_t *level = json_object();

        for (size_t i = 0; i < ARRAY_SIZE(part_level_members); i++)
            json_object_set_new(
                level, part_level_members[i].key,
                json_quantity(quantity_of(part, &part_level_members[i], k)));
        json_array_append_new(levels, level);
    }
    json_object_set_new(object, "levels", levels);
    return object;
}

/* Nothing where there are none, as in what was written before there were any. */
static void add_parts(json_t *root, const char *key, const struct traffic_part *part,
                      size_t nr, int level_nr)
{
    json_t *array = json_array();

    for (size_t i = 0; i < nr; i++)
        json_array_append_new(array, part_to_json(&part[i], level_nr));
    if (nr)
        json_object_set(root, key, array);
    json_decref(array);
}

json_t *traffic_to_json(const struct traffic *traffic)
{
    json_t *root = json_object(), *levels = json_array();

    json_object_set_new(root, "provenance",
                        json_string(provenance_word(traffic->provenance)));
    json_object_set_new(root, "line_bytes", json_integer(traffic->line_bytes));
    for (int k = 0; k < traffic->level_nr; k++)
        json_array_append_new(levels, level_to_json(traffic, k));
    json_object_set_new(root, "levels", levels);
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        json_object_set_new(root, members[i].key,
                            json_quantity(quantity_of(traffic, &members[i], 0)));
    for (size_t i = 0; i < ARRAY_SIZE(extras); i++)
        if (quantity_of(traffic, &extras[i], 0).known)
            json_object_set_new(root, extras[i].key,
                                json_quantity(quantity_of(traffic, &extras[i], 0)));
    json_object_set_new(root, "traced_share", json_number_or_null(traffic->traced_share));
    json_object_set_new(root, "note", text_json(traffic->note));
    add_parts(root, "arrays", traffic->array, traffic->array_nr, traffic->level_nr);
    add_parts(root, "sites", traffic->site, traffic->site_nr, traffic->level_nr);
    return root;
}

static int level_from_json(const struct json_at *at, struct traffic *traffic, int k,
                           struct error *err)
{
    if (json_only_keys(at,
                       "fills_lines covered_lines software_lines writebacks_lines "
                       "l1_from_lines l1_covered_from_lines hits_lines",
                       err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(edge_members); i++)
        if (json_quantity_at(at, edge_members[i].key,
                             quantity_in(&traffic->edge[k], &edge_members[i], 0), err))
            return -1;
    for (size_t i = 0; i < ARRAY_SIZE(level_members); i++)
        if (json_quantity_at(at, level_members[i].key,
                             quantity_in(traffic, &level_members[i], k), err))
            return -1;
    if (!json_has(at, "hits_lines"))
        return 0;
    return json_quantity_at(at, "hits_lines", &traffic->edge[k].hits, err);
}

static int levels_from_json(const struct json_at *at, struct traffic *traffic,
                            struct error *err)
{
    struct json_at levels;
    size_t nr;

    if (json_array_at(at, "levels", &levels, &nr, err))
        return -1;
    if (nr > TRAFFIC_LEVELS_MAX)
        return json_fail(&levels, err, "expected at most %d levels, got %zu",
                         TRAFFIC_LEVELS_MAX, nr);
    traffic->level_nr = (int)nr;
    for (size_t k = 0; k < nr; k++) {
        struct json_at level = json_element(&levels, k);

        if (level_from_json(&level, traffic, (int)k, err))
            return -1;
    }
    return 0;
}

static int part_level_from_json(const struct json_at *at, struct traffic_part *part,
                                int k, struct error *err)
{
    if (json_only_keys(at, "fills_lines covered_lines writebacks_lines", err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(part_level_members); i++)
        if (json_quantity_at(at, part_level_members[i].key,
                             quantity_in(part, &part_level_members[i], k), err))
            return -1;
    return 0;
}

static int part_levels_from_json(const struct json_at *at, struct traffic_part *part,
                                 int level_nr, struct error *err)
{
    struct json_at levels;
    size_t nr;

    if (json_array_at(at, "levels", &levels, &nr, err))
        return -1;
    if (nr != (size_t)level_nr)
        return json_fail(&levels, err, "expected %d levels, got %zu", level_nr, nr);
    for (size_t k = 0; k < nr; k++) {
        struct json_at level = json_element(&levels, k);

        if (part_level_from_json(&level, part, (int)k, err))
            return -1;
    }
    return 0;
}

static int part_from_json(const struct json_at *at, struct traffic_part *part,
                          int level_nr, struct error *err)
{
    long long line = 0;
    const char *name;

    if (json_only_keys(at, "name line accesses bytes nontemporal_lines levels", err) ||
        json_string_at(at, "name", &name, err) ||
        (json_has(at, "line") && json_integer_at(at, "line", 1, INT_MAX, &line, err)))
        return -1;
    part->name = xstrdup(name);
    part->line = (int)line;
    for (size_t i = 0; i < ARRAY_SIZE(part_members); i++)
        if (json_quantity_at(at, part_members[i].key,
                             quantity_in(part, &part_members[i], 0), err))
            return -1;
    return part_levels_from_json(at, part, level_nr, err);
}

static int parts_from_json(const struct json_at *at, const char *key, int level_nr,
                           struct traffic_part **part, size_t *part_nr, struct error *err)
{
    struct json_at parts;
    size_t nr;

    if (!json_has(at, key))
        return 0;
    if (json_array_at(at, key, &parts, &nr, err))
        return -1;
    *part = xcalloc(nr + 1, sizeof(**part));
    for (*part_nr = 0; *part_nr < nr;) {
        struct json_at one = json_element(&parts, *part_nr);

        if (part_from_json(&one, &(*part)[(*part_nr)++], level_nr, err))
            return -1;
    }
    return 0;
}

static int provenance_from_json(const struct json_at *at, struct traffic *traffic,
                                struct error *err)
{
    const char *word;

    if (json_string_at(at, "provenance", &word, err))
        return -1;
    traffic->provenance = provenance_from_word(word);
    if (traffic->provenance == PROVENANCE_NONE && strcmp(word, "none") != 0)
        return json_fail(at, err, "unknown provenance '%s'", word);
    return 0;
}

static int rest_from_json(const struct json_at *at, struct traffic *traffic,
                          struct error *err)
{
    long long line_bytes;
    const char *note;

    if (json_integer_at(at, "line_bytes", 0, 1 << 20, &line_bytes, err) ||
        json_number_at(at, "traced_share", 0, 1, &traffic->traced_share, err))
        return -1;
    traffic->line_bytes = (int)line_bytes;
    if (!json_has(at, "note"))
        return 0;
    if (json_string_at(at, "note", &note, err))
        return -1;
    traffic->note = xstrdup(note);
    return 0;
}

static int all_from_json(const struct json_at *at, struct traffic *traffic,
                         struct error *err)
{
    if (json_only_keys(
            at,
            "provenance line_bytes levels nontemporal_lines page_walks accesses "
            "bytes instructions flops branches_missed divisions code_bytes "
            "traced_share note arrays sites",
            err) ||
        provenance_from_json(at, traffic, err) || levels_from_json(at, traffic, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        if (json_quantity_at(at, members[i].key, quantity_in(traffic, &members[i], 0),
                             err))
            return -1;
    for (size_t i = 0; i < ARRAY_SIZE(extras); i++) {
        struct quantity *extra = quantity_in(traffic, &extras[i], 0);

        *extra = quantity_unknown();
        if (json_has(at, extras[i].key) &&
            json_quantity_at(at, extras[i].key, extra, err))
            return -1;
    }
    if (parts_from_json(at, "arrays", traffic->level_nr, &traffic->array,
                        &traffic->array_nr, err) ||
        parts_from_json(at, "sites", traffic->level_nr, &traffic->site, &traffic->site_nr,
                        err))
        return -1;
    return rest_from_json(at, traffic, err);
}

int traffic_from_json(const struct json_at *at, struct traffic *traffic,
                      struct error *err)
{
    *traffic = (struct traffic){0};
    if (all_from_json(at, traffic, err) == 0)
        return 0;
    traffic_release(traffic);
    return -1;
}
