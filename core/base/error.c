#include "core/base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const int exit_statuses[] = {
#define X(name, exit_status, text) [STATUS_##name] = (exit_status),
    STATUS_MAP(X)
#undef X
};

/* Messages quote names of files and what stands in them: no order to a terminal may. */
static void make_printable(char *text)
{
    for (char *c = text; *c; c++) {
        bool upper = (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] >= 0x80 &&
                     (unsigned char)c[1] <= 0x9f;
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
        else if (upper)
            c[0] = c[1] = '?';
    }
}

int fail_va(struct error *err, enum status status, const char *format, va_list args)
{
    if (!err || err->status != STATUS_OK)
        return -1;
    err->status = status;
    vsnprintf(err->text, sizeof(err->text), format, args);
    make_printable(err->text);
    return -1;
}

int fail(struct error *err, enum status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_va(err, status, format, args);
    va_end(args);
    return -1;
}

int fail_in(struct error *err, const char *format, ...)
{
    char context[sizeof(err->text)];
    char text[sizeof(err->text)];
    va_list args;

    if (!err)
        return -1;
    va_start(args, format);
    vsnprintf(context, sizeof(context), format, args);
    va_end(args);
    memcpy(text, err->text, sizeof(text));
    /* Both halves may be long; what does not fit is cut at the end. */
    int used = snprintf(err->text, sizeof(err->text), "%s: ", context);
    if (used >= 0 && (size_t)used < sizeof(err->text))
        snprintf(err->text + used, sizeof(err->text) - (size_t)used, "%s", text);
    make_printable(err->text);
    return -1;
}

void error_remedy(struct error *err, const char *format, ...)
{
    va_list args;

    if (!err || err->remedy[0])
        return;
    va_start(args, format);
    int length = vsnprintf(err->remedy, sizeof(err->remedy), format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof(err->remedy))
        err->remedy[0] = '\0';
}

int fail_as(struct error *err, const struct error *from)
{
    if (err && err->status == STATUS_OK)
        memcpy(err->remedy, from->remedy, sizeof(err->remedy));
    return fail(err, from->status, "%s", from->text);
}

void error_clear(struct error *err)
{
    err->status = STATUS_OK;
    err->text[0] = err->remedy[0] = '\0';
}

int status_exit(enum status status)
{
    return exit_statuses[status];
}
