#include "core/traffic/trace/trace_parts.h"

#include <stdlib.h>
#include <string.h>

static void add(const struct trace_charge *charge, struct trace_window *window)
{
#define X(name) window->counts.name += charge->counts.name;
    CACHE_COUNT_MAP(X)
#undef X
    for (int k = 0; k < CACHE_LEVELS_MAX; k++) {
#define X(name) window->counts.name[k] += charge->counts.name[k];
        CACHE_LEVEL_COUNT_MAP(X)
#undef X
        window->left[k] += charge->left[k];
    }
}

/* of[i]: the group of part i. */
static void fill(const struct trace_file *file, const size_t *of,
                 struct trace_group *group)
{
    for (size_t w = 0; w < file->window_nr; w++)
        for (size_t i = 0; i < file->window[w].charge_nr; i++) {
            const struct trace_charge *charge = &file->window[w].charge[i];

            add(charge, &group[of[charge->part]].window[w]);
        }
}

static struct trace_group group_new(const struct trace_file *file, char *name, int line)
{
    return (struct trace_group){
        name, line, xcalloc(file->window_nr + 1, sizeof(struct trace_window))};
}

static bool is_empty(const struct trace_file *file, const struct trace_group *group)
{
    for (size_t w = 0; w < file->window_nr; w++) {
        const struct cache_counts *counts = &group->window[w].counts;

        for (int k = 0; k < CACHE_LEVELS_MAX; k++)
            if (counts->fills[k] || counts->writebacks[k] || group->window[w].left[k])
                return false;
        if (counts->accesses || counts->nontemporal)
            return false;
    }
    return true;
}

static void group_release(struct trace_group *group)
{
    free(group->name);
    free(group->window);
}

/* Drops the last one if nothing is in it. */
static void drop_empty(const struct trace_file *file, struct trace_group *group,
                       size_t *nr)
{
    if (is_empty(file, &group[*nr - 1]))
        group_release(&group[--*nr]);
}

void trace_groups_by_array(const struct trace_file *file, struct trace_group **group,
                           size_t *nr)
{
    size_t *of = xcalloc(file->part_nr + 1, sizeof(*of));

    *nr = file->array.nr ? file->array.nr + 1 : 0;
    *group = xcalloc(*nr + 1, sizeof(**group));
    for (size_t i = 0; i < *nr; i++)
        (*group)[i] =
            group_new(file, xstrdup(i < file->array.nr ? file->array.v[i] : "other"), 0);
    for (size_t i = 0; i < file->part_nr; i++)
        of[i] = file->part[i].array;
    if (*nr) {
        fill(file, of, *group);
        drop_empty(file, *group, nr);
    }
    free(of);
}

static size_t group_of(const struct trace_file *file, const struct trace_part *part,
                       struct trace_group *group, size_t *nr)
{
    char *name = part->file ? xasprintf("%s:%d", path_base(part->file), part->line)
                            : xstrdup("elsewhere");

    for (size_t i = 0; i < *nr; i++)
        if (strcmp(group[i].name, name) == 0) {
            free(name);
            return i;
        }
    group[*nr] = group_new(file, name, part->line);
    return (*nr)++;
}

static bool has_lines(const struct trace_file *file)
{
    for (size_t i = 0; i < file->part_nr; i++)
        if (file->part[i].file)
            return true;
    return false;
}

void trace_groups_by_line(const struct trace_file *file, struct trace_group **group,
                          size_t *nr)
{
    size_t *of = xcalloc(file->part_nr + 1, sizeof(*of));
    size_t kept = 0;

    *nr = 0;
    *group = xcalloc(file->part_nr + 1, sizeof(**group));
    for (size_t i = 0; i < file->part_nr && has_lines(file); i++)
        of[i] = group_of(file, &file->part[i], *group, nr);
    if (*nr)
        fill(file, of, *group);
    for (size_t i = 0; i < *nr; i++) {
        if (is_empty(file, &(*group)[i]))
            group_release(&(*group)[i]);
        else
            (*group)[kept++] = (*group)[i];
    }
    *nr = kept;
    free(of);
}

void trace_groups_free(struct trace_group *group, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        group_release(&group[i]);
    free(group);
}

static double lines_through(const struct traffic_part *part, int level)
{
    return part->fills[level].value + part->writebacks[level].value +
           part->nontemporal_lines.value;
}

static bool comes_before(const struct traffic_part *a, const struct traffic_part *b,
                         int level)
{
    double more = lines_through(a, level) - lines_through(b, level);

    return more != 0 ? more > 0 : a->accesses.value > b->accesses.value;
}

void traffic_parts_sort(struct traffic_part *part, size_t nr, int level)
{
    for (size_t i = 1; i < nr; i++) {
        struct traffic_part this = part[i];
        size_t to = i;

        for (; to > 0 && comes_before(&this, &part[to - 1], level); to--)
            part[to] = part[to - 1];
        part[to] = this;
    }
}
