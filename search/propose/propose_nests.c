#include "search/propose/propose_nests.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/propose/nest.h"
#include "search/space/choice.h"

/* What one nest could get. */
struct field {
    const struct propose *about;
    struct nest nest[NESTS_HOT_MAX];
    int number[NESTS_HOT_MAX];
    struct choice now[NESTS_HOT_MAX];
    struct choices list[NESTS_HOT_MAX];
    size_t nr, hottest;
};

static void find_nests(const struct propose *about, struct field *field)
{
    *field = (struct field){.about = about};
    field->nr = nests_hot(about->nest->view, field->nest);
    for (size_t i = 0; i < field->nr; i++) {
        field->number[i] = field->nest[i].loop[0]->nest + 1;
        if (field->nest[i].loop[0]->nest == about->nest->loop[0]->nest)
            field->hottest = i;
    }
}

static void ask_each(struct field *field, propose_fn ask, struct buf *why_not)
{
    for (size_t i = 0; i < field->nr; i++) {
        struct buf ignored = {0};
        struct propose each = *field->about;
        field->now[i] = choice_about(field->about->now, each.nest->view, field->number[i],
                                     field->number, field->nr);
        each.nest = &field->nest[i];
        each.now = &field->now[i];
        ask(&each, &field->list[i], i == field->hottest ? why_not : &ignored);
        buf_release(&ignored);
    }
}

static const struct choice *nth(const struct choices *list, size_t n)
{
    return list->nr ? &list->item[n < list->nr ? n : list->nr - 1] : NULL;
}

/* All nests get the same steps, and had the same: NULL = they do not. */
static const struct choice *same_for_all(const struct field *field, size_t n)
{
    const struct choice *first = nth(&field->list[0], n);
    bool same = first && !field->about->now->nest;
    for (size_t i = 1; same && i < field->nr; i++) {
        const struct choice *other = nth(&field->list[i], n);
        same = other && choice_same_own(first, other);
    }
    return same ? first : NULL;
}

/* None of the n-th is of use where those before are legal. */
static bool all_fall_back(const struct field *field, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < field->nr; i++)
        all = all && (!field->list[i].nr || nth(&field->list[i], n)->fallback);
    return all;
}

/* The n-th of each nest. */
static void add_together(const struct field *field, size_t n, struct choices *out)
{
    const struct choice *all = same_for_all(field, n);
    struct choice choice;
    if (all) {
        choice = choice_for_all(all);
        choices_add(out, &choice);
        return;
    }
    size_t lead = field->hottest;
    while (!field->list[lead].nr)
        lead = (lead + 1) % field->nr;
    choice = *nth(&field->list[lead], n);
    for (size_t i = 0; i < field->nr; i++) {
        const struct choice *other = i == lead ? NULL : nth(&field->list[i], n);
        if (!other)
            continue;
        choice.fallback = choice.fallback && other->fallback;
        if (!choice_carry(&choice, other))
            return;
    }
    choices_add(out, &choice);
}

/* The first of each nest, the others as they are. */
static void add_alone(const struct field *field, bool fallback, struct choices *out)
{
    for (size_t k = 0; k < field->nr; k++) {
        size_t i = (field->hottest + k) % field->nr;
        if (!field->list[i].nr)
            continue;
        choices_add(out, &field->list[i].item[0]);
        out->item[out->nr - 1].fallback = fallback;
    }
}

/* Steps for all nests that the hottest one asks for: of use where the others have loops
 * of the same names and the same cure. Shapes name arrays of one. */
static void add_for_all(const struct field *field, size_t max, struct choices *out)
{
    const struct choices *list = &field->list[field->hottest];
    for (size_t i = 0; i < list->nr && i < max; i++) {
        if (same_for_all(field, i) || list->item[i].shape_nr)
            continue;
        struct choice choice = choice_for_all(&list->item[i]);
        choices_add(out, &choice);
    }
}

void propose_nests(const struct propose *about, propose_fn ask, struct choices *out,
                   struct buf *why_not)
{
    struct field *field = xcalloc(1, sizeof(*field));
    size_t max = 0, with = 0;
    find_nests(about, field);
    if (field->nr < 2) {
        ask(about, out, why_not);
        free(field);
        return;
    }
    ask_each(field, ask, why_not);
    for (size_t i = 0; i < field->nr; i++) {
        max = field->list[i].nr > max ? field->list[i].nr : max;
        with += field->list[i].nr > 0;
    }
    bool apart = with > 1 && !same_for_all(field, 0);
    for (size_t n = 0; n < max; n++) {
        if (n > 0 && apart && !all_fall_back(field, n)) {
            add_alone(field, true, out);
            apart = false;
        }
        add_together(field, n, out);
    }
    if (!about->now->nest)
        add_for_all(field, max, out);
    if (with > 1 && !same_for_all(field, 0))
        add_alone(field, false, out);
    for (size_t i = 0; i < field->nr; i++)
        choices_release(&field->list[i]);
    free(field);
}
