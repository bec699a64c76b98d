/* Names of CPUs, as counts and profiles have them. */
#include <ctype.h>
#include <string.h>

#include "core/traffic/traffic.h"

/* Words that tell CPUs apart, lower case; nothing in brackets, no clock. */
static void name_words(const char *name, struct strvec *out)
{
    struct buf text = {0};
    int depth = 0;
    for (; *name && *name != '@'; name++) {
        depth += *name == '(';
        char c = (char)tolower((unsigned char)*name);
        if (depth == 0)
            buf_add_n(&text, &c, 1);
        else if (*name == ')')
            depth--;
    }
    struct strvec all = {0};
    strvec_split(&all, buf_str(&text));
    for (size_t i = 0; i < all.nr; i++)
        if (strcmp(all.v[i], "cpu") && strcmp(all.v[i], "processor") &&
            !strstr(all.v[i], "-core"))
            strvec_push(out, all.v[i]);
    strvec_release(&all);
    buf_release(&text);
}

bool cpu_names_agree(const char *a, const char *b)
{
    struct strvec left = {0}, right = {0};
    name_words(a, &left);
    name_words(b, &right);
    const struct strvec *fewer = left.nr < right.nr ? &left : &right,
                        *more = left.nr < right.nr ? &right : &left;
    bool agree = fewer->nr > 0;
    for (size_t i = 0; i < fewer->nr; i++)
        agree = agree && strvec_has(more, fewer->v[i]);
    strvec_release(&left);
    strvec_release(&right);
    return agree;
}
