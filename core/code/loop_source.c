#include "core/code/loop_source.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base.h"

static const char *const words_c[] = {"for", "while", "do", NULL};
static const char *const words_fortran[] = {"do", "forall", NULL};
static const char *const words_rust[] = {"for", "while", "loop", NULL};

static bool is_fortran(const char *language)
{
    return language && strcmp(language, "Fortran") == 0;
}

static const char *const *words_of(const char *language)
{
    if (is_fortran(language))
        return words_fortran;
    return language && strcmp(language, "Rust") == 0 ? words_rust : words_c;
}

static bool is_word_at(const char *at, const char *word, bool any_case)
{
    size_t length = strlen(word);

    return (any_case ? strncasecmp(at, word, length) : strncmp(at, word, length)) == 0 &&
           !is_word_char(at[length]);
}

/* From here to the end of the line it is a comment. */
static bool is_silent(const char *at, bool fortran)
{
    return fortran ? *at == '!' : at[0] == '/' && (at[1] == '/' || at[1] == '*');
}

static bool begins_loop(const char *at, const char *end, const char *language)
{
    bool fortran = is_fortran(language), in_text = false;
    char before = ' ';

    at += strspn(at, " \t");
    if (at < end && *at == '*') /* a comment goes on */
        return false;
    if (fortran && strncasecmp(at, "end", 3) == 0)
        return false;
    for (; at < end && !(is_silent(at, fortran) && !in_text); before = *at++) {
        if (*at == '"' && before != '\\')
            in_text = !in_text;
        if (in_text || is_word_char(before))
            continue;
        for (const char *const *word = words_of(language); *word; word++)
            if (is_word_at(at, *word, fortran))
                return true;
    }
    return false;
}

static bool line_begins_loop(const char *text, const char *language, int line)
{
    for (; line > 1 && text; line--) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text && *text && begins_loop(text, text + strcspn(text, "\n"), language);
}

int loop_source_line(const char *text, const char *language, const int *line, size_t nr,
                     int function_line)
{
    for (size_t i = 0; i < nr; i++)
        if (line_begins_loop(text, language, line[i]))
            return line[i];
    for (int above = nr ? line[0] - 1 : 0; above > 0 && above >= function_line; above--)
        if (line_begins_loop(text, language, above))
            return above;
    return 0;
}
