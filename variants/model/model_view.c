/* What is told of a model: loops, arrays, accesses with their class. */
#include "variants/model/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/ir/clauses.h"
#include "variants/ir/sum.h"
#include "variants/model/budget.h"
#include "variants/model/loop_view.h"
#include "variants/model/model_nest.h"

static int view_cell(const struct model *model, const struct cell *cell);

/* ---- facts ---- */

/* Facts for advice: arrays of structs of which a nest uses a part, arrays that are
 * scalars in disguise. */

static bool is_used(const struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            return true;
    return false;
}

static int first_line(const struct nest *nest, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->cell[nest->access[i].cell].symbol == symbol)
            return nest->access[i].line;
    return nest->stmt->line;
}

static size_t field_bytes(const struct model *model, const struct cell *cell)
{
    int array = view_cell(model, cell);
    size_t elements = array < 0 ? 1 : model->array[array].record_elements;
    return cell->type.bytes * elements;
}

static void add_record(struct model *model, const struct nest *nest,
                       const struct ir_symbol *symbol)
{
    struct kernel_record record = {.nest = nest->index,
                                   .name = symbol->name,
                                   .record_bytes = symbol->type.bytes,
                                   .line = first_line(nest, symbol)};
    struct buf fields = {0};
    for (size_t i = 0; i < nest->cell_nr; i++) {
        const struct cell *cell = &nest->cell[i];
        if (cell->symbol != symbol || !is_used(nest, i))
            continue;
        record.used_bytes += field_bytes(model, cell);
        if (*cell->path)
            buf_addf(&fields, "%s%s", fields.length ? ", " : "", cell->path + 1);
    }
    record.fields = ir_text(model->arena, buf_str(&fields));
    buf_release(&fields);
    GROW(model->record, model->record_nr + 1, model->record_alloc);
    model->record[model->record_nr++] = record;
}

static bool is_first(const struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (nest->cell[i].symbol == nest->cell[cell].symbol)
            return false;
    return true;
}

static void nest_facts(struct model *model, const struct nest *nest)
{
    for (size_t i = 0; i < nest->cell_nr; i++) {
        const struct cell *cell = &nest->cell[i];
        if (cell->symbol_dims && cell->symbol->type.scalar == IR_RECORD &&
            is_first(nest, i))
            add_record(model, nest, cell->symbol);
        if (cell_is_temporary(nest, i))
            strvec_push(&model->temporary, cell->name);
    }
}

static void view_facts(struct model *model)
{
    isl_budget(model, model->request.operation_limit);
    for (size_t i = 0; i < model->nest_nr; i++)
        if (!model->nest[i]->refusal && !model->nest[i]->around)
            nest_facts(model, model->nest[i]);
    isl_check(model, false, NULL);
}

/* ---- arrays ---- */

/* The buffers of a function, as its whole body uses them: one array per field of an array
 * of structs. */

bool expr_is_place(const struct ir_expr *expr)
{
    return expr->kind == IR_INDEX || expr->kind == IR_MEMBER ||
           (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));
}

/* One step towards the variable: from a[i] to a, from p + i to p. */
static const struct ir_expr *inward(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && !expr->arg[0]->type.pointers ? expr->arg[1]
                                                                   : expr->arg[0];
}

static bool leads_inward(const struct ir_expr *expr)
{
    return expr->arg_nr && (expr_is_place(expr) || expr_is_step(expr) ||
                            expr->kind == IR_CAST || expr->type.pointers);
}

/* What local pointers that are set once point into. */
static const struct ir_expr *source_of(const struct model *model,
                                       const struct ir_symbol *symbol)
{
    bool follow = symbol->role == IR_LOCAL && symbol->type.pointers && !symbol->dim_nr &&
                  symbol->id >= 0;
    return follow ? model->init[symbol->id] : NULL;
}

/* ---- one array ---- */

/* The path of fields behind the subscripts and the type of what it names. */
struct fields {
    struct buf path;
    struct ir_type type;
    size_t offset, elements;
};

