/* One nest: its loops, its statements with their domains, its loop tree. */
#include "variants/model/model_nest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "variants/ir/clauses.h"
#include "variants/ir/spelling.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/model_overlap.h"
#include "variants/model/tree.h"

/* ---- cells ---- */

/* Which cells share bytes: records taken as one where a field and the whole are both
 * used, and fields that other names may reach. */

/* ---- one cell for a record and its fields ---- */

static bool is_record(const struct cell *cell)
{
    return cell->type.scalar == IR_RECORD && !cell->type.pointers;
}

/* ".pos" holds ".pos.x". */
static bool holds(const char *outer, const char *inner)
{
    size_t length = strlen(outer);
    return !strncmp(outer, inner, length) && (inner[length] == '.' || !inner[length]);
}

/* Accesses to the field become accesses to a part of the record. */
static void merge(struct nest *nest, size_t field, size_t record)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        struct access *access = &nest->access[i];
        if (access->cell != field)
            continue;
        access->cell = record;
        access->subscript_nr = nest->cell[record].dims;
        access->must = false;
        access->accumulates = ACCUMULATES_NOT;
    }
}

static void drop_cell(struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        nest->access[i].cell -= nest->access[i].cell > cell;
    memmove(&nest->cell[cell], &nest->cell[cell + 1],
            (--nest->cell_nr - cell) * sizeof(nest->cell[0]));
}

static bool merge_one(struct nest *nest)
{
    for (size_t a = 0; a < nest->cell_nr; a++)
        for (size_t b = 0; b < nest->cell_nr; b++)
            if (a != b && nest->cell[a].symbol == nest->cell[b].symbol &&
                is_record(&nest->cell[a]) &&
                holds(nest->cell[a].path, nest->cell[b].path)) {
                merge(nest, b, a);
                drop_cell(nest, b);
                return true;
            }
    return false;
}

/* ---- fields as variables: `g->nx` ---- */

static bool cell_written(const struct nest *nest, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].write && nest->cell[nest->access[i].cell].symbol == symbol)
            return true;
    return false;
}

/* g->pos.x and g->pos, g->x and g[i]. */
static bool same_bytes(const struct ir_symbol *field, const struct ir_symbol *other)
{
    if (field == other)
        return false;
    if (field->base == other)
        return true;
    if (other->role != IR_FIELD || other->base != field->base)
        return false;
    size_t length = strlen(other->path);
    return !strncmp(other->path, field->path, length) && field->path[length] == '.';
}

/* An in-place part of what `field` names is written under another name. */
static int check_field(struct nest *nest, const struct ir_symbol *field)
{
    for (size_t i = 0; i < nest->cell_nr; i++) {
        const struct ir_symbol *other = nest->cell[i].symbol;
        if (same_bytes(field, other) &&
            (cell_written(nest, field) || cell_written(nest, other)))
            return nest_refuse(nest, nest->stmt->line,
                               "'%s' and '%s' are used under both names in one nest and "
                               "may be the same memory; copy the field to a local "
                               "variable before the loop",
                               field->name, nest->cell[i].name);
    }
    return 0;
}

static int check_fields(struct nest *nest)
{
    const struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        if (symbol->role == IR_FIELD && nest->used[i] && check_field(nest, symbol))
            return -1;
    }
    return 0;
}

/* What is written out again would be the macro's; one with parameters takes only what is
 * called. */
static int check_macros(struct nest *nest)
{
    const struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        if (nest->used[i] && symbol->role != IR_FIELD &&
            ir_has_name(&function->plain_macros, symbol->name))
            return nest_refuse(nest, nest->stmt->line,
                               "'%s' is a variable and a macro; give one of them another "
                               "name",
                               symbol->name);
    }
    return 0;
}

/* one cell for what shares bytes */
static int nest_cells(struct nest *nest)
{
    while (merge_one(nest))
        ;
    return check_macros(nest) ? -1 : check_fields(nest);
}

/* ---- context ---- */

/* Parameters, those for which anything is executed, what the language promises of them.
 */

static void nest_params(struct nest *nest)
{
    struct ir_function *function = nest->model->function;
    nest->params = isl_space_params_alloc(nest->model->ctx, 0);
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        if (!nest->used[i] || !symbol_is_param(nest, symbol))
            continue;
        char *text = xasprintf("%s_%d", symbol->name, symbol->id);
        nest->params = isl_space_add_param_id(nest->params,
                                              isl_id_alloc(nest->model->ctx, text, NULL));
        free(text);
    }
}

/* all statements are there */
static void nest_context(struct nest *nest)
{
    isl_set *any = isl_set_empty(isl_space_copy(nest->params)),
            *all = isl_set_universe(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->statement_nr; i++) {
        isl_set *params = isl_set_params(isl_set_copy(nest->statement[i].domain));
        any = isl_set_union(any, isl_set_copy(params));
        all = isl_set_intersect(all, params);
    }
    isl_set_free(any);
    nest->context = isl_set_coalesce(isl_set_remove_redundancies(all));
    bool all_run = isl_set_is_empty(nest->context) == isl_bool_false;
    nest_reach(nest, all_run);
    if (!all_run) {
        isl_set_free(nest->context);
        nest->context = isl_set_universe(isl_space_copy(nest->params));
    }
}

