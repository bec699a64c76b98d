#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "tests/check.h"
#include "variants/ir/ir.h"
#include "variants/parse/parse.h"

SUITE(variants_parse);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/parse/"

/* The function of tests/data/parse/ok/<name>.c; the caller frees it. */
static struct ir_function *parse_ok(const char *name)
{
    struct error err = {0};
    struct ir_function *function = NULL;
    char *path = xasprintf(DATA "ok/%s.c", name);

    check_ok(ir_parse(path, NULL, 0, NULL, NULL, &function, &err), &err);
    free(path);
    return function;
}

static struct ir_symbol *symbol_of(const struct ir_function *function, const char *name)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (strcmp(function->symbol[i]->name, name) == 0)
            return function->symbol[i];
    return NULL;
}

static const char *print(struct ir_function *function, const struct ir_expr *expr)
{
    struct buf text = {0};
    ir_print_expr(&text, expr);
    const char *copy = ir_text(function->arena, buf_str(&text));
    buf_release(&text);
    return copy;
}

/* ---- loops ---- */

TEST("loops are recognised")
{
    static const struct {
        bool canonical;
        const char *cmp, *lower, *upper;
        long long step;
    } want[] = {
        {true, "<", "0", "n", 1},
        {true, ">=", "n - 1", "0", -1},
        {true, "<", "0", "n", 2},
        {true, ">", "n", "0", -3},
        {true, "!=", "0", "n", 1},
        {true, "<=", "0", "n - 1", 4},
        {true, ">=", "9", "1", -2},
        {false, NULL, NULL, NULL, 0},
        {false, "<", "0", "n", 0},
        {true, "<", "0", "n < 100 ? n : 100", 1},
        {false, "<", "0", "n", 1},
        {true, ">=", "u - 1", "0", -1},
        {false, "<", "0", "n", 0},
        {false, NULL, NULL, NULL, 0},
        {false, NULL, "0", NULL, 1},
        {true, "<", "0", "(long)n - 1", 1},
        {true, "<=", "0", "(long)n - 4", 4},
        {true, ">", "9", "5", -1},
        {true, "<=", "0", "u - 2", 1},
        {false, NULL, "0", NULL, 1},
        {false, NULL, "0", NULL, 1},
        {false, NULL, "0", NULL, 1},
        {false, NULL, "0", NULL, 1},
    };
    struct ir_function *function = parse_ok("loops");
    if (!check(function != NULL))
        return;
    size_t nr = 0;
    for (size_t i = 0; i < function->body->child_nr; i++) {
        const struct ir_stmt *loop = function->body->child[i];
        if (loop->kind != IR_FOR || !check(nr < ARRAY_SIZE(want)))
            continue;
        check_eq(loop->canonical, want[nr].canonical);
        check_eq(loop->step, want[nr].step);
        check(!loop->canonical || !loop->init);
        if (want[nr].cmp && check(loop->cmp != NULL)) {
            check_str(loop->cmp, want[nr].cmp);
            check_str(print(function, loop->upper), want[nr].upper);
        }
        if (want[nr].lower && check(loop->lower != NULL))
            check_str(print(function, loop->lower), want[nr].lower);
        nr++;
    }
    check_eq(nr, ARRAY_SIZE(want));
    ir_function_free(function);
}

/* ---- symbols ---- */

