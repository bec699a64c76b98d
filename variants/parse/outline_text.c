/* The new text: the function, the call, and where they stand. */
#include "variants/parse/outline_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

enum { COLUMNS = 80 };

/* ---- where ---- */

struct gap {
    size_t code_end; /* of what stands before the function */
    size_t blank;    /* behind the last empty line since then; 0 = there is none */
    size_t pragma;   /* the first one since then */
    char last;       /* of the code; 0 = a directive, or nothing */
};

static void read_gap(const struct outliner *outliner, struct gap *gap)
{
    const char *source = outliner->file->source;
    size_t end = outliner->function->begin, line = 0;
    bool begins = true, empty = true; /* no code, nothing at all so far in the line */
    for (size_t at = 0, next; at < end; at = next) {
        bool directive = begins && source[at] == '#';
        next = directive ? scan_directive(source, at, end) : scan_piece(source, at, end);
        bool comment = !directive && next > at + 1 && source[at] == '/';
        const char *word = source + at + 1 + strspn(source + at + 1, " \t");
        if (directive && text_begins(word, "pragma"))
            gap->pragma = gap->pragma ? gap->pragma : line;
        else if (directive)
            *gap = (struct gap){.code_end = next};
        else if (source[at] == '\n' && empty)
            gap->blank = next;
        else if (!comment && !isspace((unsigned char)source[at]))
            *gap = (struct gap){.code_end = next, .last = source[next - 1]};
        bool ended = directive || source[at] == '\n';
        bool blank = !ended && isspace((unsigned char)source[at]);
        begins = ended || (begins && (blank || comment));
        empty = ended || (empty && blank);
        line = ended ? next : line;
    }
}

int outline_place(const struct outliner *outliner, size_t *at, struct error *err)
{
    const char *source = outliner->file->source;
    size_t begin = outliner->function->begin;
    struct gap gap = {.code_end = ir_mark_bytes(source)};
    read_gap(outliner, &gap);
    bool own = gap.last && !strchr(";}{", gap.last);
    *at = gap.code_end;
    if (*at > ir_mark_bytes(source) && source[*at - 1] != '\n') {
        *at += strcspn(source + *at, "\n");
        *at += source[*at] == '\n';
    }
    if (gap.blank > *at)
        *at = gap.blank;
    if (gap.pragma && gap.pragma < *at)
        *at = gap.pragma;
    if (own || *at > begin)
        return outline_refuse(
            outliner, outliner->function->line, err,
            "what stands before the function on its line or above "
            "belongs to it, or cannot be told from it; begin a new line");
    return 0;
}

/* ---- the function ---- */

static const char *line_ending(const struct outliner *outliner)
{
    const char *source = outliner->file->source;
    size_t first = strcspn(source, "\n");
    return first && source[first] && source[first - 1] == '\r' ? "\r\n" : "\n";
}

/* No other thing of the file has the name. */
static bool is_free(const struct outliner *outliner, const char *name)
{
    struct ir_names macros, plain, declared;
    ct_read_names(&((struct outliner *)outliner)->parse.file, outliner->function, &macros,
                  &plain, &declared);
    return !ir_has_name(&macros, name) && !ir_has_name(&declared, name) &&
           !text_has_word(outliner->file->source, name);
}

