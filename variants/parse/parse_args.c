/* Compiler flags for libclang: only what changes the meaning of the source. */
#include <glob.h>
#include <string.h>

#include "variants/parse/parse.h"

/* libclang would write the files of -M; with -fopenmp the body of a parallel loop
 * becomes one opaque node. */
static const struct {
    const char *flag;
    bool prefix, has_value;
} dropped[] = {
    {"-c", false, false},      {"-S", false, false},        {"-E", false, false},
    {"-o", false, true},       {"-MF", false, true},        {"-MT", false, true},
    {"-MQ", false, true},      {"-x", false, true},         {"--param", false, true},
    {"-M", true, false},       {"-o", true, false},         {"-Werror", true, false},
    {"-fopenmp", true, false}, {"-fopt-info", true, false}, {"-fplugin", true, false},
    {"--param=", true, false}, {"-x", true, false},         {"-save-temps", true, false},
    {"-load", false, true},    {"-Xclang", false, true},    {"@", true, false},
};

static const char *const takes_value[] = {
    "-I",       "-D",      "-U",         "-include",  "-imacros",
    "-isystem", "-iquote", "-idirafter", "-isysroot", "-std",
};

static bool is_dropped(const char *flag, bool *has_value)
{
    for (size_t i = 0; i < ARRAY_SIZE(dropped); i++) {
        size_t length = strlen(dropped[i].flag);
        if (dropped[i].prefix ? strncmp(flag, dropped[i].flag, length) == 0
                              : strcmp(flag, dropped[i].flag) == 0) {
            *has_value = dropped[i].has_value;
            return true;
        }
    }
    *has_value = false;
    return flag[0] != '-'; /* another input file */
}

static bool is_followed_by_value(const char *flag)
{
    for (size_t i = 0; i < ARRAY_SIZE(takes_value); i++)
        if (strcmp(flag, takes_value[i]) == 0)
            return true;
    return false;
}

/* clang's own folder has no omp.h unless its runtime is installed; gcc's version will do.
 * Only where it is asked for: clang's headers go on to those of the same name there. */
static void add_gcc_headers(struct strvec *out)
{
    glob_t found = {0};
    if (glob("/usr/lib*/gcc/*/*/include/omp.h", 0, NULL, &found) == 0) {
        const char *last = found.gl_pathv[found.gl_pathc - 1];
        strvec_push(out, "-idirafter");
        strvec_pushf(out, "%.*s", (int)(path_base(last) - last), last);
    }
    globfree(&found);
}

void parse_args(const struct strvec *cflags, const char *source, bool cplusplus,
                struct strvec *out)
{
    strvec_push(out, cplusplus ? "-xc++" : "-xc");
    strvec_push(out, "-w");
    for (size_t i = 0; cflags && i < cflags->nr; i++) {
        bool has_value;
        if (is_dropped(cflags->v[i], &has_value)) {
            if (strncmp(cflags->v[i], "-fopenmp", 8) == 0 &&
                !strstr(cflags->v[i], "simd"))
                strvec_push(out,
                            "-D_OPENMP=201511"); /* what the real compilation will see */
            i += has_value;
            continue;
        }
        strvec_push(out, cflags->v[i]);
        if (is_followed_by_value(cflags->v[i]) && i + 1 < cflags->nr)
            strvec_push(out, cflags->v[++i]);
    }
    if (strstr(source, "omp.h"))
        add_gcc_headers(out);
}
