#include "core/base.h"
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
             "--in-app: there is nothing %s the last '&&' of '%s'; it is 'BUILD && "
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

/* What compilers say behind their linker's own sentences: that it failed. */
static bool is_after_linker(const char *text, const char *at)
{
    char *line = line_of(text, at);
    bool after = strstr(line, "ld returned") || strstr(line, "linker command failed");
    free(line);
    return after;
}

/* The first line of `text` with one of the words; NULL = none. */
static const char *line_with(const char *text, const char *const *word, size_t nr)
{
    const char *first = NULL;
    for (size_t i = 0; i < nr; i++) {
        const char *at = strstr(text, word[i]);
        while (at && is_after_linker(text, at))
            at = strstr(at + 1, word[i]);
        if (at && (!first || at < first))
            first = at;
    }
    return first;
}

/* The line before the one in which make gives up, which names no reason: the last that is
 * not make's own. NULL = there is none. */
static char *line_before(const char *text, const char *end)
{
    while (end > text) {
        while (end > text && end[-1] == '\n')
            end--;
        char *line = end > text ? line_of(text, end - 1) : NULL;
        if (line && *line && strncmp(line, "make", 4))
            return line;
        while (end > text && end[-1] != '\n')
            end--;
        free(line);
    }
    return NULL;
}

/* "setparams: class ? is unknown (make: *** [Makefile:3: config] Error 1)" */
static char *cause_of_stop(const char *out, const char *err, const char *stop,
                           bool in_err)
{
    char *said = line_of(in_err ? err : out, stop),
         *cause = in_err ? line_before(err, stop) : NULL;
    if (!cause)
        cause = line_before(out, in_err ? out + strlen(out) : stop);
    char *whole = cause ? xasprintf("%s (%s)", cause, said) : xstrdup(said);
    free(said);
    free(cause);
    return whole;
}

char *shell_text_complaint(const char *out, const char *err)
{
    /* Surest first; make's own last line says less than what made it give up. */
    static const char *const error[] = {"error:", "Error:", "undefined reference",
                                        "multiple definition", "cannot find -l"},
                             *const lack[] = {"rror:", "No rule to make target",
                                              "No such file or directory", "not found",
                                              "cannot find"},
                             *const linker[] = {"ld: "}, *const stop[] = {"***"};
    static const struct {
        const char *const *word;
        size_t nr;
    } kind[] = {{error, ARRAY_SIZE(error)},
                {lack, ARRAY_SIZE(lack)},
                {linker, ARRAY_SIZE(linker)},
                {stop, ARRAY_SIZE(stop)}};
    const char *const text[] = {err, out};
    for (size_t k = 0; k < ARRAY_SIZE(kind); k++)
        for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
            const char *at = line_with(text[i], kind[k].word, kind[k].nr);
            if (at && (i == 0 || kind[k].word != lack)) /* configure says much there */
                return kind[k].word == stop ? cause_of_stop(out, err, at, i == 0)
                                            : line_of(text[i], at);
        }
    char *line = last_line(err);
    return line ? line : last_line(out);
}

char *shell_text_ending(const struct spawn_outcome *outcome, double limit_s)
{
    char *complaint =
        shell_text_complaint(buf_str(&outcome->out), buf_str(&outcome->err));
    const char *reported = complaint ? complaint : "it printed nothing";
    char *phrase = spawn_end_phrase(outcome->end, outcome->code), *text = NULL;
    if (outcome->end == SPAWN_TIMED_OUT)
        text = xasprintf("it had not ended after %.3g s and was stopped", limit_s);
    else if (phrase && outcome->end == SPAWN_EXITED)
        text = xasprintf("it %s: %s", phrase, reported);
    else if (phrase)
        text = xasprintf("it %s", phrase);
    free(phrase);
    free(complaint);
    return text;
}
