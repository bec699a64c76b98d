#include "core/base/array.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

static void *or_abort(void *memory)
{
    if (!memory) {
        fputs("inflight: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *xcalloc(size_t nr, size_t size)
{
    return or_abort(calloc(nr ? nr : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t nr, size_t size)
{
    if (size && nr > SIZE_MAX / size)
        return or_abort(NULL);
    if (nr == 0 || size == 0)
        return or_abort(realloc(old, 1));
    return or_abort(realloc(old, nr * size));
}

char *xstrdup(const char *text)
{
    return text ? xstrndup(text, strlen(text)) : NULL;
}

char *xstrndup(const char *text, size_t length)
{
    return or_abort(strndup(text, length));
}

char *xasprintf(const char *format, ...)
{
    struct buf buf = {0};
    va_list args;

    va_start(args, format);
    buf_addf_va(&buf, format, args);
    va_end(args);
    return buf_detach(&buf);
}

static void push_take(struct strvec *list, char *text)
{
    GROW(list->v, list->nr + 2, list->alloc);
    list->v[list->nr++] = text;
    list->v[list->nr] = NULL;
}

void strvec_push(struct strvec *list, const char *text)
{
    push_take(list, xstrdup(text));
}

void strvec_pushf(struct strvec *list, const char *format, ...)
{
    struct buf buf = {0};
    va_list args;

    va_start(args, format);
    buf_addf_va(&buf, format, args);
    va_end(args);
    push_take(list, buf_detach(&buf));
}

void strvec_push_all(struct strvec *list, const struct strvec *from)
{
    for (size_t i = 0; i < from->nr; i++)
        strvec_push(list, from->v[i]);
}

bool strvec_has(const struct strvec *list, const char *text)
{
    for (size_t i = 0; i < list->nr; i++)
        if (strcmp(list->v[i], text) == 0)
            return true;
    return false;
}

void strvec_push_once(struct strvec *list, const char *text)
{
    if (!strvec_has(list, text))
        strvec_push(list, text);
}

char *strvec_join(const struct strvec *list, const char *between)
{
    struct buf text = {0};

    for (size_t i = 0; i < list->nr; i++)
        buf_addf(&text, "%s%s", i ? between : "", list->v[i]);
    return buf_detach(&text);
}

/* Appends the word at *text to `word` and moves *text behind it. A quote left open takes
 * the rest. */
static void split_word(const char **text, struct buf *word)
{
    char quote = '\0';
    const char *at = *text;

    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            buf_add_n(word, ++at, 1);
        else
            buf_add_n(word, at, 1);
    }
    *text = at;
}

void strvec_split(struct strvec *list, const char *text)
{
    for (;;) {
        struct buf word = {0};

        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            return;
        split_word(&text, &word);
        push_take(list, buf_detach(&word));
    }
}

void strvec_release(struct strvec *list)
{
    for (size_t i = 0; i < list->nr; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct strvec){0};
}
