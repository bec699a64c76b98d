/* The user's file with its nests replaced. */
#include "variants/emit/gen.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/emit/emit.h"
#include "variants/emit/gen_edits.h"
#include "variants/emit/gen_fetch.h"
#include "variants/ir/clauses.h"
#include "variants/ir/spelling.h"
#include "variants/ir/sum.h"
#include "variants/model/budget.h"
#include "variants/model/model_nest.h"
#include "variants/model/poly.h"
#include "variants/plan/plan.h"

/* ---- frozen ---- */

/* What the rewritten code rests on is checked where it is compiled: built with another
 * value it is refused, never wrong. */

enum { REPORTED_MAX = 100 }; /* of a value in a message */

static bool has_kind(const struct ir_function *function, enum ir_frozen_kind kind)
{
    for (size_t i = 0; i < function->frozen_nr; i++)
        if (function->frozen[i].kind == kind)
            return true;
    return false;
}

/* What a use of a macro becomes, as a string. */
static void gen_frozen_macros(const struct model *model, struct buf *out)
{
    const char *prefix = gen_prefix(model);
    bool is_c89 = model->function->is_c89; /* macros of any arguments are an extension */
    if (has_kind(model->function, FROZEN_TEXT))
        buf_addf(out,
                 "%s#define %s_text_of(...) #__VA_ARGS__\n"
                 "#define %s_text(...) %s_text_of(__VA_ARGS__)\n%s\n",
                 is_c89 ? "#pragma GCC diagnostic push\n"
                          "#pragma GCC diagnostic ignored \"-Wvariadic-macros\"\n"
                        : "",
                 prefix, prefix, prefix, is_c89 ? "#pragma GCC diagnostic pop\n" : "");
}

static void add_quoted(struct buf *out, const char *text, size_t max)
{
    for (size_t i = 0; text[i] && i < max; i++) {
        buf_add(out, text[i] == '"' || text[i] == '\\' ? "\\" : "");
        buf_add_n(out, text + i, 1);
    }
    buf_add(out, strlen(text) > max ? " ..." : "");
}

static void add_message(struct buf *out, const struct ir_frozen *frozen)
{
    buf_add(out, "\"tuned where ");
    add_quoted(out, frozen->name, REPORTED_MAX);
    buf_add(out, " is ");
    add_quoted(out, frozen->value, REPORTED_MAX);
    buf_add(out, ": build with that, or run inflight tune again\"");
}

/* The lines of the #if, with what to say in the branches that were left out. */
static void add_branches(struct buf *out, const struct ir_frozen *frozen)
{
    for (const char *line = frozen->subject; *line;) {
        size_t length = strcspn(line, "\n");
        buf_add_n(out, line, length);
        if (!strncmp(line, "#error\n", 7)) {
            buf_add(out, " ");
            add_message(out, frozen);
        }
        line += length + (line[length] == '\n');
        buf_add(out, *line ? "\n" : "");
    }
}

static void add_condition(const struct model *model, struct buf *out,
                          const struct ir_frozen *frozen)
{
    switch (frozen->kind) {
    case FROZEN_TEXT:
        buf_addf(out, "!__builtin_strcmp(%s_text(%s), \"", gen_prefix(model),
                 frozen->subject);
        add_quoted(out, frozen->value, strlen(frozen->value));
        buf_add(out, "\")");
        break;
    case FROZEN_TYPE:
        buf_addf(out, "%s(%s, %s)",
                 model->function->is_cplusplus ? "__is_same"
                                               : "__builtin_types_compatible_p",
                 frozen->subject, frozen->value);
        break;
    case FROZEN_VALUE:
        buf_addf(out, "%s == %s", frozen->subject, frozen->value);
        break;
    default:
        buf_add(out, frozen->subject);
    }
}

static void add_assert(const struct model *model, struct buf *out,
                       const struct ir_frozen *frozen, const char *margin)
{
    const char *word = model->function->is_cplusplus ? "static_assert"
                       : model->function->is_c89     ? "__extension__ _Static_assert"
                                                     : "_Static_assert";
    buf_addf(out, "%s%s(", margin, word);
    add_condition(model, out, frozen);
    buf_addf(out, ",\n%s%*s", margin, (int)strlen(word) + 1, "");
    add_message(out, frozen);
    buf_add(out, ");");
}

/* Of the statements at the head of the body. Caller frees. */
static char *body_margin(const struct ir_function *function)
{
    const char *source = function->source;
    const struct layout layout = layout_of(function, NULL);
    size_t begin = line_begin(source, function->body_begin);
    struct buf out = {0};
    for (size_t i = 0; i < function->body->child_nr; i++) {
        size_t first = function->body->child[i]->begin;
        size_t line = line_begin(source, first);
        if (line > function->body_begin && line + strspn(source + line, " \t") == first)
            return margin_of(source, first);
    }
    char *own = margin_of(source, begin + strspn(source + begin, " \t"));
    layout_add_margin(&out, &layout, own, 1);
    free(own);
    return buf_detach(&out);
}

/* At the head of the body: types and arrays have their names there. */
static void gen_frozen(const struct model *model, struct edits *edits)
{
    const struct ir_function *function = model->function;
    size_t at = function->body_begin + 1;
    char *margin = body_margin(function);
    struct buf text = {0};
    for (size_t i = 0; i < function->frozen_nr; i++) {
        const struct ir_frozen *frozen = &function->frozen[i];
        buf_add(&text, "\n");
        if (frozen->kind == FROZEN_BRANCH)
            add_branches(&text, frozen);
        else
            add_assert(model, &text, frozen, margin);
    }
    size_t blanks = strspn(function->source + at, " \t\r");
    if (function->source[at + blanks] != '\n')
        buf_addf(&text, "\n%s", margin);
    if (function->frozen_nr)
        edits_add(edits, at, at, buf_detach(&text));
    buf_release(&text);
    free(margin);
}

