#include "core/code/producer.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/dwarf_file.h"

static char *producer_in(Dwarf *dwarf, const char *file)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Attribute attribute;
        const char *name = dwarf_diename(&die);
        if (!name || strcmp(path_base(name), path_base(file)))
            continue;
        const char *text =
            dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_producer, &attribute));
        if (text)
            return xstrdup(text);
    }
    return NULL;
}

char *producer_of(const char *program, const char *file)
{
    struct dwarf_file opened = dwarf_file_open(program);
    char *producer = opened.dwarf ? producer_in(opened.dwarf, file) : NULL;
    dwarf_file_close(&opened);
    return producer;
}

/* gcc writes -march=native as what it found: a name, and a flag for each instruction
 * set, which the name implies. */
static bool is_kept(const char *word, bool named)
{
    static const char *const kept[] = {
        "-O",
        "-march=",
        "-mcpu=",
        "-ffast-math",
        "-fopenmp",
        "-ftree-",
        "-funroll",
        "-fno-tree-",
        "-fno-math-errno",
        "-funsafe-math-optimizations",
        "-fassociative-math",
        "-fvect",
        "-fno-unroll",
        "-mprefer-vector-width=",
        "-fstrict-aliasing",
        "-fno-strict-aliasing",
    };
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        if (text_begins(word, kept[i]))
            return true;
    return !named && text_begins(word, "-m") && !strchr(word, '=');
}

char *producer_flags(const char *producer)
{
    struct strvec word = {0}, flag = {0};
    bool named = false;
    strvec_split(&word, producer);
    for (size_t i = 0; i < word.nr; i++)
        named = named || (text_begins(word.v[i], "-march=") &&
                          strcmp(word.v[i], "-march=x86-64") != 0);
    for (size_t i = 0; i < word.nr; i++)
        if (is_kept(word.v[i], named))
            strvec_push(&flag, word.v[i]);
    char *flags = strvec_join(&flag, " ");
    strvec_release(&word);
    strvec_release(&flag);
    return flags;
}