static void nest_guaranteed(struct nest *nest)
{
    struct ir_function *function = nest->model->function;
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct doubts doubts = {0};
    struct affine at = {.nest = nest, .space = space, .doubts = &doubts};
    nest->guaranteed = isl_set_universe(isl_space_copy(nest->params));
    nest->proven = isl_set_universe(isl_space_copy(nest->params));
    for (size_t i = 0; i < function->param_nr; i++)
        for (size_t k = 0; k < function->symbol[i]->dim_nr; k++) {
            const struct ir_expr *dim = function->symbol[i]->dim[k];
            isl_pw_aff *size = dim ? affine_expr(&at, dim) : NULL;
            if (!doubts_are_idle(nest, &doubts) || !size) {
                isl_pw_aff_free(size);
                continue;
            }
            nest->proven = isl_set_intersect(
                nest->proven,
                isl_set_params(isl_pw_aff_nonneg_set(isl_pw_aff_copy(size))));
            nest->guaranteed = isl_set_intersect(
                nest->guaranteed, isl_set_params(isl_pw_aff_pos_set(size)));
        }
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        if (!nest->used[i] || !symbol->type.is_unsigned || !symbol_is_param(nest, symbol))
            continue;
        isl_pw_aff *value = affine_expr(&at, ir_name(nest->model->arena, symbol));
        nest->proven =
            isl_set_intersect(nest->proven, isl_set_params(isl_pw_aff_nonneg_set(value)));
    }
    nest->guaranteed = isl_set_intersect(nest->guaranteed, isl_set_copy(nest->proven));
    isl_space_free(space);
}

/* ---- model nest ---- */

enum { MODEL_OPERATIONS = 20000000 };

/* What encloses the statement being read: a loop, or an affine condition. */
struct frame {
    struct loop *loop;
    const struct ir_expr *cond;
    bool negate;
};

struct build {
    struct nest *nest;
    struct frame frame[4 * DEPTH_MAX];
    size_t frame_nr;
    struct loop *loop[DEPTH_MAX];
    size_t depth;
};

/* ---- which symbols the nest writes, declares, uses ---- */

static void note_used(struct nest *nest, const struct ir_symbol *symbol)
{
    if (symbol->id >= 0)
        nest->used[symbol->id] = true;
    if (symbol->role == IR_FIELD && symbol->base)
        note_used(nest, symbol->base);
}

static void note_written(struct ir_expr *expr, void *data)
{
    struct nest *nest = data;
    bool assigns =
        expr->kind == IR_ASSIGN ||
        (expr->kind == IR_UNARY &&
         (strstr(expr->op, "++") || strstr(expr->op, "--") || !strcmp(expr->op, "&")));
    const struct ir_expr *target = assigns ? expr->arg[0] : NULL;
    while (target && target->kind == IR_MEMBER && !target->is_arrow)
        target = target->arg[0]; /* a variable that is a structure */
    if (target && target->kind == IR_NAME && target->symbol->id >= 0)
        nest->written[target->symbol->id] = true;
    if (expr->kind == IR_NAME)
        note_used(nest, expr->symbol);
}

static bool note_declared(const struct ir_stmt *stmt, const void *data)
{
    const struct nest *nest = data;
    if (stmt->kind == IR_DECL)
        nest->declared[stmt->symbol->id] = true;
    if (stmt->kind == IR_FOR && stmt->canonical)
        nest->written[stmt->iterator->id] = nest->declared[stmt->iterator->id] = true;
    return false;
}

static void note_symbols(struct nest *nest)
{
    size_t nr = nest->model->function->symbol_nr + 1;
    nest->written = xcalloc(nr, sizeof(bool));
    nest->declared = xcalloc(nr, sizeof(bool));
    nest->used = xcalloc(nr, sizeof(bool));
    nest->rests = xcalloc(nr, sizeof(bool));
    nest->decl_depth = xcalloc(nr, sizeof(int));
    nest->far = xcalloc(nr, sizeof(long long));
    for (size_t i = 0; i < nr; i++)
        nest->decl_depth[i] = -1;
    stmt_exprs(nest->stmt, note_written, nest);
    stmt_find(nest->stmt, note_declared, nest);
}

/* ---- domains ---- */

static isl_space *statement_space(const struct build *build, size_t index)
{
    char text[32];
    isl_space *space = isl_space_set_from_params(isl_space_copy(build->nest->params));
    space = isl_space_add_dims(space, isl_dim_set, (unsigned)build->depth);
    snprintf(text, sizeof(text), "S%zu", index);
    return isl_space_set_tuple_name(space, isl_dim_set, text);
}

static struct affine affine_here(struct build *build, size_t index)
{
    return (struct affine){.nest = build->nest,
                           .space = statement_space(build, index),
                           .loop = build->loop,
                           .depth = build->depth};
}

