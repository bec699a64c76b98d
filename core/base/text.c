#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

bool text_begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool text_has_word(const char *text, const char *word)
{
    const char *at = text;
    size_t length = strlen(word);
    while ((at = strstr(at, word))) {
        bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (starts && ends)
            return true;
        at++;
    }
    return false;
}
