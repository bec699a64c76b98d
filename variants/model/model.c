/* The model of a function: finds its nests, answers what the front of variants/ asks. */
#include "variants/model/model.h"

#include <isl/ast_build.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/model_nest.h"
#include "variants/model/model_spots.h"
#include "variants/model/model_view.h"

/* DESCRIBE: numbers for the list of dependences, of all nests together; it is for readers
 * and worth less than one plan. */
enum { LINE_BYTES = 64, OPERATIONS = 3000000, DESCRIBE = 1000000 };

/* ---- assumptions: "independent(i)", "noalias(a, b)" ---- */

static bool is_symbol(const struct ir_function *function, const char *name, bool pointer)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (!strcmp(function->symbol[i]->name, name) &&
            (function->symbol[i]->type.pointers > 0) == pointer)
            return true;
    return false;
}

static int read_names(struct model *model, const char *text, const char *at,
                      struct strvec *into, bool pointers, struct error *err)
{
    while (*at && *at != ')') {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, " \t,)"); /* fields too: in->px, box.v */
        if (!length)
            return fail(err, STATUS_INPUT, "'assume %s': a name is missing", text);
        char *name = xstrndup(at, length);
        bool known = is_symbol(model->function, name, pointers);
        strvec_push(into, name);
        if (!known)
            fail(err, STATUS_INPUT, "'assume %s': there is no %s '%s'", text,
                 pointers ? "array" : "loop", name);
        free(name);
        if (!known)
            return -1;
        at += length + strspn(at + length, " \t");
    }
    return *at == ')' ? 0
                      : fail(err, STATUS_INPUT, "'assume %s': a ')' is missing", text);
}

static int read_assumption(struct model *model, const char *text, struct error *err)
{
    const char *at = text + strspn(text, " \t");
    static const struct {
        const char *word;
        bool pointers;
    } words[] = {{"independent", false}, {"noalias", true}};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(at, words[i].word, length))
            continue;
        at += length + strspn(at + length, " \t");
        if (*at != '(')
            break;
        struct strvec *into = words[i].pointers ? &model->noalias : &model->independent;
        int status = read_names(model, text, at + 1, into, words[i].pointers, err);
        strvec_push(into, "");
        strvec_pushf(&model->assumption, "the user vouches: %s", text);
        return status;
    }
    return fail(
        err, STATUS_INPUT,
        "'assume %s' is not understood; there are independent(i) and noalias(a, b)",
        text);
}

/* ---- nests ---- */

static bool note_init(const struct ir_stmt *stmt, const void *data)
{
    const struct model *model = data;
    if (stmt->kind == IR_DECL && stmt->expr && !stmt->symbol->is_written &&
        !stmt->symbol->dim_nr)
        model->init[stmt->symbol->id] = stmt->expr;
    return false;
}

static void find_nests(struct model *model, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR) {
        struct nest *nest = nest_build(model, stmt, (int)model->nest_nr, NULL);
        GROW(model->nest, model->nest_nr + 1, model->nest_alloc);
        model->nest[model->nest_nr++] = nest;
        if (!nest->refusal)
            return;
        strvec_push(&model->refusal, nest->refusal);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        find_nests(model, stmt->child[i]);
}

/* A loop within one statement of a nest, since its bounds depend on data or a condition
 * above it does, is a nest of its own for each iteration of those around it. */
static void find_row(struct model *model, const struct ir_stmt *stmt,
                     const struct nest *around)
{
    if (!stmt || stmt->kind == IR_WHILE) /* printed as its text */
        return;
    if (stmt->kind == IR_FOR) {
        struct nest *nest = nest_build(model, stmt, (int)model->nest_nr, around);
        if (!nest->refusal) {
            GROW(model->nest, model->nest_nr + 1, model->nest_alloc);
            model->nest[model->nest_nr++] = nest;
            return;
        }
        nest_free(nest);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        find_row(model, stmt->child[i], around);
}

static void find_rows(struct model *model)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        const struct nest *around = model->nest[i];
        for (size_t k = 0; !around->refusal && k < around->statement_nr; k++)
            if (around->statement[k].collapsed)
                find_row(model, around->statement[k].stmt, around);
    }
}

static void collect_assumptions(struct model *model)
{
    for (size_t i = 0; i < model->nest_nr; i++)
        if (!model->nest[i]->refusal)
            strvec_push_all(&model->assumption, &model->nest[i]->assumption);
}

static bool is_while(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_WHILE && stmt->why;
}

static bool is_kept(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_OPAQUE && stmt->why && stmt->end_line > stmt->line;
}

static void find_unread(struct ir_expr *expr, void *data)
{
    bool *found = data;
    *found = *found || (expr->kind == IR_RAW && expr->why);
}

/* C++ that is not read is in the way of all that there is. */
static bool is_unread(const struct model *model)
{
    bool all = true, found = !model->nest_nr;
    for (size_t i = 0; i < model->nest_nr; i++) {
        all = all && model->nest[i]->refusal;
        stmt_exprs(model->nest[i]->stmt, find_unread, &found);
    }
    return model->function->kept && all && found;
}

