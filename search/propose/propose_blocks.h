/* The shape of a matrix product. */
#ifndef SEARCH_PROPOSE_BLOCKS_H
#define SEARCH_PROPOSE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

struct machine;

/*
 * Block sizes of C[i][j] += A[i][k] * B[k][j] from the machine. Pure: knows neither
 * kernel nor measurement. After Goto and van de Geijn, "Anatomy of high-performance
 * matrix multiplication" (ACM TOMS 34, 2008), and Low, Igual, Smith and Quintana-Orti,
 * "Analytical modeling is enough for high-performance BLIS" (ACM TOMS 43, 2016).
 */
struct block_machine {
    double l2_bytes;     /* of one core; 0 = unknown, then 256 KiB */
    long long registers; /* vector registers: 16 without, 32 with AVX-512; at least 8 */
    long long vector_bytes, element_bytes; /* powers of 2 */
    bool triangle; /* rows begin or end where columns stand: blocks of them must meet */
};

/* Iterations of i, j and k. */
struct block_shape {
    long long lanes;    /* elements of a vector */
    long long rows;     /* of C in registers: i */
    long long columns;  /* of C in registers: j, a multiple of lanes */
    long long depth;    /* k: of the packed panels */
    long long i_blocks; /* i: rows of the packed block of A, a multiple of `rows` */
    long long j_blocks; /* j: columns of the packed block of B, a multiple of `columns` */
};

/* Low et al., section 3.1: the block of C, a column of A and a row of B share the
 * registers, one of which is left for the element of A: rows of C beside so many vectors
 * of a row, an even number above 2; below 1 = there is no room. */
long long propose_block_rows(long long registers, long long vectors);
/* Products per operand loaded. */
double propose_block_value(long long rows, long long vectors);
struct block_shape propose_blocks(const struct block_machine *machine);

/* The plan of that shape for loops and arrays called so; several products may be added to
 * one c, and an array may be in both places. The caller frees. */
enum { BLOCK_OPERANDS_MAX = 4 };
struct block_names {
    const char *i, *j, *k;
    const char *a[BLOCK_OPERANDS_MAX], *b[BLOCK_OPERANDS_MAX]; /* up to NULL */
    const char *c;
    const char *split; /* steps that give what stands beside the product loops of its own,
                          after the tiles: it runs in the first of them; NULL = none */
};
char *propose_blocks_plan(const struct block_shape *shape,
                          const struct block_names *names);

/* What blocks of elements of `element` bytes have to fit. */
struct block_machine block_machine(const struct machine *machine, size_t element);

#endif
