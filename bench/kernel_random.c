#include "bench/kernel_random.h"

#include <stdlib.h>
#include <string.h>

#include "bench/kernel_shape.h"
#include "core/base/random.h"

static const struct number numbers[] = {
    {"signed char", 'i', 8, "1"},
    {"unsigned char", 'u', 8, "100"},
    {"short", 'i', 16, "1000"},
    {"uint16_t", 'u', 16, "30000"},
    {"int", 'i', 32, "100000"},
    {"unsigned", 'u', 32, "16777215"},
    {"long", 'i', 64, "100000"},
    {"uint64_t", 'u', 64, "1000000"},
    {"float", 'f', 32, "16777215.0f"},
    {"double", 'f', 64, "9007199254740991.0"},
    {"_Bool", 'b', 8, "0"},
    {"uint32_t", 'u', 32, "16777210"},
    {"int8_t", 'i', 8, "2"},
    {"int16_t", 'i', 16, "1000"},
    {"unsigned short", 'u', 16, "30000"},
    {"long long", 'i', 64, "100000"},
};

/* Some that a tool like ours would use, the likeliest more than once. */
static const char *const likely_names[] = {
    "it",    "jt",     "it",       "jt",   "i0",   "j0",   "a_0", "b_0",  "s_0",
    "it2",   "jt2",    "i_0",      "j_0",  "it_0", "jts",  "acc", "a_1",  "next",
    "end",   "rest",   "w",        "x_0",  "t",    "stop", "ib",  "jb",   "js",
    "lanes", "a_pack", "galpha_0", "part", "out",  "in",   "to",  "from", "a_line"};
static const char *const unlikely_values[] = {"i", "5", "0", "(a)", "", "+", "second"};
static const char *const functions[] = {"sqrt", "fabs", "exp", "floor", "sin", "cbrt"};

/* V stands for a number that is read, in these and in what is stored. */
static const struct {
    const char *pragma, *last;
} clauses[] = {
    {"omp parallel for lastprivate(last)", "last = (int)V;"},
    {"omp parallel for firstprivate(last) schedule(static, 3)", NULL},
    {"omp parallel for reduction(+ : last)", "last += V > 1 ? 2 : 1;"},
    /* not dynamic: clang's last thread is not always the one of the last iteration */
    {"omp parallel for schedule(static, 2) lastprivate(last)", "last = V > 1 ? 3 : 4;"},
    {"omp parallel for reduction(max : last) schedule(guided)",
     "last = last > (int)V + 5 ? last : (int)V + 5;"},
    {"omp parallel for ordered",
     "\n\t\t#pragma omp ordered\n\t\tlast = last / 2 + (int)V;"},
    {"omp simd linear(last : 2)", "last += 2;"},
    {"omp simd lastprivate(last)", "last = (int)V;"},
    {"omp simd reduction(+ : last)", "last += V > 1;"},
    {"omp parallel for simd lastprivate(last)", "last = V > 1 ? 3 : 4;"},
    {"omp parallel for collapse(2)", NULL},
};

const char *kernel_class_word(enum kernel_class kernel_class)
{
    static const char *const words[] = {"sums",  "counters", "globals",
                                        "wraps", "clauses",  "functions",
                                        "types", "macros",   "overlaps"};
    return words[kernel_class];
}

size_t shape_below(struct kernel_shape *shape, size_t limit)
{
    return limit ? random_next(&shape->state) % limit : 0;
}

void number_range(const struct number *number, long long *least, long long *most)
{
    int bits = number->bits - (number->kind == 'i');

    *most = bits >= 63 ? INT64_MAX : (1LL << bits) - 1;
    *least = number->kind == 'i' ? -*most - 1 : 0;
}

/* One whose kind is in `kinds` and that has at most `bits`. */
static const struct number *some_number(struct kernel_shape *shape, const char *kinds,
                                        int bits)
{
    for (;;) {
        const struct number *number = &numbers[shape_below(shape, ARRAY_SIZE(numbers))];

        if (strchr(kinds, number->kind) && number->bits <= bits)
            return number;
    }
}

/* ---- what is drawn ---- */

