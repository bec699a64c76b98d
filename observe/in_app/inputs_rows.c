#include "observe/in_app/inputs_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/inputs/inputs.h"

/* A gap that is larger is made so that addresses stay alike modulo huge pages. */
enum { PLACE_BYTES = 2 << 20, GAP_MAX_BYTES = 2 * PLACE_BYTES, ROWS_MAX = 1 << 26 };
/* Of rows, where their ends are sought. */
enum { looked_at_max = 64 };

/* ---- following the pointers ---- */

static int read_pointers(const struct recorded_call *call, uint64_t from, uint64_t *to,
                         size_t nr)
{
    if (from && recorded_read(call, from, to, nr * sizeof(*to)) == 0)
        return 0;
    memset(to, 0, nr * sizeof(*to));
    return -1;
}

static int follow(struct captured_rows *rows, const struct kernel_input *input,
                  uint64_t top, struct error *err)
{
    uint64_t *level = xcalloc(1, sizeof(*level));
    size_t nr = 1;

    *level = top;
    for (size_t k = 0; k + 1 < input->levels; k++) {
        size_t each = (size_t)input->extent[k];
        uint64_t *next;

        if (each > ROWS_MAX || nr * each > ROWS_MAX) {
            free(level);
            return fail(err, STATUS_INPUT, "'%s' has too many rows to be captured",
                        input->name);
        }
        next = xcalloc(nr * each + 1, sizeof(*next));
        for (size_t i = 0; each && i < nr; i++)
            if (read_pointers(rows->call, level[i], next + i * each, each) && k == 0) {
                free(level);
                free(next);
                return fail(err, STATUS_INPUT,
                            "array '%s' cannot be captured: it points to 0x%llx, where "
                            "no %zu pointers are",
                            input->name, (unsigned long long)top, each);
            }
        free(level);
        level = next;
        nr *= each;
    }
    rows->address = level;
    rows->nr = nr;
    return 0;
}

/* What is no address is taken for a row that the loops do not use. */
static void drop_unreadable(struct captured_rows *rows)
{
    char byte;

    for (size_t i = 0; i < rows->nr; i++)
        if (rows->address[i] && recorded_read(rows->call, rows->address[i], &byte, 1))
            rows->address[i] = 0;
}

/* ---- pieces ---- */

static int by_address(const void *a, const void *b)
{
    const struct row_piece *first = a, *second = b;

    return (first->address > second->address) - (first->address < second->address);
}

static void list_pieces(struct captured_rows *rows, uint64_t row_bytes)
{
    rows->piece = xcalloc(rows->nr + 1, sizeof(*rows->piece));
    for (size_t i = 0; row_bytes && i < rows->nr; i++)
        if (rows->address[i])
            rows->piece[rows->piece_nr++] =
                (struct row_piece){.address = rows->address[i], .bytes = row_bytes};
    qsort(rows->piece, rows->piece_nr, sizeof(*rows->piece), by_address);
}

/* Rows that share bytes, or touch, become one. */
static void join_pieces(struct captured_rows *rows)
{
    size_t nr = 0;

    for (size_t i = 0; i < rows->piece_nr; i++) {
        struct row_piece *last = nr ? &rows->piece[nr - 1] : NULL, one = rows->piece[i];

        rows->share = rows->share || (last && one.address < last->address + last->bytes);
        if (last && one.address <= last->address + last->bytes) {
            if (one.address + one.bytes > last->address + last->bytes)
                last->bytes = one.address + one.bytes - last->address;
        } else {
            rows->piece[nr++] = one;
        }
    }
    rows->piece_nr = nr;
}

/* ---- how many there are ---- */

/* Elements from each of the places on to the next of them, or to the end of the block or
 * variable that holds it: the most. Of many a part is looked at. */
static int elements_at(struct captured_rows *rows, const struct kernel_input *input,
                       size_t element_bytes, long long *most, struct error *err)
{
    struct recorded_memory memory;

    drop_unreadable(rows);
    list_pieces(rows, 1);
    join_pieces(rows);
    for (size_t i = 0; i < rows->piece_nr; i += rows->piece_nr / looked_at_max + 1) {
        uint64_t at = rows->piece[i].address,
                 next = i + 1 < rows->piece_nr ? rows->piece[i + 1].address : UINT64_MAX;

        if (!recorded_memory_at(rows->call, at, &memory) ||
            memory.piece == RECORDED_MAPPING)
            return fail(err, STATUS_INPUT,
                        "array '%s' cannot be captured: how many rows it has and how "
                        "long they are follows neither from the sizes nor from where "
                        "they lie (they are neither blocks of malloc nor variables)",
                        input->name);
        uint64_t end = next < memory.end ? next : memory.end;
        if ((long long)((end - at) / element_bytes) > *most)
            *most = (long long)((end - at) / element_bytes);
    }
    return 0;
}

/* What is handed on may be used further than the loops go. */
int rows_extent(const struct recorded_call *call, const struct kernel_input *input,
                uint64_t top, long long *extent, struct error *err)
{
    struct kernel_input part = *input;
    int status = 0;

    part.extent = extent;
    for (size_t k = 0; k < input->levels && !status; k++) {
        struct captured_rows rows = {.call = call};
        bool is_last = k + 1 == input->levels;

        extent[k] = input->records < 0 ? 0 : input->extent[k];
        if (input->records >= 0 && !input->is_handed_on)
            continue;
        part.levels = k + 1;
        status = follow(&rows, &part, top, err) ||
                 elements_at(&rows, input, is_last ? input->bytes : sizeof(uint64_t),
                             &extent[k], err);
        rows_release(&rows);
    }
    return status ? -1 : 0;
}

