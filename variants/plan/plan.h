/*
 * A plan: what is to be done to a kernel, as a list of steps with arguments. Everything
 * that knows a transformation by name - parser, text, search, rules, exports, help -
 * reads it from one table, one row each (transformations.def).
 *
 * Plans are values: {0} is the kernel as written, `=` copies, nothing is released. That
 * is so because steps are shared: there is one of each, made by plan_step_get, constant
 * and kept until the program ends; equal steps are the same pointer.
 */
#ifndef VARIANTS_PLAN_PLAN_H
#define VARIANTS_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;

/* In the order of the table. */
enum step_kind {
#define TRANSFORMATION(kind, hook, ...) STEP_##kind,
#define SETTING(kind, ...)              STEP_##kind,
#include "variants/plan/transformations.def"
    STEP_KIND_NR
};

/* What stands behind the names: ",to:L2". 0 = not given. */
enum step_option {
    OPTION_TO,         /* prefetch: 1, 2 = level; 3 = non-temporal */
    OPTION_SHIFT,      /* fuse: iterations that the second loop runs behind the first */
    OPTION_WIDTH,      /* simd: lanes */
    OPTION_INTERLEAVE, /* simd: independent vectors under way */
    OPTION_SCHEDULE,   /* parallel: enum step_schedule */
    OPTION_CHUNK,      /* parallel: iterations handed out at once */
    OPTION_AT,         /* prefetch: 1 = iterations are those of the loop plan_step.at */
    OPTION_NR
};

enum { PREFETCH_L2 = 2, PREFETCH_NONTEMPORAL = 3 };
enum step_schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED };
/* "static" ...; NULL for 0. */
const char *schedule_word(enum step_schedule schedule);

struct step_arg {
    const char
        *name; /* iterator, tile loop, array ("p.x", "g->v"), parameter or tunable */
    long long value; /* tile size, factor, distance, threshold; 0 where there is none */
    bool has_value;
};

struct plan_step {
    enum step_kind kind;
    const struct step_arg *arg;
    size_t arg_nr;
    long long option[OPTION_NR];
    const char *at; /* with OPTION_AT: an iterator; else NULL */
    int nest;       /* of the function, from 1 on, that alone is meant; 0 = all */
};

enum { PLAN_STEPS_MAX = 128 };
struct plan {
    const struct plan_step *step[PLAN_STEPS_MAX];
    size_t step_nr;
};

/* ---- the table ---- */

enum step_names {
    NAMES_LOOPS,
    NAMES_ARRAYS,
    NAMES_ARRAY_THEN_LOOPS,
    NAMES_PARAMETERS, /* integers that a nest is given */
    NAMES_TUNABLES
};
enum step_values { VALUES_NONE, VALUES_EACH, VALUES_MAY };

struct transformation {
    const char *name, *syntax, *meaning;
    const char *also; /* other names of the field for it, separated by blanks; NULL = none
                       */

    /* Its arguments. */
    enum step_names names;
    enum step_values values;
    size_t names_min;
    long long low, high; /* of values */
    unsigned options;    /* bits of enum step_option */

    /* In plans that a search puts together. */
    struct step_search {
        int place;            /* smaller ones come first; 0 = only in whole shapes */
        bool of_shape;        /* a whole shape stands for it, too */
        bool is_shape;        /* it stands for all that a whole shape does */
        bool repeats;         /* a step each, not one for all ... */
        size_t steps_max;     /* ... and so many of them */
        size_t names_max;     /* 0 = any number; of a step without names_min: none */
        unsigned options;     /* bits of those that a search varies */
        bool joins;           /* one more name goes into the same step: tile(i:8,j:8) */
        bool scaled;          /* values are near each other by their ratio ... */
        long long scaled_min; /* ... and half and twice are tried, down to this */
        bool climbs;          /* ... right behind its proposals, too */
        bool in_grid;         /* its proposals are values of the grid (search/grid.c has
                                 values of its own for the others) */
    } search;

    /* What rules call it; [1]: the step with to:L2, where that has a word of its own.
     * word NULL = no rule advises it. */
    struct step_rule {
        const char *word, *meaning;
    } rule[2];
};
const struct transformation *transformations(size_t *nr);
/* What rules advise and no step of a plan does: a person changes the source. */
struct step_by_hand {
    const char *name, *meaning;
    bool follows; /* from the other steps, so plans do it as well */
};
const struct step_by_hand *steps_by_hand(size_t *nr);
bool is_done_by_hand(const char *name); /* one of these, and no other steps do it */
const struct transformation *transformation_of(enum step_kind kind);
/* The one of that name, whatever the case and with "-" for "_": as plans, the field and
 * rules ("prefetch_l2", *variant = 1) call it; STEP_KIND_NR = none. */
enum step_kind step_kind_named(const char *name, size_t *variant);
/* Those with a place in plans of a search, in that order. Returns their number. */
size_t step_kinds_placed(enum step_kind kind[STEP_KIND_NR]);

/* Where whole shapes stand among them, and how many places there are at most. */
enum { PLACE_SHAPE = 4 };

/* The word that rules have for the step; NULL = none. */
const char *plan_step_rule(const struct plan_step *step);
/* Some step of the plan (as text) is what rules call `word`; vectors of a whole shape are
 * simd, too. */
bool plan_follows(const char *text, const char *word);
/* The kind that a word of rules is about, STEP_KIND_NR = none. *variant: place in
 * transformation.rule. */
enum step_kind step_kind_of_rule(const char *word, size_t *variant);

/* The i-th name of such a step is that of an array. */
bool step_names_array(enum step_kind kind, size_t i);

/* ---- text ---- */

/* Steps separated by spaces: tile(j:64,k:256) simd prefetch(table:16,to:L2), under any
 * name of step_kind_named(). Loops are
 * named by their iterators, tile loops it, jt ..., arrays as in the view; nest(2) before
 * steps: they are for the second nest of the function alone. An empty text is the
 * untransformed kernel. */
int plan_read(const char *text, struct plan *out, struct error *err);
char *plan_text(const struct plan *plan); /* canonical; caller frees */
/* "tile(i:64,j:64)" of one step, as in plan_text. */
void plan_step_text(const struct plan_step *step, struct buf *out);

int plan_parse(const char *text, struct plan **plan, struct error *err);
void plan_free(struct plan *plan);

/* ---- steps ---- */

/* The one step that is equal to this. */
const struct plan_step *plan_step_get(const struct plan_step *like);
/* It with other arguments, or for another nest. */
const struct plan_step *plan_step_with_args(const struct plan_step *step,
                                            const struct step_arg *arg, size_t nr);
const struct plan_step *plan_step_with_nest(const struct plan_step *step, int nest);
/* The argument of that name, NULL = it has none. */
const struct step_arg *plan_step_arg(const struct plan_step *step, const char *name);
/* The step is for the nest (kernel_loop.nest). */
bool plan_step_means(const struct plan_step *step, size_t nest);

/* ---- plans ---- */

/* Some step is of this kind. */
bool plan_has(const struct plan *plan, enum step_kind kind);
struct plan plan_without(const struct plan *plan, enum step_kind kind);
bool plan_has_step(const struct plan *plan, const struct plan_step *step);
/* The same steps in the same order. */
bool plans_equal(const struct plan *a, const struct plan *b);
uint64_t plan_hash(const struct plan *plan);
/* Before step `at`. false = there are PLAN_STEPS_MAX already. */
bool plan_insert(struct plan *plan, size_t at, const struct plan_step *step);
bool plan_append(struct plan *plan, const struct plan_step *step);
void plan_remove(struct plan *plan, size_t at);

#endif
