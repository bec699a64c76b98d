/*
 * Tunables: macros and constants of the user's file whose value the search may choose.
 * Finding the definition, editing the text, the values and the constraints between them.
 * Private to variants.
 */
#ifndef VARIANTS_TUNABLE_H
#define VARIANTS_TUNABLE_H

#include "variants/directives/pragma.h"

enum { TUNABLE_VALUES_MAX = 4096 };

struct tunable_values {
    long long *v;
    size_t nr, alloc;
};

/*
 * What follows the name: "in {8,16,32}", "in 8:128:x2" (by factors), "in 8:128:+8" (by
 * steps), lists and ranges mixed within the braces. In the order given, each once. Fails
 * with what is wrong.
 */
int tunable_values_read(const char *text, struct tunable_values *values,
                        struct error *err);
void tunable_values_release(struct tunable_values *values);

/* Where the value stands in a C text. */
struct tunable_place {
    size_t begin, end;  /* bytes of the value */
    const char *suffix; /* of the number as written: "", "u", "UL" ... */
    long long now;
    int line;
    bool guarded; /* a macro behind `#ifndef NAME` */
    bool macro;
};

/*
 * The definition of `name` in the text: `#define NAME 32`, an enumerator `NAME = 32` or a
 * constant `const int NAME = 32`. Returns 0 and *found; fails when there are several,
 * when the value is no number, or when the name is defined as something else. Of several
 * constants the one within bytes `from` to `to` (the kernel's function) is meant.
 * `path`: for messages.
 */
int tunable_find(const char *path, const char *text, size_t length, const char *name,
                 size_t from, size_t to, bool *found, struct tunable_place *place,
                 struct error *err);
struct tunable {
    const char *name; /* of the word */
    struct tunable_values values;
    struct tunable_place place; /* in the file; with `define` begin is where the
                                   definition is put */
    bool define; /* given by -D or an included file: the written file defines it anew */
};

struct tunables {
    struct tunable *item;
    size_t nr, alloc;
    struct strvec constraint;
};

/* All that the words say, `most` of them, with their definitions found. `function` and
 * `words` must outlive it. */
int tunables_read(const struct ir_function *function,
                  const struct kernel_directives *words, const struct strvec *cflags,
                  size_t max, struct tunables *out, struct error *err);
void tunables_release(struct tunables *tunables);

/* The file's text with these values, one for each tunable; those that are as in the file
 * leave their place untouched. Caller frees. */
char *tunables_edit(const struct tunables *tunables, const char *source, size_t length,
                    const long long *value);

/* A constraint: expressions and comparisons <= < >= > == !=, joined by &&. *holds is set;
 * fails when it cannot be evaluated. */
int constraint_eval(const char *text, directive_lookup *lookup, void *data, bool *holds,
                    struct error *err);
/* Is it one? Names and values do not matter. */
int constraint_check(const char *text, struct error *err);

#endif
