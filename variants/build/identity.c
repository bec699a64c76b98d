/* What a measurement of a kernel rests on, as one hash. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "variants/build/compile.h"
#include "variants/kernel/kernel_parts.h"

/* What the compiler sees of the file: headers and macros in, comments out. */
static int preprocess(const struct kernel *kernel, const struct toolchain *toolchain,
                      const char *further, struct buf *out, struct error *err)
{
    struct strvec argv = {0};

    push_compiler(toolchain, kernel->function->is_cplusplus, &argv);
    strvec_push_all(&argv, &kernel->cflags);
    strvec_push_all(&argv, &toolchain->flags);
    strvec_push(&argv, further);
    strvec_push(&argv, "-E");
    strvec_push(&argv, "-P");
    strvec_push(&argv, kernel_path(kernel));
    int result = compiler_run(&argv, "the kernel's file", out, err);
    strvec_release(&argv);
    return result;
}

static bool takes_value(const char *flag)
{
    static const char *const flags[] = {"-I",      "-D",         "-U",       "-isystem",
                                        "-iquote", "-idirafter", "-include", "-imacros"};
    bool found = false;

    for (size_t i = 0; !found && i < ARRAY_SIZE(flags); i++)
        found = strcmp(flag, flags[i]) == 0;
    return found;
}

/* What -I, -D and their like say is in the preprocessed text. */
static void hash_flags(const struct strvec *flags, struct hash *hash)
{
    static const char *const seen[] = {"-I", "-D", "-U", "-i"};

    for (size_t i = 0; i < flags->nr; i++) {
        bool skip = false;

        for (size_t k = 0; !skip && k < ARRAY_SIZE(seen); k++)
            skip = strncmp(flags->v[i], seen[k], 2) == 0;
        if (!skip)
            hash_text(hash, flags->v[i]);
        else if (takes_value(flags->v[i]))
            i++;
    }
}

/* Captured bytes by the hash that was taken of them, wherever the file lies now. */
static void hash_captured(const struct kernel_buffer *buffer, struct hash *hash)
{
    const struct captured *captured = buffer->contents.captured;
    char *text = xasprintf("%s=%lld:captured %lu %d %s", buffer->name, buffer->length,
                           captured->place, captured->huge_pages, captured->hash);

    hash_text(hash, text);
    free(text);
}

/* Sizes and contents are words of the harness; a file's contents are what is in it. */
static int hash_inputs(const struct kernel *kernel, struct hash *hash, struct error *err)
{
    struct strvec args = {0};
    int result = 0;

    variant_args(kernel, &args);
    for (size_t i = 0; i < args.nr; i++)
        if (!strstr(args.v[i], ":captured("))
            hash_text(hash, args.v[i]);
    strvec_release(&args);
    for (size_t i = 0; result == 0 && i < kernel->buffer_nr; i++) {
        const char *path = kernel->buffer[i].contents.file;
        struct buf content = {0};

        if (kernel->buffer[i].contents.captured) {
            hash_captured(&kernel->buffer[i], hash);
            continue;
        }
        result = path ? file_read(path, &content, err) : 0;
        hash_add(hash, buf_str(&content), content.length);
        buf_release(&content);
    }
    return result;
}

static void hash_promises(const struct kernel *kernel, struct hash *hash)
{
    for (size_t i = 0; i < kernel->assume.nr; i++)
        hash_text(hash, kernel->assume.v[i]);
    hash_text(hash, kernel->model_request.reassociate ? "reassociate" : "");
}

int kernel_identity(const struct kernel *kernel, const struct toolchain *toolchain,
                    char **hex, struct error *err)
{
    struct buf text = {0};
    struct hash hash = hash_begin();

    *hex = NULL;
    int result = preprocess(kernel, toolchain, "-fopenmp-simd", &text, err);
    /* where there are threads some text may be another one; no runtime, no text */
    if (result == 0)
        preprocess(kernel, toolchain, "-fopenmp", &text, NULL);
    hash_add(&hash, buf_str(&text), text.length);
    hash_text(&hash, kernel_name(kernel));
    hash_text(&hash, toolchain->version ? toolchain->version : "");
    hash_flags(&kernel->cflags, &hash);
    hash_text(&hash, "");
    hash_flags(&toolchain->flags, &hash);
    hash_promises(kernel, &hash);
    if (result == 0)
        result = hash_inputs(kernel, &hash, err);
    if (result == 0)
        *hex = hash_hex(&hash);
    buf_release(&text);
    return result;
}
