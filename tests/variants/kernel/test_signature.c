/* Which functions can be called in place of which. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/kernel/kernel.h"

SUITE(variants_signature);

/* The kernel k of the text; the file may go. */
static struct kernel *open_text(const char *text, struct error *err)
{
    struct kernel_request request = {.function = "k"};
    struct kernel *kernel = NULL;
    char *dir = NULL, *path;

    check_ok(scratch_make(&dir, err), err);
    path = path_join(dir, "k.c");
    request.path = path;
    check_ok(file_write(path, text, strlen(text), err), err);
    check_ok(kernel_open(&request, &kernel, err), err);
    free(path);
    scratch_remove(dir);
    return kernel;
}

static const char first[] = "void k(long n, double a[n], const float *b, double s)\n"
                            "{ for (long i = 0; i < n; i++) a[i] = s * b[i]; }\n";

TEST("what can be called alike")
{
    static const struct {
        const char *text, *message; /* NULL = it can */
    } cases[] = {
        {first, NULL},
        {"void k(int m, double *restrict x, float y[m], float s)\n"
         "{ for (int i = 0; i < m; i++) x[i] = s * y[i]; }\n",
         NULL},
        {"void k(long n, double a[n], const float *b)\n"
         "{ for (long i = 0; i < n; i++) a[i] = b[i]; }\n",
         "'k' takes 4 parameters and 'k' 3"},
        {"void k(long n, double a[n], const double *b, double s)\n"
         "{ for (long i = 0; i < n; i++) a[i] = s * b[i]; }\n",
         "parameter 3 of 'k' (b) is an array of float, that of 'k' (b) is an array of "
         "double"},
        {"void k(long n, double *a, double s, const float *b)\n"
         "{ for (long i = 0; i < n; i++) a[i] = s * b[i]; }\n",
         "parameter 3 of 'k' (b) is an array of float, that of 'k' (s) is double"},
        {"void k(double n, double *a, const float *b, double s)\n"
         "{ for (long i = 0; i < n; i++) a[i] = s * b[i]; }\n",
         "parameter 1 of 'k' (n) is long, that of 'k' (n) is double"},
        {"double k(long n, double *a, const float *b, double s)\n"
         "{ for (long i = 0; i < n; i++) a[i] = s * b[i]; return 0; }\n",
         "'k' returns void and 'k' double"},
    };
    struct error err = {0};
    struct kernel *one = open_text(first, &err);

    for (size_t i = 0; one && i < ARRAY_SIZE(cases); i++) {
        struct kernel *other = open_text(cases[i].text, &err);

        if (!other)
            continue;
        if (cases[i].message)
            check_fails(kernel_same_call(one, other, &err), &err, STATUS_USAGE,
                        cases[i].message);
        else
            check_ok(kernel_same_call(one, other, &err), &err);
        kernel_free(other);
    }
    kernel_free(one);
}

TEST("names in another order")
{
    struct error err = {0};
    struct kernel *one = open_text("void k(int n, int m, int *a)\n"
                                   "{ for (int i = 0; i < n; i++) a[i] = m; }\n",
                                   &err),
                  *other = open_text("void k(int m, int n, int *a)\n"
                                     "{ for (int i = 0; i < n; i++) a[i] = m; }\n",
                                     &err);

    if (one && other)
        check_fails(kernel_same_call(one, other, &err), &err, STATUS_USAGE,
                    "parameter 1 is 'n' in 'k' and 'm' in 'k': the same names in another "
                    "order");
    kernel_free(one);
    kernel_free(other);
}

/* By place, whatever the names are. */
TEST("sizes are handed on")
{
    struct error err = {0};
    struct strvec words = {0};
    struct kernel *one = open_text(
                      "#pragma inflight set n = 40\n#pragma inflight set s = 0.5\n"
                      "#pragma inflight buffer b length n\n"
                      "void k(long n, double a[n], const float *b, double s)\n"
                      "{ for (long i = 0; i < n; i++) a[i] = s * b[i]; }\n",
                      &err),
                  *other =
                      open_text("void k(long m, double *x, float *y, double t)\n"
                                "{ for (long i = 0; i < m; i++) x[i] = t * y[i]; }\n",
                                &err);

    if (one && other && check_ok(kernel_bind(one, &err), &err)) {
        kernel_same_sizes(one, other, &words);
        check_eq(words.nr, 2);
        check_str(words.nr > 0 ? words.v[0] : NULL, "set m = 40");
        check_str(words.nr > 1 ? words.v[1] : NULL, "set t = 0.5");
    }
    strvec_release(&words);
    kernel_free(one);
    kernel_free(other);
}
