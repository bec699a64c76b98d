/* Which array to prefetch, and how far ahead. */
#include "search/propose/propose.h"

#include <math.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/machine/machine.h"
#include "search/propose/nest.h"
#include "search/space/choice.h"
#include "variants/kernel/kernel_view.h"

/* The prefetches of a choice, while they are changed. */
struct prefetches {
    struct choice_prefetch item[CHOICE_PREFETCH_MAX];
    size_t nr;
};

static struct prefetches prefetches_of(const struct choice *choice)
{
    struct prefetches prefetches;
    prefetches.nr = choice_prefetches(choice, prefetches.item);
    return prefetches;
}

static size_t prefetch_slot(const struct prefetches *prefetches, const char *array)
{
    size_t i = 0;
    while (i < prefetches->nr && strcmp(prefetches->item[i].array, array))
        i++;
    return i;
}

static void add_prefetches(const struct choice *now, const struct prefetches *prefetches,
                           struct choices *out)
{
    struct choice choice = *now;
    choice_put_prefetches(&choice, prefetches->item, prefetches->nr);
    choices_add(out, &choice);
}

/* In place of what the slot holds, or behind the last one. */
static void put_prefetch(struct prefetches *prefetches, size_t slot,
                         struct choice_prefetch prefetch)
{
    prefetches->item[slot] = prefetch;
    prefetches->nr += slot == prefetches->nr;
}

static bool is_field_of(const char *field, const struct kernel_record *record)
{
    size_t length = strlen(record->name);
    return !strncmp(field, record->name, length) && field[length] == '.';
}

/* Fields of an array of structs of which one takes a line at most: what fetches one field
 * fetches the other. */
static bool come_together(const struct propose *about, const char *a, const char *b)
{
    const struct kernel_view *view = about->nest->view;
    bool together = !strcmp(a, b);
    for (size_t i = 0; !together && i < view->record_nr; i++)
        together = (double)view->record[i].record_bytes <= about->machine->line_bytes &&
                   is_field_of(a, &view->record[i]) && is_field_of(b, &view->record[i]);
    return together;
}

/* One to the other level may be replaced. */
static bool has_prefetch(const struct propose *about, const struct prefetches *prefetches,
                         const char *array, bool to_l2)
{
    bool has = false;
    for (size_t i = 0; !has && i < prefetches->nr; i++)
        has = prefetches->item[i].to_l2 == to_l2 &&
              come_together(about, prefetches->item[i].array, array);
    return has;
}

/* In the hot nest, or in a loop that is left as it is (rows of a sparse matrix): a
 * prefetch goes there too. */
static bool in_reach(const struct nest *nest, const struct kernel_access *access)
{
    return nest_holds(nest, access) ||
           (access->loop >= 0 && !nest->view->loop[access->loop].modelled);
}

/*
 * Inner loops of so many iterations end before a distance within them pays, and rows of
 * so many lines before the core's own prefetcher has found them: the latency of memory is
 * some 100 ns, a line a few ns.
 */
enum { SHORT_TRIPS = 64, ROW_LINES = 16 };
/* Elements in a row of unknown length: the low end of graphs and sparse matrices. */
static const double row_elements = 4;

/* The row is looked up outside of the innermost loop, which walks along it. */
static bool is_row(const struct kernel_view *view, const struct kernel_access *access)
{
    bool moves = access->through < 0;
    for (size_t i = 0; !moves && i < view->access_nr; i++)
        moves = view->access[i].array == access->through &&
                view->access[i].loop == access->loop &&
                view->access[i].access_class != ACCESS_INVARIANT;
    return !moves;
}

static bool ends_soon(const struct propose *about, const struct kernel_access *access,
                      const struct kernel_loop *loop)
{
    const struct kernel_view *view = about->nest->view;
    double row = loop->trips * (double)view->array[access->array].element_bytes;
    bool along = loop == &view->loop[access->loop] && is_row(view, access);
    if (loop->trips < 0)
        return !loop->modelled || loop_is_row(loop);
    return loop->trips <= SHORT_TRIPS ||
           (along && row <= ROW_LINES * about->machine->line_bytes);
}

/* The innermost loop around a look-up that goes on long enough for a distance in it,
 * where that is not the innermost of all; *inside: iterations in each of its own, 0 =
 * unknown. */
