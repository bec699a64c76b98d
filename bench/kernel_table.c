/* The calls of a random kernel: sizes and bounds at the ends of the types, arguments that
 * are one another. Those that the kernel does not bear are dropped by who calls it. */
#include <string.h>

#include "bench/kernel_shape.h"

enum { WORK_MAX = 40000 };

struct call_row {
    const char *kind;
    long long first, second;
};

/* The least number has no literal. */
static void add_number(long long number, struct buf *out)
{
    if (number == INT64_MIN)
        buf_add(out, "INT64_MIN, ");
    else
        buf_addf(out, "%lldLL, ", number);
}

static void add_row(const char *kind, long long first, long long second, long long m,
                    const char *rest, struct buf *out)
{
    buf_addf(out, "\t\t{\"%s\", ", kind);
    add_number(first, out);
    add_number(second, out);
    add_number(m, out);
    buf_addf(out, "%s},\n", rest);
}

/* Copies a table of rows; returns how many. */
static size_t take(struct call_row *row, const struct call_row *from, size_t nr)
{
    memcpy(row, from, nr * sizeof(*row));
    return nr;
}

/* An unsigned type's -1. */
static long long wrap_of(const struct kernel_shape *shape, long long most)
{
    return shape->i->kind != 'i' && shape->i->bits >= 64 ? -1 : most;
}

/* Bounds of a loop whose end is calculated in an unsigned type. */
static size_t rows_that_wrap(const struct kernel_shape *shape, long long most,
                             struct call_row *row)
{
    const long long wrap = wrap_of(shape, most);
    const struct call_row plus[] = {{"plain", 30, 3},
                                    {"plain", 0, 0},
                                    {"wrap", 30, wrap - 2},
                                    {"wrap", 40, wrap},
                                    {"wrap", 1, wrap}};
    const struct call_row minus[] = {{"plain", 30, 3},
                                     {"plain", 3, 3},
                                     {"wrap", 10, wrap - 4},
                                     {"wrap", 0, wrap - 32}};
    const struct call_row times[] = {
        {"plain", 0, 0}, {"wrap", 20, 0}, {"wrap", 36, 0}, {"wrap", 2, 0}};

    if (shape->bounds == BOUNDS_PLUS)
        return take(row, plus, ARRAY_SIZE(plus));
    if (shape->bounds == BOUNDS_MINUS)
        return take(row, minus, ARRAY_SIZE(minus));
    return take(row, times, ARRAY_SIZE(times));
}

/* Bounds of the outer loop, the harmless ones first; returns how many. */
static size_t rows_of(const struct kernel_shape *shape, struct call_row *row)
{
    long long least, most;
    bool is_signed = shape->i->kind == 'i';

    number_range(shape->i, &least, &most);
    const bool narrow = shape->i->bits <= 16;
    const struct call_row count[] = {{"plain", 0, 0},
                                     {"plain", 1, 1},
                                     {"plain", 3, 0},
                                     {"plain", 33, 2},
                                     {"end", narrow ? most : 40, most},
                                     {"end", least, most}};
    const long long wrap = wrap_of(shape, most);
    const struct call_row range[] = {{"plain", 0, 5},
                                     {"plain", 2, 35},
                                     {"plain", 5, 2},
                                     {"end", most - 37, most},
                                     {"end", most - 3, most},
                                     {"end", least, least + 1},
                                     {"end", least, least + 37},
                                     {"end", most, least},
                                     {"end", least, least},
                                     {"end", wrap - 37, wrap},
                                     {"end", wrap, 5},
                                     {"plain", is_signed ? -9 : 0, 30}};
    const struct call_row up_to[] = {{"plain", 0, 0},
                                     {"plain", 2, 35},
                                     {"plain", 9, 3},
                                     {"end", most - 40, most - 1},
                                     {"end", least, least + 33},
                                     {"end", least, least}};
    switch (shape->bounds) {
    case BOUNDS_COUNT:
        return take(row, count, ARRAY_SIZE(count));
    case BOUNDS_RANGE:
        return take(row, range, ARRAY_SIZE(range));
    case BOUNDS_UP_TO:
        return take(row, up_to, ARRAY_SIZE(up_to));
    case BOUNDS_DOWN:
    case BOUNDS_STEPS:
        return take(row, count, 4);
    default:
        return rows_that_wrap(shape, most, row);
    }
}