static void draw_loops(struct kernel_shape *shape)
{
    bool clauses_need = shape->kernel_class == CLASS_CLAUSES;
    bool wraps = shape->kernel_class == CLASS_WRAPS;

    shape->i = some_number(shape, wraps ? "u" : "iu", 64);
    while (wraps && shape->i->bits < 32) /* narrower ones become int */
        shape->i = some_number(shape, "u", 64);
    if (shape->kernel_class != CLASS_COUNTERS && !wraps && shape_below(shape, 3))
        shape->i = &numbers[shape_below(shape, 2) ? 4 : 6];
    shape->bounds = wraps          ? BOUNDS_PLUS + (enum bounds)shape_below(shape, 3)
                    : clauses_need ? BOUNDS_COUNT
                                   : (enum bounds)shape_below(shape, BOUNDS_STEPS + 1);
    if (shape->bounds == BOUNDS_DOWN && shape->i->kind == 'u')
        shape->bounds = BOUNDS_RANGE;
    bool nested = shape_below(shape, 3) || shape->kernel_class == CLASS_GLOBALS ||
                  shape->kernel_class == CLASS_TYPES;
    if (nested)
        shape->j =
            some_number(shape, "iu", shape->kernel_class == CLASS_COUNTERS ? 16 : 64);
    shape->is_triangle = nested && shape->bounds == BOUNDS_COUNT && !wraps &&
                         !clauses_need && shape_below(shape, 5) == 0;
    shape->base = shape->bounds == BOUNDS_RANGE || shape->bounds == BOUNDS_UP_TO
                      ? "(i - first)"
                      : "i";
}

static const char *subscript(struct kernel_shape *shape, bool of_a)
{
    static const char *const plain[][2] = {{"i", "(i - first)"},
                                           {"i + 1", "i - first + 1"},
                                           {"2 * i", "2 * (i - first)"},
                                           {"i * 48 + j", "(i - first) * 48 + j"},
                                           {"j * 48 + i", "j * 48 + (i - first)"},
                                           {"j", "j"}};
    bool from_first = shape->base[0] == '(';
    bool clauses_need = shape->kernel_class == CLASS_CLAUSES;
    size_t which = shape->j
                       ? (size_t)(of_a && clauses_need ? 3 : 3 + shape_below(shape, 3))
                       : (size_t)(of_a && clauses_need ? 0 : shape_below(shape, 3));

    if (shape->j && !(of_a && clauses_need) && shape_below(shape, 4) == 0)
        which = 0;
    if (of_a &&
        (shape->kernel_class == CLASS_GLOBALS || shape->kernel_class == CLASS_TYPES) &&
        shape_below(shape, 4))
        which = 5;
    return plain[which][from_first];
}

static void draw_names(struct kernel_shape *shape)
{
    bool wanted = shape->kernel_class == CLASS_MACROS;

    shape->macro_nr = wanted ? 2 + shape_below(shape, ARRAY_SIZE(shape->macro) - 1) : 0;
    for (size_t k = 0; k < shape->macro_nr; k++) {
        bool again = true;

        while (again) {
            shape->macro[k][0] =
                likely_names[shape_below(shape, ARRAY_SIZE(likely_names))];
            again = false;
            for (size_t l = 0; l < k; l++)
                again = again || !strcmp(shape->macro[l][0], shape->macro[k][0]);
        }
        shape->macro[k][1] =
            unlikely_values[shape_below(shape, ARRAY_SIZE(unlikely_values))];
    }
}

static void draw_numbers(struct kernel_shape *shape)
{
    enum kernel_class what = shape->kernel_class;

    shape->a = some_number(shape, "iuf", 64);
    shape->b = shape_below(shape, 3) ? shape->a : some_number(shape, "iuf", 64);
    if (what == CLASS_SUMS) {
        shape->sum = some_number(shape, shape_below(shape, 2) ? "u" : "iufb", 64);
        shape->b = some_number(shape, shape_below(shape, 2) ? "f" : "iu", 64);
    } else if (what != CLASS_CLAUSES && shape_below(shape, 4) == 0) {
        shape->sum = some_number(shape, "iuf", 64);
    }
    if (what == CLASS_FUNCTIONS)
        shape->a = shape->b = &numbers[9];
    while (what == CLASS_TYPES && shape->b->kind == shape->a->kind)
        shape->b = some_number(shape, "iuf", 64);
    while (what == CLASS_CLAUSES && shape->b->kind == 'f')
        shape->b = some_number(shape, "iu", 32);
    if (what == CLASS_OVERLAPS && shape_below(shape, 4))
        shape->b = shape->a;
}

