/* What sanitizers write about a program, in one sentence. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "variants/verify/verify_lines.h"

/* A line of each: "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address ...",
 * "t.c:4:9: runtime error: signed integer overflow: ...", "WARNING: ThreadSanitizer: data
 * race (pid=7)". */
static const struct {
    const char *sign, *name, *end; /* end: characters that the sentence ends before */
    bool is_behind;                /* the place stands before the sign */
} kinds[] = {
    {"AddressSanitizer: ", "the address sanitizer reports: ", " \n", false},
    {"ThreadSanitizer: ", "the thread sanitizer reports: ", "(\n", false},
    {"runtime error: ", "undefined behaviour: ", "\n", true},
};

static char *clean(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return text;
}

/* "t.c:4" of the first frame "#0 0x55 in f /dir/t.c:4:9" or "#0 f /dir/t.c:4" that has a
 * line; NULL if none has. */
static char *first_line(const char *report)
{
    for (const char *at = strstr(report, "#0 "); at; at = strchr(at, '\n')) {
        at += *at == '\n';
        size_t length = strcspn(at, "\n");
        char *line = xstrndup(at, length);
        char *slash = strrchr(line, '/'), *from = slash ? slash + 1 : strrchr(line, ' ');
        char *colon = from ? strchr(from, ':') : NULL;

        if (strchr(line, '#') && colon && isdigit((unsigned char)colon[1])) {
            char *place = xasprintf(
                "%.*s", (int)(colon - from) + 1 + (int)strspn(colon + 1, "0123456789"),
                from);

            free(line);
            return place;
        }
        free(line);
    }
    return NULL;
}

/* "t.c:4" of "/dir/t.c:4:9: runtime error: ..." */
static char *place_before(const char *report, const char *at)
{
    const char *line = at;

    while (line > report && line[-1] != '\n')
        line--;
    char *text = xstrndup(line, (size_t)(at - line)), *colon;
    const char *base = path_base(text);
    char *place;

    colon = strchr(base, ':');
    place =
        colon ? xasprintf("%.*s",
                          (int)(colon - base) + 1 + (int)strspn(colon + 1, "0123456789"),
                          base)
              : NULL;
    free(text);
    return place;
}

static char *sentence_of(const char *report, const char *at, size_t kind)
{
    const char *text = at + strlen(kinds[kind].sign);
    char *what = xstrndup(text, strcspn(text, kinds[kind].end)), *sentence;
    char *place = kinds[kind].is_behind ? place_before(report, at) : first_line(at);

    sentence = xasprintf("%s%s%s%s", kinds[kind].name, clean(what), place ? " in " : "",
                         place ? clean(place) : "");
    free(place);
    free(what);
    return sentence;
}

char *sanitizer_report(const char *path)
{
    struct buf text = {0};
    char *sentence = NULL;

    if (file_read(path, &text, NULL) == 0)
        for (size_t i = 0; i < ARRAY_SIZE(kinds) && !sentence; i++) {
            const char *at = strstr(buf_str(&text), kinds[i].sign);

            if (at)
                sentence = sentence_of(buf_str(&text), at, i);
        }
    buf_release(&text);
    return sentence;
}
