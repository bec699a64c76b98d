/*
 * What the arrays are filled with. Every element is a function of seed and index alone,
 * so that filling is one sequential sweep at the speed of memory, whatever the content.
 */
#include "program.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTENT_ARGS_MAX = 2 };

struct filling {
    const struct inflight_array *array;
    void *data;
    size_t length;
    uint64_t seed;
    const char *text; /* "index(100)" */
    double arg[CONTENT_ARGS_MAX];
    int arg_nr;
};

/* splitmix64's output function (Steele, Lea, Flood 2014). */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t random_at(uint64_t seed, uint64_t i)
{
    return mix(seed + (i + 1) * 0x9e3779b97f4a7c15u);
}

/* [0, 1) with all 53 bits in use. */
static inline double random_unit(uint64_t seed, uint64_t i)
{
    return (double)(random_at(seed, i) >> 11) * 0x1p-53;
}

/* 0 .. range - 1; the bias is below 2^-32 for every range that memory can hold. */
static inline uint64_t random_below(uint64_t seed, uint64_t i, uint64_t range)
{
    uint64_t x = random_at(seed, i);

    if (range <= UINT32_MAX)
        return ((x >> 32) * range) >> 32;
    return x % range;
}

/* A random permutation of 0 .. nr - 1 as a function: invertible steps on the next power
 * of two, repeated until the value falls below nr. */
struct shuffle {
    uint64_t nr, mask, key[4];
    int shift;
};

static struct shuffle shuffle_of(uint64_t nr, uint64_t seed)
{
    struct shuffle shuffle = {.nr = nr};
    int bits = 1;

    while (bits < 63 && (UINT64_C(1) << bits) < nr)
        bits++;
    shuffle.mask = (UINT64_C(1) << bits) - 1;
    shuffle.shift = (bits + 1) / 2;
    for (int k = 0; k < 4; k++)
        shuffle.key[k] = random_at(seed, (uint64_t)k);
    return shuffle;
}

static inline uint64_t shuffled(const struct shuffle *shuffle, uint64_t i)
{
    do {
        for (int k = 0; k < 4; k++) {
            i = ((i ^ shuffle->key[k]) * (shuffle->key[k] >> 20 | 1)) & shuffle->mask;
            i ^= i >> shuffle->shift;
        }
    } while (i >= shuffle->nr);
    return i;
}

/* Where element i is. */
static inline size_t place_of(const struct inflight_array *array, size_t i)
{
    if (array->inside == 1)
        return i * array->record_bytes + array->offset;
    return i / array->inside * array->record_bytes + array->offset +
           i % array->inside * array->inside_bytes;
}

static inline bool is_dense(const struct inflight_array *array)
{
    return array->record_bytes == array->bytes;
}

static inline void *element(const struct filling *to, size_t i)
{
    return (char *)to->data + place_of(to->array, i);
}

#define SWEEP(type, value)                                                               \
    do {                                                                                 \
        if (is_dense(to->array))                                                         \
            for (uint64_t i = 0; i < (uint64_t)to->length; i++)                          \
                ((type *)to->data)[i] = (type)(value);                                   \
        else                                                                             \
            for (uint64_t i = 0; i < (uint64_t)to->length; i++)                          \
                *(type *)element(to, i) = (type)(value);                                 \
    } while (0)

/* Stores `value`, an expression of i, in every element, whatever its type. */
#define FILL_INTEGERS(value)                                                             \
    do {                                                                                 \
        if (to->array->kind == 'b')                                                      \
            SWEEP(bool, (value) != 0);                                                   \
        else if (to->array->bytes == 1)                                                  \
            SWEEP(uint8_t, value);                                                       \
        else if (to->array->bytes == 2)                                                  \
            SWEEP(uint16_t, value);                                                      \
        else if (to->array->bytes == 4)                                                  \
            SWEEP(uint32_t, value);                                                      \
        else                                                                             \
            SWEEP(uint64_t, value);                                                      \
    } while (0)
#define FILL_REALS(value)                                                                \
    do {                                                                                 \
        if (to->array->bytes == 4)                                                       \
            SWEEP(float, value);                                                         \
        else                                                                             \
            SWEEP(double, value);                                                        \
    } while (0)
