#include "core/code/entry.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/code/entry_parts.h"

enum { inlined_shown = 3 };

/* ---- the file ---- */

static unsigned machine_here(void)
{
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__aarch64__)
    return EM_AARCH64;
#elif defined(__powerpc64__)
    return EM_PPC64;
#else
    return EM_NONE;
#endif
}

static int check_header(const struct entry_file *file, struct error *err)
{
    GElf_Ehdr header;

    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
        !gelf_getehdr(file->elf, &header))
        return fail(err, STATUS_INPUT, "'%s' is not a compiled program", file->path);
    if (header.e_ident[EI_CLASS] == ELFCLASS32)
        return fail(err, STATUS_INPUT,
                    "'%s' is a 32-bit program; build it for 64 bits (without -m32)",
                    file->path);
    if (header.e_machine != machine_here())
        return fail(err, STATUS_INPUT, "'%s' is a program of another architecture",
                    file->path);
    return 0;
}

int entry_file_open(const char *path, struct entry_file **out, struct error *err)
{
    struct entry_file *file = xcalloc(1, sizeof(*file));

    *out = NULL;
    elf_version(EV_CURRENT);
    file->path = xstrdup(path);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0) {
        fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    } else {
        file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
        if (check_header(file, err) == 0)
            *out = file;
    }
    if (!*out)
        entry_file_close(file);
    else
        file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
    return *out ? 0 : -1;
}

void entry_file_close(struct entry_file *file)
{
    if (!file)
        return;
    if (file->dwarf)
        dwarf_end(file->dwarf);
    if (file->elf)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file);
}

bool entry_bias(const struct entry_file *file, uint64_t offset, uint64_t address,
                uint64_t *bias)
{
    size_t nr = 0;

    if (elf_getphdrnum(file->elf, &nr))
        return false;
    for (size_t i = 0; i < nr; i++) {
        GElf_Phdr header;
        uint64_t page = 4095;

        if (!gelf_getphdr(file->elf, (int)i, &header) || header.p_type != PT_LOAD ||
            !(header.p_flags & PF_X))
            continue;
        if ((header.p_offset & ~page) != (offset & ~page))
            continue;
        *bias =
            address - ((header.p_vaddr & ~page) + (offset - (header.p_offset & ~page)));
        return true;
    }
    return false;
}

uint64_t entry_zero_bytes(const struct entry_file *file)
{
    uint64_t bytes = 0;
    size_t nr = 0;

    if (elf_getphdrnum(file->elf, &nr))
        return 0;
    for (size_t i = 0; i < nr; i++) {
        GElf_Phdr header;

        if (gelf_getphdr(file->elf, (int)i, &header) && header.p_type == PT_LOAD &&
            header.p_flags & PF_W && header.p_memsz > header.p_filesz)
            bytes += header.p_memsz - header.p_filesz;
    }
    return bytes;
}

/* ---- symbols ---- */

static void look_at_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          symbol_look *look, void *data)
{
    Elf_Data *table = elf_getdata(section, NULL);
    size_t nr = table && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; i < nr; i++) {
        GElf_Sym symbol;
        const char *name;

        if (!gelf_getsym(table, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
            !symbol.st_value)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && !look(data, name, &symbol))
            return;
    }
}

void entry_each_symbol(const struct entry_file *file, symbol_look *look, void *data)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(file->elf, section))) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            look_at_table(file->elf, section, &header, look, data);
    }
}

/* "f" and "f.constprop.0" of "f", but not the cold part of it, which nobody calls. */
static bool is_named(const char *symbol, const char *function)
{
    size_t length = strlen(function);

    return strncmp(symbol, function, length) == 0 &&
           (!symbol[length] || symbol[length] == '.' || symbol[length] == '@') &&
           !strstr(symbol + length, ".cold") && !strstr(symbol + length, ".part");
}

struct finding {
    const char *function;
    struct entry_points *points;
    bool found;
};

static bool note_symbol(void *data, const char *name, const GElf_Sym *symbol)
{
    struct finding *finding = data;

    if (GELF_ST_TYPE(symbol->st_info) == STT_FUNC && is_named(name, finding->function))
        finding->found = true;
    return !finding->found;
}

