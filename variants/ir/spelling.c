#include "variants/ir/spelling.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"
#include "variants/ir/print.h"

/* ---- what has changed ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_type(const struct ir_type *a, const struct ir_type *b)
{
    return same_text(a->text, b->text) && same_text(a->full, b->full) &&
           a->pointers == b->pointers && a->is_const == b->is_const &&
           a->is_volatile == b->is_volatile;
}

/* The same but for what is below. */
static bool is_alike(const struct ir_expr *expr, const struct ir_expr *was)
{
    if (expr->kind != was->kind || expr->arg_nr != was->arg_nr ||
        expr->is_arrow != was->is_arrow || !same_text(expr->op, was->op))
        return false;
    if (expr->kind == IR_NAME)
        return same_text(expr->symbol->name, was->symbol->name);
    return same_text(expr->text, was->text) &&
           (expr->kind != IR_CAST || same_type(&expr->type, &was->type));
}

static bool is_same(const struct ir_expr *expr, const struct ir_expr *was)
{
    if (!expr || !was)
        return expr == was;
    bool same = is_alike(expr, was);
    for (size_t i = 0; same && i < expr->arg_nr; i++)
        same = is_same(expr->arg[i], was->arg[i]);
    return same;
}

/* ---- the file's text with parts of it replaced ---- */

struct part {
    size_t begin, end;
    const char *text;
};

struct spell {
    struct ir_arena *arena;
    int margin; /* columns of the statement's line; -1 = all on one line */
    struct part *part;
    size_t nr, alloc;
};

/* A macro within [begin, end) has the place among its arguments. */
static bool is_argument(const struct ir_function *function, size_t begin, size_t end,
                        const struct ir_spelling *place)
{
    for (size_t i = 0; i < function->use_nr; i++) {
        const struct ir_use *use = &function->use[i];
        bool holds = use->begin <= place->begin && place->end <= use->end &&
                     (use->begin < place->begin || place->end < use->end);
        if (holds && begin <= use->begin && use->end <= end)
            return true;
    }
    return false;
}

/* In order; false where it lies across another, or is replaced by something else. */
static bool add_part(struct spell *spell, size_t begin, size_t end, const char *text)
{
    size_t at = spell->nr;
    for (size_t i = 0; i < spell->nr; i++) {
        const struct part *other = &spell->part[i];
        if (other->begin == begin && other->end == end)
            return !strcmp(other->text, text);
        if (other->begin < end && begin < other->end)
            return false;
    }
    GROW(spell->part, spell->nr + 1, spell->alloc);
    while (at > 0 && spell->part[at - 1].begin > begin)
        at--;
    memmove(&spell->part[at + 1], &spell->part[at],
            (spell->nr - at) * sizeof(*spell->part));
    spell->part[at] = (struct part){begin, end, text};
    spell->nr++;
    return true;
}

int spelt_columns(const char *blanks, size_t length)
{
    int column = 0;
    for (size_t i = 0; i < length; i++)
        column = blanks[i] == '\t' ? (column / SPELT_TAB + 1) * SPELT_TAB : column + 1;
    return column;
}

/* A text of several lines: behind the margin, or all on one line; NULL where it cannot be
 * on one. */
static const char *laid_out(struct spell *spell, const char *text)
{
    struct buf out = {0};
    if (!strchr(text, '\n'))
        return text;
    if (strstr(text, "\\\n") || strstr(text, "\\\r\n") ||
        (spell->margin < 0 && strstr(text, "//")))
        return NULL;
    while (*text) {
        size_t length = strcspn(text, "\n"), kept = length;
        while (kept > 0 && strchr(" \t\r", text[kept - 1]))
            kept--;
        buf_add_n(&out, text, kept);
        text += length;
        if (!*text)
            break;
        size_t blanks = strspn(++text, " \t");
        int column = spelt_columns(text, blanks) - spell->margin;
        text += blanks;
        if (*text == SPELT_LINE) /* laid out before */
            column = 0;
        if (spell->margin < 0)
            buf_add(&out, " ");
        else
            buf_addf(&out, "\n%s%*s", *text == SPELT_LINE ? "" : "\1",
                     column > 0 ? column : 0, "");
    }
    const char *copy = ir_text(spell->arena, buf_str(&out));
    buf_release(&out);
    return copy;
}

