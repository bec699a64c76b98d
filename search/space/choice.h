/*
 * A plan as the search puts it together: each transformation with a place in the table of
 * variants/plan/ at most once (or as often as that says), in the order of these places.
 * The plan itself is a value, choice.plan; what is here reads and changes its steps by
 * their kind, whatever kinds there are. Where the nests of a function have plans of their
 * own, a choice is about one of them, and the steps of the others stay as they are.
 */
#ifndef SEARCH_CHOICE_H
#define SEARCH_CHOICE_H

#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

struct error;

enum { CHOICE_LOOPS_MAX = KERNEL_DEPTH_MAX, CHOICE_TUNABLES_MAX = KERNEL_TUNABLES_MAX };

struct choice {
    struct plan plan; /* in the order of places: see choice_add */
    int nest; /* that the search is about, from 1 on; its steps are "own"; 0 = all nests
               */
    /* Own steps that make one whole shape (register blocks with packed operands), in the
     * place of those that the table says a shape stands for. */
    size_t shape_at, shape_nr;
    const char *kept[CHOICE_LOOPS_MAX]; /* outer loops of an order that stay where they
                                           were: interchange does not name them */
    size_t kept_nr;
    bool fallback; /* of no use when the one before it in the list is legal */
};

/* The plan's text; caller frees. */
char *choice_text(const struct choice *choice);
/* The same plan (about whatever nest). */
bool choice_equal(const struct choice *a, const struct choice *b);

/* The choice that a plan is, for a kernel with these loops, arrays and tunables.
 * STATUS_INPUT: other steps, or in another order, or names that the kernel does not have.
 */
int choice_of_plan(const struct plan *plan, const struct kernel_view *view,
                   struct choice *out, struct error *err);

/* ---- own steps, and those of tunables, by their kind ---- */

/* Names that a step of the kind has at most. */
size_t choice_names_max(enum step_kind kind);
/* The first of the kind outside of the shape, NULL = none. */
const struct plan_step *choice_step(const struct choice *choice, enum step_kind kind);
/* All of them, in their order. Returns their number. */
size_t choice_steps(const struct choice *choice, enum step_kind kind,
                    const struct plan_step *step[PLAN_STEPS_MAX]);
/* Behind those of its kind. false = the plan is full. */
bool choice_add(struct choice *choice, const struct plan_step *step);
/* Its names are added to those that the step of its kind has, with its values. */
void choice_join(struct choice *choice, const struct plan_step *step);
/* In place of all of its kind. */
void choice_put(struct choice *choice, const struct plan_step *step);
void choice_drop(struct choice *choice, enum step_kind kind);
/* In place of all of the kind; nr = 0: without them. */
void choice_put_steps(struct choice *choice, enum step_kind kind,
                      const struct plan_step *const *step, size_t nr);
/* The same steps of the kind. */
bool choice_same_steps(const struct choice *a, const struct choice *b,
                       enum step_kind kind);

/* Names with values: tile(i:64,j:64). */
struct loop_size {
    const char *loop;
    long size;
};
/* 0 = it has none. */
long choice_size(const struct choice *choice, enum step_kind kind, const char *loop);
/* Returns their number. */
size_t choice_sizes(const struct choice *choice, enum step_kind kind,
                    struct loop_size size[CHOICE_LOOPS_MAX]);
/* One step of them; nr = 0: without it. */
void choice_put_sizes(struct choice *choice, enum step_kind kind,
                      const struct loop_size *size, size_t nr);
/* One step of names alone; nr = 0: without it. A step without any name is choice_put's.
 */
void choice_put_names(struct choice *choice, enum step_kind kind, const char *const *name,
                      size_t nr);

/* The order of loops, outermost first, with those that were kept; 0 = as written. */
size_t choice_order(const struct choice *choice, const char *name[CHOICE_LOOPS_MAX]);
/* The first `kept` of the names are where they stood. */
void choice_put_order(struct choice *choice, const char *const *name, size_t nr,
                      size_t kept);
bool choice_same_order(const struct choice *a, const struct choice *b);

/* Software prefetches, a step each. */
enum { CHOICE_PREFETCH_MAX = 4 };
struct choice_prefetch {
    const char *array;
    long distance; /* iterations of the innermost loop, or of `at` */
    bool to_l2;
    const char *at; /* outer loop; NULL = none */
};
size_t choice_prefetches(const struct choice *choice,
                         struct choice_prefetch prefetch[CHOICE_PREFETCH_MAX]);
void choice_put_prefetches(struct choice *choice, const struct choice_prefetch *prefetch,
                           size_t nr);

/* ---- whole shapes ---- */

/* Steps of one shape, as text, on top of the loops as they are written, with the same
 * values of tunables, the other nests as they are. false = it is no plan, or too long. */
bool choice_shaped(const struct choice *choice, const char *steps, struct choice *out);
/* What a whole shape starts from. */
struct choice choice_unshaped(const struct choice *choice);
/* Changes step `i` of the shape; NULL = removes it. */
void choice_put_in_shape(struct choice *choice, size_t i, const struct plan_step *step);
/* Before step `i` of the shape. */
bool choice_add_to_shape(struct choice *choice, size_t i, const struct plan_step *step);
/* The same shape, or both none. */
bool choice_same_shape(const struct choice *a, const struct choice *b);

/* ---- of several nests ---- */

/* Its steps for one nest (from 1 on), about to be changed; those of the others are
 * carried. What a choice for all nests says each of `nests` gets. */
struct choice choice_about(const struct choice *choice, const struct kernel_view *view,
                           int nest, const int *nests, size_t nr);
/* The choice that a plan is, about the same nest and with the same values of tunables as
 * `like`; steps that a search does not put together so are a shape. false = it is about
 * other nests. */
bool choice_from_plan(const struct plan *plan, const struct choice *like,
                      const struct kernel_view *view, struct choice *out);
/* Carries the own steps of another choice for another nest, in place of those that it has
 * for it. false = the plan is full. */
bool choice_carry(struct choice *choice, const struct choice *other);
/* The same own steps, about whatever nest, without those of tunables. */
bool choice_same_own(const struct choice *a, const struct choice *b);
/* The same steps for other nests. */
bool choice_same_others(const struct choice *a, const struct choice *b);
/* It is for all nests, as its own steps say. */
struct choice choice_for_all(const struct choice *choice);

/* The outermost loop of the transformed nest runs in parallel; `first`: the outermost one
 * as written. A whole shape stays as it is. */
void choice_outermost(struct choice *choice, const char *first);

/* A growing list of choices. */
struct choices {
    struct choice *item;
    size_t nr, alloc;
};
void choices_add(struct choices *list, const struct choice *choice);
void choices_release(struct choices *list);

#endif
