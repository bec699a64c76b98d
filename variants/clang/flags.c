/*
 * Which flags are taken for a kernel: those that say what its source means and how it is
 * optimised. None that loads code, starts another program, reads options from a file or
 * writes one: records, compilation databases and command lines copied from somewhere may
 * be somebody else's.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/clang/clang.h"

static bool begins_one(const char *flag, const char *const *list)
{
    for (size_t i = 0; list[i]; i++)
        if (text_begins(flag, list[i]))
            return true;
    return false;
}

static bool is_one(const char *flag, const char *const *list)
{
    for (size_t i = 0; list[i]; i++)
        if (strcmp(flag, list[i]) == 0)
            return true;
    return false;
}

/* ---- of the kinds that have very many ---- */

/* -f and -m with a value: these names only, since some values are files and plugins. */
static const char *const valued[] = {"-falign-functions=",
                                     "-falign-jumps=",
                                     "-falign-labels=",
                                     "-falign-loops=",
                                     "-fcf-protection=",
                                     "-fdiagnostics-color=",
                                     "-ferror-limit=",
                                     "-fexcess-precision=",
                                     "-ffile-prefix-map=",
                                     "-fdebug-prefix-map=",
                                     "-fmacro-prefix-map=",
                                     "-fprefix-map=",
                                     "-ffp-contract=",
                                     "-ffp-eval-method=",
                                     "-ffp-exception-behavior=",
                                     "-ffp-model=",
                                     "-finline-limit=",
                                     "-flive-patching=",
                                     "-flto=auto",
                                     "-flto=full",
                                     "-flto=thin",
                                     "-fmax-errors=",
                                     "-fmessage-length=",
                                     "-fno-builtin-",
                                     "-fopenmp-version=",
                                     "-fpack-struct=",
                                     "-fpatchable-function-entry=",
                                     "-fsanitize=",
                                     "-fno-sanitize=",
                                     "-fno-sanitize-recover=",
                                     "-fsanitize-recover=",
                                     "-fsimd-cost-model=",
                                     "-fstack-reuse=",
                                     "-fstrict-flex-arrays=",
                                     "-ftabstop=",
                                     "-ftls-model=",
                                     "-ftree-parallelize-loops=",
                                     "-ftrivial-auto-var-init=",
                                     "-fveclib=",
                                     "-fvect-cost-model=",
                                     "-fvisibility=",
                                     "-mabi=",
                                     "-march=",
                                     "-malign-data=",
                                     "-mbranch-cost=",
                                     "-mbranch-protection=",
                                     "-mcmodel=",
                                     "-mcpu=",
                                     "-mfloat-abi=",
                                     "-mfpmath=",
                                     "-mfpu=",
                                     "-mfunction-return=",
                                     "-mharden-sls=",
                                     "-mindirect-branch=",
                                     "-mlarge-data-threshold=",
                                     "-mmemcpy-strategy=",
                                     "-mmemset-strategy=",
                                     "-mmove-max=",
                                     "-mpreferred-stack-boundary=",
                                     "-mprefer-vector-width=",
                                     "-mrecip=",
                                     "-mregparm=",
                                     "-mstack-alignment=",
                                     "-mstore-max=",
                                     "-mstringop-strategy=",
                                     "-msve-vector-bits=",
                                     "-mtls-dialect=",
                                     "-mtune=",
                                     "-mtune-ctrl=",
                                     "-mveclibabi=",
                                     NULL};

/* Without a value, those that load code, write files or read some. */
static const char *const writing[] = {"-fplugin",
                                      "-fpass-plugin",
                                      "-fuse-ld",
                                      "-fdump",
                                      "-fopenmp-targets",
                                      "-foffload",
                                      "-fprofile",
                                      "-fcs-profile",
                                      "-fmemory-profile",
                                      "-fauto-profile",
                                      "-fbranch-probabilities",
                                      "-ftest-coverage",
                                      "-fcoverage",
                                      "-fcallgraph-info",
                                      "-fstack-usage",
                                      "-fsave-optimization-record",
                                      "-foptimization-record",
                                      "-fopt-info",
                                      "-ftime-trace",
                                      "-fcompare-debug",
                                      "-fmodule",
                                      "-fimplicit-module",
                                      "-fcxx-module",
                                      "-fbuild-session",
                                      "-fcrash-diagnostics",
                                      "-fembed",
                                      "-fdiagnostics-add-output",
                                      "-fdiagnostics-set-output",
                                      "-fsanitize-blacklist",
                                      "-fsanitize-ignorelist",
                                      "-fsycl",
                                      "-fno-integrated-as",
                                      "-mllvm",
                                      "-mlink",
                                      "-mdump",
                                      NULL};

