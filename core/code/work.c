#include "core/code/work.h"

#include <string.h>

#include "core/base/text.h"
#include "core/code/decode_parts.h"

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

bool operand_is_general(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg < WORK_REGISTER_VECTOR;
}

bool operand_is_vector(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= WORK_REGISTER_VECTOR &&
           operand->reg < WORK_REGISTER_MASK;
}

bool any_operand(const struct assembly *text, bool (*is)(const struct operand *))
{
    for (size_t i = 0; i < text->operand_nr; i++)
        if (is(&text->operand[i]))
            return true;
    return false;
}

struct work_memory work_no_memory(void)
{
    return (struct work_memory){.base = WORK_NO_REGISTER,
                                .index = WORK_NO_REGISTER,
                                .index_vector = WORK_NO_REGISTER,
                                .mask = WORK_NO_REGISTER,
                                .scale = 1,
                                .lanes = 1};
}

static void add_once(uint8_t *list, uint8_t *nr, size_t max, uint8_t reg)
{
    if (reg == WORK_NO_REGISTER || *nr == max || memchr(list, reg, *nr))
        return;
    list[(*nr)++] = reg;
}

void work_reads(struct instruction_work *work, uint8_t reg)
{
    add_once(work->read, &work->read_nr, WORK_READS_MAX, reg);
}

void work_writes(struct instruction_work *work, uint8_t reg)
{
    add_once(work->write, &work->write_nr, WORK_WRITES_MAX, reg);
}

static bool fits(const char *word, const char *start)
{
    size_t length = strlen(start);

    if (length && start[length - 1] == '$')
        return strlen(word) == length - 1 && strncmp(word, start, length - 1) == 0;
    return text_begins(word, start);
}

const struct class_row *class_row_of(const struct class_row *row, size_t nr,
                                     const char *word)
{
    for (size_t i = 0; i < nr; i++)
        if (fits(word, row[i].start))
            return &row[i];
    return NULL;
}
