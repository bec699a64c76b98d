#include "search/propose/uses.h"

#include <math.h>
#include <string.h>

#include "core/base/buf.h"

/* ---- the shape ---- */

bool is_contraction(const struct nest *nest)
{
    bool left[3] = {false, false, false};
    if (nest->nr < 3)
        return false;
    size_t first = nest->nr - 3;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        size_t moves = 0, still = 0;
        if (!nest_holds_innermost(nest, access))
            continue; /* what stands beside gets loops of its own */
        for (size_t d = 0; d < 3; d++)
            if (access->stride_at[first + d] == 0)
                still = d;
            else
                moves++;
        if (moves != 2 || isnan(access->stride_at[nest->nr - 1]))
            return false;
        left[still] = true;
    }
    return left[0] && left[1] && left[2];
}

/* ---- look-ups ---- */

static bool is_lookup(const struct nest *nest, const struct kernel_access *access)
{
    return access->access_class == ACCESS_INDIRECT && nest_holds(nest, access);
}

static bool seen_before(const struct nest *nest, size_t i,
                        bool (*is)(const struct nest *, const struct kernel_access *))
{
    for (size_t j = 0; j < i; j++)
        if (nest->view->access[j].array == nest->view->access[i].array &&
            is(nest, &nest->view->access[j]))
            return true;
    return false;
}

static size_t name_accesses(const struct nest *nest,
                            bool (*is)(const struct nest *, const struct kernel_access *),
                            struct buf *out)
{
    const struct kernel_view *view = nest->view;
    size_t nr = 0;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        if (!is(nest, access) || seen_before(nest, i, is))
            continue;
        buf_addf(out, "%s%s", nr++ ? ", " : "", view->array[access->array].name);
        if (access->through >= 0)
            buf_addf(out, " by %s", view->array[access->through].name);
    }
    return nr;
}

size_t lookup_names(const struct nest *nest, struct buf *out)
{
    return name_accesses(nest, is_lookup, out);
}

double lookup_line_share(const struct nest *nest, int line_bytes)
{
    double min = NAN;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        double bytes = (double)nest->view->array[access->array].element_bytes;
        if (is_lookup(nest, access))
            min = fmin(min, fmin(bytes / line_bytes, 1));
    }
    return min;
}

static bool is_update(const struct nest *nest, const struct kernel_access *access)
{
    return access->update && nest_holds(nest, access);
}

size_t update_names(const struct nest *nest, struct buf *out)
{
    return name_accesses(nest, is_update, out);
}

/* ---- records, temporaries ---- */

size_t record_names(const struct nest *nest, struct buf *out, double *used)
{
    const struct kernel_view *view = nest->view;
    double all = 0, wanted = 0;
    size_t nr = 0;
    for (size_t i = 0; nest->nr && i < view->record_nr; i++) {
        const struct kernel_record *record = &view->record[i];
        if (record->nest != nest->loop[0]->nest)
            continue;
        buf_addf(out, "%s%s: %s", nr++ ? "; " : "", record->name, record->fields);
        all += (double)record->record_bytes;
        wanted += (double)record->used_bytes;
    }
    if (nr && all > 0)
        *used = wanted / all;
    return nr;
}

double record_ratio(const struct nest *nest)
{
    const struct kernel_view *view = nest->view;
    double fetched = 0, left = 0;
    for (size_t i = 0; i < view->array_nr; i++) {
        const struct kernel_array *array = &view->array[i];
        bool field = array->record_bytes > array->element_bytes;
        left += fmax(array->bytes, 0);
        fetched += field ? 0 : fmax(array->bytes, 0);
    }
    for (size_t i = 0; nest->nr && i < view->record_nr; i++) {
        const struct kernel_record *record = &view->record[i];
        size_t length = strlen(record->name);
        for (size_t k = 0; k < view->array_nr; k++)
            if (!strncmp(view->array[k].name, record->name, length) &&
                view->array[k].name[length] == '.') {
                fetched += fmax(view->array[k].bytes, 0) /
                           (double)view->array[k].element_bytes *
                           (double)record->record_bytes;
                break;
            }
    }
    return fetched > 0 ? left / fetched : NAN;
}

size_t temporary_names(const struct nest *nest, struct buf *out)
{
    for (size_t i = 0; i < nest->view->temporary_nr; i++)
        buf_addf(out, "%s%s", i ? ", " : "", nest->view->temporary[i]);
    return nest->view->temporary_nr;
}