/* ---- words ---- */

/* Words of the new code that the user's macros would make others. */

/* Lines of the preprocessor and names that compilers define stay as they are. */
static void gen_add_helper(const struct model *model, struct buf *out, const char *text)
{
    const struct ir_names *macros = &model->function->macros;
    for (bool begins = true; *text; begins = text[-1] == '\n') {
        size_t length = begins && *text == '#' ? strcspn(text, "\n") : 0;
        bool word = !length && is_word_char(*text);
        length = word ? text_word_length(text) : length;
        length = length ? length : 1;
        const char *piece = ir_textf(model->arena, "%.*s", (int)length, text);
        bool met = word && strncmp(piece, "__", 2) && ir_has_name(macros, piece);
        if (word && model->function->is_c89 && !strcmp(piece, "inline"))
            piece = "__inline__";
        for (int i = 0; met && ir_has_name(macros, piece); i++)
            piece = ir_textf(model->arena, "%.*s_%d", (int)length, text, i);
        buf_add(out, piece);
        text += length;
    }
}

/* No word of the language that new code is made of is a macro here. */
static int gen_check_words(const struct model *model, const struct edits *edits,
                           struct error *err)
{
    static const char *const words[] = {
        "if",      "else",       "for",         "int",       "long",       "char",
        "void",    "return",     "static",      "const",     "typedef",    "enum",
        "omp",     "parallel",   "simd",        "private",   "schedule",   "reduction",
        "dynamic", "guided",     "num_threads", "proc_bind", "simdlen",    "clang",
        "loop",    "GCC",        "ivdep",       "unroll",    "diagnostic", "may_alias",
        "aligned", "vector_size"};
    const struct ir_names *macros = &model->function->macros;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        for (size_t k = 0; ir_has_name(macros, words[i]) && k < edits->nr; k++)
            if (text_has_word(edits->item[k].text, words[i]))
                return fail(err, STATUS_ILLEGAL,
                            "'%s' is a macro of this file or of a header, and the new "
                            "code needs the word as the language defines it; #undef the "
                            "macro before the function",
                            words[i]);
    return 0;
}

/* ---- reduction ---- */

/* simd loops that sum, where the user lets sums be reordered: every variable that is
 * summed up must stand in a clause. */

static bool is_declared(const struct code *block, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct ir_stmt *stmt =
            block->child[i]->kind == CODE_STMT ? block->child[i]->stmt : NULL;
        if (stmt && stmt->kind == IR_DECL && stmt->symbol == symbol)
            return true;
    }
    return false;
}

/* False when the loop carries something that no clause can say. */
static bool add_sum(struct code *loop, const struct ir_expr *expr)
{
    const struct ir_expr *target = expr->kind == IR_ASSIGN ? expr->arg[0] : NULL;
    if (!target)
        return false;
    if (target->kind != IR_NAME)
        return expr_mentions(target, loop->var);
    if (is_declared(loop->child[0], target->symbol))
        return true;
    const char *op = strcmp(expr->op, "=") ? expr->op
                     : expr->arg[1]->op    ? expr->arg[1]->op
                                           : "";
    if (!strchr("+-*", op[0]) || !op[0])
        return false;
    strvec_push_once(op[0] == '*' ? &loop->products : &loop->sums, target->symbol->name);
    return true;
}

/* gen_scalar.c */
static void gen_reductions(struct code *code)
{
    const struct code *block = code->kind == CODE_FOR ? code->child[0] : NULL;
    for (size_t i = 0; code->kind == CODE_FOR && code->simd && code->band->reduces &&
                       i < block->child_nr;
         i++) {
        const struct ir_stmt *stmt =
            block->child[i]->kind == CODE_STMT ? block->child[i]->stmt : NULL;
        if (!stmt || (stmt->kind != IR_DECL &&
                      (stmt->kind != IR_EXPR || !add_sum(code, stmt->expr))))
            code->simd = false;
    }
    for (size_t i = 0; i < code->child_nr; i++)
        gen_reductions(code->child[i]);
}

/* ---- gen ---- */

enum { GUARD_WIDTH = 80 };

struct mentioned {
    const char *name;
    bool found;
};

/* ---- one nest ---- */

static void gen_release(struct gen *gen)
{
    free(gen->local);
    free(gen->range);
    free(gen->row);
    isl_set_free(gen->known);
    isl_set_free(gen->rows_used);
    strvec_release(&gen->taken);
    strvec_release(&gen->vector_type);
    ir_arena_free(gen->arena);
}

static struct gen gen_start(struct work *work, struct work *works)
{
    return (struct gen){.work = work,
                        .works = works,
                        .nest = work->nest,
                        .model = work->nest->model,
                        .arena = ir_arena_new()};
}

static void gen_join(struct gen *all, const struct gen *gen)
{
    all->need_min = all->need_min || gen->need_min;
    all->need_max = all->need_max || gen->need_max;
    all->need_floord = all->need_floord || gen->need_floord;
    all->need_stream = all->need_stream || gen->need_stream;
    all->need_rows = all->need_rows || gen->need_rows;
    all->together = all->together || gen->together;
    all->wide = all->wide || gen->wide;
    all->need_quiet = all->need_quiet || gen->need_quiet;
    all->quiet_to_end = all->quiet_to_end || gen->quiet_to_end;
    gen_vectors_join(all, gen);
}

static void find_call(struct ir_expr *expr, void *data)
{
    struct mentioned *mentioned = data;
    const struct ir_symbol *symbol = expr->symbol;
    mentioned->found =
        mentioned->found || (symbol && !strcmp(symbol->name, mentioned->name));
}

