/* The code tree: making, searching, printing. */
#include "variants/emit/gen_code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

struct code *code_new(enum code_kind kind)
{
    struct code *code = xcalloc(1, sizeof(*code));
    code->kind = kind;
    code->step = 1;
    return code;
}

void code_insert(struct code *parent, size_t at, struct code *child)
{
    GROW(parent->child, parent->child_nr + 1, parent->child_alloc);
    memmove(&parent->child[at + 1], &parent->child[at],
            (parent->child_nr - at) * sizeof(parent->child[0]));
    parent->child[at] = child;
    parent->child_nr++;
    child->parent = parent;
}

void code_add(struct code *parent, struct code *child)
{
    code_insert(parent, parent->child_nr, child);
}

size_t code_index(const struct code *child)
{
    size_t at = 0;
    while (child->parent->child[at] != child)
        at++;
    return at;
}

bool code_has_loop(const struct code *code)
{
    bool found = code->kind == CODE_FOR;
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = code_has_loop(code->child[i]);
    return found;
}

void code_free(struct code *code)
{
    if (!code)
        return;
    for (size_t i = 0; i < code->child_nr; i++)
        code_free(code->child[i]);
    strvec_release(&code->sums);
    strvec_release(&code->products);
    strvec_release(&code->privates);
    free(code->child);
    free(code);
}

struct mention {
    const struct ir_symbol *symbol;
    bool found;
};

static void find_symbol(struct ir_expr *expr, void *data)
{
    struct mention *mention = data;
    mention->found =
        mention->found || (expr->kind == IR_NAME && expr->symbol == mention->symbol);
}

bool code_mentions(const struct code *code, const struct ir_symbol *symbol)
{
    struct mention mention = {.symbol = symbol,
                              .found = code->var == symbol && !code->declares &&
                                       code->kind == CODE_FOR};
    if (code->lower)
        ir_visit(code->lower, find_symbol, &mention);
    if (code->upper)
        ir_visit(code->upper, find_symbol, &mention);
    if (code->cond)
        ir_visit(code->cond, find_symbol, &mention);
    if (code->stmt) {
        stmt_exprs(code->stmt, find_symbol, &mention);
        mention.found = mention.found ||
                        (code->stmt->kind == IR_DECL && code->stmt->symbol == symbol) ||
                        (code->stmt->kind == IR_FOR && code->stmt->iterator == symbol);
    }
    for (size_t i = 0; !mention.found && i < code->child_nr; i++)
        mention.found = code_mentions(code->child[i], symbol);
    return mention.found;
}

struct code *code_only_user(const struct code *code, const struct ir_symbol *symbol)
{
    struct code *only = NULL;
    size_t nr = 0;
    for (size_t i = 0; i < code->child_nr; i++)
        if (code_mentions(code->child[i], symbol)) {
            only = code->child[i];
            nr++;
        }
    return nr == 1 && only->kind != CODE_STMT ? only : NULL;
}

bool code_fills_at_times(const struct code *block, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct code *child = block->child[i];
        if (code_mentions(child, symbol))
            return child->kind == CODE_IF || code_fills_at_times(child, symbol);
    }
    return false;
}

/* ---- names ---- */

static bool is_known(const struct ir_function *function, const char *word)
{
    return text_has_word(function->source, word) ||
           ir_has_name(&function->macros, word) || ir_has_name(&function->declared, word);
}

bool gen_word_in_source(const struct gen *gen, const char *word)
{
    return is_known(gen->model->function, word);
}

const char *gen_prefix(const struct model *model)
{
    static const char *const words[] = {"min",    "max",   "floord", "lead",
                                        "stream", "fence", "text",   "text_of"};
    const char *prefix = model->function->word;
    bool taken = true;
    for (int number = 1; taken; number++) {
        taken = false;
        for (size_t i = 0; !taken && i < ARRAY_SIZE(words); i++)
            taken = is_known(model->function,
                             ir_textf(model->arena, "%s_%s", prefix, words[i]));
        if (taken)
            prefix = ir_textf(model->arena, "%s_%d", model->function->word, number);
    }
    return prefix;
}

static bool is_taken(const struct gen *gen, const char *name)
{
    return strvec_has(&gen->taken, name) || gen_word_in_source(gen, name);
}

/* "g_v" of g->v. */
static const char *identifier(struct gen *gen, const char *text)
{
    struct buf name = {0};
    for (const char *at = text; *at; at++)
        if (isalnum((unsigned char)*at) || *at == '_')
            buf_add_n(&name, at, 1);
        else if (*at != '-')
            buf_add(&name, "_");
    const char *all = ir_text(gen->arena, buf_str(&name));
    buf_release(&name);
    return all;
}

const char *gen_name(struct gen *gen, const char *stem, bool number)
{
    stem = identifier(gen, stem);
    const char *name =
        number ? ir_textf(gen->arena, "%s_0", stem) : ir_text(gen->arena, stem);
    for (int i = 1; is_taken(gen, name); i++)
        name = ir_textf(gen->arena, "%s_%d", stem, i);
    strvec_push(&gen->taken, name);
    return name;
}

