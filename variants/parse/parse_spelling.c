/*
 * What the file says of each expression and statement, see ir/spelling.h. A place is
 * taken as the text of a node only if its tokens, macros replaced, are those that the
 * node is printed with, parentheses and braces apart: then the text is right whatever
 * libclang tells of places inside macros.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/spelling.h"
#include "variants/parse/parse_parts.h"

struct spellings {
    struct parse *p;
    const struct ct_outside *outside;
    bool no_macros; /* they change inside of the body */
};

/* ---- tokens ---- */

/* Behind the comment; `at` where there is none. */
static const char *skip_comment(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
    return end ? end + 2 : at;
}

/* Behind blanks, comments, parentheses and braces. */
static const char *skip_blanks(const char *at)
{
    for (const char *before = NULL; before != at;) {
        before = at;
        at = skip_comment(at);
        at += strspn(at, " \t\r\n\v\f(){}");
        if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r'))
            at += 2;
    }
    return at;
}

static size_t number_length(const char *at)
{
    size_t length = 1;
    while (isalnum((unsigned char)at[length]) ||
           (at[length] && strchr("._", at[length])) ||
           (at[length] && strchr("+-", at[length]) && strchr("eEpP", at[length - 1]) &&
            at[length - 1]))
        length++;
    return length;
}

static bool is_number(const char *at)
{
    return isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
}