#define FILL(value)                                                                      \
    do {                                                                                 \
        if (to->array->kind == 'f')                                                      \
            FILL_REALS(value);                                                           \
        else                                                                             \
            FILL_INTEGERS(value);                                                        \
    } while (0)

static void fill_uniform(struct filling *to)
{
    double low = to->arg[0], width = to->arg[1] - to->arg[0];
    uint64_t seed = to->seed;

    if (to->array->kind == 'f') {
        FILL_REALS(low + width * random_unit(seed, i));
    } else {
        uint64_t first = (uint64_t)(int64_t)low, range = (uint64_t)width + 1;

        FILL_INTEGERS(first + random_below(seed, i, range));
    }
}

static void fill_zero(struct filling *to)
{
    if (is_dense(to->array))
        memset(to->data, 0, to->length * to->array->bytes);
    for (size_t i = 0; i < to->length && !is_dense(to->array); i++)
        memset(element(to, i), 0, to->array->bytes);
}

static void fill_iota(struct filling *to)
{
    FILL(i);
}

static void fill_index(struct filling *to)
{
    uint64_t seed = to->seed, range = (uint64_t)to->arg[0];

    FILL(random_below(seed, i, range));
}

/* Rows of `width` numbers, 1 to 2 on the diagonal and as much as half of that in the rest
 * of a row together; as symmetric as a square can be. */
static inline double dominant_at(uint64_t seed, uint64_t i, uint64_t width)
{
    uint64_t row = i / width, column = i % width;
    uint64_t low = row < column ? row : column, high = row < column ? column : row;
    double value = random_unit(seed, high * width + low);

    return row == column ? 1 + value : (1 + value) / (4 * (double)width);
}

static void fill_dominant(struct filling *to)
{
    uint64_t seed = to->seed, width = (uint64_t)to->arg[0];

    FILL_REALS(dominant_at(seed, i, width));
}

/* 0 .. arg - 1 in order, evenly. */
static void fill_ascending(struct filling *to)
{
    double step = to->arg[0] / (double)to->length;

    FILL((uint64_t)(step * (double)i));
}

static void fill_permutation(struct filling *to)
{
    struct shuffle shuffle = shuffle_of(to->length, to->seed);

    FILL(shuffled(&shuffle, i));
}

/* i * k shifted by up to k / 2 to either side: ascending, rows of 0 .. 2 k elements, and
 * exact at both ends. */
static inline uint64_t offset_at(double k, uint64_t seed, uint64_t i, uint64_t last)
{
    if (i == 0 || i == last)
        return (uint64_t)(k * (double)i);
    return (uint64_t)(k * ((double)i - 0.5 + random_unit(seed, i)));
}

static void fill_offsets(struct filling *to)
{
    double k = to->arg[0];
    uint64_t seed = to->seed, last = to->length - 1;

    FILL(offset_at(k, seed, i, last));
}

static void store_integer(struct filling *to, uint64_t at, uint64_t value)
{
    switch (to->array->bytes) {
    case 1:
        *(uint8_t *)element(to, at) = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)element(to, at) = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)element(to, at) = (uint32_t)value;
        break;
    default:
        *(uint64_t *)element(to, at) = value;
        break;
    }
}

/* The nodes of a pointer chase, `stride` elements apart, in blocks that are visited one
 * after the other. */
struct nodes {
    uint64_t nr, per_block, block_nr, stride, seed;
    struct shuffle blocks;
};

static struct shuffle block_order(const struct nodes *nodes, uint64_t block)
{
    uint64_t left = nodes->nr - block * nodes->per_block;

    return shuffle_of(left < nodes->per_block ? left : nodes->per_block,
                      random_at(nodes->seed, block));
}

