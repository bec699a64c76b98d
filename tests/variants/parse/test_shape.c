#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "variants/ir/ir.h"
#include "variants/parse/parse.h"

SUITE(variants_shape);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/parse/shape/"

/* tests/data/parse/shape/NAME.c holds functions and a program that calls them; as the
 * reader understands them they must compute the same. NAME.expected has them printed. */
static const struct {
    const char *file;
    const char *function[24];
} files[] = {
    {"rows",
     {"row_sum", "row_address", "row_of_array", "row_of_row", "row_assigned",
      "row_by_index", "row_by_index_kept", "row_moved", "row_hidden", "row_unsigned",
      "row_record", "row_record_sum", "row_matrix", "row_matrix_row"}},
    {"walks",
     {"walk_copy", "walk_matrix", "walk_header", "walk_rows", "walk_twice", "walk_local",
      "walk_down", "walk_set", "walk_some", "walk_on", "walk_triangle", "walk_leaves"}},
    {"helpers",
     {"help_at", "help_index", "help_row", "help_pure", "help_sum", "help_header",
      "help_counted", "help_hidden", "help_narrow", "help_block", "help_block_names",
      "help_block_deep", "help_block_moved", "help_block_order", "help_block_kept",
      "help_nested", "help_twice", "help_assert"}},
    {"fields",
     {"field_bounds", "field_global", "field_moved", "field_written", "field_of_local",
      "field_in_array", "field_sum"}},
    {"counting",
     {"count_down", "count_down_plain", "count_down_before", "count_down_nested",
      "count_down_by_two", "count_both", "count_offsets", "count_offsets_changed",
      "count_both_skipping", "count_macros", "count_not_equal", "count_to_both",
      "count_likely"}},
    {"whiles",
     {"while_up", "while_used", "while_first", "while_within", "while_nested",
      "while_ends", "while_not", "while_set", "while_counted", "while_on",
      "while_on_again"}},
    {"heads",
     {"head_end", "head_not_equal", "head_while", "head_rows", "head_down", "head_steps",
      "head_array", "head_apart", "head_two", "head_three", "head_unsigned", "head_wide",
      "head_compared", "head_behind", "head_bound", "head_effect", "head_read",
      "head_changed", "head_meets"}},
    {"jumps",
     {"jump_over", "jump_with_work", "jump_compared", "jump_loops", "jump_to_loops",
      "jump_by_field", "jump_deeper", "jump_label", "jump_once"}},
};

static struct ir_function *parse(const char *path, const char *name)
{
    struct error err = {0};
    struct ir_function *function = NULL;
    check_ok(ir_parse(path, NULL, 0, name, NULL, &function, &err), &err);
    return function;
}

/* The file with every function printed; what they became is added to `shapes`. */
static void rewrite_file(const char *path, const char *const *names, struct buf *out,
                         struct buf *shapes)
{
    size_t at = 0;
    for (size_t i = 0; names[i]; i++) {
        struct ir_function *function = parse(path, names[i]);
        if (!function)
            return;
        buf_add_n(out, function->source + at, function->body_begin - at);
        buf_add_n(shapes, function->source + function->begin,
                  function->body_begin - function->begin);
        ir_print_stmt(out, function->body, 0);
        ir_print_stmt(shapes, function->body, 0);
        at = function->body_end;
        if (!names[i + 1])
            buf_add(out, function->source + at);
        ir_function_free(function);
    }
}

/* What the program prints; compiled without a word, run under the sanitizers. */
static char *run_program(const char *source, const char *program)
{
    const char *compile[] = {"gcc",
                             "-Wall",
                             "-Wextra",
                             "-Werror",
                             "-Wno-unused-variable",
                             "-Wno-unused-but-set-variable",
                             "-Wno-unused-function",
                             "-fsanitize=address,undefined",
                             "-fno-sanitize-recover=all",
                             "-I",
                             DATA,
                             "-o",
                             program,
                             source,
                             "-lm",
                             NULL};
    const char *run[] = {program, NULL};
    const char *const *argvs[] = {compile, run};
    char *text = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(argvs); i++) {
        struct spawn_request request = {.argv = argvs[i], .timeout_s = PATIENCE_S};
        struct spawn_outcome outcome = {0};
        struct error err = {0};
        if (check_ok(spawn_run(&request, &outcome, &err), &err)) {
            check_eq(outcome.code, 0);
            check_str(buf_str(&outcome.err), "");
            free(text);
            text = xstrdup(buf_str(&outcome.out));
        }
        spawn_outcome_release(&outcome);
    }
    return text;
}

