#include "variants/build/harness.h"

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

/* Of the table: those that are filled. */
static size_t array_place(const struct kernel *kernel, size_t buffer)
{
    size_t place = 0;

    for (size_t i = 0; i < buffer; i++)
        place += kernel->buffer[i].is_filled;
    return place;
}

/* Is something in this memory read, and something written? */
static bool is_changed(const struct kernel *kernel, size_t memory)
{
    bool read = false, written = false;

    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        read = read || (kernel->buffer[i].memory == memory && kernel->buffer[i].read);
        written =
            written || (kernel->buffer[i].memory == memory && kernel->buffer[i].written);
    }
    return read && written;
}

static void add_array(const struct kernel *kernel, const struct kernel_buffer *buffer,
                      struct buf *out)
{
    buf_addf(out, "    {\"%s\", '%c', %zu, %zu, %zu, %zu, %zu, %zu, %d, %d, %d},\n",
             buffer->name, buffer->kind, buffer->bytes, buffer->record_bytes,
             buffer->offset, buffer->inside, buffer->inside_bytes,
             array_place(kernel, buffer->memory), buffer->written,
             is_changed(kernel, buffer->memory), lies_in_place(buffer->symbol));
}

static void add_arrays(const struct kernel *kernel, struct buf *out)
{
    buf_add(out, "static const struct inflight_array arrays[] = {\n");
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].is_filled)
            add_array(kernel, &kernel->buffer[i], out);
    buf_add(out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}\n};\n\n");
}

/* Scalars that outlive the call and may have been changed by it. */
static bool is_output(const struct ir_symbol *symbol)
{
    const struct ir_symbol *outer = outermost(symbol);
    bool outlives =
        outer->role == IR_GLOBAL ||
        (outer->role == IR_PARAM && (outer->type.pointers > 0 || outer->is_reference));

    return symbol->type.pointers == 0 && is_number_type(&symbol->type) && outlives &&
           symbol->is_written;
}

static char result_kind(const struct kernel *kernel)
{
    const struct ir_type *result = &kernel->function->result;

    return result->pointers == 0 && is_number_type(result) ? number_kind(result) : 'v';
}

static void add_outputs(const struct kernel *kernel, struct buf *out)
{
    const struct ir_function *function = kernel->function;

    buf_add(out, "static const struct inflight_output outputs[] = {\n");
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];

        if (is_output(symbol))
            buf_addf(out, "    {\"%s\", '%c', %zu},\n", symbol->name,
                     number_kind(&symbol->type), symbol->type.bytes);
    }
    buf_add(out, "    {0, 0, 0}\n};\n\n");
}

void harness_table(const struct kernel *kernel, struct buf *out)
{
    buf_add(out, "#include \"program.h\"\n\n");
    add_scalars(kernel, out);
    add_arrays(kernel, out);
    add_outputs(kernel, out);
    buf_addf(out,
             "const struct inflight_table inflight_table = {\n"
             "    \"%s\",\n"
             "    scalars, sizeof(scalars) / sizeof(scalars[0]) - 1,\n"
             "    arrays,  sizeof(arrays) / sizeof(arrays[0]) - 1,\n"
             "    outputs, sizeof(outputs) / sizeof(outputs[0]) - 1,\n"
             "    '%c', %zu};\n",
             kernel->function->name, result_kind(kernel), kernel->function->result.bytes);
}

/* ---- the kernel's file ---- */

static const char *const role_name[] = {"reference", "variant", "variant"};

/* The kernel may have the name of a function that the harness needs; C++ mangles it. (gcc
 * heeds redefine_extname only for what was declared before it is defined.) */
static void add_renames(const struct kernel *kernel, enum harness_role role,
                        struct buf *out)
{
    if (!kernel->function->is_cplusplus)
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

/* The table's entry of the memory that the symbol points to. */
static size_t symbol_place(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].symbol == symbol)
            return array_place(kernel, i);
    return 0;
}

static const char *scalar_member(const struct ir_symbol *symbol)
{
    return symbol->type.scalar == IR_FLOAT ? "real" : "integer";
}

/* Globals, and fields of structs. */
static void add_scalars_set(const struct kernel *kernel,
                            const struct harness_objects *objects, struct buf *out)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct ir_symbol *symbol = kernel->scalar[i].symbol;
        char *value = xasprintf("inflight_%s[%zu]", scalar_member(symbol), i);

        if (symbol->role != IR_PARAM || is_number_reference(symbol))
            harness_assign(objects, symbol->name, value, out);
        free(value);
    }
}

static void add_pointers_set(const struct kernel *kernel,
                             const struct harness_objects *objects, struct buf *out)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];
        char *value = xasprintf("inflight_array[%zu]", array_place(kernel, i));

        if (buffer->is_filled && buffer->memory == i &&
            buffer->symbol->role != IR_PARAM && !lies_in_place(buffer->symbol))
            harness_assign(objects, buffer->symbol->name, value, out);
        free(value);
    }
}

static void add_argument(const struct kernel *kernel,
                         const struct harness_objects *objects,
                         const struct ir_symbol *symbol, struct buf *out)
{
    if (is_single_record(kernel, symbol) || is_number_reference(symbol))
        harness_object_argument(objects, symbol, out);
    else if (symbol->type.pointers > 0)
        buf_addf(out,
                 kernel->function->is_cplusplus ? "inflight_pointer{inflight_array[%zu]}"
                                                : "inflight_array[%zu]",
                 symbol_place(kernel, symbol));
    else
        buf_addf(out,
                 kernel->function->is_cplusplus ? "inflight_as(inflight_%s[%zu])"
                                                : "inflight_%s[%zu]",
                 scalar_member(symbol), scalar_place(kernel, symbol));
}