/* Links block number t in visiting order, its end to the start of the next one. */
static void link_block(struct filling *to, const struct nodes *nodes, uint64_t t)
{
    uint64_t block = shuffled(&nodes->blocks, t);
    uint64_t next_block = shuffled(&nodes->blocks, (t + 1) % nodes->block_nr);
    struct shuffle order = block_order(nodes, block);
    struct shuffle next_order = block_order(nodes, next_block);
    uint64_t base = block * nodes->per_block, at = base + shuffled(&order, 0);

    for (uint64_t k = 1; k < order.nr; k++) {
        uint64_t next = base + shuffled(&order, k);

        store_integer(to, at * nodes->stride, next * nodes->stride);
        at = next;
    }
    store_integer(to, at * nodes->stride,
                  (next_block * nodes->per_block + shuffled(&next_order, 0)) *
                      nodes->stride);
}

static void fill_cycle(struct filling *to)
{
    struct nodes nodes = {.stride = (uint64_t)to->arg[0], .seed = to->seed};
    uint64_t block = to->arg_nr > 1 ? (uint64_t)to->arg[1] : to->length;

    nodes.nr = (to->length + nodes.stride - 1) / nodes.stride;
    nodes.per_block = block / nodes.stride ? block / nodes.stride : 1;
    nodes.block_nr = (nodes.nr + nodes.per_block - 1) / nodes.per_block;
    nodes.blocks = shuffle_of(nodes.block_nr, ~to->seed);
    if (nodes.stride > 1)
        fill_zero(to);
    for (uint64_t t = 0; t < nodes.block_nr; t++)
        link_block(to, &nodes, t);
}

static size_t read_elements(struct filling *to, FILE *file)
{
    size_t got = 0;

    if (is_dense(to->array))
        return fread(to->data, to->array->bytes, to->length, file);
    while (got < to->length && fread(element(to, got), to->array->bytes, 1, file) == 1)
        got++;
    return got;
}

/* Raw elements in this machine's own format. */
static void fill_file(struct filling *to)
{
    const char *open = strchr(to->text, '('), *close = strrchr(to->text, ')');
    char *path = strndup(open + 1, (size_t)(close - open - 1));
    FILE *file = fopen(path, "rb");
    size_t got = file ? read_elements(to, file) : 0;

    if (got != to->length) {
        fprintf(stderr, "cannot fill '%s' from '%s': %zu of %zu elements\n",
                to->array->name, path, got, to->length);
        exit(2);
    }
    fclose(file);
    free(path);
}

/* ---- captured(PATH,OFFSET,RECORDS,PLACE,PAGES,HASH[,ROWS...]) ---- */

struct captured {
    char *path;
    unsigned long long offset, records;
    unsigned long place; /* address modulo 2 MiB */
    int huge_pages;
    bool has_rows; /* where they begin stands before the elements */
};

