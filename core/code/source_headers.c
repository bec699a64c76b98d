#define _XOPEN_SOURCE 700 /* realpath */
#include "core/code/source_headers.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/code/dwarf_file.h"
#include "core/files/fs.h"

/* NULL = it is not here. Caller frees. */
static char *resolve(Dwarf_Die *unit, const char *name)
{
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    char *path = *name != '/' && folder ? path_join(folder, name) : xstrdup(name),
         *resolved = realpath(path, NULL);

    free(path);
    return resolved;
}

static bool is_of(Dwarf_Die *unit, const char *real)
{
    const char *name = dwarf_diename(unit);
    char *path = name ? resolve(unit, name) : NULL;
    bool same = path && strcmp(path, real) == 0;

    free(path);
    return same;
}

static void add_files(Dwarf_Die *unit, struct strvec *files)
{
    Dwarf_Files *list;
    size_t nr;

    if (dwarf_getsrcfiles(unit, &list, &nr))
        return;
    for (size_t i = 0; i < nr; i++) {
        const char *name = dwarf_filesrc(list, i, NULL, NULL);
        char *path = name ? resolve(unit, name) : NULL;

        if (path)
            strvec_push_once(files, path);
        free(path);
    }
}

void source_headers(const char *program, const char *source, struct strvec *files)
{
    struct dwarf_file file = dwarf_file_open(program);
    char *real = realpath(source, NULL);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    while (file.dwarf && real &&
           !dwarf_get_units(file.dwarf, cu, &cu, NULL, NULL, &unit, NULL))
        if (is_of(&unit, real))
            add_files(&unit, files);
    free(real);
    dwarf_file_close(&file);
}
