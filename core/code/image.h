/*
 * A program or library as it lies on disk: which function of the source an address
 * belongs to, through what it was inlined, on which line it was written, and the machine
 * loop around it. Whatever was compiled to it: C, C++, Fortran, Rust. Separate debug
 * information is found where the system keeps it (.gnu_debuglink, build-id).
 */
#ifndef CORE_CODE_IMAGE_H
#define CORE_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct image;
/* Fails (STATUS_INPUT) for what cannot be read or is no program of 64 bits. Everything
 * that an image hands out lives until it is freed. */
int image_open(const char *path, struct image **image, struct error *err);
void image_free(struct image *image); /* NULL is fine */

/* The address, as debug information counts, of a place in the file; UINT64_MAX for what
 * is not loaded as code. */
uint64_t image_address(const struct image *image, uint64_t file_offset);

/* Of the source, as debug information has it; of the table of symbols where there is
 * none. The same function is the same pointer. */
struct image_function {
    const char *name;     /* with its namespaces and classes: "box::Grid::sweep" */
    const char *file;     /* absolute where the compiler's folder is known; NULL */
    int line;             /* where it begins; 0 = not known */
    const char *language; /* "C", "C++", "Fortran" ...; NULL = not known */
};

/* A natural loop of the machine code. */
struct image_loop {
    uint64_t address; /* of its first instruction in memory order */
    size_t bytes;     /* of its instructions */
    /* The innermost function of the source that all of it was written in or was inlined
     * into, counted from the outside: place.frame[place.frame_nr - 1 - depth]. */
    int depth;
    /* Lines of that function's file that code of the loop was written on, ascending. */
    int *line;
    size_t line_nr;
};

enum { IMAGE_FRAMES_MAX = 24 };

struct image_place {
    const char *symbol; /* the linker's name of the code; NULL = not known */
    /* Innermost first: [0] is the function the instruction was written in, the last the
     * one that it is code of. 0 = not known. */
    const struct image_function *frame[IMAGE_FRAMES_MAX];
    int frame_nr;
    const char *file; /* of its line; NULL = not known */
    int line;
    const struct image_loop *loop; /* the innermost; NULL = none, or not known */
};

void image_find(struct image *image, uint64_t address, struct image_place *place);

/* Is `name` the function that debug information or the linker calls `found`? Clones of
 * compilers (f.part.0, f._omp_fn.0) are it, and so are Class::f and ns::f. */
bool image_name_is(const char *found, const char *name);
/* Do the two name one file? `asked` may lack folders in front. */
bool image_file_is(const char *found, const char *asked);

#endif