static void find_calls(const struct code *code, struct mentioned *mentioned)
{
    struct ir_expr *part[] = {code->lower, code->upper, code->cond};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            ir_visit(part[i], find_call, mentioned);
    if (code->stmt)
        stmt_exprs(code->stmt, find_call, mentioned);
    for (size_t i = 0; i < code->child_nr; i++)
        find_calls(code->child[i], mentioned);
}

/* How often the word stands in the nest as it was, or in the file outside of it. */
static size_t words_of(const struct nest *nest, const char *word, bool outside)
{
    const char *source = nest->model->function->source, *at = source;
    size_t length = strlen(word), nr = 0;
    for (; (at = strstr(at, word)); at += length) {
        size_t place = (size_t)(at - source);
        bool starts = !place || !is_word_char(at[-1]);
        bool ends = !is_word_char(at[length]);
        bool is_outside = place < nest->stmt->begin || place >= nest->stmt->end;
        nr += starts && ends && is_outside == outside;
    }
    return nr;
}

/* Functions of the file whose calls were all taken apart. */
static bool is_left_over(const struct gen *gen, const struct code *code,
                         const struct ir_symbol *symbol)
{
    struct mentioned mentioned = {.name = symbol->name};
    if (symbol->role != IR_FUNCTION || !symbol->is_static ||
        words_of(gen->nest, symbol->name, true) != 1)
        return false;
    find_calls(code, &mentioned);
    return !mentioned.found;
}

struct declared {
    const struct ir_symbol *symbol;
    const struct ir_stmt *nest;
};

static bool is_nest(const struct ir_stmt *stmt, const void *nest)
{
    return stmt == nest;
}

/* The block whose variable it is, in front of the nest. */
static bool declares_for(const struct ir_stmt *stmt, const void *data)
{
    const struct declared *declared = data;
    bool found = false;
    for (size_t i = 0; stmt->kind == IR_BLOCK && !found && i < stmt->child_nr; i++)
        found = stmt->child[i]->kind == IR_DECL &&
                stmt->child[i]->symbol == declared->symbol &&
                stmt->child[i]->begin < declared->nest->begin;
    return found && stmt_find(stmt, is_nest, declared->nest);
}

/* Outer variables that the new code no longer uses would be warned about. */
static void add_unused(struct gen *gen, struct code *code)
{
    struct nest *nest = gen->nest;
    struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        bool iterator = nest->declared[i] && nest->written[i] &&
                        nest->decl_depth[i] < 0 && !symbol->in_loop;
        bool local = !nest->declared[i] && nest->written[i];
        bool replaced = symbol->is_replaced && !symbol->in_loop &&
                        words_of(nest, symbol->name, false) > 0 &&
                        stmt_find(function->body, declares_for,
                                  &(struct declared){symbol, nest->source});
        bool unused = symbol->role == IR_LOCAL && !code_mentions(code, symbol) &&
                      (replaced || (!symbol->type.pointers && (iterator || local)));
        if (!unused && !is_left_over(gen, code, symbol))
            continue;
        struct code *line = code_new(CODE_TEXT);
        line->text = ir_textf(gen->arena, "(void)%s;\n", symbol->name);
        code_insert(code, 0, line);
    }
}

static void name_helper(struct ir_expr *expr, void *data)
{
    struct gen *gen = data;
    bool ours = expr->kind == IR_CALL && !expr->symbol && expr->text;
    for (size_t i = 0; ours && i < GEN_HELPERS_CALLED; i++)
        if (!strcmp(expr->text, gen_helper_words[i]))
            expr->text = ir_textf(gen->arena, "%s_%s", gen_prefix(gen->model),
                                  gen_helper_words[i]);
}

/* min, max and floord get the names under which they are defined. */
static void name_helpers(struct gen *gen, struct code *code)
{
    struct ir_expr *part[] = {code->lower, code->upper, code->cond};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            ir_visit(part[i], name_helper, gen);
    if (code->stmt)
        stmt_exprs(code->stmt, name_helper, gen);
    for (size_t i = 0; i < code->child_nr; i++)
        name_helpers(gen, code->child[i]);
}

/* ---- names ---- */

enum { NAMES_MAX = 256 };

struct scope {
    struct gen *gen;
    const char *name[NAMES_MAX];
    size_t nr;
    const struct ir_stmt *stmt;
};

static bool declares_or_sets(const struct ir_stmt *stmt, const void *symbol)
{
    return (stmt->kind == IR_DECL && stmt->symbol == symbol) ||
           (stmt->kind == IR_FOR && stmt->iterator == symbol);
}

static void check_name(struct ir_expr *expr, void *data)
{
    struct scope *scope = data;
    struct gen *gen = scope->gen;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (!symbol || symbol->id < 0 || !gen->nest->declared[symbol->id] ||
        (scope->stmt && stmt_find(scope->stmt, declares_or_sets, symbol)))
        return;
    for (size_t i = 0; i < scope->nr; i++)
        if (!strcmp(scope->name[i], symbol->name))
            return;
    gen->problem =
        ir_textf(gen->model->arena,
                 "'%s' is named in a way that the new code cannot follow", symbol->name);
}

/* What the nest declares has another name in the new code, or another place: wherever it
 * is still mentioned it must be there, else an outer variable of that name would be. */
static void check_names(struct scope *scope, const struct code *code)
{
    struct ir_expr *part[] = {code->lower, code->upper, code->cond};
    size_t outer = scope->nr;
    scope->stmt = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            ir_visit(part[i], check_name, scope);
    if (code->var && code->kind == CODE_FOR && scope->nr < NAMES_MAX)
        scope->name[scope->nr++] = code->var->name;
    for (size_t i = 0; i < code->child_nr; i++) {
        const struct code *child = code->child[i];
        const struct ir_symbol *own = child->kind == CODE_LET ? child->var : NULL;
        scope->stmt = child->stmt;
        if (child->stmt)
            stmt_exprs(child->stmt, check_name, scope);
        if (child->stmt && child->stmt->kind == IR_DECL)
            own = child->stmt->symbol;
        check_names(scope, child);
        if (own && scope->nr < NAMES_MAX)
            scope->name[scope->nr++] = own->name;
    }
    scope->nr = outer;
}