TEST("symbols are described")
{
    static const struct {
        const char *name;
        enum ir_role role;
        enum ir_scalar scalar;
        size_t bytes, dims;
        int pointers;
        bool written, in_loop, is_unsigned;
    } want[] = {
        {"n", IR_PARAM, IR_INT, 8, 0, 0, false, false, false},
        {"bytes", IR_PARAM, IR_INT, 1, 0, 1, false, false, true},
        {"p", IR_PARAM, IR_RECORD, 16, 0, 1, false, false, false},
        {"P", IR_PARAM, IR_FLOAT, 4, 2, 2, false, false, false},
        {"rows", IR_PARAM, IR_FLOAT, 4, 2, 2, false, false, false},
        {"flag", IR_PARAM, IR_BOOL, 1, 0, 0, false, false, true},
        {"lists", IR_PARAM, IR_FLOAT, 4, 0, 2, false, false, false},
        {"ld", IR_PARAM, IR_FLOAT, 16, 0, 0, true, false, false},
        {"sum", IR_LOCAL, IR_INT, 4, 0, 0, true, false, true},
        {"w", IR_LOCAL, IR_FLOAT, 4, 1, 1, false, false, false},
        {"calls", IR_LOCAL, IR_INT, 4, 0, 0, true, false, false},
        {"i", IR_LOCAL, IR_INT, 8, 0, 0, true, true, false},
        {"counter", IR_GLOBAL, IR_INT, 4, 0, 0, true, false, false},
        {"table", IR_GLOBAL, IR_FLOAT, 8, 2, 2, false, false, false},
    };
    struct ir_function *function = parse_ok("types");
    if (!check(function != NULL))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        const struct ir_symbol *symbol = symbol_of(function, want[i].name);
        if (!check(symbol != NULL))
            continue;
        check_eq(symbol->role, want[i].role);
        check_eq(symbol->type.scalar, want[i].scalar);
        check_eq(symbol->type.bytes, want[i].bytes);
        check_eq(symbol->type.pointers, want[i].pointers);
        check_eq(symbol->dim_nr, want[i].dims);
        check_eq(symbol->is_written, want[i].written);
        check_eq(symbol->in_loop, want[i].in_loop);
        check_eq(symbol->type.is_unsigned, want[i].is_unsigned);
        check(function->symbol[symbol->id] == symbol);
    }
    check(symbol_of(function, "counter")->address_taken);
    check(symbol_of(function, "p")->type.is_restrict);
    check(symbol_of(function, "calls")->is_static);
    ir_function_free(function);
}

TEST("declarations are told")
{
    static const struct {
        const char *file, *name, *text;
    } want[] = {
        {"types", "P", "real (*P)[n]"},
        {"types", "rows", "real (*rows)[8]"},
        {"types", "name", "const char *name"},
        {"stencil", "A", "double (*restrict A)[n][n]"},
        {"stencil", "B", "double B[restrict][n][n]"},
        {"locals", "rows", "double *rows[4]"},
        {"locals", "buffer", "double buffer[n][m + 1]"},
        {"qualified", "rows", "const double *const *rows"},
        {"qualified", "apply", "double (*apply)(const double *, int)"},
        {"qualified", "out", "double *restrict *restrict out"},
        {"pointers", "b", "const float *restrict b"},
        {"attributed", "a", "double *restrict a"},
        {"include", "out", "double *out"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        struct ir_function *function = parse_ok(want[i].file);
        struct buf text = {0};
        if (!check(function != NULL))
            continue;
        ir_print_declaration(&text, symbol_of(function, want[i].name));
        check_str(buf_str(&text), want[i].text);
        buf_release(&text);
        ir_function_free(function);
    }
}

/* ---- values, members, places ---- */

struct search {
    enum ir_kind kind;
    const char *text;
    struct ir_expr *found;
};

static void match(struct ir_expr *expr, void *data)
{
    struct search *search = data;
    bool named = expr->text && strcmp(expr->text, search->text) == 0;
    if (!search->found && expr->kind == search->kind && named)
        search->found = expr;
}

static void find_in(const struct ir_stmt *stmt, struct search *search)
{
    if (!stmt)
        return;
    ir_visit(stmt->expr, match, search);
    ir_visit(stmt->cond, match, search);
    ir_visit(stmt->upper, match, search);
    for (size_t i = 0; i < stmt->child_nr; i++)
        find_in(stmt->child[i], search);
}

static struct ir_expr *find_expr(const struct ir_function *function, enum ir_kind kind,
                                 const char *text)
{
    struct search search = {kind, text, NULL};
    find_in(function->body, &search);
    return search.found;
}

TEST("constants have values")
{
    static const struct {
        const char *file;
        enum ir_kind kind;
        const char *text;
        long long value;
    } want[] = {
        {"types", IR_LITERAL, "SIDE", 4},   {"types", IR_LITERAL, "sizeof(point)", 16},
        {"types", IR_LITERAL, "0x1Fu", 31}, {"types", IR_LITERAL, "'a'", 97},
        {"types", IR_NAME, "width", 12},    {"globals", IR_NAME, "n", 31},
        {"literals", IR_LITERAL, "010", 8}, {"literals", IR_LITERAL, "0b101", 5},
        {"macros", IR_LITERAL, "100", 100}, {"transcend", IR_LITERAL, "3ul", 3},
    };

    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        struct ir_function *function = parse_ok(want[i].file);
        if (!check(function != NULL))
            continue;
        const struct ir_expr *expr = find_expr(function, want[i].kind, want[i].text);
        if (check(expr != NULL) && check(expr->has_value))
            check_eq(expr->value, want[i].value);
        ir_function_free(function);
    }
}