static size_t token_length(const char *at)
{
    static const char *const ops[] = {
        "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
        "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "::"};
    size_t length = text_word_length(at);
    if (is_number(at))
        return number_length(at);
    if (length)
        return length;
    if (*at == '"' || *at == '\'') {
        for (length = 1; at[length] && at[length] != *at; length++)
            length += at[length] == '\\' && at[length + 1];
        return length + (at[length] != 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
        if (!strncmp(at, ops[i], strlen(ops[i])))
            return strlen(ops[i]);
    return *at != 0;
}

/* 0x10 and 16, 0.2 and 0.20000000000000001. */
static bool same_number(const char *a, const char *b)
{
    char *end_a, *end_b;
    bool whole = a[strcspn(a, ".eEpP")] == 0 && b[strcspn(b, ".eEpP")] == 0;
    bool hex = a[1] == 'x' || a[1] == 'X' || b[1] == 'x' || b[1] == 'X';
    if (!whole && !hex &&
        (a[strlen(a) - 1] == 'f' || a[strlen(a) - 1] == 'F' || b[strlen(b) - 1] == 'f'))
        return strtof(a, NULL) == strtof(b, NULL);
    if (!whole)
        return strtod(a, &end_a) == strtod(b, &end_b) &&
               (tolower((unsigned char)*end_a) == 'l') ==
                   (tolower((unsigned char)*end_b) == 'l');
    return strtoull(a, &end_a, 0) == strtoull(b, &end_b, 0);
}

static bool same_token(const char *a, size_t a_length, const char *b, size_t b_length)
{
    char first[64], second[64];
    if (a_length == b_length && !memcmp(a, b, a_length))
        return true;
    if (!is_number(a) || !is_number(b) || a_length >= sizeof(first) ||
        b_length >= sizeof(second))
        return false;
    snprintf(first, sizeof(first), "%.*s", (int)a_length, a);
    snprintf(second, sizeof(second), "%.*s", (int)b_length, b);
    return same_number(first, second);
}

static bool is_step(const char *at)
{
    return !strncmp(at, "++", 2) || !strncmp(at, "--", 2);
}

/* Of a loop that counts, `++i` and `i += 1` are printed as `i++`: the length of what
 * stands for it at `at`; 0 = nothing does. */
static size_t step_length(const char *at, const char *name, size_t length, const char *op)
{
    const char *next = skip_blanks(at + (is_step(at) ? 2 : length));
    if (is_step(at))
        return *at == *op && !strncmp(next, name, length) ? (size_t)(next - at) + length
                                                          : 0;
    bool adds = !strncmp(at, name, length) && next[0] == *op && next[1] == '=';
    next = skip_blanks(next + (adds ? 2 : 0));
    return adds && *next == '1' && token_length(next) == 1 ? (size_t)(next - at) + 1 : 0;
}

/* Are the tokens of `text` those of `printed`? */
static bool same_tokens(const char *text, const char *printed)
{
    for (;;) {
        text = skip_blanks(text);
        printed = skip_blanks(printed);
        if (!*text || !*printed)
            return !*text && !*printed;
        size_t a = token_length(text), b = token_length(printed);
        const char *next = skip_blanks(printed + b);
        bool counts = (isalpha((unsigned char)*printed) || *printed == '_') &&
                      is_step(next) && !isalnum((unsigned char)next[2]);
        size_t step = counts && strncmp(skip_blanks(text + a), next, 2)
                          ? step_length(text, printed, b, next)
                          : 0;
        if (step) {
            text += step;
            printed = next + 2;
        } else if (same_token(text, a, printed, b)) {
            text += a;
            printed += b;
        } else
            return false;
    }
}

static bool is_balanced(const char *text)
{
    int depth = 0;
    while (*text && depth >= 0) {
        if (strchr("([{", *text))
            depth++;
        if (strchr(")]}", *text))
            depth--;
        if (*text == '"' || *text == '\'')
            text += token_length(text);
        else if (skip_comment(text) != text)
            text = skip_comment(text);
        else
            text++;
    }
    return depth == 0;
}

/* ---- places ---- */

static const struct ct_macro_use *outermost_use(const struct spellings *all, size_t at)
{
    const struct ct_macro_use *found = NULL;
    for (size_t i = 0; i < all->outside->use_nr; i++) {
        const struct ct_macro_use *use = &all->outside->use[i];
        if (use->place.begin <= at && at < use->place.end &&
            (!found || use->place.begin < found->place.begin))
            found = use;
    }
    return found;
}

/* The first of those within [at, end), the longest one where several begin there. */
static const struct ct_macro_use *next_use(const struct spellings *all, size_t at,
                                           size_t end)
{
    const struct ct_macro_use *found = NULL;
    for (size_t i = 0; i < all->outside->use_nr; i++) {
        const struct ct_macro_use *use = &all->outside->use[i];
        if (use->place.begin < at || use->place.end > end)
            continue;
        if (!found || use->place.begin < found->place.begin ||
            (use->place.begin == found->place.begin && use->place.end > found->place.end))
            found = use;
    }
    return found;
}

/* Macros are taken whole. */
static struct ct_range without_cuts(const struct spellings *all, struct ct_range place)
{
    const struct ct_macro_use *first = outermost_use(all, place.begin);
    const struct ct_macro_use *last =
        place.end ? outermost_use(all, place.end - 1) : NULL;
    if (first && place.end > first->place.end)
        place.begin = first->place.begin;
    if (last && place.begin <= last->place.begin)
        place.end = last->place.end;
    return place;
}

/* What the place says, macros replaced; false where one of them is not known. */
static bool add_expanded(const struct spellings *all, struct ct_range place,
                         struct buf *out)
{
    const char *source = all->p->function->source;
    const struct ct_macro_use *use;
    while ((use = next_use(all, place.begin, place.end))) {
        if (!use->text || all->no_macros)
            return false;
        buf_add_n(out, source + place.begin, use->place.begin - place.begin);
        buf_addf(out, " %s ", use->text);
        place.begin = use->place.end;
    }
    buf_add_n(out, source + place.begin, place.end - place.begin);
    return true;
}

static bool says(const struct spellings *all, struct ct_range place, const char *printed)
{
    struct buf text = {0};
    bool same = place.end > place.begin && add_expanded(all, place, &text) &&
                is_balanced(buf_str(&text)) && same_tokens(buf_str(&text), printed);
    buf_release(&text);
    return same;
}

/* ---- expressions ---- */

/* A macro around it that says no more than it does is preferred: `SCALAR_VAL(0.2)`. */
static struct ct_range expr_place(const struct spellings *all, const struct ir_expr *expr)
{
    size_t end = expr->end > expr->begin ? expr->end : expr->begin + 1; /* in a macro */
    struct ct_range place = without_cuts(all, (struct ct_range){expr->begin, end});
    const struct ct_macro_use *use = outermost_use(all, place.begin);
    struct buf printed = {0};
    ir_print_expr(&printed, expr);
    bool macro =
        use && use->place.end >= place.end && says(all, use->place, buf_str(&printed));
    if (macro)
        place = use->place;
    else if (!says(all, place, buf_str(&printed)))
        place = (struct ct_range){0, 0};
    buf_release(&printed);
    return place;
}

static void note_expr(const struct spellings *all, struct ir_expr *expr,
                      struct ir_expr *was)
{
    struct ir_spelling *spelling = ir_alloc(all->p->arena, sizeof(*spelling));
    struct ct_range place = {0, 0};
    if (expr->begin && expr->begin < all->p->function->source_length &&
        expr->end <= all->p->function->source_length)
        place = expr_place(all, expr);
    *spelling = (struct ir_spelling){all->p->function, was, place.begin, place.end};
    was->spelling = spelling;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (expr->arg[i])
            note_expr(all, expr->arg[i], was->arg[i]);
}

static void take_expr(struct ir_expr *expr, const struct ir_expr *was)
{
    expr->spelling = was->spelling;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (expr->arg[i])
            take_expr(expr->arg[i], was->arg[i]);
}

static struct ir_expr *spell_expr(const struct spellings *all, struct ir_expr *expr)
{
    if (!expr)
        return NULL;
    struct ir_expr *was = ir_copy(all->p->arena, expr);
    note_expr(all, expr, was);
    take_expr(expr, was);
    return was;
}

/* ---- comments ---- */

/* Back over blanks and comments that stand on lines of their own. */
static size_t comments_begin(const char *source, size_t at, size_t floor)
{
    size_t begin = at;
    while (begin > floor && strchr(" \t", source[begin - 1]))
        begin--;
    if (begin <= floor || source[begin - 1] != '\n')
        return at;
    size_t line = begin;
    for (size_t found = line;;) { /* `line`: where the first of them found begins */
        size_t end = found;
        while (end > floor && strchr(" \t\r\n", source[end - 1]))
            end--;
        size_t first = end;
        while (first > floor && source[first - 1] != '\n')
            first--;
        size_t text = first + strspn(source + first, " \t");
        if (text < end && !strncmp(source + text, "//", 2)) {
            line = found = first;
            continue;
        }
        if (end < floor + 4 || strncmp(source + end - 2, "*/", 2))
            break;
        size_t open = end - 4;
        while (open > floor && strncmp(source + open, "/*", 2))
            open--;
        size_t before = open;
        while (before > floor && strchr(" \t", source[before - 1]))
            before--;
        if (strncmp(source + open, "/*", 2) || before <= floor ||
            source[before - 1] != '\n' ||
            strstr(source + open + 2, "*/") != source + end - 2)
            break;
        line = found = before;
    }
    return line < begin ? line : at;
}

static size_t margin_columns(const char *source, size_t at)
{
    size_t begin = at, column = 0;
    while (begin > 0 && source[begin - 1] != '\n')
        begin--;
    for (; strchr(" \t", source[begin]) && source[begin]; begin++)
        column = source[begin] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
}

/* The lines of [begin, end), less the margin. */
static const char *comment_lines(struct parse *p, size_t begin, size_t end, size_t margin)
{
    const char *source = p->function->source;
    struct buf out = {0};
    while (begin < end) {
        size_t length = strcspn(source + begin, "\n");
        length = begin + length > end ? end - begin : length;
        size_t blanks = strspn(source + begin, " \t");
        size_t column = margin_columns(source, begin), kept = length;
        while (kept > blanks && strchr(" \t\r", source[begin + kept - 1]))
            kept--;
        if (kept > blanks) {
            buf_addf(&out, "\1%*s", column > margin ? (int)(column - margin) : 0, "");
            buf_add_n(&out, source + begin + blanks, kept - blanks);
            buf_add(&out, "\n");
        } else if (source[begin + length] == '\n')
            buf_add(&out, "\1\n");
        begin += length + 1;
    }
    const char *text = out.length ? ir_text(p->arena, buf_str(&out)) : NULL;
    buf_release(&out);
    return text;
}

/* A comment that ends its line. */
static const char *remark_behind(struct parse *p, size_t at)
{
    const char *source = p->function->source;
    at += strspn(source + at, " \t");
    size_t length = strcspn(source + at, "\r\n");
    while (length > 0 && strchr(" \t", source[at + length - 1]))
        length--;
    bool line = !strncmp(source + at, "//", 2) && source[at + length - 1] != '\\';
    bool block = !strncmp(source + at, "/*", 2) && length >= 4 &&
                 strstr(source + at, "*/") == source + at + length - 2;
    return line || block ? ir_textf(p->arena, "%.*s", (int)length, source + at) : NULL;
}

static void take_comments(const struct spellings *all, struct ir_stmt *stmt)
{
    struct parse *p = all->p;
    const char *source = p->function->source;
    if (stmt->from_macro || stmt->end <= stmt->begin || outermost_use(all, stmt->begin))
        return;
    size_t begin = comments_begin(source, stmt->begin, p->function->body_begin + 1);
    if (begin < stmt->begin)
        stmt->comments =
            comment_lines(p, begin, stmt->begin, margin_columns(source, stmt->begin));
    stmt->remark = remark_behind(p, stmt->end);
    stmt->told_begin = begin;
    stmt->told_end = stmt->end;
    if (stmt->remark)
        stmt->told_end += strcspn(source + stmt->end, "\n");
}

/* ---- statements ---- */

static struct ct_range stmt_place(const struct spellings *all, const struct ir_stmt *stmt)
{
    struct ct_range place = {stmt->begin, stmt->end};
    struct buf printed = {0};
    struct ir_stmt bare = *stmt;
    bare.pragma = NULL;
    ir_print_stmt(&printed, &bare, 0);
    if (!says(all, place, buf_str(&printed)))
        place = (struct ct_range){0, 0};
    buf_release(&printed);
    return place;
}

static struct ir_stmt *spell_stmt(const struct spellings *all, struct ir_stmt *stmt)
{
    struct parse *p = all->p;
    if (!stmt)
        return NULL;
    bool here = stmt->begin >= p->function->body_begin && stmt->begin < stmt->end &&
                stmt->end <= p->function->body_end;
    struct ir_spelt_stmt *spelling = ir_alloc(p->arena, sizeof(*spelling));
    struct ir_stmt *was = ir_alloc(p->arena, sizeof(*was));
    struct ct_range place = {0, 0};
    if (here)
        place = stmt_place(all, stmt);
    *was = *stmt;
    was->expr = spell_expr(all, stmt->expr);
    was->init = spell_stmt(all, stmt->init);
    if (stmt->kind == IR_FOR && stmt->canonical) {
        was->lower = spell_expr(all, stmt->lower);
        was->upper = spell_expr(all, stmt->upper);
    } else {
        was->cond = spell_expr(all, stmt->cond);
        was->increment = spell_expr(all, stmt->increment);
    }
    was->child = ir_alloc(p->arena, (stmt->child_nr + 1) * sizeof(*was->child));
    for (size_t i = 0; i < stmt->child_nr; i++)
        was->child[i] = spell_stmt(all, stmt->child[i]);
    *spelling = (struct ir_spelt_stmt){p->function, was, place.begin, place.end};
    was->spelling = here ? spelling : NULL; /* else of a helper that was put in */
    stmt->spelling = was->spelling;
    if (here)
        take_comments(all, stmt);
    return was;
}

/* ---- all ---- */

/* A macro means the same everywhere in it. */
static bool defines_macros(const struct ir_function *function)
{
    const char *at = function->source + function->body_begin;
    const char *end = function->source + function->body_end;
    for (; at < end; at += strcspn(at, "\n") + 1) {
        const char *line = at + strspn(at, " \t");
        if (*line != '#')
            continue;
        line++;
        line += strspn(line, " \t");
        if (!strncmp(line, "define", 6) || !strncmp(line, "undef", 5) ||
            !strncmp(line, "include", 7))
            return true;
    }
    return false;
}

/* Its first parenthesis ends at its end. */
static bool is_enclosed(const char *text)
{
    int depth = 0;
    bool encloses = text && *text == '(';
    for (; encloses && *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        encloses = *text != '"' && *text != '\'' && (depth > 0 || !text[1]);
    }
    return encloses;
}

static bool ends_statement(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return length && strchr(";}", text[length - 1]);
}

static void keep_uses(struct parse *p, const struct ct_outside *outside)
{
    struct ir_use *use = ir_alloc(p->arena, (outside->use_nr + 1) * sizeof(*use));
    for (size_t i = 0; i < outside->use_nr; i++)
        use[i] = (struct ir_use){outside->use[i].place.begin,
                                 outside->use[i].place.end,
                                 outside->use[i].pastes,
                                 is_enclosed(outside->use[i].text),
                                 ends_statement(outside->use[i].text),
                                 outside->use[i].placed};
    p->function->use = use;
    p->function->use_nr = outside->use_nr;
    p->function->placed_end = outside->placed_end;
}

/* Where its text ends it ends, too: no ';' comes out of a macro behind it. */
static bool is_ended(const struct ir_function *function, const struct ir_stmt *stmt)
{
    bool ended =
        stmt->end > stmt->begin && strchr(";}:", function->source[stmt->end - 1]);
    for (size_t i = 0; !ended && i < function->use_nr; i++)
        ended = function->use[i].end == stmt->end && function->use[i].ends_statement;
    return ended;
}

/* Loops that are taken as text, or of which a part is, and that no ';' ends there. False
 * = the text of `stmt` is not whole. */
static bool check_ends(const struct ir_function *function, struct ir_stmt *stmt)
{
    bool as_text = (stmt->kind == IR_FOR && !stmt_is_put_in(stmt)) ||
                   stmt->kind == IR_OPAQUE || stmt->kind == IR_WHILE;
    bool whole = !as_text || is_ended(function, stmt);
    for (size_t i = 0; i < stmt->child_nr; i++)
        whole = (!stmt->child[i] || check_ends(function, stmt->child[i])) && whole;
    if (stmt->kind == IR_FOR)
        stmt->shares_text = stmt->shares_text || !whole;
    return whole;
}

void parse_spellings(struct parse *p, const struct ct_outside *outside)
{
    struct spellings all = {p, outside, defines_macros(p->function)};
    keep_uses(p, outside);
    check_ends(p->function, p->function->body);
    spell_stmt(&all, p->function->body);
}
