/* Flags for kernels that may be somebody else's. */

#include "core/base/array.h"
#include "tests/check.h"
#include "variants/clang/clang.h"

SUITE(variants_flags);

static struct strvec flags_of(const char *text)
{
    struct strvec flags = {0};

    strvec_split(&flags, text);
    return flags;
}

TEST("what says the meaning is taken")
{
    static const char *const cases[] = {
        "-I dir -Idir -isystem /a -iquote b -D N=3 -DN -U X -include a.h -std=gnu17",
        "-O -O0 -O3 -Os -Ofast -march=native -mtune=znver4 -mavx2 -mno-avx512f",
        "-mprefer-vector-width=512 -fno-builtin-memcpy -ffast-math -ffp-contract=fast",
        "-fopenmp -funroll-loops -flto -flto=auto -fvisibility=hidden -fPIC",
        "-fsanitize=undefined",
        "-Wall -Wno-unused -Werror=vla -w -g -g3 -gdwarf-4 -ggdb3 -pthread -pipe -ansi",
        "-x c -xc -pedantic -ffile-prefix-map=/a=/b",
        "",
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec flags = flags_of(cases[i]);
        struct error err = {0};
        check_ok(flags_check(&flags, &err), &err);
        strvec_release(&flags);
    }
}

/* Each would load code, start a program, read options or write a file. */
static const char *const refused[] = {
    "-fplugin=x.so",
    "-fplugin-arg-x-y=z",
    "-fpass-plugin=x.so",
    "-specs=evil.specs",
    "--specs=evil.specs",
    "-B/else/evil",
    "-B",
    "@file",
    "-wrapper gdb,--args",
    "-Xclang -load",
    "-Xlinker -x",
    "-Xassembler -x",
    "-Xpreprocessor -x",
    "-mllvm -load=x.so",
    "-mllvm=-load=x.so",
    "-Wl,-rpath=/else",
    "-Wa,-o,/else/x",
    "-Wp,-MD,/else/x",
    "-fuse-ld=/else/ld",
    "-fdump-tree-all=/else/x",
    "-fopt-info-all=/else/x",
    "-fopt-info",
    "-foptimization-record-file=/else/x",
    "-fsave-optimization-record",
    "-fprofile-use=/else/x",
    "-fprofile-generate",
    "-fcs-profile-generate",
    "-fmemory-profile",
    "-fauto-profile=/else/x",
    "-ftest-coverage",
    "-fstack-usage",
    "-fcallgraph-info",
    "-ftime-trace=/else/x",
    "-fmodule-map-file=/else/x",
    "-fmodules",
    "-foffload=nvptx-none",
    "-fopenmp-targets=x",
    "-fcompare-debug",
    "-fcrash-diagnostics-dir=/else",
    "-fsanitize-ignorelist=/else/x",
    "-fno-integrated-as",
    "-fembed-offload-object=/else/x",
    "-fsomething-new=/else/x",
    "-msomething-new=/else/x",
    "-gsplit-dwarf",
    "-o /else/x",
    "-E",
    "-S",
    "-x assembler",
    "-xassembler",
    "-x",
    "-I @file",
    "-D @file",
    "-include @file",
    "-isystem",
    "-L/else",
    "-l/else/x",
    "x.c",
    "--sysroot=/else",
    "-no-canonical-prefixes",
    "-save-temps",
    "-iplugindir=/else",
    "-MF /else/x",
};

TEST("what loads or writes is refused")
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        struct strvec flags = flags_of(refused[i]);
        struct error err = {0};
        if (!check_fails(flags_check(&flags, &err), &err, STATUS_USAGE,
                         "is not accepted"))
            check_str(refused[i], "refused");
        strvec_release(&flags);
    }
}

/* Of a record less is taken: nothing that names a file. */
TEST("a record says only how to optimise")
{
    static const char *const bad[] = {"-I.",
                                      "-DN=3",
                                      "-include a.h",
                                      "-std=c99",
                                      "-Wall",
                                      "@file",
                                      "-fplugin=x",
                                      "-mllvm",
                                      "-B/else",
                                      "-g",
                                      "-ffile-prefix-map=/a=/b",
                                      "-pthread",
                                      "gcc"};
    struct strvec good = flags_of("-O3 -march=native -ffast-math -fno-math-errno");
    struct error err = {0};

    check_ok(flags_check_recorded(&good, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct strvec flags = flags_of(bad[i]);
        if (!check_fails(flags_check_recorded(&flags, &err), &err, STATUS_INPUT,
                         "only -O, -f and -m"))
            check_str(bad[i], "refused");
        strvec_release(&flags);
    }
    strvec_release(&good);
}
