/* Can one function be called in place of another? */
#include <string.h>

#include "variants/kernel/kernel_parts.h"

static const char *kind_word(const struct ir_symbol *symbol)
{
    if (symbol->type.pointers > 0)
        return "an array of ";
    return "";
}

static bool same_element(const struct ir_type *a, const struct ir_type *b)
{
    return a->scalar == b->scalar && a->bytes == b->bytes;
}

/* The caller converts numbers: a long may take the place of an int. Elements of arrays
 * are where they are. */
static bool same_param(const struct ir_symbol *a, const struct ir_symbol *b)
{
    if ((a->type.pointers > 0) != (b->type.pointers > 0))
        return false;
    if (a->type.pointers > 0)
        return same_element(&a->type, &b->type);
    return (a->type.scalar == IR_FLOAT) == (b->type.scalar == IR_FLOAT);
}

static bool has_param(const struct ir_function *function, const char *name)
{
    for (size_t i = 0; i < function->param_nr; i++)
        if (strcmp(function->symbol[i]->name, name) == 0)
            return true;
    return false;
}

static bool same_result(const struct ir_type *a, const struct ir_type *b)
{
    return a->pointers == b->pointers &&
           (a->scalar == IR_FLOAT) == (b->scalar == IR_FLOAT) &&
           (a->scalar == IR_VOID) == (b->scalar == IR_VOID);
}

static int check_params(const struct ir_function *a, const struct ir_function *b,
                        struct error *err)
{
    for (size_t i = 0; i < a->param_nr; i++) {
        const struct ir_symbol *one = a->symbol[i], *other = b->symbol[i];

        if (!same_param(one, other))
            return fail(err, STATUS_USAGE,
                        "parameter %zu of '%s' (%s) is %s%s, that of '%s' (%s) is %s%s: "
                        "the two cannot be called in the same way",
                        i + 1, a->name, one->name, kind_word(one), one->type.text,
                        b->name, other->name, kind_word(other), other->type.text);
        if (strcmp(one->name, other->name) != 0 && has_param(b, one->name) &&
            has_param(a, other->name))
            return fail(err, STATUS_USAGE,
                        "parameter %zu is '%s' in '%s' and '%s' in '%s': the same names "
                        "in another order cannot be called in the same way",
                        i + 1, one->name, a->name, other->name, b->name);
    }
    return 0;
}

/* In C++ the text around the call says which function it is. */
static int check_linkage(const struct ir_function *a, const struct ir_function *b,
                         struct error *err)
{
    if (a->is_cplusplus != b->is_cplusplus)
        return fail(err, STATUS_USAGE,
                    "'%s' in '%s' is %s and '%s' in '%s' is %s: the two cannot be called "
                    "in the same way",
                    a->name, a->path, a->is_cplusplus ? "C++" : "C", b->name, b->path,
                    b->is_cplusplus ? "C++" : "C");
    if (a->is_cplusplus && (strcmp(a->linkage.callee, b->linkage.callee) != 0 ||
                            strcmp(a->linkage.type, b->linkage.type) != 0))
        return fail(
            err, STATUS_USAGE,
            "'%s' of type '%s' and '%s' of type '%s' cannot be called in the same way: "
            "two versions of a C++ function have one name, with the same scopes, and "
            "the same types",
            a->linkage.callee, a->linkage.type, b->linkage.callee, b->linkage.type);
    return 0;
}

int kernel_same_call(const struct kernel *a, const struct kernel *b, struct error *err)
{
    const struct ir_function *one = a->function, *other = b->function;

    if (check_linkage(one, other, err))
        return -1;
    if (one->param_nr != other->param_nr)
        return fail(err, STATUS_USAGE,
                    "'%s' takes %zu parameters and '%s' %zu: the two cannot be called in "
                    "the same way",
                    one->name, one->param_nr, other->name, other->param_nr);
    if (!same_result(&one->result, &other->result))
        return fail(err, STATUS_USAGE,
                    "'%s' returns %s and '%s' %s: the results cannot be compared",
                    one->name, one->result.text, other->name, other->result.text);
    return check_params(one, other, err);
}

void kernel_same_sizes(const struct kernel *from, const struct kernel *to,
                       struct strvec *words)
{
    for (size_t i = 0; i < from->function->param_nr; i++) {
        const struct ir_symbol *symbol = from->function->symbol[i];

        for (size_t k = 0; k < from->scalar_nr; k++)
            if (from->scalar[k].symbol == symbol && from->scalar[k].is_known) {
                const char *name = to->function->symbol[i]->name;

                if (from->scalar[k].is_integer)
                    strvec_pushf(words, "set %s = %lld", name, from->scalar[k].integer);
                else
                    strvec_pushf(words, "set %s = %.17g", name, from->scalar[k].real);
            }
    }
}
