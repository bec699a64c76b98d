/* Which loop is taken, what it needs, and what stands in the way. */
#include "variants/parse/outline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/clang/clang.h"
#include "variants/parse/outline_parts.h"

/* ---- opening ---- */

int outline_line_of(const struct outliner *outliner, size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at && i < outliner->file->source_length; i++)
        line += outliner->file->source[i] == '\n';
    return line;
}

int outline_refuse(const struct outliner *outliner, int line, struct error *err,
                   const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    fail(err, STATUS_INPUT, "%s:%d: the loop of line %d cannot be taken out of '%s': %s",
         outliner->file->path, line, outliner->taken->line, outliner->function->name,
         buf_str(&text));
    buf_release(&text);
    return -1;
}

static bool is_loop(const struct ct_node *node)
{
    return node->kind == CT_FOR || node->kind == CT_WHILE || node->kind == CT_DO;
}

size_t outline_line_begin(const char *source, size_t at)
{
    while (at && source[at - 1] != '\n')
        at--;
    return at;
}

/* The line of the first pragma that moves with the loop. */
static int head_line(const struct outliner *outliner, const struct ct_node *loop)
{
    int line = loop->line;
    const struct ir_pragma *pragma = outliner->file->all_pragma;
    for (; pragma; pragma = pragma->next_all)
        if (outline_is_before(outliner, pragma, loop->begin) && pragma->line < line)
            line = pragma->line;
    return line;
}

static void find_loops(struct outliner *outliner, const struct ct_node *node, int line)
{
    if (is_loop(node) && line >= head_line(outliner, node) && line <= node->end_line) {
        GROW(outliner->loop, outliner->loop_nr + 1, outliner->loop_alloc);
        outliner->loop[outliner->loop_nr++] = node;
    }
    for (size_t i = 0; i < node->child_nr; i++)
        find_loops(outliner, node->child[i], line);
}

static int read_function(struct outliner *outliner, const struct outline_request *request,
                         struct error *err)
{
    struct parse *parse = &outliner->parse;
    if (!outliner->function->trouble.text)
        outliner->function->trouble = parse->lambda;
    ct_read(&parse->file, outliner->function, false);
    outliner->is_whole = outliner->function->body != NULL;
    if (!outliner->is_whole && parse->file.is_cplusplus && !outliner->function->has_error)
        ct_read_body(&parse->file, outliner->function);
    if (!outliner->function->body && outliner->function->trouble.text)
        return fail(
            err, STATUS_INPUT, "%s",
            parse_trouble(parse, outliner->function, &outliner->function->trouble));
    if (!outliner->function->body)
        return fail(err, STATUS_INPUT, "%s:%d: '%s' cannot be read", request->path,
                    outliner->function->line, outliner->function->name);
    return 0;
}

static int open_source(struct outliner *outliner, const struct outline_request *request,
                       bool write_loops, struct error *err)
{
    struct strvec args = {0};
    int status =
        parse_open(&outliner->parse, request->text, request->line, request->function,
                   request->cflags, write_loops && request->line ? request->line : -1,
                   &args, &outliner->function, err);
    strvec_release(&args);
    return status < 0 ? -1 : read_function(outliner, request, err);
}

int outline_open(const struct outline_request *request, bool write_loops,
                 struct outliner **out, struct error *err)
{
    struct outliner *outliner = xcalloc(1, sizeof(*outliner));
    struct ir_arena *arena = ir_arena_new();
    outliner->file = ir_alloc(arena, sizeof(*outliner->file));
    *outliner->file =
        (struct ir_function){.arena = arena, .path = ir_text(arena, request->path)};
    outliner->parse = (struct parse){.arena = arena, .function = outliner->file};
    outliner->types_alias = parse_types_alias(request->cflags);
    *out = NULL;
    if (open_source(outliner, request, write_loops, err) < 0) {
        outliner_close(outliner);
        return -1;
    }
    if (request->line)
        find_loops(outliner, outliner->function->body, request->line);
    *out = outliner;
    return 0;
}

int outliner_open(const struct outline_request *request, struct outliner **out,
                  struct error *err)
{
    return outline_open(request, true, out, err);
}

void outliner_close(struct outliner *outliner)
{
    if (!outliner)
        return;
    ct_close(&outliner->parse.file);
    ir_arena_free(outliner->parse.arena);
    free(outliner->loop);
    free(outliner->passed);
    free(outliner);
}

size_t outliner_loops(const struct outliner *outliner)
{
    return outliner->loop_nr;
}

