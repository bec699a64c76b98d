#include "advisor/apply/rename_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct renaming {
    const char *path, *from, *to;
    struct buf *out;
};

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (begins_name(at[length]) || isdigit((unsigned char)at[length]))
        length++;
    return length;
}

/* Behind the comment or literal at `at`; `at` if there is none. */
static const char *behind_literal(const char *at)
{
    const char *end;
    if (!strncmp(at, "//", 2))
        return at + strcspn(at, "\n");
    if (!strncmp(at, "/*", 2))
        return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if (*at != '"' && *at != '\'')
        return at;
    for (end = at + 1; *end && *end != *at && *end != '\n'; end++)
        end += *end == '\\' && end[1];
    return *end ? end + 1 : end;
}

/* The "..." behind #include, as it would be found from the file's own folder. */
static void add_included(const struct renaming *renaming, const char *name, size_t length)
{
    const char *base = path_base(renaming->path);
    char *own = xstrndup(name, length);
    char *dir = xstrndup(renaming->path, (size_t)(base - renaming->path));
    char *path = xasprintf("%s%s", dir, own);
    char *absolute = path_absolute(path);
    buf_addf(renaming->out, "\"%s\"",
             own[0] != '/' && file_exists(path) ? absolute : own);
    free(own);
    free(dir);
    free(path);
    free(absolute);
}

/* Copies the directive up to its "..." where it is an include; else nothing. */
static const char *copy_include(const struct renaming *renaming, const char *at)
{
    const char *word = at + 1 + strspn(at + 1, " \t"), *quote, *end;
    if (strncmp(word, "include", 7))
        return at;
    quote = word + 7 + strspn(word + 7, " \t");
    end = *quote == '"' ? strpbrk(quote + 1, "\"\n") : NULL;
    if (!end || *end != '"')
        return at;
    buf_add_n(renaming->out, at, (size_t)(quote - at));
    add_included(renaming, quote + 1, (size_t)(end - quote - 1));
    return end + 1;
}

static const char *copy_name(const struct renaming *renaming, const char *at)
{
    size_t length = name_length(at);
    bool from = length == strlen(renaming->from) && !strncmp(at, renaming->from, length);
    bool to = length == strlen(renaming->to) && !strncmp(at, renaming->to, length);
    if (from)
        buf_add(renaming->out, renaming->to);
    else if (to)
        buf_addf(renaming->out, "inflight_other_%s", renaming->to);
    else
        buf_add_n(renaming->out, at, length);
    return at + length;
}

static void copy(const struct renaming *renaming, const char *at)
{
    bool line_begins = true;
    while (*at) {
        const char *end = behind_literal(at);
        if (end == at && line_begins && *at == '#')
            end = copy_include(renaming, at);
        else if (end > at)
            buf_add_n(renaming->out, at, (size_t)(end - at));
        if (end == at && begins_name(*at)) {
            end = copy_name(renaming, at);
        } else if (end == at && isdigit((unsigned char)*at)) {
            end = at + name_length(at); /* 0x1f and 1e5f hold no names */
            buf_add_n(renaming->out, at, (size_t)(end - at));
        } else if (end == at) {
            buf_add_n(renaming->out, end++, 1);
        }
        line_begins = *at == '\n' || (line_begins && isspace((unsigned char)*at));
        at = end;
    }
}

int rename_source(const char *path, const char *from, const char *to, struct buf *out,
                  struct error *err)
{
    struct buf text = {0};
    struct renaming renaming = {path, from, to, out};
    int status = file_read(path, &text, err);
    buf_add(out, "#line 1 \"");
    for (const char *c = path; *c; c++)
        buf_addf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    buf_add(out, "\"\n");
    if (!status)
        copy(&renaming, buf_str(&text));
    buf_release(&text);
    return status;
}
