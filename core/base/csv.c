#include "core/base/csv.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/error.h"
#include "core/base/text.h"

static void add_quoted(struct buf *out, const char *text)
{
    buf_add(out, "\"");
    for (; *text; text++)
        buf_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    buf_add(out, "\"");
}

void csv_add(struct buf *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n"))
        add_quoted(out, text);
    else
        buf_add(out, text);
}

bool csv_next(struct csv_lines *lines)
{
    if (!*lines->rest)
        return false;
    size_t length = strcspn(lines->rest, "\n");
    size_t kept = length && lines->rest[length - 1] == '\r' ? length - 1 : length;
    buf_reset(&lines->line);
    buf_add_n(&lines->line, lines->rest, kept);
    lines->rest += length + (lines->rest[length] == '\n');
    lines->nr++;
    return true;
}

int csv_fail(const struct csv_lines *lines, struct error *err, const char *format, ...)
{
    struct buf message = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&message, format, args);
    va_end(args);
    fail(err, STATUS_INPUT, "%s:%d: %s", lines->file, lines->nr, buf_str(&message));
    buf_release(&message);
    return -1;
}

bool csv_is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n")];
}

char csv_separator(const char *line)
{
    static const char known[] = "\t;|,";
    for (const char *c = known; *c; c++)
        if (strchr(line, *c))
            return *c;
    return ',';
}

static const char *quoted_field(const char *at, struct buf *out)
{
    for (at++; *at; at++) {
        if (*at == '"' && at[1] != '"')
            return at + 1;
        at += *at == '"';
        buf_add_n(out, at, 1);
    }
    return at;
}

static void push_trimmed(const char *text, size_t length, struct strvec *out)
{
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    char *field = xstrndup(text, length);
    strvec_push(out, field);
    free(field);
}

void csv_fields(const char *line, char separator, struct strvec *out)
{
    const char stop[] = {separator, '\0'};
    struct buf field = {0};
    for (;;) {
        while (*line == ' ' || (*line == '\t' && separator != '\t'))
            line++;
        buf_reset(&field);
        if (*line == '"')
            line = quoted_field(line, &field);
        size_t length = strcspn(line, stop);
        buf_add_n(&field, line, length);
        push_trimmed(buf_str(&field), field.length, out);
        line += length;
        if (!*line)
            break;
        line++;
    }
    buf_release(&field);
}
