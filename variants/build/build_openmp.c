/* Does a kernel's file need OpenMP? */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "variants/build/compile.h"
#include "variants/kernel/kernel.h"

static const char *skip_word(const char *at, const char *word)
{
    size_t length = strlen(word);

    at += strspn(at, " \t");
    return strncmp(at, word, length) == 0 ? at + length : NULL;
}

static bool is_parallel_line(const char *line)
{
    static const char *const words[] = {"#", "pragma", "omp", "parallel"};

    for (size_t i = 0; line && i < ARRAY_SIZE(words); i++)
        line = skip_word(line, words[i]);
    return line && !isalnum((unsigned char)*line) && *line != '_';
}

static size_t parallel_lines(const char *source)
{
    size_t nr = 0;

    while (source) {
        nr += is_parallel_line(source);
        source = strchr(source, '\n');
        source += source != NULL;
    }
    return nr;
}

bool needs_openmp(const struct kernel *kernel, const char *source)
{
    for (size_t i = 0; i < kernel->cflags.nr; i++)
        if (strncmp(kernel->cflags.v[i], "-fopenmp", 8) == 0 &&
            strcmp(kernel->cflags.v[i], "-fopenmp-simd") != 0)
            return true;
    return parallel_lines(source) > parallel_lines(kernel->function->source);
}