static bool affine_ok(struct build *build, const struct ir_expr *expr, bool cond)
{
    struct affine at = affine_here(build, 0);
    isl_set *set = cond ? affine_cond(&at, expr) : NULL;
    isl_pw_aff *pa = cond ? NULL : affine_expr(&at, expr);
    bool ok = cond ? set != NULL : pa != NULL;
    isl_set_free(set);
    isl_pw_aff_free(pa);
    isl_space_free(at.space);
    return ok;
}

/* With the ifs around, or without. */
static isl_set *domain_here(struct build *build, size_t index, bool asked)
{
    struct affine at = affine_here(build, index);
    isl_set *domain = isl_set_universe(isl_space_copy(at.space));
    for (size_t i = 0, pos = 0; i < build->frame_nr; i++) {
        const struct frame *frame = &build->frame[i];
        struct doubts doubts = {0};
        if (!frame->loop && !asked)
            continue;
        at.doubts = &doubts;
        isl_set *set = frame->loop ? affine_loop(&at, frame->loop, pos)
                                   : affine_cond(&at, frame->cond);
        if (!nest_settle(&at, domain)) {
            isl_set_free(set);
            set = NULL;
            nest_refuse(build->nest,
                        frame->loop ? frame->loop->stmt->line : frame->cond->line,
                        "it would rest on something impossible: %s", doubts.never);
        }
        pos += frame->loop != NULL;
        domain = isl_set_intersect(domain, frame->negate ? isl_set_complement(set) : set);
    }
    isl_space_free(at.space);
    return isl_set_coalesce(domain);
}

/* ---- the walk ---- */

static int walk(struct build *build, const struct ir_stmt *stmt, struct tree *seq);

static bool is_unreadable(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_OPAQUE || stmt->kind == IR_RETURN ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4));
}

/* The ifs that it is in. */
static void note_conditions(struct build *build, struct statement *statement,
                            size_t index)
{
    statement->cond =
        ir_alloc(build->nest->model->arena, build->frame_nr * sizeof(struct ir_expr *));
    for (size_t i = 0; i < build->frame_nr; i++)
        if (build->frame[i].cond)
            statement->cond[statement->cond_nr++] = build->frame[i].cond;
    if (statement->cond_nr)
        statement->looped = domain_here(build, index, false);
}

/* `why`: of a construct taken as one statement; NULL = an ordinary one. */
static int add_statement(struct build *build, const struct ir_stmt *stmt, const char *why,
                         struct tree *seq)
{
    struct nest *nest = build->nest;
    size_t index = nest->statement_nr;
    const struct ir_stmt *bad = stmt_find(stmt, is_unreadable, NULL);
    if (bad)
        return nest_refuse(nest, bad->line, "%s in a loop",
                           bad->kind == IR_RETURN ? "return"
                           : bad->why             ? bad->why
                                                  : bad->text);
    GROW(nest->statement, index + 1, nest->statement_alloc);
    struct statement *new = &nest->statement[nest->statement_nr++];
    *new = (struct statement){
        .stmt = stmt, .collapsed = why != NULL, .why = why, .depth = build->depth};
    memcpy(new->loop, build->loop, build->depth * sizeof(new->loop[0]));
    new->domain = domain_here(build, index, true);
    if (!new->domain)
        return nest_refuse(nest, stmt->line, "the bounds are too complex");
    note_conditions(build, new, index);
    tree_add(seq, tree_leaf(index, isl_set_copy(new->domain)));
    return nest_collect(nest, index);
}

struct writes {
    const struct ir_symbol *symbol;
    bool found;
};

static void find_write(struct ir_expr *expr, void *data)
{
    struct writes *writes = data;
    bool assigns = expr_sets(expr);
    if (assigns && expr->arg[0]->kind == IR_NAME &&
        expr->arg[0]->symbol == writes->symbol)
        writes->found = true;
}

static bool same_iterator(const struct ir_stmt *stmt, const void *data)
{
    return stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == data;
}

/* for (ii = 0; ii < n; ii += B) */
static bool steps_by_variable(const struct ir_stmt *stmt)
{
    const struct ir_expr *by = stmt->increment;
    return by && by->kind == IR_ASSIGN && by->arg_nr > 1 && !by->arg[1]->has_value &&
           (!strcmp(by->op, "+=") || !strcmp(by->op, "-="));
}

/* for (i++; i < n; i++) */
static bool goes_on(const struct ir_stmt *stmt)
{
    const struct ir_expr *first =
        stmt->init && stmt->init->kind == IR_EXPR ? stmt->init->expr : NULL;
    return first && (first->kind == IR_UNARY ||
                     (first->kind == IR_ASSIGN && strcmp(first->op, "=") != 0));
}

static const char *form_problem(const struct ir_stmt *stmt)
{
    if (stmt->iterator && stmt->iterator->type.scalar == IR_FLOAT &&
        !stmt->iterator->type.pointers)
        return "it counts with a floating-point number; count with an integer, and "
               "compute "
               "the other from it";
    if (steps_by_variable(stmt)) {
        const struct ir_expr *by = stmt->increment->arg[1];
        return by->kind == IR_NAME && by->symbol->is_written
                   ? "its step is a variable that is set again and again, such as the "
                     "iterator of a loop around; only constant steps are read"
                   : "the step is not a constant; give it a value, as a macro or a const";
    }
    if (goes_on(stmt))
        return "its head does not set the iterator but goes on from what it is; do that "
               "before the loop: i++; for (; i < n; i++)";
    if (stmt->why)
        return stmt->why;
    return "the loop does not have the form for (i = a; i < b; i += c)";
}

