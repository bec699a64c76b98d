#include "variants/harness.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void add_scalars(const struct kernel *kernel, struct buf *out)
{
    buf_add(out, "static const struct inflight_scalar scalars[] = {\n");
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        buf_addf(out, "    {\"%s\", '%c'},\n", kernel->scalar[i].symbol->name,
                 kernel->scalar[i].is_integer ? 'i' : 'f');
    buf_add(out, "    {0, 0}\n};\n\n"); /* an empty array is no C */
}

static void add_arrays(const struct kernel *kernel, struct buf *out)
{
    buf_add(out, "static const struct inflight_array arrays[] = {\n");
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];

        if (buffer->is_filled)
            buf_addf(out, "    {\"%s\", '%c', %zu, %d, %d},\n", buffer->symbol->name,
                     buffer->kind, buffer->symbol->type.bytes, buffer->written,
                     buffer->symbol->role == IR_GLOBAL);
    }
    buf_add(out, "    {0, 0, 0, 0, 0}\n};\n\n");
}

static char result_kind(const struct kernel *kernel)
{
    const struct ir_type *result = &kernel->function->result;

    if (result->pointers == 0 && result->scalar == IR_FLOAT)
        return 'f';
    if (result->pointers == 0 && (result->scalar == IR_INT || result->scalar == IR_BOOL))
        return 'i';
    return 'v';
}

void harness_table(const struct kernel *kernel, struct buf *out)
{
    buf_add(out, "#include \"program.h\"\n\n");
    add_scalars(kernel, out);
    add_arrays(kernel, out);
    buf_addf(out,
             "const struct inflight_table inflight_table = {\n"
             "    \"%s\",\n"
             "    scalars, sizeof(scalars) / sizeof(scalars[0]) - 1,\n"
             "    arrays,  sizeof(arrays) / sizeof(arrays[0]) - 1,\n"
             "    '%c'};\n",
             kernel->function->name, result_kind(kernel));
}

/* ---- the kernel's file ---- */

static const char *const role_name[] = {"reference", "variant", "variant"};

/* The kernel may have the name of a function that the harness needs. (gcc heeds
 * redefine_extname only for what was declared before it is defined.) */
static void add_renames(const struct kernel *kernel, enum harness_role role,
                        struct buf *out)
{
    buf_addf(out, "#define %s inflight_%s_kernel\n", kernel->function->name,
             role_name[role]);
    buf_add(out, "#define main inflight_main_of_the_file\n");
}

static void add_line(struct buf *out, int line, const char *path)
{
    buf_addf(out, "#line %d \"", line);
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            buf_add(out, "\\");
        buf_add_n(out, path, 1);
    }
    buf_add(out, "\"\n");
}

static size_t scalar_place(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].symbol == symbol)
            return i;
    return 0;
}

/* Among those that are filled: the others are not in the table. */
static size_t array_place(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    size_t place = 0;

    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        if (kernel->buffer[i].symbol == symbol)
            return place;
        place += kernel->buffer[i].is_filled;
    }
    return 0;
}

static const char *scalar_member(const struct ir_symbol *symbol)
{
    return symbol->type.scalar == IR_FLOAT ? "real" : "integer";
}

static void add_globals_set(const struct kernel *kernel, struct buf *out)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct ir_symbol *symbol = kernel->scalar[i].symbol;

        if (symbol->role == IR_GLOBAL)
            buf_addf(out, "    %s = inflight_%s[%zu];\n", symbol->name,
                     scalar_member(symbol), i);
    }
}

static void add_arguments(const struct kernel *kernel, struct buf *out)
{
    const struct ir_function *function = kernel->function;

    for (size_t i = 0; i < function->param_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        bool array = symbol->type.pointers > 0;

        buf_addf(out, "%sinflight_%s[%zu]", i ? ", " : "",
                 array ? "array" : scalar_member(symbol),
                 array ? array_place(kernel, symbol) : scalar_place(kernel, symbol));
    }
}

/* One calling function: inflight_<role><suffix>_call calls `callee`. */
static void add_one_call(const struct kernel *kernel, const char *role,
                         const char *suffix, const char *callee, struct buf *out)
{
    const char *name = kernel->function->name, *result = "";

    if (result_kind(kernel) == 'f')
        result = "inflight_result->real = ";
    else if (result_kind(kernel) == 'i')
        result = "inflight_result->integer = ";
    buf_addf(out,
             "INFLIGHT_PLAIN void inflight_%s%s_call(void *const *inflight_array, "
             "const long long *inflight_integer, const double *inflight_real, "
             "struct inflight_result *inflight_result)\n"
             "{\n"
             "    __typeof__(%s) *volatile inflight_kernel = (__typeof__(%s) *)%s;\n",
             role, suffix, name, name, callee);
    add_globals_set(kernel, out);
    buf_addf(out, "    %sinflight_kernel(", result);
    add_arguments(kernel, out);
    buf_add(out, ");\n}\n");
}

/*
 * Arrays go in as void *, which C converts to whatever the parameter is, rows of variable
 * length included; the call is by a volatile pointer, so that the kernel stays the
 * function it is. The same way leads to a function that does nothing, for what the way
 * costs; that one takes no arguments, which the calling conventions of Linux allow.
 */