int outliner_fail_empty(const struct outliner *outliner, int line, struct error *err)
{
    const struct ct_trouble *lambda = &outliner->parse.lambda;
    if (lambda->text)
        return fail(err, STATUS_INPUT, "%s:%d:%d: there is no loop at this line, but %s",
                    outliner->file->path, lambda->line, lambda->column, lambda->text);
    return fail(err, STATUS_INPUT,
                "%s:%d: there is no loop at this line; give the line of its head or one "
                "inside of it",
                outliner->file->path, line);
}

int outliner_loop_line(const struct outliner *outliner, size_t loop)
{
    return outliner->loop[loop]->line;
}

static bool uses_objects(const struct outliner *outliner, const struct ct_node *loop)
{
    struct ct_file file = outliner->parse.file;
    struct ct_access access = ct_access(&file, outliner->function, outliner->file->source,
                                        loop->begin, loop->end);
    return access.parameter_nr || access.trouble.text;
}

bool outliner_is_whole(const struct outliner *outliner, size_t loop)
{
    const struct ct_node *body = outliner->function->body;
    if (!outliner->is_whole || uses_objects(outliner, outliner->loop[loop]))
        return false;
    for (size_t i = 0; i < body->child_nr; i++)
        if (body->child[i] != outliner->loop[loop] && body->child[i]->kind != CT_DECLS)
            return false;
    for (size_t i = 0; i < body->child_nr; i++)
        if (body->child[i] == outliner->loop[loop])
            return true;
    return false;
}

void outlined_release(struct outlined *outlined)
{
    free(outlined->function);
    free(outlined->from);
    free(outlined->unread);
    strvec_release(&outlined->parameter);
    strvec_release(&outlined->result);
    *outlined = (struct outlined){0};
}

/* ---- the text that is moved ---- */

/* Behind an #if, #elif, #else or #endif, or what the preprocessor leaves out there; `at`
 * where neither stands. */
static size_t skip_conditional(const struct outliner *outliner, size_t at, size_t end)
{
    const struct ct_file *file = &outliner->parse.file;
    const char *source = outliner->file->source;
    const char *word = source + at + 1 + strspn(source + at + 1, " \t");
    for (size_t i = 0; i < file->skipped_nr; i++) /* ends at the word of a directive */
        if (at >= file->skipped[i].begin && at < file->skipped[i].end)
            return scan_directive(source, file->skipped[i].end, end);
    bool conditional =
        source[at] == '#' && (text_begins(word, "if") || text_begins(word, "el") ||
                              text_begins(word, "endif"));
    return conditional ? scan_directive(source, at, end) : at;
}

bool outline_is_before(const struct outliner *outliner, const struct ir_pragma *pragma,
                       size_t begin)
{
    const struct ir_pragma *other = outliner->file->all_pragma;
    size_t at = pragma->end;
    if (pragma->end > begin)
        return false;
    for (size_t next;; at = next) { /* over comments, #if and further pragmas */
        at = scan_blank(outliner->file->source, at, begin);
        if (at >= begin)
            return true;
        next = skip_conditional(outliner, at, begin);
        while (other && (other->end <= at || other->begin > at))
            other = other->next_all;
        if (next == at && !other)
            return false;
        next = next == at ? other->end : next;
    }
}

bool outline_is_attached(const struct ir_pragma *pragma)
{
    static const char *const of_loops[] = {
        "GCC ivdep", "GCC unroll", "GCC novector", "clang loop", "ivdep",
        "unroll",    "nounroll",   "simd",         "vector",     "inflight"};
    if (text_begins(pragma->text, "omp"))
        return text_has_word(pragma->text, "for") || text_has_word(pragma->text, "simd");
    for (size_t i = 0; i < ARRAY_SIZE(of_loops); i++)
        if (text_begins(pragma->text, of_loops[i]))
            return true;
    return false;
}

/* What stands in front of a loop, besides blanks and comments. */
struct item {
    enum {
        ITEM_END,
        ITEM_LOOP, /* a directive of the loop, or a macro that is empty in this build and
                      may be one in another */
        ITEM_IF,
        ITEM_ELSE,
        ITEM_ENDIF,
        ITEM_OTHER,
    } kind;
    bool is_unknown; /* a macro makes a pragma of what it is given */
    size_t begin, end;
    struct ir_pragma *pragma;
};

static const struct ir_pragma *pragma_at(const struct outliner *outliner, size_t at)
{
    const struct ir_pragma *pragma = outliner->file->all_pragma;
    while (pragma && (pragma->begin > at || pragma->end <= at))
        pragma = pragma->next_all;
    return pragma;
}

static struct item directive_item(const struct outliner *outliner, size_t at, size_t end)
{
    const char *source = outliner->file->source, *word = source + at + 1;
    struct item item = {.begin = outline_line_begin(source, at),
                        .end = scan_directive(source, at, end)};
    word += strspn(word, " \t");
    item.kind = text_begins(word, "if")      ? ITEM_IF
                : text_begins(word, "el")    ? ITEM_ELSE
                : text_begins(word, "endif") ? ITEM_ENDIF
                                             : ITEM_OTHER;
    return item;
}

