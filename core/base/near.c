#include "core/base/near.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"

enum { LEAST_PART = 3 }; /* letters: shorter ones are in too many words */

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t letters_between(const char *a, const char *b)
{
    size_t length = strlen(b), *row = xcalloc(length + 1, sizeof(*row)), result;

    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t change = diagonal + !same_letter(a[i - 1], b[j - 1]);
            size_t gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            diagonal = row[j];
            row[j] = change < gap ? change : gap;
        }
    }
    result = row[length];
    free(row);
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
    size_t most = length / 3 > 2 ? length / 3 : 2;

    if (off <= most && off < strlen(meant))
        return off;
    if ((length >= LEAST_PART && text_holds(meant, word)) ||
        (strlen(meant) >= LEAST_PART && text_holds(word, meant)))
        return most + off;
    return SIZE_MAX;
}
