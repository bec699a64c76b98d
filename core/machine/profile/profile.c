#include "core/machine/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void limit_release(struct machine_limit *limit)
{
    free(limit->scope);
    free(limit->source);
}

static void curves_release(struct machine_curve *curve, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        free(curve[i].point);
    free(curve);
}

static void memories_release(struct machine *machine)
{
    for (size_t i = 0; i < machine->memory_nr; i++) {
        struct machine_memory *memory = &machine->memory[i];

        curves_release(memory->curve, memory->curve_nr);
        free(memory->name);
        free(memory->kind);
    }
    free(machine->memory);
}

void machine_release(struct machine *machine)
{
    char *text[] = {machine->name,
                    machine->cpu_model,
                    machine->microarchitecture,
                    machine->recognition,
                    machine->fingerprint,
                    machine->source,
                    machine->date,
                    machine->stability,
                    machine->peak_source,
                    machine->store_read_source};

    curves_release(machine->curve, machine->curve_nr);
    memories_release(machine);
    limit_release(&machine->l1_mshrs);
    limit_release(&machine->l2_mshrs);
    strvec_release(&machine->note);
    for (size_t i = 0; i < ARRAY_SIZE(text); i++)
        free(text[i]);
    *machine = (struct machine){0};
}

static json_t *fields_json(const struct field_list *list, const void *from)
{
    json_t *object = json_object();

    fields_write(list, from, object);
    return object;
}

static json_t *levels_json(const struct machine *machine)
{
    json_t *list = json_array();

    for (int i = 0; i < machine->level_nr; i++)
        json_array_append_new(list, fields_json(&level_fields, &machine->level[i]));
    return list;
}

static json_t *curve_json(const struct machine_curve *curve)
{
    json_t *object = fields_json(&curve_fields, curve), *list = json_array();

    for (size_t i = 0; i < curve->point_nr; i++)
        json_array_append_new(list, fields_json(&point_fields, &curve->point[i]));
    json_object_set_new(object, "points", list);
    return object;
}

static json_t *curves_json(const struct machine_curve *curve, size_t nr)
{
    json_t *list = json_array();

    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, curve_json(&curve[i]));
    return list;
}

static json_t *memories_json(const struct machine *machine)
{
    json_t *list = json_array();

    for (size_t i = 0; i < machine->memory_nr; i++) {
        const struct machine_memory *memory = &machine->memory[i];
        json_t *object = fields_json(&memory_fields, memory);

        json_object_set_new(object, "curves",
                            curves_json(memory->curve, memory->curve_nr));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *notes_json(const struct machine *machine)
{
    json_t *list = json_array();

    for (size_t i = 0; i < machine->note.nr; i++)
        json_array_append_new(list, json_string(machine->note.v[i]));
    return list;
}

json_t *machine_limit_json(const struct machine_limit *limit)
{
    return fields_json(&limit_fields, limit);
}

json_t *machine_to_json(const struct machine *machine)
{
    json_t *root = json_object();

    json_object_set_new(root, "schema", json_string(MACHINE_SCHEMA));
    fields_write(&machine_fields, machine, root);
    json_object_set_new(root, "levels", levels_json(machine));
    json_object_set_new(root, "small_pages",
                        fields_json(&pages_fields, &machine->small_pages));
    json_object_set_new(root, "huge_pages",
                        fields_json(&pages_fields, &machine->huge_pages));
    json_object_set_new(root, "l1_mshrs", machine_limit_json(&machine->l1_mshrs));
    json_object_set_new(root, "l2_mshrs", machine_limit_json(&machine->l2_mshrs));
    json_object_set_new(root, "curves", curves_json(machine->curve, machine->curve_nr));
    json_object_set_new(root, "memories", memories_json(machine));
    json_object_set_new(root, "notes", notes_json(machine));
    return root;
}

static int read_level(const struct json_at *at, struct machine *machine,
                      struct error *err)
{
    int before = machine->level_nr ? machine->level[machine->level_nr - 1].level : 0;
    struct machine_level *level = &machine->level[machine->level_nr++];

    if (fields_read(&level_fields, at, level, err))
        return -1;
    if (level->level != before + 1)
        return json_fail(at, err, "expected level %d here, got %d", before + 1,
                         level->level);
    return 0;
}

static int read_levels(const struct json_at *top, struct machine *machine,
                       struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(top, "levels", &list, &nr, err))
        return -1;
    if (nr < 1 || nr > MACHINE_LEVELS_MAX)
        return json_fail(&list, err, "expected 1 to %d levels, got %zu",
                         MACHINE_LEVELS_MAX, nr);
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (read_level(&item, machine, err))
            return -1;
    }
    return 0;
}

