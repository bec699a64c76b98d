#include "core/base/error.h"
#include "observe/copies/copies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- build and run ---- */

/* Behind the quoted text that begins at `at`. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    for (; *at && *at != quote; at++)
        at += quote != '\'' && *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* Does a { or } stand here as a word of its own, as the shell wants it? */
static bool is_brace(const char *text, const char *at)
{
    bool before = at == text || strchr(" \t\n;&|(", at[-1]);
    return before && (!at[1] || strchr(" \t\n;&|)", at[1]));
}

static const char *last_and(const char *text)
{
    const char *found = NULL;
    int depth = 0;
    for (const char *at = text; *at;) {
        if (*at == '\\' && at[1]) {
            at += 2;
        } else if (*at == '\'' || *at == '"' || *at == '`') {
            at = skip_quoted(at);
        } else {
            bool brace = strchr("{}", *at) && is_brace(text, at);
            depth += *at == '(' || (brace && *at == '{');
            depth -= *at == ')' || (brace && *at == '}');
            if (depth == 0 && at[0] == '&' && at[1] == '&')
                found = at++;
            at++;
        }
    }
    return found;
}

static char *trimmed(const char *text, size_t length)
{
    while (length && isspace((unsigned char)*text))
        text++, length--;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return xstrndup(text, length);
}

int shell_text_split(const char *text, char **build, char **run, struct error *err)
{
    const char *at = last_and(text);
    *build = *run = NULL;
    if (!at)
        return fail(err, STATUS_USAGE,
                    "--in-app: '%s' has no '&&' between what builds the application and "
                    "what runs it; a build is needed, such as 'make app && ./app'",
                    text);
    *build = trimmed(text, (size_t)(at - text));
    *run = trimmed(at + 2, strlen(at + 2));
    if (**build && **run)
        return 0;
    int status =
        fail(err, STATUS_USAGE,
             "--in-app: nothing stands %s the last '&&' of '%s'; it is 'BUILD && "
             "RUN', such as 'make app && ./app'",
             **build ? "behind" : "before", text);
    free(*build);
    free(*run);
    *build = *run = NULL;
    return status;
}

/* ---- complaints ---- */

static char *line_of(const char *text, const char *at)
{
    const char *from = at;
    while (from > text && from[-1] != '\n')
        from--;
    return trimmed(from, strcspn(from, "\n"));
}

static char *last_line(const char *text)
{
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return length ? line_of(text, text + length - 1) : NULL;
}

char *shell_text_complaint(const char *out, const char *err)
{
    static const char *const word[] = {"error:", "rror:", "undefined reference", "***"};
    const char *const text[] = {err, out};
    for (size_t w = 0; w < ARRAY_SIZE(word); w++)
        for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
            const char *at = strstr(text[i], word[w]);
            if (at)
                return line_of(text[i], at);
        }
    char *line = last_line(err);
    return line ? line : last_line(out);
}