/* `macros`: no statement begins there, so that a word is a macro that is empty. */
static struct item next_item(const struct outliner *outliner, size_t at, size_t end,
                             bool macros)
{
    const char *source = outliner->file->source;
    at = scan_blank(source, at, end);
    if (at >= end)
        return (struct item){.kind = ITEM_END, .begin = end, .end = end};
    struct item item = {
        .kind = ITEM_OTHER, .begin = at, .end = scan_piece(source, at, end)};
    const struct ir_pragma *known = pragma_at(outliner, at);
    item.pragma = scan_pragma(outliner->parse.arena, source, at, end);
    item.is_unknown = known && known->macro;
    if (!item.pragma && known && !known->macro)
        item.pragma = (struct ir_pragma *)known;
    if (item.pragma) {
        item.begin = item.pragma->begin;
        item.end = item.pragma->end;
        item.kind = outline_is_attached(item.pragma) ? ITEM_LOOP : ITEM_OTHER;
    } else if (source[at] == '#')
        return directive_item(outliner, at, end);
    else if (text_name_length(source + at)) {
        item.end = at + text_name_length(source + at);
        size_t open = scan_blank(source, item.end, end);
        if (open < end && source[open] == '(')
            item.end = scan_call(source, open, end);
        open = scan_blank(source, item.end, end);
        bool ends = open >= end || source[open] == '#' || text_name_length(source + open);
        item.kind = macros && ends ? ITEM_LOOP : ITEM_OTHER;
    }
    return item;
}

const struct ct_node *outline_parent(const struct ct_node *node,
                                     const struct ct_node *child)
{
    const struct ct_node *found = NULL;
    for (size_t i = 0; i < node->child_nr && !found; i++)
        found = node->child[i] == child ? node : outline_parent(node->child[i], child);
    return found;
}

/* Behind the statement before the loop, or where the block begins. */
static size_t head_begin(const struct outliner *outliner, const struct ct_node *parent)
{
    size_t at = parent->begin + (parent->kind == CT_BLOCK), end = outliner->taken->begin;
    for (size_t i = 0; i < parent->child_nr; i++)
        if (parent->child[i]->end <= end && parent->child[i]->end > at &&
            parent->child[i] != outliner->taken)
            at = scan_semicolon(outliner->file->source, parent->child[i]->end, end);
    return at < end ? at : end;
}

/* What this build leaves out is looked at as the rest is, if it moves. */
static void add_pragma(struct outliner *outliner, struct ir_pragma *pragma)
{
    struct ir_pragma **at = &outliner->file->all_pragma;
    if (!pragma || pragma_at(outliner, pragma->begin))
        return;
    while (*at && (*at)->begin < pragma->begin)
        at = &(*at)->next_all;
    pragma->line = outline_line_of(outliner, pragma->begin);
    pragma->next_all = *at;
    *at = pragma;
}

/* The directives of the loop, with the #if around them. Statements in front of them there
 * stay, in an #if of their own. */
static int take_pragmas(struct outliner *outliner, struct error *err)
{
    const struct ir_function *file = outliner->file;
    const struct ct_node *parent =
        outline_parent(outliner->function->body, outliner->taken);
    size_t end = outliner->taken->begin, depth = 0, blank;
    size_t head = head_begin(outliner, parent);
    struct item item = {.kind = ITEM_OTHER}, opened = {0};
    bool stays = false, divided = false; /* in the outermost #if that is open */
    bool elsewhere = false; /* a directive of the loop in another branch than its code */
    outliner->begin = end;
    outliner->reopened = NULL;
    for (size_t at = parent->begin; item.kind != ITEM_END; at = item.end) {
        bool moves = outliner->begin < end, lost = false;
        item = next_item(outliner, at, end, at >= head && parent->kind == CT_BLOCK);
        switch (item.kind) {
        case ITEM_END:
            lost = elsewhere && !moves;
            break;
        case ITEM_LOOP:
            add_pragma(outliner, item.pragma);
            if (moves)
                break;
            outliner->begin = depth && !stays ? opened.begin : item.begin;
            if (!depth || !stays)
                break;
            outliner->begin = outline_line_begin(file->source, item.begin);
            blank = strspn(file->source + outliner->begin, " \t");
            lost = depth > 1 || divided || outliner->begin + blank < item.begin;
            outliner->reopened =
                ir_textf(file->arena, "%.*s", (int)(opened.end - opened.begin),
                         file->source + opened.begin);
            break;
        case ITEM_IF:
            if (depth++)
                break;
            opened = item;
            stays = divided = false;
            break;
        case ITEM_ELSE:
            divided = divided || depth == 1;
            elsewhere = elsewhere || moves;
            lost = moves && (!depth || (depth == 1 && outliner->reopened));
            break;
        case ITEM_ENDIF:
            lost = moves && !depth;
            depth -= depth > 0;
            break;
        case ITEM_OTHER:
            lost = moves && item.begin >= head;
            outliner->begin = end;
            outliner->reopened = NULL;
            elsewhere = elsewhere && depth;
            stays = stays || depth;
        }
        if (lost || (item.is_unknown && item.begin >= head))
            return outline_refuse(
                outliner, outline_line_of(outliner, item.begin), err,
                lost ? "other text stands among the directives above it, which move with "
                       "it; put them right above the loop"
                     : "the pragma that a macro makes above it is not known; write it "
                       "as #pragma or _Pragma");
    }
    return 0;
}

