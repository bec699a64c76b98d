/*
 * The C text around a kernel: the programs of templates/harness need a table of the
 * parameters and, in the kernel's own file, two functions that call it. Private to
 * variants.
 */
#ifndef VARIANTS_HARNESS_H
#define VARIANTS_HARNESS_H

#include "variants/kernel/kernel_parts.h"

struct buf;

enum harness_role {
    HARNESS_REFERENCE, /* the untransformed kernel */
    HARNESS_VARIANT,
    HARNESS_TRACED /* a variant whose prefetches and copies are announced */
};

/* A file with the table. */
void harness_table(const struct kernel *kernel, struct buf *out);

/* `source`, which stands in the file `path`, with the calling functions behind it. */
void harness_unit(const struct kernel *kernel, const char *source, const char *path,
                  enum harness_role role, struct buf *out);

/* harness_objects.c: the structs that the kernel is given. */
struct harness_objects {
    const struct kernel *kernel;
    struct strvec names; /* what points to each, or holds it: "g", "s->grid" */
};
void harness_list_objects(const struct kernel *kernel, struct strvec *names);
/* Declares their storage. */
void harness_object_storage(const struct harness_objects *objects, struct buf *out);
/* Statements that let pointers point to objects. */
void harness_object_links(const struct harness_objects *objects, struct buf *out);
/* What stands for the parameter `symbol` in a call. */
void harness_object_argument(const struct harness_objects *objects,
                             const struct ir_symbol *symbol, struct buf *out);
/* A field or a global variable as a place in memory. */
void harness_lvalue(const struct harness_objects *objects, const struct ir_symbol *symbol,
                    struct buf *out);
/* A statement that sets the place called `name` to the C text `value`, const or not. */
void harness_assign(const struct harness_objects *objects, const char *name,
                    const char *value, struct buf *out);

/* harness.c, for calls: statements that fill in globals and structs; the arguments, with
 * commas between them; "inflight_result->real = ", or nothing. */
void harness_set_data(const struct harness_objects *objects, struct buf *out);
void harness_arguments(const struct harness_objects *objects, struct buf *out);
void harness_result(const struct kernel *kernel, struct buf *out);

/* cxx_harness.c: the calling functions of a C++ kernel, and what compiles them. */
void cxx_add_flags(struct strvec *flags);
void cxx_add_call(const struct harness_objects *objects, const char *role,
                  struct buf *out);

#endif