TEST("sums of constants have values")
{
    struct ir_function *function = parse_ok("macros");
    if (!check(function != NULL))
        return;
    const struct ir_expr *dim = symbol_of(function, "A")->dim[1]; /* (N + 1) */
    check_eq(dim->kind, IR_BINARY);
    check(dim->has_value);
    check_eq(dim->value, 101);
    ir_function_free(function);
}

TEST("members say what they share")
{
    static const struct {
        const char *name;
        bool shared, arrow;
    } want[] = {{"i", true, true},
                {"bits", true, true},
                {"lo", true, true},
                {"x", false, false},
                {"id", false, false}};
    struct ir_function *function = parse_ok("types");
    if (!check(function != NULL))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        const struct ir_expr *member = find_expr(function, IR_MEMBER, want[i].name);
        if (!check(member != NULL))
            continue;
        check_eq(member->is_shared, want[i].shared);
        check_eq(member->is_arrow, want[i].arrow);
    }
    ir_function_free(function);
}

TEST("calls know what is declared")
{
    struct ir_function *function = parse_ok("calls");
    if (!check(function != NULL))
        return;
    check(find_expr(function, IR_CALL, "sqrt")->symbol->role == IR_FUNCTION);
    check(find_expr(function, IR_CALL, "f")->symbol->role == IR_PARAM);
    check(find_expr(function, IR_CALL, "__builtin_prefetch")->symbol == NULL);
    check(find_expr(function, IR_CALL, "ops->map")->symbol == NULL);
    check_eq(find_expr(function, IR_CALL, "(*f)")->arg_nr, 1);
    ir_function_free(function);
}

