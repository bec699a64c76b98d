/*
 * What a call of a kernel was given, in one file: a head of JSON (inflight.inputs/1,
 * docs/schemas/inputs.json) and behind it the arrays, each at a multiple of 4096 bytes.
 * Pages that held zeros only are holes.
 */
#ifndef CORE_OBSERVE_INPUTS_H
#define CORE_OBSERVE_INPUTS_H

#include <stdint.h>

#include "core/base/array.h"
#include "core/files/json.h"

struct buf;
struct error;

struct inputs_number {
    char *name, *value; /* as C writes it: "4096", "1.5" */
};
struct inputs_array {
    char *name;
    size_t record_bytes;                /* of an element, or of a whole struct */
    long long records;                  /* that are in the file */
    unsigned long long offset, bytes;   /* in the file */
    uint64_t address;                   /* in the application */
    bool huge_pages;                    /* most of it lay in huge pages there */
    unsigned long long untouched_bytes; /* of pages not used before the call */
    bool is_guessed; /* the end is that of the memory around it: what the kernel
                        needs of it depends on what it holds */
    char *end;       /* then: of what, "variable", "block" (of malloc), "mapping" */
    bool written;    /* by the kernel */
    char *hash;      /* of the bytes, 16 hexadecimal digits */
    char *left_out;  /* why it is not in the file; NULL = it is */
    unsigned long long left_out_bytes;
    /* Of pointers to rows (`double **a`): elements of each level. Where each row begins
     * stands in the file before the elements, see inputs_rows_bytes. */
    long long *rows;
    long long
        *spare;    /* of them, more than the kernel's own loops use: it hands them on */
    size_t row_nr; /* 0 = no rows */
};
/* What stands before the elements, from `offset` on: a number of 8 bytes for each row,
 * bytes behind the first element (-1 = no row), in whole pages; 0 without rows. */
unsigned long long inputs_rows_bytes(const struct inputs_array *array);
struct inputs {
    char *function, *signature; /* "f", "void f(double *, int)" */
    char *source, *program, *host, *date;
    char *command; /* as it was typed */
    long long call;
    struct inputs_number *number;
    size_t number_nr, number_alloc;
    struct inputs_array *array;
    size_t array_nr, array_alloc;
    struct strvec overlaps; /* sentences about arrays that share memory */
    struct strvec shared;   /* their names, two by two, where one of them is written; the
                               same twice: its rows do among themselves */
};
void inputs_release(struct inputs *inputs);

/* ---- writing ---- */

struct inputs_file; /* a file being written: nobody sees it before it is complete */

/* Beside `path`, on whose file system there must be room. */
int inputs_begin(const char *path, struct inputs_file **file, struct error *err);
/* Bytes that may still be written: what is free there, less a margin. */
double inputs_room(const struct inputs_file *file);
/* A path under which what was written so far can be read while the file is open. */
const char *inputs_path(const struct inputs_file *file);
/* Appends what `read` gives (0 or -1 for each piece, in order) and fills in the array's
 * offset, bytes and hash. */
typedef int inputs_read_bytes(void *data, unsigned long long at, void *to, size_t bytes);
int inputs_add(struct inputs_file *file, unsigned long long bytes,
               inputs_read_bytes *read, void *data, struct inputs_array *array,
               struct error *err);
/* Writes the head and gives the file its name. Both end with the handle freed; without
 * inputs_end nothing is left of it. */
int inputs_end(struct inputs_file *file, const struct inputs *inputs, struct error *err);
void inputs_abandon(struct inputs_file *file); /* NULL is fine */

/* ---- reading ---- */

/* The head, checked; the file must have the size that it says. */
int inputs_load(const char *path, struct inputs *inputs, struct error *err);
/* Are the bytes those that were written? Reads all of it. */
int inputs_verify(const char *path, const struct inputs *inputs, struct error *err);
json_t *inputs_json(const struct inputs *inputs);

/* For people. */
void inputs_text(const struct inputs *inputs, struct buf *out);

#endif
