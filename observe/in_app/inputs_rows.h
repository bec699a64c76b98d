/* Rows that pointers in the memory of an application lead to: where they lie. Private to
 * observe/in_app. */
#ifndef OBSERVE_IN_APP_INPUTS_ROWS_H
#define OBSERVE_IN_APP_INPUTS_ROWS_H

#include "observe/capture/recording.h"
#include "variants/kernel/kernel_inputs.h"

struct inputs_array;
struct strvec;

/* Memory that lies in one piece there and here. */
struct row_piece {
    uint64_t address, bytes;
    uint64_t at; /* behind the first row, here */
};
struct captured_rows {
    const struct recorded_call *call;
    uint64_t *address; /* of each row, in the order of its subscripts; 0 = nowhere */
    long long *place;  /* here, in bytes; -1 = nowhere */
    size_t nr;
    struct row_piece *piece; /* by address */
    size_t piece_nr;
    uint64_t head_bytes; /* of the places, in whole pages */
    uint64_t bytes;      /* here, of all rows and of what lies between them */
    uint64_t first, end; /* in the application */
    bool share;          /* two of them the same memory */
};
/* An array without rows is one piece. */
void rows_of_array(const struct inputs_array *array, struct captured_rows *rows);
/* Follows the pointers from `top`; large gaps between rows become smaller, by multiples
 * of 2 MiB. */
int rows_find(const struct recorded_call *call, const struct kernel_input *input,
              uint64_t top, struct captured_rows *rows, struct error *err);
/* Elements of each level: those that the loops use, or, where that is not known or the
 * pointers are handed on, as many as the blocks and variables hold that they lie in. */
int rows_extent(const struct recorded_call *call, const struct kernel_input *input,
                uint64_t top, long long *extent, struct error *err);
void rows_release(struct captured_rows *rows);
/* For inputs_add: the places, then the rows. */
int rows_read(void *rows, unsigned long long at, void *to, size_t bytes);

/* A row of the one and a row of the other share memory. */
bool rows_share(const struct captured_rows *a, const struct captured_rows *b);

#endif
