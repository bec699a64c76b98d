/* A comparison as a document: inflight.comparison/1. */
#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/space/environment.h"

static json_t *side_json(const struct candidate *candidate)
{
    return json_pack("{s:s, s:o}", "plan", candidate->plan, "environment",
                     environment_to_json(&candidate->environment));
}

json_t *comparison_to_json(const struct compared *comparison)
{
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o}", "schema", "inflight.comparison/1", "a",
        side_json(&comparison->a), "b", side_json(&comparison->b), "seconds",
        json_real(comparison->seconds), "ratio", json_quantity(comparison->ratio),
        "cost_s", json_real(comparison->cost_s));
    if (comparison->look)
        json_object_set_new(root, "look", json_true());
    if (comparison->file)
        json_object_set_new(root, "file_verified", json_boolean(comparison->verified));
    return root;
}

static int read_side(const struct json_at *at, const char *key, struct candidate *out,
                     struct error *err)
{
    struct json_at side = {0}, environment = {0};
    return json_object_at(at, key, &side, err) ||
                   json_string_at(&side, "plan", &out->plan, err) ||
                   json_object_at(&side, "environment", &environment, err) ||
                   environment_from_json(&environment, &out->environment, err)
               ? -1
               : 0;
}

int comparison_from_json(const struct json_at *at, struct compared *out,
                         struct error *err)
{
    struct compared read = {.file = json_has(at, "file_verified")};
    if (read_side(at, "a", &read.a, err) || read_side(at, "b", &read.b, err) ||
        json_number_at(at, "seconds", 0, 1e9, &read.seconds, err) ||
        json_number_at(at, "cost_s", 0, 1e9, &read.cost_s, err) ||
        json_quantity_at(at, "ratio", &read.ratio, err) ||
        json_bool_if(at, "look", &read.look, err) ||
        (read.file && json_bool_at(at, "file_verified", &read.verified, err)))
        return -1;
    *out = read;
    return 0;
}
