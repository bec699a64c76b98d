#include "variants/build/harness.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"

/* ---- announce ---- */

/*
 * What no compiler reports of a traced kernel is announced by macros before it:
 * prefetches, copies, and vector intrinsics that are calls of builtins to the compiler.
 * Names of builtins, since the user's file includes the headers itself. Found with the
 * table of tests/variants/build/test_traced.c.
 */

/* <cstring> takes back macros by the names of its functions, so it comes before them. */
static const char plain[] =
    "#ifdef __cplusplus\n#include <cstring>\nextern \"C\" {\n#endif\n"
    "void tracer_prefetch(const void *address, int rw, int locality);\n"
    "void tracer_nontemporal_store(const void *address, __SIZE_TYPE__ bytes);\n"
    "void tracer_nontemporal(const void *address, __SIZE_TYPE__ bytes);\n"
    "void tracer_read(const void *address, __SIZE_TYPE__ bytes);\n"
    "void tracer_write(const void *address, __SIZE_TYPE__ bytes);\n"
    "void *inflight_traced_memcpy(void *, const void *, __SIZE_TYPE__);\n"
    "void *inflight_traced_memmove(void *, const void *, __SIZE_TYPE__);\n"
    "void *inflight_traced_memset(void *, int, __SIZE_TYPE__);\n"
    "#ifdef __cplusplus\n}\nnamespace std {\nusing ::inflight_traced_memcpy;\n"
    "using ::inflight_traced_memmove;\nusing ::inflight_traced_memset;\n}\n#endif\n"
    "#define INFLIGHT_PREFETCH(address, rw, locality, ...) "
    "tracer_prefetch((address), (rw), (locality))\n"
    "#define INFLIGHT_PREFETCH_1(address, ...) INFLIGHT_PREFETCH(address, 0, 3, 0)\n"
    "#define INFLIGHT_PREFETCH_2(address, rw, ...) INFLIGHT_PREFETCH(address, rw, 3, 0)\n"
    "#define INFLIGHT_PICK(a, b, c, pick, ...) pick\n"
    "#define __builtin_prefetch(...) INFLIGHT_PICK(__VA_ARGS__, INFLIGHT_PREFETCH, "
    "INFLIGHT_PREFETCH_2, INFLIGHT_PREFETCH_1, 0)(__VA_ARGS__, 0)\n"
    "#define __builtin_nontemporal_store(value, address) "
    "(tracer_nontemporal_store((address), sizeof(*(address))), *(address) = (value))\n"
    "#define memcpy inflight_traced_memcpy\n"
    "#define memmove inflight_traced_memmove\n"
    "#define memset inflight_traced_memset\n"
    "#define __builtin_memcpy inflight_traced_memcpy\n"
    "#define __builtin_memmove inflight_traced_memmove\n"
    "#define __builtin_memset inflight_traced_memset\n"
    "#define __builtin___memcpy_chk(to, from, bytes, room) "
    "inflight_traced_memcpy(to, from, bytes)\n"
    "#define __builtin___memmove_chk(to, from, bytes, room) "
    "inflight_traced_memmove(to, from, bytes)\n"
    "#define __builtin___memset_chk(to, byte, bytes, room) "
    "inflight_traced_memset(to, byte, bytes)\n";