/* Its last statement's semicolon is none of the tree's. */
static size_t whole_end(const struct outliner *outliner)
{
    const struct ir_function *file = outliner->file;
    size_t end = outliner->taken->end;
    char last = file->source[end - 1];
    if (outliner->taken->spelt_end > end) /* within an argument of the macro there */
        end = scan_call(file->source, end, outliner->function->end);
    return last == '}' || last == ';'
               ? end
               : scan_semicolon(file->source, end, outliner->function->end);
}

struct directive {
    size_t at, end;
    const char *word; /* behind the # */
};

/* The next one from *at on. */
static bool next_directive(const struct ir_function *file, size_t *at, size_t end,
                           struct directive *out)
{
    bool begins = true;
    for (size_t next; *at < end; *at = next) {
        const char *text = file->source + *at;
        next = scan_piece(file->source, *at, end);
        if (begins && *text == '#') {
            out->at = *at;
            out->end = *at = scan_directive(file->source, *at, end);
            out->word = text + 1 + strspn(text + 1, " \t");
            return true;
        }
        begins = *text == '\n' ||
                 (begins && (isspace((unsigned char)*text) || next > *at + 1));
    }
    return false;
}

static bool names_word(const struct outliner *outliner, const char *word)
{
    char *text = xstrndup(outliner->file->source + outliner->begin,
                          outliner->end - outliner->begin);
    bool found = text_has_word(text, word) ||
                 (outliner->reopened && text_has_word(outliner->reopened, word));
    free(text);
    return found;
}

/* `#define` and `#undef` in the function, before the loop: the moved text stands in
 * front of them. */
static int check_definition(const struct outliner *outliner,
                            const struct directive *directive, struct error *err)
{
    int line = outline_line_of(outliner, directive->at);
    const char *name = directive->word + strcspn(directive->word, " \t\n");
    name += strspn(name, " \t");
    char *word = xstrndup(name, text_word_length(name));
    int status = 0;
    if (names_word(outliner, word))
        status = outline_refuse(outliner, line, err,
                                "the macro '%s' is defined inside the function; define "
                                "it before the function",
                                word);
    free(word);
    return status;
}

static int check_directives(const struct outliner *outliner, struct error *err)
{
    size_t at = outliner->function->begin, opened[64], open = 0;
    size_t inside = outliner->reopened != NULL;
    struct directive directive;
    while (next_directive(outliner->file, &at, outliner->end, &directive)) {
        const char *word = directive.word;
        bool in = directive.at >= outliner->begin;
        bool define = text_begins(word, "define") || text_begins(word, "undef");
        int line = outline_line_of(outliner, directive.at);
        if (text_begins(word, "if")) {
            if (open < ARRAY_SIZE(opened))
                opened[open] = directive.at;
            open++;
            inside += in;
        } else if (text_begins(word, "endif")) {
            open -= open > 0;
            if (in && inside-- == 0)
                return outline_refuse(outliner, line, err, "an #if ends inside of it");
        } else if (text_begins(word, "el") && in && !inside) {
            return outline_refuse(outliner, line, err, "an #if is divided inside of it");
        } else if (text_begins(word, "include") || (define && in)) {
            return outline_refuse(outliner, line, err,
                                  "a directive inside the function that would be read "
                                  "in another place; put it before the function");
        } else if (define && check_definition(outliner, &directive, err) < 0) {
            return -1;
        }
    }
    if (open && open <= ARRAY_SIZE(opened))
        return outline_refuse(outliner, outline_line_of(outliner, opened[open - 1]), err,
                              "an #if around it begins inside the function; put the "
                              "whole function into it");
    return 0;
}

