#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/ir/ir.h"
#include "variants/parse/parse.h"

SUITE(variants_print);

#define OK_DIR INFLIGHT_SOURCE_DIR "/tests/data/parse/ok"

/* ---- a tree as text, so that two can be compared ---- */

static void dump_expr(struct buf *out, const struct ir_expr *expr)
{
    if (!expr) {
        buf_add(out, "()");
        return;
    }
    /* printed folded */
    if (expr->kind == IR_BINARY && strchr("+-", expr->op[0]) && expr->has_value) {
        buf_addf(out, "(%d %lld =%lld %s/0)", (int)IR_LITERAL, expr->value, expr->value,
                 expr->type.text);
        return;
    }
    buf_addf(out, "(%d", (int)expr->kind);
    if (expr->kind == IR_UNARY || expr->kind == IR_BINARY || expr->kind == IR_ASSIGN)
        buf_addf(out, " %s", expr->op);
    if (expr->text && expr->kind != IR_CAST)
        buf_addf(out, " %s", expr->text);
    if (expr->has_value)
        buf_addf(out, " =%lld", expr->value);
    buf_addf(out, " %s/%d%s", expr->type.text ? expr->type.text : "", expr->type.pointers,
             expr->is_arrow ? "->" : "");
    for (size_t i = 0; i < expr->arg_nr; i++) {
        buf_add(out, " ");
        dump_expr(out, expr->arg[i]);
    }
    buf_add(out, ")");
}

static void dump_stmt(struct buf *out, const struct ir_stmt *stmt, int depth);

/* The printer puts braces around some lone statements. */
static const struct ir_stmt *unbraced(const struct ir_stmt *stmt)
{
    while (stmt && stmt->kind == IR_BLOCK && stmt->child_nr == 1 &&
           stmt->child[0]->kind != IR_DECL)
        stmt = stmt->child[0];
    return stmt;
}

static void dump_loop(struct buf *out, const struct ir_stmt *stmt, int depth)
{
    if (stmt->canonical)
        buf_addf(out, " %s %s step %lld%s", stmt->iterator->name, stmt->cmp, stmt->step,
                 stmt->declares_iterator ? " own" : "");
    dump_expr(out, stmt->canonical ? stmt->lower : NULL);
    dump_expr(out, stmt->canonical ? stmt->upper : stmt->cond);
    dump_expr(out, stmt->increment);
    if (stmt->init)
        dump_stmt(out, stmt->init, depth + 1);
}

