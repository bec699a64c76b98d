#include "tests/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"

static int skipped_nr;

/* Takes the message. CUnit keeps a copy of what it is given. */
static bool report(bool held, struct buf *message, int line, const char *file)
{
    CU_assertImplementation(held ? CU_TRUE : CU_FALSE, (unsigned)line, buf_str(message),
                            file, "", CU_FALSE);
    buf_release(message);
    return held;
}

bool check_true_at(bool held, const char *what, int line, const char *file)
{
    struct buf message = {0};

    buf_addf(&message, "%s: does not hold", what);
    return report(held, &message, line, file);
}

bool check_eq_at(long long got, long long want, const char *what, int line,
                 const char *file)
{
    struct buf message = {0};

    buf_addf(&message, "%s: got %lld, want %lld", what, got, want);
    return report(got == want, &message, line, file);
}

bool check_str_at(const char *got, const char *want, const char *what, int line,
                  const char *file)
{
    struct buf message = {0};
    bool same = got && want ? strcmp(got, want) == 0 : got == want;

    buf_addf(&message, "%s: got \"%s\", want \"%s\"", what, got ? got : "(null)",
             want ? want : "(null)");
    return report(same, &message, line, file);
}

bool check_contains_at(const char *text, const char *part, const char *what, int line,
                       const char *file)
{
    struct buf message = {0};

    buf_addf(&message, "%s: got \"%s\", want \"%s\" in it", what, text ? text : "(null)",
             part);
    return report(text && strstr(text, part), &message, line, file);
}

bool check_near_at(double got, double want, double relative, const char *what, int line,
                   const char *file)
{
    struct buf message = {0};

    buf_addf(&message, "%s: got %.10g, want %.10g within %g of it", what, got, want,
             relative);
    return report(fabs(got - want) <= relative * fabs(want), &message, line, file);
}

bool check_ok_at(int result, struct error *err, const char *what, int line,
                 const char *file)
{
    struct buf message = {0};

    buf_addf(&message, "%s: got %d, \"%s\"; want success", what, result,
             err ? err->text : "");
    if (err)
        error_clear(err);
    return report(result == 0, &message, line, file);
}

bool check_fails_at(int result, struct error *err, enum status status, const char *part,
                    const char *what, int line, const char *file)
{
    struct buf message = {0};
    bool held = result == -1 && err->status == status && strstr(err->text, part);

    buf_addf(&message, "%s: got %d, status %d, \"%s\"; want -1, status %d, \"%s\" in it",
             what, result, err->status, err->text, status, part);
    error_clear(err);
    return report(held, &message, line, file);
}

bool check_golden_at(const char *path, const char *got, const char *what, int line,
                     const char *file)
{
    struct error err = {0};
    struct buf want = {0};
    bool held = true;

    if (getenv("UPDATE_GOLDEN"))
        held =
            check_ok_at(file_write(path, got, strlen(got), &err), &err, path, line, file);
    held = check_ok_at(file_read(path, &want, &err), &err, path, line, file) &&
           check_str_at(got, buf_str(&want), what, line, file) && held;
    buf_release(&want);
    return held;
}

void check_skip(const char *why)
{
    printf("  skipped: %s\n", why);
    skipped_nr++;
}

int check_skipped_nr(void)
{
    return skipped_nr;
}
