#include "core/code/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"

struct entry_file {
    char *path;
    int fd;
    Elf *elf;
};

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
    return *out ? 0 : -1;
}

void entry_file_close(struct entry_file *file)
{
    if (!file)
        return;
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

/* Calls `look` for every symbol with a value; stops when it returns false. */
typedef bool symbol_look(void *data, const char *name, const GElf_Sym *symbol);

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

static void each_symbol(const struct entry_file *file, symbol_look *look, void *data)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(file->elf, section))) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            look_at_table(file->elf, section, &header, look, data);
    }
}

struct around {
    uint64_t address, end;
};

/* The smallest one, of a name that stands for a part of another. */
static bool look_around(void *data, const char *name, const GElf_Sym *symbol)
{
    struct around *around = data;
    uint64_t end = symbol->st_value + symbol->st_size;

    (void)name;
    if (GELF_ST_TYPE(symbol->st_info) == STT_OBJECT &&
        symbol->st_value <= around->address && around->address < end &&
        (!around->end || end < around->end))
        around->end = end;
    return true;
}

uint64_t entry_variable_end(const struct entry_file *file, uint64_t address)
{
    struct around around = {.address = address};

    each_symbol(file, look_around, &around);
    return around.end;
}
