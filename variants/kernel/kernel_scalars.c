/* The values of a kernel's scalars: said, overridden, or by default. */
#include <string.h>

#include "variants/kernel/kernel_parts.h"

/* Keeps products, quotients and sums in range and is no power of two. */
static const double real_default = 1.5;

static int check_fits(const struct kernel_scalar *scalar, struct error *err)
{
    const struct ir_type *type = &scalar->symbol->type;
    bool wide = type->bytes >= sizeof(long long);
    long long high = wide ? 0 : 1LL << (8 * type->bytes - !type->is_unsigned);
    bool fits =
        type->is_unsigned ? scalar->integer >= 0 : wide || scalar->integer >= -high;

    if (!fits || (!wide && scalar->integer >= high))
        return fail(err, STATUS_INPUT, "%s = %lld does not fit into '%s'",
                    scalar->symbol->name, scalar->integer, type->text);
    return 0;
}

static int eval_word(struct kernel *kernel, struct kernel_scalar *scalar,
                     struct error *err)
{
    struct words_number number;

    if (scalar->is_integer) {
        if (words_eval_integer(scalar->word->text, kernel_lookup, kernel,
                               &scalar->integer, err))
            return fail_in(err, "%s", scalar->word->where);
        scalar->real = (double)scalar->integer;
        return check_fits(scalar, err);
    }
    if (words_eval(scalar->word->text, kernel_lookup, kernel, &number, err))
        return fail_in(err, "%s", scalar->word->where);
    scalar->real = number.real;
    return 0;
}

static int eval_scalar(struct kernel *kernel, struct kernel_scalar *scalar,
                       struct error *err)
{
    const char *name = scalar->symbol->name;
    int result = 0;

    if (scalar->is_known)
        return 0;
    if (scalar->is_busy)
        return fail(err, STATUS_INPUT, "the value of '%s' depends on itself", name);
    scalar->is_busy = true;
    scalar->real = real_default;
    if (scalar->is_overridden) {
        scalar->integer = scalar->override;
        scalar->real = (double)scalar->integer;
        result = check_fits(scalar, err);
    } else if (scalar->word) {
        result = eval_word(kernel, scalar, err);
    } else if (scalar->is_integer) {
        result =
            fail(err, STATUS_INPUT,
                 "%s:%d: the value of '%s' is not known; add `#pragma inflight set %s "
                 "= 1000` or --set '%s=1000' with a value that fits",
                 kernel->function->path, kernel->function->line, name, name, name);
    }
    scalar->is_busy = false;
    scalar->is_known = result == 0;
    return result;
}

/* `rows` for this->rows of a C++ method. */
static bool is_own_field(const struct kernel *kernel, const struct ir_symbol *symbol,
                         const char *name)
{
    return kernel->function->linkage.record && symbol->role == IR_FIELD &&
           strncmp(symbol->name, "this->", 6) == 0 && strcmp(symbol->name + 6, name) == 0;
}

int kernel_lookup(void *data, const char *name, struct words_number *out)
{
    struct kernel *kernel = data;

    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        struct kernel_scalar *scalar = &kernel->scalar[i];

        if (strcmp(scalar->symbol->name, name) != 0 &&
            !is_own_field(kernel, scalar->symbol, name))
            continue;
        if (eval_scalar(kernel, scalar, NULL))
            return -1;
        *out = scalar->is_integer ? words_integer(scalar->integer)
                                  : words_real(scalar->real);
        return 0;
    }
    return -1;
}

void kernel_override(struct kernel *kernel, size_t scalar, long long value)
{
    kernel->scalar[scalar].is_overridden = true;
    kernel->scalar[scalar].override = value;
}

int kernel_eval_scalars(struct kernel *kernel, struct error *err)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        kernel->scalar[i].is_known = false;
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (eval_scalar(kernel, &kernel->scalar[i], err))
            return -1;
    return 0;
}
