/* Blocks in which a condition never holds are left out: see transform/tree_skip.c. */
#include "variants/emit/gen.h"

/* `int hit = 0; for (...) hit |= C; if (hit) for (...) if (C) B`; where the last of them
 * stands now. */
static size_t put_question(struct gen *gen, struct code *loop)
{
    struct ir_arena *arena = gen->arena;
    struct code *only = loop->child[0]->child[0], *parent = loop->parent;
    if (loop->child[0]->child_nr != 1 || only->kind != CODE_STMT ||
        only->stmt->kind != IR_IF || loop->parallel) {
        gen->problem = "a loop whose blocks are to be skipped can be neither divided nor "
                       "shared out";
        return code_index(loop);
    }
    struct ir_symbol *hit = gen_symbol(gen, gen_name(gen, "hit", false), &ir_int);
    struct ir_expr *cond = ir_copy(arena, only->stmt->cond);
    if (!expr_is_truth(cond))
        cond = ir_binary(arena, "!=", cond, ir_integer(arena, 0));
    struct code *line = code_statement(gen, IR_DECL, ir_integer(arena, 0)),
                *branch = code_new(CODE_IF);
    line->stmt->symbol = hit;
    code_insert(parent, code_index(loop), line);
    gen_repeat(gen, loop, ir_assign(arena, "|=", ir_name(arena, hit), cond));
    size_t at = code_index(loop);
    branch->parent = parent;
    branch->cond = ir_name(arena, hit);
    parent->child[at] = branch;
    code_add(branch, code_new(CODE_BLOCK));
    code_add(branch->child[0], loop);
    return at;
}

void gen_skips(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < code->child_nr && !gen->problem; i++) {
        struct code *child = code->child[i];
        if (child->kind == CODE_FOR && child->band->asks_first)
            i = put_question(gen, child);
        else
            gen_skips(gen, child);
    }
}