/* NULL when the loop can be modelled, else why not. */
static const char *loop_problem(struct build *build, const struct ir_stmt *stmt)
{
    struct writes writes = {.symbol = stmt->iterator};
    if (!stmt->canonical)
        return form_problem(stmt);
    if (stmt->iterator->address_taken || stmt->iterator->type.is_volatile ||
        stmt->iterator->role == IR_GLOBAL)
        return "the iterator may change behind the loop's back; use a local variable";
    stmt_exprs(stmt->child[0], find_write, &writes);
    if (writes.found || stmt_find(stmt->child[0], same_iterator, stmt->iterator))
        return "the iterator is changed in the loop; use another variable for that";
    if (stmt_breaks_out(stmt->child[0]))
        return "break or continue in the loop; instead of continue an if around the rest "
               "of the body would do";
    if (stmt->iterator->type.bytes > 8)
        return "a counter of more than 64 bits";
    if (build->depth == DEPTH_MAX || build->frame_nr + 1 >= ARRAY_SIZE(build->frame))
        return "too many nested loops";
    if (!strcmp(stmt->cmp, "!=") && stmt->step != 1 && stmt->step != -1)
        return "!= with a step other than 1; write < (or >)";
    if (!affine_ok(build, stmt->lower, false) || !affine_ok(build, stmt->upper, false))
        return "a bound is not a linear function of parameters and outer iterators";
    return NULL;
}

static struct loop *new_loop(struct build *build, const struct ir_stmt *stmt)
{
    struct nest *nest = build->nest;
    struct loop *loop = ir_alloc(nest->model->arena, sizeof(*loop));
    *loop = (struct loop){.stmt = stmt,
                          .parent = build->depth ? build->loop[build->depth - 1] : NULL,
                          .index = nest->loop_nr,
                          .depth = (int)build->depth,
                          .view = -1};
    GROW(nest->loop, nest->loop_nr + 1, nest->loop_alloc);
    nest->loop[nest->loop_nr++] = loop;
    if (!strcmp(stmt->cmp, "!="))
        nest_assume(nest, "the loop over %s at line %d ends", stmt->iterator->name,
                    stmt->line);
    return loop;
}

static int walk_loop(struct build *build, const struct ir_stmt *stmt, struct tree *seq)
{
    const char *problem = loop_problem(build, stmt);
    if (problem && !build->depth)
        return nest_refuse(build->nest, stmt->line, "%s", problem);
    if (problem)
        return add_statement(build, stmt, problem, seq);
    struct loop *loop = new_loop(build, stmt);
    struct tree *body = tree_new(TREE_SEQ);
    build->frame[build->frame_nr++] = (struct frame){.loop = loop};
    build->loop[build->depth++] = loop;
    int status = walk(build, stmt->child[0], body);
    build->depth--;
    build->frame_nr--;
    tree_add(seq, tree_band(loop, body));
    return status;
}

static int walk_if(struct build *build, const struct ir_stmt *stmt, struct tree *seq)
{
    if (!affine_ok(build, stmt->cond, true) ||
        build->frame_nr + 1 >= ARRAY_SIZE(build->frame))
        return add_statement(build, stmt, "it depends on a condition on data", seq);
    build->frame[build->frame_nr++] = (struct frame){.cond = stmt->cond};
    int status = walk(build, stmt->child[0], seq);
    build->frame[build->frame_nr - 1].negate = true;
    if (!status && stmt->child_nr > 1 && stmt->child[1])
        status = walk(build, stmt->child[1], seq);
    build->frame_nr--;
    return status;
}

/* An array whose size is known before the nest begins and that is not set where it is
 * declared. */
static bool is_plain_array(struct build *build, const struct ir_stmt *decl)
{
    const struct ir_symbol *symbol = decl->symbol;
    isl_space *space = isl_space_set_from_params(isl_space_copy(build->nest->params));
    struct affine at = {.nest = build->nest, .space = space};
    bool plain = !decl->expr && !symbol->pointer_to_array &&
                 symbol->type.pointers == (int)symbol->dim_nr;
    for (size_t i = 0; plain && i < symbol->dim_nr; i++) {
        isl_pw_aff *size = symbol->dim[i] ? affine_expr(&at, symbol->dim[i]) : NULL;
        plain = size != NULL;
        isl_pw_aff_free(size);
    }
    isl_space_free(space);
    return plain;
}

struct addresses {
    const struct ir_symbol *symbol;
    size_t taken, given; /* to functions whose effects are known */
};

static bool is_address_of(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    return expr->kind == IR_UNARY && !strcmp(expr->op, "&") &&
           expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == symbol;
}

