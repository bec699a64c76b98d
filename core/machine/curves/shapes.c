#include "core/machine/curves/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/statistics.h"

static void shape_machine_release(struct shape_machine *machine)
{
    for (size_t i = 0; i < machine->profile_nr; i++)
        machine_release(&machine->profile[i]);
    free(machine->profile);
    free(machine->name);
}

void shapes_release(struct shapes *shapes)
{
    for (size_t i = 0; i < shapes->machine_nr; i++)
        shape_machine_release(&shapes->machine[i]);
    free(shapes->machine);
    *shapes = (struct shapes){0};
}

/* A shape begins unloaded and needs more than that. */
static int check_profile(const struct json_at *at, const struct machine *profile,
                         struct error *err)
{
    if (!profile->curve_nr)
        return json_fail(at, err, "the profile has no curves");
    for (size_t i = 0; i < profile->curve_nr; i++)
        if (profile->curve[i].point_nr < 2)
            return json_fail(at, err, "the profile has a curve of one point");
    return 0;
}

/* Where what is read goes to: the machine of this profile is left out. */
struct target {
    const char *without;
    struct shapes *shapes;
    bool left_out;
};

static int read_profile(const struct json_at *at, void *into, struct error *err)
{
    struct target *target = into;
    struct shapes *shapes = target->shapes;
    struct shape_machine *machine = &shapes->machine[shapes->machine_nr - 1];
    const char *name;

    if (json_string_here(at, &name, err))
        return -1;
    target->left_out |= target->without && strcmp(name, target->without) == 0;
    GROW(machine->profile, machine->profile_nr + 1, machine->profile_alloc);
    if (machine_load(name, &machine->profile[machine->profile_nr], err))
        return fail_in(err, "%s", at->file);
    return check_profile(at, &machine->profile[machine->profile_nr++], err);
}

static int read_machine(const struct json_at *at, void *into, struct error *err)
{
    struct target *target = into;
    struct shapes *shapes = target->shapes;
    struct json_at list;
    const char *name;
    size_t nr;

    if (json_only_keys(at, "name profiles", err) ||
        json_string_at(at, "name", &name, err) ||
        json_array_at(at, "profiles", &list, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&list, err, "expected at least one profile");
    GROW(shapes->machine, shapes->machine_nr + 1, shapes->machine_alloc);
    shapes->machine[shapes->machine_nr++] = (struct shape_machine){.name = xstrdup(name)};
    target->left_out = false;
    if (json_each_here(&list, read_profile, target, err))
        return -1;
    if (target->left_out)
        shape_machine_release(&shapes->machine[--shapes->machine_nr]);
    return 0;
}

static int read_shapes(const struct json_at *top, const char *without,
                       struct shapes *shapes, struct error *err)
{
    struct target target = {.without = without, .shapes = shapes};
    struct json_at list;
    size_t nr;

    if (json_only_keys(top,
                       "schema source machines widening widening_why read_share_reach "
                       "read_share_why",
                       err) ||
        json_number_at(top, "widening", 1, 10, &shapes->widening, err) ||
        json_number_at(top, "read_share_reach", 0, 1, &shapes->read_share_reach, err) ||
        json_array_at(top, "machines", &list, &nr, err))
        return -1;
    if (nr < 1 || nr > SHAPE_MACHINES_MAX)
        return json_fail(&list, err, "expected 1 to %d machines, got %zu",
                         SHAPE_MACHINES_MAX, nr);
    return json_each_here(&list, read_machine, &target, err);
}

int shapes_load(const char *without, struct shapes *shapes, struct error *err)
{
    json_t *root = NULL;
    char *path = NULL;
    int result = -1;

    *shapes = (struct shapes){0};
    if (shipped_path("core/machine/data/shapes.json", &path, err) == 0 &&
        json_read_file(path, "inflight.shapes/1", &root, err) == 0) {
        struct json_at top = json_top(path, root);

        result = read_shapes(&top, without, shapes, err);
    }
    if (result)
        shapes_release(shapes);
    json_decref(root);
    free(path);
    return result;
}

/* The curves on either side of the read share; NULL = none on that side. */
static void bracket(const struct machine *profile, double read_share,
                    const struct machine_curve **below,
                    const struct machine_curve **above)
{
    *below = *above = NULL;
    for (size_t i = 0; i < profile->curve_nr; i++) {
        const struct machine_curve *curve = &profile->curve[i];

        if (curve->read_share <= read_share &&
            (!*below || curve->read_share > (*below)->read_share))
            *below = curve;
        if (curve->read_share >= read_share &&
            (!*above || curve->read_share < (*above)->read_share))
            *above = curve;
    }
}

static bool profile_serves(const struct machine *profile, double read_share, double reach)
{
    const struct machine_curve *below, *above;

    bracket(profile, read_share, &below, &above);
    return (below || above->read_share - read_share <= reach) &&
           (above || read_share - below->read_share <= reach);
}

bool shape_serves(const struct shapes *shapes, const struct shape_machine *machine,
                  double read_share)
{
    for (size_t i = 0; i < machine->profile_nr; i++)
        if (profile_serves(&machine->profile[i], read_share, shapes->read_share_reach))
            return true;
    return false;
}

static double curve_y(const struct machine_curve *curve, double u)
{
    const struct machine_point *point = curve->point, *end = point + curve->point_nr - 1;
    double gbs = u * end->gbs, unloaded = point->latency_ns.value;

    if (gbs <= point->gbs)
        return 1;
    while (point + 1 < end && point[1].gbs < gbs)
        point++;
    return (point->latency_ns.value +
            fmin(1, (gbs - point->gbs) / (point[1].gbs - point->gbs)) *
                (point[1].latency_ns.value - point->latency_ns.value)) /
           unloaded;
}

static double profile_y(const struct machine *profile, double read_share, double u)
{
    const struct machine_curve *below, *above;
    double share;

    bracket(profile, read_share, &below, &above);
    if (!below || !above || below->read_share >= above->read_share)
        return curve_y(below ? below : above, u);
    share = (read_share - below->read_share) / (above->read_share - below->read_share);
    return (1 - share) * curve_y(below, u) + share * curve_y(above, u);
}

double shape_y(const struct shape_machine *machine, double read_share, double u)
{
    double sum = 0;

    for (size_t i = 0; i < machine->profile_nr; i++)
        sum += profile_y(&machine->profile[i], read_share, fmax(0, fmin(1, u)));
    return sum / (double)machine->profile_nr;
}

double shape_u(const struct shape_machine *machine, double read_share, double y)
{
    double low = 0, high = 1;

    if (y <= 1)
        return 0;
    if (y >= shape_y(machine, read_share, 1))
        return 1;
    while (high - low > 1e-9) {
        double u = (low + high) / 2;

        if (shape_y(machine, read_share, u) < y)
            low = u;
        else
            high = u;
    }
    return high;
}

struct quantity shapes_spread(const struct shapes *shapes, double *rise, size_t nr)
{
    double median;

    sort_doubles(rise, nr);
    median = (rise[(nr - 1) / 2] + rise[nr / 2]) / 2;
    return quantity_between(median, rise[0] / shapes->widening,
                            rise[nr - 1] * shapes->widening, nr, PROVENANCE_PREDICTED);
}
