#include "core/traffic/traffic.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fields.h"

#define QUANTITY(type, key, member)                                                      \
    {                                                                                    \
        key, FIELD_QUANTITY, offsetof(struct type, member), -INFINITY, INFINITY, true    \
    }
#define LIST(name, keys)                                                                 \
    static const struct field_list name##_fields = {name##_field,                        \
                                                    ARRAY_SIZE(name##_field), keys}

static const struct field edge_field[] = {
    QUANTITY(traffic_edge, "fills_lines", fills),
    QUANTITY(traffic_edge, "covered_lines", covered),
    QUANTITY(traffic_edge, "software_lines", software),
    QUANTITY(traffic_edge, "writebacks_lines", writebacks),
};
LIST(edge, " l1_from_lines l1_covered_from_lines hits_lines");

static const struct field part_field[] = {
    QUANTITY(traffic_part, "accesses", accesses),
    QUANTITY(traffic_part, "bytes", bytes),
    QUANTITY(traffic_part, "nontemporal_lines", nontemporal_lines),
};
LIST(part, " name line levels");

/* Arrays in struct traffic_part, one element per level: these are the first ones. */
static const struct field part_level_field[] = {
    QUANTITY(traffic_part, "fills_lines", fills),
    QUANTITY(traffic_part, "covered_lines", covered),
    QUANTITY(traffic_part, "writebacks_lines", writebacks),
};
LIST(part_level, "");

static const struct field traffic_field[] = {
    QUANTITY(traffic, "nontemporal_lines", nontemporal_lines),
    QUANTITY(traffic, "page_walks", page_walks),
    QUANTITY(traffic, "accesses", accesses),
    QUANTITY(traffic, "bytes", bytes),
    QUANTITY(traffic, "instructions", instructions),
    QUANTITY(traffic, "flops", flops),
    QUANTITY(traffic, "branches_missed", branches_missed),
};
LIST(traffic, " provenance line_bytes levels divisions code_bytes traced_share note "
              "arrays sites");

/* Quantities that are only there when known: older records do not have them. */
static void add_known(json_t *object, const char *key, struct quantity quantity)
{
    if (quantity.known)
        json_object_set_new(object, key, json_quantity(quantity));
}

static int read_known(const struct json_at *at, const char *key, struct quantity *to,
                      struct error *err)
{
    *to = quantity_unknown();
    return json_has(at, key) ? json_quantity_at(at, key, to, err) : 0;
}

/* ---- writing ---- */

static json_t *level_to_json(const struct traffic *traffic, int k)
{
    json_t *level = json_object();

    fields_write(&edge_fields, &traffic->edge[k], level);
    json_object_set_new(level, "l1_from_lines", json_quantity(traffic->l1_from[k]));
    json_object_set_new(level, "l1_covered_from_lines",
                        json_quantity(traffic->l1_covered_from[k]));
    add_known(level, "hits_lines", traffic->edge[k].hits);
    return level;
}

static json_t *part_to_json(const struct traffic_part *part, int level_nr)
{
    json_t *object = json_object(), *levels = json_array();

    json_object_set_new(object, "name", json_string(part->name));
    if (part->line)
        json_object_set_new(object, "line", json_integer(part->line));
    fields_write(&part_fields, part, object);
    for (int k = 0; k < level_nr; k++) {
        json_t *level = json_object();

        fields_write(&part_level_fields,
                     (const char *)part + (size_t)k * sizeof(struct quantity), level);
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
    fields_write(&traffic_fields, traffic, root);
    add_known(root, "divisions", traffic->divisions);
    add_known(root, "code_bytes", traffic->code_bytes);
    json_object_set_new(root, "traced_share", json_number_or_null(traffic->traced_share));
    json_object_set_new(root, "note", text_json(traffic->note));
    add_parts(root, "arrays", traffic->array, traffic->array_nr, traffic->level_nr);
    add_parts(root, "sites", traffic->site, traffic->site_nr, traffic->level_nr);
    return root;
}

/* ---- reading ---- */

static int level_from_json(const struct json_at *at, void *into, struct error *err)
{
    struct traffic *traffic = into;
    size_t k = at->index;

    return fields_read(&edge_fields, at, &traffic->edge[k], err) ||
                   json_quantity_at(at, "l1_from_lines", &traffic->l1_from[k], err) ||
                   json_quantity_at(at, "l1_covered_from_lines",
                                    &traffic->l1_covered_from[k], err) ||
                   read_known(at, "hits_lines", &traffic->edge[k].hits, err)
               ? -1
               : 0;
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
    return json_each_here(&levels, level_from_json, traffic, err);
}

static int part_level_from_json(const struct json_at *at, void *into, struct error *err)
{
    return fields_read(&part_level_fields, at,
                       (char *)into + at->index * sizeof(struct quantity), err);
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
    return json_each_here(&levels, part_level_from_json, part, err);
}

static int part_from_json(const struct json_at *at, struct traffic_part *part,
                          int level_nr, struct error *err)
{
    long long line = 0;

    if (fields_read(&part_fields, at, part, err) ||
        json_copy_at(at, "name", &part->name, err) ||
        (json_has(at, "line") && json_integer_at(at, "line", 1, INT_MAX, &line, err)))
        return -1;
    part->line = (int)line;
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

    if (json_integer_at(at, "line_bytes", 0, 1 << 20, &line_bytes, err) ||
        json_number_at(at, "traced_share", 0, 1, &traffic->traced_share, err))
        return -1;
    traffic->line_bytes = (int)line_bytes;
    return json_copy_if(at, "note", &traffic->note, err);
}

static int all_from_json(const struct json_at *at, struct traffic *traffic,
                         struct error *err)
{
    return fields_read(&traffic_fields, at, traffic, err) ||
                   provenance_from_json(at, traffic, err) ||
                   levels_from_json(at, traffic, err) ||
                   read_known(at, "divisions", &traffic->divisions, err) ||
                   read_known(at, "code_bytes", &traffic->code_bytes, err) ||
                   parts_from_json(at, "arrays", traffic->level_nr, &traffic->array,
                                   &traffic->array_nr, err) ||
                   parts_from_json(at, "sites", traffic->level_nr, &traffic->site,
                                   &traffic->site_nr, err) ||
                   rest_from_json(at, traffic, err)
               ? -1
               : 0;
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