static void count_address(struct ir_expr *expr, void *data)
{
    struct addresses *addresses = data;
    bool given = expr->kind == IR_CALL && expr->symbol && expr->symbol->effects;
    addresses->taken += is_address_of(expr, addresses->symbol);
    for (size_t i = 0; i < expr->arg_nr; i++) {
        addresses->given += given && is_address_of(expr->arg[i], addresses->symbol);
        addresses->taken += expr->kind == IR_RAW && expr->arg[i]->kind == IR_NAME &&
                            expr->arg[i]->symbol == addresses->symbol;
    }
}

static void count_addresses(const struct ir_stmt *stmt, struct addresses *addresses)
{
    struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->increment, stmt->lower,
                              stmt->upper};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            ir_visit(part[i], count_address, addresses);
    if (stmt->init)
        count_addresses(stmt->init, addresses);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            count_addresses(stmt->child[i], addresses);
}

/* `double t; f(a, &t);`: nobody keeps its address. */
static bool is_kept_address(const struct ir_stmt *block, const struct ir_symbol *symbol)
{
    struct addresses addresses = {.symbol = symbol};
    count_addresses(block, &addresses);
    return symbol->dim_nr || symbol->type.pointers || addresses.taken != addresses.given;
}

/* Blocks with declarations that the new code could not repeat. */
static bool declares_more(struct build *build, const struct ir_stmt *block)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct ir_stmt *child = block->child[i];
        if (child->kind != IR_DECL)
            continue;
        const struct ir_symbol *symbol = child->symbol;
        if (symbol->type.scalar == IR_RECORD || symbol->as_written || symbol->is_static ||
            (symbol->address_taken && is_kept_address(block, symbol)) ||
            (symbol->dim_nr && !is_plain_array(build, child)))
            return true;
    }
    return false;
}

static int walk_block(struct build *build, const struct ir_stmt *block, struct tree *seq)
{
    int status = 0;
    if (declares_more(build, block))
        return add_statement(build, block, "a declaration beside it cannot be repeated",
                             seq);
    for (size_t i = 0; !status && i < block->child_nr; i++)
        status = walk(build, block->child[i], seq);
    return status;
}

static int walk(struct build *build, const struct ir_stmt *stmt, struct tree *seq)
{
    switch (stmt->kind) {
    case IR_BLOCK:
        return walk_block(build, stmt, seq);
    case IR_FOR:
        return walk_loop(build, stmt, seq);
    case IR_IF:
        return walk_if(build, stmt, seq);
    case IR_DECL:
        build->nest->decl_depth[stmt->symbol->id] = (int)build->depth;
        return stmt->expr ? add_statement(build, stmt, NULL, seq) : 0;
    case IR_EMPTY:
        return 0;
    case IR_WHILE:
        return add_statement(build, stmt, stmt->why ? stmt->why : "it is a while loop",
                             seq);
    case IR_EXPR:
    case IR_RETURN:
    case IR_JUMP:
    case IR_OPAQUE:
        break;
    }
    return add_statement(build, stmt, NULL, seq); /* says what it cannot be */
}

/* ---- iterators that live on ---- */

struct reader {
    const struct ir_symbol *symbol;
    bool found;
};

static void find_name(struct ir_expr *expr, void *data)
{
    struct reader *reader = data;
    bool called = expr->kind == IR_CALL && !expr->symbol; /* table[k](x) is text */
    if ((expr->kind == IR_NAME && expr->symbol == reader->symbol) ||
        (called && text_has_word(expr->text, reader->symbol->name)))
        reader->found = true;
}

/* A loop over the same iterator sets it first, so what is inside does not read the old
 * value. */
static void read_outside(const struct ir_stmt *stmt, struct reader *reader)
{
    if (!stmt || same_iterator(stmt, reader->symbol))
        return;
    struct ir_stmt alone = *stmt;
    alone.child_nr = 0;
    stmt_exprs(&alone, find_name, reader);
    for (size_t i = 0; i < stmt->child_nr; i++)
        read_outside(stmt->child[i], reader);
}

static bool iterator_lives_on(const struct ir_stmt *stmt, const void *data)
{
    struct reader reader = {0};
    if (stmt->kind != IR_FOR || !stmt->canonical || stmt->declares_iterator)
        return false;
    reader.symbol = stmt->iterator;
    read_outside(data, &reader);
    return reader.found;
}

static int refuse_iterator(struct nest *nest, const struct ir_stmt *loop)
{
    return nest_refuse(nest, loop->line,
                       "the iterator '%s' is used outside its loop; use another "
                       "variable in one of the places",
                       loop->iterator->name);
}

/* That of the outermost loop may live on: the new code sets it to what it has then. The
 * iterator of a loop that OpenMP shares out has no such value. */
static int check_root(struct nest *nest)
{
    const struct ir_stmt *root = nest->stmt;
    struct ir_arena *arena = nest->model->arena;
    if (!nest_is_needed_behind(nest, root->iterator))
        return 0;
    struct ir_expr *value = ir_end_value(arena, root);
    for (const struct ir_pragma *pragma = root->pragma; pragma; pragma = pragma->next)
        if (pragma_shares_out(pragma) || pragma_is(pragma, PRAGMA_SIMD))
            value = NULL;
    if (!value)
        return refuse_iterator(nest, root);
    nest->left = ir_assign(arena, "=", ir_name(arena, root->iterator), value);
    return 0;
}