static void check_file(size_t i, const char *dir)
{
    struct error err = {0};
    struct buf text = {0}, shapes = {0};
    char *path = xasprintf(DATA "%s.c", files[i].file);
    char *golden = xasprintf(DATA "%s.expected", files[i].file);
    char *source = xasprintf("%s/%s.c", dir, files[i].file);
    char *program = xasprintf("%s/%s", dir, files[i].file);
    rewrite_file(path, files[i].function, &text, &shapes);
    check_golden(golden, buf_str(&shapes));
    if (check(text.length > 0) &&
        check_ok(file_write(source, text.data, text.length, &err), &err)) {
        char *got = run_program(source, program), *want = run_program(path, program);
        check_str(got, want);
        check(got && strchr(got, '\n'));
        free(got);
        free(want);
    }
    free(path);
    free(golden);
    free(source);
    free(program);
    buf_release(&text);
    buf_release(&shapes);
}

TEST("functions compute the same as read")
{
    struct error err = {0};
    char *dir = NULL;
    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        check_file(i, dir);
    scratch_remove(dir);
}

/* ---- what is told of fields and helpers ---- */

static struct ir_symbol *symbol_of(const struct ir_function *function, const char *name)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (strcmp(function->symbol[i]->name, name) == 0)
            return function->symbol[i];
    return NULL;
}

TEST("fields are variables")
{
    static const struct {
        const char *file, *name, *path;
        int pointers;
        size_t dims;
        bool written;
    } want[] = {{"../ok/types.c", "g->v", "->v", 1, 0, false},
                {"../ok/types.c", "h->nx", "->nx", 0, 0, false},
                {"fields.c", "g->box.v", "->box.v", 1, 0, false},
                {"fields.c", "g->far->w", "->far->w", 1, 1, false},
                {"fields.c", "g->nx", "->nx", 0, 0, false}};
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        struct error err = {0};
        struct ir_function *function = NULL;
        char *path = xasprintf(DATA "%s", want[i].file);
        bool shape = !strstr(want[i].file, "types");
        check_ok(
            ir_parse(path, NULL, 0, shape ? "field_bounds" : NULL, NULL, &function, &err),
            &err);
        free(path);
        const struct ir_symbol *symbol =
            function ? symbol_of(function, want[i].name) : NULL;
        if (check(symbol != NULL)) {
            check_eq(symbol->role, IR_FIELD);
            check_str(symbol->path, want[i].path);
            check(strchr("gh", symbol->base->name[0]) != NULL);
            check_eq(symbol->type.pointers, want[i].pointers);
            check_eq(symbol->dim_nr, want[i].dims);
            check_eq(symbol->is_written, want[i].written);
        }
        ir_function_free(function);
    }
}

/* The first expression that prints so. */
struct printed {
    const char *text;
    struct ir_expr *found;
};

static void match_text(struct ir_expr *expr, void *data)
{
    struct printed *printed = data;
    struct buf text = {0};
    ir_print_expr(&text, expr);
    if (!printed->found && strcmp(buf_str(&text), printed->text) == 0)
        printed->found = expr;
    buf_release(&text);
}

static void find_printed(const struct ir_stmt *stmt, struct printed *printed)
{
    ir_visit(stmt->expr, match_text, printed);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            find_printed(stmt->child[i], printed);
}