static const char *declared_extent(struct model *model, const struct ir_symbol *symbol)
{
    struct buf text = {0};
    for (size_t i = 0; i < symbol->dim_nr; i++) {
        if (!symbol->dim[i]) {
            buf_release(&text);
            return NULL;
        }
        ir_print_extent(&text, symbol->dim[i], i > 0);
    }
    const char *kept = text.length ? ir_text(model->arena, buf_str(&text)) : NULL;
    buf_release(&text);
    return kept;
}

static struct model_array *find_array(struct model *model, const struct ir_symbol *symbol,
                                      const char *path)
{
    for (size_t i = 0; i < model->array_nr; i++)
        if (model->array[i].symbol == symbol && !strcmp(model->array[i].path, path))
            return &model->array[i];
    return NULL;
}

int view_array(const struct model *model, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < model->array_nr; i++)
        if (model->array[i].symbol == symbol)
            return (int)i;
    return -1;
}

/* -1 = no buffer; the first of fields */
static int view_cell(const struct model *model, const struct cell *cell)
{
    struct model_array *array =
        find_array((struct model *)model, cell->symbol, cell->path);
    return array ? (int)(array - model->array) : view_array(model, cell->symbol);
}

static struct model_array *add_array(struct model *model, const struct ir_symbol *symbol,
                                     const char *path, const struct fields *fields)
{
    const struct ir_type *type = *path ? &fields->type : &symbol->type;
    const char *name =
        *path ? ir_textf(model->arena, "%s%s", symbol->name, path) : symbol->name;
    GROW(model->array, model->array_nr + 1, model->array_alloc);
    struct model_array *array = &model->array[model->array_nr++];
    *array = (struct model_array){
        .symbol = symbol,
        .path = ir_text(model->arena, path),
        .name = name,
        .element_type = type->text,
        .element_bytes = type->bytes,
        .record_bytes = symbol->type.bytes,
        .record_offset = fields ? fields->offset : 0,
        .record_elements = fields ? fields->elements : 1,
        .is_float = type->scalar == IR_FLOAT,
        .dims = symbol_levels(symbol) ? (int)symbol_levels(symbol) : 1,
        .extent_text = declared_extent(model, symbol),
    };
    return array;
}

/* ---- uses ---- */

static void add_field(struct fields *fields, const struct ir_expr *member)
{
    if (member->is_shared) { /* the record is taken as one */
        buf_reset(&fields->path);
        fields->type = member->arg[0]->type;
        fields->offset = 0;
        fields->elements = 1;
        return;
    }
    char *inner = xstrdup(buf_str(&fields->path));
    if (!*inner)
        fields->type = member->type;
    buf_reset(&fields->path);
    buf_addf(&fields->path, ".%s%s", member->text, inner);
    free(inner);
    if (!member->field)
        return;
    fields->offset += member->field->offset;
    for (size_t i = 0; i < member->field->dim_nr; i++)
        fields->elements *= (size_t)member->field->dim[i];
}

/* The buffer that a place is in, through local pointers; NULL when it is none. The path
 * is released by the caller. */
static const struct ir_symbol *
buffer_of(const struct model *model, const struct ir_expr *place, struct fields *fields)
{
    const struct ir_expr *at = place;
    *fields = (struct fields){.type = place->type, .elements = 1};
    for (;;) {
        for (; leads_inward(at); at = inward(at))
            if (at->kind == IR_MEMBER)
                add_field(fields, at);
        if (at->kind != IR_NAME || !source_of(model, at->symbol))
            break;
        at = source_of(model, at->symbol);
    }
    const struct ir_symbol *symbol = at->kind == IR_NAME ? at->symbol : NULL;
    bool buffer = symbol && symbol->id >= 0 && symbol->type.pointers > 0 &&
                  (symbol->role == IR_PARAM || symbol->role == IR_GLOBAL ||
                   symbol->role == IR_FIELD);
    if (buffer && symbol->type.scalar != IR_RECORD) { /* structs by a cast only */
        buf_reset(&fields->path);
        *fields =
            (struct fields){.path = fields->path, .type = symbol->type, .elements = 1};
    }
    return buffer ? symbol : NULL;
}