/* Each gets the builtin, the bytes of an element (or of all), and the arguments. */
static const char macros[] =
    "#define INFLIGHT_PAST(name, bytes, to, ...) "
    "(tracer_nontemporal((to), bytes), name((to), __VA_ARGS__))\n"
    "#define INFLIGHT_PAST_PLAIN(name, bytes, to, ...) "
    "(tracer_nontemporal_store((to), bytes), name((to), __VA_ARGS__))\n"
    "#define INFLIGHT_READ(name, bytes, from) (tracer_read((from), bytes), name(from))\n"
    /* lanes of a vector whose sign bit is set */
    "#define INFLIGHT_SIGN(mask, lane, bytes) "
    "(((signed char __attribute__((vector_size(sizeof(mask)))))(mask))"
    "[((lane) + 1) * (bytes)-1] < 0)\n"
    "#define INFLIGHT_LANES(what, mask, base, bytes) "
    "for (unsigned inflight_l = 0; inflight_l < sizeof(mask) / (bytes); inflight_l++) "
    "if (INFLIGHT_SIGN(mask, inflight_l, bytes)) "
    "what((const char *)(base) + inflight_l * (bytes), (bytes));\n"
    "#define INFLIGHT_MASK_READ(name, bytes, from, mask) "
    "({ __typeof__(mask) inflight_m = (mask); __typeof__(from) inflight_a = (from); "
    "__asm__(\"\" : \"+x\"(inflight_m)); "
    "INFLIGHT_LANES(tracer_read, inflight_m, inflight_a, bytes) "
    "name(inflight_a, inflight_m); })\n"
    "#define INFLIGHT_MASK_WRITE(name, bytes, to, mask, value) "
    "({ __typeof__(mask) inflight_m = (mask); __typeof__(to) inflight_a = (to); "
    "__asm__(\"\" : \"+x\"(inflight_m)); "
    "INFLIGHT_LANES(tracer_write, inflight_m, inflight_a, bytes) "
    "name(inflight_a, inflight_m, value); })\n"
    /* lanes whose bit is set */
    "#define INFLIGHT_BITS(what, bits, base, bytes) "
    "for (unsigned inflight_l = 0; inflight_l < 64; inflight_l++) "
    "if ((unsigned long long)(bits) >> inflight_l & 1) "
    "what((const char *)(base) + inflight_l * (bytes), (bytes));\n"
    "#define INFLIGHT_BITS_READ(name, bytes, from, old, bits) "
    "({ INFLIGHT_BITS(tracer_read, bits, from, bytes) name(from, old, bits); })\n"
    "#define INFLIGHT_BITS_WRITE(name, bytes, to, value, bits) "
    "({ INFLIGHT_BITS(tracer_write, bits, to, bytes) name(to, value, bits); })\n"
    "#define INFLIGHT_PACKED_READ(name, bytes, from, old, bits) "
    "(tracer_read((from), (bytes) * __builtin_popcountll(bits)), name(from, old, bits))\n"
    "#define INFLIGHT_PACKED_WRITE(name, bytes, to, value, bits) "
    "(tracer_write((to), (bytes) * __builtin_popcountll(bits)), name(to, value, bits))\n"
    /* indices */
    "#define INFLIGHT_FEWER(a, b) ((a) < (b) ? (a) : (b))\n"
    "#define INFLIGHT_INDEXED(what, active, base, index, data, bytes, scale) "
    "for (unsigned inflight_l = 0; inflight_l < INFLIGHT_FEWER(sizeof(data) / (bytes), "
    "sizeof(index) / sizeof((index)[0])); inflight_l++) "
    "if (active) what((const char *)(base) + (long)(index)[inflight_l] * (scale), "
    "(bytes));\n"
    "#define INFLIGHT_GATHER(name, bytes, old, base, index, mask, scale) "
    "({ __typeof__(index) inflight_i = (index); __typeof__(mask) inflight_m = (mask); "
    "const void *inflight_a = (base); "
    "INFLIGHT_INDEXED(tracer_read, INFLIGHT_SIGN(inflight_m, inflight_l, bytes), "
    "inflight_a, inflight_i, inflight_m, bytes, scale) "
    "name(old, (__typeof__((base) + 0))inflight_a, inflight_i, inflight_m, scale); })\n"
    "#define INFLIGHT_GATHER_BITS(name, bytes, old, base, index, mask, scale) "
    "({ __typeof__(index) inflight_i = (index); __typeof__(old) inflight_o = (old); "
    "__typeof__(mask) inflight_m = (mask); const void *inflight_a = (base); "
    "INFLIGHT_INDEXED(tracer_read, inflight_m >> inflight_l & 1, "
    "inflight_a, inflight_i, inflight_o, bytes, scale) "
    "name(inflight_o, (__typeof__((base) + 0))inflight_a, inflight_i, inflight_m, "
    "scale); })\n"
    "#define INFLIGHT_SCATTER(name, bytes, base, mask, index, value, scale) "
    "({ __typeof__(index) inflight_i = (index); __typeof__(value) inflight_v = (value); "
    "__typeof__(mask) inflight_m = (mask); void *inflight_a = (base); "
    "INFLIGHT_INDEXED(tracer_write, inflight_m >> inflight_l & 1, "
    "inflight_a, inflight_i, inflight_v, bytes, scale) "
    "name(inflight_a, inflight_m, inflight_i, inflight_v, scale); })\n";

/* UNTIL_CLANG_19: from there on clang reports these itself. */
enum compilers { BOTH, GCC, CLANG, UNTIL_CLANG_19 };

