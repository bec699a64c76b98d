#include "core/code/source_lines.h"

#include "core/base.h"
#include "core/code/dwarf_file.h"

/* Every unit is asked: not all compilers write an index of addresses (.debug_aranges). */
static void find_in_unit(Dwarf_Die *unit, const uint64_t *address, size_t nr,
                         struct source_line *line)
{
    for (size_t i = 0; i < nr; i++) {
        Dwarf_Line *found;
        const char *file;
        int number = 0;

        if (line[i].file || !address[i])
            continue;
        found = dwarf_getsrc_die(unit, address[i]);
        file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
        if (!file || dwarf_lineno(found, &number) || number <= 0)
            continue;
        line[i].file = xstrdup(file);
        line[i].line = number;
    }
}

void source_lines_find(const char *program, const uint64_t *address, size_t nr,
                       struct source_line *line)
{
    struct dwarf_file file = dwarf_file_open(program);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    for (size_t i = 0; i < nr; i++)
        line[i] = (struct source_line){NULL, 0};
    while (file.dwarf &&
           dwarf_get_units(file.dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        find_in_unit(&unit, address, nr, line);
    dwarf_file_close(&file);
}