static bool holds(const struct ct_node *node, const struct ct_node *loop)
{
    bool found = node == loop;
    for (size_t i = 0; !found && i < node->child_nr; i++)
        found = holds(node->child[i], loop);
    return found;
}

/* The macro call that the loop comes from makes this node, too, or a part of it, which is
 * none of the loop. */
static bool shares_call(const struct ct_node *node, const struct ct_node *loop)
{
    if (node == loop)
        return false;
    if (!holds(node, loop))
        return node->begin < loop->end && loop->begin < node->end;
    bool shares = node->begin >= loop->begin;
    for (size_t i = 0; !shares && i < node->child_nr; i++)
        shares = shares_call(node->child[i], loop);
    return shares;
}

static int check_place(const struct outliner *outliner, struct error *err)
{
    const struct ct_node *loop = outliner->taken;
    char *text = xstrndup(outliner->file->source + outliner->begin,
                          outliner->end - outliner->begin);
    bool named = strstr(text, "__func__") || strstr(text, "__FUNCTION__");
    free(text);
    if (loop->elsewhere)
        return outline_refuse(outliner, loop->line, err,
                              "it comes from another file; write it here");
    if (loop->in_macro && shares_call(outliner->function->body, loop))
        return outline_refuse(outliner, loop->line, err,
                              "it comes from a macro together with other statements; "
                              "write the loop itself, or a macro of the loop alone");
    if (named)
        return outline_refuse(outliner, loop->line, err,
                              "it uses the function's name (__func__)");
    return check_directives(outliner, err);
}

/* ---- its variables ---- */

struct passed *outline_find(struct outliner *outliner, const struct ct_decl *decl)
{
    for (size_t i = 0; i < outliner->passed_nr; i++)
        if (outliner->passed[i].decl == decl)
            return &outliner->passed[i];
    return NULL;
}

struct passed *outline_add(struct outliner *outliner, struct ct_decl *decl)
{
    struct passed *found = outline_find(outliner, decl);
    if (found)
        return found;
    GROW(outliner->passed, outliner->passed_nr + 1, outliner->passed_alloc);
    found = &outliner->passed[outliner->passed_nr++];
    *found =
        (struct passed){.decl = decl, .storage = ct_storage(&outliner->parse.file, decl)};
    return found;
}

static bool is_inside(const struct outliner *outliner, size_t at)
{
    return at >= outliner->begin && at < outliner->end;
}

static size_t uses_of(const struct outliner *outliner, const struct ct_decl *decl,
                      bool inside)
{
    size_t nr = 0;
    for (size_t i = 0; i < outliner->use_nr; i++)
        nr += outliner->use[i].decl == decl && (!inside || outliner->use[i].is_inside);
    return nr;
}

bool outline_is_consumed(const struct outliner *outliner, const struct ct_use *use)
{
    for (size_t i = 0; i < outliner->access.consumed_nr; i++)
        if (outliner->access.consumed[i].at == use->at &&
            outliner->access.consumed[i].decl == use->decl)
            return true;
    return false;
}

static void list_variables(struct outliner *outliner)
{
    for (size_t i = 0; i < outliner->use_nr; i++) {
        struct ct_decl *decl = outliner->use[i].decl;
        if (outliner->use[i].is_inside &&
            !outline_is_consumed(outliner, &outliner->use[i]) &&
            !is_inside(outliner, ct_storage(&outliner->parse.file, decl).at))
            outline_add(outliner, decl);
    }
}

/* ---- sizes of arrays ---- */

static void find_named(const struct outliner *outliner, const struct ct_node *node,
                       const char *name, struct named *out)
{
    bool moved = node->begin >= outliner->begin && node->end <= outliner->end;
    if (node->kind == CT_VAR && node->decl && !moved && !strcmp(node->decl->name, name)) {
        out->decl = node->decl;
        out->nr++;
    }
    for (size_t i = 0; i < node->child_nr; i++)
        find_named(outliner, node->child[i], name, out);
}

struct named outline_named(const struct outliner *outliner, const char *name)
{
    struct named named = {0};
    for (size_t i = 0; i < outliner->function->param_nr; i++)
        if (!strcmp(outliner->function->param[i]->name, name))
            named = (struct named){outliner->function->param[i], 1};
    find_named(outliner, outliner->function->body, name, &named);
    return named;
}

struct sizes {
    struct outliner *outliner;
    const struct passed *array;
    struct error *err;
};

