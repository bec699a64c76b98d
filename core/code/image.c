#define _XOPEN_SOURCE 700 /* realpath */
#include "core/code/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/code/image_parts.h"
#include "core/code/machine_loops.h"

static size_t image_read_code(const struct image *image, uint64_t address, uint8_t *out,
                              size_t bytes);

/* ---- piece ---- */

/* The code of one symbol: its instructions and loops. */

/* Longer functions are read up to here; the largest of large interpreters have 1 MiB. */
enum { piece_bytes_max = 4 << 20 };

static void image_piece_free(struct image_piece *piece)
{
    for (size_t i = 0; i < piece->loop_nr; i++)
        free(piece->loop[i].line);
    free(piece->loop);
    free(piece->scope);
    free(piece->address);
    free(piece->loop_of);
    free(piece);
}

/* The innermost scope at the address, -1 = none. */
static int image_scope_at(const struct image_piece *piece, uint64_t address)
{
    int found = -1;

    for (size_t i = 0; i < piece->scope_nr; i++) /* deeper ones come later */
        if (address >= piece->scope[i].low && address < piece->scope[i].high)
            found = (int)i;
    return found;
}

/* ---- instructions ---- */

static struct machine_instruction *read_code(const struct image *image,
                                             struct image_piece *piece)
{
    size_t bytes = (size_t)(piece->high - piece->low), at = 0, alloc = 0, nr = 0;
    uint8_t *code = xcalloc(bytes + DECODE_BYTES, 1);
    struct machine_instruction *instruction = NULL;

    bytes = image_read_code(image, piece->low, code, bytes);
    while (at < bytes) {
        struct decoded decoded = decode(image->decoder, code + at, piece->low + at);

        GROW(instruction, nr + 1, alloc);
        instruction[nr++] =
            (struct machine_instruction){piece->low + at, decoded.flow, decoded.target};
        at += decoded.known ? decoded.bytes : image->arch == DECODE_X86 ? 1 : 4;
    }
    free(code);
    piece->instruction_nr = nr;
    return instruction;
}

/* ---- what a loop is in the source ---- */

static int depth_of(const struct image_piece *piece, int scope)
{
    int depth = -1;

    for (; scope >= 0; scope = piece->scope[scope].parent)
        depth++;
    return depth;
}

/* Of ranges of one inlined call the parent may be either: the same function under the
 * same one is the same scope. */
static bool same_scope(const struct image_piece *piece, int a, int b)
{
    while (a >= 0 && b >= 0 && a != b) {
        if (piece->scope[a].function != piece->scope[b].function)
            return false;
        a = piece->scope[a].parent;
        b = piece->scope[b].parent;
    }
    return a == b;
}

static int common_scope(const struct image_piece *piece, int a, int b)
{
    int depth_a = depth_of(piece, a), depth_b = depth_of(piece, b);

    for (; depth_a > depth_b; depth_a--)
        a = piece->scope[a].parent;
    for (; depth_b > depth_a; depth_b--)
        b = piece->scope[b].parent;
    while (a >= 0 && b >= 0 && !same_scope(piece, a, b)) {
        a = piece->scope[a].parent;
        b = piece->scope[b].parent;
    }
    return a < 0 || b < 0 ? -1 : a;
}

static void add_line(struct image_loop *loop, size_t *alloc, int line)
{
    size_t at = loop->line_nr;

    while (at > 0 && loop->line[at - 1] >= line)
        at--;
    if (at < loop->line_nr && loop->line[at] == line)
        return;
    GROW(loop->line, loop->line_nr + 1, *alloc);
    memmove(loop->line + at + 1, loop->line + at,
            (loop->line_nr - at) * sizeof(*loop->line));
    loop->line[at] = line;
    loop->line_nr++;
}

static void add_lines(const struct image *image, const struct image_piece *piece,
                      struct image_loop *loop, int number, int scope)
{
    const struct image_function *function =
        scope < 0 ? NULL : piece->scope[scope].function;
    size_t alloc = 0;

    for (size_t i = 0; function && i < piece->instruction_nr; i++) {
        int line = 0;
        const char *file;

        if (piece->loop_of[i] != number ||
            !same_scope(piece, image_scope_at(piece, piece->address[i]), scope))
            continue;
        file = image_line_of(image, piece->address[i], &line);
        if (file && line > 0 &&
            (!function->file || strcmp(path_base(file), path_base(function->file)) == 0))
            add_line(loop, &alloc, line);
    }
}

