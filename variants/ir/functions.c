#include "variants/ir/functions.h"

#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"

#define FUNCTION(name, prototype, does, memory)                                          \
    {#name, prototype, FUNCTION_##does, memory},
const struct known_function known_functions[] = {
#include "variants/ir/functions.def"
};
#undef FUNCTION
const size_t known_function_nr = ARRAY_SIZE(known_functions);

/* It exists for each floating type, with a letter behind the name. */
static bool has_suffixes(const struct known_function *row)
{
    return strpbrk(row->prototype, "dc") && strcmp(row->prototype, "std") != 0;
}

/* In "std::" there is one for every type, and templates have the types behind them. */
static const struct known_function *standard_function(const char *name)
{
    size_t length = strcspn(name, "<");
    for (size_t i = 0; i < known_function_nr; i++)
        if (!strncmp(known_functions[i].name, name, length) &&
            !known_functions[i].name[length])
            return &known_functions[i];
    return NULL;
}

/* *suffix: the letter behind the name of the row. */
static const struct known_function *plain_function(const char *name, char *suffix)
{
    for (size_t i = 0; i < known_function_nr; i++) {
        const struct known_function *row = &known_functions[i];
        size_t length = strlen(row->name);
        if (strncmp(name, row->name, length) || !strcmp(row->prototype, "std"))
            continue;
        *suffix = name[length];
        if (!name[length] ||
            (has_suffixes(row) && strchr("fl", name[length]) && !name[length + 1]))
            return row;
    }
    return NULL;
}

static const struct known_function *find(const char *name, char *suffix)
{
    static const char builtin[] = "__builtin_";
    *suffix = '\0';
    if (!strncmp(name, "std::", 5))
        return standard_function(name + 5);
    const struct known_function *row = plain_function(name, suffix);
    return row || strncmp(name, builtin, strlen(builtin))
               ? row
               : plain_function(name + strlen(builtin), suffix);
}

const struct known_function *function_named(const char *name)
{
    char suffix;
    return find(name, &suffix);
}

/* As clang spells the type that a letter of the table stands for. */
static const char *spelt(char letter, const char *floating)
{
    switch (letter) {
    case 'v':
        return "void";
    case 'i':
        return "int";
    case 'u':
        return "unsigned int";
    case 'l':
        return "long";
    case 'L':
        return "long long";
    case 'z':
        return "unsigned long";
    case 'p':
        return "void *";
    case 'q':
        return "const void *";
    case 'k':
        return "const char *";
    case 's':
        return "char *";
    default: /* d and c */
        return floating;
    }
}

static bool has_type(const struct known_function *row, char suffix, const char *type)
{
    struct buf text = {0};
    const char *floating = suffix == 'f'   ? "float"
                           : suffix == 'l' ? "long double"
                                           : "double";
    for (const char *at = row->prototype; *at; at++) {
        const char *word = spelt(*at, floating);
        bool pointer = text.length && text.data[text.length - 1] == '*';
        if (at == row->prototype + 1)
            buf_add(&text, pointer ? "(" : " (");
        else if (at > row->prototype)
            buf_add(&text, ", ");
        buf_addf(&text, "%s%s", *at == 'c' ? "_Complex " : "", word);
    }
    buf_add(&text, ")");
    bool same = !strncmp(type, buf_str(&text), text.length) &&
                (!type[text.length] || type[text.length] == ' '); /* noexcept */
    buf_release(&text);
    return same;
}

bool function_is_declared(const struct known_function *row, const char *name,
                          const char *type, bool of_system)
{
    char suffix;
    find(name, &suffix);
    if (!*row->prototype)
        return of_system;
    return (!strncmp(name, "std::", 5) && row->does == FUNCTION_VALUE) ||
           has_type(row, suffix, type);
}

bool function_is(const struct known_function *row, enum function_does does)
{
    return row && row->does == does;
}

bool function_is_pure(const struct known_function *row)
{
    return function_is(row, FUNCTION_VALUE) || function_is(row, FUNCTION_FIRST) ||
           function_is(row, FUNCTION_NOTHING);
}

const struct known_function *expr_function(const struct ir_expr *call)
{
    const struct known_function *row = NULL;
    if (call->kind == IR_CALL)
        row = call->symbol ? call->symbol->known
                           : (call->text ? function_named(call->text) : NULL);
    return function_is(row, FUNCTION_INPUT) ? NULL : row;
}

bool expr_is_math(const struct ir_expr *expr)
{
    const struct known_function *row = expr_function(expr);
    return function_is(row, FUNCTION_VALUE) || function_is(row, FUNCTION_FIRST);
}
