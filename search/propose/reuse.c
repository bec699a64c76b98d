#include "search/propose/reuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

static bool is_affine_in(const struct nest *nest, const struct kernel_access *access)
{
    for (size_t d = 0; d < nest->nr; d++)
        if (isnan(access->stride_at[d]))
            return false;
    return true;
}

/* A loop of the nest that goes round and leaves the address where it is. */
static bool stands_still(const struct nest *nest, const struct kernel_access *access)
{
    for (size_t d = 0; d < nest->nr; d++)
        if (access->stride_at[d] == 0 && nest->trips[d] > 1)
            return true;
    return false;
}

static int nest_of(const struct kernel_view *view, const struct kernel_access *access)
{
    return access->loop < 0 ? -1 : view->loop[access->loop].nest;
}

static bool read_later(const struct kernel_view *view, int array, int nest)
{
    for (size_t i = 0; i < view->access_nr; i++)
        if (view->access[i].array == array && !view->access[i].write &&
            nest_of(view, &view->access[i]) > nest)
            return true;
    return false;
}

enum answer stores_reused(const struct nest *nest, struct quantity cache_bytes)
{
    const struct kernel_view *view = nest->view;
    enum answer answer = nest->nr ? ANSWER_NO : ANSWER_UNKNOWN;

    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        double bytes = view->array[access->array].bytes;

        if (!access->write || !nest_holds(nest, access))
            continue;
        if (!is_affine_in(nest, access))
            answer = ANSWER_UNKNOWN;
        else if (stands_still(nest, access))
            return ANSWER_YES;
        else if (!read_later(view, access->array, nest_of(view, access)))
            continue;
        else if (bytes >= 0 && cache_bytes.known && bytes < cache_bytes.low)
            return ANSWER_YES;
        else if (bytes < 0 || !cache_bytes.known || bytes < cache_bytes.high)
            answer = ANSWER_UNKNOWN;
    }
    return answer;
}

/* The same element, of which each iteration has another one. */
static bool same_moving(const struct nest *nest, const struct kernel_access *a,
                        const struct kernel_access *b)
{
    double stride = a->stride_at[nest->nr - 1];

    return a->text && b->text && strcmp(a->text, b->text) == 0 && !isnan(stride) &&
           stride != 0;
}

/* Iterations after which a store is surely out of the store buffer: it holds some fifty,
 * and an iteration makes several. */
enum { SOON = 8 };

/* "[0, 1]": all the same but the innermost loop, and that a few iterations on. */
static bool is_soon(const struct nest *nest, const char *distance)
{
    char *end;

    for (size_t d = 0; d < nest->nr; d++, distance = end + strspn(end, ", ")) {
        long far = strtol(distance, &end, 10);

        if (end == distance || strncmp(end, "..", 2) == 0)
            return false;
        if (d + 1 < nest->nr ? far != 0 : far < 1 || far > SOON)
            return false;
    }
    return *distance == ']';
}

/* "x[i] written at line 4, x[i - 1] read at line 5: flow, distance [0, 1]" */
static bool flows_soon(const struct nest *nest, const struct kernel_access *store)
{
    static const char flow[] = ": flow, distance [";
    size_t length = store->text ? strlen(store->text) : 0;

    if (!length || isnan(store->stride_at[nest->nr - 1]) ||
        store->stride_at[nest->nr - 1] == 0)
        return false;
    for (size_t i = 0; i < nest->view->dependence_nr; i++) {
        const char *sentence = nest->view->dependence[i];
        const char *distance = strstr(sentence, flow);

        if (distance && strncmp(sentence, store->text, length) == 0 &&
            strncmp(sentence + length, " written", 8) == 0 &&
            is_soon(nest, distance + strlen(flow)))
            return true;
    }
    return false;
}

enum answer store_forwarding(const struct nest *nest)
{
    const struct kernel_view *view = nest->view;
    enum answer answer = nest->nr ? ANSWER_NO : ANSWER_UNKNOWN;

    for (size_t i = 0; i < view->access_nr && nest->nr; i++) {
        const struct kernel_access *store = &view->access[i];

        if (!store->write || !nest_holds(nest, store))
            continue;
        if (flows_soon(nest, store))
            return ANSWER_YES;
        for (size_t k = 0; k < view->access_nr; k++) {
            const struct kernel_access *load = &view->access[k];

            if (!load->write && store->array == load->array && nest_holds(nest, load) &&
                !same_moving(nest, store, load))
                answer = ANSWER_UNKNOWN;
        }
    }
    return answer;
}

/* ---- neighbouring nests ---- */

static int last_nest(const struct kernel_view *view)
{
    int last = -1;

    for (size_t i = 0; i < view->loop_nr; i++)
        last = view->loop[i].nest > last ? view->loop[i].nest : last;
    return last;
}