static int read_points(const struct json_at *at, struct machine_curve *curve,
                       struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, "points", &list, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&list, err, "expected at least one point");
    curve->point = xcalloc(nr, sizeof(*curve->point));
    curve->point_alloc = nr;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);
        struct machine_point *point = &curve->point[i];

        curve->point_nr++;
        if (fields_read(&point_fields, &item, point, err))
            return -1;
        if (!point->latency_ns.known)
            return json_fail(&item, err, "a point needs a latency");
        if (point->gbs_high != 0 &&
            !(point->gbs_low <= point->gbs && point->gbs <= point->gbs_high))
            return json_fail(&item, err,
                             "expected gbs_low <= gbs <= gbs_high, got %g, %g, %g",
                             point->gbs_low, point->gbs, point->gbs_high);
        if (i && point->gbs <= point[-1].gbs)
            return json_fail(&item, err, "points must ascend in gbs: %g after %g",
                             point->gbs, point[-1].gbs);
    }
    return 0;
}

static int read_curves(const struct json_at *at, struct machine_curve **curve,
                       size_t *curve_nr, size_t *curve_alloc, struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, "curves", &list, &nr, err))
        return -1;
    *curve = xcalloc(nr ? nr : 1, sizeof(**curve));
    *curve_alloc = nr;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        ++*curve_nr;
        if (fields_read(&curve_fields, &item, &(*curve)[i], err) ||
            read_points(&item, &(*curve)[i], err))
            return -1;
    }
    return 0;
}

static int read_memory(const struct json_at *at, struct machine *machine,
                       struct error *err)
{
    struct machine_memory *memory = &machine->memory[machine->memory_nr++];

    if (fields_read(&memory_fields, at, memory, err))
        return -1;
    for (size_t i = 0; i + 1 < machine->memory_nr; i++)
        if (strcmp(machine->memory[i].name, memory->name) == 0)
            return json_fail(at, err, "there is already a memory \"%s\"", memory->name);
    return read_curves(at, &memory->curve, &memory->curve_nr, &memory->curve_alloc, err);
}

/* Profiles of earlier versions have none. */
static int read_memories(const struct json_at *top, struct machine *machine,
                         struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!json_has(top, "memories"))
        return 0;
    if (json_array_at(top, "memories", &list, &nr, err))
        return -1;
    machine->memory = xcalloc(nr ? nr : 1, sizeof(*machine->memory));
    machine->memory_alloc = nr;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (read_memory(&item, machine, err))
            return -1;
    }
    return 0;
}

static int read_notes(const struct json_at *top, struct machine *machine,
                      struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!json_has(top, "notes"))
        return 0;
    if (json_array_at(top, "notes", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (!json_is_string(item.node))
            return json_fail(&item, err, "expected a text");
        strvec_push(&machine->note, json_string_value(item.node));
    }
    return 0;
}

static int read_part(const struct json_at *top, const char *key,
                     const struct field_list *list, void *to, struct error *err)
{
    struct json_at at;

    return json_object_at(top, key, &at, err) || fields_read(list, &at, to, err) ? -1 : 0;
}

static int read_top(const struct json_at *top, struct machine *machine, struct error *err)
{
    return fields_read(&machine_fields, top, machine, err) ||
                   read_levels(top, machine, err) ||
                   read_part(top, "small_pages", &pages_fields, &machine->small_pages,
                             err) ||
                   read_part(top, "huge_pages", &pages_fields, &machine->huge_pages,
                             err) ||
                   read_part(top, "l1_mshrs", &limit_fields, &machine->l1_mshrs, err) ||
                   read_part(top, "l2_mshrs", &limit_fields, &machine->l2_mshrs, err) ||
                   read_curves(top, &machine->curve, &machine->curve_nr,
                               &machine->curve_alloc, err) ||
                   read_memories(top, machine, err) || read_notes(top, machine, err) ||
                   profile_check(top, machine, err)
               ? -1
               : 0;
}

int machine_from_json(const struct json_at *at, struct machine *machine,
                      struct error *err)
{
    *machine = (struct machine){0};
    int result = read_top(at, machine, err);

    if (result)
        machine_release(machine);
    return result;
}

int machine_read(const char *path, struct machine *machine, struct error *err)
{
    struct json_at top;
    json_t *root;
    int result;

    *machine = (struct machine){0};
    if (json_read_file(path, MACHINE_SCHEMA, &root, err))
        return -1;
    top = json_top(path, root);
    result = machine_from_json(&top, machine, err);
    json_decref(root);
    return result;
}

int machine_save(const struct machine *machine, const char *path, struct error *err)
{
    json_t *root = machine_to_json(machine);
    int result = json_write_file(path, root, err);

    json_decref(root);
    return result;
}