/* ---- places here ---- */

static void place_pieces(struct captured_rows *rows)
{
    for (size_t i = 0; i < rows->piece_nr; i++) {
        struct row_piece *piece = &rows->piece[i], *before = piece - 1;
        uint64_t gap = i ? piece->address - before->address - before->bytes : 0;

        if (gap > GAP_MAX_BYTES)
            gap = gap % PLACE_BYTES + PLACE_BYTES;
        piece->at = i ? before->at + before->bytes + gap : 0;
        rows->bytes = piece->at + piece->bytes;
        rows->end = piece->address + piece->bytes;
    }
    rows->first = rows->piece_nr ? rows->piece[0].address : 0;
}

static const struct row_piece *piece_of(const struct captured_rows *rows,
                                        uint64_t address)
{
    size_t low = 0, high = rows->piece_nr;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (rows->piece[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    return &rows->piece[low];
}

static void place_rows(struct captured_rows *rows)
{
    rows->place = xcalloc(rows->nr + 1, sizeof(*rows->place));
    for (size_t i = 0; i < rows->nr; i++) {
        uint64_t address = rows->address[i];
        const struct row_piece *piece =
            address && rows->piece_nr ? piece_of(rows, address) : NULL;

        rows->place[i] = piece ? (long long)(piece->at + address - piece->address) : -1;
    }
}

int rows_find(const struct recorded_call *call, const struct kernel_input *input,
              uint64_t top, struct captured_rows *rows, struct error *err)
{
    uint64_t row_bytes = (uint64_t)input->extent[input->levels - 1] * input->bytes;

    *rows = (struct captured_rows){.call = call};
    if (follow(rows, input, top, err))
        return -1;
    drop_unreadable(rows);
    list_pieces(rows, row_bytes);
    join_pieces(rows);
    place_pieces(rows);
    place_rows(rows);
    rows->head_bytes = (rows->nr * sizeof(*rows->place) + 4095) / 4096 * 4096;
    rows->bytes = (rows->bytes + input->bytes - 1) / input->bytes * input->bytes;
    return 0;
}

void rows_of_array(const struct inputs_array *array, struct captured_rows *rows)
{
    *rows = (struct captured_rows){.piece = xcalloc(1, sizeof(*rows->piece)),
                                   .piece_nr = 1,
                                   .first = array->address,
                                   .end = array->address + array->bytes};
    rows->piece[0] = (struct row_piece){.address = array->address, .bytes = array->bytes};
}

void rows_release(struct captured_rows *rows)
{
    free(rows->address);
    free(rows->place);
    free(rows->piece);
    *rows = (struct captured_rows){0};
}

/* ---- reading ---- */

static void copy_part(const void *from, uint64_t from_at, uint64_t length,
                      unsigned long long at, char *to, size_t bytes)
{
    uint64_t begin = from_at > at ? from_at : at,
             end = from_at + length < at + bytes ? from_at + length : at + bytes;

    if (begin < end)
        memcpy(to + (begin - at), (const char *)from + (begin - from_at), end - begin);
}

/* Of the last row of a block less may be there than the longest one has. */
static void read_part(const struct captured_rows *rows, const struct row_piece *piece,
                      unsigned long long at, char *to, size_t bytes)
{
    uint64_t begin = piece->at > at ? piece->at : at, end = piece->at + piece->bytes;

    if (end > at + bytes)
        end = at + bytes;
    while (begin < end) {
        uint64_t from = piece->address + (begin - piece->at), length = end - begin;

        if (recorded_read(rows->call, from, to + (begin - at), length) == 0)
            return;
        length = length < 4096 - from % 4096 ? length : 4096 - from % 4096;
        if (recorded_read(rows->call, from, to + (begin - at), length))
            memset(to + (begin - at), 0, length);
        begin += length;
    }
}

int rows_read(void *data, unsigned long long at, void *to, size_t bytes)
{
    const struct captured_rows *rows = data;
    unsigned long long behind = at + bytes;

    memset(to, 0, bytes);
    copy_part(rows->place, 0, rows->nr * sizeof(*rows->place), at, to, bytes);
    if (behind <= rows->head_bytes)
        return 0;
    if (at < rows->head_bytes) {
        size_t head = rows->head_bytes - at;

        to = (char *)to + head;
        bytes -= head;
        at = rows->head_bytes;
    }
    at -= rows->head_bytes;
    for (size_t i = 0; i < rows->piece_nr; i++)
        if (rows->piece[i].at < at + bytes &&
            rows->piece[i].at + rows->piece[i].bytes > at)
            read_part(rows, &rows->piece[i], at, to, bytes);
    return 0;
}

/* ---- two of them ---- */

bool rows_share(const struct captured_rows *a, const struct captured_rows *b)
{
    for (size_t i = 0, k = 0; i < a->piece_nr && k < b->piece_nr;) {
        const struct row_piece *one = &a->piece[i], *other = &b->piece[k];

        if (one->address + one->bytes <= other->address)
            i++;
        else if (other->address + other->bytes <= one->address)
            k++;
        else
            return true;
    }
    return false;
}