static void draw(struct kernel_shape *shape)
{
    enum kernel_class what = shape->kernel_class;

    draw_numbers(shape);
    draw_loops(shape);
    shape->ia = subscript(shape, true);
    shape->ib = subscript(shape, false);
    shape->restricted = what != CLASS_GLOBALS && what != CLASS_TYPES &&
                        what != CLASS_OVERLAPS && shape_below(shape, 4);
    size_t scalar =
        what == CLASS_GLOBALS ? shape_below(shape, 4) % 3 : shape_below(shape, 6);
    shape->global = scalar == 0;
    shape->table = scalar == 1;
    shape->pointer = scalar == 2 && !shape->restricted;
    if (what == CLASS_FUNCTIONS) {
        shape->function = functions[shape_below(shape, ARRAY_SIZE(functions))];
        shape->function_behind = shape_below(shape, 3) == 0;
    }
    if (what == CLASS_CLAUSES) {
        size_t which = shape_below(shape, ARRAY_SIZE(clauses) - (shape->j ? 0 : 1));

        shape->clause = clauses[which].pragma;
        shape->last = clauses[which].last;
        shape->last_behind = shape_below(shape, 2);
    }
    draw_names(shape);
}

/* ---- the text ---- */

void shape_outer(const struct kernel_shape *shape, struct buf *out)
{
    static const char *const heads[] = {
        [BOUNDS_COUNT] = "i = 0; i < first; i++",
        [BOUNDS_RANGE] = "i = first; i < second; i++",
        [BOUNDS_UP_TO] = "i = first; i <= second; i++",
        [BOUNDS_DOWN] = "i = first - 1; i >= 0; i--",
        [BOUNDS_STEPS] = "i = 0; i < first; i += 3",
        [BOUNDS_PLUS] = "i = 0; i < first + second; i++",
        [BOUNDS_MINUS] = "i = 0; i < first - second; i++",
        [BOUNDS_TIMES] = "i = 0; i < first * 0x80000001u; i++",
    };
    buf_addf(out, "for (%s %s)", shape->i->name, heads[shape->bounds]);
}

void shape_inner(const struct kernel_shape *shape, struct buf *out)
{
    buf_addf(out, "for (%s j = 0; j < %s; j++)", shape->j->name,
             shape->is_triangle ? "i" : "m");
}

/* What is read. Caller frees. */
static char *value_of(const struct kernel_shape *shape)
{
    const char *scalar = shape->global    ? " * galpha"
                         : shape->table   ? " * gtable[2]"
                         : shape->pointer ? " * *p"
                                          : "";

    return shape->function ? xasprintf("%s(b[%s])%s", shape->function, shape->ib, scalar)
                           : xasprintf("b[%s]%s", shape->ib, scalar);
}

/* `form` with the element written in the place of A, the value read in the place of V. */
static void add_form(const struct kernel_shape *shape, const char *form,
                     const char *value, struct buf *out)
{
    for (; *form; form++)
        if (*form == 'A')
            buf_addf(out, "a[%s]", shape->ia);
        else if (*form == 'V')
            buf_addf(out, "(%s)", value);
        else
            buf_add_n(out, form, 1);
}

static bool is_real_value(const struct kernel_shape *shape)
{
    bool scalar = shape->global || shape->table || shape->pointer;

    return shape->b->kind == 'f' || (scalar && shape->a->kind == 'f');
}

/* Integers stay small. */
static void add_store(struct kernel_shape *shape, const char *value, struct buf *out)
{
    static const char *const real[] = {"A = A * 0.5 + V;", "A = V;", "A += V;",
                                       "A = -V;"};
    static const char *const integer[] = {"A = (A / 2 + V) & 0x3f;", "A = V & 0x7f;",
                                          "A = (A ^ V) & 0x7f;", "A = V > 2 ? 3 : A;"};
    static const char *const mixed[] = {"A = A / 2 + (V > 1 ? 3 : 1);", "A = V > 1;",
                                        "A = A ^ (V > 1 ? 5 : 3);",
                                        "if (V > 1)\n\t\t\t\tA = 3;"};
    const char *const *forms = shape->a->kind == 'f'  ? real
                               : is_real_value(shape) ? mixed
                                                      : integer;
    add_form(shape, forms[shape_below(shape, 4)], value, out);
}

static void add_sum(struct kernel_shape *shape, const char *value, struct buf *out)
{
    static const char *const forms[] = {"s += V;",     "s += V * 0.5f;",
                                        "s += V > 1;", "s += (V > 1) * 3;",
                                        "s -= V;",     "s = V > s ? V : s;",
                                        "s = V - s;",  "s += V * V;",
                                        "s = V + s;",  "if (V > 1)\n\t\t\t\ts += V;"};

    add_form(shape, forms[shape_below(shape, ARRAY_SIZE(forms))], value, out);
}

