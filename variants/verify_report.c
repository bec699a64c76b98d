/* What sanitizers write about a program, in one sentence. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "variants/verify_lines.h"

/* A line of each: "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address ...",
 * "t.c:4:9: runtime error: signed integer overflow: ...", "WARNING: ThreadSanitizer: data
 * race (pid=7)". */
static const struct {
    const char *sign, *name, *end; /* end: characters that the sentence ends before */
} kinds[] = {
    {"AddressSanitizer: ", "the address sanitizer reports: ", " \n"},
    {"ThreadSanitizer: ", "the thread sanitizer reports: ", "(\n"},
    {"runtime error: ", "undefined behaviour: ", "\n"},
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
            char *place = xasprintf("%.*s", (int)(colon - from) + 1 +
                                                (int)strspn(colon + 1, "0123456789"),
                                    from);

            free(line);
            return place;
        }
        free(line);
    }
    return NULL;
}

static char *sentence_of(const char *report, const char *at, size_t kind)
{
    const char *text = at + strlen(kinds[kind].sign), *line = at;
    char *what = xstrndup(text, strcspn(text, kinds[kind].end)), *place, *sentence;

    while (line > report && line[-1] != '\n')
        line--;
    if (kind == ARRAY_SIZE(kinds) - 1) /* the place stands before */
        place = xasprintf("%.*s", (int)strcspn(path_base(line), ": "), path_base(line));
    else
        place = first_line(at);
    if (kind == ARRAY_SIZE(kinds) - 1) {
        const char *colon = strchr(path_base(line), ':');

        free(place);
        place = xasprintf("%.*s", (int)(colon - path_base(line)) + 1 +
                                      (int)strspn(colon + 1, "0123456789"),
                          path_base(line));
    }
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
