/*
 * The loop model of one function: its nests as isl sets and relations, hidden behind
 * plain C. Strings in views belong to the model (or its function) and live as long as it.
 */
#ifndef VARIANTS_MODEL_MODEL_H
#define VARIANTS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/quantity.h"

struct error;
struct kernel_access;
struct kernel_found;
struct kernel_loop;
struct kernel_record;

struct ir_function;
struct ir_symbol;
struct strvec;

/* In the text of kernel_check's error when it gave up: neither legal nor illegal. */
#define ANALYSIS_RAN_OUT "too complex to decide"

/* Counted work of all analyses so far, the same on every machine: some millions a second.
 */
unsigned long analysis_effort(void);

/* The isl that answers, as it names itself. libLLVM holds a second copy: doctor shows
 * which one was linked. */
const char *model_isl_version(void);

struct model;

struct model_request {
    struct ir_function
        *function; /* borrowed, must outlive the model; its arena is used for new nodes */
    const struct strvec *assume; /* what follows the word assume: "independent(i)",
                                    "noalias(a, b)"; may be NULL */
    const struct strvec *shared; /* arrays that share memory in the call that counts, two
                                    by two, or the same twice: rows of it do; a plan that
                                    tests whether they do is refused. May be NULL */
    bool reassociate;            /* floating-point sums may be reordered */
    bool force; /* plans that are not legal are emitted all the same: for experiments */
    int line_bytes;                /* cache line, for prefetches; 0 = 64 */
    unsigned long operation_limit; /* isl operations per step of a plan; 0 = 3,000,000 */
};

/* Fails only when no loop can be looked at (no loop at all) or an assumption names what
 * is not there. A nest that cannot be modelled stays in the view with modelled == false;
 * `refusal` says why. */
int model_build(const struct model_request *request, struct model **model,
                struct error *err);
void model_free(struct model *model);
/* Less than operation_limit for the plans that are asked for from now on. */
void model_limit(struct model *model, unsigned long operations);

/* A buffer that the nests use: parameter, global or field, never a local of the function.
 * Each field of an array of structs is an array of its own: p[i].pos.x is the array
 * "p.pos.x" of symbol p. */
struct model_array {
    const struct ir_symbol *symbol;
    const char *path; /* behind the subscripts: ".pos.x"; "" = the elements themselves */
    const char *name, *element_type; /* name: the symbol's and the path */
    size_t element_bytes;
    size_t record_bytes;  /* from one record to the next; element_bytes without a path */
    size_t record_offset; /* of the field in the record */
    size_t record_elements; /* in one record: more than 1 for a field that is an array */
    bool is_float, read, written;
    int dims; /* as declared: 1 for a plain pointer, also when linear subscripts were
                 taken apart */
    const char
        *extent_text; /* "n x n"; NULL when it cannot be said in terms of parameters */
    bool indirect;    /* some subscript is loaded from another array */
};

struct model_view {
    const struct kernel_loop *loop; /* trips: negative until model_measure */
    size_t loop_nr;
    const struct model_array *array;
    size_t array_nr;
    const struct kernel_access
        *access; /* stride_bytes of linear subscripts: 0 until model_measure */
    size_t access_nr;
    const struct kernel_record *record;
    size_t record_nr;
    const char *const *temporary;
    size_t temporary_nr;
    const struct kernel_found *found; /* what a person may change */
    size_t found_nr;
    const char *const *assumption; /* sentences */
    size_t assumption_nr;
    const char *const *dependence; /* sentences with distance vectors, value-based;
                                      computed when first asked for */
    size_t dependence_nr;
    const char *const *refusal; /* "line 8: ..." for every nest that is not modelled */
    size_t refusal_nr;
};
struct model_view model_view(struct model *model);

/* Values of integer parameters (and globals). Symbols that are missing are unknown. */
struct model_value {
    const struct ir_symbol *symbol;
    long long value;
};
struct model_values {
    const struct model_value *item;
    size_t nr;
};

/* Range of the numbers an integer array holds, both ends included; returns false when it
 * is not known. */
struct model_contents {
    bool (*range)(void *data, int array, long long *low, long long *high);
    void *data;
};

/* Counts of one call at these values; fills trips and strides of the view too. */
struct model_counts {
    struct quantity iterations; /* of innermost loops */
    struct quantity accesses; /* loads and stores of the arrays in the view, as written in
                                 the source */
    struct quantity bytes;    /* of those */
    struct quantity flops;    /* + - * / sqrt, and 1 for any other math function; fma 2 */
};
struct model_counts model_measure(struct model *model, const struct model_values *values);

/* Elements per declared dimension (`size` has room for array.dims numbers), outermost
 * first. Fails naming what is unknown, with the pragma line to add. `contents` may be
 * NULL. */
int model_extent(struct model *model, int array, const struct model_values *values,
                 const struct model_contents *contents, long long *size,
                 struct error *err);

/* What a plan rests on when the new code tests whether two arrays overlap. */
#define TESTED_APART " do not overlap (tested at run time"
/* Before the name of an array, whose rows it is then about. */
#define TESTED_ROWS "the rows of "
/* Behind "n >= 256 and m >= 64". */
#define TESTED_SIZE " (tested at run time; the original loop runs where it is less)"

#endif