static void fail_no_loop(const struct ir_function *function, struct error *err)
{
    const struct ir_stmt *loop = stmt_find(function->body, is_while, NULL);
    const struct ir_stmt *kept = stmt_find(function->body, is_kept, NULL);
    if (!loop && kept)
        fail(err, STATUS_INPUT,
             "%s:%d: no loop of the function '%s' can be read outside of %s, which is "
             "kept as it is; make what it holds a function of its own",
             function->path, kept->line, function->name, kept->why);
    else if (loop)
        fail(err, STATUS_INPUT,
             "%s:%d: no loop of the function '%s' can be read: %s; for advice on the "
             "whole program: 'inflight advise -- PROGRAM'",
             function->path, loop->line, function->name, loop->why);
    else
        fail(err, STATUS_INPUT, "%s: the function '%s' has no counting loop",
             function->path, function->name);
}

int model_build(const struct model_request *request, struct model **out,
                struct error *err)
{
    struct model *model = xcalloc(1, sizeof(*model));
    model->request = *request;
    model->function = request->function;
    model->arena = request->function->arena;
    model->request.line_bytes = request->line_bytes ? request->line_bytes : LINE_BYTES;
    model->request.operation_limit =
        request->operation_limit ? request->operation_limit : OPERATIONS;
    model->ctx = isl_ctx_alloc();
    isl_options_set_on_error(model->ctx, ISL_ON_ERROR_CONTINUE);
    isl_options_set_ast_build_detect_min_max(model->ctx, 1);
    model->init = xcalloc(model->function->symbol_nr + 1, sizeof(*model->init));
    stmt_find(model->function->body, note_init, model);
    for (size_t i = 0; request->assume && i < request->assume->nr; i++)
        if (read_assumption(model, request->assume->v[i], err))
            goto failed;
    find_nests(model, model->function->body);
    find_rows(model);
    if (is_unread(model)) {
        fail(err, STATUS_INPUT, "%s", model->function->kept);
        goto failed;
    }
    if (!model->nest_nr) {
        fail_no_loop(model->function, err);
        goto failed;
    }
    collect_assumptions(model);
    model->found_nr = model_spots(model->function, &model->found);
    view_build(model);
    *out = model;
    return 0;
failed:
    model_free(model);
    return -1;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->nest_nr; i++)
        nest_free(model->nest[i]);
    for (size_t i = 0; i < model->region_nr; i++)
        nest_free(model->region[i].nest);
    free(model->region);
    free(model->nest);
    free(model->init);
    free(model->loop);
    free(model->loop_stmt);
    free(model->array);
    free(model->access);
    free(model->access_expr);
    if (model->cache_free)
        model->cache_free(model->cache);
    isl_budget(model, 0);
    strvec_release(&model->independent);
    strvec_release(&model->noalias);
    strvec_release(&model->assumption);
    strvec_release(&model->dependence);
    strvec_release(&model->refusal);
    strvec_release(&model->temporary);
    for (size_t i = 0; i < model->found_nr; i++)
        free(model->found[i].what);
    free(model->found);
    free(model->record);
    isl_ctx_free(model->ctx);
    free(model);
}

void model_limit(struct model *model, unsigned long operations)
{
    model->request.operation_limit = operations;
}

static void describe_all(struct model *model)
{
    unsigned long begin = analysis_effort();
    for (size_t i = 0; i < model->nest_nr; i++) {
        struct nest *nest = model->nest[i];
        struct strvec sentences = {0};
        if (nest->refusal)
            continue;
        unsigned long spent = analysis_effort() - begin;
        bool tried = spent < DESCRIBE;
        isl_budget(model, tried ? (DESCRIBE - spent) / 2 + 1 : 0);
        if (tried)
            deps_describe(nest, &sentences);
        if (!tried || isl_ran_out(model))
            strvec_pushf(&model->dependence,
                         "those of the nest at line %d are not listed: the list needed "
                         "over %d numbers; plans for it are checked all the same",
                         nest->stmt->line, DESCRIBE);
        else
            strvec_push_all(&model->dependence, &sentences);
        strvec_release(&sentences);
    }
    isl_budget(model, 0);
    model->have_dependences = true;
}

struct model_view model_view(struct model *model)
{
    if (!model->have_dependences)
        describe_all(model);
    return (struct model_view){
        .loop = model->loop,
        .loop_nr = model->loop_nr,
        .array = model->array,
        .array_nr = model->array_nr,
        .access = model->access,
        .access_nr = model->access_nr,
        .record = model->record,
        .record_nr = model->record_nr,
        .temporary = (const char *const *)model->temporary.v,
        .temporary_nr = model->temporary.nr,
        .found = model->found,
        .found_nr = model->found_nr,
        .assumption = (const char *const *)model->assumption.v,
        .assumption_nr = model->assumption.nr,
        .dependence = (const char *const *)model->dependence.v,
        .dependence_nr = model->dependence.nr,
        .refusal = (const char *const *)model->refusal.v,
        .refusal_nr = model->refusal.nr,
    };
}
