#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/build/compile.h"
#include "variants/clang/clang.h"

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

static int try_it(const struct toolchain *toolchain, bool cplusplus, struct error *err)
{
    struct error why = {0};
    char *dir = NULL, *object = NULL;

    if (scratch_make(&dir, err))
        return -1;
    compile_object(
        &(struct compile_request){.toolchain = toolchain,
                                  .dir = dir,
                                  .stem = "try",
                                  .text = "void try_it(void);\n"
                                          "void try_it(void)\n{\n}\n",
                                  .what = "even an empty function with these flags",
                                  .flags = &toolchain->flags,
                                  .is_cplusplus = cplusplus},
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
    if (ask_version(toolchain, err) || try_it(toolchain, false, err)) {
        toolchain_release(toolchain);
        return -1;
    }
    return 0;
}

int toolchain_try_cplusplus(const struct toolchain *toolchain, char **compiler,
                            struct error *err)
{
    *compiler = cxx_compiler(toolchain->compiler, true);
    return try_it(toolchain, true, err);
}

void toolchain_release(struct toolchain *toolchain)
{
    free(toolchain->compiler);
    free(toolchain->version);
    strvec_release(&toolchain->flags);
    *toolchain = (struct toolchain){0};
}

/* ---- sanitizers ---- */

const char *sanitizer_flags(enum variant_program what)
{
    if (what == VARIANT_ADDRESS)
        return "-O1 -g1 -DINFLIGHT_ADDRESS -fsanitize=address,undefined "
               "-fno-sanitize-recover=undefined";
    if (what == VARIANT_THREADS)
        return "-O1 -g1 -pthread -DINFLIGHT_THREADS -fsanitize=thread";
    return "";
}

static int build_empty(const struct toolchain *toolchain, const char *dir,
                       const struct strvec *flags, char **program, struct error *err)
{
    struct strvec objects = {0};
    char *object = NULL;
    int result = compile_object(&(struct compile_request){.toolchain = toolchain,
                                                          .dir = dir,
                                                          .stem = "empty",
                                                          .text = "int main(void)\n{\n"
                                                                  "    return 0;\n}\n",
                                                          .what = "an empty program",
                                                          .flags = flags},
                                &object, err);

    if (result == 0) {
        strvec_push(&objects, object);
        result = link_program(&(struct link_request){.toolchain = toolchain,
                                                     .dir = dir,
                                                     .stem = "empty",
                                                     .objects = &objects,
                                                     .flags = flags},
                              program, err);
    }
    free(object);
    strvec_release(&objects);
    return result;
}

/* The thread sanitizer does not start where the system lays out memory otherwise. */
static int run_empty(const char *program, struct error *err)
{
    const char *const argv[] = {program, NULL};
    struct spawn_outcome outcome;
    int result = 0;

    if (spawn_run(&(struct spawn_request){.argv = argv,
                                          .timeout_s = 10,
                                          .account = ACCOUNT_VERIFYING},
                  &outcome, err))
        return -1;
    if (outcome.end == SPAWN_NOT_STARTED)
        result = fail(err, STATUS_MISSING, "cannot start '%s': %s", program,
                      strerror(outcome.code));
    else if (outcome.end != SPAWN_EXITED || outcome.code != 0)
        result = fail(err, STATUS_MISSING, "a program that does nothing fails: %.*s",
                      (int)strcspn(buf_str(&outcome.err), "\n"), buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    return result;
}

int toolchain_try(const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, struct error *err)
{
    struct strvec flags = {0};
    struct error why = {0};
    char *program = NULL;
    int result;

    strvec_push_all(&flags, &toolchain->flags);
    strvec_split(&flags, sanitizer_flags(what));
    result = build_empty(toolchain, dir, &flags, &program, &why);
    if (result == 0)
        result = run_empty(program, &why);
    free(program);
    strvec_release(&flags);
    return result ? fail(err, STATUS_MISSING, "%s", why.text) : 0;
}