static int take_size(const struct sizes *sizes, struct ct_decl *size)
{
    struct outliner *outliner = sizes->outliner;
    const struct ct_node *body = outliner->function->body;
    const char *array = sizes->array->decl->name;
    size_t at = sizes->array->storage.at;
    const struct ct_node *write = flow_write_behind(body, size, at);
    if (flow_has_labels(body))
        write = body;
    if (!write)
        write = flow_address(body, size);
    if (write)
        return outline_refuse(
            outliner, write->line, sizes->err,
            "'%s', a size of the array '%s', may change; give the array "
            "a size of its own that stays",
            size->name, array);
    if (outline_named(outliner, size->name).nr > 1)
        return outline_refuse(outliner, size->line, sizes->err,
                              "several variables of the function are called '%s', one of "
                              "them is a size of the array '%s'; call them differently",
                              size->name, array);
    outline_add(outliner, size)->is_size = true;
    return 0;
}

static int take_sizes_in(const struct sizes *sizes, const struct ct_node *node)
{
    if (node->kind == CT_NAME && node->decl &&
        (node->decl->role == IR_LOCAL || node->decl->role == IR_PARAM) &&
        take_size(sizes, node->decl) < 0)
        return -1;
    if (node->kind == CT_CALL || node->kind == CT_ASSIGN ||
        (node->kind == CT_NAME && node->decl && node->decl->role == IR_GLOBAL))
        return outline_refuse(sizes->outliner, node->line, sizes->err,
                              "the size of the array '%s' is computed; put it into a "
                              "variable first",
                              sizes->array->decl->name);
    for (size_t i = 0; i < node->child_nr; i++)
        if (take_sizes_in(sizes, node->child[i]) < 0)
            return -1;
    return 0;
}

/* In front of the function a name in the brackets may be another thing. */
static void check_brackets(const struct outliner *outliner, struct passed *array)
{
    const struct ir_function *file = outliner->file;
    size_t begin = outliner->function->begin;
    char *text = xstrndup(file->source + begin, outliner->begin - begin);
    if (text_has_word(text, "enum") || strstr(text, "define") || strstr(text, "undef"))
        array->storage.dimensions = NULL;
    free(text);
}

static int list_sizes(struct outliner *outliner, struct error *err)
{
    for (size_t i = 0; i < outliner->passed_nr; i++) {
        check_brackets(outliner, &outliner->passed[i]);
        struct passed array = outliner->passed[i];
        const struct ct_decl *decl = array.decl;
        struct sizes sizes = {outliner, &array, err};
        for (size_t d = 0; d < decl->dim_nr; d++)
            if (decl->dim[d] && !decl->dim[d]->has_value &&
                take_sizes_in(&sizes, decl->dim[d]) < 0)
                return -1;
        if (decl->as_written && strchr(array.storage.type, '[') &&
            !array.storage.is_array)
            return outline_refuse(outliner, decl->line, err,
                                  "the type of '%s' is not known", decl->name);
    }
    return 0;
}

/* ---- addresses ---- */

/* Of C++, to an element or a field of an object. */
static bool is_access(const struct outliner *outliner, const struct ct_node *call)
{
    for (size_t i = 0; i < outliner->access.edit_nr; i++)
        if (call->spelt_begin >= outliner->access.edit[i].begin &&
            call->spelt_end <= outliner->access.edit[i].end)
            return true;
    return false;
}

/* A store there could be one to the variable, whose address is known elsewhere. */
static bool may_store_to(const struct outliner *outliner, const struct ct_node *node,
                         const struct ct_decl *decl)
{
    if (node->kind == CT_CALL)
        return !is_access(outliner, node) &&
               (!node->child[0]->decl || !function_is_pure(node->child[0]->decl->known));
    if (!flow_is_changing(node) || flow_base(node->child[0]))
        return false;
    const struct ir_type *stored = &node->child[0]->type, *own = &decl->type;
    bool same = stored->scalar == own->scalar && stored->bytes == own->bytes &&
                !stored->pointers == !own->pointers;
    return same || outliner->types_alias || stored->may_alias || stored->bytes <= 1 ||
           stored->scalar == IR_RECORD || own->scalar == IR_RECORD ||
           stored->scalar == IR_OTHER;
}

static const struct ct_node *store_below(const struct outliner *outliner,
                                         const struct ct_node *node,
                                         const struct ct_decl *decl)
{
    if (may_store_to(outliner, node, decl))
        return node;
    for (size_t i = 0; i < node->child_nr; i++) {
        const struct ct_node *found = store_below(outliner, node->child[i], decl);
        if (found)
            return found;
    }
    return NULL;
}

/* Where its address is taken, if that may be so before the loop ends. */
static const struct ct_node *address_before(const struct outliner *outliner,
                                            const struct ct_decl *decl)
{
    const struct ct_node *body = outliner->function->body;
    const struct ct_node *first = flow_kept_address(body, decl);
    const struct ct_node *outermost = outliner->loop[0];
    bool later = first && first->begin >= outermost->end && !first->in_macro &&
                 !flow_has_labels(body);
    return later ? NULL : first;
}

