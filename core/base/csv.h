/* Tables as text, one row a line: comma-separated after RFC 4180, or with the separators
 * that others use. */
#ifndef CORE_BASE_CSV_H
#define CORE_BASE_CSV_H

#include <stdbool.h>

#include "core/base/buf.h"

struct error;
struct strvec;

/* ---- writing ---- */

/* One field, quoted where a comma, a quote or a line's end is in it. */
void csv_add(struct buf *out, const char *text);

/* ---- reading ---- */

struct csv_lines {
    const char *file, *rest;
    int nr;          /* of the line, from 1 */
    struct buf line; /* without its end */
};
bool csv_next(struct csv_lines *lines);
/* "file:line: message", STATUS_INPUT, -1. */
int csv_fail(const struct csv_lines *lines, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Splits at the separator; white space around a field is no part of it; "a ""field"""
 * may hold separators, but no line's end. */
void csv_fields(const char *line, char separator, struct strvec *out);
/* The first of tab ; | , that the line holds, ',' if none. */
char csv_separator(const char *line);
bool csv_is_blank(const char *text);

#endif
