#define _GNU_SOURCE /* open64 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/trust.h"
#include "core/inputs/inputs_parts.h"

void inputs_release(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->number_nr; i++) {
        free(inputs->number[i].name);
        free(inputs->number[i].value);
    }
    for (size_t i = 0; i < inputs->array_nr; i++) {
        free(inputs->array[i].name);
        free(inputs->array[i].hash);
        free(inputs->array[i].left_out);
        free(inputs->array[i].rows);
        free(inputs->array[i].spare);
        free(inputs->array[i].end);
    }
    free(inputs->number);
    free(inputs->array);
    free(inputs->function);
    free(inputs->signature);
    free(inputs->source);
    free(inputs->program);
    free(inputs->host);
    free(inputs->date);
    free(inputs->command);
    strvec_release(&inputs->overlaps);
    strvec_release(&inputs->shared);
    *inputs = (struct inputs){0};
}

/* Sum of what the head says behind its own room. */
static unsigned long long inputs_file_bytes(const struct inputs *inputs)
{
    unsigned long long end = INPUTS_HEAD_MAX;

    for (size_t i = 0; i < inputs->array_nr; i++)
        if (!inputs->array[i].left_out &&
            inputs->array[i].offset + inputs->array[i].bytes > end)
            end = inputs->array[i].offset + inputs->array[i].bytes;
    return (end + INPUTS_PAGE - 1) / INPUTS_PAGE * INPUTS_PAGE;
}

unsigned long long inputs_rows_bytes(const struct inputs_array *array)
{
    unsigned long long rows = 8;

    for (size_t i = 0; i + 1 < array->row_nr; i++)
        rows *= (unsigned long long)array->rows[i];
    return array->row_nr ? (rows + INPUTS_PAGE - 1) / INPUTS_PAGE * INPUTS_PAGE : 0;
}

/* ---- JSON ---- */

static json_t *numbers_json(const long long *number, size_t nr)
{
    json_t *list = json_array();

    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, json_integer((json_int_t)number[i]));
    return list;
}

static json_t *array_json(const struct inputs_array *array)
{
    json_t *one = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:b, s:b, s:s?}", "name", array->name,
        "record_bytes", (json_int_t)array->record_bytes, "records",
        (json_int_t)array->records, "offset_bytes", (json_int_t)array->offset, "bytes",
        (json_int_t)array->bytes, "address", (json_int_t)array->address, "huge_pages",
        (int)array->huge_pages, "untouched_bytes", (json_int_t)array->untouched_bytes,
        "end_guessed", (int)array->is_guessed, "written", (int)array->written, "hash",
        array->hash);

    json_object_set_new(one, "left_out", text_json(array->left_out));
    json_object_set_new(one, "left_out_bytes",
                        json_integer((json_int_t)array->left_out_bytes));
    if (array->end)
        json_object_set_new(one, "end", text_json(array->end));
    if (array->row_nr) {
        json_object_set_new(one, "rows", numbers_json(array->rows, array->row_nr));
        json_object_set_new(one, "rows_spare", numbers_json(array->spare, array->row_nr));
    }
    return one;
}

json_t *inputs_json(const struct inputs *inputs)
{
    json_t *numbers = json_array(), *arrays = json_array();

    for (size_t i = 0; i < inputs->number_nr; i++)
        json_array_append_new(numbers,
                              json_pack("{s:s, s:s}", "name", inputs->number[i].name,
                                        "value", inputs->number[i].value));
    for (size_t i = 0; i < inputs->array_nr; i++)
        json_array_append_new(arrays, array_json(&inputs->array[i]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:s, s:s, s:o, s:o, s:o, s:o}",
                     "schema", INPUTS_SCHEMA, "function", inputs->function, "signature",
                     inputs->signature, "source", text_json(inputs->source), "program",
                     text_json(inputs->program), "command", text_json(inputs->command),
                     "call", (json_int_t)inputs->call, "host", inputs->host, "date",
                     inputs->date, "numbers", numbers, "arrays", arrays, "overlaps",
                     json_strvec(&inputs->overlaps), "shared",
                     json_strvec(&inputs->shared));
}

static int take_size(const struct json_at *at, const char *key, unsigned long long *out,
                     struct error *err)
{
    long long value;

    if (json_integer_at(at, key, 0, INT64_MAX, &value, err))
        return -1;
    *out = (unsigned long long)value;
    return 0;
}

static int take_number(const struct json_at *at, void *into, struct error *err)
{
    struct inputs *inputs = into;
    struct inputs_number *number;

    GROW(inputs->number, inputs->number_nr + 1, inputs->number_alloc);
    number = &inputs->number[inputs->number_nr++];
    *number = (struct inputs_number){0};
    if (json_only_keys(at, "name value", err) ||
        json_copy_at(at, "name", &number->name, err))
        return -1;
    return json_copy_at(at, "value", &number->value, err);
}

