/* What makes a measurement of a kernel another one: kernel_identity. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/build/build.h"
#include "variants/kernel/kernel.h"

SUITE(variants_identity);

/* A kernel with a header and an array from a file, as it is asked about. */
struct asked {
    const char *source, *header, *content, *cflag, *flags;
    const char *word;
};

static const struct asked plain = {
    .source = "#include \"k.h\"\n"
              "void k(int n, double a[n], const int key[n])\n"
              "{\n    for (int i = 0; i < n; i++)\n        a[i] = FACTOR * key[i];\n}\n",
    .header = "#ifndef FACTOR\n#define FACTOR 2\n#endif\n",
    .content = "0123456701234567012345670123456701234567",
    .cflag = "-DUNUSED",
    .flags = "-O2",
    .word = "set n = 10"};

static void put(const char *folder, const char *name, const char *text)
{
    char *path = path_join(folder, name);
    struct error err = {0};

    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(path);
}

static char *identity_at(const struct asked *asked, const char *folder)
{
    char *path = path_join(folder, "k.c"), *hex = NULL;
    struct kernel_request request = {.path = path};
    struct toolchain toolchain = {0};
    struct kernel *kernel = NULL;
    struct strvec flags = {0};
    struct error err = {0};

    strvec_push(&request.words, asked->word);
    strvec_pushf(&request.words, "buffer key = file(%s/key)", folder);
    strvec_push(&request.cflags, asked->cflag);
    strvec_split(&flags, asked->flags);
    check_ok(toolchain_find("gcc", &flags, &toolchain, &err), &err);
    if (check_ok(kernel_open(&request, &kernel, &err), &err) &&
        check_ok(kernel_bind(kernel, &err), &err))
        check_ok(kernel_identity(kernel, &toolchain, &hex, &err), &err);
    kernel_free(kernel);
    toolchain_release(&toolchain);
    strvec_release(&flags);
    strvec_release(&request.words);
    strvec_release(&request.cflags);
    free(path);
    return hex;
}

static char *identity(const struct asked *asked, const char *folder)
{
    put(folder, "k.c", asked->source);
    put(folder, "k.h", asked->header);
    put(folder, "key", asked->content);
    return identity_at(asked, folder);
}

TEST("everything that matters changes it")
{
    struct asked other[7];
    char *folder = NULL, *first, *again;
    struct error err = {0};

    if (!check_ok(scratch_make(&folder, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(other); i++)
        other[i] = plain;
    other[0].header = "#define FACTOR 3\n";
    other[1].content = "0123456701234567012345670123456701234568";
    other[2].cflag = "-DFACTOR=3";
    other[3].flags = "-O3";
    other[4].word = "set n = 9";
    other[5].cflag = "-fwrapv";
    other[6].source = "#include \"k.h\"\n"
                      "void k(int n, double a[n], const int key[n])\n"
                      "{\n    for (int i = 0; i < n; i++)\n"
                      "        a[i] = key[i] + FACTOR;\n}\n";
    first = identity(&plain, folder);
    check_eq(first ? strlen(first) : 0, 32);
    for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
        char *is = identity(&other[i], folder);

        if (check(first && is && strcmp(first, is) != 0) == 0)
            check_eq(i, ARRAY_SIZE(other)); /* says which */
        free(is);
    }
    again = identity(&plain, folder);
    check_str(again, first);
    free(again);
    free(first);
    scratch_remove(folder);
}

TEST("what the compiler does not see changes nothing")
{
    struct asked other[3] = {plain, plain, plain};
    char *folder = NULL, *first;
    struct error err = {0};

    if (!check_ok(scratch_make(&folder, &err), &err))
        return;
    other[0].header = "/* said better */\n#ifndef FACTOR\n#define FACTOR 2\n#endif\n";
    other[1].header = "#ifndef FACTOR\n#define FACTOR 2\n#define OTHER 5\n#endif\n";
    other[2].cflag = "-DNOT_USED";
    first = identity(&plain, folder);
    for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
        char *is = identity(&other[i], folder);

        check_str(is, first);
        free(is);
    }
    free(first);
    scratch_remove(folder);
}

TEST("a file that is gone is said")
{
    char *folder = NULL, *path;
    struct kernel *kernel = NULL;
    struct toolchain toolchain = {0};
    struct error err = {0};
    char *hex = NULL;

    if (!check_ok(scratch_make(&folder, &err), &err))
        return;
    put(folder, "k.c",
        "void k(int n, double a[n])\n{\n"
        "    for (int i = 0; i < n; i++)\n        a[i] = 1;\n}\n");
    path = path_join(folder, "k.c");
    struct kernel_request request = {.path = path};
    strvec_push(&request.words, "set n = 10");
    check_ok(toolchain_find("gcc", NULL, &toolchain, &err), &err);
    if (check_ok(kernel_open(&request, &kernel, &err), &err) &&
        check_ok(kernel_bind(kernel, &err), &err)) {
        dir_remove_all(folder);
        check_fails(kernel_identity(kernel, &toolchain, &hex, &err), &err, STATUS_FAILED,
                    "'gcc' refuses the kernel's file: ");
    }
    check(!hex);
    kernel_free(kernel);
    toolchain_release(&toolchain);
    strvec_release(&request.words);
    free(path);
    scratch_remove(folder);
}