bool entry_has_symbol(const struct entry_file *file, const char *function)
{
    struct finding finding = {.function = function};

    entry_each_symbol(file, note_symbol, &finding);
    return finding.found;
}

/* ---- the list ---- */

static struct entry_point *point_at(struct entry_points *points, uint64_t address)
{
    for (size_t i = 0; i < points->nr; i++)
        if (points->item[i].address == address)
            return &points->item[i];
    return NULL;
}

static struct entry_point *add_point(struct entry_points *points, uint64_t address)
{
    GROW(points->item, points->nr + 1, points->alloc);
    points->item[points->nr] = (struct entry_point){.address = address};
    return &points->item[points->nr++];
}

/* Symbols name what the debug information has found; alone they are what there is. */
static bool take_symbol(void *data, const char *name, const GElf_Sym *symbol)
{
    struct finding *finding = data;
    struct entry_point *point;
    bool wanted = is_named(name, finding->function);

    if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC)
        return true;
    point = point_at(finding->points, symbol->st_value);
    if (!point && (!wanted || finding->points->has_debug))
        return true;
    if (!point)
        point = add_point(finding->points, symbol->st_value);
    if (!point->symbol && wanted) {
        point->symbol = xstrdup(name);
        point->is_clone = name[strlen(finding->function)] == '.';
        point->is_public = !point->is_clone && GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
    }
    return true;
}

/* ---- debug information ---- */

struct searching {
    const char *function, *source;
    struct entry_points *points;
};

static bool is_from(Dwarf_Die *die, const char *source)
{
    const char *file = dwarf_decl_file(die);

    return !source || !file || !strcmp(path_base(file), path_base(source));
}

static void note_source(struct entry_points *points, Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);

    if (points->source || !file)
        return;
    points->source = xstrdup(file);
    dwarf_decl_line(die, &points->line);
}

static void add_function(const struct searching *searching, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    Dwarf_Addr address;
    struct entry_point *point;

    if (!name || strcmp(name, searching->function) || !is_from(die, searching->source))
        return;
    if (dwarf_entrypc(die, &address) || !address)
        return;
    note_source(searching->points, die);
    point = point_at(searching->points, address);
    if (!point)
        point = add_point(searching->points, address);
    point->debug = dwarf_dieoffset(die);
}

/* A call that is none any more. */
static void add_inlined(const struct searching *searching, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die), *file = NULL;
    struct entry_points *points = searching->points;
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0, line = 0;
    Dwarf_Files *files;
    Dwarf_Die unit;

    if (!name || strcmp(name, searching->function) || !is_from(die, searching->source))
        return;
    note_source(points, die);
    points->inlined++;
    if (points->inlined_at.nr >= inlined_shown ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &number) ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) ||
        !dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL))
        return;
    file = dwarf_filesrc(files, number, NULL, NULL);
    if (file)
        strvec_pushf(&points->inlined_at, "%s:%llu", path_base(file),
                     (unsigned long long)line);
}

/* Functions stand in units and, of other languages, in namespaces and in one another. */
static void search(const struct searching *searching, Dwarf_Die *parent)
{
    Dwarf_Die die;

    if (dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram)
            add_function(searching, &die);
        if (tag == DW_TAG_inlined_subroutine)
            add_inlined(searching, &die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
            tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
            tag == DW_TAG_module)
            search(searching, &die);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void entry_points_find(const struct entry_file *file, const char *function,
                       const char *source, struct entry_points *points)
{
    struct searching searching = {function, source, points};
    struct finding finding = {.function = function, .points = points};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    *points = (struct entry_points){0};
    while (file->dwarf &&
           dwarf_get_units(file->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        search(&searching, &die);
    points->has_debug = points->nr > 0 || points->inlined > 0;
    entry_each_symbol(file, take_symbol, &finding);
}

void entry_points_release(struct entry_points *points)
{
    for (size_t i = 0; i < points->nr; i++)
        free(points->item[i].symbol);
    free(points->item);
    free(points->source);
    strvec_release(&points->inlined_at);
    *points = (struct entry_points){0};
}