static int check_array(const struct json_at *at, const struct inputs_array *array,
                       struct error *err)
{
    if (array->left_out)
        return 0;
    if (array->offset % INPUTS_PAGE || array->offset < INPUTS_HEAD_MAX)
        return json_fail(at, err, "'%s' cannot begin at byte %llu", array->name,
                         array->offset);
    if ((double)array->records * (double)array->record_bytes +
            (double)inputs_rows_bytes(array) >
        (double)array->bytes)
        return json_fail(at, err, "'%s' has %llu bytes, too few for its %lld records",
                         array->name, array->bytes, array->records);
    return 0;
}

static int take_integer(const struct json_at *at, void *into, struct error *err)
{
    long long *list = into;

    return json_integer_here(at, 0, INT64_MAX, &list[at->index], err);
}

static int take_list(const struct json_at *at, const char *key, long long **out,
                     size_t *nr, struct error *err)
{
    *nr = json_size_at(at, key);
    *out = xcalloc(*nr + 1, sizeof(**out));
    return json_each(at, key, 0, SIZE_MAX, take_integer, *out, err);
}

/* Absent of arrays without, and in files of before. */
static int take_rows(const struct json_at *at, struct inputs_array *array,
                     struct error *err)
{
    double elements = 1;
    size_t spare_nr;

    if (!json_has(at, "rows"))
        return 0;
    if (take_list(at, "rows", &array->rows, &array->row_nr, err) ||
        take_list(at, "rows_spare", &array->spare, &spare_nr, err))
        return -1;
    for (size_t i = 0; i < array->row_nr; i++)
        elements *= (double)array->rows[i];
    if (array->row_nr < 2 || spare_nr != array->row_nr || elements > 0x1p60)
        return json_fail(at, err, "'%s' has no such rows", array->name);
    return 0;
}

static int take_array(const struct json_at *at, void *into, struct error *err)
{
    struct inputs *inputs = into;
    unsigned long long record_bytes, records, address;
    struct inputs_array *array;

    GROW(inputs->array, inputs->array_nr + 1, inputs->array_alloc);
    array = &inputs->array[inputs->array_nr++];
    *array = (struct inputs_array){0};
    if (json_only_keys(at,
                       "name record_bytes records offset_bytes bytes address huge_pages "
                       "untouched_bytes end_guessed written hash left_out "
                       "left_out_bytes rows rows_spare end",
                       err) ||
        take_rows(at, array, err) || json_copy_at(at, "name", &array->name, err) ||
        take_size(at, "record_bytes", &record_bytes, err) ||
        take_size(at, "records", &records, err) ||
        take_size(at, "offset_bytes", &array->offset, err) ||
        take_size(at, "bytes", &array->bytes, err) ||
        take_size(at, "address", &address, err) ||
        take_size(at, "untouched_bytes", &array->untouched_bytes, err) ||
        take_size(at, "left_out_bytes", &array->left_out_bytes, err) ||
        json_bool_at(at, "huge_pages", &array->huge_pages, err) ||
        json_bool_at(at, "end_guessed", &array->is_guessed, err) ||
        json_bool_at(at, "written", &array->written, err) ||
        json_copy_if(at, "hash", &array->hash, err) ||
        json_copy_if(at, "end", &array->end, err) ||
        json_copy_if(at, "left_out", &array->left_out, err))
        return -1;
    array->record_bytes = (size_t)record_bytes;
    array->records = (long long)records;
    array->address = address;
    return check_array(at, array, err);
}

static int take_lists(const struct json_at *top, struct inputs *inputs, struct error *err)
{
    return json_each(top, "numbers", 0, SIZE_MAX, take_number, inputs, err) ||
                   json_each(top, "arrays", 0, SIZE_MAX, take_array, inputs, err) ||
                   json_strings_at(top, "overlaps", &inputs->overlaps, err) ||
                   (json_has(top, "shared") && /* files of before have none */
                    json_strings_at(top, "shared", &inputs->shared, err))
               ? -1
               : 0;
}

static int take_all(const struct json_at *top, struct inputs *inputs, struct error *err)
{
    if (json_only_keys(top,
                       "schema function signature source program command call "
                       "host date numbers arrays overlaps shared",
                       err) ||
        json_copy_at(top, "function", &inputs->function, err) ||
        json_copy_at(top, "signature", &inputs->signature, err) ||
        json_copy_at(top, "source", &inputs->source, err) ||
        json_copy_at(top, "program", &inputs->program, err) ||
        json_copy_at(top, "command", &inputs->command, err) ||
        json_integer_at(top, "call", 1, INT64_MAX, &inputs->call, err) ||
        json_copy_at(top, "host", &inputs->host, err) ||
        json_copy_at(top, "date", &inputs->date, err))
        return -1;
    return take_lists(top, inputs, err);
}

/* ---- the file ---- */

static int read_head(const char *path, int fd, char **text, struct error *err)
{
    char *head = xcalloc(1, INPUTS_HEAD_MAX + 1);
    ssize_t got = pread(fd, head, INPUTS_HEAD_MAX, 0);

    if (got > 0 && head[0] == '{') {
        *text = head;
        return 0;
    }
    free(head);
    return fail(err, STATUS_INPUT,
                "'%s' holds no inputs; 'inflight capture' writes such files", path);
}