/* "operator()": operator__ */
static const char *word_of(const struct outliner *outliner, const char *name)
{
    char *word = xstrdup(name);
    for (char *at = word; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    const char *copy = ir_text(outliner->parse.arena, word);
    free(word);
    return copy;
}

static const char *free_name(const struct outliner *outliner, const char *stem)
{
    const char *name = ir_text(outliner->parse.arena, stem);
    for (int i = 2; !is_free(outliner, name); i++)
        name = ir_textf(outliner->parse.arena, "%s_%d", stem, i);
    return name;
}

struct writing {
    struct outliner *outliner;
    const char *name, *end; /* of lines */
    struct passed **sorted;
    size_t nr;
    const struct passed *result; /* returned; NULL = nothing is */
    const char **out;            /* names of the pointers, of results; else NULL */
};

static int rank_of(const struct passed *passed)
{
    if (passed->is_size)
        return 0;
    if (passed->passing == PASS_RESULT)
        return 3;
    return strpbrk(passed->storage.type, "*[") ? 2 : 1;
}

static int by_rank(const void *a, const void *b)
{
    const struct passed *one = *(struct passed *const *)a;
    const struct passed *other = *(struct passed *const *)b;
    int difference = rank_of(one) - rank_of(other);
    if (difference)
        return difference;
    return (one->storage.at > other->storage.at) - (one->storage.at < other->storage.at);
}

static bool is_returned(const struct passed *passed)
{
    return passed->passing == PASS_RESULT &&
           !(passed->flow.comes_in && passed->flow.may_be_unset) &&
           !strstr(passed->storage.type, "const");
}

static void prepare(struct writing *writing)
{
    struct outliner *outliner = writing->outliner;
    struct ir_arena *arena = outliner->parse.arena;
    size_t results = 0;
    writing->nr = outliner->passed_nr;
    writing->sorted = ir_alloc(arena, (writing->nr + 1) * sizeof(struct passed *));
    writing->out = ir_alloc(arena, (writing->nr + 1) * sizeof(const char *));
    for (size_t i = 0; i < writing->nr; i++)
        writing->sorted[i] = &outliner->passed[i];
    qsort(writing->sorted, writing->nr, sizeof(struct passed *), by_rank);
    for (size_t i = 0; i < writing->nr; i++) {
        results += writing->sorted[i]->passing == PASS_RESULT;
        if (is_returned(writing->sorted[i]))
            writing->result = writing->sorted[i];
    }
    if (results > 1)
        writing->result = NULL;
    for (size_t i = 0; i < writing->nr; i++)
        if (writing->sorted[i]->passing == PASS_RESULT &&
            writing->sorted[i] != writing->result)
            writing->out[i] = free_name(
                outliner, ir_textf(arena, "%s_out", writing->sorted[i]->decl->name));
}

static const char *parameter_of(const struct writing *writing, size_t i)
{
    const struct passed *passed = writing->sorted[i];
    struct ir_arena *arena = writing->outliner->parse.arena;
    if (passed->passing == PASS_OWN ||
        (passed == writing->result && !passed->flow.comes_in))
        return NULL;
    return ct_declaration(arena, &passed->storage,
                          writing->out[i] ? ir_textf(arena, "*%s", writing->out[i])
                                          : passed->decl->name);
}

/* `head(`, the items, `)`: over several lines where it gets long. */
static void add_list(struct buf *out, const char *indent, const char *head,
                     const struct strvec *item, const char *line_end)
{
    size_t column = strlen(indent) + strlen(head) + 1;
    buf_addf(out, "%s%s(", indent, head);
    for (size_t i = 0; i < item->nr; i++) {
        if (i && column + strlen(item->v[i]) + 3 > COLUMNS) {
            buf_addf(out, ",%s%s        %s", line_end, indent, item->v[i]);
            column = strlen(indent) + 8 + strlen(item->v[i]);
            continue;
        }
        buf_addf(out, "%s%s", i ? ", " : "", item->v[i]);
        column += strlen(item->v[i]) + 2;
    }
    buf_add(out, ")");
}

static void add_head(const struct writing *writing, struct outlined *what,
                     struct buf *out)
{
    struct outliner *outliner = writing->outliner;
    struct ir_arena *arena = outliner->parse.arena;
    struct buf head = {0};
    for (size_t i = 0; i < writing->nr; i++)
        if (parameter_of(writing, i))
            strvec_push(&what->parameter, parameter_of(writing, i));
    struct strvec none = {0};
    for (size_t i = 0; i < outliner->access.parameter_nr; i++)
        strvec_push(&what->parameter, outliner->access.parameter[i].declaration);
    strvec_push(&none, "void");
    const char *own =
        writing->result ? ct_declaration(arena, &writing->result->storage, writing->name)
                        : ir_textf(arena, "void %s", writing->name);
    buf_addf(&head, "static %s", own);
    add_list(out, "", buf_str(&head), what->parameter.nr ? &what->parameter : &none,
             writing->end);
    buf_addf(out, "%s{%s", writing->end, writing->end);
    strvec_release(&none);
    buf_release(&head);
}

/* `double sum = *sum_out;`, `int j;`; plain ones of one type in one line. */
static void add_locals(const struct writing *writing, struct buf *out)
{
    struct ir_arena *arena = writing->outliner->parse.arena;
    const char *line = "";
    for (size_t i = 0; i < writing->nr; i++) {
        const struct passed *passed = writing->sorted[i];
        const char *name = passed->decl->name, *type = passed->storage.type;
        bool own = passed->passing == PASS_OWN ||
                   (passed->passing == PASS_RESULT && !passed->flow.comes_in);
        bool in = writing->out[i] && passed->flow.comes_in;
        if (!own && !in)
            continue;
        if (own && !strpbrk(type, "*[(") && !strcmp(line, type)) {
            buf_truncate(out, out->length - strlen(writing->end) - 1);
            buf_addf(out, ", %s;%s", name, writing->end);
            continue;
        }
        line = own ? type : "";
        buf_addf(out, "    %s", ct_declaration(arena, &passed->storage, name));
        if (in)
            buf_addf(out, " = *%s", writing->out[i]);
        buf_addf(out, ";%s", writing->end);
    }
}

static void add_results(const struct writing *writing, struct buf *out)
{
    for (size_t i = 0; i < writing->nr; i++)
        if (writing->out[i])
            buf_addf(out, "    *%s = %s;%s", writing->out[i],
                     writing->sorted[i]->decl->name, writing->end);
    if (writing->result)
        buf_addf(out, "    return %s;%s", writing->result->decl->name, writing->end);
}

/* The text with names in place of the accesses to objects. */
static void add_moved(const struct outliner *outliner, size_t begin, struct buf *out)
{
    const char *source = outliner->file->source;
    const struct ct_access *access = &outliner->access;
    for (size_t i = 0; i < access->edit_nr; i++) {
        buf_add_n(out, source + begin, access->edit[i].begin - begin);
        buf_add(out, access->edit[i].text);
        begin = access->edit[i].end;
    }
    buf_add_n(out, source + begin, outliner->end - begin);
}

static void add_function(struct writing *writing, struct outlined *what, struct buf *out)
{
    const struct outliner *outliner = writing->outliner;
    const char *source = outliner->file->source;
    size_t begin = outliner->begin, line = outline_line_begin(source, begin);
    size_t blank = line + strspn(source + line, " \t");
    add_head(writing, what, out);
    add_locals(writing, out);
    if (outliner->reopened)
        buf_add(out, outliner->reopened);
    if (blank >= begin)
        begin = line;
    else
        buf_add(out, "    ");
    what->moved_line = 1 + text_line_ends(buf_str(out), out->length);
    add_moved(outliner, begin, out);
    buf_add(out, writing->end);
    add_results(writing, out);
    buf_addf(out, "}%s%s", writing->end, writing->end);
}

/* ---- the call ---- */

static void add_unused(const struct writing *writing, struct strvec *unused)
{
    for (size_t i = 0; i < writing->nr; i++)
        if (writing->sorted[i]->passing == PASS_OWN && writing->sorted[i]->is_unread)
            strvec_pushf(unused, "(void)%s", writing->sorted[i]->decl->name);
}

/* A pragma in front of it would see the first statement only. */
static bool stands_in_block(const struct outliner *outliner)
{
    const struct ct_node *loop = outliner->taken;
    const struct ir_pragma *pragma = outliner->file->all_pragma;
    for (; pragma; pragma = pragma->next_all)
        if (pragma->end <= outliner->begin &&
            outline_is_before(outliner, pragma, outliner->begin))
            return false;
    return outline_parent(outliner->function->body, loop)->kind == CT_BLOCK;
}

static void add_unused_lines(const struct strvec *unused, const char *indent,
                             const char *first, const char *line_end, struct buf *out)
{
    for (size_t i = 0; i < unused->nr; i++)
        buf_addf(out, "%s%s;%s", i ? indent : first, unused->v[i], line_end);
}

/* Blanks before the loop on its line. */
static char *indent_of(const struct outliner *outliner)
{
    const char *line = outliner->file->source +
                       outline_line_begin(outliner->file->source, outliner->taken->begin);
    return xstrndup(line, strspn(line, " \t"));
}

static void add_call(const struct writing *writing, struct buf *out)
{
    const struct outliner *outliner = writing->outliner;
    const char *source = outliner->file->source;
    /* Where a pragma was, its line begins at the margin. */
    bool margin = outliner->begin == outline_line_begin(source, outliner->begin);
    struct strvec item = {0}, unused = {0};
    struct buf head = {0};
    add_unused(writing, &unused);
    if (outliner->reopened)
        buf_addf(out, "#endif%s", writing->end);
    const char *guard = outliner->access.guard; /* an else may stand behind it */
    bool braces = (unused.nr || guard) && !stands_in_block(outliner);
    char *indent = indent_of(outliner);
    char *deep = xasprintf("%s%s", indent, braces ? "    " : "");
    const char *first = margin ? indent : "";
    for (size_t i = 0; i < writing->nr; i++)
        if (parameter_of(writing, i))
            strvec_pushf(&item, "%s%s", writing->out[i] ? "&" : "",
                         writing->sorted[i]->decl->name);
    for (size_t i = 0; i < outliner->access.parameter_nr; i++)
        strvec_push(&item, outliner->access.parameter[i].argument);
    if (writing->result)
        buf_addf(&head, "%s = ", writing->result->decl->name);
    buf_add(&head, writing->name);
    if (braces)
        buf_addf(out, "%s{%s", first, writing->end);
    add_unused_lines(&unused, deep, braces ? deep : first, writing->end, out);
    const char *in_line = unused.nr || braces ? deep : first;
    char *behind = xasprintf("%s    ", deep);
    if (guard)
        buf_addf(out, "%sif (%s)%s", in_line, guard, writing->end);
    add_list(out, guard ? behind : in_line, buf_str(&head), &item, writing->end);
    free(behind);
    buf_add(out, ";");
    if (braces)
        buf_addf(out, "%s%s}", writing->end, indent);
    free(deep);
    free(indent);
    strvec_release(&item);
    strvec_release(&unused);
    buf_release(&head);
}

void outline_write(struct outliner *outliner, size_t at, struct buf *text,
                   struct outlined *what)
{
    const char *source = outliner->file->source;
    struct writing writing = {.outliner = outliner, .end = line_ending(outliner)};
    *what = (struct outlined){
        .from = xstrdup(outliner->function->name),
        .first_line = outline_line_of(outliner, outliner->begin),
        .last_line = outline_line_of(outliner, outliner->end),
    };
    writing.name =
        free_name(outliner, ir_textf(outliner->parse.arena, "%s_loop_%d",
                                     word_of(outliner, outliner->function->name),
                                     outliner->taken->line));
    what->function = xstrdup(writing.name);
    prepare(&writing);
    for (size_t i = 0; i < writing.nr; i++)
        if (writing.sorted[i]->passing == PASS_RESULT)
            strvec_push(&what->result, writing.sorted[i]->decl->name);
    buf_add_n(text, source, at);
    outliner->change[0] = (struct ct_change){.begin = at, .end = at, .now_begin = at};
    if (outliner->access.helpers)
        buf_add(text, outliner->access.helpers);
    what->line = 1 + text_line_ends(buf_str(text), text->length);
    add_function(&writing, what, text);
    outliner->change[0].now_end = text->length;
    buf_add_n(text, source + at, outliner->begin - at);
    outliner->change[1] = (struct ct_change){.begin = outliner->begin,
                                             .end = outliner->end,
                                             .now_begin = text->length,
                                             .is_several = true};
    add_call(&writing, text);
    outliner->change[1].now_end = text->length;
    buf_add_n(text, source + outliner->end,
              outliner->file->source_length - outliner->end);
}

/* ---- a statement ---- */

int outline_statement(const struct outline_request *request, const char *first,
                      const char *statement, struct buf *text, struct error *err)
{
    struct outliner *outliner;
    int status = 0;
    if (outline_open(request, false, &outliner, err) < 0)
        return -1;
    const char *source = outliner->file->source;
    const struct ct_node *body = outliner->function->body;
    size_t mark = ir_mark_bytes(source);
    if (body->in_macro || body->elsewhere || source[body->begin] != '{') {
        status = fail(err, STATUS_INPUT,
                      "%s:%d: a macro begins the body of '%s'; write its brace out",
                      request->path, outliner->function->line, outliner->function->name);
    } else {
        buf_add_n(text, source, mark);
        buf_add(text, first);
        buf_add_n(text, source + mark, body->begin + 1 - mark);
        buf_add(text, statement);
        buf_add(text, source + body->begin + 1);
    }
    outliner_close(outliner);
    return status;
}