static bool uses(const struct kernel_view *view, int nest, size_t array)
{
    for (size_t i = 0; i < view->access_nr; i++)
        if (view->access[i].array == (int)array &&
            nest_of(view, &view->access[i]) == nest)
            return true;
    return false;
}

enum answer shares_arrays(const struct kernel_view *view)
{
    int last = last_nest(view);

    for (int n = 0; n < last; n++)
        for (size_t a = 0; a < view->array_nr; a++)
            if (uses(view, n, a) && uses(view, n + 1, a))
                return ANSWER_YES;
    return last > 0 ? ANSWER_NO : ANSWER_UNKNOWN;
}

/* The name of the access with iterators by their depth: "x[#0][#1 - 1]". */
static char *placed_text(const struct kernel_view *view,
                         const struct kernel_access *access)
{
    struct buf out = {0};

    for (const char *at = access->text; *at;) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        int loop = access->loop;

        while (loop >= 0 && (strlen(view->loop[loop].name) != length ||
                             strncmp(view->loop[loop].name, at, length) != 0))
            loop = view->loop[loop].parent;
        if (length && loop >= 0)
            buf_addf(&out, "#%d", view->loop[loop].depth);
        else
            buf_add_n(&out, at, length ? length : 1);
        at += length ? length : 1;
    }
    return buf_detach(&out);
}

/* Stored by one nest and loaded by the next, but not at the same place. */
static bool meets_shifted(const struct kernel_view *view,
                          const struct kernel_access *store,
                          const struct kernel_access *load)
{
    char *stored, *loaded;
    bool shifted;

    if (!store->write || load->write || store->array != load->array || !store->text ||
        !load->text || nest_of(view, load) != nest_of(view, store) + 1)
        return false;
    stored = placed_text(view, store);
    loaded = placed_text(view, load);
    shifted = strcmp(stored, loaded) != 0;
    free(stored);
    free(loaded);
    return shifted;
}

enum answer fusion_forwards(const struct kernel_view *view)
{
    for (size_t i = 0; i < view->access_nr; i++)
        for (size_t k = 0; k < view->access_nr; k++)
            if (meets_shifted(view, &view->access[i], &view->access[k]))
                return ANSWER_YES;
    return last_nest(view) > 0 ? ANSWER_NO : ANSWER_UNKNOWN;
}

double fuse_ratio(const struct kernel_view *view)
{
    double all = 0, left = 0;

    for (int n = 0; n <= last_nest(view); n++)
        for (size_t a = 0; a < view->array_nr; a++) {
            double bytes = uses(view, n, a) ? view->array[a].bytes : 0;

            if (bytes < 0)
                return NAN;
            all += bytes;
            left += n > 0 && uses(view, n - 1, a) ? 0 : bytes;
        }
    return all > 0 ? left / all : NAN;
}

/* ---- one nest ---- */

double statement_groups(const struct nest *nest)
{
    const struct kernel_view *view = nest->view;
    int array = -1;

    for (size_t i = 0; i < view->access_nr; i++) {
        if (!view->access[i].write || !nest_holds(nest, &view->access[i]))
            continue;
        if (array >= 0 && view->access[i].array != array)
            return NAN;
        array = view->access[i].array;
    }
    return nest->nr ? 1 : NAN;
}

/* What the loops inside loop d touch through this access. */
static double inside(const struct nest *nest, const struct kernel_access *access,
                     size_t d, int line_bytes)
{
    const struct kernel_array *array = &nest->view->array[access->array];
    double bytes = (double)array->element_bytes;

    for (size_t e = d + 1; e < nest->nr; e++) {
        double stride = fabs(access->stride_at[e]);

        if (stride > 0)
            bytes *=
                nest->trips[e] *
                (stride >= line_bytes ? line_bytes / (double)array->element_bytes : 1);
    }
    return array->bytes >= 0 ? fmin(bytes, array->bytes) : bytes;
}

static double max_inside(const struct nest *nest, const struct kernel_access *access,
                         int line_bytes)
{
    double max = 0;

    for (size_t d = 0; d + 1 < nest->nr; d++)
        if (access->stride_at[d] == 0 && nest->trips[d] > 1)
            max = fmax(max, inside(nest, access, d, line_bytes));
    return max;
}

double reused_bytes(const struct nest *nest, int line_bytes)
{
    const struct kernel_view *view = nest->view;
    double all = 0;

    if (nest->nr == 0)
        return NAN;
    for (size_t a = 0; a < view->array_nr; a++) {
        double max = 0;

        for (size_t i = 0; i < view->access_nr; i++) {
            const struct kernel_access *access = &view->access[i];

            if (access->array != (int)a || !nest_holds(nest, access))
                continue;
            if (!is_affine_in(nest, access))
                return NAN;
            max = fmax(max, max_inside(nest, access, line_bytes));
        }
        all += max;
    }
    return all;
}
