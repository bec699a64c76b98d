/* What transformations.def says, as a table. */
#include "variants/plan/plan_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

enum { UNROLL_MAX = 64 };

#define OPTION(name) (1U << OPTION_##name)

static const struct transformation table[] = {
#define TRANSFORMATION(kind, hook, ...) [STEP_##kind] = {__VA_ARGS__},
#define SETTING(kind, ...)              [STEP_##kind] = {__VA_ARGS__},
#include "variants/plan/transformations.def"
};

static const struct option_shape options[] = {
    [OPTION_TO] = {.name = "to", .word = {"L1", "L2", "NT"}},
    [OPTION_SHIFT] = {.name = "shift", .high = PLAN_VALUE_MAX},
    [OPTION_WIDTH] = {.name = "width", .high = UNROLL_MAX},
    [OPTION_INTERLEAVE] = {.name = "interleave", .high = 16},
    [OPTION_SCHEDULE] = {.name = "schedule", .word = {"static", "dynamic", "guided"}},
    [OPTION_CHUNK] = {.name = "chunk", .high = PLAN_VALUE_MAX},
    [OPTION_AT] = {.name = "at"},
};

const struct option_shape *option_shape(enum step_option option)
{
    return &options[option];
}

const char *schedule_word(enum step_schedule schedule)
{
    return schedule ? options[OPTION_SCHEDULE].word[schedule - 1] : NULL;
}

const struct transformation *transformations(size_t *nr)
{
    *nr = ARRAY_SIZE(table);
    return table;
}

const struct transformation *transformation_of(enum step_kind kind)
{
    return &table[kind];
}

static int by_place(const void *a, const void *b)
{
    return table[*(const enum step_kind *)a].search.place -
           table[*(const enum step_kind *)b].search.place;
}

size_t step_kinds_placed(enum step_kind kind[STEP_KIND_NR])
{
    size_t nr = 0;
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (table[i].search.place)
            kind[nr++] = (enum step_kind)i;
    qsort(kind, nr, sizeof(*kind), by_place);
    return nr;
}

const char *plan_step_rule(const struct plan_step *step)
{
    const struct transformation *row = &table[step->kind];
    bool second = step->option[OPTION_TO] == PREFETCH_L2 && row->rule[1].word;
    return row->rule[second].word;
}

enum step_kind step_kind_of_rule(const char *word, size_t *variant)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        for (size_t k = 0; k < ARRAY_SIZE(table[i].rule); k++)
            if (table[i].rule[k].word && !strcmp(table[i].rule[k].word, word)) {
                *variant = k;
                return (enum step_kind)i;
            }
    return STEP_KIND_NR;
}

bool step_names_array(enum step_kind kind, size_t i)
{
    return table[kind].names == NAMES_ARRAYS ||
           (table[kind].names == NAMES_ARRAY_THEN_LOOPS && i == 0);
}