static struct code *make_code(struct gen *gen)
{
    struct code *code = gen_code(gen);
    if (!code)
        return NULL;
    gen_locals(gen, code);
    gen_rounds(gen, code);
    gen_skips(gen, code);
    gen_buffers(gen, code);
    gen_tables(gen, code);
    if (gen->work->reorders) /* else nothing tests that arrays do not overlap */
        gen_scalars(gen, code);
    gen_accumulators(gen, code);
    gen_narrow_counters(gen, code);
    gen_reductions(code);
    gen_streams(gen, code);
    gen_prefetches(gen, code);
    gen_lets(gen, code);
    gen_branches(gen, code, false);
    gen_reciprocals(gen, code);
    gen_teams(gen, code);
    if (!gen->problem && gen_buffers_split(gen, code))
        gen->problem = "a large packed tile would be filled by one thread and used by "
                       "others; pack inside the parallel loop, or make the outer loop "
                       "parallel";
    gen_pads(gen, code);
    gen_drop_lets(code);
    gen_fit_code(gen, code);
    check_names(&(struct scope){.gen = gen}, code);
    if (!gen->is_row) /* the nest around it sees what is left */
        add_unused(gen, code);
    name_helpers(gen, code);
    if (gen->model->function->is_c89)
        gen_c89(gen, code);
    return code;
}

/* NULL: err says why there is none. */
static struct code *nest_code(struct gen *gen, struct ir_expr **guard, bool *needs_else,
                              struct error *err)
{
    int status = gen_guard(gen, guard, needs_else, err);
    struct code *code = status ? NULL : make_code(gen);
    if (!status && (gen->needs_promise || gen->needs_box))
        status = gen_guard(gen, guard, needs_else, err);
    if (isl_check(gen->model, false, err))
        status = fail_in(err, "the nest at line %d", gen->nest->stmt->line);
    else if (!status && (!code || gen->problem))
        status = fail(err, STATUS_ILLEGAL, "the nest at line %d: %s",
                      gen->nest->stmt->line, gen->problem);
    if (*guard)
        ir_visit(*guard, name_helper, gen);
    if (!status)
        return code;
    code_free(code);
    return NULL;
}

/* As one statement, with the names of its bounds. */
static struct ir_stmt *nest_stmt(struct gen *gen, struct error *err)
{
    struct ir_expr *guard;
    bool needs_else;
    struct code *code = nest_code(gen, &guard, &needs_else, err);
    struct ir_stmt *stmt = code ? gen_block(gen, code, guard, needs_else) : NULL;
    code_free(code);
    return stmt;
}

/* ---- nests inside of a statement ---- */

static const struct ir_stmt *find_row(const struct gen *gen, const struct ir_stmt *stmt)
{
    for (size_t i = 0; i < gen->row_nr; i++)
        if (gen->row[i].source == stmt)
            return gen->row[i].now;
    return NULL;
}

static const struct ir_stmt *make_row(struct gen *gen, struct work *work)
{
    struct error err = {0};
    struct gen row = gen_start(work, gen->works);
    ir_arena_free(row.arena);
    row.arena = gen->arena;
    row.is_row = true;
    strvec_push_all(&row.taken, &gen->taken);
    const struct ir_stmt *now = nest_stmt(&row, &err);
    if (!now)
        gen->problem = ir_text(gen->model->arena, err.text);
    strvec_push_all(&gen->taken, &row.taken);
    gen_join(gen, &row);
    work->placed = true;
    row.arena = NULL;
    gen_release(&row);
    GROW(gen->row, gen->row_nr + 1, gen->row_alloc);
    gen->row[gen->row_nr++] = (struct gen_row){work->nest->source, now};
    return now;
}

static const struct ir_stmt *row_of(struct gen *gen, const struct ir_stmt *stmt)
{
    const struct ir_stmt *known = stmt->kind == IR_FOR ? find_row(gen, stmt) : NULL;
    for (size_t i = 0; !known && stmt->kind == IR_FOR && i < gen->model->nest_nr; i++) {
        struct work *work = &gen->works[i];
        if (work->touched && work->nest->around && work->nest->source == stmt)
            return make_row(gen, work);
    }
    return known;
}

const struct ir_stmt *gen_rows(struct gen *gen, const struct ir_stmt *stmt)
{
    const struct ir_stmt *now = row_of(gen, stmt);
    struct ir_stmt *copy = NULL;
    for (size_t i = 0; !now && i < stmt->child_nr; i++) {
        const struct ir_stmt *old = stmt->child[i];
        const struct ir_stmt *new = old ? gen_rows(gen, old) : NULL;
        if (new == old)
            continue;
        if (!copy) {
            copy = ir_alloc(gen->arena, sizeof(*copy));
            *copy = *stmt;
            copy->child = ir_alloc(gen->arena, stmt->child_nr * sizeof(*copy->child));
            memcpy(copy->child, stmt->child, stmt->child_nr * sizeof(*copy->child));
        }
        memcpy(&copy->child[i], &new, sizeof(new));
    }
    return now ? now : copy ? copy : stmt;
}

/* One condition a line, when they do not fit into one. */
static void print_guard(struct gen *gen, struct buf *out, const struct ir_expr *guard,
                        bool lines)
{
    if (guard->kind == IR_BINARY && !strcmp(guard->op, "&&")) {
        print_guard(gen, out, guard->arg[0], lines);
        buf_add(out, lines ? " &&\n\1    " : " && ");
        guard = guard->arg[1];
    }
    bool wrap = guard->kind == IR_BINARY && !strcmp(guard->op, "||");
    buf_add(out, wrap ? "(" : "");
    ir_print_expr(out, ir_spell(gen->arena, guard));
    buf_add(out, wrap ? ")" : "");
}