static void add_call(const struct kernel *kernel, const char *role, struct buf *out)
{
    const char *name = kernel->function->name;

    buf_addf(out,
             "extern __typeof__(%s) %s;\n"
             "struct inflight_result { long long integer; double real; };\n"
             "static void inflight_nothing(void) {}\n",
             name, name);
    add_one_call(kernel, role, "", name, out);
    add_one_call(kernel, role, "_empty", "inflight_nothing", out);
}

static void add_global(const struct kernel *kernel, const char *role, struct buf *out)
{
    buf_addf(out, "INFLIGHT_SHOWN void *inflight_%s_global(int i)\n{\n", role);
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];

        if (buffer->is_filled && buffer->symbol->role == IR_GLOBAL)
            buf_addf(out, "    if (i == %zu) return (void *)%s;\n",
                     array_place(kernel, buffer->symbol), buffer->symbol->name);
    }
    buf_add(out, "    return 0;\n}\n");
}

/* The user's file may begin with macros that its includes heed, so nothing is included
 * here. */
static void add_prelude(const struct kernel *kernel, enum harness_role role,
                        struct buf *out)
{
    add_renames(kernel, role, out);
    if (role == HARNESS_TRACED)
        harness_announcements(out);
    buf_add(out, "#define INFLIGHT_SHOWN __attribute__((visibility(\"default\")))\n"
                 "#ifdef __clang__\n"
                 "#define INFLIGHT_PLAIN INFLIGHT_SHOWN "
                 "__attribute__((no_sanitize(\"address\")))\n"
                 "#else\n"
                 "#define INFLIGHT_PLAIN INFLIGHT_SHOWN "
                 "__attribute__((no_sanitize(\"thread\")))\n"
                 "#endif\n");
}

/* ---- sizes of the variant ---- */

enum { LITERAL_MIN = 2, LITERAL_MAX = 1 << 16, LITERALS = 6 };

/* The next integer constant of the text, or 0 at its end; *at moves behind it. */
static long next_literal(const char **at)
{
    const char *c = *at;

    while (*c) {
        char *end;

        if (!isdigit((unsigned char)*c)) {
            bool word = isalpha((unsigned char)*c) || *c == '_' || *c == '.';

            for (c++; word && (isalnum((unsigned char)*c) || *c == '_' || *c == '.'); c++)
                ;
            continue;
        }
        long value = strtol(c, &end, 10);
        bool plain = !strchr(".eExX", *end) || !*end;

        for (c = end; isalnum((unsigned char)*c) || *c == '.'; c++)
            ;
        if (plain && value >= LITERAL_MIN && value <= LITERAL_MAX) {
            *at = c;
            return value;
        }
    }
    return 0;
}

static bool has_literal(const char *text, long wanted)
{
    for (long value; (value = next_literal(&text));)
        if (value == wanted)
            return true;
    return false;
}

/* Tile sizes, unroll factors and the like: constants that the original does not have. */
static void add_sizes(const struct kernel *kernel, const char *source, struct buf *out)
{
    long seen[LITERALS];
    size_t nr = 0;

    buf_add(out, "INFLIGHT_SHOWN extern const char inflight_variant_sizes[];\n"
                 "const char inflight_variant_sizes[] = \"");
    for (long value; nr < LITERALS && (value = next_literal(&source));) {
        bool known = has_literal(kernel->function->source, value);

        for (size_t i = 0; i < nr; i++)
            known = known || seen[i] == value;
        if (known)
            continue;
        buf_addf(out, "%s%ld", nr ? " " : "", value);
        seen[nr++] = value;
    }
    buf_add(out, "\";\n");
}

void harness_unit(const struct kernel *kernel, const char *source, const char *path,
                  enum harness_role role, struct buf *out)
{
    add_prelude(kernel, role, out);
    add_line(out, 1, path);
    buf_addf(out, "%s\n", source);
    add_line(out, 1, "the calling functions of inflight");
    buf_add(out, "#undef main\n");
    add_call(kernel, role_name[role], out);
    add_global(kernel, role_name[role], out);
    if (role == HARNESS_VARIANT)
        add_sizes(kernel, source, out);
}

void harness_side(const char *side, struct buf *out)
{
    static const char *const call[] = {"call", "empty_call"};
    static const char arguments[] = "void *const *array, const long long *integer, "
                                    "const double *real, void *result";

    buf_add(out, "#define HIDDEN __attribute__((visibility(\"hidden\")))\n"
                 "#define SHOWN __attribute__((visibility(\"default\")))\n");
    for (size_t i = 0; i < ARRAY_SIZE(call); i++)
        buf_addf(out,
                 "HIDDEN void inflight_variant_%s(%s);\n"
                 "SHOWN void inflight_%s_%s(%s)\n"
                 "{\n    inflight_variant_%s(array, integer, real, result);\n}\n",
                 call[i], arguments, side, call[i], arguments, call[i]);
    buf_addf(out,
             "HIDDEN void *inflight_variant_global(int);\n"
             "SHOWN void *inflight_%s_global(int i)\n"
             "{\n    return inflight_variant_global(i);\n}\n",
             side);
}
