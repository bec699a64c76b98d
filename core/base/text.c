#include "core/base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/buf.h"

bool text_begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool text_ends(const char *text, const char *end)
{
    size_t length = strlen(text), its = strlen(end);
    return length >= its && !strcmp(text + length - its, end);
}

const char *text_behind(const char *text, const char *start)
{
    return text_begins(text, start) ? text + strlen(start) : text;
}

const char *text_line(const char *text, int line)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text;
}

int text_line_ends(const char *text, size_t length)
{
    int nr = 0;
    for (size_t i = 0; i < length; i++)
        nr += text[i] == '\n';
    return nr;
}

bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t text_word_length(const char *text)
{
    size_t length = 0;
    while (is_word_char(text[length]))
        length++;
    return length;
}

size_t text_name_length(const char *text)
{
    return isdigit((unsigned char)*text) ? 0 : text_word_length(text);
}

bool text_has_word(const char *text, const char *word)
{
    const char *at = text;
    size_t length = strlen(word);
    while ((at = strstr(at, word))) {
        if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[length]))
            return true;
        at++;
    }
    return false;
}

enum { MIN_PART = 3 }; /* letters: shorter ones are in too many words */

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t letters_between(const char *a, const char *b)
{
    size_t height = strlen(a), width = strlen(b) + 1;
    size_t *cell = xcalloc((height + 1) * width, sizeof(*cell)), result;

    for (size_t j = 0; j < width; j++)
        cell[j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t *row = cell + i * width, *above = row - width;

        row[0] = i;
        for (size_t j = 1; j < width; j++) {
            bool same = same_letter(a[i - 1], b[j - 1]);

            row[j] = min_of(above[j - 1] + !same, min_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
                row[j] = min_of(row[j], above[j - 2 - width] + 1);
        }
    }
    result = cell[height * width + width - 1];
    free(cell);
    return result;
}

bool text_holds(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

size_t word_distance(const char *word, const char *meant)
{
    size_t length = strlen(word), off = letters_between(word, meant);
    size_t max = length / 3 > 1 ? length / 3 : 1;

    if (off <= max && off < strlen(meant))
        return off;
    if ((length >= MIN_PART && text_holds(meant, word)) ||
        (strlen(meant) >= MIN_PART && text_holds(word, meant)))
        return max + off;
    return SIZE_MAX;
}

const char *nearest_word(const char *word, const char *const *words, size_t nr)
{
    size_t min = SIZE_MAX;
    const char *near = NULL;

    for (size_t i = 0; i < nr; i++) {
        size_t off = word_distance(word, words[i]);

        if (off < min) {
            min = off;
            near = words[i];
        }
    }
    return near;
}

static bool is_among(const char *word, const char *const *words, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

const char *meant_word(const char *word, const char *const *words, size_t nr,
                       const struct synonym *synonyms, size_t synonym_nr)
{
    for (size_t i = 0; i < synonym_nr; i++)
        if (strcasecmp(synonyms[i].word, word) == 0 &&
            is_among(synonyms[i].meant, words, nr))
            return synonyms[i].meant;
    return nearest_word(word, words, nr);
}

void buf_add_known(struct buf *out, const char *word, const char *const *words, size_t nr)
{
    const char *near = nearest_word(word, words, nr);

    if (near)
        buf_addf(out, "; did you mean \"%s\"?", near);
    for (size_t i = 0; !near && i < nr; i++)
        buf_addf(out, "%s%s", i ? ", " : "; known are: ", words[i]);
}

static int read_number(const char **at, long *number)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return -1;
    *number = strtol(*at, &end, 10);
    *at = end;
    return 0;
}

int range_next(const char **at, long *low, long *high)
{
    if (!**at || **at == '\n')
        return 0;
    if (read_number(at, low))
        return -1;
    *high = *low;
    if (**at == '-' && (++*at, read_number(at, high)))
        return -1;
    if (*high < *low || (**at && **at != ',' && **at != '\n'))
        return -1;
    *at += **at == ',';
    return 1;
}