/* The innermost function that all of the loop is part of, and its lines. */
static void describe_loop(const struct image *image, struct image_piece *piece,
                          int number)
{
    struct image_loop *loop = &piece->loop[number];
    bool first = true;
    int scope = -1;

    for (size_t i = 0; i < piece->instruction_nr; i++) {
        uint64_t end =
            i + 1 < piece->instruction_nr ? piece->address[i + 1] : piece->high;
        int here;

        if (piece->loop_of[i] != number)
            continue;
        here = image_scope_at(piece, piece->address[i]);
        scope = first ? here : common_scope(piece, scope, here);
        if (first)
            loop->address = piece->address[i];
        first = false;
        loop->bytes += (size_t)(end - piece->address[i]);
    }
    loop->depth = depth_of(piece, scope);
    add_lines(image, piece, loop, number, scope);
}

static void find_loops(const struct image *image, struct image_piece *piece)
{
    struct machine_instruction *code;

    if (!image->decoder)
        return;
    code = read_code(image, piece);
    piece->address = xcalloc(piece->instruction_nr, sizeof(*piece->address));
    piece->loop_of = xcalloc(piece->instruction_nr, sizeof(*piece->loop_of));
    for (size_t i = 0; i < piece->instruction_nr; i++)
        piece->address[i] = code[i].address;
    piece->loop_nr = machine_loops_find(code, piece->instruction_nr, piece->loop_of);
    piece->loop = xcalloc(piece->loop_nr, sizeof(*piece->loop));
    for (size_t i = 0; i < piece->loop_nr; i++)
        describe_loop(image, piece, (int)i);
    free(code);
}

/* ---- symbols ---- */

/* False where no symbol is near. Code written in assembler may have no size: it reaches
 * to the next symbol then, which libdwfl sees to; the end is that of the page. */
static bool find_symbol(const struct image *image, uint64_t address,
                        struct image_piece *piece)
{
    GElf_Sym symbol;
    GElf_Off inside;
    const char *name = dwfl_module_addrinfo(image->module, address + image->bias, &inside,
                                            &symbol, NULL, NULL, NULL);

    if (!name || (symbol.st_size && inside >= symbol.st_size))
        return false;
    piece->symbol = name;
    piece->low = address - inside;
    piece->high = piece->low + (symbol.st_size ? symbol.st_size : inside + 1);
    if (piece->high - piece->low > piece_bytes_max)
        piece->high = piece->low + piece_bytes_max;
    return true;
}

/* Where debug information does not know the code, the linker's name does. */
static void add_symbol_scope(struct image *image, struct image_piece *piece)
{
    GROW(piece->scope, 1, piece->scope_alloc);
    piece->scope[piece->scope_nr++] =
        (struct image_scope){image_function_named(image, piece->symbol, NULL, 0, NULL),
                             -1, piece->low, piece->high};
}

static struct image_piece *known_piece(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->piece_nr; i++)
        if (address >= image->piece[i]->low && address < image->piece[i]->high)
            return image->piece[i];
    return NULL;
}

/* image_piece.c: the piece that the address lies in, NULL = no symbol is known. */
static struct image_piece *image_piece_at(struct image *image, uint64_t address)
{
    struct image_piece *piece = known_piece(image, address);

    if (piece)
        return piece;
    piece = xcalloc(1, sizeof(*piece));
    if (!find_symbol(image, address, piece)) {
        free(piece);
        return NULL;
    }
    if (image->has_lines)
        image_add_scopes(image, piece, address);
    if (piece->scope_nr == 0)
        add_symbol_scope(image, piece);
    find_loops(image, piece);
    GROW(image->piece, image->piece_nr + 1, image->piece_alloc);
    image->piece[image->piece_nr++] = piece;
    return piece;
}

/* ---- file ---- */

static enum decode_arch arch_of(const Elf64_Ehdr *header)
{
    switch (header->e_machine) {
    case EM_X86_64:
        return DECODE_X86;
    case EM_AARCH64:
        return DECODE_ARM64;
    case EM_PPC64:
        return DECODE_POWER;
    default:
        return DECODE_NONE;
    }
}

