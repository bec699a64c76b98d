#include "search/space/snap.h"

#include <math.h>
#include <string.h>

/* Further than any sum of factors of two: other steps. */
static const double apart = 1e9;
/* A loop that only one of the two names: as far as a factor of eight. */
static const double unnamed = 3;

/* ---- how far one is from another ---- */

static long size_in(const struct loop_size *size, size_t nr, const char *loop)
{
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(size[i].loop, loop))
            return size[i].size;
    return 0;
}

static double factor(long a, long b)
{
    return a && b ? fabs(log2((double)a / (double)b)) : a == b ? 0 : unnamed;
}

static double between_sizes(const struct loop_size *a, size_t a_nr,
                            const struct loop_size *b, size_t b_nr)
{
    double sum = 0;
    if ((a_nr == 0) != (b_nr == 0))
        return apart;
    for (size_t i = 0; i < a_nr; i++)
        sum += factor(a[i].size, size_in(b, b_nr, a[i].loop));
    for (size_t i = 0; i < b_nr; i++)
        sum += size_in(a, a_nr, b[i].loop) ? 0 : unnamed;
    return sum;
}

static bool same_fuse(const struct choice *a, const struct choice *b)
{
    size_t a_nr = a->fuse[0] ? 1 + (a->fuse[1] != NULL) : 0,
           b_nr = b->fuse[0] ? 1 + (b->fuse[1] != NULL) : 0;
    return choice_same_names(a->fuse, a_nr, b->fuse, b_nr);
}

static bool same_settings(const struct choice *a, const struct choice *b)
{
    bool same = a->set_nr == b->set_nr;
    for (size_t i = 0; same && i < a->set_nr; i++)
        same =
            !strcmp(a->set[i].name, b->set[i].name) && a->set[i].value == b->set[i].value;
    return same;
}

/* Steps that have no parameter to be near in. */
static bool same_words(const struct choice *a, const struct choice *b)
{
    return same_settings(a, b) && a->nest == b->nest && !strcmp(a->others, b->others) &&
           same_fuse(a, b) &&
           choice_same_names(a->distribute, a->distribute_nr, b->distribute,
                             b->distribute_nr) &&
           choice_same_names(a->order, a->order_nr, b->order, b->order_nr) &&
           choice_same_names(a->nontemporal, a->nontemporal_nr, b->nontemporal,
                             b->nontemporal_nr) &&
           a->simd == b->simd && !strcmp(a->shape, b->shape) &&
           !strcmp(a->parallel, b->parallel);
}

static bool same_place(const char *a, const char *b)
{
    return (!a && !b) || (a && b && !strcmp(a, b));
}

static double between_prefetches(const struct choice *a, const struct choice *b)
{
    double sum = a->prefetch_nr == b->prefetch_nr ? 0 : apart;
    for (size_t i = 0; sum < apart && i < a->prefetch_nr; i++) {
        bool same = !strcmp(a->prefetch[i].array, b->prefetch[i].array) &&
                    a->prefetch[i].to_l2 == b->prefetch[i].to_l2 &&
                    same_place(a->prefetch[i].at, b->prefetch[i].at);
        sum += same ? factor(a->prefetch[i].distance, b->prefetch[i].distance) : apart;
    }
    return sum;
}

static double between_unrolls(const struct choice *a, const struct choice *b)
{
    if ((a->unroll.size == 0) != (b->unroll.size == 0))
        return apart;
    return factor(a->unroll.size, b->unroll.size);
}

static double distance(const struct choice *a, const struct choice *b)
{
    if (!same_words(a, b))
        return apart;
    return between_sizes(a->tile, a->tile_nr, b->tile, b->tile_nr) +
           between_sizes(a->jam, a->jam_nr, b->jam, b->jam_nr) +
           between_sizes(a->skew, a->skew_nr, b->skew, b->skew_nr) +
           between_prefetches(a, b) + between_unrolls(a, b);
}

/* ---- the nearest ---- */

static const struct choice *nearest(const struct choices *space,
                                    const struct choice *choice)
{
    const struct choice *best = NULL;
    double least = apart;
    for (size_t i = 0; i < space->nr; i++) {
        double d = distance(&space->item[i], choice);
        if (d < least) {
            least = d;
            best = &space->item[i];
        }
    }
    return best;
}