static void print_head(struct gen *gen, struct buf *out, const struct ir_expr *guard)
{
    buf_add(out, "if (");
    print_guard(gen, out, guard, false);
    bool lines = out->length > GUARD_WIDTH;
    if (lines) {
        buf_truncate(out, strlen("if ("));
        print_guard(gen, out, guard, true);
    }
    buf_add(out, lines ? ") {\1\n" : ") {\n");
}

/* What stands in the block that the loop's text is, from one place on up to the loop or
 * to the end. */
static size_t print_with(const struct nest *nest, size_t from, struct buf *out,
                         int indent)
{
    const struct ir_stmt *with = nest->source->with;
    size_t at = from;
    while (with && at < with->child_nr && with->child[at] != nest->source)
        ir_print_stmt(out, with->child[at++], indent);
    return at;
}

static bool leaves_values(const struct nest *nest)
{
    const struct ir_stmt *with = nest->source->with;
    return nest->left || (with && with->child[with->child_nr - 1] != nest->source);
}

static void print_left(struct gen *gen, struct buf *out, int indent)
{
    const struct nest *nest = gen->nest;
    struct buf before = {0};
    if (nest->left) {
        buf_add_repeat(out, ' ', (size_t)indent * 4);
        ir_print_expr(out, ir_spell(gen->arena, nest->left));
        buf_add(out, ";\n");
    }
    print_with(nest, print_with(nest, 0, &before, 0) + 1, out, indent);
    buf_release(&before);
}

static void print_brace(struct buf *out, const char *brace, int indent)
{
    buf_add_repeat(out, ' ', (size_t)indent * 4);
    buf_addf(out, "%s\n", brace);
}

/* The original in place of the line \2; it has its own margin. */
static void print_original(struct gen *gen, const struct layout *layout, int indent,
                           const char *text, struct buf *out)
{
    char *old = nest_original_shifted(gen->nest, layout, indent);
    const char *place = strchr(text, '\2');
    buf_add_n(out, text, (size_t)(place - text));
    buf_add(out, old);
    buf_add(out, place + 1);
    free(old);
}

/* code; or { code }; or if (guard) { code }; or if (guard) { code } else { original }: in
 * braces where one statement alone may stand, lest an `else` behind it finds another
 * `if`. */
static void print_nest(struct gen *gen, struct code *code, const struct ir_expr *guard,
                       bool needs_else, struct buf *out)
{
    const struct ir_function *function = gen->model->function;
    const struct ir_stmt *stmt = gen->nest->stmt;
    const struct layout layout = layout_of(function, stmt);
    char *margin = margin_of(function->source, stmt->begin);
    const struct ir_stmt *with = gen->nest->source->with;
    bool left = leaves_values(gen->nest);
    bool several = code->child_nr > 1 || code->child[0]->kind == CODE_LET;
    bool braces = guard || left || several || code_has_pragma(code->child[0]);
    bool alone = (!stmt->in_block && (guard || !braces)) ||
                 (with && with->child[0] != gen->nest->source);
    int indent = alone, in = indent + braces;
    struct buf text = {0}, lines = {0};
    if (!needs_else)
        code_print_comments(gen->nest, stmt->begin, stmt->end, NULL, &text, 0);
    if (alone)
        print_brace(&text, "{", 0);
    print_with(gen->nest, 0, &text, indent);
    if (guard) {
        struct buf head = {0};
        print_head(gen, &head, guard);
        buf_addf(&text, "%*s%s", indent * 4, "", buf_str(&head));
        buf_release(&head);
    } else if (braces)
        print_brace(&text, "{", indent);
    if (left && several) /* what it declares may have the name that is set */
        print_brace(&text, "{", in);
    code_print(gen, &text, code, in + (left && several));
    if (left && several)
        print_brace(&text, "}", in);
    print_left(gen, &text, in);
    if (left && guard &&
        !needs_else) { /* where nothing is executed it counts all the same */
        print_brace(&text, "} else {", indent);
        print_left(gen, &text, in);
    }
    if (needs_else) {
        buf_addf(&text, "%*s" EMIT_RAN ";\n", in * 4, "");
        print_brace(&text, "} else {", indent);
        for (const struct ir_pragma *pragma = stmt->pragma; pragma; pragma = pragma->next)
            if (pragma_binds(pragma))
                buf_addf(&text, "%*s#pragma %s\n", in * 4, "", pragma->text);
        print_brace(&text, "\2", in);
    }
    if (braces)
        print_brace(&text, "}", indent);
    if (alone)
        print_brace(&text, "}", 0);
    layout_add_lines(&lines, &layout, margin, buf_str(&text));
    if (needs_else)
        print_original(gen, &layout, in, buf_str(&lines), out);
    else
        buf_add(out, buf_str(&lines));
    buf_release(&text);
    buf_release(&lines);
    free(margin);
}

/* A block with the names of the bounds before it. */
static struct code *named_code(struct gen *gen, struct error *err)
{
    struct ir_stmt *stmt = nest_stmt(gen, err);
    struct code *block = stmt ? code_new(CODE_BLOCK) : NULL;
    if (!stmt)
        return NULL;
    code_add(block, code_new(CODE_STMT));
    block->child[0]->stmt = stmt;
    block->child[0]->statement = SIZE_MAX;
    return block;
}

static int emit_nest(struct work *work, struct work *works, struct buf *out,
                     struct gen *helpers, struct error *err)
{
    struct gen gen = gen_start(work, works);
    struct ir_expr *guard = NULL;
    bool needs_else = false, named = work->nest->stmt != work->nest->source;
    struct code *code =
        named ? named_code(&gen, err) : nest_code(&gen, &guard, &needs_else, err);
    if (code)
        print_nest(&gen, code, guard, needs_else, out);
    work->guarded = needs_else;
    gen_join(helpers, &gen);
    gen_release(&gen);
    bool done = code != NULL;
    code_free(code);
    return done ? 0 : -1;
}