static void add_sizes(struct kernel_shape *shape, struct buf *out)
{
    static const long long inner[] = {40, 7, 3, 33, 1, 0, 13};
    struct call_row row[16];
    size_t nr = rows_of(shape, row);

    for (size_t i = 0; i < nr; i++) {
        bool is_long = !strcmp(row[i].kind, "end") && row[i].first > 200;
        bool is_many = is_long && shape->bounds == BOUNDS_COUNT;
        long long m = is_many ? 1 : inner[i % ARRAY_SIZE(inner)];

        /* clauses leave open what comes out of no iterations */
        if (shape->kernel_class == CLASS_CLAUSES && (row[i].first <= 0 || is_many))
            continue;
        add_row(row[i].kind, row[i].first, row[i].second, m,
                i % 3 == 2 ? "1, APART, 0" : "0, APART, 0", out);
        if (i < 4)
            add_row(row[i].kind, row[i].first, row[i].second, 9, "2, APART, 0", out);
    }
    if (shape->j && shape->j->bits <= 16) {
        long long least, most;

        number_range(shape->j, &least, &most);
        add_row("end", row[1].first, row[1].second, most, "0, APART, 0", out);
        add_row("end", row[1].first, row[1].second, least, "0, APART, 0", out);
    }
}

/* As add_sizes, with arguments that are one another. */
static void add_aliases(struct kernel_shape *shape, struct buf *out)
{
    static const int shifts[] = {0, 1, -1, 3, -7, 48};
    struct call_row row[16];

    rows_of(shape, row);
    if (shape->restricted)
        return;
    bool same = shape->a == shape->b || shape->kernel_class == CLASS_TYPES;
    for (size_t k = 0; same && !shape->clause && k < ARRAY_SIZE(shifts); k++) {
        char *rest = xasprintf("0, SHIFTED, %d", shifts[k]);

        add_row("overlap", row[1].first, row[1].second, 33, rest, out);
        add_row("overlap", row[3].first, row[3].second, 5, rest, out);
        free(rest);
    }
    const char *alias = shape->global    ? "GLOBAL"
                        : shape->table   ? "TABLE"
                        : shape->pointer ? "SCALAR"
                                         : NULL;
    /* contents 0 begin with a zero, which would hide the global behind it */
    for (long long m = 1; alias && !shape->clause && m <= 8; m += m == 1 ? 2 : 5)
        for (size_t k = 0; k < 8; k++) {
            char *rest = xasprintf("%d, %s, 0", k < 4, alias);

            add_row("global", row[k % 4].first, row[k % 4].second, m, rest, out);
            free(rest);
        }
}

static void add_note(const char *at, int nr, const struct number *type, struct buf *out)
{
    buf_addf(out, "\tcall_note(%s, %d, (struct call_type){'%c', sizeof(%s)});\n", at, nr,
             type->kind, type->name);
}

static void add_globals(const struct kernel_shape *shape, struct buf *out)
{
    static const struct number of_int = {"int", 'i', 32, "0"};

    buf_add(out, "static void reset(void)\n{\n");
    if (shape->global)
        buf_add(out, "\tgalpha = 3;\n");
    if (shape->table)
        buf_add(out, "\tfor (int k = 0; k < 8; k++)\n\t\tgtable[k] = k + 1;\n");
    if (shape->function)
        buf_add(out, "\tgcalls = 0;\n");
    buf_add(out, "}\nstatic void note(void)\n{\n");
    if (shape->global)
        add_note("&galpha", 1, shape->a, out);
    if (shape->table)
        add_note("gtable", 8, shape->a, out);
    if (shape->function)
        add_note("&gcalls", 1, &of_int, out);
    buf_addf(out,
             "}\nstatic void *global_of(enum alias alias, long *length)\n{\n"
             "\t*length = alias == TABLE ? 8 : 1;\n\treturn %s;\n}\n",
             shape->global    ? "&galpha"
             : shape->table   ? "gtable"
             : shape->pointer ? "&call_scalar"
                              : "(void *)0");
}

