#include "core/base/error.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int exit_status;
    const char *text;
} statuses[] = {
#define X(name, exit_status, text) [STATUS_##name] = {exit_status, text},
    STATUS_MAP(X)
#undef X
};

int fail_va(struct error *err, enum status status, const char *format, va_list args)
{
    if (!err || err->status != STATUS_OK)
        return -1;
    err->status = status;
    vsnprintf(err->text, sizeof(err->text), format, args);
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
    return -1;
}

void error_clear(struct error *err)
{
    err->status = STATUS_OK;
    err->text[0] = '\0';
}

int status_exit(enum status status)
{
    return statuses[status].exit_status;
}

const char *status_text(enum status status)
{
    return statuses[status].text;
}