static const char *fill(struct spell *spell, const struct ir_function *function,
                        size_t begin, size_t end)
{
    struct buf out = {0};
    for (size_t i = 0; i < spell->nr; i++) {
        buf_add_n(&out, function->source + begin, spell->part[i].begin - begin);
        buf_add(&out, spell->part[i].text);
        begin = spell->part[i].end;
    }
    buf_add_n(&out, function->source + begin, end - begin);
    const char *text = laid_out(spell, buf_str(&out));
    text = text ? ir_text(spell->arena, text) : NULL;
    buf_release(&out);
    return text;
}

/* ---- expressions ---- */

static struct ir_expr *spell_expr(struct spell *spell, const struct ir_expr *expr);

static bool stands_in_parentheses(const struct ir_function *function,
                                  const struct ir_spelling *place)
{
    const char *source = function->source;
    size_t before = place->begin, behind = place->end;
    while (before > 0 && strchr(" \t\n", source[before - 1]))
        before--;
    while (source[behind] && strchr(" \t\n", source[behind]))
        behind++;
    return before > 0 && source[before - 1] == '(' && source[behind] == ')';
}

/* `- -x`, and `a / *p`. */
static bool would_join(const struct ir_function *function, size_t at, const char *text)
{
    char before = function->source[at - 1];
    return (*text && strchr("+-&", *text) && before == *text) ||
           (*text == '*' && before == '/');
}

enum place { AS_PART, AS_WHOLE, AS_BOUND, AS_ARGUMENT };

/* What stands at the place now; of a part, `parent` decides on parentheses. Those around
 * the argument of a macro are the call's. */
static const char *replacement(struct spell *spell, const struct ir_expr *expr,
                               const struct ir_spelling *at, enum place place,
                               const struct ir_expr *parent, size_t index)
{
    struct ir_expr *spelt = spell_expr(spell, expr);
    struct buf out = {0};
    bool call = parent && parent->kind == IR_CALL;
    bool enclosed =
        place != AS_ARGUMENT && !call && stands_in_parentheses(at->function, at);
    if (place == AS_PART && !enclosed)
        print_part(&out, parent, index, spelt);
    else if (place == AS_ARGUMENT || (place == AS_BOUND && !enclosed))
        print_factor(&out, spelt);
    else
        ir_print_expr(&out, spelt);
    bool joins = would_join(at->function, at->begin, buf_str(&out));
    const char *text = ir_textf(spell->arena, joins ? "(%s)" : "%s", buf_str(&out));
    buf_release(&out);
    return text;
}

/* Integer sums are made anew, which adds up their numbers. */
static bool is_integer_sum(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY &&
           (!strcmp(expr->op, "+") || !strcmp(expr->op, "-")) &&
           (expr->type.pointers || expr->type.scalar != IR_FLOAT);
}

/* `1[a]` is a subscript, too. */
static bool is_in_brackets(const struct ir_spelling *place)
{
    const char *source = place->function->source;
    size_t before = place->begin;
    while (before > 0 && strchr(" \t\n", source[before - 1]))
        before--;
    return (before > 0 && source[before - 1] == '[') ||
           stands_in_parentheses(place->function, place);
}

/* The parts of `expr` that differ, as they stand between the words that do not; false
 * where these cannot be told apart. */
static bool replace_below(struct spell *spell, const struct ir_expr *expr,
                          const struct ir_expr *was, const struct ir_spelling *whole)
{
    if (!is_alike(expr, was) || expr->kind == IR_RAW || is_integer_sum(expr))
        return false;
    for (size_t i = 0; i < expr->arg_nr; i++) {
        if (is_same(expr->arg[i], was->arg[i]))
            continue;
        const struct ir_spelling *place = was->arg[i] ? was->arg[i]->spelling : NULL;
        if (!expr->arg[i] || !place || !place->end || place->begin < whole->begin ||
            place->end > whole->end ||
            is_argument(whole->function, whole->begin, whole->end, place) ||
            (expr->kind == IR_INDEX && i && !is_in_brackets(place)) ||
            !add_part(spell, place->begin, place->end,
                      replacement(spell, expr->arg[i], place, AS_PART, expr, i)))
            return false;
    }
    return true;
}

/* The use of a macro that is the whole text. */
static const struct ir_use *use_at(const struct ir_spelling *whole)
{
    const struct ir_function *function = whole->function;
    for (size_t i = 0; i < function->use_nr; i++)
        if (function->use[i].begin == whole->begin && function->use[i].end == whole->end)
            return &function->use[i];
    return NULL;
}

