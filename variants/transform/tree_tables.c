/* privatize(h:4): a table that an innermost loop only updates by an index, such as a
 * histogram, becomes several in turn. Here is decided whether that may be;
 * gen_tables.c makes them. */
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/increment.h"
#include "variants/model/recurrence.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

enum { TABLES_BYTES = 32768 }; /* on the stack */

static bool varies(const struct ir_symbol *symbol, const void *data)
{
    (void)symbol, (void)data;
    return true;
}

/* Those declared, or all that the index may name, as far as there is room: others stay
 * where they are. */
static long long elements_of(const struct table *table, const struct ir_expr *index)
{
    const struct ir_symbol *array = table->array;
    bool told = array->dim_nr && array->role != IR_PARAM; /* C holds no call to that */
    const struct ir_expr *dim = told ? array->dim[0] : NULL;
    long long most = expr_at_most(index), room = table->room;
    if (dim && dim->has_value)
        return dim->value;
    return most >= 0 && most < room ? most + 1 : room;
}

/* Why what the statement does to the table is no such update; NULL = it is one. */
static const char *why_not(const struct nest *nest, const struct access *access)
{
    const struct ir_stmt *stmt = nest->statement[access->statement].stmt;
    const struct ir_expr *element = access->expr;
    if (element->kind != IR_INDEX || element->arg[0]->kind != IR_NAME)
        return "is no element of one subscript";
    struct recurrence found =
        recurrence_of(nest->model->arena, &stmt, 1, element, varies, NULL);
    if (found.kind == RECURRENCE_NONE)
        return found.why;
    if (!recurrence_of_tables(&found))
        return "is not summed up, nor found by an index without the table";
    return recurrence_rounds(&found) && !nest->model->request.reassociate
               ? "is a floating-point sum, which tables would round otherwise; with "
                 "--reassociate they may"
               : NULL;
}

static bool note_update(const struct nest *nest, const struct access *access,
                        struct table *table, struct buf *why)
{
    const char *reason = why_not(nest, access);
    if (reason) {
        buf_add(why, "'");
        ir_print_expr(why, access->expr);
        buf_addf(why, "' %s at line %d", reason, access->line);
        return false;
    }
    long long elements = elements_of(table, access->expr->arg[1]);
    table->elements = elements > table->elements ? elements : table->elements;
    return true;
}

/* What is called may use the table itself. */
static bool calls(const struct nest *nest, const struct tree *band)
{
    for (size_t i = 0; i < nest->statement_nr; i++)
        if (nest->statement[i].calls && tree_has_statement(band, i))
            return true;
    return false;
}

bool band_updates(const struct nest *nest, const struct tree *band, struct table *table,
                  bool *updates, struct buf *why)
{
    if (!tree_is_straight(band->child[0]) || calls(nest, band))
        return false;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (nest->cell[access->cell].symbol != table->array ||
            !tree_has_statement(band, access->statement))
            continue;
        if (!note_update(nest, access, table, why))
            return false;
        *updates = true;
    }
    return true;
}

/* The array of the nest that the step names. */
static struct ir_symbol *array_named(const struct nest *nest, const char *name)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (nest->cell[i].dims == 1 && !nest->cell[i].is_private &&
            !nest->cell[i].path[0] && !strcmp(nest->cell[i].name, name))
            return nest->cell[i].symbol;
    return NULL;
}

static void add_table(struct work *work, const struct step_arg *arg)
{
    struct ir_symbol *array = array_named(work->nest, arg->name);
    if (!array)
        return;
    GROW(work->table, work->table_nr + 1, work->table_alloc);
    work->table[work->table_nr++] = (struct table){
        .array = array,
        .room = TABLES_BYTES / (arg->value - 1) / (long long)array->type.bytes};
}

static int check_room(const struct work *work, long long tables, struct error *err)
{
    for (size_t i = 0; i < work->table_nr; i++) {
        const struct table *table = &work->table[i];
        if (table->elements > table->room)
            return fail(err, STATUS_ILLEGAL,
                        "'%s' has %lld elements; %lld further tables of as many have no "
                        "room in %d KiB of the stack",
                        table->array->name, table->elements, tables - 1,
                        TABLES_BYTES / 1024);
    }
    return 0;
}

int tree_privatize(struct work *work, const struct plan_step *step, struct error *err)
{
    long long tables = step->arg[0].value;
    struct buf why = {0};
    if (work->table_nr)
        return fail(err, STATUS_USAGE, "one step privatize names all tables of a nest");
    for (size_t i = 0; i < step->arg_nr; i++) {
        if (step->arg[i].value != tables)
            return fail(err, STATUS_USAGE,
                        "privatize makes as many tables of each array in one step");
        add_table(work, &step->arg[i]);
    }
    bool done = tree_unroll_tables(work, tables, &why) > 0;
    if (!done)
        fail(err, STATUS_ILLEGAL,
             "no innermost loop only updates elements of '%s' by one subscript%s%s",
             step->arg[0].name, why.length ? ": " : "", buf_str(&why));
    buf_release(&why);
    work->reorders = true;
    return done ? check_room(work, tables, err) : STEP_IDLE;
}
