/* The parts of an image: the file (image_file.c), functions of the source (image.c), code
 * of one symbol (image_piece.c). */
#ifndef CORE_CODE_IMAGE_PARTS_H
#define CORE_CODE_IMAGE_PARTS_H

#include <elfutils/libdwfl.h>

#include "core/base/array.h"
#include "core/code/decode.h"
#include "core/code/image.h"

/* What is loaded and may be executed. */
struct image_segment {
    uint64_t address, offset, bytes;
};

/* Ranges of code of one function of the source: of the symbol's own, or inlined. */
struct image_scope {
    const struct image_function *function;
    int parent; /* place in the list; -1 = none */
    uint64_t low, high;
};

/* The code of one symbol. */
struct image_piece {
    uint64_t low, high;
    const char *symbol;
    struct image_scope *scope; /* parents before what they contain; ranges apart */
    size_t scope_nr, scope_alloc;
    struct image_loop *loop;
    size_t loop_nr;
    uint64_t *address; /* of each instruction, ascending */
    int *loop_of;      /* of each, -1 = none */
    size_t instruction_nr;
};

struct image {
    int fd;
    struct image_segment *segment;
    size_t segment_nr, segment_alloc;
    enum decode_arch arch;
    struct decoder *decoder; /* NULL = this architecture cannot be decoded */
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL = libdwfl cannot read it */
    Dwarf_Addr bias;     /* of its addresses in libdwfl */
    bool has_lines;      /* it has debug information */
    struct image_function **function;
    size_t function_nr, function_alloc;
    struct image_piece **piece; /* ascending */
    size_t piece_nr, piece_alloc;
    struct strvec path; /* owned texts of functions */
};

/* image_function.c: the functions of the source around an address. */
const struct image_function *image_function_named(struct image *image, const char *name,
                                                  const char *file, int line,
                                                  const char *language);
/* Fills the piece's scopes from debug information, if there is any. */
void image_add_scopes(struct image *image, struct image_piece *piece, uint64_t address);
const char *image_line_of(const struct image *image, uint64_t address, int *line);

#endif
