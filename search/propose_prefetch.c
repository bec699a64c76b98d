/* Which array to prefetch, and how far ahead. */
#include "search/propose_prefetch.h"

#include <math.h>
#include <string.h>

static size_t prefetch_slot(const struct choice *choice, const char *array)
{
    size_t i = 0;
    while (i < choice->prefetch_nr && strcmp(choice->prefetch[i].array, array))
        i++;
    return i;
}

/* One to the other level may be replaced; not so in the grid, which has each plan once.
 */
static bool has_prefetch(const struct propose *about, const char *array, bool to_l2)
{
    const struct choice *now = about->now;
    size_t slot = prefetch_slot(now, array);
    return slot < now->prefetch_nr &&
           (about->exhaustive || now->prefetch[slot].to_l2 == to_l2);
}

/* In the hot nest, or in a loop that is left as it is (rows of a sparse matrix): a
 * prefetch goes there too. */
static bool in_reach(const struct nest *nest, const struct kernel_access *access)
{
    return nest_holds(nest, access) ||
           (access->loop >= 0 && !nest->view->loop[access->loop].modelled);
}

/* The array worth prefetching: indirect first, else the largest strided or streamed one.
 */
static const struct kernel_array *prefetch_target(const struct propose *about, bool to_l2,
                                                  bool *indirect)
{
    const struct kernel_view *view = about->nest->view;
    const struct kernel_array *best = NULL;
    *indirect = false;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const struct kernel_array *array = &view->array[access->array];
        bool here = access->access_class == ACCESS_INDIRECT;
        if (!in_reach(about->nest, access) || has_prefetch(about, array->name, to_l2) ||
            access->access_class == ACCESS_INVARIANT ||
            access->access_class == ACCESS_IRREGULAR)
            continue;
        if (!best || (here && !*indirect) ||
            (here == *indirect && array->bytes > best->bytes)) {
            best = array;
            *indirect = here;
        }
    }
    return best;
}

/*
 * Behind an index array as many iterations ahead as the core holds misses, and more for
 * L2, whose queue is longer; streams as many as the latency lasts. Replaces a prefetch of
 * the same array to the other level.
 */
static void add_distances(const struct propose *about, const char *array, bool indirect,
                          bool to_l2, struct choices *out)
{
    static const double factors[3][3] = {{0.5, 1, 2}, {1, 2, 4}, {2, 8, 8}};
    const double *factor = factors[!indirect ? 2 : to_l2];
    double lines = about->miss_limit > 0 ? about->miss_limit : 16;
    double iterations =
        about->iteration_s > 0 ? about->latency_ns * 1e-9 / about->iteration_s : 8;
    size_t slot = prefetch_slot(about->now, array);
    long last = 0;
    for (size_t i = 0; i < 3 && slot < CHOICE_PREFETCH_MAX; i++) {
        struct choice choice = *about->now;
        double wanted = (indirect ? lines : iterations) * factor[i];
        long distance = (long)exp2(ceil(log2(fmax(2, fmin(wanted, 512)))));
        if (distance == last)
            continue;
        choice.prefetch[slot].array = array;
        choice.prefetch[slot].distance = last = distance;
        choice.prefetch[slot].to_l2 = to_l2;
        choice.prefetch_nr += slot == choice.prefetch_nr;
        choices_add(out, &choice);
    }
}

static void propose_prefetch(const struct propose *about, bool to_l2, struct choices *out,
                             struct buf *why_not)
{
    bool indirect = false;
    const struct kernel_array *array = prefetch_target(about, to_l2, &indirect);
    if (!array) {
        buf_add(why_not,
                "no array of the hot nest is left whose addresses can be computed ahead");
        return;
    }
    add_distances(about, array->name, indirect, to_l2, out);
}

void propose_prefetch_l1(const struct propose *about, struct choices *out,
                         struct buf *why_not)
{
    propose_prefetch(about, false, out, why_not);
}

void propose_prefetch_l2(const struct propose *about, struct choices *out,
                         struct buf *why_not)
{
    propose_prefetch(about, true, out, why_not);
}
