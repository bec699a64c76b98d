/* Functions of the source, from debug information. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/image_parts.h"

/* Nested inlining deeper than that is cut. */
enum { depth_max = 64 };

static const char *language_of(Dwarf_Die *unit)
{
    static const struct {
        int number;
        const char *word;
    } known[] = {
        {DW_LANG_C, "C"},
        {DW_LANG_C89, "C"},
        {DW_LANG_C99, "C"},
        {DW_LANG_C11, "C"},
        {0x2c, "C"}, /* C17, not in all headers */
        {DW_LANG_C_plus_plus, "C++"},
        {DW_LANG_C_plus_plus_03, "C++"},
        {DW_LANG_C_plus_plus_11, "C++"},
        {DW_LANG_C_plus_plus_14, "C++"},
        {0x2b, "C++"}, /* C++20 */
        {0x2a, "C++"}, /* C++17 */
        {DW_LANG_Fortran77, "Fortran"},
        {DW_LANG_Fortran90, "Fortran"},
        {DW_LANG_Fortran95, "Fortran"},
        {DW_LANG_Fortran03, "Fortran"},
        {DW_LANG_Fortran08, "Fortran"},
        {0x2d, "Fortran"}, /* 2018 */
        {DW_LANG_Rust, "Rust"},
        {DW_LANG_Go, "Go"},
        {DW_LANG_D, "D"},
        {DW_LANG_Ada95, "Ada"},
        {DW_LANG_Mips_Assembler, "assembler"},
    };
    int number = dwarf_srclang(unit);

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (known[i].number == number)
            return known[i].word;
    return NULL;
}

const struct image_function *image_function_named(struct image *image, const char *name,
                                                  const char *file, int line,
                                                  const char *language)
{
    for (size_t i = 0; i < image->function_nr; i++) {
        const struct image_function *known = image->function[i];

        if (known->line == line && strcmp(known->name, name) == 0 &&
            !known->file == !file && (!file || strcmp(known->file, file) == 0))
            return known;
    }
    struct image_function *function = xcalloc(1, sizeof(*function));

    strvec_push(&image->path, name);
    function->name = image->path.v[image->path.nr - 1];
    if (file) {
        strvec_push(&image->path, file);
        function->file = image->path.v[image->path.nr - 1];
    }
    function->line = line;
    function->language = language;
    GROW(image->function, image->function_nr + 1, image->function_alloc);
    image->function[image->function_nr++] = function;
    return function;
}

/* Where the function was declared: the DIE whose parents are its classes. */
static void to_declaration(Dwarf_Die *die)
{
    static const unsigned way[] = {DW_AT_abstract_origin, DW_AT_specification};

    for (int steps = 0; steps < 4; steps++)
        for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
            Dwarf_Attribute attribute;
            Dwarf_Die next;

            if (dwarf_attr(die, way[i], &attribute) &&
                dwarf_formref_die(&attribute, &next))
                *die = next;
        }
}

static bool names_a_part(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_module;
}

static char *full_name(Dwarf_Die *die)
{
    struct buf name = {0};
    Dwarf_Die declaration = *die, *scope = NULL;
    const char *own = dwarf_diename(die);
    int nr;

    to_declaration(&declaration);
    nr = dwarf_getscopes_die(&declaration, &scope);
    for (int i = nr - 1; i > 0; i--)
        if (names_a_part(&scope[i]) && dwarf_diename(&scope[i]))
            buf_addf(&name, "%s::", dwarf_diename(&scope[i]));
    buf_add(&name, own ? own : "(without a name)");
    free(scope);
    return buf_detach(&name);
}

/* A part that the compiler made a function of its own (f._omp_fn.0, f.omp_outlined) has
 * the name of the whole. */
static void cut_clone(char *name)
{
    char *dot = strrchr(name, ':'); /* behind a template's arguments may be dots */

    dot = strchr(dot ? dot : name, '.');
    if (dot && dot > name)
        *dot = 0;
}

/* File 0 of DWARF 5 is the unit's own, which clang writes; libdw takes it for none. */
static const char *declared_in(Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    Dwarf_Attribute attribute;
    Dwarf_Word number = 1;
    Dwarf_Half version = 0;
    Dwarf_Files *files;
    Dwarf_Die unit;

    if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
        dwarf_formudata(&attribute, &number) || number != 0 ||
        dwarf_cu_info(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) ||
        version < 5 || dwarf_getsrcfiles(&unit, &files, NULL))
        return file;
    return dwarf_filesrc(files, 0, NULL, NULL);
}

static char *file_of(Dwarf_Die *die, Dwarf_Die *unit)
{
    const char *file = declared_in(die);
    Dwarf_Attribute attribute;
    const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));

    if (!file)
        return NULL;
    return file[0] == '/' || !dir ? xstrdup(file) : path_join(dir, file);
}