/* What was given to the macro, wherever it puts it: each place must become one text. */
static bool replace_arguments(struct spell *spell, const struct ir_expr *expr,
                              const struct ir_expr *was, const struct ir_spelling *whole)
{
    const struct ir_spelling *place = was->spelling;
    bool given =
        place && place->end && place->begin > whole->begin && place->end < whole->end;
    if (given && is_same(expr, was))
        return add_part(spell, place->begin, place->end,
                        ir_textf(spell->arena, "%.*s", (int)(place->end - place->begin),
                                 place->function->source + place->begin));
    if (given)
        return add_part(spell, place->begin, place->end,
                        replacement(spell, expr, place, AS_ARGUMENT, NULL, 0));
    bool known = is_alike(expr, was) && expr->kind != IR_RAW;
    for (size_t i = 0; known && i < expr->arg_nr; i++)
        known = expr->arg[i] && was->arg[i]
                    ? replace_arguments(spell, expr->arg[i], was->arg[i], whole)
                    : expr->arg[i] == was->arg[i];
    return known;
}

/* `sizeof(a[i])`: a number whose text names what the new code may call otherwise. */
static bool names_renamed(const struct ir_expr *expr)
{
    const struct ir_function *function = expr->spelling->function;
    bool found = false;
    if (!expr->has_value)
        return false;
    char *text = xstrndup(function->source + expr->spelling->begin,
                          expr->spelling->end - expr->spelling->begin);
    for (size_t i = 0; !found && i < function->symbol_nr; i++)
        found = function->symbol[i]->role == IR_LOCAL && !function->symbol[i]->dim_nr &&
                text_has_word(text, function->symbol[i]->name);
    free(text);
    return found;
}

/* NULL where the file does not say it. */
static const char *spelt_text(struct spell *spell, const struct ir_expr *expr)
{
    const struct ir_spelling *whole = expr->spelling;
    struct spell inner = {.arena = spell->arena, .margin = spell->margin};
    const char *text = NULL;
    if (!whole || !whole->end || names_renamed(expr))
        return NULL;
    const struct ir_use *use = use_at(whole);
    if (is_same(expr, whole->was) ||
        (use ? !use->pastes && replace_arguments(&inner, expr, whole->was, whole)
             : replace_below(&inner, expr, whole->was, whole)))
        text = fill(&inner, whole->function, whole->begin, whole->end);
    free(inner.part);
    return text;
}