int view_place(const struct model *model, const struct ir_expr *place)
{
    struct fields fields;
    const struct ir_symbol *symbol = buffer_of(model, place, &fields);
    struct model_array *array =
        symbol ? find_array((struct model *)model, symbol, buf_str(&fields.path)) : NULL;
    buf_release(&fields.path);
    return array ? (int)(array - model->array) : symbol ? view_array(model, symbol) : -1;
}

static void note_place(struct model *model, const struct ir_expr *place, bool read,
                       bool write)
{
    struct fields fields;
    const struct ir_symbol *symbol = buffer_of(model, place, &fields);
    const char *path = buf_str(&fields.path);
    struct model_array *array = symbol ? find_array(model, symbol, path) : NULL;
    if (symbol && !array)
        array = add_array(model, symbol, path, &fields);
    if (array) {
        array->read = array->read || read;
        array->written = array->written || write;
    }
    buf_release(&fields.path);
}

static void note_uses(struct model *model, const struct ir_expr *expr);

static void note_subscripts(struct model *model, const struct ir_expr *place)
{
    for (; leads_inward(place); place = inward(place))
        if (place->kind == IR_INDEX)
            note_uses(model, place->arg[1]);
        else if (place->kind == IR_BINARY)
            note_uses(model, place->arg[place->arg[0]->type.pointers > 0]);
}

static void note_target(struct model *model, const struct ir_expr *expr)
{
    const struct ir_expr *target = expr->arg[0];
    bool read = expr_is_step(expr) || strcmp(expr->op, "=");
    note_place(model, target, read, true);
    note_subscripts(model, target);
    for (size_t i = 1; i < expr->arg_nr; i++)
        note_uses(model, expr->arg[i]);
}

static void note_uses(struct model *model, const struct ir_expr *expr);

/* What is printed on the way out is none of the kernel's arrays. */
static void note_argument(struct model *model, const struct ir_expr *call, size_t arg)
{
    const struct ir_effects *effects = call->symbol ? call->symbol->effects : NULL;
    const struct known_function *row = expr_function(call);
    bool reads = !effects && !row, writes = reads;
    if (!effects && function_is(row, FUNCTION_MEMORY) && arg < strlen(row->memory)) {
        reads = strchr("rx", row->memory[arg]);
        writes = strchr("wx", row->memory[arg]);
    }
    for (size_t i = 0; effects && i < effects->nr; i++)
        if (effects->item[i].param == arg) {
            reads = reads || !effects->item[i].write;
            writes = writes || effects->item[i].write;
        }
    if (call->arg[arg]->type.pointers && (reads || writes))
        note_place(model, call->arg[arg], reads, writes);
}

static void note_uses(struct model *model, const struct ir_expr *expr)
{
    bool changes = expr->kind == IR_ASSIGN || expr_is_step(expr);
    if (changes && expr_is_place(expr->arg[0])) {
        note_target(model, expr);
        return;
    }
    if (expr_is_place(expr)) {
        note_place(model, expr, true, false);
        note_subscripts(model, expr);
        return;
    }
    for (size_t i = 0; i < expr->arg_nr; i++) {
        if (expr->kind == IR_CALL)
            note_argument(model, expr, i);
        note_uses(model, expr->arg[i]);
    }
}

static void note_stmt(struct model *model, const struct ir_stmt *stmt)
{
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->increment,
                                    stmt->canonical ? stmt->lower : NULL};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            note_uses(model, part[i]);
    if (stmt->init)
        note_stmt(model, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            note_stmt(model, stmt->child[i]);
}

static int by_symbol(const void *a, const void *b)
{
    const struct model_array *first = a, *second = b;
    int order = first->symbol->id - second->symbol->id;
    return order ? order : strcmp(first->path, second->path);
}

/* model_facts.c: records, temporaries */
static void view_arrays(struct model *model)
{
    struct ir_function *function = model->function;
    note_stmt(model, function->body);
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        struct model_array *array = NULL;
        if (!symbol_is_element(symbol))
            continue;
        array = find_array(model, symbol->base, "");
        array = array ? array : add_array(model, symbol->base, "", NULL);
        array->read = true;
    }
    for (size_t i = 0; i < function->param_nr; i++)
        if (function->symbol[i]->type.pointers > 0 &&
            view_array(model, function->symbol[i]) < 0 &&
            !symbol_has_fields(function, function->symbol[i]))
            add_array(model, function->symbol[i], "", NULL);
    if (model->array_nr > 0)
        qsort(model->array, model->array_nr, sizeof(model->array[0]), by_symbol);
}