static int check_iterators(struct nest *nest)
{
    const struct ir_stmt *body = nest->model->function->body, *root = nest->stmt;
    bool lives = root->kind == IR_FOR && iterator_lives_on(root, body);
    const struct ir_stmt *bad =
        stmt_find(lives ? root->child[0] : root, iterator_lives_on, body);
    if (bad)
        return refuse_iterator(nest, bad);
    return lives ? check_root(nest) : 0;
}

/* ---- the user's pragmas ---- */

static bool has_pragma(const struct ir_stmt *stmt, const struct ir_pragma *pragma)
{
    const struct ir_pragma *own = stmt->pragma;
    while (own && own != pragma)
        own = own->next;
    return own != NULL;
}

/* Loops whose iterations a pragma shares out can be taken apart; but the loop around an
 * `omp for` is run by all threads, each of which must come to it as often. `loop`: the
 * one it stands before; NULL = it is in a statement that is not taken apart, or belongs
 * to none. */
static int check_pragma(struct nest *nest, const struct ir_pragma *pragma,
                        const struct loop *loop)
{
    const char *clauses = "";
    const struct pragma_row *row = pragma_row(pragma->text, &clauses);
    bool root = loop && loop->stmt == nest->stmt;
    struct clause clause;
    if (pragma->macro)
        return nest_refuse(nest, pragma->line,
                           "what '%s' holds may be a pragma of the loop; write it there "
                           "as a #pragma",
                           pragma->macro);
    if (!row)
        return nest_refuse(
            nest, pragma->line,
            "what '#pragma %s' means to a loop is not known, so it is left "
            "as it is",
            pragma->text);
    if (row->kind == PRAGMA_SHARED && nest->stmt->kind == IR_BLOCK)
        return nest_refuse(nest, pragma->line,
                           "'omp for' shares each loop out by itself, and other loops of "
                           "the threads may rest on who gets which iterations");
    if (row->kind == PRAGMA_SHARED && !root)
        return nest_refuse(nest, pragma->line,
                           "OpenMP distributes this loop inside another one; plans are "
                           "for the inner loop by itself");
    if (row->kind == PRAGMA_THREADS || row->kind == PRAGMA_REGION ||
        row->kind == PRAGMA_FLOATS || (row->kind == PRAGMA_PLACE && !root) ||
        (row->kind == PRAGMA_TEAM && !loop))
        return nest_refuse(
            nest, pragma->line,
            "'#pragma %s' stands in what would be changed, which is left as it is",
            pragma->text);
    bool bound = row->kind == PRAGMA_TEAM || row->kind == PRAGMA_SHARED ||
                 row->kind == PRAGMA_SIMD;
    while (bound && clause_next(&clauses, &clause))
        if (!clause_is_known(&clause) ||
            (!loop && clause_cell(&clause, CHANGE_KEPT) == CELL_NO))
            return nest_refuse(nest, pragma->line,
                               "what the clause '%.*s' means to a loop is not known, so "
                               "it is left as it is",
                               (int)clause.word_length, clause.word);
    return 0;
}

static bool shows_rounding(const struct nest *nest, const struct ir_pragma *pragma)
{
    size_t length = strlen(pragma->text);
    return pragma_is(pragma, PRAGMA_FLOATS) && pragma->begin < nest->stmt->end &&
           !strcmp(pragma->text + length - 2, "ON");
}

/* Those before its loops, and those that stand anywhere in it. */
static int check_pragmas(struct nest *nest)
{
    const struct ir_pragma *pragma = nest->model->function->all_pragma;
    int status = 0;
    for (; !status && pragma; pragma = pragma->next_all) {
        const struct loop *loop = NULL;
        for (size_t i = 0; !loop && i < nest->loop_nr; i++)
            loop = has_pragma(nest->loop[i]->stmt, pragma) ? nest->loop[i] : NULL;
        bool inside =
            pragma->begin >= nest->stmt->begin && pragma->end <= nest->stmt->end;
        if (shows_rounding(nest, pragma))
            status = nest_refuse(nest, nest->stmt->line,
                                 "by the pragma of line %d its arithmetic must stay as "
                                 "it is",
                                 pragma->line);
        else if (!pragma->ours && (loop || inside || has_pragma(nest->stmt, pragma)))
            status = check_pragma(nest, pragma, loop);
    }
    return status;
}

/* What is written anew stands on other lines, and perhaps several times. */
static int check_placed(struct nest *nest)
{
    const struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->use_nr; i++) {
        const struct ir_use *use = &function->use[i];
        int line = nest->stmt->line;
        if (!use->placed || use->begin < nest->stmt->begin ||
            use->begin >= nest->stmt->end)
            continue;
        for (size_t at = nest->stmt->begin; at < use->begin; at++)
            line += function->source[at] == '\n';
        return nest_refuse(nest, line,
                           "the value of '%s' depends on where it stands; compute it "
                           "before the loop",
                           use->placed);
    }
    return 0;
}