static void dump_stmt(struct buf *out, const struct ir_stmt *stmt, int depth)
{
    buf_add(out, "\n");
    buf_add_repeat(out, ' ', (size_t)depth);
    if (!stmt) {
        buf_add(out, "none");
        return;
    }
    buf_addf(out, "%d%s%s ", (int)stmt->kind, stmt->is_do ? " do" : "",
             stmt->canonical ? " canonical" : "");
    for (const struct ir_pragma *pragma = stmt->pragma; pragma; pragma = pragma->next)
        if (!pragma->ours)
            buf_addf(out, "#%s ", pragma->text);
    if (stmt->text && stmt->kind != IR_WHILE)
        buf_add(out, stmt->text);
    if (stmt->symbol)
        ir_print_declaration(out, stmt->symbol);
    if (stmt->kind == IR_FOR)
        dump_loop(out, stmt, depth);
    else {
        dump_expr(out, stmt->cond);
        dump_expr(out, stmt->expr);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        dump_stmt(out, unbraced(stmt->child[i]), depth + 1);
}

/* ---- round trip ---- */

static void print_file(const struct ir_function *function, struct buf *out)
{
    buf_add_n(out, function->source, function->body_begin);
    ir_print_stmt(out, function->body, 0);
    buf_truncate(out, out->length - 1); /* the body's newline */
    buf_add_n(out, function->source + function->body_end,
              function->source_length - function->body_end);
}

/* What comes out must not warn. The sources themselves have unsequenced and unused
 * values; no more is excused. */
static void check_quiet(const char *compiler, const char *path)
{
    const char *argv[] = {compiler,
                          "-std=gnu17",
                          "-fsyntax-only",
                          "-Wall",
                          "-Wextra",
                          "-Werror",
                          "-Wno-sequence-point",
                          "-Wno-unused-value",
                          "-Wno-unused-function",
                          "-Wno-unused-but-set-variable",
                          "-Wno-unused-variable",
                          "-Wno-unknown-pragmas",
                          "-Wno-int-in-bool-context",
                          "-Wno-unknown-warning-option",
                          "-Wno-unsequenced",
                          "-Wno-uninitialized",
                          "-I",
                          OK_DIR,
                          path,
                          NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    if (check_ok(spawn_run(&request, &outcome, &err), &err) &&
        outcome.end != SPAWN_NOT_STARTED) {
        check_eq(outcome.code, 0);
        check_str(buf_str(&outcome.err), "");
    }
    spawn_outcome_release(&outcome);
}

static struct ir_function *reparse(const struct ir_function *function, const char *dir)
{
    struct buf text = {0};
    struct error err = {0};
    struct ir_function *again = NULL;
    struct strvec flags = {0};
    char *path = path_join(dir, path_base(function->path));
    strvec_push(&flags, "-I" OK_DIR);
    print_file(function, &text);
    if (check_ok(file_write(path, text.data, text.length, &err), &err))
        check_ok(ir_parse(path, NULL, 0, function->name, &flags, &again, &err), &err);
    check_quiet("gcc", path);
    check_quiet("clang-19", path);
    strvec_release(&flags);
    buf_release(&text);
    free(path);
    return again;
}

static void round_trip(const char *name, const char *dir)
{
    struct error err = {0};
    struct ir_function *function = NULL, *again = NULL;
    struct buf first = {0}, second = {0};
    char *path = path_join(OK_DIR, name);
    if (check_ok(ir_parse(path, NULL, 0, NULL, NULL, &function, &err), &err))
        again = reparse(function, dir);
    if (again) {
        dump_stmt(&first, function->body, 0);
        dump_stmt(&second, again->body, 0);
        check_str(buf_str(&second), buf_str(&first));
        buf_reset(&first);
        buf_reset(&second);
        ir_print_stmt(&first, function->body, 1);
        ir_print_stmt(&second, again->body, 1);
        check(!strstr(buf_str(&first), "#pragma inflight"));
        check_str(buf_str(&second), buf_str(&first));
    }
    ir_function_free(function);
    ir_function_free(again);
    buf_release(&first);
    buf_release(&second);
    free(path);
}

TEST("printed text reads as the same tree")
{
    struct error err = {0};
    char *scratch = NULL;
    size_t nr = 0;
    DIR *dir = opendir(OK_DIR);
    if (!check(dir != NULL) || !check_ok(scratch_make(&scratch, &err), &err))
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strstr(entry->d_name, ".c")) {
            round_trip(entry->d_name, scratch);
            nr++;
        }
    check(nr >= 25);
    closedir(dir);
    scratch_remove(scratch);
}

/* ---- expressions ---- */

/* The text of `return EXPR;` after a parse and a print. */
static char *print_return(const char *expr, const char *dir)
{
    struct error err = {0};
    struct ir_function *function = NULL;
    char *path = path_join(dir, "expr.c");
    char *text = xasprintf("int f(int a, int b, int c, unsigned u, double x, int *p)\n"
                           "{\n    for (;;)\n        return %s;\n}\n",
                           expr);
    struct buf out = {0};
    check_ok(file_write(path, text, strlen(text), &err), &err);
    if (check_ok(ir_parse(path, NULL, 0, NULL, NULL, &function, &err), &err))
        ir_print_expr(&out, function->body->child[0]->child[0]->expr);
    ir_function_free(function);
    free(path);
    free(text);
    return buf_detach(&out);
}

static void check_printed(const char *const (*cases)[2], size_t nr)
{
    struct error err = {0};
    char *dir = NULL;
    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    for (size_t i = 0; i < nr; i++) {
        char *got = print_return(cases[i][0], dir);
        check_str(got, cases[i][1]);
        free(got);
    }
    scratch_remove(dir);
}

TEST("parentheses are put where needed")
{
    static const char *const cases[][2] = {
        {"((a) + ((b) * (c)))", "a + b * c"},
        {"(a + b) * c", "(a + b) * c"},
        {"a - (b - c)", "a - (b - c)"},
        {"(a - b) - c", "a - b - c"},
        {"a / (b / c) * b", "a / (b / c) * b"},
        {"a && b || c", "(a && b) || c"},
        {"a && (b || c) && !(a && b)", "a && (b || c) && !(a && b)"},
        {"a || (b || c)", "a || (b || c)"},
        {"a & b | c ^ u", "(a & b) | (c ^ u)"},
        {"a | b | c", "a | b | c"},
        {"a & b == c", "a & (b == c)"},
        {"a << b + 1", "a << (b + 1)"},
        {"(a < b) < c", "(a < b) < c"},
        {"!a == b", "(!a) == b"},
        {"-(-a)", "-(-a)"},
        {"- -a", "-(-a)"},
        {"+(-a)", "+-a"},
        {"~-a", "~-a"},
        {"-(a * b)", "-(a * b)"},
        {"(int)(x + 1.5)", "(int)(x + 1.5)"},
        {"(int)x + 1", "(int)x + 1"},
        {"a ? b : c ? a : b", "a ? b : c ? a : b"},
        {"(a ? b : c) ? a : b", "(a ? b : c) ? a : b"},
        {"a + b ? a : b", "(a + b) ? a : b"},
        {"a ? (b, c) : (a = b)", "a ? (b, c) : (a = b)"},
        {"(*p)++ + *p++", "p[0]++ + *p++"},
        {"*&*p", "*&p[0]"},
        {"(p + 1)[a]", "(p + 1)[a]"},
        {"(a = b, c)", "a = b, c"},
        {"(a = b) + c", "(a = b) + c"},
        {"sizeof(int) * 2", "sizeof(int) * 2"},
        {"u % 3 * 2", "u % 3 * 2"},
    };

    check_printed(cases, ARRAY_SIZE(cases));
}

TEST("sums of integers are folded")
{
    static const char *const cases[][2] = {
        {"a + 1 - 1", "a"},           {"a + 1 + 2", "a + 3"},
        {"1 + a + 1", "a + 2"},       {"a - 3 + 1", "a - 2"},
        {"p[a + 1 - 1]", "p[a]"},     {"(a + 2 - 1) * b", "(a + 1) * b"},
        {"(a + 1 - 1) * b", "a * b"}, {"2 + 3", "5"},
        {"(1 - 4) * a", "-3 * a"},    {"b * (1 - 4)", "b * -3"},
        {"a - (1 - 4)", "a + 3"},     {"1 + a", "1 + a"},
        {"a - 1", "a - 1"},           {"a + 1u + 1u", "a + 1u + 1u"},
        {"x + 1 + 2", "x + 1 + 2"},   {"a + 2147483647 + 1", "a + 2147483647 + 1"},
    };

    check_printed(cases, ARRAY_SIZE(cases));
}

/* ---- made by hand, as the generator does ---- */

TEST("made trees are printed")
{
    struct ir_arena *arena = ir_arena_new();
    struct ir_symbol n = {.name = "n",
                          .type = {.text = "int", .scalar = IR_INT, .bytes = 4}},
                     i = n;
    struct ir_pragma simd = {.text = "omp simd"};
    struct buf out = {0};
    i.name = "i";
    struct ir_expr *sum =
        ir_binary(arena, "+", ir_name(arena, &i), ir_integer(arena, -1));
    struct ir_symbol *from[] = {&i};
    struct ir_expr *by[] = {
        ir_binary(arena, "+", ir_name(arena, &n), ir_integer(arena, 1))};
    struct ir_stmt *loop = ir_stmt_new(arena, IR_FOR, 1);
    loop->canonical = loop->declares_iterator = true;
    loop->iterator = &i;
    loop->lower = ir_integer(arena, 0);
    loop->upper = ir_binary(arena, "*", sum, ir_name(arena, &n));
    loop->cmp = "<";
    loop->step = -4;
    loop->pragma = &simd;
    loop->child[0] = ir_stmt_new(arena, IR_EXPR, 0);
    loop->child[0]->expr = ir_substitute(arena, sum, from, by, 1);
    ir_print_stmt(&out, loop, 1);
    check_str(buf_str(&out), "#pragma omp simd\n"
                             "    for (int i = 0; i < (i - 1) * n; i -= 4)\n"
                             "        n;\n");
    buf_reset(&out);
    ir_print_expr(&out, ir_binary(arena, "-", ir_name(arena, &i), ir_integer(arena, -7)));
    check_str(buf_str(&out), "i + 7");
    check_eq(ir_binary(arena, "<", sum, sum)->type.scalar, IR_INT);
    buf_release(&out);
    ir_arena_free(arena);
}
