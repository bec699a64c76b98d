/* The code of one symbol: its instructions and loops. */
#include <stdlib.h>
#include <string.h>

#include "core/code/image_parts.h"
#include "core/code/machine_loops.h"

/* Longer functions are read up to here; the largest of large interpreters have 1 MiB. */
enum { piece_bytes_max = 4 << 20 };

void image_piece_free(struct image_piece *piece)
{
    for (size_t i = 0; i < piece->loop_nr; i++)
        free(piece->loop[i].line);
    free(piece->loop);
    free(piece->scope);
    free(piece->address);
    free(piece->loop_of);
    free(piece);
}

int image_scope_at(const struct image_piece *piece, uint64_t address)
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

struct image_piece *image_piece_at(struct image *image, uint64_t address)
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