static struct ir_expr *spell_expr(struct spell *spell, const struct ir_expr *expr)
{
    struct ir_expr *copy = ir_expr_new(spell->arena, expr->kind, expr->arg_nr);
    struct ir_expr **arg = copy->arg;
    const char *text = spelt_text(spell, expr);
    *copy = *expr;
    copy->arg = arg;
    if (expr->kind == IR_SPELT) {
        copy->arg = expr->arg;
        return copy;
    }
    if (expr->kind == IR_LITERAL && same_text(expr->text, text))
        return copy;
    if (text) {
        const struct ir_use *use = use_at(expr->spelling);
        bool enclosed = use && use->is_enclosed;
        copy = ir_expr_new(spell->arena, IR_SPELT, enclosed ? 0 : 1);
        copy->text = text;
        copy->op = enclosed ? NULL : expr->op;
        copy->type = expr->type;
        if (!enclosed)
            copy->arg[0] = (struct ir_expr *)expr;
        return copy;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        arg[i] = expr->arg[i] ? spell_expr(spell, expr->arg[i]) : NULL;
    return copy;
}

struct ir_expr *ir_spell(struct ir_arena *arena, const struct ir_expr *expr)
{
    struct spell spell = {.arena = arena, .margin = -1};
    return spell_expr(&spell, expr);
}

/* ---- statements ---- */

static bool both_or_none(const void *a, const void *b)
{
    return !a == !b;
}

static bool is_alike_stmt(const struct ir_stmt *stmt, const struct ir_stmt *was)
{
    return stmt->kind == was->kind && stmt->child_nr == was->child_nr &&
           stmt->symbol == was->symbol && stmt->iterator == was->iterator &&
           stmt->canonical == was->canonical && stmt->step == was->step &&
           stmt->declares_iterator == was->declares_iterator &&
           stmt->is_do == was->is_do && same_text(stmt->cmp, was->cmp) &&
           same_text(stmt->text, was->text) && both_or_none(stmt->expr, was->expr) &&
           both_or_none(stmt->cond, was->cond) && both_or_none(stmt->lower, was->lower) &&
           both_or_none(stmt->upper, was->upper) && both_or_none(stmt->init, was->init) &&
           both_or_none(stmt->increment, was->increment);
}

static bool replace_expr(struct spell *spell, const struct ir_expr *expr,
                         const struct ir_expr *was, const struct ir_spelt_stmt *whole,
                         bool is_bound)
{
    if (!expr || is_same(expr, was))
        return true;
    const struct ir_spelling *place = was->spelling;
    return place && place->end && place->begin >= whole->begin &&
           place->end <= whole->end &&
           !is_argument(whole->function, whole->begin, whole->end, place) &&
           add_part(
               spell, place->begin, place->end,
               replacement(spell, expr, place, is_bound ? AS_BOUND : AS_WHOLE, NULL, 0));
}

static bool replace_in_stmt(struct spell *spell, const struct ir_stmt *stmt,
                            const struct ir_stmt *was, const struct ir_spelt_stmt *whole)
{
    if (!stmt || !was)
        return stmt == was;
    if (!is_alike_stmt(stmt, was))
        return false;
    bool done = replace_expr(spell, stmt->expr, was->expr, whole, false) &&
                replace_in_stmt(spell, stmt->init, was->init, whole);
    if (stmt->kind == IR_FOR && stmt->canonical)
        done = done && replace_expr(spell, stmt->lower, was->lower, whole, true) &&
               replace_expr(spell, stmt->upper, was->upper, whole, true);
    else
        done = done && replace_expr(spell, stmt->cond, was->cond, whole, false) &&
               replace_expr(spell, stmt->increment, was->increment, whole, false);
    for (size_t i = 0; done && i < stmt->child_nr; i++)
        done = replace_in_stmt(spell, stmt->child[i], was->child[i], whole);
    return done;
}

static int margin_at(const struct ir_function *function, size_t at)
{
    const char *source = function->source;
    size_t begin = at;
    while (begin > 0 && source[begin - 1] != '\n')
        begin--;
    return spelt_columns(source + begin, strspn(source + begin, " \t"));
}

static struct ir_stmt *spell_stmt(struct spell *spell, const struct ir_stmt *stmt)
{
    const struct ir_spelt_stmt *whole = stmt->spelling;
    struct spell own = {.arena = spell->arena, .margin = spell->margin};
    struct ir_stmt *copy = ir_alloc(spell->arena, sizeof(*copy));
    const char *text = NULL;
    *copy = *stmt;
    copy->is_spelt = true;
    if (whole)
        own.margin = margin_at(whole->function, whole->was->begin);
    if (whole && whole->end && replace_in_stmt(&own, stmt, whole->was, whole))
        text = fill(&own, whole->function, whole->begin, whole->end);
    free(own.part);
    own.part = NULL;
    own.nr = own.alloc = 0;
    if (text) {
        bool simple =
            stmt->kind == IR_EXPR || stmt->kind == IR_JUMP || stmt->kind == IR_RETURN;
        copy->kind = IR_OPAQUE;
        copy->why = simple ? NULL : "as it is";
        copy->text = ir_textf(spell->arena, "\1%s", text);
        return copy;
    }
    struct ir_expr **part[] = {&copy->expr, &copy->cond, &copy->lower, &copy->upper,
                               &copy->increment};
    for (size_t i = 0; stmt->kind != IR_OPAQUE && i < ARRAY_SIZE(part); i++)
        *part[i] = *part[i] ? spell_expr(&own, *part[i]) : NULL;
    copy->init = stmt->init ? spell_stmt(&own, stmt->init) : NULL;
    copy->child = ir_alloc(spell->arena, (stmt->child_nr + 1) * sizeof(*copy->child));
    for (size_t i = 0; i < stmt->child_nr; i++)
        copy->child[i] = stmt->child[i] ? spell_stmt(&own, stmt->child[i]) : NULL;
    return copy;
}

struct ir_stmt *ir_spell_stmt(struct ir_arena *arena, const struct ir_stmt *stmt)
{
    struct spell spell = {.arena = arena, .margin = -1};
    return spell_stmt(&spell, stmt);
}
