#include "core/code/work.h"

#include <string.h>

static const char *const words[] = {
#define X(name, word) [WORK_##name] = word,
    WORK_CLASS_MAP(X)
#undef X
};

const char *work_class_word(enum work_class class)
{
    return words[class];
}

enum work_class work_class_from_word(const char *word)
{
    enum work_class class = 0;

    while (class < WORK_CLASS_NR && strcmp(words[class], word) != 0)
        class ++;
    return class;
}
