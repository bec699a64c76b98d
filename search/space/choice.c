#include "search/space/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

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

char *choice_own_text(const struct choice *choice)
{
    struct buf out = {0};
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

/* ---- of several nests ---- */

static const char part_mark[] = "nest(";

/* The part that begins at `at`: its nest, its steps and what is behind it. */
struct part {
    int nest;
    const char *steps, *end;
};

static const char *next_part(const char *at)
{
    const char *next = strstr(at, part_mark);
    return next ? next : at + strlen(at);
}

static struct part part_at(const char *at)
{
    char *behind;
    struct part part = {.nest = (int)strtol(at + strlen(part_mark), &behind, 10)};
    part.steps = behind + strspn(behind, ") ");
    part.end = next_part(part.steps);
    return part;
}

/* Without the blank before the next part; caller frees. */
static char *part_steps(const struct part *part)
{
    size_t length = (size_t)(part->end - part->steps);
    while (length && part->steps[length - 1] == ' ')
        length--;
    return xstrndup(part->steps, length);
}

static void add_part(struct buf *out, int nest, const char *steps, size_t length)
{
    while (length && steps[length - 1] == ' ')
        length--;
    if (length)
        buf_addf(out, "%s%s%d) %.*s", out->length ? " " : "", part_mark, nest,
                 (int)length, steps);
}

/* `others` with these steps in the place of those of the nest. */
static void add_merged(struct buf *out, const char *others, int nest, const char *steps)
{
    bool done = false;
    for (const char *at = others; *at;) {
        struct part part = part_at(at);
        if (!done && part.nest >= nest)
            add_part(out, nest, steps, strlen(steps));
        done = done || part.nest >= nest;
        if (part.nest != nest)
            add_part(out, part.nest, part.steps, (size_t)(part.end - part.steps));
        at = part.end;
    }
    if (!done)
        add_part(out, nest, steps, strlen(steps));
}

char *choice_text(const struct choice *choice)
{
    struct buf out = {0}, steps = {0};
    char *own = choice_own_text(choice);
    add_settings(&out, choice);
    if (choice->nest)
        add_merged(&steps, choice->others, choice->nest, own);
    else
        buf_add(&steps, own);
    if (steps.length)
        buf_addf(&out, " %s", buf_str(&steps));
    char *text = xstrdup(out.length ? buf_str(&out) + 1 : "");
    free(own);
    buf_release(&out);
    buf_release(&steps);
    return text;
}

static bool set_others(struct choice *choice, struct buf *text)
{
    bool fits = text->length < sizeof(choice->others);
    if (fits)
        snprintf(choice->others, sizeof(choice->others), "%s", buf_str(text));
    buf_release(text);
    return fits;
}

bool choice_carry(struct choice *choice, const struct choice *other)
{
    struct buf text = {0};
    char *own = choice_own_text(other);
    add_merged(&text, choice->others, other->nest, own);
    free(own);
    return set_others(choice, &text);
}

/* Steps that this cannot take apart are a shape. */
static bool read_part(const char *text, const struct kernel_view *view,
                      struct choice *out)
{
    if (!choice_read(text, view, out, NULL))
        return true;
    *out = (struct choice){0};
    return (size_t)snprintf(out->shape, sizeof(out->shape), "%s", text) <
           sizeof(out->shape);
}

static void take_settings(struct choice *choice, const struct choice *from)
{
    choice->set_nr = from->set_nr;
    memcpy(choice->set, from->set, sizeof(choice->set));
}

/* Of the parts from `text` on, that of the nest as a choice that carries the others. */
static bool read_parts(const char *text, int nest, const struct kernel_view *view,
                       struct choice *out)
{
    char *own = NULL;
    struct buf others = {0};
    for (const char *at = text; *at;) {
        struct part part = part_at(at);
        if (part.nest == nest)
            own = part_steps(&part);
        else
            add_part(&others, part.nest, part.steps, (size_t)(part.end - part.steps));
        at = part.end;
    }
    bool fits = read_part(own ? own : "", view, out);
    out->nest = nest;
    free(own);
    return set_others(out, &others) && fits;
}

struct choice choice_about(const struct choice *choice, const struct kernel_view *view,
                           int nest, const int *nests, size_t nr)
{
    struct choice about = *choice, each = *choice;
    if (choice->nest == nest)
        return about;
    if (!choice->nest) {
        about.nest = nest;
        for (size_t i = 0; i < nr; i++) {
            each.nest = nests[i];
            if (nests[i] != nest)
                choice_carry(&about, &each);
        }
        return about;
    }
    struct choice steps = *choice;
    steps.set_nr = 0;
    char *text = choice_text(&steps);
    if (!read_parts(text, nest, view, &about))
        about = choice_unshaped(choice);
    free(text);
    take_settings(&about, choice);
    return about;
}

bool choice_from_text(const char *text, const struct choice *like,
                      const struct kernel_view *view, struct choice *out)
{
    static const char set[] = "set(";
    bool fits;
    if (like->set_nr && !strncmp(text, set, strlen(set))) {
        text += strcspn(text, ")");
        text += strspn(text, ") ");
    }
    if (like->nest) {
        fits = !strncmp(text, part_mark, strlen(part_mark)) &&
               read_parts(text, like->nest, view, out);
    } else {
        fits = !strstr(text, part_mark) && read_part(text, view, out);
    }
    take_settings(out, like);
    return fits;
}

struct choice choice_unshaped(const struct choice *choice)
{
    struct choice other = {.set_nr = choice->set_nr, .nest = choice->nest};
    memcpy(other.set, choice->set, sizeof(other.set));
    memcpy(other.others, choice->others, sizeof(other.others));
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

bool choice_same_names(const char *const *a, size_t a_nr, const char *const *b,
                       size_t b_nr)
{
    bool same = a_nr == b_nr;
    for (size_t i = 0; same && i < a_nr; i++)
        same = !strcmp(a[i], b[i]);
    return same;
}
