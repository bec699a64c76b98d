#include "search/propose/propose_orders.h"

#include <string.h>

/* Outer loops that stay where they are. */
static size_t unmoved(const struct nest *nest, const struct choice *order)
{
    size_t kept = 0;
    while (kept < nest->nr && !strcmp(order->order[kept], nest->loop[kept]->name))
        kept++;
    return kept;
}

/* From loop `outermost` inwards; the innermost has nothing to split off. */
static void split_inside(const struct nest *nest, size_t outermost, struct choice *choice)
{
    choice->distribute_nr = 0;
    for (size_t d = nest->nr - 1; d-- > outermost;)
        choice->distribute[choice->distribute_nr++] = nest->loop[d]->name;
}

static void add_fallback(const struct choice *choice, struct choices *out)
{
    struct choice other = *choice;
    other.fallback = true;
    choices_add(out, &other);
}

void add_order(const struct propose *about, const struct choice *order,
               struct choices *out)
{
    const struct nest *nest = about->nest;
    struct choice choice = *order;
    size_t kept = unmoved(nest, order);

    choices_add(out, &choice);
    if (choice.distribute_nr || choice.tile_nr || choice.jam_nr)
        return;
    if (kept > 0) {
        choice.order_kept = kept;
        add_fallback(&choice, out);
    }
    /* All loops free first: tiles and jams may then use each of them. */
    choice.order_kept = 0;
    split_inside(nest, 0, &choice);
    add_fallback(&choice, out);
    if (kept > 0) {
        choice.order_kept = kept;
        split_inside(nest, kept, &choice);
        add_fallback(&choice, out);
    }
}

void add_split_blocks(const struct propose *about, size_t first, struct choices *out)
{
    const struct nest *nest = about->nest;
    if (out->nr == first || about->now->distribute_nr || about->now->fuse[0])
        return;
    struct choice choice = out->item[first];
    for (size_t d = nest->nr - 1; d-- > 0;)
        if (!nest->loop[d]->perfect)
            choice.distribute[choice.distribute_nr++] = nest->loop[d]->name;
    if (choice.distribute_nr)
        choices_add(out, &choice);
}