/* ---- helpers ---- */

static const struct {
    const char *word, *first, *second, *body;
} helper_table[] = {
    {"min", "a", "b", "a < b ? a : b"},
    {"max", "a", "b", "a > b ? a : b"},
    {"floord", "n", "d", "n < 0 ? -((d - 1 - n) / d) : n / d"},
};

/* An expression that wanted it may have been simplified away. */
static bool is_called(const struct edits *edits, const char *prefix, const char *word)
{
    char *call = xasprintf("%s_%s(", prefix, word);
    bool found = false;
    for (size_t i = 0; !found && i < edits->nr; i++)
        found = strstr(edits->item[i].text, call) != NULL;
    free(call);
    return found;
}

static void add_helpers(const struct model *model, const struct gen *helpers,
                        const struct edits *edits, struct buf *out)
{
    const bool needed[] = {helpers->need_min, helpers->need_max, helpers->need_floord};
    const char *type = helpers->wide ? "long" : "int", *prefix = gen_prefix(model);
    const struct layout layout = layout_of(model->function, NULL);
    struct buf text = {0};
    for (size_t i = 0; i < ARRAY_SIZE(helper_table); i++) {
        if (!needed[i] || !is_called(edits, prefix, helper_table[i].word))
            continue;
        buf_addf(&text, "static inline %s %s_%s(%s %s, %s %s)\n{\n", type, prefix,
                 helper_table[i].word, type, helper_table[i].first, type,
                 helper_table[i].second);
        layout_add_margin(&text, &layout, "", 1);
        buf_addf(&text, "return %s;\n}\n\n", helper_table[i].body);
    }
    if (helpers->need_stream)
        gen_stream_helpers(prefix, &text);
    if (helpers->need_rows && is_called(edits, prefix, "rows"))
        gen_row_helpers(prefix, is_called(edits, prefix, "span"),
                        is_called(edits, prefix, "with"), !helpers->together, &text);
    gen_add_helper(model, out, buf_str(&text));
    buf_release(&text);
}

/* ---- the file ---- */

static int check_prefetches(const struct model *model, const struct work *works,
                            struct error *err)
{
    size_t wanted = 0, done = 0;
    if (later_check(model, works, err))
        return -1;
    for (size_t i = 0; i < model->nest_nr; i++) {
        wanted += works[i].prefetch_nr;
        done += works[i].fetched;
    }
    if (!wanted || done)
        return 0;
    for (size_t i = 0; i < model->nest_nr; i++)
        if (works[i].not_fetched)
            return fail(
                err, STATUS_ILLEGAL,
                "the addresses to prefetch cannot be computed iterations ahead: %s",
                works[i].not_fetched);
    return fail(err, STATUS_ILLEGAL,
                "what is to be prefetched does not change in the innermost loop around "
                "it, or its address "
                "depends on a value computed there; or, packed, nothing more of it is "
                "copied so many iterations later");
}

static const struct rewriting *rewriting_of(const struct work *work, enum step_kind kind)
{
    return kind == STEP_RECIPROCAL ? &work->dividing : &work->branching;
}

/* Something in some nest has become what the step makes of it. */
static int check_rewritten(const struct work *works, size_t nr, enum step_kind kind,
                           struct error *err)
{
    const struct rewriting *wanted = NULL;
    for (size_t i = 0; i < nr; i++) {
        const struct rewriting *of = rewriting_of(&works[i], kind);
        if (of->done)
            return 0;
        if (of->loops.nr && (!wanted || !wanted->why_not))
            wanted = of;
    }
    if (!wanted)
        return 0;
    if (wanted->why_not)
        return fail(err, STATUS_ILLEGAL, "the %s at line %d stays as it is: %s",
                    kind == STEP_RECIPROCAL ? "division" : "branch", wanted->line,
                    wanted->why_not);
    return fail(err, STATUS_ILLEGAL,
                "%s(%s) finds nothing to change in the loops of the new code",
                transformation_of(kind)->name, wanted->loops.v[0]);
}

static int check_streams(const struct model *model, const struct work *works,
                         struct error *err)
{
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; k < works[i].streamed_nr; k++) {
            const struct streamed *streamed = &works[i].streamed[k];
            if (!streamed->places)
                return fail(
                    err, STATUS_ILLEGAL,
                    "no innermost loop of the nest at line %d writes '%s' element "
                    "by element upwards and unconditionally, so there are no "
                    "whole lines to store past the caches",
                    works[i].nest->stmt->line,
                    works[i].nest->cell[streamed->cell].symbol->name);
        }
    return 0;
}

/* Behind the helpers, and behind the function; or from there to the end of the file. */
static void add_quiet(const struct gen *helpers, const struct ir_function *function,
                      struct edits *edits, struct buf *text)
{
    bool to_end = helpers->quiet_to_end;
    buf_addf(text,
             "#ifdef __clang__\n%s"
             "#pragma clang diagnostic ignored \"-Wpass-failed\"\n#endif\n",
             to_end ? "" : "#pragma clang diagnostic push\n");
    if (!to_end)
        edits_add_lines(edits, function, function->end,
                        "#ifdef __clang__\n#pragma clang diagnostic pop\n#endif");
}

