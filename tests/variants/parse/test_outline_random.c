/*
 * Random functions with loops in the middle: one after the other is taken out of its
 * function, the file is compiled with warnings as errors, and prints what it printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/random.h"
#include "tests/check.h"
#include "variants/parse/outline.h"

SUITE(variants_outline_random);

enum { FUNCTIONS = 25, DEPTH = 3 };

struct writer {
    uint64_t random;
    struct buf text;
    int depth;       /* of loops around, their variables are i0, i1, ... */
    int first_depth; /* of the first loop that is a declared in its head */
    bool in_marked, own_set;
    int indent;
};

static unsigned below(struct writer *w, unsigned nr)
{
    return (unsigned)(random_next(&w->random) % nr);
}

static void line(struct writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void line(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_add_repeat(&w->text, ' ', (size_t)w->indent * 4);
    buf_addf_va(&w->text, format, args);
    buf_add(&w->text, "\n");
    va_end(args);
}

static const char *const scalars[] = {"s", "t", "u", "c", "p.x", "p.y", "q.y"};

/* A subscript below 5. */
static const char *place(struct writer *w)
{
    static const char *const depth[] = {"(i0 % 5)", "(i1 % 5)", "(i2 % 5)", "(i3 % 5)"};
    return w->depth && below(w, 3) ? depth[below(w, (unsigned)w->depth)] : "(n % 5)";
}

static void add_expr(struct writer *w, struct buf *out, int depth)
{
    switch (depth ? below(w, 9) : below(w, 6)) {
    case 0:
        buf_addf(out, "%uu", below(w, 50));
        break;
    case 1:
        buf_add(out, w->own_set ? "own" : "s");
        break;
    case 2:
        buf_addf(out, "a[%s]", place(w));
        break;
    case 3:
        buf_addf(out, "b[%s][%s]", place(w), place(w));
        break;
    case 4:
        buf_addf(out, "%s[%s]", below(w, 2) ? "v" : "m[1]", place(w));
        break;
    case 5:
        buf_add(out, scalars[below(w, ARRAY_SIZE(scalars))]);
        break;
    case 6:
        buf_add(out, "(");
        add_expr(w, out, depth - 1);
        buf_add(out, " % 3u == 1u ? ");
        add_expr(w, out, depth - 1);
        buf_add(out, " : ");
        add_expr(w, out, depth - 1);
        buf_add(out, ")");
        break;
    default:
        buf_add(out, "(");
        add_expr(w, out, depth - 1);
        buf_addf(out, " %c ", "+-*^"[below(w, 4)]);
        add_expr(w, out, depth - 1);
        buf_add(out, ")");
    }
}

static char *expr(struct writer *w)
{
    struct buf out = {0};
    add_expr(w, &out, 2);
    buf_add(&out, " + 1u");
    return buf_detach(&out);
}

static void add_assignment(struct writer *w)
{
    static const char *const ops[] = {"=", "=", "=", "+=", "^="};
    char *value = expr(w);
    const char *op = ops[below(w, ARRAY_SIZE(ops))];
    switch (below(w, 7)) {
    case 0:
        line(w, "a[%s] %s %s;", place(w), op, value);
        break;
    case 1:
        line(w, "b[%s][%s] %s %s;", place(w), place(w), op, value);
        break;
    case 2:
        line(w, "%s[%s] %s %s;", below(w, 2) ? "v" : "m[2]", place(w), op, value);
        break;
    case 3:
        line(w, "q = p;");
        break;
    case 4:
        line(w, "*w%s = %s;", below(w, 2) ? "++" : "", value);
        line(w, "w = a + %u;", below(w, 5));
        break;
    default:
        line(w, "%s %s %s;", scalars[below(w, ARRAY_SIZE(scalars))], op, value);
    }
    free(value);
}

static void add_statements(struct writer *w, int nr, int room);

static void add_if(struct writer *w, int room)
{
    char *value = expr(w);
    line(w, "if ((%s) %% 4u < 2u) {", value);
    free(value);
    w->indent++;
    add_statements(w, 2, room);
    if (w->depth && !below(w, 3))
        line(w, below(w, 2) ? "break;" : "continue;");
    w->indent--;
    if (below(w, 2)) {
        line(w, "} else {");
        w->indent++;
        add_statements(w, 1, room);
        w->indent--;
    }
    line(w, "}");
}

static void add_loop(struct writer *w, int room, const char *comment)
{
    int d = w->depth, kind = (int)below(w, 5);
    const char *declared = d >= w->first_depth ? "int " : "";
    bool own = w->own_set;
    if (kind == 0) {
        line(w, "i%d = -1;", d);
        line(w, "while (++i%d < %u) {%s", d, 3 + below(w, 4), comment);
    } else if (kind == 1) {
        line(w, "i%d = %u;", d, below(w, 3));
        line(w, "do {%s", comment);
    } else {
        line(w, "for (%si%d = %u; i%d < %s; i%d++) {%s", kind > 2 ? declared : "", d,
             below(w, 3), d, below(w, 2) ? "n" : "5", d, comment);
    }
    w->indent++;
    w->depth++;
    if (*comment) {
        line(w, "own = a[i%d %% 5] + 1u;", d);
        w->own_set = true;
    }
    add_statements(w, 3, room - 1);
    if (*comment)
        line(w, "a[0] += own;");
    w->own_set = own;
    w->depth--;
    w->indent--;
    if (kind == 1)
        line(w, "} while (++i%d < %u);", d, 4 + below(w, 3));
    else
        line(w, "}");
}

static void add_statements(struct writer *w, int nr, int room)
{
    for (int i = 0; i < nr; i++) {
        unsigned kind = below(w, 8);
        if (kind == 0 && room > 0 && w->depth < DEPTH)
            add_loop(w, room, "");
        else if (kind <= 2 && room > 0)
            add_if(w, room - 1);
        else
            add_assignment(w);
    }
}

/* What is used of a variable in the end is its value, or another one. */
static void add_end(struct writer *w)
{
    for (size_t i = 0; i < ARRAY_SIZE(scalars); i++) {
        if (below(w, 2))
            line(w, "%s = %uu;", scalars[i], below(w, 9));
        line(w, "show(%s);", scalars[i]);
    }
    for (int d = 0; d <= DEPTH; d++) {
        if (below(w, 2))
            line(w, "i%d = %u;", d, below(w, 9));
        line(w, "show((unsigned)i%d);", d);
    }
    line(w, "for (int e = 0; e < 5; e++)");
    line(w, "    show(a[e] + b[e][4 - e] + v[e] + m[1][e] + m[2][e] + *w);");
}

static void add_function(struct writer *w, int f)
{
    line(w, "/* Number %d. */", f);
    line(w, "static void f%d(int n, unsigned *%sa)", f, below(w, 2) ? "restrict " : "");
    line(w, "{");
    w->indent++;
    w->first_depth = (int)below(w, DEPTH + 2);
    line(w, "unsigned b[SIZE][5], v[n + 5], (*m)[n + 5] = table(n + 5), *w = a;");
    line(w, "unsigned s = %uu, t = s, u = 0, c = 7, own;", below(w, 9));
    line(w, "struct pair p = {1, s}, q = p;");
    line(w, "int i0 = 0, i1 = 1, i2 = 2, i3 = 3;");
    buf_add(&w->text, "\n");
    line(w, "fill(5 * SIZE, &b[0][0]);");
    line(w, "fill(n + 5, v);");
    add_statements(w, 3, 1);
    if (below(w, 2)) {
        add_loop(w, 2, " /* take */");
    } else {
        line(w, "for (i3 = 0; i3 < 3; i3++) {");
        w->indent++;
        add_statements(w, 2, 1);
        add_loop(w, 2, " /* take */");
        add_statements(w, 2, 1);
        w->indent--;
        line(w, "}");
    }
    add_statements(w, 2, 1);
    add_end(w);
    line(w, "free(m);");
    w->indent--;
    line(w, "}");
    buf_add(&w->text, "\n");
}

static const char head[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#define SIZE 5\n"
    "struct pair { unsigned x, y; };\n"
    "static unsigned hash;\n"
    "static void show(unsigned x) { hash = hash * 31u + x; }\n"
    "static void fill(int nr, unsigned *x)\n"
    "{\n"
    "    for (int i = 0; i < nr; i++)\n"
    "        x[i] = (unsigned)i;\n"
    "}\n"
    "static void *table(int nr) { return calloc(3 * (size_t)nr, sizeof(unsigned)); }\n";

static void add_main(struct writer *w)
{
    line(w, "int main(void)");
    line(w, "{");
    line(w, "    unsigned a[12];");
    for (int f = 0; f < FUNCTIONS; f++)
        for (int n = 0; n < 8; n += 3) {
            line(w, "    fill(12, a);");
            line(w, "    f%d(%d, a);", f, n);
            line(w, "    printf(\"%d %d %%u\\n\", hash);", f, n);
        }
    line(w, "    return 0;");
    line(w, "}");
}

/* The n-th line that says so. */
static int marked_line(const char *text, int nr)
{
    const char *at = text;
    for (int i = 0; i <= nr; i++)
        at = strstr(at + 1, "/* take */");
    int found = 1;
    for (; text < at; text++)
        found += *text == '\n';
    return found;
}

/* One function after the other; how many loops were taken. */
static int take_all(const char *source, struct buf *out)
{
    struct strvec none = {0};
    int taken = 0;
    buf_add(out, source);
    for (int f = 0; f < FUNCTIONS; f++) {
        const struct outline_request request = {.path = "random.c",
                                                .text = buf_str(out),
                                                .line = marked_line(buf_str(out), f),
                                                .cflags = &none};
        struct outliner *outliner;
        struct outlined what = {0};
        struct error err = {0};
        struct buf text = {0};
        if (!check_ok(outliner_open(&request, &outliner, &err), &err))
            return 0;
        size_t loop = outliner_loops(outliner) - 1;
        if (outliner_take(outliner, loop, &text, &what, &err) == 0) {
            buf_reset(out);
            buf_add(out, buf_str(&text));
            taken++;
        } else {
            check_str(err.text, "");
        }
        outliner_close(outliner);
        outlined_release(&what);
        buf_release(&text);
    }
    return taken;
}

static char *run(const struct strvec *argv)
{
    struct spawn_request request = {.argv = (const char *const *)argv->v,
                                    .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    check_ok(spawn_run(&request, &outcome, &err), &err);
    check_str(buf_str(&outcome.err), "");
    check(outcome.end == SPAWN_EXITED && !outcome.code);
    char *out = xstrdup(buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    return out;
}

/* What the program prints. Caller frees. */
static char *output_of(const char *dir, const char *compiler, const char *text)
{
    char *source = path_join(dir, "random.c"), *program = path_join(dir, "random");
    struct strvec compile = {0}, start = {0};
    struct error err = {0};
    strvec_push(&compile, compiler);
    strvec_split(&compile, "-std=c11 -O2 -Wall -Wextra -Werror -o");
    strvec_push(&compile, program);
    strvec_push(&compile, source);
    strvec_push(&start, program);
    check_ok(file_write(source, text, strlen(text), &err), &err);
    free(run(&compile));
    char *out = run(&start);
    strvec_release(&compile);
    strvec_release(&start);
    free(source);
    free(program);
    return out;
}

static void write_program(struct writer *w)
{
    buf_add(&w->text, head);
    for (int f = 0; f < FUNCTIONS; f++)
        add_function(w, f);
    add_main(w);
}

static void compare(const char *dir, const char *compiler, const char *source)
{
    struct buf outlined = {0};
    check_eq(take_all(source, &outlined), FUNCTIONS);
    char *want = output_of(dir, compiler, source);
    char *got = output_of(dir, compiler, buf_str(&outlined));
    check(strlen(want) > FUNCTIONS);
    check_str(got, want);
    free(want);
    free(got);
    buf_release(&outlined);
}

TEST("a loop in a function of its own does the same")
{
    struct error err = {0};
    char *dir;
    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    for (unsigned seed = 1; seed <= 2; seed++) {
        struct writer w = {.random = seed};
        write_program(&w);
        compare(dir, "gcc", buf_str(&w.text));
        compare(dir, "clang-19", buf_str(&w.text));
        buf_release(&w.text);
    }
    scratch_remove(dir);
}
