/* From the text of a plan back to the choice that it was made from. */
#include "search/space/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* "name:value", "name" or "key:word". */
struct word {
    char name[72], value[72]; /* value "" = none */
};
enum { WORDS_MAX = 12 };

struct step {
    char kind[32];
    struct word word[WORDS_MAX];
    size_t nr;
};

struct reading {
    const struct kernel_view *view;
    struct choice *out;
};

/* ---- words ---- */

static bool take_until(const char **at, const char *stop, char *out, size_t size)
{
    size_t length = strcspn(*at, stop);
    if (length == 0 || length >= size)
        return false;
    memcpy(out, *at, length);
    out[length] = '\0';
    *at += length;
    return true;
}

static bool take_word(const char **at, struct step *step)
{
    struct word *word = &step->word[step->nr];
    *word = (struct word){0};
    if (step->nr == WORDS_MAX || !take_until(at, ":,)", word->name, sizeof(word->name)))
        return false;
    step->nr++;
    if (**at != ':')
        return true;
    (*at)++;
    return take_until(at, ",)", word->value, sizeof(word->value));
}

static bool take_step(const char **at, struct step *step)
{
    *step = (struct step){0};
    *at += strspn(*at, " ");
    if (!take_until(at, "( ", step->kind, sizeof(step->kind)))
        return false;
    if (**at != '(')
        return true;
    do {
        (*at)++;
        if (!take_word(at, step))
            return false;
    } while (**at == ',');
    return *(*at)++ == ')';
}

/* ---- names of the kernel ---- */

static const char *loop_name(const struct kernel_view *view, const char *name)
{
    for (size_t i = 0; i < view->loop_nr; i++)
        if (!strcmp(view->loop[i].name, name))
            return view->loop[i].name;
    return NULL;
}

static const char *array_name(const struct kernel_view *view, const char *name)
{
    for (size_t i = 0; i < view->array_nr; i++)
        if (!strcmp(view->array[i].name, name))
            return view->array[i].name;
    return NULL;
}

static const char *tunable_name(const struct kernel_view *view, const char *name)
{
    for (size_t i = 0; i < view->tunable_nr; i++)
        if (!strcmp(view->tunable[i].name, name))
            return view->tunable[i].name;
    return NULL;
}

/* ---- steps ---- */

static bool read_sizes(const struct reading *reading, const struct step *step,
                       struct loop_size *size, size_t *nr, size_t most)
{
    for (size_t i = 0; i < step->nr; i++) {
        const char *loop = loop_name(reading->view, step->word[i].name);
        long value = strtol(step->word[i].value, NULL, 10);
        if (!loop || value < 1 || *nr == most)
            return false;
        size[(*nr)++] = (struct loop_size){loop, value};
    }
    return step->nr > 0;
}

static bool read_names(const struct step *step, const struct kernel_view *view,
                       const char *(*known)(const struct kernel_view *, const char *),
                       const char **name, size_t *nr, size_t most)
{
    for (size_t i = 0; i < step->nr; i++) {
        const char *found = known(view, step->word[i].name);
        if (!found || *nr == most)
            return false;
        name[(*nr)++] = found;
    }
    return step->nr > 0;
}

static bool read_set(const struct reading *reading, const struct step *step)
{
    struct choice *out = reading->out;
    for (size_t i = 0; i < step->nr; i++) {
        const char *name = tunable_name(reading->view, step->word[i].name);
        if (!name || out->set_nr == CHOICE_TUNABLES_MAX)
            return false;
        out->set[out->set_nr].name = name;
        out->set[out->set_nr++].value = strtoll(step->word[i].value, NULL, 10);
    }
    return step->nr > 0;
}

