#define _XOPEN_SOURCE 700 /* realpath */
#include "core/code/image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/code/image_parts.h"

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
    image->has_symbols = dwfl_module_getsymtab(image->module) > 1;
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

bool image_has_symbols(const struct image *image)
{
    return image->has_symbols;
}

bool image_has_lines(const struct image *image)
{
    return image->has_lines;
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