static int check_size(const char *path, int fd, const struct inputs *inputs,
                      struct error *err)
{
    unsigned long long want = inputs_file_bytes(inputs);
    struct stat found;

    if (fstat(fd, &found))
        return fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if ((unsigned long long)found.st_size != want)
        return fail(err, STATUS_INPUT,
                    "'%s' has %lld bytes and should have %llu: it is not complete; copy "
                    "or capture it again",
                    path, (long long)found.st_size, want);
    return 0;
}

int inputs_load(const char *path, struct inputs *inputs, struct error *err)
{
    int fd = trust_open(path, 0, err), status = -1;
    json_t *root = NULL;
    char *text = NULL;

    *inputs = (struct inputs){0};
    if (fd < 0)
        return -1;
    if (read_head(path, fd, &text, err) == 0 &&
        json_read_text(text, path, INPUTS_SCHEMA, &root, err) == 0) {
        struct json_at top = json_top(path, root);

        status = take_all(&top, inputs, err);
        if (!status)
            status = check_size(path, fd, inputs, err);
    }
    json_decref(root);
    free(text);
    close(fd);
    if (status)
        inputs_release(inputs);
    return status;
}

static int verify_array(const char *path, int fd, const struct inputs_array *array,
                        struct error *err)
{
    struct inputs_hash hash = inputs_hash_begin();
    char *block = xcalloc(1, INPUTS_BLOCK), *found;
    int status = 0;

    for (unsigned long long done = 0; !status && done < array->bytes;
         done += INPUTS_BLOCK) {
        size_t length =
            array->bytes - done < INPUTS_BLOCK ? array->bytes - done : INPUTS_BLOCK;

        if (pread(fd, block, length, (off_t)(array->offset + done)) != (ssize_t)length)
            status =
                fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
        inputs_hash_add(&hash, block, length);
    }
    found = inputs_hash_text(&hash);
    if (!status && (!array->hash || strcmp(found, array->hash)))
        status = fail(err, STATUS_INPUT,
                      "'%s': the bytes of '%s' are not those that were captured; copy or "
                      "capture it again",
                      path, array->name);
    free(found);
    free(block);
    return status;
}

int inputs_verify(const char *path, const struct inputs *inputs, struct error *err)
{
    int fd = trust_open(path, 0, err), status = 0;

    if (fd < 0)
        return -1;
    for (size_t i = 0; !status && i < inputs->array_nr; i++)
        if (!inputs->array[i].left_out)
            status = verify_array(path, fd, &inputs->array[i], err);
    close(fd);
    return status;
}

static void add_line(struct buf *out, const char *name, const char *text)
{
    if (text && *text)
        buf_addf(out, "  %-9s %s\n", name, text);
}

static void add_array(const struct inputs_array *array, struct buf *out)
{
    buf_addf(out, "  %-12s", array->name);
    if (array->left_out) {
        buf_add(out, " left out, ");
        buf_add_size(out, (double)array->left_out_bytes);
        buf_addf(out, ": %s\n", array->left_out);
        return;
    }
    buf_addf(out, " %lld x %zu bytes = ", array->records, array->record_bytes);
    buf_add_size(out, (double)array->bytes);
    buf_addf(out, ", %s pages, address %% 2 MiB = %llu",
             array->huge_pages ? "huge" : "small",
             (unsigned long long)array->address % (2u << 20));
    for (size_t i = 0; i < array->row_nr; i++)
        buf_addf(out, "%s%lld", i ? " x " : ", rows ", array->rows[i]);
    if (array->untouched_bytes) {
        buf_add(out, ", not used before the call: ");
        buf_add_size(out, (double)array->untouched_bytes);
    }
    buf_add(out, array->written ? ", written" : "");
    if (array->is_guessed)
        buf_addf(out, ", to the end of its %s", array->end ? array->end : "memory");
    buf_add(out, "\n");
}

void inputs_text(const struct inputs *inputs, struct buf *out)
{
    buf_addf(out, "%s, call %lld of %s\n", inputs->signature, inputs->call,
             inputs->command);
    add_line(out, "source", inputs->source);
    add_line(out, "program", inputs->program);
    add_line(out, "host", inputs->host);
    add_line(out, "date", inputs->date);
    buf_add(out, inputs->number_nr ? "Numbers\n" : "");
    for (size_t i = 0; i < inputs->number_nr; i++)
        buf_addf(out, "  %-12s %s\n", inputs->number[i].name, inputs->number[i].value);
    buf_add(out, inputs->array_nr ? "Arrays\n" : "");
    for (size_t i = 0; i < inputs->array_nr; i++)
        add_array(&inputs->array[i], out);
    for (size_t i = 0; i < inputs->overlaps.nr; i++)
        buf_addf(out, "Note: %s\n", inputs->overlaps.v[i]);
}