static const struct kernel_loop *
row_loop(const struct propose *about, const struct kernel_access *access, double *inside)
{
    const struct kernel_view *view = about->nest->view;
    int at = access->loop;
    *inside = 1;
    while (at >= 0 && view->loop[at].parent >= 0 &&
           ends_soon(about, access, &view->loop[at])) {
        *inside *= fmax(view->loop[at].trips, 0);
        at = view->loop[at].parent;
    }
    return at >= 0 && at != access->loop && view->loop[at].modelled ? &view->loop[at]
                                                                    : NULL;
}

/* The array worth prefetching: indirect first, else the largest strided or streamed one.
 */
static const struct kernel_array *prefetch_target(const struct propose *about, bool to_l2,
                                                  bool *indirect)
{
    const struct kernel_view *view = about->nest->view;
    const struct prefetches now = prefetches_of(about->now);
    const struct kernel_array *best = NULL;
    *indirect = false;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const struct kernel_array *array = &view->array[access->array];
        bool here = access->access_class == ACCESS_INDIRECT;
        if (!in_reach(about->nest, access) ||
            has_prefetch(about, &now, array->name, to_l2) ||
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

/* The other arrays that are looked up, as far ahead: while one of two waits, fetching the
 * other gains little. Whether there are any. */
static bool add_look_ups(const struct propose *about, size_t like,
                         struct prefetches *prefetches)
{
    const struct kernel_view *view = about->nest->view;
    size_t before = prefetches->nr;
    for (size_t i = 0; i < view->access_nr && prefetches->nr < CHOICE_PREFETCH_MAX; i++) {
        struct choice_prefetch other = prefetches->item[like];
        other.array = view->array[view->access[i].array].name;
        if (view->access[i].access_class != ACCESS_INDIRECT ||
            !in_reach(about->nest, &view->access[i]) ||
            has_prefetch(about, prefetches, other.array, other.to_l2) ||
            prefetch_slot(prefetches, other.array) < prefetches->nr)
            continue;
        prefetches->item[prefetches->nr++] = other;
    }
    return prefetches->nr > before;
}

/* With all that is looked up, where that is more than one array, and by itself. */
static void add_choice(const struct propose *about, size_t slot, bool indirect,
                       const struct prefetches *prefetches, struct choices *out)
{
    struct prefetches all = *prefetches;
    if (indirect && add_look_ups(about, slot, &all))
        add_prefetches(about->now, &all, out);
    add_prefetches(about->now, prefetches, out);
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
    const struct prefetches now = prefetches_of(about->now);
    size_t slot = prefetch_slot(&now, array);
    long last = 0;
    for (size_t i = 0; i < 3 && slot < CHOICE_PREFETCH_MAX; i++) {
        struct prefetches prefetches = now;
        double wanted = (indirect ? lines : iterations) * factor[i];
        long distance = (long)exp2(ceil(log2(fmax(2, fmin(wanted, 512)))));
        if (distance == last)
            continue;
        last = distance;
        put_prefetch(&prefetches, slot,
                     (struct choice_prefetch){array, distance, to_l2, NULL});
        add_choice(about, slot, indirect, &prefetches, out);
    }
}

/* Whole iterations of an outer loop ahead, where the loops inside end too soon: as many
 * as the latency lasts; where times or lengths are not known, as hold
 * the misses in flight. */
static void add_rows(const struct propose *about, const char *array, bool to_l2,
                     struct choices *out)
{
    const struct kernel_view *view = about->nest->view;
    const struct kernel_loop *loop = NULL;
    const struct prefetches now = prefetches_of(about->now);
    size_t slot = prefetch_slot(&now, array);
    double inside = 0;
    for (size_t i = 0; !loop && i < view->access_nr; i++)
        if (view->access[i].access_class == ACCESS_INDIRECT &&
            in_reach(about->nest, &view->access[i]) &&
            !strcmp(view->array[view->access[i].array].name, array))
            loop = row_loop(about, &view->access[i], &inside);
    double each_s = about->iteration_s * inside;
    double lines = about->miss_limit > 0 ? about->miss_limit : 16;
    double rows = each_s > 0 ? ceil(about->latency_ns * 1e-9 / each_s)
                             : ceil(lines / fmax(inside, row_elements));
    for (int twice = 0; loop && twice < 2 && slot < CHOICE_PREFETCH_MAX; twice++) {
        struct prefetches prefetches = now;
        long distance = (long)fmin(fmax(rows, 1), 256) << twice;
        put_prefetch(&prefetches, slot,
                     (struct choice_prefetch){array, distance, to_l2, loop->name});
        add_prefetches(about->now, &prefetches, out);
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
    if (indirect)
        add_rows(about, array->name, to_l2, out);
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
