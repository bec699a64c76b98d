/* A growing text. {0} is a valid empty one; buf_str never gives NULL; the text is always
 * NUL-terminated. */
#ifndef CORE_BASE_BUF_H
#define CORE_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *data;
    size_t length, alloc;
};

void buf_add(struct buf *buf, const char *text);
void buf_add_n(struct buf *buf, const void *bytes, size_t length);
void buf_addf(struct buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buf_addf_va(struct buf *buf, const char *format, va_list args);
void buf_add_repeat(struct buf *buf, char c, size_t times);
void buf_reset(struct buf *buf); /* empty, keeps the room */
void buf_truncate(struct buf *buf, size_t length);
const char *buf_str(const struct buf *buf);
char *buf_detach(struct buf *buf); /* caller frees; never NULL */
void buf_release(struct buf *buf);

/* Appends `text` wrapped at `width` columns, each line but the first (which continues the
 * current one) after `indent` spaces. */
void buf_add_wrapped(struct buf *buf, const char *text, size_t indent, size_t width);

/* One word of a command, to be pasted into a shell: quoted where it must be. */
void buf_add_shell_word(struct buf *buf, const char *word);
/* The whole command: NULL-terminated; NULL = no words. */
void buf_add_shell_words(struct buf *buf, const char *const *words);

#endif
