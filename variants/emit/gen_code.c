/* The code tree: making, searching, printing. */
#include "variants/emit/gen_code.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/emit/gen_fetch.h"
#include "variants/ir/spelling.h"
#include "variants/ir/sum.h"

struct code *code_new(enum code_kind kind)
{
    struct code *code = xcalloc(1, sizeof(*code));
    code->kind = kind;
    code->step = 1;
    return code;
}

struct code *code_statement(struct gen *gen, enum ir_stmt_kind kind, struct ir_expr *expr)
{
    struct code *code = code_new(CODE_STMT);
    code->statement = SIZE_MAX;
    code->stmt = ir_stmt_new(gen->arena, kind, 0);
    code->stmt->expr = expr;
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

void gen_repeat(struct gen *gen, const struct code *loop, struct ir_expr *expr)
{
    struct code *again = code_new(CODE_FOR);
    again->var = loop->var;
    again->lower = ir_copy(gen->arena, loop->lower);
    again->upper = ir_copy(gen->arena, loop->upper);
    again->step = loop->step;
    again->declares = loop->declares;
    again->band = loop->band;
    code_add(again, code_new(CODE_BLOCK));
    code_add(again->child[0], code_statement(gen, IR_EXPR, expr));
    code_insert(loop->parent, code_index(loop), again);
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

bool code_mentions(const struct code *code, const struct ir_symbol *symbol)
{
    const struct ir_stmt *stmt = code->stmt;
    bool found = (code->var == symbol && !code->declares && code->kind == CODE_FOR) ||
                 (code->lower && expr_mentions(code->lower, symbol)) ||
                 (code->upper && expr_mentions(code->upper, symbol)) ||
                 (code->cond && expr_mentions(code->cond, symbol)) ||
                 (stmt && (stmt_mentions(stmt, symbol) ||
                           (stmt->kind == IR_DECL && stmt->symbol == symbol) ||
                           (stmt->kind == IR_FOR && stmt->iterator == symbol)));
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = code_mentions(code->child[i], symbol);
    return found;
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

/* ---- what code sets, and evaluates ---- */

/* In text that is not taken apart. */
static void look_raw(struct ir_expr *expr, void *data)
{
    struct mention *mention = data;
    if (expr->kind == IR_RAW)
        mention->found = mention->found || expr_mentions(expr, mention->symbol);
}

bool code_sets(const struct code *code, const struct ir_symbol *symbol)
{
    struct mention mention = {.symbol = symbol, .found = code->var == symbol};
    if (code->stmt) {
        stmt_exprs(code->stmt, look_raw, &mention);
        mention.found =
            mention.found || stmt_find(code->stmt, lookahead_sets, symbol) != NULL;
    }
    for (size_t i = 0; !mention.found && i < code->child_nr; i++)
        mention.found = code_sets(code->child[i], symbol);
    return mention.found;
}

static void look_effect(struct ir_expr *expr, void *data)
{
    bool *found = data;
    *found = *found || expr_sets(expr) || expr->kind == IR_CALL || expr->kind == IR_RAW ||
             expr->type.is_volatile;
}

bool expr_has_effect(struct ir_expr *expr)
{
    bool found = false;
    ir_visit(expr, look_effect, &found);
    return found;
}

bool expr_evaluates(const struct ir_expr *all, const struct ir_expr *expr)
{
    bool logic =
        all->kind == IR_BINARY && (!strcmp(all->op, "&&") || !strcmp(all->op, "||"));
    size_t certain = logic || all->kind == IR_COND ? 1 : all->arg_nr;
    bool found = expr_equal(all, expr);
    for (size_t i = 0; !found && i < certain; i++)
        found = expr_evaluates(all->arg[i], expr);
    return found;
}

struct ir_expr *gen_plain(struct gen *gen, const char *op, struct ir_expr *a,
                          struct ir_expr *b)
{
    struct ir_expr *expr = ir_binary(gen->arena, op, a, b);
    expr->is_ours = false;
    return expr;
}

struct ir_expr *gen_cast(struct gen *gen, const struct ir_type *type,
                         struct ir_expr *expr)
{
    struct ir_expr *cast = ir_expr_new(gen->arena, IR_CAST, 1);
    cast->type = *type;
    cast->type.is_const = false;
    cast->arg[0] = expr;
    return cast;
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

const char *const gen_helper_words[GEN_HELPER_WORDS] = {
    "min",  "max",   "floord", "lead",  "stream", "rows", "span",   "apart",
    "with", "place", "row",    "order", "fence",  "text", "text_of"};

const char *gen_prefix(const struct model *model)
{
    const char *prefix = model->function->word;
    bool taken = true;
    for (int number = 1; taken; number++) {
        taken = false;
        for (size_t i = 0; !taken && i < GEN_HELPER_WORDS; i++)
            taken = is_known(model->function, ir_textf(model->arena, "%s_%s", prefix,
                                                       gen_helper_words[i]));
        if (taken)
            prefix = ir_textf(model->arena, "%s_%d", model->function->word, number);
    }
    return prefix;
}

/* Some of the function's variables the reader made: they are not in the source. */
static bool is_taken(const struct gen *gen, const char *name)
{
    const struct ir_function *function = gen->model->function;
    bool taken = strvec_has(&gen->taken, name) || gen_word_in_source(gen, name);
    for (size_t i = 0; !taken && i < function->symbol_nr; i++)
        taken = !strcmp(function->symbol[i]->name, name);
    return taken;
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

struct ir_symbol *gen_array(struct gen *gen, const char *name, const struct ir_type *type,
                            long long elements)
{
    struct ir_symbol *symbol = gen_symbol(gen, name, type);
    symbol->type.pointers = 1;
    symbol->type.is_const = symbol->type.is_restrict = false;
    symbol->type.full = NULL;
    symbol->dim = ir_alloc(gen->arena, sizeof(*symbol->dim));
    symbol->dim[0] = ir_integer(gen->arena, elements);
    symbol->dim_nr = 1;
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

/* ---- sizes by the names that the loops of the nest give them ---- */

static struct ir_expr *spelt_as(struct gen *gen, const char *text,
                                const struct ir_expr *expr)
{
    struct ir_expr *spelt = ir_expr_new(gen->arena, IR_SPELT, 1);
    spelt->text = text;
    spelt->type = expr->type;
    spelt->arg[0] = (struct ir_expr *)expr;
    return spelt;
}

/* The text of what the bound says now; NULL where the file does not say it. */
static const char *spelling_of(struct gen *gen, const struct ir_expr *expr)
{
    struct ir_expr *spelt = ir_spell(gen->arena, expr);
    return spelt->kind == IR_SPELT ? spelt->text : NULL;
}

struct naming {
    struct gen *gen;
    const struct ir_symbol *symbol;
    const char *text;
    bool differs;
};

static void note_name(struct ir_expr *expr, void *data)
{
    struct naming *naming = data;
    if (expr->kind != IR_NAME || expr->symbol != naming->symbol)
        return;
    const char *text = spelling_of(naming->gen, expr);
    naming->differs =
        naming->differs || !text || (naming->text && strcmp(text, naming->text) != 0);
    naming->text = text;
}

/* A macro, where all bounds say the variable by it: `_PB_N`. */
static struct ir_expr *named_symbol(struct gen *gen, struct ir_expr *name)
{
    struct naming naming = {.gen = gen, .symbol = name->symbol};
    for (size_t i = 0; i < gen->nest->loop_nr; i++) {
        const struct ir_stmt *loop = gen->nest->loop[i]->stmt;
        ir_visit(loop->lower, note_name, &naming);
        ir_visit(loop->upper, note_name, &naming);
    }
    bool macro =
        naming.text && !naming.differs && strcmp(naming.text, name->symbol->name);
    return macro ? spelt_as(gen, naming.text, name) : name;
}

/* The bound is such an int, said by a name; *beyond: of `t <= TSTEPS`, one more. */
static const char *name_of_number(struct gen *gen, const struct ir_expr *bound,
                                  bool inclusive, long long number, long long *beyond)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (!bound || !bound->has_value || bound->type.is_unsigned || bound->type.bytes != 4)
        return NULL;
    *beyond = number - bound->value;
    bool is = *beyond == 0 || (inclusive && *beyond == 1 && number < INT_MAX);
    const char *text = is ? spelling_of(gen, bound) : NULL;
    return text && strpbrk(text, letters) ? text : NULL;
}

enum { COMMON_MAX = 2 }; /* 0, 1 and 2 are many things */

/* `TSTEPS`, or `TSTEPS + 1` of `t <= TSTEPS`, for the number that it is. */
static struct ir_expr *named_number(struct gen *gen, struct ir_expr *number)
{
    for (size_t i = 0; number->value > COMMON_MAX && i < gen->nest->loop_nr; i++) {
        const struct ir_stmt *loop = gen->nest->loop[i]->stmt;
        bool inclusive = loop->cmp && !strcmp(loop->cmp, "<=");
        long long beyond;
        const struct ir_expr *bound[] = {loop->upper, loop->lower};
        for (size_t k = 0; k < ARRAY_SIZE(bound); k++) {
            const char *text =
                name_of_number(gen, bound[k], !k && inclusive, number->value, &beyond);
            if (text)
                return expr_plus(gen->arena, spelt_as(gen, text, bound[k]), beyond);
        }
    }
    return number;
}

static bool is_choice(const struct ir_expr *expr)
{
    return expr->kind == IR_CALL && !expr->symbol && expr->arg_nr == 2;
}

static void name_below(struct gen *gen, struct ir_expr **at, bool whole)
{
    struct ir_expr *expr = *at;
    if (expr->spelling)
        return;
    if (expr->kind == IR_NAME)
        *at = named_symbol(gen, expr);
    else if (expr->kind == IR_LITERAL && expr->has_value && whole)
        *at = named_number(gen, expr);
    for (size_t i = 0; i < expr->arg_nr && expr->kind != IR_RAW; i++)
        name_below(gen, &expr->arg[i], whole && is_choice(expr));
}

/* Of ours: a bound or a condition. */
static void print_expr(struct gen *gen, struct buf *out, const struct ir_expr *expr)
{
    struct ir_expr *copy = ir_copy(gen->arena, expr);
    name_below(gen, &copy, true);
    ir_print_expr(out, ir_spell(gen->arena, copy));
}

/* It goes with a statement, which has it wherever it is now. */
static bool is_told(const struct nest *nest, size_t at)
{
    for (size_t i = 0; i < nest->statement_nr; i++) {
        const struct ir_stmt *stmt = nest->statement[i].stmt;
        size_t end = stmt->told_end > stmt->end ? stmt->told_end : stmt->end;
        if (stmt->end > stmt->begin && at < end &&
            (at >= stmt->begin || (stmt->told_end && at >= stmt->told_begin)))
            return true;
    }
    return false;
}

/* Behind what cannot be told apart into more; *comment: it is one that can be moved. */
static size_t piece_length(const char *text, bool *comment)
{
    size_t length = 1;
    const char *end = strncmp(text, "/*", 2) ? NULL : strstr(text + 2, "*/");
    *comment = end || !strncmp(text, "//", 2);
    if (end)
        return (size_t)(end + 2 - text);
    if (*comment) {
        length = strcspn(text, "\r\n");
        *comment = text[length - 1] != '\\'; /* else it goes on in the next line */
    } else if (*text == '"' || *text == '\'') {
        while (text[length] && text[length] != *text && text[length] != '\n')
            length += 1 + (text[length] == '\\' && text[length + 1]);
        length += text[length] == *text;
    }
    return length;
}

static void add_comment(struct buf *out, const char *text, size_t length, int indent)
{
    const char *end = text + length;
    for (const char *line = text; line < end; line += strspn(line, "\r\n \t")) {
        size_t nr = strcspn(line, "\r\n");
        nr = line + nr > end ? (size_t)(end - line) : nr;
        margin(out, indent);
        buf_add(out, line == text ? "\1" : "\1 ");
        buf_add_n(out, line, nr);
        buf_add(out, "\n");
        line += nr;
    }
}

static bool is_in(const char *text, const char *comment, size_t length)
{
    char *line = xstrndup(
        comment, length < strcspn(comment, "\r\n") ? length : strcspn(comment, "\r\n"));
    bool found = text && strstr(text, line);
    free(line);
    return found;
}

void code_print_comments(const struct nest *nest, size_t begin, size_t end,
                         const char *printed, struct buf *out, int indent)
{
    const char *source = nest->model->function->source;
    while (begin < end) {
        bool comment;
        size_t length = piece_length(source + begin, &comment);
        if (comment &&
            !(printed ? is_in(printed, source + begin, length) : is_told(nest, begin)))
            add_comment(out, source + begin, length, indent);
        begin += length;
    }
}

/* Copies of a statement have its comments once. */
static bool is_told_before(const struct code *block, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const struct code *other = block->child[i];
        if (other->kind == CODE_STMT && other->stmt->spelling &&
            other->stmt->spelling == block->child[at]->stmt->spelling)
            return true;
    }
    return false;
}

/* What stands between both in the file, where they stand on one line; NULL where they do
 * not. */
static const char *gap_between(struct gen *gen, const struct ir_stmt *before,
                               const struct ir_stmt *after)
{
    const char *source = gen->model->function->source;
    if (before->from_macro || after->from_macro || after->begin <= before->end ||
        strspn(source + before->end, " \t") != after->begin - before->end)
        return NULL;
    return ir_textf(gen->arena, "%.*s", (int)(after->begin - before->end),
                    source + before->end);
}

/* Comments that stood within what was replaced come first. Does it end in his own text,
 * so that more may follow on the line? */
static bool print_stmt(struct gen *gen, struct buf *out, struct ir_stmt *stmt,
                       const struct ir_stmt *before, int indent, bool again)
{
    struct buf text = {0}, lost = {0};
    bool spelt = stmt->kind == IR_OPAQUE && stmt->spelling;
    const char *gap = before && spelt ? gap_between(gen, before, stmt) : NULL;
    if (again)
        stmt->comments = stmt->remark = NULL;
    if (stmt->end == gen->nest->stmt->end)
        stmt->remark = NULL; /* it stays behind the nest */
    ir_print_stmt(&text, stmt, indent);
    if (stmt->spelling && !again)
        code_print_comments(gen->nest, stmt->begin, stmt->end, buf_str(&text), &lost,
                            indent);
    if (gap && !lost.length && !stmt->comments && !stmt->pragma) {
        buf_truncate(out, out->length - 1);
        buf_addf(out, "%s%s", gap, strchr(buf_str(&text), SPELT_LINE) + 1);
    } else
        buf_addf(out, "%s%s", buf_str(&lost), buf_str(&text));
    buf_release(&text);
    buf_release(&lost);
    return spelt && !stmt->remark;
}

/* The statement of the file that it is, or the loop; NULL = neither. */
static const struct ir_stmt *source_of(const struct code *code)
{
    const struct ir_stmt *stmt = code->kind == CODE_STMT ? code->stmt : NULL;
    if (code->kind == CODE_FOR && code->band && code->band->loop)
        stmt = code->band->loop->stmt;
    return stmt && stmt->end > stmt->begin && !stmt->from_macro ? stmt : NULL;
}

/* Stands an empty line behind the one, on the way to the other? */
static bool is_set_off(const struct gen *gen, const struct code *before,
                       const struct code *after)
{
    const char *source = gen->model->function->source;
    const struct ir_stmt *from = source_of(before), *to = source_of(after);
    if (from->end > to->begin)
        return false;
    size_t line = from->end + strcspn(source + from->end, "\n") + 1,
           blanks = strspn(source + line, " \t\r");
    return line + blanks < to->begin && source[line + blanks] == '\n';
}

static bool is_declaration(const struct code *code)
{
    return code->kind == CODE_STMT && code->stmt->kind == IR_DECL;
}

/* Does the file set off what begins here? Declarations of ours belong to what follows. */
static bool begins_part(const struct gen *gen, const struct code *block, size_t at)
{
    size_t from = at, to = at;
    if (!source_of(block->child[at]) && !is_declaration(block->child[at]))
        return false;
    for (; from > 0 && !source_of(block->child[from - 1]); from--)
        if (is_declaration(block->child[from - 1]))
            return false;
    while (to < block->child_nr && !source_of(block->child[to]))
        to++;
    return from > 0 && to < block->child_nr &&
           is_set_off(gen, block->child[from - 1], block->child[to]);
}

static void print_children(struct gen *gen, struct buf *out, const struct code *block,
                           int indent)
{
    const struct ir_stmt *before = NULL;
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct code *child = block->child[i];
        if (begins_part(gen, block, i))
            buf_addf(out, "%c\n", SPELT_LINE);
        if (child->kind != CODE_STMT) {
            code_print(gen, out, child, indent);
            before = NULL;
            continue;
        }
        struct ir_stmt *stmt = ir_spell_stmt(gen->arena, child->stmt);
        bool open = print_stmt(gen, out, stmt, before, indent, is_told_before(block, i));
        before = open ? stmt : NULL;
    }
}

static void print_block(struct gen *gen, struct buf *out, const struct code *block,
                        int indent, bool force)
{
    bool braces = force || needs_braces(block);
    buf_add(out, braces ? " {\n" : "\n");
    print_children(gen, out, block, indent + 1);
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
    print_expr(gen, out, loop->lower);
    bool plain =
        loop->step < 0 && loop->upper->kind != IR_CALL; /* i >= 0 rather than i > -1 */
    buf_addf(out, "; %s %s ", loop->var->name, loop->step > 0 ? "<" : plain ? ">=" : ">");
    print_expr(gen, out, plain ? expr_plus(gen->arena, loop->upper, 1) : loop->upper);
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
    print_expr(gen, out, code->cond);
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

bool code_in_team(const struct code *code)
{
    while (code && !(code->kind == CODE_FOR && code->parallel))
        code = code->parent;
    return code != NULL;
}

static void print_rounds(struct gen *gen, struct buf *out, const struct code *loop,
                         int indent)
{
    print_lines(out, "do {\n", indent);
    margin(out, indent + 1);
    buf_addf(out, "%s = 0;\n", loop->busy->name);
    margin(out, indent + 1);
    print_for(gen, out, loop, indent + 1);
    margin(out, indent);
    buf_addf(out, "} while (%s);\n", loop->busy->name);
}

void code_print(struct gen *gen, struct buf *out, const struct code *code, int indent)
{
    switch (code->kind) {
    case CODE_BLOCK:
        print_children(gen, out, code, indent);
        break;
    case CODE_FOR:
        gen->need_quiet = gen->need_quiet || code->simd;
        gen->quiet_to_end = gen->quiet_to_end || (code->simd && code_in_team(code));
        if (code->busy) {
            print_rounds(gen, out, code, indent);
            break;
        }
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
        print_expr(gen, out, code->lower);
        buf_add(out, ";\n");
        break;
    case CODE_STMT: /* see print_children */
        break;
    case CODE_TEXT:
        print_lines(out, code->text, indent);
        break;
    }
}