/* ---- model view ---- */

/* ---- loops ---- */

static const char *text_of(struct model *model, const struct ir_expr *expr)
{
    struct buf text = {0};
    ir_print_expr(&text, expr);
    const char *kept = ir_text(model->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

/* The exclusive bound; for a downward loop the inclusive last value less one. */
static const char *upper_text(struct model *model, const struct ir_stmt *stmt)
{
    bool inclusive = stmt->cmp[1] == '=' && stmt->cmp[0] != '!';
    long long add = !inclusive ? 0 : stmt->step > 0 ? 1 : -1;
    return text_of(model,
                   expr_plus(model->arena, ir_copy(model->arena, stmt->upper), add));
}

static struct loop *modelled_loop(const struct model *model, const struct ir_stmt *stmt,
                                  int *nest)
{
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; !model->nest[i]->refusal && k < model->nest[i]->loop_nr; k++)
            if (model->nest[i]->loop[k]->stmt ==
                (model->nest[i]->source == stmt ? model->nest[i]->stmt : stmt)) {
                *nest = (int)i;
                return model->nest[i]->loop[k];
            }
    return NULL;
}

static int nest_of(const struct model *model, const struct ir_stmt *stmt, int outer)
{
    for (size_t i = 0; i < model->nest_nr; i++)
        if (model->nest[i]->source == stmt)
            return (int)i;
    return outer;
}

static bool is_loop(const struct ir_stmt *stmt, const void *data)
{
    return stmt != data && (stmt->kind == IR_FOR || stmt->kind == IR_WHILE);
}

/* The statement of a modelled nest that the loop disappears in. */
static const char *why_collapsed(const struct model *model, const struct ir_stmt *stmt)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        const struct nest *nest = model->nest[i];
        for (size_t k = 0; !nest->refusal && k < nest->statement_nr; k++)
            if (nest->statement[k].collapsed && stmt_holds(nest->statement[k].stmt, stmt))
                return ir_textf(model->arena, "part of one statement: %s",
                                nest->statement[k].why);
    }
    return NULL;
}

static const char *why_not(const struct model *model, const struct ir_stmt *stmt,
                           int nest)
{
    const char *why = why_collapsed(model, stmt);
    for (size_t i = 0; !why && i < model->nest_nr; i++)
        if (model->nest[i]->source == stmt && model->nest[i]->refusal)
            why = model->nest[i]->refusal;
    if (!why && stmt->kind == IR_WHILE)
        return stmt->why ? stmt->why : "while loops stay as they are";
    return !why && nest >= 0 ? model->nest[nest]->refusal : why;
}

static bool is_perfect(const struct ir_stmt *stmt)
{
    const struct ir_stmt *body = stmt->child[0];
    if (body && body->kind == IR_BLOCK && body->child_nr == 1)
        body = body->child[0];
    return body && body->kind == IR_FOR;
}

/* As kernel_loop.threads. */
static int threads_of(const struct ir_stmt *stmt)
{
    const struct ir_pragma *pragma = stmt->pragma;
    struct clause clause;
    while (pragma && !pragma_shares_out(pragma))
        pragma = pragma->next;
    const char *at = pragma ? pragma_clauses(pragma->text) : "";
    int threads = pragma ? -1 : 0;
    while (clause_next(&at, &clause))
        if (clause_is(&clause, "num_threads") && clause.value && atoi(clause.value) > 0)
            threads = atoi(clause.value);
    return threads;
}