static bool holds(const struct choices *list, const struct choice *choice)
{
    for (size_t i = 0; i < list->nr; i++)
        if (distance(&list->item[i], choice) == 0)
            return true;
    return false;
}

void snap_list(const struct choices *space, struct choices *list)
{
    struct choices kept = {0};
    for (size_t i = 0; i < list->nr; i++) {
        const struct choice *member = nearest(space, &list->item[i]);
        if (member && !holds(&kept, member))
            choices_add(&kept, member);
    }
    choices_release(list);
    *list = kept;
}

/* ---- neighbours ---- */

/* The sizes of one transformation. */
struct sizes {
    const struct loop_size *size;
    size_t nr;
};

static struct sizes sizes_of(const struct choice *choice, const char *transformation)
{
    if (!strcmp(transformation, "tile"))
        return (struct sizes){choice->tile, choice->tile_nr};
    if (!strcmp(transformation, "unroll_jam"))
        return (struct sizes){choice->jam, choice->jam_nr};
    if (!strcmp(transformation, "skew"))
        return (struct sizes){choice->skew, choice->skew_nr};
    if (!strcmp(transformation, "unroll"))
        return (struct sizes){&choice->unroll, choice->unroll.size > 0};
    return (struct sizes){0};
}

static double distance_but(const struct choice *a, const struct choice *b,
                           const char *transformation)
{
    struct sizes x = sizes_of(a, transformation), y = sizes_of(b, transformation);
    return distance(a, b) - between_sizes(x.size, x.nr, y.size, y.nr);
}

/* Steps of both differ in this loop alone: by how much the other's is larger, in factors
 * of two; 0 = they do not. */
static double only_in(struct sizes best, struct sizes other, const char *loop)
{
    long mine = size_in(best.size, best.nr, loop),
         its = size_in(other.size, other.nr, loop);
    double all = between_sizes(best.size, best.nr, other.size, other.nr);
    if (!mine || !its || all >= apart || fabs(all - factor(mine, its)) > 1e-9)
        return 0;
    return log2((double)its / (double)mine);
}

/* The member next to best in one loop's size, upwards or downwards. */
static const struct choice *next_in(const struct choices *space,
                                    const char *transformation, const struct choice *best,
                                    const char *loop, int sign)
{
    const struct choice *next = NULL;
    double least = apart;
    for (size_t i = 0; i < space->nr; i++) {
        const struct choice *member = &space->item[i];
        double by = sign * only_in(sizes_of(best, transformation),
                                   sizes_of(member, transformation), loop);
        if (by > 0 && by < least && distance_but(member, best, transformation) < 1e-9) {
            least = by;
            next = member;
        }
    }
    return next;
}

static void add_next_sizes(const struct choices *space, const char *transformation,
                           const struct choice *best, struct choices *out)
{
    struct sizes sizes = sizes_of(best, transformation);
    for (size_t i = 0; i < sizes.nr; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct choice *next =
                next_in(space, transformation, best, sizes.size[i].loop, sign);
            if (next)
                choices_add(out, next);
        }
}

/* The member next to best in the distance of its last prefetch. */
static void add_next_distances(const struct choices *space, const struct choice *best,
                               struct choices *out)
{
    const struct choice *next[2] = {0};
    double least[2] = {apart, apart};
    size_t last = best->prefetch_nr - 1;
    for (size_t i = 0; i < space->nr; i++) {
        const struct choice *member = &space->item[i];
        double d = distance(member, best);
        if (d >= apart || fabs(d - between_prefetches(member, best)) > 1e-9)
            continue;
        bool up = member->prefetch[last].distance > best->prefetch[last].distance;
        if (d > 0 && d < least[up]) {
            least[up] = d;
            next[up] = member;
        }
    }
    for (int up = 0; up < 2; up++)
        if (next[up])
            choices_add(out, next[up]);
}

void snap_neighbours(const struct choices *space, const char *transformation,
                     const struct choice *best, struct choices *out)
{
    add_next_sizes(space, transformation, best, out);
    if (!strncmp(transformation, "prefetch", 8) && best->prefetch_nr)
        add_next_distances(space, best, out);
}
