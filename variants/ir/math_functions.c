/* The functions of <math.h>, and of C++, that depend on their arguments alone. */
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"

/* Of the types of such a function, result first: d its floating type, c complex, i int,
 * l long, L long long; most are "dd". */
static const struct {
    const char *name, *types;
} pure[] = {{"sqrt", "dd"},   {"cbrt", "dd"},      {"fabs", "dd"},  {"exp", "dd"},
            {"exp2", "dd"},   {"expm1", "dd"},     {"log", "dd"},   {"log2", "dd"},
            {"log10", "dd"},  {"log1p", "dd"},     {"sin", "dd"},   {"cos", "dd"},
            {"tan", "dd"},    {"asin", "dd"},      {"acos", "dd"},  {"atan", "dd"},
            {"atan2", "ddd"}, {"sinh", "dd"},      {"cosh", "dd"},  {"tanh", "dd"},
            {"pow", "ddd"},   {"hypot", "ddd"},    {"fma", "dddd"}, {"fmin", "ddd"},
            {"fmax", "ddd"},  {"fmod", "ddd"},     {"floor", "dd"}, {"ceil", "dd"},
            {"round", "dd"},  {"trunc", "dd"},     {"rint", "dd"},  {"nearbyint", "dd"},
            {"erf", "dd"},    {"copysign", "ddd"}, {"erfc", "dd"},  {"tgamma", "dd"},
            {"abs", "ii"},    {"labs", "ll"},      {"llabs", "LL"}, {"fdim", "ddd"},
            {"ldexp", "ddi"}, {"conj", "cc"},      {"creal", "dc"}, {"cimag", "dc"},
            {"cabs", "dc"},   {"carg", "dc"},      {"cexp", "cc"},  {"clog", "cc"},
            {"csqrt", "cc"},  {"cpow", "ccc"},     {"csin", "cc"},  {"ccos", "cc"},
            {"cproj", "cc"}};

/* Of C++, behind "std::": the same, which are there for every type, and templates with
 * the types behind them. */
static bool standard_function(const char *name)
{
    static const char *const templates[] = {"min", "max", "clamp"};
    size_t length = strcspn(name, "<");
    for (size_t i = 0; i < ARRAY_SIZE(pure); i++)
        if (strlen(pure[i].name) == length && !strncmp(name, pure[i].name, length))
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(templates); i++)
        if (strlen(templates[i]) == length && !strncmp(name, templates[i], length))
            return true;
    return false;
}

/* Its place in the table, and the letter behind the name; false = none. */
static bool find_pure(const char *name, size_t *index, char *suffix)
{
    if (!strncmp(name, "__builtin_", 10))
        name += 10;
    for (size_t i = 0; i < ARRAY_SIZE(pure); i++) {
        size_t length = strlen(pure[i].name);
        if (!strncmp(name, pure[i].name, length) &&
            (!name[length] || (strchr("fl", name[length]) && !name[length + 1]))) {
            *index = i;
            *suffix = name[length];
            return true;
        }
    }
    return false;
}

bool math_function(const char *name)
{
    size_t index;
    char suffix;
    if (!strncmp(name, "std::", 5))
        return standard_function(name + 5);
    return find_pure(name, &index, &suffix);
}

bool math_prototype(const char *name, const char *type)
{
    struct buf text = {0};
    size_t index;
    char suffix;
    if (!strncmp(name, "std::", 5))
        return standard_function(name + 5);
    if (!find_pure(name, &index, &suffix))
        return false;
    const char *floating = suffix == 'f'   ? "float"
                           : suffix == 'l' ? "long double"
                                           : "double";
    const char *types = pure[index].types;
    for (size_t i = 0; types[i]; i++) {
        buf_add(&text, i == 1 ? " (" : i ? ", " : "");
        buf_addf(&text, "%s%s", types[i] == 'c' ? "_Complex " : "",
                 types[i] == 'i'   ? "int"
                 : types[i] == 'l' ? "long"
                 : types[i] == 'L' ? "long long"
                                   : floating);
    }
    buf_add(&text, ")");
    bool same = !strncmp(type, buf_str(&text), text.length) &&
                (!type[text.length] || type[text.length] == ' '); /* noexcept */
    buf_release(&text);
    return same;
}

bool expr_is_math(const struct ir_expr *call)
{
    return call->text && math_function(call->text) &&
           (!call->symbol || call->symbol->is_math);
}

bool ir_only_prints(const char *function)
{
    static const char *const names[] = {"printf", "fprintf", "puts",   "fputs", "putchar",
                                        "fputc",  "fflush",  "perror", "putc"};
    const char *name = !strncmp(function, "std::", 5) ? function + 5 : function;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}