TEST("members know their place")
{
    static const struct {
        const char *text, *base, *path;
        size_t offset, record;
    } want[] = {{"p[i].pos.y", "p[i]", ".pos.y", 8, 40},
                {"p[i].v[1]", "p[i]", ".v", 16, 40},
                {"p[i].m", "p[i]", ".m", 32, 40},
                {"(*(p + i)).m", "*(p + i)", ".m", 32, 40},
                {"p->pos.y", "p", ".pos.y", 8, 40}};
    struct error err = {0};
    struct ir_function *function = NULL;
    check_ok(ir_parse(DATA "fields.c", NULL, 0, "field_in_array", NULL, &function, &err),
             &err);
    for (size_t i = 0; function && i < ARRAY_SIZE(want); i++) {
        struct printed printed = {want[i].text, NULL};
        struct buf path = {0};
        size_t offset = 0;
        find_printed(function->body, &printed);
        struct ir_expr *base =
            printed.found ? ir_member_base(printed.found, &path, &offset) : NULL;
        struct buf text = {0};
        if (base)
            ir_print_expr(&text, base);
        check_str(buf_str(&text), want[i].base);
        buf_release(&text);
        check_str(buf_str(&path), want[i].path);
        check_eq(offset, want[i].offset);
        if (base)
            check_eq(base->type.bytes, want[i].record);
        buf_release(&path);
    }
    ir_function_free(function);
}

TEST("helpers are pure or not")
{
    static const struct {
        const char *kernel, *name;
        bool pure;
    } want[] = {{"help_pure", "curve", true},       {"help_pure", "half", true},
                {"help_pure", "looked_up", true},   {"help_row", "square", true},
                {"help_counted", "counted", false}, {"help_hidden", "scaled", false}};
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        struct error err = {0};
        struct ir_function *function = NULL;
        check_ok(
            ir_parse(DATA "helpers.c", NULL, 0, want[i].kernel, NULL, &function, &err),
            &err);
        struct ir_symbol *symbol = function ? symbol_of(function, want[i].name) : NULL;
        if (check(symbol != NULL))
            check_eq(symbol->is_pure, want[i].pure);
        ir_function_free(function);
    }
}

/* ---- one pattern each, and files of other people's manners ---- */

static void check_pattern(struct cases *cases, struct test_case *one, const char *dir)
{
    struct ir_function *function = NULL;
    struct buf text = {0};
    struct error err = {0};
    char *path, *end = one->text + strlen(one->text) - 1;

    *end = case_part(one, "end") ? '\0' : '\n';
    path = case_file(one, dir);
    *end = '\n';
    if (check_ok(ir_parse(path, NULL, 0, "f", NULL, &function, &err), &err)) {
        ir_print_stmt(&text, function->body, 0);
        check_case(cases, one, "read", buf_str(&text));
    }
    ir_function_free(function);
    buf_release(&text);
    free(path);
}

TEST("patterns are read")
{
    struct cases cases;
    struct error err = {0};
    char *dir = NULL;

    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/parse/patterns.cases", 60, &cases);
    if (check_ok(scratch_make(&dir, &err), &err))
        for (size_t i = 0; i < cases.nr; i++)
            check_pattern(&cases, &cases.v[i], dir);
    scratch_remove(dir);
    cases_release(&cases);
}

static void check_given(struct cases *cases, struct test_case *one, const char *dir)
{
    struct ir_function *function = NULL;
    struct error err = {0};
    struct buf text = {0};
    char *path = case_file(one, dir);
    if (check_ok(ir_parse(path, NULL, 0, "f", NULL, &function, &err), &err)) {
        for (size_t i = 0; i < function->given_nr; i++)
            buf_addf(&text, "%s%s = %lld (%s:%d)", i ? ", " : "",
                     function->given[i].param->name, function->given[i].value,
                     function->given[i].caller, function->given[i].line);
        check_case(cases, one, "given", text.length ? buf_str(&text) : "none");
    }
    ir_function_free(function);
    buf_release(&text);
    free(path);
}

TEST("calls in the file give sizes")
{
    struct cases cases;
    struct error err = {0};
    char *dir = NULL;

    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/parse/calls.cases", 8, &cases);
    if (check_ok(scratch_make(&dir, &err), &err))
        for (size_t i = 0; i < cases.nr; i++)
            check_given(&cases, &cases.v[i], dir);
    scratch_remove(dir);
    cases_release(&cases);
}
