#include "variants/verify/verify_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

enum { WORDS_MAX = 6 };

static void forget_case(struct verify_lines *lines)
{
    char **const texts[] = {&lines->outside,  &lines->differ,    &lines->index,
                            &lines->want,     &lines->got,       &lines->odd,
                            &lines->odd_kind, &lines->odd_count, &lines->fault};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
    lines->has_reference = false;
}

void verify_lines_release(struct verify_lines *lines)
{
    forget_case(lines);
    *lines = (struct verify_lines){0};
}

/* The first one of a case counts. */
static void keep(char **to, const char *text)
{
    if (!*to)
        *to = xstrdup(text);
}

static void read_sanitizer(struct verify_lines *lines, char *const *word)
{
    (void)word;
    lines->has_sanitizer = true;
}

static void read_case(struct verify_lines *lines, char *const *word)
{
    (void)word;
    forget_case(lines);
    lines->case_nr++;
}

static void read_reference(struct verify_lines *lines, char *const *word)
{
    (void)word;
    lines->has_reference = true;
}

static void read_done(struct verify_lines *lines, char *const *word)
{
    (void)word;
    lines->is_done = true;
}

static void read_array(struct verify_lines *lines, char *const *word)
{
    double relative = strtod(word[3], NULL);

    if (relative > lines->relative)
        lines->relative = relative;
}

static void read_outside(struct verify_lines *lines, char *const *word)
{
    keep(&lines->outside, word[1]);
}

static void read_fault(struct verify_lines *lines, char *const *word)
{
    if (!lines->fault)
        lines->fault = xasprintf(strcmp(word[3], "outside") == 0
                                     ? "touches %s[%s], which is outside of it"
                                     : "writes %s[%s], which it may only read",
                                 word[1], word[2]);
}

static void read_differ(struct verify_lines *lines, char *const *word)
{
    keep(&lines->differ, word[1]);
    keep(&lines->index, word[2]);
    keep(&lines->want, word[3]);
    keep(&lines->got, word[4]);
}

static void read_odd(struct verify_lines *lines, char *const *word)
{
    static const struct {
        const char *word, *text;
    } kinds[] = {{"nan", "NaN"}, {"inf", "infinite"}, {"denormal", "denormal"}};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].word, word[2]) == 0)
            keep(&lines->odd_kind, kinds[i].text);
    keep(&lines->odd, word[1]);
    keep(&lines->odd_count, word[3]);
}

static const struct {
    const char *key;
    size_t word_nr; /* with the key */
    void (*read)(struct verify_lines *lines, char *const *word);
} kinds[] = {
    {"case", 2, read_case},
    {"reference", 1, read_reference},
    {"array", 5, read_array},
    {"outside", 2, read_outside},
    {"odd", 4, read_odd},
    {"differ", 5, read_differ},
    {"fault", 4, read_fault},
    {"done", 1, read_done},
    {"sanitizer", 1, read_sanitizer},
};

static void read_line(struct verify_lines *lines, const char *line, size_t length)
{
    char *text = xstrndup(line, length);
    struct strvec words = {0};

    strvec_split(&words, text);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (words.nr == kinds[i].word_nr && strcmp(words.v[0], kinds[i].key) == 0)
            kinds[i].read(lines, words.v);
    strvec_release(&words);
    free(text);
}

void verify_lines_read(const char *path, struct verify_lines *lines)
{
    struct buf text = {0};

    *lines = (struct verify_lines){0};
    if (file_read(path, &text, NULL) == 0)
        for (const char *at = buf_str(&text), *end; (end = strchr(at, '\n'));
             at = end + 1)
            read_line(lines, at, (size_t)(end - at));
    buf_release(&text);
}