static int emit_all(struct model *model, struct work *works, struct edits *edits,
                    struct error *err)
{
    const struct ir_function *function = model->function;
    size_t start = function_start(function), begin = head_start(function);
    struct gen helpers = {0};
    struct buf text = {0}, attribute = {0};
    for (size_t i = 0; i < model->nest_nr; i++) {
        const struct nest *nest = works[i].nest;
        struct buf new = {0};
        if (!works[i].touched || works[i].placed)
            continue;
        isl_budget(model, model->request.operation_limit);
        if (emit_nest(&works[i], works, &new, &helpers, err)) {
            buf_release(&new);
            strvec_release(&helpers.vector_type);
            return -1;
        }
        for (const struct ir_pragma *pragma = nest->stmt->pragma; pragma;
             pragma = pragma->next)
            if (pragma_binds(pragma))
                edits_add(edits, pragma->begin, pragma->end, xstrdup(""));
        edits_add(edits, nest->stmt->begin, nest->stmt->end, buf_detach(&new));
    }
    if (check_prefetches(model, works, err) || check_streams(model, works, err) ||
        check_rewritten(works, model->nest_nr, STEP_RECIPROCAL, err) ||
        check_rewritten(works, model->nest_nr, STEP_BRANCH_FREE, err) ||
        gen_paddings(model, works, edits, err)) {
        strvec_release(&helpers.vector_type);
        return -1;
    }
    bool rewritten = edits->nr > 0;
    if (rewritten) {
        gen_frozen(model, edits);
        gen_frozen_macros(model, &text);
    }
    add_helpers(model, &helpers, edits, &text);
    gen_vectors_text(&helpers, &text, &attribute);
    if (helpers.need_quiet)
        add_quiet(&helpers, function, edits, &text);
    edits_add_lines(edits, function, start, buf_str(&text));
    if (function->placed_end) /* lines are numbered from there */
        edits_add(edits, ir_mark_bytes(function->source), ir_mark_bytes(function->source),
                  xstrdup(""));
    edits_add_lines(edits, function, begin, buf_str(&attribute));
    buf_release(&text);
    buf_release(&attribute);
    strvec_release(&helpers.vector_type);
    return gen_check_words(model, edits, err);
}

/* ---- checking ---- */

/* place: nests of one file have conditions of their own. */
static void add_tested(struct work *work, bool place, struct buf *out)
{
    struct gen gen = gen_start(work, NULL);
    gen_say_when(&gen, place, out);
    struct overlaps list = nest_overlaps(work->nest, work->reorders);
    for (size_t i = 0; i < list.nr; i++)
        gen_rests_on(&gen, &list.pair[i], out);
    for (size_t i = 0; i < list.types.nr; i++)
        buf_addf(out, "%s%s%s", i ? ", nor as " : "memory is not used both as ",
                 list.types.v[i],
                 i + 1 < list.types.nr
                     ? ""
                     : " (C's rule for types; -fno-strict-aliasing among the flags has "
                       "it tested at run time)\n");
    overlaps_release(&list);
    gen_release(&gen);
}

static void add_assumptions(struct work *work, bool place, struct buf *out)
{
    struct nest *nest = work->nest;
    if (work->reorders)
        nest_say_rows(nest, &work->reported);
    for (size_t i = 0; i < nest->assumption.nr; i++)
        buf_addf(out, "%s\n", nest->assumption.v[i]);
    for (size_t i = 0; i < work->reported.nr; i++)
        buf_addf(out, "%s\n", work->reported.v[i]);
    add_tested(work, place, out);
}

static bool differ_in_when(const struct plan *plan)
{
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i]->kind == STEP_WHEN && plan->step[i]->nest)
            return true;
    return false;
}

static int check_all(struct model *model, const struct plan *plan, struct work *works,
                     struct buf *assumptions, struct error *err)
{
    isl_budget(model, model->request.operation_limit);
    if (plan_apply(model, plan, works, err))
        return isl_check(model, false, NULL), -1;
    if (isl_check(model, false, err))
        return fail_in(err, "the plan cannot be applied");
    for (size_t i = 0; i < model->nest_nr; i++) {
        if (!works[i].touched)
            continue;
        if (work_check(&works[i], plan, err) || tree_finish(&works[i], err))
            return -1;
        if (work_parallel(&works[i], err))
            return fail_in(err, "the nest at line %d", works[i].nest->stmt->line);
        work_hints(&works[i], i, plan);
        if (work_pragmas(&works[i], err))
            return fail_in(err, "the nest at line %d", works[i].nest->stmt->line);
        if (assumptions)
            add_assumptions(&works[i], differ_in_when(plan), assumptions);
    }
    for (size_t i = 0; assumptions && i < model->assumption.nr; i++)
        if (!strncmp(model->assumption.v[i], "the user", 8))
            buf_addf(assumptions, "%s\n", model->assumption.v[i]);
    return 0;
}

/* Nests rest on the same things. */
static void drop_repeated(struct buf *lines)
{
    struct strvec once = {0};
    for (const char *at = buf_str(lines); *at;) {
        size_t length = strcspn(at, "\n");
        char *line = xstrndup(at, length);
        strvec_push_once(&once, line);
        free(line);
        at += length + (at[length] == '\n');
    }
    buf_reset(lines);
    for (size_t i = 0; i < once.nr; i++)
        buf_addf(lines, "%s\n", once.v[i]);
    strvec_release(&once);
}

/* Plans that were asked for already: a search checks a plan, then needs its text for
 * several programs, and that of the plan it is compared with again and again. */
/* A batch of plans that are built ahead, and what they are compared with, several times
 * over; texts have some kilobytes each. */
enum { PLAN_CACHE_MAX = 64 };

struct cached_plan {
    char *plan; /* NULL = free */
    bool forced;
    unsigned long limit; /* of operations: with more of them a refusal may be none */
    int status;
    struct error err;
    struct buf assumptions, text;
    struct buf marked; /* see model_emit_marked; empty = no other than the text */
    struct ct_change *edit;
    size_t edit_nr;
    bool is_read_again; /* the text, and found to be the file but for the edits */
    unsigned long used; /* larger = later */
};

struct plan_cache {
    struct cached_plan item[PLAN_CACHE_MAX];
    struct ct_same *same; /* NULL = nothing was read again yet */
    unsigned long clock;
};