/* `#` in a name stands for 128, 256 and 512. */
static const struct group {
    enum compilers compilers;
    const char *macro;
    int bytes;
    const char *names;
} groups[] = {
    {GCC, "PAST", 4, "movnti movntss"},
    {GCC, "PAST", 8, "movnti64 movntq movntsd"},
    {GCC, "PAST", 16, "movntpd movntps movntdq"},
    {GCC, "PAST", 32, "movntpd256 movntps256 movntdq256"},
    {GCC, "PAST", 64, "movntpd512 movntps512 movntdq512"},
    {CLANG, "PAST_PLAIN", 4, "movnti"},
    {CLANG, "PAST_PLAIN", 8, "movnti64"},
    {GCC, "READ", 16, "movntdqa lddqu"},
    {GCC, "READ", 32, "movntdqa256 lddqu256"},
    {GCC, "READ", 64, "movntdqa512"},
    {BOTH, "MASK_READ", 4, "maskloadd maskloadd256 maskloadps maskloadps256"},
    {BOTH, "MASK_READ", 8, "maskloadq maskloadq256 maskloadpd maskloadpd256"},
    {BOTH, "MASK_WRITE", 4, "maskstored maskstored256 maskstoreps maskstoreps256"},
    {BOTH, "MASK_WRITE", 8, "maskstoreq maskstoreq256 maskstorepd maskstorepd256"},
    {GCC, "BITS_READ", 1, "loaddquqi#_mask"},
    {GCC, "BITS_READ", 2, "loaddquhi#_mask"},
    {GCC, "BITS_READ", 4,
     "loadaps#_mask loadups#_mask loaddqusi#_mask movdqa32load#_mask"},
    {GCC, "BITS_READ", 8,
     "loadapd#_mask loadupd#_mask loaddqudi#_mask movdqa64load#_mask"},
    {GCC, "BITS_WRITE", 1, "storedquqi#_mask"},
    {GCC, "BITS_WRITE", 2, "storedquhi#_mask"},
    {GCC, "BITS_WRITE", 4,
     "storeaps#_mask storeups#_mask storedqusi#_mask movdqa32store#_mask"},
    {GCC, "BITS_WRITE", 8,
     "storeapd#_mask storeupd#_mask storedqudi#_mask movdqa64store#_mask"},
    {UNTIL_CLANG_19, "PACKED_READ", 4,
     "expandloadsf#_mask expandloadsf#_maskz expandloadsi#_mask expandloadsi#_maskz"},
    {UNTIL_CLANG_19, "PACKED_READ", 8,
     "expandloaddf#_mask expandloaddf#_maskz expandloaddi#_mask expandloaddi#_maskz"},
    {UNTIL_CLANG_19, "PACKED_WRITE", 4, "compressstoresf#_mask compressstoresi#_mask"},
    {UNTIL_CLANG_19, "PACKED_WRITE", 8, "compressstoredf#_mask compressstoredi#_mask"},
    {GCC, "GATHER", 4,
     "gathersiv4sf gathersiv8sf gathersiv4si gathersiv8si gatherdiv4sf gatherdiv4sf256 "
     "gatherdiv4si gatherdiv4si256"},
    {GCC, "GATHER", 8,
     "gathersiv2df gathersiv4df gathersiv2di gathersiv4di gatherdiv2df gatherdiv4df "
     "gatherdiv2di gatherdiv4di"},
    {CLANG, "GATHER", 4,
     "gatherd_ps gatherd_ps256 gatherd_d gatherd_d256 gatherq_ps gatherq_ps256 gatherq_d "
     "gatherq_d256"},
    {CLANG, "GATHER", 8,
     "gatherd_pd gatherd_pd256 gatherd_q gatherd_q256 gatherq_pd gatherq_pd256 gatherq_q "
     "gatherq_q256"},
    {BOTH, "GATHER_BITS", 4,
     "gather3siv4sf gather3siv8sf gather3siv4si gather3siv8si gather3div4sf "
     "gather3div8sf gather3div4si gather3div8si gathersiv16sf gathersiv16si "
     "gatherdiv16sf gatherdiv16si"},
    {BOTH, "GATHER_BITS", 8,
     "gather3siv2df gather3siv4df gather3siv2di gather3siv4di gather3div2df "
     "gather3div4df gather3div2di gather3div4di gathersiv8df gathersiv8di gatherdiv8df "
     "gatherdiv8di"},
    {BOTH, "SCATTER", 4,
     "scattersiv4sf scattersiv8sf scattersiv16sf scattersiv4si scattersiv8si "
     "scattersiv16si scatterdiv4sf scatterdiv8sf scatterdiv16sf scatterdiv4si "
     "scatterdiv8si scatterdiv16si"},
    {BOTH, "SCATTER", 8,
     "scattersiv2df scattersiv4df scattersiv8df scattersiv2di scattersiv4di "
     "scattersiv8di scatterdiv2df scatterdiv4df scatterdiv8df scatterdiv2di "
     "scatterdiv4di scatterdiv8di"},
};

