#include "search/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_settings(struct buf *out, const struct choice *choice)
{
    for (size_t i = 0; i < choice->set_nr; i++)
        buf_addf(out, "%s%s:%lld", i ? "," : " set(", choice->set[i].name,
                 choice->set[i].value);
    if (choice->set_nr)
        buf_add(out, ")");
}

static void add_names(struct buf *out, const char *step, const char *const *name,
                      size_t nr)
{
    if (nr == 0)
        return;
    buf_addf(out, " %s(", step);
    for (size_t i = 0; i < nr; i++)
        buf_addf(out, "%s%s", i ? "," : "", name[i]);
    buf_add(out, ")");
}

static void add_sizes(struct buf *out, const char *step, const struct loop_size *size,
                      size_t nr)
{
    if (nr == 0)
        return;
    buf_addf(out, " %s(", step);
    for (size_t i = 0; i < nr; i++)
        buf_addf(out, "%s%s:%ld", i ? "," : "", size[i].loop, size[i].size);
    buf_add(out, ")");
}

static void add_prefetches(struct buf *out, const struct choice *choice)
{
    for (size_t i = 0; i < choice->prefetch_nr; i++)
        buf_addf(out, " prefetch(%s:%ld%s%s%s)", choice->prefetch[i].array,
                 choice->prefetch[i].distance, choice->prefetch[i].to_l2 ? ",to:L2" : "",
                 choice->prefetch[i].at ? ",at:" : "",
                 choice->prefetch[i].at ? choice->prefetch[i].at : "");
}

char *choice_text(const struct choice *choice)
{
    struct buf out = {0};
    add_settings(&out, choice);
    add_names(&out, "fuse", choice->fuse, choice->fuse[0] ? 1 + !!choice->fuse[1] : 0);
    for (size_t i = 0; i < choice->distribute_nr; i++)
        add_names(&out, "distribute", &choice->distribute[i], 1);
    if (*choice->shape)
        buf_addf(&out, " %s", choice->shape);
    add_names(&out, "interchange", choice->order + choice->order_kept,
              choice->order_nr - choice->order_kept);
    add_sizes(&out, "skew_tile", choice->skew, choice->skew_nr);
    add_sizes(&out, "tile", choice->tile, choice->tile_nr);
    add_sizes(&out, "unroll_jam", choice->jam, choice->jam_nr);
    add_sizes(&out, "unroll", &choice->unroll, choice->unroll.size > 0);
    if (choice->simd)
        buf_add(&out, " simd");
    if (*choice->parallel)
        buf_addf(&out, " parallel(%s)", choice->parallel);
    add_prefetches(&out, choice);
    add_names(&out, "nontemporal", choice->nontemporal, choice->nontemporal_nr);
    char *text = xstrdup(out.length ? buf_str(&out) + 1 : "");
    buf_release(&out);
    return text;
}

struct choice choice_unshaped(const struct choice *choice)
{
    struct choice other = {.set_nr = choice->set_nr};
    memcpy(other.set, choice->set, sizeof(other.set));
    return other;
}

void choice_outermost(struct choice *choice, const char *first)
{
    const char *outer = choice->order_nr ? choice->order[0] : first;
    bool tiled = false;
    if (*choice->shape) /* its steps depend on each other's loops */
        return;
    for (size_t i = 0; i < choice->tile_nr; i++)
        tiled = tiled || !strcmp(choice->tile[i].loop, outer);
    snprintf(choice->parallel, sizeof(choice->parallel), "%s%s",
             tiled ? choice->tile[0].loop : outer, tiled ? "t" : "");
}

void choices_add(struct choices *list, const struct choice *choice)
{
    GROW(list->item, list->nr + 1, list->alloc);
    list->item[list->nr++] = *choice;
}

void choices_release(struct choices *list)
{
    free(list->item);
    *list = (struct choices){0};
}