/* The function around one that the compiler made and that nobody wrote. */
static void to_written(Dwarf_Die *die)
{
    Dwarf_Die *scope = NULL;
    int nr = declared_in(die) ? 0 : dwarf_getscopes_die(die, &scope);

    for (int i = 1; i < nr; i++)
        if (dwarf_tag(&scope[i]) == DW_TAG_subprogram) {
            *die = scope[i];
            break;
        }
    free(scope);
}

static const struct image_function *image_function_of(struct image *image, Dwarf_Die *of,
                                                      Dwarf_Die *unit)
{
    Dwarf_Die written = *of, *die = &written;

    to_written(die);
    char *name = full_name(die), *file = file_of(die, unit);
    const struct image_function *function;
    int line = 0;

    cut_clone(name);
    if (dwarf_decl_line(die, &line))
        line = 0;
    function = image_function_named(image, name, file, line, language_of(unit));
    free(name);
    free(file);
    return function;
}

/* ---- scopes ---- */

static int add_ranges(struct image_piece *piece, Dwarf_Die *die,
                      const struct image_function *function, int parent)
{
    Dwarf_Addr base, low, high;
    int first = (int)piece->scope_nr;

    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        GROW(piece->scope, piece->scope_nr + 1, piece->scope_alloc);
        piece->scope[piece->scope_nr++] =
            (struct image_scope){function, parent, low, high};
    }
    return first;
}

/* Depth first; of a function that lies in several ranges the first stands for it as a
 * parent: all are of one function. */
static void add_inlined(struct image *image, struct image_piece *piece, Dwarf_Die *parent,
                        Dwarf_Die *unit, int scope, int depth)
{
    Dwarf_Die die;

    if (depth > depth_max || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die), inner = scope;

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
            continue;
        if (tag == DW_TAG_inlined_subroutine)
            inner = add_ranges(piece, &die, image_function_of(image, &die, unit), scope);
        if (inner < (int)piece->scope_nr)
            add_inlined(image, piece, &die, unit, inner, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Parts of functions that became functions stand inside these, whose own code is
 * elsewhere: the whole tree is looked through. */
static bool find_below(Dwarf_Die *parent, Dwarf_Addr address, int depth, Dwarf_Die *out)
{
    Dwarf_Die die;

    if (depth > depth_max || dwarf_child(parent, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram && dwarf_haspc(&die, address) > 0) {
            *out = die;
            return true;
        }
        if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
             names_a_part(&die)) &&
            find_below(&die, address, depth + 1, out))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* The function whose code the address is, in the tree as it stands in the file: an
 * inlined one's scopes lead away to where it was written. */
static bool find_function(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *out)
{
    Dwarf_Die *scope = NULL, *physical = NULL;
    int nr = dwarf_getscopes(unit, address, &scope), physical_nr;
    bool found = false;

    physical_nr = nr > 0 ? dwarf_getscopes_die(&scope[0], &physical) : 0;
    for (int i = 0; i < physical_nr && !found; i++)
        if (dwarf_tag(&physical[i]) == DW_TAG_subprogram &&
            dwarf_haspc(&physical[i], address) > 0) {
            *out = physical[i];
            found = true;
        }
    free(scope);
    free(physical);
    return found || find_below(unit, address, 0, out);
}

/* Units are asked one by one where the compiler wrote no index of addresses. */
static Dwarf_Die *unit_at(const struct image *image, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(image->module, address + image->bias, bias);

    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(image->module, unit, bias)))
        if (dwarf_haspc(unit, address + image->bias - *bias) > 0)
            return unit;
    return NULL;
}

void image_add_scopes(struct image *image, struct image_piece *piece, uint64_t address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = unit_at(image, address, &bias), function;

    if (!unit || !find_function(unit, address + image->bias - bias, &function))
        return;
    int scope =
        add_ranges(piece, &function, image_function_of(image, &function, unit), -1);

    add_inlined(image, piece, &function, unit, scope, 0);
    for (size_t i = 0; i < piece->scope_nr; i++) {
        piece->scope[i].low += bias - image->bias;
        piece->scope[i].high += bias - image->bias;
    }
}

const char *image_line_of(const struct image *image, uint64_t address, int *line)
{
    Dwfl_Line *found = dwfl_module_getsrc(image->module, address + image->bias);

    if (!found) {
        Dwarf_Addr bias = 0;
        Dwarf_Die *unit = image->has_lines ? unit_at(image, address, &bias) : NULL;
        Dwarf_Line *at =
            unit ? dwarf_getsrc_die(unit, address + image->bias - bias) : NULL;

        if (!at || dwarf_lineno(at, line))
            return NULL;
        return dwarf_linesrc(at, NULL, NULL);
    }
    return dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL);
}