static int check_address(const struct outliner *outliner, const struct passed *passed,
                         struct error *err)
{
    const struct ct_decl *decl = passed->decl;
    const struct ct_node *inside = flow_address(outliner->taken, decl);
    const struct ct_node *anywhere = address_before(outliner, decl);
    if (inside)
        return outline_refuse(
            outliner, inside->line, err,
            "it takes the address of '%s', which is declared outside of "
            "it; declare the variable inside the loop",
            decl->name);
    if (anywhere &&
        (passed->flow.is_written || store_below(outliner, outliner->taken, decl)))
        return outline_refuse(
            outliner, anywhere->line, err,
            "the address of '%s' is taken, so that it may change behind its name; use a "
            "copy of it in the loop",
            decl->name);
    return 0;
}

/* An array of the function's own is a pointer in the new one. */
static const struct ct_node *whole_array(const struct ct_node *node,
                                         const struct ct_decl *decl)
{
    bool whole =
        node->kind == CT_SIZEOF || (node->kind == CT_UNARY && !strcmp(node->op, "&"));
    if (whole && node->child_nr && node->child[0]->kind == CT_NAME &&
        node->child[0]->decl == decl)
        return node;
    for (size_t i = 0; i < node->child_nr; i++) {
        const struct ct_node *found = whole_array(node->child[i], decl);
        if (found)
            return found;
    }
    return NULL;
}

static int check_array(const struct outliner *outliner, const struct passed *passed,
                       struct error *err)
{
    const struct ct_decl *decl = passed->decl;
    const struct ct_node *node = whole_array(outliner->taken, decl);
    if (passed->storage.is_param)
        return 0;
    if (node || uses_of(outliner, decl, true) != flow_mentions(outliner->taken, decl))
        return outline_refuse(
            outliner, node ? node->line : outliner->taken->line, err,
            "it asks for the size or the address of the array '%s' as a "
            "whole; in a function of its own that is a pointer",
            decl->name);
    return 0;
}

/* ---- restrict ---- */

static size_t plain_mentions(const struct ct_node *node, const struct ct_decl *decl)
{
    size_t nr = 0;
    bool follows = node->kind == CT_INDEX || (node->kind == CT_MEMBER && node->arrow) ||
                   (node->kind == CT_UNARY && !strcmp(node->op, "*"));
    if (follows && node->child_nr && node->child[0]->kind == CT_NAME &&
        node->child[0]->decl == decl)
        nr++;
    for (size_t i = 0; i < node->child_nr; i++)
        nr += plain_mentions(node->child[i], decl);
    return nr;
}

/* As a parameter of the new function it would promise more, when another pointer of the
 * old one was made from it. */
static void drop_restrict(struct outliner *outliner, struct passed *passed)
{
    static const char *const words[] = {" restrict", "restrict ", "restrict",
                                        "__restrict"};
    size_t plain = plain_mentions(outliner->function->body, passed->decl);
    if (plain == uses_of(outliner, passed->decl, false))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const char *at = strstr(passed->storage.type, words[i]);
        if (at)
            passed->storage.type = ir_textf(outliner->parse.arena, "%.*s%s",
                                            (int)(at - passed->storage.type),
                                            passed->storage.type, at + strlen(words[i]));
    }
}

/* ---- how each is passed ---- */

static const struct ct_node *call_below(const struct ct_node *node)
{
    const struct ct_node *found = NULL;
    if (node->kind == CT_CALL &&
        !(node->child[0]->decl && function_is_pure(node->child[0]->decl->known)))
        return node;
    for (size_t i = 0; i < node->child_nr && !found; i++)
        found = call_below(node->child[i]);
    return found;
}

static int check_scalar(struct outliner *outliner, struct passed *passed,
                        struct error *err)
{
    const struct ct_decl *decl = passed->decl;
    if (check_address(outliner, passed, err) < 0)
        return -1;
    if (passed->flow.is_written && passed->storage.is_static)
        return outline_refuse(outliner, decl->line, err,
                              "it changes '%s', a static variable of the function; "
                              "declare that before the function",
                              decl->name);
    if (passed->storage.is_static && !strstr(passed->storage.type, "const") &&
        call_below(outliner->taken))
        return outline_refuse(outliner, call_below(outliner->taken)->line, err,
                              "it calls a function that may come back here and change "
                              "'%s', a static variable of the function",
                              decl->name);
    if (passed->flow.is_written && passed->storage.is_array)
        return outline_refuse(outliner, decl->line, err,
                              "it changes the parameter '%s', which is declared as an "
                              "array; declare it as a pointer",
                              decl->name);
    if (passed->flow.is_written && passed->is_size)
        return outline_refuse(outliner, decl->line, err,
                              "it changes '%s', which is the size of an array",
                              decl->name);
    return 0;
}

