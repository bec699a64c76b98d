/*
 * Structs that a kernel is given: storage for each, behind the user's file and with its
 * types, and the statements that fill in the fields before a call. Storage of bytes, so
 * that fields and structs that are const can be filled in as well.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/build/harness.h"

/* ---- which structs there are ---- */

static bool add_object(struct strvec *objects, const char *name, size_t length)
{
    for (size_t i = 0; i < objects->nr; i++)
        if (strlen(objects->v[i]) == length && strncmp(objects->v[i], name, length) == 0)
            return false;
    strvec_pushf(objects, "%.*s", (int)length, name);
    return true;
}

static bool is_supplied(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].symbol == symbol)
            return true;
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].symbol == symbol && kernel->buffer[i].is_filled)
            return true;
    return false;
}

/* What is in front of every `->`: "s" and "s->grid" of s->grid->nx. */
static void add_pointers(const char *name, struct strvec *objects)
{
    for (const char *at = strstr(name, "->"); at; at = strstr(at + 2, "->"))
        add_object(objects, name, (size_t)(at - name));
}

void harness_list_objects(const struct kernel *kernel, struct strvec *objects)
{
    const struct ir_function *function = kernel->function;

    for (size_t i = 0; i < function->param_nr; i++)
        if (is_single_record(kernel, function->symbol[i]) ||
            is_number_reference(function->symbol[i]))
            add_object(objects, function->symbol[i]->name,
                       strlen(function->symbol[i]->name));
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (function->symbol[i]->role == IR_FIELD &&
            is_supplied(kernel, function->symbol[i]))
            add_pointers(function->symbol[i]->name, objects);
}

static size_t object_place(const struct strvec *objects, const char *name, size_t length)
{
    for (size_t i = 0; i < objects->nr; i++)
        if (strlen(objects->v[i]) == length && strncmp(objects->v[i], name, length) == 0)
            return i;
    return objects->nr;
}

/* ---- C text ---- */

static const struct ir_symbol *symbol_named(const struct kernel *kernel, const char *name,
                                            size_t length)
{
    const struct ir_function *function = kernel->function;

    for (size_t i = 0; i < function->symbol_nr; i++)
        if (strlen(function->symbol[i]->name) == length &&
            strncmp(function->symbol[i]->name, name, length) == 0)
            return function->symbol[i];
    return NULL;
}

static size_t last_arrow(const char *name, size_t length)
{
    for (size_t i = length; i-- > 1;)
        if (name[i - 1] == '-' && name[i] == '>')
            return i - 1;
    return 0;
}

static void add_lvalue(const struct harness_objects *objects, const char *name,
                       size_t length, struct buf *out);

/* An expression with the type of a pointer to the object of that name. */
static void add_pointer_type(const struct harness_objects *objects, const char *name,
                             size_t length, struct buf *out)
{
    const struct ir_symbol *symbol = symbol_named(objects->kernel, name, length);

    if (symbol && symbol->role == IR_PARAM) {
        buf_addf(out, "%s *", symbol->type.text);
        return;
    }
    buf_add(out, "__typeof__(");
    add_lvalue(objects, name, length, out);
    buf_add(out, ")");
}

static void add_object_value(const struct harness_objects *objects, const char *name,
                             size_t length, struct buf *out)
{
    buf_add(out, "(*(");
    add_pointer_type(objects, name, length, out);
    buf_addf(out, ")inflight_object_%zu)", object_place(&objects->names, name, length));
}

/* "g->box.v" as a place in the storage, "G.nx" of a global struct as it stands. */
static void add_lvalue(const struct harness_objects *objects, const char *name,
                       size_t length, struct buf *out)
{
    size_t arrow = last_arrow(name, length);
    size_t base = (size_t)(strcspn(name, ".-"));
    const struct ir_symbol *symbol =
        symbol_named(objects->kernel, name, base < length ? base : length);

    if (arrow > 0) {
        add_object_value(objects, name, arrow, out);
        buf_addf(out, ".%.*s", (int)(length - arrow - 2), name + arrow + 2);
    } else if (symbol && symbol->role == IR_PARAM) {
        add_object_value(objects, name, base, out);
        buf_add_n(out, name + base, length - base);
    } else {
        buf_add_n(out, name, length);
    }
}

void harness_lvalue(const struct harness_objects *objects, const struct ir_symbol *symbol,
                    struct buf *out)
{
    add_lvalue(objects, symbol->name, strlen(symbol->name), out);
}

void harness_assign(const struct harness_objects *objects, const char *name,
                    const char *value, struct buf *out)
{
    struct buf place = {0};

    add_lvalue(objects, name, strlen(name), &place);
    if (objects->kernel->function->is_cplusplus)
        buf_addf(out, "    inflight_set(%s, %s);\n", buf_str(&place), value);
    else
        buf_addf(out, "    *(__typeof__((__typeof__(%s))0) *)&%s = %s;\n",
                 buf_str(&place), buf_str(&place), value);
    buf_release(&place);
}

void harness_object_storage(const struct harness_objects *objects, struct buf *out)
{
    for (size_t i = 0; i < objects->names.nr; i++) {
        const char *name = objects->names.v[i];

        buf_add(out, "static char inflight_object_");
        buf_addf(out, "%zu[sizeof(*(", i);
        add_pointer_type(objects, name, strlen(name), out);
        buf_add(out, ")0)] __attribute__((aligned(64)));\n");
    }
}

void harness_object_argument(const struct harness_objects *objects,
                             const struct ir_symbol *symbol, struct buf *out)
{
    size_t length = strlen(symbol->name);

    buf_add(out, symbol->type.pointers ? "&" : "");
    add_object_value(objects, symbol->name, length, out);
}

/* Pointers from one object to the next, and those that are global variables. */
void harness_object_links(const struct harness_objects *objects, struct buf *out)
{
    for (size_t i = 0; i < objects->names.nr; i++) {
        const char *name = objects->names.v[i];
        const struct ir_symbol *symbol =
            symbol_named(objects->kernel, name, strlen(name));
        char *value = xasprintf("(void *)inflight_object_%zu", i);

        if (!symbol || symbol->role != IR_PARAM)
            harness_assign(objects, name, value, out);
        free(value);
    }
}