/* The pragma of a statement around the nest within which nothing may be changed. */
static const struct ir_pragma *forbidden(const struct ir_stmt *stmt)
{
    const struct ir_pragma *pragma = stmt->pragma;
    for (; pragma; pragma = pragma->next) {
        const char *clauses = "";
        const struct pragma_row *row = pragma_row(pragma->text, &clauses);
        struct clause clause;
        if (pragma->ours)
            continue;
        if (!row || row->kind == PRAGMA_SIMD)
            return pragma;
        bool bound = row->kind == PRAGMA_TEAM || row->kind == PRAGMA_SHARED ||
                     row->kind == PRAGMA_THREADS || row->kind == PRAGMA_REGION;
        while (bound && clause_next(&clauses, &clause))
            if (clause_around(&clause) != CELL_YES)
                return pragma;
    }
    return NULL;
}

static int check_around(struct nest *nest)
{
    const struct ir_stmt *at = nest->model->function->body, *next;
    const struct ir_stmt *own = nest->stmt;
    for (; at; at = next) {
        const struct ir_pragma *pragma = forbidden(at);
        if (pragma)
            return nest_refuse(nest, own->line,
                               "it stands inside of '#pragma %s' at line %d, whose "
                               "statement is left as it is",
                               pragma->text, pragma->line);
        next = NULL;
        for (size_t i = 0; !next && i < at->child_nr; i++) {
            const struct ir_stmt *child = at->child[i];
            if (child && child->begin <= own->begin && child->end >= own->end &&
                (child->begin < own->begin || child->end > own->end))
                next = child;
        }
    }
    return 0;
}

/* ---- declarations ---- */

/* What it declares is not one iteration's alone, and would be another variable in each
 * copy of the text. A constant is as good as its copies. */
static bool is_shared(const struct ir_stmt *stmt, const void *unused)
{
    const struct ir_symbol *symbol = stmt->symbol;
    (void)unused;
    if (stmt->kind != IR_DECL)
        return false;
    bool constant = symbol->type.is_const && !symbol->type.is_volatile && stmt->expr &&
                    symbol->type.pointers == (int)symbol->dim_nr &&
                    !symbol->pointer_to_array && !symbol->address_taken;
    return symbol->role == IR_GLOBAL || symbol->is_thread_local ||
           (symbol->is_static && !constant);
}

static void find_varying(struct ir_expr *expr, void *data)
{
    bool *varies = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool steady = symbol && (symbol->role == IR_PARAM || symbol->role == IR_LOCAL) &&
                  !symbol->is_written && !symbol->in_loop && !symbol->address_taken;
    *varies = *varies || !(steady || expr->kind == IR_LITERAL ||
                           expr->kind == IR_BINARY || expr->kind == IR_CAST);
}

/* An array whose size is another one in each iteration: sizes are no part of what plans
 * move. */
static bool is_sized_anew(const struct ir_stmt *stmt, const void *unused)
{
    bool varies = false;
    (void)unused;
    for (size_t i = 0; stmt->kind == IR_DECL && i < stmt->symbol->dim_nr; i++)
        if (stmt->symbol->dim[i] && !stmt->symbol->dim[i]->has_value)
            ir_visit(stmt->symbol->dim[i], find_varying, &varies);
    return varies;
}

static int check_declarations(struct nest *nest)
{
    const struct ir_stmt *sized = stmt_find(nest->stmt, is_sized_anew, NULL);
    if (sized)
        return nest_refuse(nest, sized->line,
                           "'%s' is declared in the loop, with a size that is another "
                           "one in each iteration; give it one that stays",
                           sized->symbol->name);
    const struct ir_stmt *stmt = stmt_find(nest->stmt, is_shared, NULL);
    if (!stmt)
        return 0;
    return nest_refuse(nest, stmt->line,
                       "'%s' is declared in the loop, but %s; declare it before the loop",
                       stmt->symbol->name,
                       stmt->symbol->role == IR_GLOBAL ? "elsewhere, too"
                                                       : "lives on from one iteration to "
                                                         "the next");
}

/* ---- bounds that are read from memory ---- */

static const struct ir_stmt *with_names(const struct model *model,
                                        const struct ir_stmt *stmt)
{
    if (!stmt->lower_name && !stmt->upper_name)
        return stmt;
    struct ir_stmt *copy = ir_alloc(model->arena, sizeof(*copy));
    *copy = *stmt;
    if (stmt->lower_name)
        copy->lower = ir_name(model->arena, stmt->lower_name);
    if (stmt->upper_name)
        copy->upper = ir_name(model->arena, stmt->upper_name);
    return copy;
}

/* They are looked at before every iteration, and must be the same each time. */
struct bound {
    const struct nest *nest;
    const char *problem; /* what may change them; NULL = nothing */
};

static void check_variable(struct bound *at, struct ir_symbol *symbol)
{
    const struct nest *nest = at->nest;
    struct memory memory = {.symbol = symbol, .type = symbol->type, .itself = true};
    bool own = symbol->type.pointers && !symbol->address_taken && !symbol->is_static &&
               !symbol->is_reference &&
               (symbol->role == IR_PARAM || symbol->role == IR_LOCAL);
    if (symbol->id < 0 || nest->written[symbol->id] || nest->declared[symbol->id] ||
        symbol->type.is_volatile || (!own && nest_may_write(nest, &memory)))
        at->problem = symbol->name;
}