/* `last`, in front of the inner loop or behind it. */
static void add_last(struct kernel_shape *shape, struct buf *out)
{
    /* read where the inner counter is not there */
    struct kernel_shape outer = *shape;
    outer.ib = "i";
    char *value = value_of(&outer);

    buf_add(out, "\t\t");
    add_form(&outer, shape->last, value, out);
    buf_add(out, "\n");
    free(value);
}

static void add_body(struct kernel_shape *shape, struct buf *out)
{
    char *value = value_of(shape);

    if (shape->last && !shape->last_behind)
        add_last(shape, out);
    if (shape->j) {
        buf_add(out, "\t\t");
        shape_inner(shape, out);
        buf_add(out, " {\n");
    }
    if (!shape->sum || shape_below(shape, 3) == 0) {
        buf_add(out, "\t\t\t");
        add_store(shape, value, out);
        buf_add(out, "\n");
    }
    if (shape->sum) {
        buf_add(out, "\t\t\t");
        add_sum(shape, value, out);
        buf_add(out, "\n");
    }
    if (shape->j)
        buf_add(out, "\t\t}\n");
    if (shape->last && shape->last_behind)
        add_last(shape, out);
    free(value);
}

static void add_function(const struct kernel_shape *shape, struct buf *out)
{
    buf_addf(out,
             "static int gcalls;\n%sdouble %s(double x)\n{\n\tgcalls++;\n"
             "\treturn x * gcalls;\n}\n",
             shape->function_behind ? "" : "static ", shape->function);
}

static void add_front(const struct kernel_shape *shape, struct buf *out)
{
    buf_addf(out, "/* class: %s */\n#include <stdint.h>\n",
             kernel_class_word(shape->kernel_class));
    for (size_t k = 0; k < shape->macro_nr; k++)
        buf_addf(out, "#define %s %s\n", shape->macro[k][0], shape->macro[k][1]);
    if (shape->global)
        buf_addf(out, "%s galpha;\n", shape->a->name);
    if (shape->table)
        buf_addf(out, "%s gtable[8];\n", shape->a->name);
    if (shape->function && !shape->function_behind)
        add_function(shape, out);
    else if (shape->function)
        buf_addf(out, "double %s(double);\n", shape->function);
}

static void add_head(const struct kernel_shape *shape, struct buf *out)
{
    const char *promise = shape->restricted ? "restrict " : "";

    buf_addf(out, "#pragma inflight kernel\n%s kernel(%s first, %s second",
             shape->sum      ? shape->sum->name
             : shape->clause ? "int"
                             : "void",
             shape->i->name, shape->i->name);
    buf_addf(out, ", %s m, %s *%sa, const %s *%sb", shape->j ? shape->j->name : "int",
             shape->a->name, promise, shape->b->name, promise);
    if (shape->pointer)
        buf_addf(out, ", const %s *p", shape->a->name);
    buf_add(out, ")\n{\n");
}

static void add_kernel(struct kernel_shape *shape, struct buf *out)
{
    add_head(shape, out);
    if (shape->sum)
        buf_addf(out, "\t%s s = %s;\n", shape->sum->name, shape->sum->start);
    if (shape->clause)
        buf_addf(out, "\tint last = 7;\n\t#pragma %s\n", shape->clause);
    buf_add(out, "\t");
    shape_outer(shape, out);
    /* nothing may stand between the loops of collapse */
    buf_add(out, shape->j && !shape->last ? "\n" : " {\n");
    add_body(shape, out);
    if (!shape->j || shape->last)
        buf_add(out, "\t}\n");
    buf_add(out, shape->sum      ? "\treturn s;\n}\n"
                 : shape->clause ? "\treturn last;\n}\n"
                                 : "}\n");
}

struct kernel_random kernel_random_make(unsigned long long seed,
                                        unsigned long long number)
{
    struct kernel_shape shape = {.state = seed * 1000003 + number,
                                 .kernel_class =
                                     (enum kernel_class)(number % KERNEL_CLASS_NR)};
    struct buf text = {0};

    draw(&shape);
    add_front(&shape, &text);
    add_kernel(&shape, &text);
    if (shape.function && shape.function_behind)
        add_function(&shape, &text);
    shape_calls(&shape, &text);
    return (struct kernel_random){
        .kernel_class = shape.kernel_class,
        .flags = shape.kernel_class == CLASS_TYPES ? "-fno-strict-aliasing" : "",
        .reassociate = (!shape.sum || shape.sum->kind != 'f'),
        .text = buf_detach(&text)};
}