/* Statement ranges cover exactly their text, so that a nest can be cut out. */
TEST("ranges cover the text")
{
    static const struct {
        const char *file;
        size_t child;
        const char *begin, *end;
    } want[] = {
        {"matvec", 0, "for (int i", "y[i] = s;\n    }"},
        {"dense", 1, "for(i=0", "a[i]=2;}"},
        {"loops", 2, "for (i = 0; i < n; ++i)", "a[i] = 0;"},
        {"loops", 15, "for (;;)", "break;"},
        {"loops", 16, "for (; i", "        ;"},
        {"crlf", 0, "for (int", "2;"},
        {"whole_macro", 1, "CLEAR", "CLEAR(a, n);"},
        {"whole_macro", 2, "LOOP (i, n) {", "END"},
        {"blocks", 4, "do\n", "(n--);"},
        {"attributed", 1, "for (int i", "= i;\n    }"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        struct ir_function *function = parse_ok(want[i].file);
        if (!check(function != NULL) || !check(want[i].child < function->body->child_nr))
            continue;
        const struct ir_stmt *stmt = function->body->child[want[i].child];
        size_t end = strlen(want[i].end);
        check(strncmp(function->source + stmt->begin, want[i].begin,
                      strlen(want[i].begin)) == 0);
        check(strncmp(function->source + stmt->end - end, want[i].end, end) == 0);
        check(function->source[function->body_begin] == '{');
        check(function->source[function->body_end - 1] == '}');
        ir_function_free(function);
    }
}

/* ---- pragmas ---- */

TEST("pragmas find their place")
{
    struct ir_function *function = parse_ok("pragmas");
    struct buf text = {0};
    if (!check(function != NULL))
        return;
    for (const struct ir_pragma *pragma = function->pragma; pragma; pragma = pragma->next)
        buf_addf(&text, "%d: %s\n", pragma->line, pragma->text);
    check_str(buf_str(&text), "13: inflight set n = 100\n"
                              "14: inflight buffer a =     uniform(0, 1)\n"
                              "16: inflight kernel\n"
                              "21: inflight assume independent(i)\n");
    const struct ir_stmt *outer = function->body->child[1];
    check_str(outer->pragma->text, "omp parallel for");
    check_str(outer->child[0]->child[0]->pragma->text, "GCC unroll 4");
    check(!outer->child[0]->child[0]->pragma->ours);
    check_str(outer->child[0]->child[1]->child[0]->child[0]->pragma->text,
              "inflight assume independent(j)");
    check_str(function->body->child[2]->child[0]->pragma->text, "omp simd");
    size_t nr = 0, applying = 0;
    const struct ir_pragma *pragma = function->all_pragma;
    for (; pragma; pragma = pragma->next_all, nr++) {
        applying += pragma->applies;
        check(memcmp(function->source + pragma->begin, "#", 1) == 0);
        check(function->source[pragma->end - 1] == '\n');
    }
    check_eq(nr, 11);
    check_eq(applying, 5);
    buf_release(&text);
    ir_function_free(function);
}

TEST("pragmas of other functions do not apply")
{
    struct ir_function *function = parse_ok("two");
    if (!check(function != NULL))
        return;
    check_str(function->pragma->text, "inflight kernel");
    check(function->pragma->next == NULL);
    check(!function->all_pragma->applies);
    ir_function_free(function);
}

/* The message is an expression without a type. */
TEST("messages of assertions are read")
{
    static const char text[] = "void f(double *a)\n{\n"
                               "    _Static_assert(sizeof(a[0]) == 8, \"a double\");\n"
                               "    for (int i = 0; i < 9; i++)\n        a[i] = 1;\n}\n";
    const struct strvec cflags = {0};
    struct ir_function *function = NULL;
    struct error err = {0};
    if (check_ok(ir_parse("f.c", text, 0, "f", &cflags, &function, &err), &err))
        ir_function_free(function);
}

TEST("opaque statements say why")
{
    static const struct {
        size_t child;
        const char *why, *text;
    } want[] = {
        {0, "a switch statement", "switch (a[i]) {"},
        {2, "an asm statement", "__asm__ volatile(\"\" : \"+r\"(r));"},
        {3, "a local type", "struct pair { int x, y; } pair = {1, 2};"},
    };
    struct ir_function *function = parse_ok("opaque");
    if (!check(function != NULL))
        return;
    const struct ir_stmt *body = function->body->child[1]->child[0];
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        const struct ir_stmt *stmt = body->child[want[i].child];
        if (!check_eq(stmt->kind, IR_OPAQUE))
            continue;
        check_contains(stmt->why, want[i].why);
        check_contains(stmt->text, want[i].text);
    }
    check(symbol_of(function, "r")->is_written);
    check_eq(body->child[1]->child[0]->kind, IR_JUMP);
    check_str(body->child[1]->child[0]->text, "goto out");
    ir_function_free(function);
}