static void check_element(struct bound *at, struct ir_expr *expr)
{
    const struct ir_expr *root = expr;
    while (root->kind == IR_INDEX || (root->kind == IR_MEMBER && !root->is_arrow))
        root = root->arg[0];
    struct ir_symbol *symbol = root->kind == IR_NAME ? root->symbol : NULL;
    if (!symbol || expr->type.is_volatile || symbol_has_rows(symbol)) {
        at->problem = symbol ? symbol->name : "a pointer in memory";
        return;
    }
    struct memory memory = {.symbol = symbol, .type = expr->type};
    if (nest_may_write(at->nest, &memory))
        at->problem = symbol->name;
}

static void check_part(struct ir_expr *expr, void *data)
{
    struct bound *at = data;
    switch (expr->kind) {
    case IR_NAME:
        check_variable(at, expr->symbol);
        break;
    case IR_INDEX:
    case IR_MEMBER:
        check_element(at, expr);
        break;
    case IR_LITERAL:
    case IR_BINARY:
    case IR_COND:
    case IR_CAST:
        break;
    case IR_UNARY:
        if (!strcmp(expr->op, "-") || !strcmp(expr->op, "+"))
            break;
        /* fall through */
    default:
        at->problem = "an expression that does more than read";
    }
}

static int check_bounds(struct nest *nest)
{
    struct bound at = {.nest = nest};
    if (nest->source->lower_name)
        ir_visit(nest->source->lower, check_part, &at);
    if (nest->source->upper_name)
        ir_visit(nest->source->upper, check_part, &at);
    return at.problem ? nest_refuse(nest, nest->stmt->line,
                                    "a bound is read from memory that the loop may "
                                    "change: '%s'; keep it in a local variable",
                                    at.problem)
                      : 0;
}

static int check_text(struct nest *nest)
{
    if (stmt_is_put_in(nest->source))
        return nest_refuse(nest, nest->stmt->line,
                           "it is in a function that is called here, and the loop around "
                           "the call cannot be changed; tune that function");
    return nest->source->shares_text
               ? nest_refuse(nest, nest->stmt->line,
                             "it comes from a macro together with other statements, "
                             "or the ';' of a statement in it does; write the loop "
                             "itself, or a macro of the loop alone")
               : 0;
}

struct nest *nest_build(struct model *model, const struct ir_stmt *source, int index,
                        const struct nest *around)
{
    const struct ir_stmt *stmt = with_names(model, source);
    struct nest *nest = xcalloc(1, sizeof(*nest));
    struct build build = {.nest = nest};
    *nest = (struct nest){
        .model = model, .stmt = stmt, .source = source, .around = around, .index = index};
    note_symbols(nest);
    nest_params(nest);
    nest_ranges(nest);
    nest_guaranteed(nest);
    nest->assumed = isl_set_universe(isl_space_copy(nest->params));
    nest->tree = tree_new(TREE_SEQ);
    if (check_text(nest) || check_around(nest) || check_declarations(nest) ||
        walk(&build, stmt, nest->tree) || check_pragmas(nest) || check_placed(nest) ||
        check_iterators(nest))
        return nest;
    if (!nest->statement_nr) {
        nest_refuse(nest, stmt->line, "the loop is empty");
        return nest;
    }
    if (nest_cells(nest) || check_bounds(nest))
        return nest;
    nest_context(nest);
    tree_bind(nest, nest->tree);
    struct error err = {0};
    isl_budget(model, MODEL_OPERATIONS);
    int status = nest_privatize(nest) || nest_relations(nest) || deps_build(nest, &err);
    if (isl_ran_out(model))
        nest_refuse(nest, stmt->line,
                    ANALYSIS_RAN_OUT "; divide its body into several loops");
    if (isl_check(model, status != 0, &err))
        nest_refuse(nest, stmt->line, "the nest cannot be modelled: %s", err.text);
    return nest;
}

void nest_free(struct nest *nest)
{
    if (!nest)
        return;
    for (size_t i = 0; i < nest->statement_nr; i++) {
        isl_set_free(nest->statement[i].domain);
        isl_set_free(nest->statement[i].looped);
    }
    for (size_t i = 0; i < nest->access_nr; i++)
        isl_map_free(nest->access[i].map);
    tree_free(nest->tree);
    deps_free(nest);
    isl_union_map_free(nest->order);
    isl_set_free(nest->context);
    isl_set_free(nest->assumed);
    isl_set_free(nest->guaranteed);
    isl_set_free(nest->proven);
    isl_set_free(nest->ranges);
    isl_set_free(nest->reach);
    isl_space_free(nest->params);
    strvec_release(&nest->assumption);
    free(nest->refusal);
    free(nest->loop);
    free(nest->statement);
    free(nest->cell);
    free(nest->access);
    free(nest->written);
    free(nest->declared);
    free(nest->used);
    free(nest->rests);
    free(nest->decl_depth);
    free(nest->far);
    free(nest);
}