static void add_loop(struct model *model, const struct ir_stmt *stmt, int parent,
                     int nest)
{
    GROW(model->loop, model->loop_nr + 1, model->loop_alloc);
    model->loop_stmt =
        xrealloc(model->loop_stmt, model->loop_alloc, sizeof(*model->loop_stmt));
    struct loop *loop = modelled_loop(model, stmt, &nest);
    if (loop)
        loop->view = (int)model->loop_nr;
    bool is_row = loop && model->nest[nest]->around && model->nest[nest]->source == stmt;
    model->loop_stmt[model->loop_nr] = stmt;
    model->loop[model->loop_nr++] = (struct kernel_loop){
        .name = stmt->canonical        ? stmt->iterator->name
                : stmt->kind == IR_FOR ? "for"
                                       : "while",
        .nest = nest,
        .level = parent < 0 ? 0 : model->loop[parent].level + 1,
        .depth = parent < 0 || is_row ? 0 : model->loop[parent].depth + 1,
        .parent = parent,
        .line = stmt->line,
        .lower_text = stmt->canonical ? text_of(model, stmt->lower) : "?",
        .upper_text = stmt->canonical ? upper_text(model, stmt) : "?",
        .step = stmt->canonical ? stmt->step : 0,
        .trips = -1,
        .innermost = !stmt_find(stmt, is_loop, stmt),
        .modelled = loop != NULL,
        .perfect = is_perfect(stmt),
        .threads = threads_of(stmt),
        .why = loop ? NULL : why_not(model, stmt, nest),
    };
}

