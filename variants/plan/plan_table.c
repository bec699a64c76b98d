/* All that is said of transformations, one row each. */
#include "variants/plan/plan_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

enum { UNROLL_MAX = 64 };

#define OPTION(name) (1U << OPTION_##name)

static const struct transformation table[] = {
    [STEP_TILE] =
        {
            .name = "tile",
            .syntax = "tile(i:64,j:64)",
            .meaning = "work on blocks; new loops it, jt ... go outside of the outermost "
                       "loop named, in the order named; once more for another level",
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 2,
            .high = PLAN_VALUE_MAX,
            .search = {.place = 7,
                       .of_shape = true,
                       .scaled = true,
                       .scaled_min = 4,
                       .climbs = true,
                       .joins = true},
            .rule = {{"tile",
                      "work on blocks that a cache holds until they are used up"}},
            .column = {COLUMN_EACH, "tile_", 0, "none"},
        },
    [STEP_SKEW_TILE] =
        {
            .name = "skew_tile",
            .syntax = "skew_tile(t:8,i:64)",
            .meaning = "blocks of loops that are skewed as far as their dependences need "
                       "it: stencils tiled in time",
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 2,
            .high = PLAN_VALUE_MAX,
            .search = {.place = 6,
                       .of_shape = true,
                       .is_shape = true,
                       .scaled = true,
                       .scaled_min = 2,
                       .climbs = true},
            .rule = {{"skew", "slant the loops so that they can be tiled"}},
            .column = {COLUMN_EACH, "skew_tile_", 0, "none"},
        },
    [STEP_INTERCHANGE] =
        {
            .name = "interchange",
            .syntax = "interchange(i,k,j)",
            .meaning = "new order of perfectly nested loops, outermost first",
            .names_min = 2,
            .search = {.place = 5, .of_shape = true},
            .rule = {{"interchange", "another order of the loops"}},
            .column = {COLUMN_WHOLE, "order", '>', "as_written"},
        },
    [STEP_SKEW] =
        {
            .name = "skew",
            .syntax = "skew(i,t:1)",
            .meaning = "each iteration of t starts the loop i inside of it so much later",
            .values = VALUES_MAY,
            .names_min = 2,
            .low = -64,
            .high = 64,
        },
    [STEP_FUSE] =
        {
            .name = "fuse",
            .syntax = "fuse(i)",
            .meaning = "adjacent loops of this name become one; fuse(i,shift:1) runs the "
                       "second one iteration behind",
            .names_min = 1,
            .options = OPTION(SHIFT),
            .search = {.place = 2, .names_max = 2, .in_grid = true},
            .rule = {{"fuse", "make one loop of neighbouring ones"}},
            .column = {COLUMN_WHOLE, "fuse", ';', "none"},
        },
    [STEP_DISTRIBUTE] =
        {
            .name = "distribute",
            .syntax = "distribute(i)",
            .meaning = "a loop of its own for every part of the loop's body",
            .names_min = 1,
            .search = {.place = 3,
                       .repeats = true,
                       .steps_max = 8,
                       .names_max = 1,
                       .in_grid = true},
            .rule = {{"distribute", "make several loops of one"}},
            .column = {COLUMN_WHOLE, "distribute", ';', "none"},
        },
    [STEP_UNROLL_JAM] =
        {
            .name = "unroll_jam",
            .syntax = "unroll_jam(i:4)",
            .meaning = "unroll an outer loop and fuse the copies innermost; several at "
                       "once: unroll_jam(i:4,j:2)",
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 2,
            .high = UNROLL_MAX,
            .search = {.place = 8,
                       .of_shape = true,
                       .scaled = true,
                       .scaled_min = 2,
                       .climbs = true},
            .rule = {{"unroll_jam",
                      "several iterations of an outer loop at a time, reuse in "
                      "registers"}},
            .column = {COLUMN_EACH, "jam_", 0, "none"},
        },
    [STEP_UNROLL] =
        {
            .name = "unroll",
            .syntax = "unroll(j:4)",
            .meaning = "several iterations of a loop as straight code",
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 2,
            .high = UNROLL_MAX,
            .search = {.place = 9, .names_max = 1, .scaled = true, .scaled_min = 2},
            .rule = {{"unroll", "several iterations of the innermost loop at a time"}},
            .column = {COLUMN_EACH, "unroll_", 0, "none"},
        },
    [STEP_FULL] =
        {
            .name = "full",
            .syntax = "full(i)",
            .meaning = "complete blocks of this tiled loop get code of their own, with "
                       "constant trip counts",
            .names_min = 1,
        },
    [STEP_PACK] =
        {
            .name = "pack",
            .syntax = "pack(B,kt)",
            .meaning = "copy what the array's tile holds into a local buffer at the top "
                       "of the loop named; pack(B,kt,j:32) in panels of 32 along j, one "
                       "behind the other",
            .names = NAMES_ARRAY_THEN_LOOPS,
            .values = VALUES_MAY,
            .names_min = 2,
            .low = 2,
            .high = PLAN_VALUE_MAX,
            .rule = {{"pack", "copy a block to consecutive memory before it is used"}},
        },
    [STEP_VEC] =
        {
            .name = "vec",
            .syntax = "vec(j:8)",
            .meaning =
                "complete blocks of so many iterations as one operation on vector types",
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 2,
            .high = UNROLL_MAX,
        },
    [STEP_PAD] =
        {
            .name = "pad",
            .syntax = "pad(a:8)",
            .meaning = "so many more elements in each row of a local array",
            .names = NAMES_ARRAYS,
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 1,
            .high = PLAN_VALUE_MAX,
            .rule = {{"pad", "lengthen rows so that they do not collide in a cache"}},
        },
    [STEP_SIMD] =
        {
            .name = "simd",
            .syntax = "simd",
            .meaning = "vector pragma on the innermost loops, or on those named: "
                       "simd(j); hints: simd(j,width:8,interleave:4)",
            .options = OPTION(WIDTH) | OPTION(INTERLEAVE),
            .search = {.place = 10, .of_shape = true},
            .rule = {{"simd", "vector instructions for the innermost loop"}},
            .column = {COLUMN_WHOLE, "simd", ';', "none"},
        },
    [STEP_PARALLEL] =
        {
            .name = "parallel",
            .syntax = "parallel(i)",
            .meaning = "omp parallel for; how iterations are handed out: "
                       "parallel(i,schedule:dynamic,chunk:4)",
            .names_min = 1,
            .options = OPTION(SCHEDULE) | OPTION(CHUNK),
            .search = {.place = 11, .names_max = 1},
            .rule = {{"parallel", "share the loop among cores"}},
            .column = {COLUMN_WHOLE, "parallel", ';', "none"},
        },
    [STEP_PREFETCH] =
        {
            .name = "prefetch",
            .syntax = "prefetch(a:16)",
            .meaning = "software prefetch so many iterations of the innermost loop "
                       "ahead; prefetch(a:16,to:L2) to L2 only, to:NT past the caches; "
                       "prefetch(a:2,at:i) all that iterations of the outer loop i to "
                       "come touch",
            .names = NAMES_ARRAYS,
            .values = VALUES_EACH,
            .names_min = 1,
            .low = 1,
            .high = PLAN_VALUE_MAX,
            .options = OPTION(TO) | OPTION(AT),
            .search = {.place = 12,
                       .repeats = true,
                       .steps_max = 4,
                       .names_max = 1,
                       .options = OPTION(TO) | OPTION(AT),
                       .scaled = true,
                       .scaled_min = 1,
                       .climbs = true},
            .rule = {{"prefetch_l1", "software prefetch into L1"},
                     {"prefetch_l2", "software prefetch into L2 only"}},
            .column = {COLUMN_APART, "prefetch_", ';', "none"},
        },
    [STEP_NONTEMPORAL] =
        {
            .name = "nontemporal",
            .syntax = "nontemporal(a)",
            .meaning = "stores to the array go past the caches",
            .names = NAMES_ARRAYS,
            .names_min = 1,
            .search = {.place = 13, .names_max = 4, .joins = true},
            .rule = {{"nontemporal", "stores past the caches"}},
            .column = {COLUMN_FLAGS, "nontemporal_", 0, "none"},
        },
    [STEP_SET] =
        {
            .name = "set",
            .syntax = "set(TILE:64)",
            .meaning = "value of a `#pragma inflight tunable`",
            .names = NAMES_TUNABLES,
            .values = VALUES_EACH,
            .names_min = 1,
            .low = -PLAN_VALUE_MAX,
            .high = PLAN_VALUE_MAX,
            .search = {.place = 1},
            .column = {COLUMN_EACH, "set_", 0, "as_written"},
        },
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
