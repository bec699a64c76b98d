/* Growing arrays: `item`, `item_nr`, `item_alloc`, grown by GROW. Out of memory aborts
 * (this is a tool). */
#ifndef CORE_BASE_ARRAY_H
#define CORE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *old, size_t nr, size_t size); /* nr * size, overflow checked */
char *xstrdup(const char *text);                   /* NULL gives NULL */
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for `need` items; new room is not cleared. */
#define GROW(item, need, alloc)                                                          \
    do {                                                                                 \
        if ((size_t)(need) > (alloc)) {                                                  \
            size_t grown_ = (alloc) < 8 ? 16 : 2 * (alloc);                              \
            if (grown_ < (size_t)(need))                                                 \
                grown_ = (size_t)(need);                                                 \
            (item) = xrealloc((item), grown_, sizeof(*(item)));                          \
            (alloc) = grown_;                                                            \
        }                                                                                \
    } while (0)

/* A list of owned strings, always NULL-terminated once something was pushed: fit for an
 * argument vector. {0} is empty. */
struct strvec {
    char **v;
    size_t nr, alloc;
};
void strvec_push(struct strvec *list, const char *text);
void strvec_pushf(struct strvec *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strvec_push_all(struct strvec *list, const struct strvec *from);
void strvec_push_once(struct strvec *list, const char *text); /* unless it is there */
bool strvec_has(const struct strvec *list, const char *text);
char *strvec_join(const struct strvec *list, const char *between); /* caller frees */
/* Splits at white space; 'single', "double" quotes and backslash group as in a shell,
 * nothing is expanded. */
void strvec_split(struct strvec *list, const char *text);
void strvec_release(struct strvec *list);

#endif