static void cached_release(struct cached_plan *cached)
{
    free(cached->plan);
    buf_release(&cached->assumptions);
    buf_release(&cached->text);
    buf_release(&cached->marked);
    free(cached->edit);
    *cached = (struct cached_plan){0};
}

static void cached_free(struct plan_cache *plans)
{
    for (size_t i = 0; plans && i < PLAN_CACHE_MAX; i++)
        cached_release(&plans->item[i]);
    if (plans)
        ct_same_close(plans->same);
    free(plans);
}

/* A refusal under a lower limit than there is now is forgotten. */
static struct cached_plan *find(struct model *model, const char *plan)
{
    struct plan_cache *plans = model->cache;
    for (size_t i = 0; i < PLAN_CACHE_MAX; i++) {
        struct cached_plan *cached = &plans->item[i];
        if (!cached->plan || cached->forced != model->forced ||
            strcmp(cached->plan, plan) != 0)
            continue;
        if (!cached->status || cached->limit >= model->request.operation_limit)
            return cached;
        cached_release(cached);
    }
    return NULL;
}

static struct cached_plan *longest_unused(struct plan_cache *plans)
{
    struct cached_plan *oldest = &plans->item[0];
    for (size_t i = 1; i < PLAN_CACHE_MAX; i++)
        if (plans->item[i].used < oldest->used)
            oldest = &plans->item[i];
    return oldest;
}

static bool is_all_guarded(const struct model *model, const struct work *works)
{
    bool all = true;
    for (size_t i = 0; i < model->nest_nr; i++)
        all = all && (!works[i].touched || (works[i].guarded && !works[i].placed));
    return all;
}

/* The text without the lines of EMIT_RAN. */
static void drop_marks(struct edits *edits)
{
    for (size_t i = 0; i < edits->nr; i++) {
        char *text = edits->item[i].text, *mark;
        while ((mark = strstr(text, EMIT_RAN ";\n"))) {
            char *line = text + line_begin(text, (size_t)(mark - text));
            memmove(line, mark + strlen(EMIT_RAN ";\n"),
                    strlen(mark + strlen(EMIT_RAN ";\n")) + 1);
        }
    }
}

/* Legality, then the text: a plan for which no code can be made is not legal either. */
static int prepare(struct model *model, const struct plan *plan,
                   struct cached_plan *cached)
{
    struct buf *assumptions = &cached->assumptions;
    struct error *err = &cached->err;
    struct work *works = xcalloc(model->nest_nr + 1, sizeof(*works));
    struct edits edits = {0};
    int status = check_all(model, plan, works, assumptions, err) ||
                         emit_all(model, works, &edits, err)
                     ? -1
                     : 0;
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; k < works[i].told.nr; k++)
            buf_addf(assumptions, "%s\n", works[i].told.v[k]);
    drop_repeated(assumptions);
    cached->edit_nr = edits.nr;
    if (!status && is_all_guarded(model, works))
        free(edits_splice(model, &edits, &cached->marked));
    drop_marks(&edits);
    if (!status)
        cached->edit = edits_splice(model, &edits, &cached->text);
    edits_release(&edits);
    works_free(model, works);
    isl_budget(model, 0);
    free(works);
    return status;
}

/* What prepare gave for this plan, now or before. */
static struct cached_plan *ask(struct model *model, const struct plan *plan)
{
    if (!model->cache) {
        model->cache = xcalloc(1, sizeof(*model->cache));
        model->cache_free = cached_free;
    }
    char *name = plan_text(plan);
    struct cached_plan *cached = find(model, name);
    if (cached) {
        free(name);
    } else {
        enum account before = account_switch(ACCOUNT_ANALYSIS);
        cached = longest_unused(model->cache);
        cached_release(cached);
        cached->plan = name;
        cached->forced = model->forced;
        cached->limit = model->request.operation_limit;
        cached->status = prepare(model, plan, cached);
        account_switch(before);
    }
    cached->used = ++model->cache->clock;
    return cached;
}

static int answer(const struct cached_plan *cached, struct error *err)
{
    return cached->status ? fail_as(err, &cached->err) : 0;
}

int model_check(struct model *model, const struct plan *plan, struct buf *assumptions,
                struct error *err)
{
    const struct cached_plan *cached = ask(model, plan);
    if (assumptions)
        buf_add(assumptions, buf_str(&cached->assumptions));
    return answer(cached, err);
}

/* Nothing is believed that was not read again. */
static void read_again(struct model *model, struct cached_plan *cached)
{
    const struct ir_function *function = model->function;
    struct plan_cache *plans = model->cache;
    enum account before = account_switch(ACCOUNT_ANALYSIS);
    if (!plans->same)
        plans->same = ct_same_open(function->path, function->source,
                                   function->source_length, &function->args);
    cached->status =
        ct_same_check(plans->same, buf_str(&cached->text), cached->text.length,
                      cached->edit, cached->edit_nr, &cached->err);
    cached->is_read_again = true;
    account_switch(before);
}

static int emit(struct model *model, const struct plan *plan, bool marked,
                struct buf *out, struct error *err)
{
    model->forced = model->request.force;
    struct cached_plan *cached = ask(model, plan);
    model->forced = false;
    if (cached->status == 0 && !cached->is_read_again)
        read_again(model, cached);
    const struct buf *text =
        marked && cached->marked.length ? &cached->marked : &cached->text;
    if (cached->status == 0)
        buf_add_n(out, text->data, text->length);
    return answer(cached, err);
}

int model_emit(struct model *model, const struct plan *plan, struct buf *out,
               struct error *err)
{
    return emit(model, plan, false, out, err);
}

int model_emit_marked(struct model *model, const struct plan *plan, struct buf *out,
                      struct error *err)
{
    return emit(model, plan, true, out, err);
}