static int read_segments(struct image *image, const Elf64_Ehdr *header, const char *path,
                         struct error *err)
{
    for (int i = 0; i < header->e_phnum; i++) {
        off_t at = (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize);
        Elf64_Phdr segment;

        if (pread(image->fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
            return fail(err, STATUS_INPUT, "'%s' is cut off: its segments are not there",
                        path);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        GROW(image->segment, image->segment_nr + 1, image->segment_alloc);
        image->segment[image->segment_nr++] =
            (struct image_segment){segment.p_vaddr, segment.p_offset, segment.p_filesz};
    }
    return 0;
}

/* image_file.c */
static int image_read_headers(struct image *image, const char *path, struct error *err)
{
    const uint16_t one = 1;
    const uint8_t order = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    Elf64_Ehdr header;

    image->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (image->fd < 0)
        return fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (pread(image->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return fail(err, STATUS_INPUT, "'%s' is not a program in ELF format", path);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order)
        return fail(err, STATUS_INPUT,
                    "'%s' is a program for another kind of machine: only those of 64 "
                    "bits in this one's byte order are read",
                    path);
    image->arch = arch_of(&header);
    return read_segments(image, &header, path, err);
}

uint64_t image_address(const struct image *image, uint64_t file_offset)
{
    for (size_t i = 0; i < image->segment_nr; i++) {
        const struct image_segment *segment = &image->segment[i];

        if (file_offset >= segment->offset &&
            file_offset - segment->offset < segment->bytes)
            return segment->address + (file_offset - segment->offset);
    }
    return UINT64_MAX;
}

/* The bytes of code at the address, as many as there are up to `bytes`; how many. */
static size_t image_read_code(const struct image *image, uint64_t address, uint8_t *out,
                              size_t bytes)
{
    for (size_t i = 0; i < image->segment_nr; i++) {
        const struct image_segment *segment = &image->segment[i];
        uint64_t inside = address - segment->address;
        ssize_t got;

        if (address < segment->address || inside >= segment->bytes)
            continue;
        if (bytes > segment->bytes - inside)
            bytes = (size_t)(segment->bytes - inside);
        got = pread(image->fd, out, bytes, (off_t)(segment->offset + inside));
        return got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* ---- image ---- */

static char *no_debug_path; /* NULL: the usual folders */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &no_debug_path,
};

/* What libdwfl makes of it; nothing is a legal answer. */
static void open_debug(struct image *image, const char *path)
{
    Dwarf_Addr bias;

    image->dwfl = dwfl_begin(&callbacks);
    if (!image->dwfl)
        return;
    dwfl_report_begin(image->dwfl);
    image->module = dwfl_report_offline(image->dwfl, path, path, -1);
    dwfl_report_end(image->dwfl, NULL, NULL);
    if (!image->module || !dwfl_module_getelf(image->module, &image->bias)) {
        image->module = NULL;
        return;
    }
    image->has_lines = dwfl_module_getdwarf(image->module, &bias) != NULL;
}

int image_open(const char *path, struct image **out, struct error *err)
{
    struct image *image = xcalloc(1, sizeof(*image));

    image->fd = -1;

    if (image_read_headers(image, path, err)) {
        image_free(image);
        return -1;
    }
    decoder_new(image->arch, &image->decoder, NULL);
    open_debug(image, path);
    *out = image;
    return 0;
}

void image_free(struct image *image)
{
    if (!image)
        return;
    for (size_t i = 0; i < image->piece_nr; i++)
        image_piece_free(image->piece[i]);
    for (size_t i = 0; i < image->function_nr; i++)
        free(image->function[i]);
    free(image->piece);
    free(image->function);
    strvec_release(&image->path);
    if (image->dwfl)
        dwfl_end(image->dwfl);
    decoder_free(image->decoder);
    free(image->segment);
    if (image->fd >= 0)
        close(image->fd);
    free(image);
}

/* ---- what lies around an address ---- */

static void fill_frames(const struct image_piece *piece, uint64_t address,
                        struct image_place *place)
{
    for (int at = image_scope_at(piece, address);
         at >= 0 && place->frame_nr < IMAGE_FRAMES_MAX; at = piece->scope[at].parent)
        place->frame[place->frame_nr++] = piece->scope[at].function;
}

static const struct image_loop *loop_at(const struct image_piece *piece, uint64_t address)
{
    size_t low = 0, high = piece->instruction_nr;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (piece->address[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && piece->loop_of[low - 1] >= 0 ? &piece->loop[piece->loop_of[low - 1]]
                                                   : NULL;
}

void image_find(struct image *image, uint64_t address, struct image_place *place)
{
    struct image_piece *piece;

    *place = (struct image_place){0};
    if (!image->module)
        return;
    place->file = image_line_of(image, address, &place->line);
    piece = image_piece_at(image, address);
    if (!piece)
        return;
    place->symbol = piece->symbol;
    fill_frames(piece, address, place);
    place->loop = loop_at(piece, address);
}

/* ---- names ---- */

bool image_name_is(const char *found, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = found; (at = strstr(at, name)); at++) {
        bool begins = at == found || (at >= found + 2 && at[-1] == ':' && at[-2] == ':');

        if (begins && (at[length] == 0 || at[length] == '.'))
            return true;
    }
    return false;
}

/* Without "./" in front. */
static const char *plain(const char *path)
{
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}

bool image_file_is(const char *found, const char *asked)
{
    char *a, *b;
    size_t long_nr, short_nr;
    bool same;

    asked = plain(asked);
    a = realpath(found, NULL);
    b = realpath(asked, NULL);
    same = a && b && strcmp(a, b) == 0;
    if (a && b) {
        free(a);
        free(b);
        return same;
    }
    free(a);
    free(b);
    long_nr = strlen(found);
    short_nr = strlen(asked);
    return long_nr >= short_nr && strcmp(found + long_nr - short_nr, asked) == 0 &&
           (long_nr == short_nr || found[long_nr - short_nr - 1] == '/');
}
