/* What a person may change, seen in the source. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"

SUITE(variants_spots);

static const struct {
    const char *body;
    enum kernel_spot spot;
    const char *want; /* "" = nothing is found */
} cases[] = {
    {"long m = 0; for (long i = 0; i < n; i++) m += t[i] == 'x'; a[0] = m;",
     KERNEL_SPOT_NARROW, "m (line 5)"},
    {"int m = 0; for (long i = 0; i < n; i++) if (t[i] > 'x') { m++; } a[0] = m;",
     KERNEL_SPOT_NARROW, "m (line 5)"},
    {"int m = 0, in = 0; for (long i = 0; i < n; i++) if (t[i] < 33) in = 0; else if "
     "(!in) { in = 1; m++; } a[0] = m;",
     KERNEL_SPOT_NARROW, "m (line 5)"},
    {"int m = 0, in = 0; for (long i = 0; i < n; i++) if (a[i] < 33) in = 0; else if "
     "(!in) { in = 1; m++; } a[0] = m;",
     KERNEL_SPOT_NARROW, ""},
    /* as wide as what is counted; no count; a byte already */
    {"long m = 0; for (long i = 0; i < n; i++) m += a[i] > 1; a[0] = m;",
     KERNEL_SPOT_NARROW, ""},
    {"long m = 0; for (long i = 0; i < n; i++) m += t[i]; a[0] = m;", KERNEL_SPOT_NARROW,
     ""},
    {"unsigned char m = 0; for (long i = 0; i < n; i++) m += t[i] == 'x'; a[0] = m;",
     KERNEL_SPOT_NARROW, ""},
    {"double *w = malloc(8 * n + 8); for (long i = 0; i < n; i++) w[i] = a[i]; "
     "for (long i = 0; i < n; i++) a[i] = w[i] + 1; free(w);",
     KERNEL_SPOT_FRESH, "malloc (line 5)"},
    {"for (long i = 0; i < n; i++) a[i] = 1;", KERNEL_SPOT_FRESH, ""},
    {"for (long i = 0; i < n; i++) a[i] = 1 / sqrt(b[i]);", KERNEL_SPOT_ERRNO,
     "sqrt(b[i]) (line 5)"},
    {"double c2 = sqrt(c); for (long i = 0; i < n; i++) a[i] = c2;", KERNEL_SPOT_ERRNO,
     ""},
    {"for (long y = 0; y < n; y++) for (long k = -1; k <= 1; k++) { long at = y + k; if "
     "(at >= 0 && at < n) a[y] += b[at]; }",
     KERNEL_SPOT_BORDER, "at >= 0 (line 5)at < n (line 5)"},
    {"for (long i = 0; i < n; i++) for (long k = 0; k < n; k++) if (i < k) a[i] += 1;",
     KERNEL_SPOT_BORDER, ""},
    {"for (unsigned long i = 0; i < strlen(t); i++) t[i] = 'y';", KERNEL_SPOT_LENGTH,
     "strlen(t) (line 5)"},
    {"unsigned long m = strlen(t); for (unsigned long i = 0; i < m; i++) t[i] = 'y';",
     KERNEL_SPOT_LENGTH, ""},
    {"double m = a[0]; long at = 0; for (long i = 1; i < n; i++) if (a[i] > m) { "
     "m = a[i]; at = i; } a[0] = at;",
     KERNEL_SPOT_PLACE, "at (line 5)"},
    {"double m = a[0]; for (long i = 1; i < n; i++) if (a[i] > m) { m = a[i]; } a[0] = "
     "m;",
     KERNEL_SPOT_PLACE, ""},
    {"double s = 0; for (long i = 0; i < n; i++) { s += a[i]; a[i] = s; }",
     KERNEL_SPOT_PREFIX, "s (line 5)"},
    {"double s = 0; for (long i = 0; i < n; i++) { s += a[i]; } a[0] = s;",
     KERNEL_SPOT_PREFIX, ""},
    {"for (long i = 1; i < n; i++) a[i] = a[i - 1] + b[i];", KERNEL_SPOT_PREFIX,
     "a (line 5)"},
    {"for (long i = 1; i + 1 < n; i++) a[i] = a[i - 1] + a[i + 1];", KERNEL_SPOT_PREFIX,
     ""},
    {"for (long i = 0; i < n; i++) a[i] = a[i] + b[i];", KERNEL_SPOT_PREFIX, ""},
    {"for (long i = 0; i < n; i++) a[i] = a[i] / c;", KERNEL_SPOT_DIVISOR, "c (line 5)"},
    {"for (long j = 0; j < 9; j++) for (long i = 0; i < n; i++) a[i] = a[i] / b[i];",
     KERNEL_SPOT_DIVISOR, "b[i] (line 5)"},
    /* other ones each time, and a constant */
    {"for (long i = 0; i < n; i++) a[i] = a[i] / b[i];", KERNEL_SPOT_DIVISOR, ""},
    {"for (long i = 0; i < n; i++) { double x = a[i]; a[i] = c / (1 + x); }",
     KERNEL_SPOT_DIVISOR, ""},
    {"for (long i = 0; i < n; i++) a[i] = a[i] / 3;", KERNEL_SPOT_DIVISOR, ""},
    {"for (long i = 0; i < n; i++) a[i] = b[i == 0 ? 0 : i - 1];", KERNEL_SPOT_BORDER,
     "i == 0 (line 5)"},
    {"for (long i = 0; i < n; i++) a[i] = b[(i + 1) % n];", KERNEL_SPOT_BORDER,
     "(i + 1) % n (line 5)"},
    {"for (long i = 0; i < n; i++) a[i] = b[i] > 0 ? b[i] : a[i];", KERNEL_SPOT_BORDER,
     ""},
    {"for (long i = 0; i < n; i++) a[i] = b[n > 5 ? 0 : i];", KERNEL_SPOT_BORDER, ""},
    {"for (long i = 0; i < n; i++) a[i] = a[i] + a[n / 2];", KERNEL_SPOT_MET,
     "a[n / 2] (line 5)"},
    {"for (long i = 0; i < n; i++) a[i] = a[i + 1] + b[n / 2];", KERNEL_SPOT_MET, ""},
    {"unsigned x = 1; for (long i = 0; i < n; i++) { x ^= x << 13; a[i] = x; }",
     KERNEL_SPOT_CHAIN, "x (line 5)"},
    {"double s = 0; for (long i = 0; i < n; i++) s = s * c + a[i]; a[0] = s;",
     KERNEL_SPOT_CHAIN, ""},
    {"double s = 0; for (long i = 0; i < n; i++) s = a[i] > s ? a[i] : s; a[0] = s;",
     KERNEL_SPOT_CHAIN, ""},
    {"for (long i = 0; i < n; i++) { double x = a[i]; x = x * x / 2; a[i] = x; }",
     KERNEL_SPOT_CHAIN, ""},
    {"for (long i = 0; i < n; i++) if (t[i] == 'x') { a[0] = i; break; }",
     KERNEL_SPOT_SEARCH, "t[i] (line 5)"},
    {"for (long i = 0; i < n; i++) if (a[i] > c) return;", KERNEL_SPOT_SEARCH,
     "a[i] (line 5)"},
    {"long i = 0; while (t[i] != 'x') i++; for (long k = 0; k < n; k++) a[k] = i;",
     KERNEL_SPOT_SEARCH, "t[i] (line 5)"},
    {"long i; for (i = 0; t[i]; i++) ; for (long k = 0; k < n; k++) a[k] = i;",
     KERNEL_SPOT_SEARCH, "t[i] (line 5)"},
    {"for (long i = 0; i < n; i++) { int k = 0; while (k < 8 && t[i + k] == t[k]) k++; "
     "a[i] = k; }",
     KERNEL_SPOT_SEARCH, "t[i + k] (line 5)"},
    /* the ends of runs; no element decides; nothing ends */
    {"for (long i = 0; i < n;) { long k = i; while (k < n && t[k] == t[i]) k++; "
     "a[0] = k; i = k; }",
     KERNEL_SPOT_SEARCH, ""},
    {"for (long i = 0; i < n; i++) if (i * c > 9) break;", KERNEL_SPOT_SEARCH, ""},
    {"for (long i = 0; i < n; i++) if (a[i] > c) a[i] = c;", KERNEL_SPOT_SEARCH, ""},
};

static void check_spot(const char *body, enum kernel_spot spot, const char *want)
{
    char *text = xasprintf("#include <stdlib.h>\n#include <string.h>\n\n"
                           "void f(long n, double c, double *restrict a, const double "
                           "*restrict b, char *restrict t)\n{ %s }\n",
                           body),
         *path = fixture_file("a b.c", text);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct error err = {0};

    if (check_ok(kernel_open(&request, &kernel, &err), &err)) {
        struct kernel_view view = kernel_view(kernel);
        struct buf got = {0};

        for (size_t i = 0; i < view.found_nr; i++)
            if (view.found[i].spot == spot)
                buf_addf(&got, "%s (line %d)", view.found[i].what, view.found[i].line);
        if (!check(!strcmp(buf_str(&got), want)))
            check_str(body, buf_str(&got));
        buf_release(&got);
    }
    kernel_free(kernel);
    free(path);
    free(text);
}

TEST("what a person may change is seen")
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_spot(cases[i].body, cases[i].spot, cases[i].want);
}