/* What a method is called for is no argument. */
void harness_arguments(const struct harness_objects *objects, struct buf *out)
{
    const struct kernel *kernel = objects->kernel;
    size_t first = kernel->function->linkage.record != NULL;

    for (size_t i = first; i < kernel->function->param_nr; i++) {
        buf_add(out, i > first ? ", " : "");
        add_argument(kernel, objects, kernel->function->symbol[i], out);
    }
}

void harness_set_data(const struct harness_objects *objects, struct buf *out)
{
    harness_object_links(objects, out);
    add_scalars_set(objects->kernel, objects, out);
    add_pointers_set(objects->kernel, objects, out);
}

void harness_result(const struct kernel *kernel, struct buf *out)
{
    if (result_kind(kernel) == 'f')
        buf_add(out, "inflight_result->real = ");
    else if (result_kind(kernel) != 'v')
        buf_add(out, "inflight_result->integer = ");
}

/* One calling function: inflight_<role><suffix>_call calls `callee`. */
static void add_one_call(const struct harness_objects *objects, const char *role,
                         const char *suffix, const char *callee, struct buf *out)
{
    const struct kernel *kernel = objects->kernel;
    const char *name = kernel->function->name;

    buf_addf(out,
             "INFLIGHT_PLAIN void inflight_%s%s_call(void *const *inflight_array, "
             "const long long *inflight_integer, const double *inflight_real, "
             "struct inflight_result *inflight_result)\n"
             "{\n"
             "    __typeof__(%s) *volatile inflight_kernel = (__typeof__(%s) *)%s;\n",
             role, suffix, name, name, callee);
    harness_set_data(objects, out);
    buf_add(out, "    ");
    harness_result(kernel, out);
    buf_add(out, "inflight_kernel(");
    harness_arguments(objects, out);
    buf_add(out, ");\n}\n");
}

/*
 * Arrays go in as void *, which C converts to whatever the parameter is, rows of variable
 * length included; the call is by a volatile pointer, so that the kernel stays the
 * function it is. The same way leads to a function that does nothing, for what the way
 * costs; that one takes no arguments, which the calling conventions of Linux allow.
 */
static void add_call(const struct harness_objects *objects, const char *role,
                     struct buf *out)
{
    const char *name = objects->kernel->function->name;

    buf_addf(out,
             "extern __typeof__(%s) %s;\n"
             "struct inflight_result { long long integer; double real; };\n"
             "static void inflight_nothing(void) {}\n",
             name, name);
    harness_object_storage(objects, out);
    add_one_call(objects, role, "", name, out);
    add_one_call(objects, role, "_empty", "inflight_nothing", out);
}

static void add_global(const struct harness_objects *objects, const char *role,
                       struct buf *out)
{
    const struct kernel *kernel = objects->kernel;

    buf_addf(out, "INFLIGHT_SHOWN void *inflight_%s_global(int i)\n{\n", role);
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];

        if (!buffer->is_filled || !lies_in_place(buffer->symbol))
            continue;
        buf_addf(out, "    if (i == %zu) return (void *)", array_place(kernel, i));
        harness_lvalue(objects, buffer->symbol, out);
        buf_add(out, ";\n");
    }
    buf_add(out, "    return 0;\n}\n");
}

static void add_output(const struct harness_objects *objects, const char *role,
                       struct buf *out)
{
    const struct ir_function *function = objects->kernel->function;
    size_t place = 0;

    buf_addf(out, "INFLIGHT_SHOWN void *inflight_%s_output(int i)\n{\n", role);
    for (size_t i = 0; i < function->symbol_nr; i++) {
        if (!is_output(function->symbol[i]))
            continue;
        buf_addf(out, "    if (i == %zu) return (void *)&", place++);
        harness_lvalue(objects, function->symbol[i], out);
        buf_add(out, ";\n");
    }
    buf_add(out, "    return 0;\n}\n");
}

static void add_calls(const struct kernel *kernel, const char *role, struct buf *out)
{
    struct harness_objects objects = {.kernel = kernel};

    bool cplusplus = kernel->function->is_cplusplus;

    harness_list_objects(kernel, &objects.names);
    if (cplusplus)
        cxx_add_call(&objects, role, out);
    else
        add_call(&objects, role, out);
    buf_add(out, cplusplus ? "extern \"C\" {\n" : "");
    add_global(&objects, role, out);
    add_output(&objects, role, out);
    buf_add(out, cplusplus ? "}\n" : "");
    strvec_release(&objects.names);
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

enum { LITERAL_MIN = 2, LITERAL_MAX = 1 << 16, LITERALS = 16 };

static const char *skip_string(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        c += *c == '\\' && c[1];
    return c + (*c == '"');
}

/* Behind what a variant checks when it is compiled; what stands there is no size. */
static const char *skip_check(const char *c)
{
    if (strncmp(c, "_Static_assert(", 15) && strncmp(c, "static_assert(", 14))
        return c;
    while (*c && *c != ';')
        c = *c == '"' ? skip_string(c) : c + 1;
    return c;
}

/* The next integer constant of the text, or 0 at its end; *at moves behind it. */
static long next_literal(const char **at)
{
    const char *c = *at;

    while (*c) {
        char *end;

        c = skip_check(c);
        if (!*c)
            break;
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
    buf_addf(out, "%s\n", source + ir_mark_bytes(source));
    add_line(out, 1, "the calling functions of inflight");
    buf_add(out, "#undef main\n");
    add_calls(kernel, role_name[role], out);
    if (role == HARNESS_VARIANT)
        add_sizes(kernel, source, out);
}
