/* Symbols of the function, made when they are first met. */
#include "variants/parse/parse_parts.h"

static void make_room(struct parse *p)
{
    struct ir_function *function = p->function;
    if (function->symbol_nr < p->symbol_alloc)
        return;
    p->symbol_alloc = p->symbol_alloc * 2 + 16;
    struct ir_symbol **grown =
        ir_alloc(p->arena, p->symbol_alloc * sizeof(struct ir_symbol *));
    for (size_t i = 0; i < function->symbol_nr; i++)
        grown[i] = function->symbol[i];
    struct ct_decl **declared =
        ir_alloc(p->arena, p->symbol_alloc * sizeof(struct ct_decl *));
    for (size_t i = 0; i < function->symbol_nr; i++)
        declared[i] = p->declared[i];
    function->symbol = grown;
    p->declared = declared;
}

struct ir_symbol *parse_add_symbol(struct parse *p, struct ct_decl *decl)
{
    struct ir_symbol *symbol = ir_alloc(p->arena, sizeof(*symbol));
    make_room(p);
    symbol->id = (int)p->function->symbol_nr;
    p->declared[symbol->id] = decl;
    p->function->symbol[p->function->symbol_nr++] = symbol;
    return symbol;
}

static struct ir_symbol *symbol_new(struct parse *p, struct ct_decl *decl)
{
    struct ir_symbol *symbol = parse_add_symbol(p, decl);
    decl->symbol = symbol;
    symbol->name = decl->name;
    symbol->role = decl->role;
    symbol->type = decl->type;
    symbol->is_static = decl->is_static;
    symbol->is_thread_local = decl->is_thread_local;
    symbol->known = decl->known;
    symbol->pointer_to_array = decl->pointer_to_array;
    symbol->as_written = decl->as_written;
    symbol->is_reference = decl->is_reference && decl->role == IR_PARAM;
    symbol->line = decl->line;
    symbol->dim_nr = decl->dim_nr;
    return symbol;
}

static void read_dimensions(struct parse *p, const struct ct_decl *decl)
{
    struct ir_symbol *symbol = decl->symbol;
    symbol->dim = ir_alloc(p->arena, (decl->dim_nr + 1) * sizeof(struct ir_expr *));
    for (size_t i = 0; i < decl->dim_nr; i++)
        if (decl->dim[i])
            symbol->dim[i] = parse_expr(p, decl->dim[i]);
    /* `x[static 1]` and `x[1]` of a parameter: there is something; how much is not said
     */
    if (symbol->role != IR_PARAM || !symbol->dim_nr || symbol->pointer_to_array ||
        !symbol->dim[0] || !symbol->dim[0]->has_value || symbol->dim[0]->value != 1)
        return;
    symbol->dim[0] = NULL;
    symbol->pointer_to_array = symbol->dim_nr > 1;
    symbol->dim_nr = symbol->dim_nr > 1 ? symbol->dim_nr : 0;
}

struct ir_symbol *parse_symbol(struct parse *p, struct ct_decl *decl)
{
    if (decl->symbol)
        return decl->symbol;
    if (p->caller && (decl->role == IR_GLOBAL || decl->role == IR_FUNCTION))
        return parse_symbol(p->caller, decl);
    struct ir_symbol *symbol = symbol_new(p, decl);
    read_dimensions(p, decl);
    return symbol;
}

/* Parameters come first, whatever globals their dimensions mention. */
void parse_params(struct parse *p, const struct ct_function *chosen)
{
    for (size_t i = 0; i < chosen->param_nr; i++)
        symbol_new(p, chosen->param[i]);
    for (size_t i = 0; i < chosen->param_nr; i++)
        read_dimensions(p, chosen->param[i]);
    p->function->param_nr = chosen->param_nr;
}
