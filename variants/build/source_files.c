/* What the compiler says of a kernel's file: which headers it reads, which instruction
 * sets it may use. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "variants/build/compile.h"
#include "variants/kernel/kernel_parts.h"

static int ask(const struct kernel *kernel, const struct toolchain *toolchain,
               const char *const question[], const char *path, struct buf *out,
               struct error *err)
{
    struct strvec argv = {0};

    push_compiler(toolchain, kernel->function->is_cplusplus, &argv);
    strvec_push_all(&argv, &kernel->cflags);
    strvec_push_all(&argv, &toolchain->flags);
    for (size_t i = 0; question[i]; i++)
        strvec_push(&argv, question[i]);
    strvec_push(&argv, path);
    int result = compiler_run(&argv, "the kernel's file", out, err);
    strvec_release(&argv);
    return result;
}

int kernel_macros(const struct kernel *kernel, const struct toolchain *toolchain,
                  struct buf *macros, struct error *err)
{
    bool cplusplus = kernel->function->is_cplusplus;
    const char *const question[] = {"-dM", "-E", "-x", cplusplus ? "c++" : "c", NULL};

    return ask(kernel, toolchain, question, "/dev/null", macros, err);
}

/* One name of a make rule: "\ " is a blank, "\#" and "$$" are what they look like, a
 * backslash before a line end is nothing. Returns behind it; empty at the end. */
static const char *take_name(const char *at, struct buf *name)
{
    while (strchr(" \t\n\r", *at) || (*at == '\\' && strchr("\n\r", at[1]))) {
        if (!*at)
            return at;
        at++;
    }
    while (!strchr(" \t\n\r", *at)) {
        bool escaped =
            (*at == '\\' && at[1] && strchr(" #", at[1])) || (*at == '$' && at[1] == '$');
        if (*at == '\\' && strchr("\n\r", at[1]))
            break;
        at += escaped;
        buf_add_n(name, at++, 1);
    }
    return at;
}

static void take_rule(const char *rule, const char *own, struct strvec *paths)
{
    const char *at = strstr(rule, ": ");
    struct buf name = {0};

    for (at = at ? at + 1 : ""; (at = take_name(at, &name)), name.length;) {
        char *real = realpath(buf_str(&name), NULL);
        if (real && strcmp(real, own))
            strvec_push(paths, real);
        free(real);
        buf_reset(&name);
    }
    buf_release(&name);
}

int kernel_headers(const struct kernel *kernel, const struct toolchain *toolchain,
                   struct strvec *paths, struct error *err)
{
    static const char *const question[] = {"-MM", "-MT", "rule", NULL};
    struct buf rule = {0};
    char *own = realpath(kernel_path(kernel), NULL);
    int result = own ? ask(kernel, toolchain, question, own, &rule, err)
                     : fail(err, STATUS_INPUT, "cannot read '%s'", kernel_path(kernel));

    if (result == 0)
        take_rule(buf_str(&rule), own, paths);
    buf_release(&rule);
    free(own);
    return result;
}
