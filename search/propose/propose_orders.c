#include "search/propose/propose_orders.h"

#include <string.h>

#include "search/propose/nest.h"
#include "search/space/choice.h"
#include "variants/plan/plan.h"

/* From loop `outermost` inwards; the innermost has nothing to split off. With `parts`
 * only those that hold more than a loop. */
static void split_inside(const struct nest *nest, size_t outermost, bool parts,
                         struct choice *choice)
{
    choice_drop(choice, STEP_DISTRIBUTE);
    for (size_t d = nest->nr - 1; d-- > outermost;) {
        const struct step_arg loop = {.name = nest->loop[d]->name};
        const struct plan_step step = {STEP_DISTRIBUTE, &loop, 1, {0}, NULL, 0};
        if (!parts || !nest->loop[d]->perfect)
            choice_add(choice, plan_step_get(&step));
    }
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
    const char *name[CHOICE_LOOPS_MAX];
    size_t kept = 0, nr = choice_order(order, name);
    while (kept < nr && kept < nest->nr && !strcmp(name[kept], nest->loop[kept]->name))
        kept++;

    if (nr && kept == 0 && nest->loop[0]->threads && !choice_step(order, STEP_PARALLEL)) {
        /* What was shared out among threads is inside now. */
        struct choice shared = *order;
        choice_outermost(&shared, name[0]);
        choices_add(out, &shared);
    }
    choices_add(out, &choice);
    if (!nr || choice_step(order, STEP_DISTRIBUTE) || choice_step(order, STEP_TILE) ||
        choice_step(order, STEP_UNROLL_JAM))
        return;
    if (kept > 0) {
        choice_put_order(&choice, name, nr, kept);
        add_fallback(&choice, out);
    }
    /* All loops free first: tiles and jams may then use each of them. */
    choice_put_order(&choice, name, nr, 0);
    split_inside(nest, 0, false, &choice);
    add_fallback(&choice, out);
    if (kept > 0) {
        choice_put_order(&choice, name, nr, kept);
        split_inside(nest, kept, false, &choice);
        add_fallback(&choice, out);
    }
}

void add_split_blocks(const struct propose *about, size_t first, struct choices *out)
{
    if (out->nr == first || choice_step(about->now, STEP_DISTRIBUTE) ||
        choice_step(about->now, STEP_FUSE))
        return;
    struct choice choice = out->item[first];
    split_inside(about->nest, 0, true, &choice);
    if (choice_step(&choice, STEP_DISTRIBUTE))
        choices_add(out, &choice);
}