static void add_define(const struct group *group, const char *name, size_t length,
                       const char *width, struct buf *out)
{
    const char *hash = memchr(name, '#', length);
    size_t before = hash ? (size_t)(hash - name) : length;
    struct buf full = {0};

    buf_add(&full, "__builtin_ia32_");
    buf_add_n(&full, name, before);
    if (hash) {
        buf_add(&full, width);
        buf_add_n(&full, hash + 1, length - before - 1);
    }
    buf_addf(out, "#define %s(...) INFLIGHT_%s(%s, %d, __VA_ARGS__)\n", buf_str(&full),
             group->macro, buf_str(&full), group->bytes);
    buf_release(&full);
}

static void add_group(const struct group *group, struct buf *out)
{
    static const char *const widths[] = {"128", "256", "512"};

    for (const char *name = group->names; *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");

        for (size_t i = 0; i < (memchr(name, '#', length) ? ARRAY_SIZE(widths) : 1); i++)
            add_define(group, name, length, widths[i], out);
        name += length;
    }
}

static void add_groups(enum compilers compilers, struct buf *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        if (groups[i].compilers == compilers)
            add_group(&groups[i], out);
}

/* Macros that announce to the tracer what the compiler does not report. */
static void harness_announcements(struct buf *out)
{
    buf_add(out, plain);
    buf_add(out, "#if defined(__x86_64__) || defined(__i386__)\n");
    buf_add(out, macros);
    add_groups(BOTH, out);
    buf_add(out, "#ifdef __clang__\n");
    add_groups(CLANG, out);
    buf_add(out, "#else\n");
    add_groups(GCC, out);
    buf_add(out, "#endif\n#if !defined(__clang__) || __clang_major__ < 19\n");
    add_groups(UNTIL_CLANG_19, out);
    buf_add(out, "#endif\n#endif\n");
}

/* ---- harness ---- */

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
    buf_addf(out, "    {\"%s\", '%c', %zu, %zu, %zu, %zu, %zu, %zu, %d, %d, %d, %zu},\n",
             buffer->name, buffer->kind, buffer->bytes, buffer->record_bytes,
             buffer->offset, buffer->inside, buffer->inside_bytes,
             array_place(kernel, buffer->memory), buffer->written,
             is_changed(kernel, buffer->memory), lies_in_place(buffer->symbol),
             buffer->levels);
}

static void add_arrays(const struct kernel *kernel, struct buf *out)
{
    buf_add(out, "static const struct inflight_array arrays[] = {\n");
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].is_filled)
            add_array(kernel, &kernel->buffer[i], out);
    buf_add(out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}\n};\n\n");
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

/* Did any of the new code run? A function, since in a parallel region with default(none)
 * no variable could be named. */
static void add_ran(enum harness_role role, const char *source, struct buf *out)
{
    if (role == HARNESS_VARIANT)
        buf_addf(out,
                 "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                 "INFLIGHT_SHOWN extern char inflight_variant_ran;\nchar "
                 "inflight_variant_ran = %d;\n"
                 "#ifdef __cplusplus\n}\n#endif\n"
                 "static inline __attribute__((unused)) void inflight_note_ran(void)\n{\n"
                 "    __atomic_store_n(&inflight_variant_ran, 1, __ATOMIC_RELAXED);\n}\n",
                 !text_has_word(source, KERNEL_RAN));
    buf_addf(out, "#define " KERNEL_RAN " %s\n",
             role == HARNESS_VARIANT ? "inflight_note_ran()" : "((void)0)");
}

/* The user's file may begin with macros that its includes heed, so nothing is included
 * here. */
static void add_prelude(const struct kernel *kernel, enum harness_role role,
                        const char *source, struct buf *out)
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
    add_ran(role, source, out);
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
        bool is_whole = !strchr(".eExX", *end) || !*end;

        for (c = end; isalnum((unsigned char)*c) || *c == '.'; c++)
            ;
        if (is_whole && value >= LITERAL_MIN && value <= LITERAL_MAX) {
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
    add_prelude(kernel, role, source, out);
    add_line(out, 1, path);
    buf_addf(out, "%s\n", source + ir_mark_bytes(source));
    add_line(out, 1, "the calling functions of inflight");
    buf_add(out, "#undef main\n");
    add_calls(kernel, role_name[role], out);
    if (role == HARNESS_VARIANT)
        add_sizes(kernel, source, out);
}
