/*
 * The inside of a kernel: the function as read, its loop model, and the sizes and
 * contents it is bound to. Private to variants: kernel*.c, harness.c, build.c, verify.c.
 */
#ifndef VARIANTS_KERNEL_H
#define VARIANTS_KERNEL_H

#include "core/base/hash.h"
#include "variants/contents.h"
#include "variants/ir.h"
#include "variants/kernel_tuned.h"
#include "variants/model.h"
#include "variants/pragma.h"

/* A parameter, or a global variable that a word sets. */
struct kernel_scalar {
    const struct ir_symbol *symbol;
    const struct kernel_word *word; /* what the user says, or NULL */
    bool is_integer;
    bool is_size; /* integer, free of other parameters, decides on loops or extents */
    bool is_overridden; /* by kernel_set */
    long long override;
    bool is_known, is_busy; /* busy: being evaluated */
    long long integer;
    double real;
};

struct kernel_buffer {
    const struct ir_symbol *symbol;
    int model_array;               /* index in the model's view, -1 = no loop uses it */
    char kind;                     /* as in templates/harness/program.h */
    bool read, written, is_filled; /* filled: not a constant of the source */
    const char *contents_text;
    const char *subscript_hint; /* what to propose if it must be known and is not */
    char *extent_text;
    struct contents contents;
    long long length; /* elements; negative = not known */
};

struct kernel {
    struct ir_function *function;
    struct model *model;
    struct kernel_words words;
    struct strvec assume, cflags;
    struct model_request model_request; /* that made the model */
    struct kernel_tuned tuned;
    char *hash;
    struct kernel_scalar *scalar;
    size_t scalar_nr, scalar_alloc;
    struct kernel_buffer *buffer; /* the model's arrays in its order, then the others */
    size_t buffer_nr, buffer_alloc;
    bool is_bound;
    struct model_counts counts;
    struct quantity declared_flops;
    struct quantity chains, streams, run_bytes;
    struct kernel_param *view_param;
    struct kernel_array *view_array;
};

/* kernel_bind.c */
int kernel_lookup(void *kernel, const char *name, struct words_number *out);
/* Values, extents and contents for the present words and overrides; no counts, no look at
 * the memory there is. */
int kernel_refresh(struct kernel *kernel, struct error *err);
void kernel_override(struct kernel *kernel, size_t scalar, long long value);
void kernel_find_chains(struct kernel *kernel);   /* sets kernel->chains */
void kernel_find_streams(struct kernel *kernel);  /* sets kernel->streams, run_bytes */
double kernel_bytes(const struct kernel *kernel); /* all filled buffers */

/* kernel_subscripts.c: for integer arrays whose elements decide on addresses or trip
 * counts, the contents to propose; NULL for others. */
const char *subscript_hint(const struct ir_function *function,
                           const struct ir_symbol *array);
/* Assigned to, or handed on to where it may be. */
bool may_be_written(const struct ir_function *function, const struct ir_symbol *array);
/* Does the scalar decide on loops or extents? */
bool is_size_symbol(const struct ir_function *function, const struct ir_symbol *scalar);

#endif