static void add_loops(struct model *model, const struct ir_stmt *stmt, int parent,
                      int nest)
{
    if (!stmt)
        return;
    nest = nest_of(model, stmt, nest);
    if (stmt->kind == IR_FOR || stmt->kind == IR_WHILE) {
        add_loop(model, stmt, parent, nest);
        parent = (int)model->loop_nr - 1;
        nest = model->loop[parent].nest;
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        add_loops(model, stmt->child[i], parent, nest);
}

/* ---- accesses ---- */

struct contains {
    const struct ir_expr *expr;
    bool found;
};

static void find_expr(struct ir_expr *expr, void *data)
{
    struct contains *contains = data;
    contains->found = contains->found || expr == contains->expr;
}

/* The loop is one of the nest, or of one inside of a statement of it. */
static bool is_in_nest(const struct model *model, int loop_nest, const struct nest *nest)
{
    const struct nest *at = loop_nest < 0 ? NULL : model->nest[loop_nest];
    while (at && at != nest)
        at = at->around;
    return at != NULL;
}

static int innermost_loop(const struct model *model, const struct nest *nest,
                          const struct access *access)
{
    int found = -1;
    for (size_t i = 0; i < model->loop_nr; i++) {
        struct contains contains = {.expr = access->expr};
        stmt_exprs(model->loop_stmt[i], find_expr, &contains);
        if (contains.found && is_in_nest(model, model->loop[i].nest, nest))
            found = (int)i; /* outer loops come first */
    }
    return found;
}

struct through {
    const struct model *model;
    const struct nest *nest;
    const struct ir_stmt *loop; /* the innermost one around; NULL = none */
    const struct ir_symbol *of; /* whose values are being looked at */
    int array;                  /* -1 = none so far */
    int steps;                  /* from a value to those it is made of */
    bool set_in_loop;           /* a name in the subscript */
};

/* a = key[i]; b = a & mask; x[b] */
enum { STEPS_MAX = 4 };

static void find_load(struct ir_expr *expr, void *data);

static bool sets(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    return expr->kind == IR_ASSIGN && expr->arg[0]->kind == IR_NAME &&
           expr->arg[0]->symbol == symbol;
}

static void find_value(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    if (sets(expr, through->of)) {
        struct through inner = *through;
        ir_visit(expr->arg[1], find_load, &inner);
        through->array = inner.array;
    }
}

static bool is_declared_here(const struct ir_stmt *stmt, const void *data)
{
    const struct through *through = data;
    return stmt->kind == IR_DECL && stmt->symbol == through->of;
}

static void find_set(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    through->set_in_loop = through->set_in_loop || sets(expr, through->of);
}

/* Through all that a variable of the nest is set to. */
static void follow(const struct ir_symbol *symbol, struct through *through)
{
    const struct ir_symbol *of = through->of;
    if (through->array >= 0 || through->steps == STEPS_MAX)
        return;
    through->of = symbol;
    through->steps++;
    const struct ir_stmt *declared =
        stmt_find(through->nest->stmt, is_declared_here, through);
    struct ir_expr *value = declared ? declared->expr : through->model->init[symbol->id];
    if (value)
        ir_visit(value, find_load, through);
    stmt_exprs(through->nest->stmt, find_value, through);
    if (through->loop && !through->loop->canonical)
        stmt_exprs(through->loop, find_set, through);
    through->steps--;
    through->of = of;
}

static void find_load(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    if (expr_is_place(expr) && !expr->type.pointers && through->array < 0)
        through->array = view_place(through->model, expr);
    if (expr->kind == IR_NAME && expr->symbol->id >= 0 && !expr->symbol->type.pointers &&
        expr->symbol->type.scalar == IR_INT)
        follow(expr->symbol, through);
}

/* Bytes that the address moves from one iteration of the loop to the next, if the source
 * says so; 0 also where it is not known before sizes are. */
static bool moves(const struct access *access, const struct ir_stmt *loop, double *bytes)
{
    bool moving = false, known = true;
    *bytes = 0;
    for (size_t i = 0; i < access->subscript_nr; i++) {
        long long coefficient;
        if (!loop || !loop->canonical ||
            !expr_mentions(access->subscript[i], loop->iterator))
            continue;
        moving = true;
        known = known && access->scale[i] &&
                expr_coefficient(access->subscript[i], loop->iterator, &coefficient);
        if (known)
            *bytes += (double)(coefficient * loop->step) * (double)access->scale[i];
    }
    if (!known)
        *bytes = 0;
    return moving;
}

static void classify(struct model *model, const struct nest *nest,
                     const struct access *access, struct kernel_access *out)
{
    const struct ir_stmt *loop = out->loop < 0 ? NULL : model->loop_stmt[out->loop];
    struct through through = {.model = model, .nest = nest, .loop = loop, .array = -1};
    bool moving = moves(access, loop, &out->stride_bytes);
    for (size_t i = 0; i < access->subscript_nr; i++)
        ir_visit(access->subscript[i], find_load, &through);
    double line = model->request.line_bytes, stride = fabs(out->stride_bytes);
    out->access_class = !moving                        ? ACCESS_INVARIANT
                        : stride > 0 && stride <= line ? ACCESS_STREAMING
                                                       : ACCESS_STRIDED;
    out->through = through.array;
    if (through.array >= 0)
        out->access_class = ACCESS_INDIRECT;
    else if (through.set_in_loop || (!access->exact && !access->collapsed))
        out->access_class = ACCESS_IRREGULAR;
    if (out->access_class >= ACCESS_INDIRECT)
        out->stride_bytes = 0;
}

static void add_access(struct model *model, const struct nest *nest,
                       const struct access *access)
{
    int array = view_cell(model, &nest->cell[access->cell]);
    if (array < 0)
        return;
    struct kernel_access new = {.array = array,
                                .loop = innermost_loop(model, nest, access),
                                .write = access->write,
                                .line = access->line,
                                .text = text_of(model, access->expr)};
    classify(model, nest, access, &new);
    new.update = access->accumulates && (new.access_class == ACCESS_INDIRECT ||
                                         new.access_class == ACCESS_IRREGULAR);
    model->array[array].indirect =
        model->array[array].indirect || new.access_class == ACCESS_INDIRECT;
    GROW(model->access, model->access_nr + 1, model->access_alloc);
    model->access_expr =
        xrealloc(model->access_expr, model->access_alloc, sizeof(*model->access_expr));
    model->access_expr[model->access_nr] = access->expr;
    model->access[model->access_nr++] = new;
}

void view_build(struct model *model)
{
    add_loops(model, model->function->body, -1, -1);
    view_arrays(model);
    for (size_t i = 0; i < model->nest_nr; i++) {
        const struct nest *nest = model->nest[i];
        if (!nest->refusal && !nest->around) /* rows: that around has all of them */
            for (size_t k = 0; k < nest->access_nr; k++)
                add_access(model, nest, &nest->access[k]);
    }
    for (size_t i = 0; i < model->array_nr; i++)
        if (!model->array[i].extent_text)
            model->array[i].extent_text = extent_text(model, &model->array[i]);
    view_facts(model);
}

const char *access_class_word(enum access_class access_class)
{
    static const char *const word[] = {"streaming", "strided", "indirect", "invariant",
                                       "irregular"};

    return word[access_class];
}