struct ir_symbol *gen_symbol(struct gen *gen, const char *name,
                             const struct ir_type *type)
{
    struct ir_symbol *symbol = ir_alloc(gen->arena, sizeof(*symbol));
    *symbol = (struct ir_symbol){
        .name = name, .role = IR_LOCAL, .type = *type, .id = -1, .in_loop = true};
    return symbol;
}

/* ---- text ---- */

static void margin(struct buf *out, int indent)
{
    buf_add_repeat(out, ' ', (size_t)indent * 4);
}

static void print_step(struct buf *out, const struct code *loop)
{
    long long size = loop->step < 0 ? -loop->step : loop->step;
    if (size == 1)
        buf_addf(out, "%s%s", loop->var->name, loop->step > 0 ? "++" : "--");
    else
        buf_addf(out, "%s %s %lld", loop->var->name, loop->step > 0 ? "+=" : "-=", size);
}

static bool needs_braces(const struct code *block)
{
    const struct code *only = block->child[0];
    if (block->child_nr != 1 || code_has_pragma(only) || only->kind == CODE_LET ||
        only->kind == CODE_TEXT)
        return true;
    return only->kind == CODE_STMT && (only->stmt->kind == IR_DECL || only->stmt->pragma);
}

static void print_block(struct gen *gen, struct buf *out, const struct code *block,
                        int indent, bool force)
{
    bool braces = force || needs_braces(block);
    buf_add(out, braces ? " {\n" : "\n");
    for (size_t i = 0; i < block->child_nr; i++)
        code_print(gen, out, block->child[i], indent + 1);
    if (braces) {
        margin(out, indent);
        buf_add(out, "}");
    }
}

static void print_for(struct gen *gen, struct buf *out, const struct code *loop,
                      int indent)
{
    buf_addf(out, "for (%s%s%s = ", loop->declares ? loop->var->type.text : "",
             loop->declares ? " " : "", loop->var->name);
    ir_print_expr(out, loop->lower);
    bool plain =
        loop->step < 0 && loop->upper->kind != IR_CALL; /* i >= 0 rather than i > -1 */
    buf_addf(out, "; %s %s ", loop->var->name, loop->step > 0 ? "<" : plain ? ">=" : ">");
    ir_print_expr(out, plain ? expr_plus(gen->arena, loop->upper, 1) : loop->upper);
    buf_add(out, "; ");
    print_step(out, loop);
    buf_add(out, ")");
    print_block(gen, out, loop->child[0], indent, false);
    if (needs_braces(loop->child[0]))
        buf_add(out, "\n");
}

static void print_if(struct gen *gen, struct buf *out, const struct code *code,
                     int indent)
{
    buf_add(out, "if (");
    ir_print_expr(out, code->cond);
    buf_add(out, ")");
    print_block(gen, out, code->child[0], indent, true);
    if (code->child_nr > 1) {
        buf_add(out, " else");
        print_block(gen, out, code->child[1], indent, true);
    }
    buf_add(out, "\n");
}

static void print_lines(struct buf *out, const char *text, int indent)
{
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        margin(out, indent);
        buf_add_n(out, text, (size_t)(end - text));
        buf_add(out, "\n");
    }
}

static bool in_team(const struct code *code)
{
    while (code && !(code->kind == CODE_FOR && code->parallel))
        code = code->parent;
    return code != NULL;
}

void code_print(struct gen *gen, struct buf *out, const struct code *code, int indent)
{
    switch (code->kind) {
    case CODE_BLOCK:
        for (size_t i = 0; i < code->child_nr; i++)
            code_print(gen, out, code->child[i], indent);
        break;
    case CODE_FOR:
        gen->need_quiet = gen->need_quiet || code->simd;
        gen->quiet_to_end = gen->quiet_to_end || (code->simd && in_team(code));
        print_pragma(out, code, indent);
        margin(out, indent);
        print_for(gen, out, code, indent);
        if (code->fence) {
            print_lines(out, code->fence, indent);
            print_lines(out, "}\n", indent);
        }
        break;
    case CODE_IF:
        if (!code->cond) { /* a block */
            margin(out, indent);
            buf_add(out, "{\n");
            code_print(gen, out, code->child[0], indent + 1);
            margin(out, indent);
            buf_add(out, "}\n");
            break;
        }
        margin(out, indent);
        print_if(gen, out, code, indent);
        break;
    case CODE_LET:
        margin(out, indent);
        buf_addf(out, "const %s %s = ", code->var->type.text, code->var->name);
        ir_print_expr(out, code->lower);
        buf_add(out, ";\n");
        break;
    case CODE_STMT:
        ir_print_stmt(out, code->stmt, indent);
        break;
    case CODE_TEXT:
        print_lines(out, code->text, indent);
        break;
    }
}
