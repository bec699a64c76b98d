/* What the rewritten code rests on is checked where it is compiled: built with another
 * value it is refused, never wrong. */
#include "variants/emit/gen.h"

#include <stdlib.h>
#include <string.h>

enum { SAID_MAX = 100 }; /* of a value in a message */

static bool has_kind(const struct ir_function *function, enum ir_frozen_kind kind)
{
    for (size_t i = 0; i < function->frozen_nr; i++)
        if (function->frozen[i].kind == kind)
            return true;
    return false;
}

/* What a use of a macro becomes, as a string. */
void gen_frozen_macros(const struct model *model, struct buf *out)
{
    const char *prefix = gen_prefix(model);
    if (has_kind(model->function, FROZEN_TEXT))
        buf_addf(out,
                 "#define %s_text_of(...) #__VA_ARGS__\n"
                 "#define %s_text(...) %s_text_of(__VA_ARGS__)\n\n",
                 prefix, prefix, prefix);
}

static void add_quoted(struct buf *out, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++) {
        buf_add(out, text[i] == '"' || text[i] == '\\' ? "\\" : "");
        buf_add_n(out, text + i, 1);
    }
    buf_add(out, strlen(text) > most ? " ..." : "");
}

static void add_message(struct buf *out, const struct ir_frozen *frozen)
{
    buf_add(out, "\"tuned where ");
    add_quoted(out, frozen->name, SAID_MAX);
    buf_add(out, " is ");
    add_quoted(out, frozen->value, SAID_MAX);
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
    const char *word = model->function->is_cplusplus ? "static_assert" : "_Static_assert";
    buf_addf(out, "%s%s(", margin, word);
    add_condition(model, out, frozen);
    buf_addf(out, ",\n%s%*s", margin, (int)strlen(word) + 1, "");
    add_message(out, frozen);
    buf_add(out, ");");
}

/* At the head of the body: types and arrays have their names there. */
void gen_frozen(const struct model *model, struct edits *edits)
{
    const struct ir_function *function = model->function;
    size_t at = function->body_begin + 1;
    char *own = margin_of(
        function->source,
        line_begin(function->source, function->body_begin) +
            strspn(function->source + line_begin(function->source, function->body_begin),
                   " \t"));
    char *margin = xasprintf("%s%s", own, uses_tabs(function) ? "\t" : "    ");
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
    free(own);
}
