/* The file of captured inputs: written and read again, and what is wrong with others. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/fs.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_inputs);

enum { bytes_nr = 3 * 4096 + 100, zero_from = 4096, zero_to = 2 * 4096 };

/* Numbers with a page of zeros among them. */
static int read_pattern(void *data, unsigned long long at, void *to, size_t bytes)
{
    char *out = to;

    (void)data;
    for (size_t i = 0; i < bytes; i++) {
        bool zero = at + i >= zero_from && at + i < zero_to;
        out[i] = zero ? 0 : (char)((at + i) * 7 + 1);
    }
    return 0;
}

static int read_nothing(void *data, unsigned long long at, void *to, size_t bytes)
{
    (void)data;
    (void)at;
    (void)to;
    (void)bytes;
    return -1;
}

static struct inputs_array *add_array(struct inputs *inputs, const char *name)
{
    struct inputs_array *array;

    GROW(inputs->array, inputs->array_nr + 1, inputs->array_alloc);
    array = &inputs->array[inputs->array_nr++];
    *array = (struct inputs_array){.name = xstrdup(name),
                                   .record_bytes = 4,
                                   .records = bytes_nr / 4,
                                   .address = 0x7f0000000040,
                                   .huge_pages = true,
                                   .untouched_bytes = 4096};
    return array;
}

static struct inputs make_head(void)
{
    struct inputs inputs = {.function = xstrdup("f"),
                            .signature = xstrdup("void f(int *)"),
                            .source = xstrdup("a b/f.c"),
                            .program = xstrdup("app\xff"), /* no UTF-8 */
                            .host = xstrdup("here"),
                            .date = xstrdup("2026-01-31T12:00:00Z"),
                            .command = xstrdup("./app 'a b'"),
                            .call = 3};

    GROW(inputs.number, 1, inputs.number_alloc);
    inputs.number[inputs.number_nr++] =
        (struct inputs_number){xstrdup("g->n"), xstrdup("-5")};
    strvec_push(&inputs.overlaps, "a and b share memory");
    strvec_push(&inputs.shared, "a");
    strvec_push(&inputs.shared, "b");
    return inputs;
}

static char *write_one(const char *dir, struct error *err)
{
    struct inputs inputs = make_head();
    char *path = path_join(dir, "a b.inputs");
    struct inputs_file *file = NULL;
    struct inputs_array *left;

    if (check_ok(inputs_begin(path, &file, err), err)) {
        check(inputs_room(file) > 0);
        check(!file_exists(path)); /* nobody sees it yet */
        check_ok(
            inputs_add(file, bytes_nr, read_pattern, NULL, add_array(&inputs, "a"), err),
            err);
        left = add_array(&inputs, "b");
        left->left_out = xstrdup("too long");
        left->left_out_bytes = 99;
        left->records = 0;
        check_ok(inputs_end(file, &inputs, err), err);
    }
    inputs_release(&inputs);
    return path;
}

TEST("what is written is read")
{
    struct error err = {0};
    struct inputs inputs;
    char *dir = NULL, *path;
    struct stat found = {0};

    check_ok(scratch_make(&dir, &err), &err);
    path = write_one(dir, &err);
    if (check_ok(inputs_load(path, &inputs, &err), &err)) {
        const struct inputs_array *a = &inputs.array[0], *b = &inputs.array[1];

        check_str(inputs.signature, "void f(int *)");
        check_str(inputs.program, "app?");
        check_eq(inputs.call, 3);
        check_str(inputs.number[0].name, "g->n");
        check_str(inputs.number[0].value, "-5");
        check_str(inputs.overlaps.v[0], "a and b share memory");
        check_eq(inputs.shared.nr, 2);
        check_str(inputs.shared.v[1], "b");
        check_eq(a->records, bytes_nr / 4);
        check_eq(a->bytes, bytes_nr);
        check_eq(a->offset % 4096, 0);
        check_eq(a->address, 0x7f0000000040);
        check(a->huge_pages && !a->left_out);
        check_str(b->left_out, "too long");
        check_eq(b->left_out_bytes, 99);
        check_ok(inputs_verify(path, &inputs, &err), &err);
        /* the room of the head and the page of zeros are holes */
        check(stat(path, &found) == 0);
        check(found.st_blocks * 512 < found.st_size);
        inputs_release(&inputs);
    }
    free(path);
    scratch_remove(dir);
}

static void change_byte(const char *path, off_t at)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    char byte = 0;

    check_eq(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    check_eq(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

TEST("damage is seen")
{
    struct error err = {0};
    struct inputs inputs;
    char *dir = NULL, *path;
    struct stat whole = {0};

    check_ok(scratch_make(&dir, &err), &err);
    path = write_one(dir, &err);
    check(stat(path, &whole) == 0);
    check_ok(inputs_load(path, &inputs, &err), &err);
    change_byte(path, (off_t)inputs.array[0].offset + bytes_nr - 1);
    check_fails(inputs_verify(path, &inputs, &err), &err, STATUS_INPUT,
                "the bytes of 'a' are not those that were captured");
    inputs_release(&inputs);
    check_eq(truncate(path, whole.st_size - 1), 0);
    check_fails(inputs_load(path, &inputs, &err), &err, STATUS_INPUT,
                "it is not complete");
    check_eq(truncate(path, 100), 0);
    check_fails(inputs_load(path, &inputs, &err), &err, STATUS_INPUT, "a b.inputs");
    check_eq(truncate(path, 0), 0);
    check_fails(inputs_load(path, &inputs, &err), &err, STATUS_INPUT, "holds no inputs");
    check_fails(inputs_load(dir, &inputs, &err), &err, STATUS_INPUT, "Is a directory");
    free(path);
    scratch_remove(dir);
}

static size_t files_in(const char *dir)
{
    struct dirent **names = NULL;
    int nr = scandir(dir, &names, NULL, alphasort);

    for (int i = 0; i < nr; i++)
        free(names[i]);
    free(names);
    return nr > 2 ? (size_t)nr - 2 : 0;
}

TEST("nothing half written stays")
{
    struct error err = {0};
    struct inputs inputs = make_head();
    struct inputs_file *file = NULL;
    char *dir = NULL, *inner, *path;

    check_ok(scratch_make(&dir, &err), &err);
    inner = path_join(dir, "inner");
    check_ok(dir_make_all(inner, &err), &err);
    path = path_join(inner, "x");
    check_ok(inputs_begin(path, &file, &err), &err);
    check_fails(inputs_add(file, 10, read_nothing, NULL, add_array(&inputs, "a"), &err),
                &err, STATUS_INPUT, "'a': the memory of the array ends early");
    inputs_abandon(file);
    check_eq(files_in(inner), 0);
    check_fails(inputs_begin(inner, &file, &err), &err, STATUS_USAGE, "is a folder");
    check_fails(inputs_begin("/no/such/folder/x", &file, &err), &err, STATUS_FAILED,
                "cannot write '/no/such/folder/x'");
    inputs_release(&inputs);
    free(path);
    free(inner);
    scratch_remove(dir);
}
