#include "core/base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* Makes room for `more` bytes and the NUL. */
static void make_room(struct buf *buf, size_t more)
{
    if (more > SIZE_MAX / 2 - buf->length)
        abort();
    GROW(buf->data, buf->length + more + 1, buf->alloc);
}

void buf_add_n(struct buf *buf, const void *bytes, size_t length)
{
    make_room(buf, length);
    if (length)
        memcpy(buf->data + buf->length, bytes, length);
    buf->length += length;
    buf->data[buf->length] = '\0';
}

void buf_add(struct buf *buf, const char *text)
{
    buf_add_n(buf, text, strlen(text));
}

void buf_addf_va(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        abort();
    make_room(buf, (size_t)length);
    vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
    buf->length += (size_t)length;
    va_end(again);
}

void buf_addf(struct buf *buf, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_addf_va(buf, format, args);
    va_end(args);
}

void buf_add_repeat(struct buf *buf, char c, size_t times)
{
    make_room(buf, times);
    memset(buf->data + buf->length, c, times);
    buf->length += times;
    buf->data[buf->length] = '\0';
}

void buf_reset(struct buf *buf)
{
    buf_truncate(buf, 0);
}

void buf_truncate(struct buf *buf, size_t length)
{
    if (!buf->data || length > buf->length)
        return;
    buf->length = length;
    buf->data[length] = '\0';
}

const char *buf_str(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

char *buf_detach(struct buf *buf)
{
    char *text;

    make_room(buf, 0);
    text = buf->data;
    text[buf->length] = '\0';
    *buf = (struct buf){0};
    return text;
}

void buf_release(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){0};
}

/* Columns of UTF-8 text: bytes that do not continue a character. */
static size_t columns(const char *text, size_t length)
{
    size_t nr = 0;

    for (size_t i = 0; i < length; i++)
        nr += ((unsigned char)text[i] & 0xc0) != 0x80;
    return nr;
}

static size_t current_column(const struct buf *buf)
{
    size_t start = buf->length;

    while (start > 0 && buf->data[start - 1] != '\n')
        start--;
    return columns(buf_str(buf) + start, buf->length - start);
}

static void new_line(struct buf *buf, size_t indent, size_t *column)
{
    buf_add(buf, "\n");
    buf_add_repeat(buf, ' ', indent);
    *column = indent;
}

void buf_add_wrapped(struct buf *buf, const char *text, size_t indent, size_t width)
{
    size_t column = current_column(buf);
    bool fresh = true; /* nothing of ours on this line yet */

    while (*text) {
        size_t length = strcspn(text, " \n");
        size_t wide = columns(text, length);

        if (length && !fresh && column + 1 + wide > width) {
            new_line(buf, indent, &column);
            fresh = true;
        }
        if (length && !fresh) {
            buf_add(buf, " ");
            column++;
        }
        buf_add_n(buf, text, length);
        column += wide;
        fresh = fresh && !length;
        text += length;
        if (*text == '\n') {
            new_line(buf, indent, &column);
            fresh = true;
        }
        text += *text != '\0';
    }
}

/* In $'...' of POSIX.1-2024, which bash, zsh, ksh and busybox know. */
static void add_with_escapes(struct buf *buf, const char *word)
{
    buf_add(buf, "$'");
    for (; *word; word++) {
        unsigned char c = (unsigned char)*word;

        if (c < ' ' || c == 0x7f)
            buf_addf(buf, "\\%03o", c);
        else
            buf_addf(buf, "%s%c", c == '\'' || c == '\\' ? "\\" : "", c);
    }
    buf_add(buf, "'");
}

void buf_add_shell_word(struct buf *buf, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./:,@%";
    bool control = false;

    for (const char *c = word; *c; c++)
        control = control || (unsigned char)*c < ' ' || *c == 0x7f;
    if (*word && !word[strspn(word, plain)])
        buf_add(buf, word);
    else if (control)
        add_with_escapes(buf, word);
    else {
        buf_add(buf, "'");
        for (; *word; word++) {
            if (*word == '\'')
                buf_add(buf, "'\\''");
            else
                buf_add_n(buf, word, 1);
        }
        buf_add(buf, "'");
    }
}

void buf_add_shell_words(struct buf *buf, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++) {
        buf_add(buf, i ? " " : "");
        buf_add_shell_word(buf, words[i]);
    }
}