static bool is_option(const char *flag)
{
    if (begins_one(flag, writing))
        return false;
    return strchr(flag, '=') ? begins_one(flag, valued) : true;
}

static bool is_debug(const char *flag)
{
    static const char *const words[] = {"-g",
                                        "-g0",
                                        "-g1",
                                        "-g2",
                                        "-g3",
                                        "-ggdb",
                                        "-ggdb0",
                                        "-ggdb1",
                                        "-ggdb2",
                                        "-ggdb3",
                                        "-gz",
                                        "-gline-tables-only",
                                        "-gdwarf",
                                        "-gdwarf-2",
                                        "-gdwarf-3",
                                        "-gdwarf-4",
                                        "-gdwarf-5",
                                        "-gstrict-dwarf",
                                        "-gno-strict-dwarf",
                                        "-gcolumn-info",
                                        "-gno-column-info",
                                        NULL};
    return is_one(flag, words);
}

static bool is_warning(const char *flag)
{
    static const char *const tools[] = {"-Wl,", "-Wa,", "-Wp,", NULL};
    return !begins_one(flag, tools);
}

/* ---- all of them ---- */

static const char *const plain[] = {
    "-w",  "-pthread", "-ansi", "-pedantic", "-pedantic-errors",
    "-xc", "-xc++",    "-pipe", NULL};

/* Optimisation alone: nothing of it names a file. */
static bool is_optimisation(const char *flag)
{
    return text_begins(flag, "-O") ||
           ((text_begins(flag, "-f") || text_begins(flag, "-m")) && is_option(flag) &&
            !strstr(flag, "prefix-map"));
}

static bool is_taken(const char *flag)
{
    return is_optimisation(flag) || is_one(flag, plain) || text_begins(flag, "-std=") ||
           (text_begins(flag, "-f") && is_option(flag)) ||
           (text_begins(flag, "-g") && is_debug(flag)) ||
           (text_begins(flag, "-W") && is_warning(flag));
}

/* "-I dir", "-Idir": what stands behind it, NULL = the flag is none of these. */
static const char *named(const char *flag)
{
    static const char *const list[] = {"-isystem", "-iquote",  "-idirafter",
                                       "-include", "-imacros", "-I",
                                       "-D",       "-U",       NULL};
    for (size_t i = 0; list[i]; i++)
        if (text_begins(flag, list[i]))
            return flag + strlen(list[i]);
    return NULL;
}

static int refuse(const char *flag, struct error *err)
{
    if (*flag != '-')
        return fail(
            err, STATUS_USAGE,
            "'%s' is not accepted: compiler flags go after '--' where a C file is "
            "named; for a program leave out the file",
            flag);
    return fail(err, STATUS_USAGE,
                "the compiler flag '%s' is not accepted here; -I, -D, -U, -std=, -O, -f, "
                "-m, -W and -g are, as long as they name no file but a header, no plugin "
                "and no other tool",
                flag);
}

int flags_check(const struct strvec *flags, struct error *err)
{
    for (size_t i = 0; i < flags->nr; i++) {
        const char *value = named(flags->v[i]);
        bool more = i + 1 < flags->nr;
        if (value && !*value) {
            /* gcc reads options from any word that begins with @ */
            if (!more)
                return refuse(flags->v[i], err);
            if (*flags->v[++i] == '@' || !*flags->v[i])
                return refuse(flags->v[i], err);
        } else if (strcmp(flags->v[i], "-x") == 0) {
            if (!more || (strcmp(flags->v[i + 1], "c") && strcmp(flags->v[i + 1], "c++")))
                return refuse("-x", err);
            i++;
        } else if (!value && !is_taken(flags->v[i])) {
            return refuse(flags->v[i], err);
        }
    }
    return 0;
}

int flags_check_recorded(const struct strvec *flags, struct error *err)
{
    for (size_t i = 0; i < flags->nr; i++)
        if (!is_optimisation(flags->v[i]))
            return fail(err, STATUS_INPUT,
                        "the record's compiler flag '%s' is not accepted: from a record "
                        "only -O, -f and -m are, as long as they name no file and no "
                        "plugin; give the flags with --flags",
                        flags->v[i]);
    return 0;
}