static void add_invoke(const struct kernel_shape *shape, struct buf *out)
{
    static const struct number of_int = {"int", 'i', 32, "0"};
    const struct number *result = shape->sum      ? shape->sum
                                  : shape->clause ? &of_int
                                                  : NULL;

    buf_add(out, "static void invoke(const struct call *call, void *a, void *b)\n{\n");
    if (shape->pointer)
        buf_add(out, "\tcall_scalar = 2;\n");
    buf_addf(out,
             "\t%s%skernel((%s)call->first, (%s)call->second, (%s)call->m, a, b%s);\n",
             result ? result->name : "", result ? " result = " : "", shape->i->name,
             shape->i->name, shape->j ? shape->j->name : "int",
             shape->pointer ? ", &call_scalar" : "");
    if (result)
        add_note("&result", 1, result, out);
    if (shape->pointer)
        add_note("&call_scalar", 1, shape->a, out);
    buf_add(out, "}\n");
}

/* The kernel's own loops say how long the arrays must be. */
static void add_extents(const struct kernel_shape *shape, struct buf *out)
{
    const char *j = shape->j ? shape->j->name : "int";

    buf_addf(out,
             "static void extents(const struct call *call, long *ea, long *eb)\n"
             "{\n\t%s first = (%s)call->first, second = (%s)call->second;\n\t%s m = "
             "(%s)call->m;\n\tlong work = 0;\n\t(void)second;\n\t(void)m;\n\t",
             shape->i->name, shape->i->name, shape->i->name, j, j);
    shape_outer(shape, out);
    buf_add(out, " {\n\t\t");
    if (shape->last) /* it reads b[i] */
        buf_add(out, "call_extend(eb, (long long)(i));\n\t\t");
    if (shape->j)
        shape_inner(shape, out);
    buf_addf(out,
             " {\n\t\t\tcall_extend(&work, work > %d ? -1 : work);\n"
             "\t\t\tcall_extend(ea, (long long)(%s));\n"
             "\t\t\tcall_extend(eb, (long long)(%s));\n\t\t}\n\t}\n}\n",
             WORK_MAX, shape->ia, shape->ib);
}

void shape_calls(struct kernel_shape *shape, struct buf *out)
{
    buf_add(out, "#ifdef TEST\n");
    for (size_t k = 0; k < shape->macro_nr; k++)
        buf_addf(out, "#undef %s\n", shape->macro[k][0]);
    buf_add(out, "#include \"bench/kernel_call.h\"\n");
    if (shape->pointer)
        buf_addf(out, "static %s call_scalar;\n", shape->a->name);
    buf_add(out, "static const struct call call[] = {\n");
    add_sizes(shape, out);
    add_aliases(shape, out);
    buf_add(out, "};\n");
    add_globals(shape, out);
    add_extents(shape, out);
    add_invoke(shape, out);
    buf_addf(out,
             "static const struct call_kernel table = {call, sizeof(call) / "
             "sizeof(call[0]),\n\t{'%c', sizeof(%s)}, {'%c', sizeof(%s)}, extents, "
             "invoke, reset, note, global_of};\n"
             "int main(int argc, char **argv)\n{\n"
             "\treturn call_main(argc, argv, &table);\n}\n#endif\n",
             shape->a->kind, shape->a->name, shape->b->kind, shape->b->name);
}
