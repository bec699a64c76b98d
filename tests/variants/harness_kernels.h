/* Kernels of tests/data/harness, compilers, and a folder to build in. */
#ifndef TESTS_VARIANTS_HARNESS_KERNELS_H
#define TESTS_VARIANTS_HARNESS_KERNELS_H

#include "variants/build/build.h"

/* Opens tests/data/harness/<name>.c with words from the command line (NULL-terminated
 * list; may be NULL). NULL after a reported failure. */
struct kernel *fixture_open(const char *name, const char *const *words);
/* The same, bound. */
struct kernel *fixture_bound(const char *name, const char *const *words);

/* The compiler of this build, and clang-19 or gcc where it is another one and there is
 * one. -O2, so that tests are quick. */
size_t fixture_toolchains(const struct toolchain **toolchain);

/* A folder with a blank in its name, the same for all tests of a run. */
const char *fixture_dir(void);

char *
fixture_data(const char *name); /* path of tests/data/harness/<name>; caller frees */

/* Writes text to <dir>/<name> and gives its path; caller frees. */
char *fixture_file(const char *name, const char *text);

/* One program of the untransformed kernel, or of a file that replaces it. NULL after a
 * reported failure. */
char *fixture_build(struct kernel *kernel, const char *source,
                    const struct toolchain *toolchain, enum variant_program what);

#endif