/* %XX stands for what might end the word. */
static char *captured_path(const char *text, size_t length)
{
    char *path = calloc(1, length + 1), *to = path;
    unsigned code;

    for (size_t i = 0; path && i < length; i++) {
        if (text[i] == '%' && i + 2 < length && sscanf(text + i + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            i += 2;
        } else {
            *to++ = text[i];
        }
    }
    return path;
}

static size_t count_of(const char *text, char c)
{
    size_t nr = 0;

    for (; *text; text++)
        nr += *text == c;
    return nr;
}

static bool captured_read(const char *text, struct captured *captured)
{
    static const char name[] = "captured(";
    const char *comma = strchr(text, ',');

    *captured = (struct captured){0};
    if (strncmp(text, name, sizeof(name) - 1) != 0 || !comma ||
        sscanf(comma, ",%llu,%llu,%lu,%d,", &captured->offset, &captured->records,
               &captured->place, &captured->huge_pages) != 4)
        return false;
    captured->has_rows = count_of(comma, ',') > 5;
    text += sizeof(name) - 1;
    captured->path = captured_path(text, (size_t)(comma - text));
    return true;
}

/* Whole records lie in the file as they do in memory; of a field only its bytes are
 * taken. */
static bool copy_records(struct filling *to, FILE *file, size_t records)
{
    const struct inflight_array *array = to->array;
    size_t at_once = ((size_t)1 << 20) / array->record_bytes + 1;
    char *block = malloc(at_once * array->record_bytes);
    bool good = block != NULL;

    for (size_t done = 0; good && done < records; done += at_once) {
        size_t nr = records - done < at_once ? records - done : at_once;

        good = fread(block, array->record_bytes, nr, file) == nr;
        for (size_t i = done * array->inside;
             good && i < (done + nr) * array->inside && i < to->length; i++)
            memcpy(element(to, i),
                   block + place_of(array, i) - done * array->record_bytes, array->bytes);
    }
    free(block);
    return good;
}

static void fill_captured(struct filling *to)
{
    const struct inflight_array *array = to->array;
    size_t records = (to->length + array->inside - 1) / array->inside;
    struct captured captured;
    bool good = captured_read(to->text, &captured);
    FILE *file = good ? fopen(captured.path, "rb") : NULL;

    good = file && records <= captured.records &&
           fseeko(file, (off_t)captured.offset, SEEK_SET) == 0;
    if (good && (is_dense(array) || array->kind == 'r'))
        good = fread(to->data, array->record_bytes, records, file) == records;
    else if (good)
        good = copy_records(to, file, records);
    if (!good) {
        fprintf(stderr, "cannot fill '%s' from '%s': it does not hold %zu elements\n",
                array->name, captured.path ? captured.path : to->text, to->length);
        exit(2);
    }
    fclose(file);
    free(captured.path);
}

static const struct content {
    const char *name;
    int arg_min, arg_max; /* numbers in parentheses; -1 = anything */
    const char *kinds;    /* of elements that it is for; NULL = all */
    void (*fill)(struct filling *to);
} contents[] = {
    {"uniform", 2, 2, NULL, fill_uniform},
    {"zero", 0, 0, NULL, fill_zero},
    {"iota", 0, 0, NULL, fill_iota},
    {"index", 1, 1, NULL, fill_index},
    {"ascending", 1, 1, NULL, fill_ascending},
    {"dominant", 1, 1, "f", fill_dominant},
    {"permutation", 0, 0, NULL, fill_permutation},
    {"offsets", 1, 1, NULL, fill_offsets},
    {"cycle", 1, 2, "iu", fill_cycle},
    {"file", -1, -1, NULL, fill_file},
    {"captured", -1, -1, NULL, fill_captured},
};

static bool read_content_args(struct filling *to, const char *text)
{
    if (*text == '\0')
        return true;
    do {
        char *end;

        if (to->arg_nr == CONTENT_ARGS_MAX)
            return false;
        to->arg[to->arg_nr++] = strtod(++text, &end);
        if (end == text)
            return false;
        text = end;
    } while (*text == ',');
    return strcmp(text, ")") == 0;
}

static bool args_make_sense(const struct filling *to)
{
    for (int i = 0; i < to->arg_nr; i++)
        if (!isfinite(to->arg[i]))
            return false;
    if (strncmp(to->text, "uniform", 7) == 0)
        return to->arg[1] >= to->arg[0];
    if (strncmp(to->text, "offsets", 7) == 0)
        return to->arg[0] >= 0;
    return to->arg_nr == 0 || (to->arg[0] >= 1 && (to->arg_nr == 1 || to->arg[1] >= 1));
}

static const struct content *find_content(struct filling *to)
{
    size_t length = strcspn(to->text, "(");

    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
        const struct content *content = &contents[i];

        if (strlen(content->name) != length ||
            strncmp(content->name, to->text, length) != 0)
            continue;
        if (content->arg_min < 0)
            return strchr(to->text, ')') ? content : NULL;
        if (!read_content_args(to, to->text + length) || to->arg_nr < content->arg_min ||
            to->arg_nr > content->arg_max || !args_make_sense(to) ||
            (content->kinds && !strchr(content->kinds, to->array->kind)))
            return NULL;
        return content;
    }
    return NULL;
}

static void fill(const struct inflight_array *array, void *data, size_t length,
                 const char *text, uint64_t seed)
{
    size_t place = (size_t)(array - inflight_table.array);
    struct filling to = {.array = array,
                         .data = data,
                         .length = length,
                         .seed = random_at(seed, place),
                         .text = text};
    const struct content *content = find_content(&to);

    if (!content) {
        fprintf(stderr, "cannot fill array '%s' with '%s'\n", array->name, text);
        exit(2);
    }
    if (length && (array->kind != 'r' || content->fill == fill_captured))
        content->fill(&to);
}
