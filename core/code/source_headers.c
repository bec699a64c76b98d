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

/* The unit of the source; its file stays open. */
static bool find_unit(const struct dwarf_file *file, const char *real, Dwarf_Die *unit)
{
    Dwarf_CU *cu = NULL;

    while (file->dwarf && real &&
           !dwarf_get_units(file->dwarf, cu, &cu, NULL, NULL, unit, NULL))
        if (is_of(unit, real))
            return true;
    return false;
}

void source_headers(const char *program, const char *source, struct strvec *files)
{
    struct dwarf_file file = dwarf_file_open(program);
    char *real = realpath(source, NULL);
    Dwarf_Die unit;

    if (find_unit(&file, real, &unit))
        add_files(&unit, files);
    free(real);
    dwarf_file_close(&file);
}

/* ---- the command ---- */

/* What compilers define by themselves stands among the macros of the command line, and is
 * told by its name. */
static bool is_own(const char *macro)
{
    static const char *const name[] = {"_LP64",      "_ILP32",          "_OPENMP",
                                       "_REENTRANT", "linux",           "unix",
                                       "i386",       "_FORTIFY_SOURCE", "_GNU_SOURCE"};
    size_t length = strcspn(macro, " (");

    for (size_t i = 0; i < ARRAY_SIZE(name); i++)
        if (strlen(name[i]) == length && strncmp(macro, name[i], length) == 0)
            return true;
    return strncmp(macro, "__", 2) == 0;
}

static void add_define(const char *macro, struct strvec *command)
{
    /* "NAME value", "NAME(a, b) body" */
    const char *open = strpbrk(macro, " ("), *close = strchr(macro, ')'),
               *end = open && *open == '(' && close ? close + 1
                      : open                        ? open
                                                    : macro + strlen(macro);

    strvec_pushf(command, "-D%.*s=%s", (int)(end - macro), macro,
                 *end == ' ' ? end + 1 : end);
}

struct macros {
    Dwarf *dwarf;
    struct strvec *command;
    int depth; /* of imports, which damaged files nest for ever */
};

enum { depth_max = 8 };

static int take_macro(Dwarf_Macro *macro, void *data)
{
    struct macros *macros = data;
    unsigned int kind = 0;
    Dwarf_Word line;
    Dwarf_Attribute first, second;
    const char *name;

    if (dwarf_macro_opcode(macro, &kind) || dwarf_macro_param(macro, 0, &first))
        return DWARF_CB_OK;
    if (kind == DW_MACRO_import) {
        Dwarf_Word at;

        if (macros->depth < depth_max && dwarf_formudata(&first, &at) == 0) {
            macros->depth++;
            dwarf_getmacros_off(macros->dwarf, at, take_macro, macros,
                                DWARF_GETMACROS_START);
            macros->depth--;
        }
        return DWARF_CB_OK;
    }
    bool undone = kind == DW_MACRO_undef || kind == DW_MACRO_undef_strp ||
                  kind == DW_MACRO_undef_strx;
    if ((undone || kind == DW_MACRO_define || kind == DW_MACRO_define_strp ||
         kind == DW_MACRO_define_strx) &&
        dwarf_formudata(&first, &line) == 0 && line == 0 &&
        dwarf_macro_param(macro, 1, &second) == 0 && (name = dwarf_formstring(&second)) &&
        !is_own(name)) {
        if (undone)
            strvec_pushf(macros->command, "-U%s", name);
        else
            add_define(name, macros->command);
    }
    return DWARF_CB_OK;
}

static void add_producer(Dwarf_Die *unit, struct strvec *command)
{
    Dwarf_Attribute attribute;
    const char *producer =
        dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_producer, &attribute));
    struct strvec word = {0};

    if (producer)
        strvec_split(&word, producer);
    for (size_t i = 0; i < word.nr; i++)
        if (word.v[i][0] == '-')
            strvec_push(command, word.v[i]);
    strvec_release(&word);
}

void source_command(const char *program, const char *source, struct strvec *command,
                    char **dir)
{
    struct dwarf_file file = dwarf_file_open(program);
    char *real = realpath(source, NULL);
    Dwarf_Attribute attribute;
    Dwarf_Die unit;

    *dir = NULL;
    if (find_unit(&file, real, &unit)) {
        struct macros macros = {.dwarf = file.dwarf, .command = command};
        int language = dwarf_srclang(&unit);

        strvec_push(command, language == DW_LANG_C_plus_plus ||
                                     language == DW_LANG_C_plus_plus_03 ||
                                     language == DW_LANG_C_plus_plus_11 ||
                                     language == DW_LANG_C_plus_plus_14
                                 ? "c++"
                                 : "cc");
        add_producer(&unit, command);
        dwarf_getmacros(&unit, take_macro, &macros, DWARF_GETMACROS_START);
        *dir = xstrdup(dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute)));
    }
    free(real);
    dwarf_file_close(&file);
}