static void choose_passing(struct passed *passed)
{
    const struct flow *flow = &passed->flow;
    passed->passing = PASS_VALUE;
    if (flow->goes_out)
        passed->passing = PASS_RESULT;
    else if (flow->is_written && !flow->comes_in)
        passed->passing = PASS_OWN;
}

static void find_flow(struct outliner *outliner, struct passed *passed)
{
    const struct ct_node *body = outliner->function->body;
    const struct ct_decl *decl = passed->decl;
    bool uncertain = flow_has_labels(body) ||
                     uses_of(outliner, decl, false) != flow_mentions(body, decl);
    struct flow flow = flow_of(body, outliner->taken, decl, uncertain);
    flow.is_written = flow.is_written || passed->flow.is_written; /* of clauses */
    flow.comes_in = flow.comes_in || passed->flow.comes_in;
    flow.goes_out = flow.goes_out || passed->flow.goes_out;
    passed->flow = flow;
    passed->is_unread = !flow_is_read_elsewhere(body, outliner->taken, decl);
}

static int check_variable(struct outliner *outliner, struct passed *passed,
                          struct error *err)
{
    if (passed->storage.trouble)
        return outline_refuse(outliner, passed->decl->line, err, "%s",
                              passed->storage.trouble);
    if (passed->decl->is_thread_local)
        return outline_refuse(outliner, passed->decl->line, err,
                              "'%s' is a variable of its thread inside of the function",
                              passed->decl->name);
    if (strstr(passed->storage.type, "restrict"))
        drop_restrict(outliner, passed);
    if (passed->storage.is_reference) /* as it is, so that it refers to the same */
        return 0;
    if (passed->storage.is_array && !passed->storage.is_param)
        return check_array(outliner, passed, err);
    find_flow(outliner, passed);
    choose_passing(passed);
    return check_scalar(outliner, passed, err);
}

static int check_register(const struct outliner *outliner, struct error *err)
{
    size_t results = 0;
    for (size_t i = 0; i < outliner->passed_nr; i++)
        results += outliner->passed[i].passing == PASS_RESULT;
    for (size_t i = 0; i < outliner->passed_nr; i++) {
        const struct passed *passed = &outliner->passed[i];
        if (passed->passing == PASS_RESULT && passed->storage.is_register &&
            (results > 1 || passed->flow.may_be_unset))
            return outline_refuse(
                outliner, passed->decl->line, err,
                "it changes '%s', which has no address (register); drop that keyword",
                passed->decl->name);
    }
    return 0;
}

static int find_variables(struct outliner *outliner, struct error *err)
{
    struct ct_trouble trouble;
    outliner->use_nr = ct_uses(&outliner->parse.file, outliner->function, outliner->begin,
                               outliner->end, &outliner->use, &trouble);
    if (trouble.text)
        return outline_refuse(outliner, trouble.line, err, "it holds %s", trouble.text);
    outliner->access =
        ct_access(&outliner->parse.file, outliner->function, outliner->file->source,
                  outliner->taken->begin, outliner->end);
    trouble = outliner->access.trouble;
    if (trouble.text)
        return outline_refuse(outliner, trouble.line, err, "it holds %s", trouble.text);
    list_variables(outliner);
    if (outline_clauses(outliner, err) < 0 || list_sizes(outliner, err) < 0)
        return -1;
    for (size_t i = 0; i < outliner->passed_nr; i++)
        if (check_variable(outliner, &outliner->passed[i], err) < 0)
            return -1;
    if (outline_sharing(outliner, err) < 0)
        return -1;
    return check_register(outliner, err);
}

int outliner_take(struct outliner *outliner, size_t loop, struct buf *text,
                  struct outlined *what, struct error *err)
{
    size_t at;
    outliner->taken = outliner->loop[loop];
    outliner->begin = outliner->taken->begin;
    outliner->end = whole_end(outliner);
    outliner->passed_nr = 0;
    outliner->in_region = false;
    if (take_pragmas(outliner, err) < 0 || check_place(outliner, err) < 0 ||
        outline_place(outliner, &at, err) < 0 || find_variables(outliner, err) < 0)
        return -1;
    outline_write(outliner, at, text, what);
    return 0;
}

int outliner_check(const struct outliner *outliner, const struct buf *text,
                   struct error *err)
{
    const struct ir_function *file = outliner->file;
    struct ct_same *same =
        ct_same_open(file->path, file->source, file->source_length, &file->args);
    int status = ct_same_check(same, buf_str(text), text->length, outliner->change,
                               ARRAY_SIZE(outliner->change), err);
    ct_same_close(same);
    return status;
}