static bool read_prefetch(const struct reading *reading, const struct step *step)
{
    struct choice *out = reading->out;
    if (out->prefetch_nr == CHOICE_PREFETCH_MAX || step->nr == 0)
        return false;
    size_t slot = out->prefetch_nr++;
    out->prefetch[slot].array = array_name(reading->view, step->word[0].name);
    out->prefetch[slot].distance = strtol(step->word[0].value, NULL, 10);
    for (size_t i = 1; i < step->nr; i++) {
        bool level = !strcmp(step->word[i].name, "to");
        if (level && !strcmp(step->word[i].value, "L2"))
            out->prefetch[slot].to_l2 = true;
        else if (!strcmp(step->word[i].name, "at"))
            out->prefetch[slot].at = loop_name(reading->view, step->word[i].value);
        else
            return false;
    }
    return out->prefetch[slot].array && out->prefetch[slot].distance > 0;
}

static bool read_fuse(const struct reading *reading, const struct step *step)
{
    size_t nr = 0;
    return read_names(step, reading->view, loop_name, reading->out->fuse, &nr, 2);
}

static bool read_loops(const struct reading *reading, const struct step *step)
{
    struct choice *out = reading->out;
    return !strcmp(step->kind, "distribute")
               ? read_names(step, reading->view, loop_name, out->distribute,
                            &out->distribute_nr, CHOICE_LOOPS_MAX)
               : read_names(step, reading->view, loop_name, out->order, &out->order_nr,
                            CHOICE_LOOPS_MAX);
}

static bool read_sized(const struct reading *reading, const struct step *step)
{
    struct choice *out = reading->out;
    if (!strcmp(step->kind, "tile"))
        return read_sizes(reading, step, out->tile, &out->tile_nr, CHOICE_LOOPS_MAX);
    if (!strcmp(step->kind, "skew_tile"))
        return read_sizes(reading, step, out->skew, &out->skew_nr, CHOICE_LOOPS_MAX);
    return read_sizes(reading, step, out->jam, &out->jam_nr, CHOICE_LOOPS_MAX);
}

static bool read_unroll(const struct reading *reading, const struct step *step)
{
    size_t nr = 0;
    return read_sizes(reading, step, &reading->out->unroll, &nr, 1);
}

static bool read_simd(const struct reading *reading, const struct step *step)
{
    reading->out->simd = true;
    return step->nr == 0;
}

static bool read_parallel(const struct reading *reading, const struct step *step)
{
    struct choice *out = reading->out;
    snprintf(out->parallel, sizeof(out->parallel), "%s", step->word[0].name);
    return step->nr == 1 && !*step->word[0].value;
}

static bool read_nontemporal(const struct reading *reading, const struct step *step)
{
    struct choice *out = reading->out;
    return read_names(step, reading->view, array_name, out->nontemporal,
                      &out->nontemporal_nr, CHOICE_ARRAYS_MAX);
}

static bool read_step(const struct reading *reading, const struct step *step)
{
    static const struct {
        const char *kind;
        bool (*read)(const struct reading *reading, const struct step *step);
    } steps[] = {{"set", read_set},           {"fuse", read_fuse},
                 {"distribute", read_loops},  {"interchange", read_loops},
                 {"skew_tile", read_sized},   {"tile", read_sized},
                 {"unroll_jam", read_sized},  {"unroll", read_unroll},
                 {"simd", read_simd},         {"parallel", read_parallel},
                 {"prefetch", read_prefetch}, {"nontemporal", read_nontemporal}};
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
        if (!strcmp(step->kind, steps[i].kind))
            return steps[i].read(reading, step);
    return false;
}

/* The steps of a choice have one order only: what says the same in another is none. */
static bool says_the_same(const struct choice *choice, const char *text)
{
    char *again = choice_text(choice);
    bool same = !strcmp(again, text);
    free(again);
    return same;
}

int choice_read(const char *text, const struct kernel_view *view, struct choice *out,
                struct error *err)
{
    struct reading reading = {view, out};
    const char *at = text;
    bool right = true;
    *out = (struct choice){0};
    while (right && *at) {
        struct step step;
        right = take_step(&at, &step) && read_step(&reading, &step);
    }
    if (right && says_the_same(out, text))
        return 0;
    return fail(err, STATUS_INPUT,
                "plan '%s' is not one that a search would put together for this kernel",
                text);
}
