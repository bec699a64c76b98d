#include <stdlib.h>
#include <string.h>

#include "variants/compile.h"

static int ask_version(struct toolchain *toolchain, struct error *err)
{
    struct strvec argv = {0};
    struct buf output = {0};
    struct error why = {0};
    int result = 0;

    strvec_push(&argv, toolchain->compiler);
    strvec_push(&argv, "--version");
    if (compiler_run(&argv, "to tell its version", &output, &why))
        result =
            fail(err, STATUS_MISSING,
                 "%s; install it or name another compiler with --compiler", why.text);
    toolchain->version = xstrndup(buf_str(&output), strcspn(buf_str(&output), "\n"));
    toolchain->is_clang = strstr(buf_str(&output), "clang") != NULL;
    buf_release(&output);
    strvec_release(&argv);
    return result;
}

static int try_it(const struct toolchain *toolchain, struct error *err)
{
    struct error why = {0};
    char *dir = NULL, *object = NULL;

    if (scratch_make(&dir, err))
        return -1;
    compile_object(&(struct compile_request){.toolchain = toolchain,
                                             .dir = dir,
                                             .stem = "try",
                                             .text = "void try_it(void);\n"
                                                     "void try_it(void)\n{\n}\n",
                                             .what = "an empty function",
                                             .flags = &toolchain->flags},
                   &object, &why);
    free(object);
    scratch_remove(dir);
    return *why.text ? fail(err, STATUS_MISSING, "%s", why.text) : 0;
}

int toolchain_find(const char *compiler, const struct strvec *flags,
                   struct toolchain *toolchain, struct error *err)
{
    *toolchain = (struct toolchain){.compiler = xstrdup(compiler)};
    if (flags)
        strvec_push_all(&toolchain->flags, flags);
    else
        strvec_split(&toolchain->flags, "-O3 -march=native");
    if (ask_version(toolchain, err) || try_it(toolchain, err)) {
        toolchain_release(toolchain);
        return -1;
    }
    return 0;
}

void toolchain_release(struct toolchain *toolchain)
{
    free(toolchain->compiler);
    free(toolchain->version);
    strvec_release(&toolchain->flags);
    *toolchain = (struct toolchain){0};
}
