/* What the words of --sweep become, and what is refused and how. */
#include "tests/advisor/compare/axes.h"

#include <stdlib.h>

#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_axes);

static char *points_text(const struct sweep_axes *axes)
{
    struct buf out = {0};

    for (size_t i = 0; i < sweep_axes_points(axes); i++) {
        long long value[SWEEP_AXES_MAX];
        char *text;

        sweep_axes_at(axes, i, value);
        text = sweep_point_text(axes, value);
        buf_addf(&out, "%s%s", i ? "; " : "", text);
        free(text);
    }
    return buf_detach(&out);
}

TEST("points of axes")
{
    static const struct {
        const char *words, *points;
    } cases[] = {
        {"n=64:512:x2", "n=64; n=128; n=256; n=512"},
        {"n=64:500:x2", "n=64; n=128; n=256"},
        {"n=0:1000:+400", "n=0; n=400; n=800"},
        {"n=1:10:x1.5", "n=1; n=2; n=3; n=5; n=8"},
        {"n=1:2:x1.1", "n=1; n=2"},
        {"n=7:7:x2", "n=7"},
        {"n=64,100,64,2k", "n=64; n=100; n=2048"},
        {"n,m=8,16", "n,m=8; n,m=16"},
        {"n=1,2 pages=small,huge",
         "n=1 pages=small; n=1 pages=huge; n=2 pages=small; n=2 pages=huge"},
        {"cores=1:4:x2", "cores=1; cores=2; cores=4"},
        {"start=cold,warm", "start=cold; start=warm"},
        {"background=disk,cold-not", NULL},
        {"background=disk,idle m=3", "background=disk m=3; background=idle m=3"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sweep_axes axes = {0};
        struct error err = {0};
        char *text;

        if (!cases[i].points) {
            check_fails(read_axes(cases[i].words, &axes, &err), &err, STATUS_USAGE,
                        "--sweep background: expected idle, arithmetic, memory, disk, "
                        "got 'cold-not'");
        } else if (check_ok(read_axes(cases[i].words, &axes, &err), &err)) {
            text = points_text(&axes);
            check_str(text, cases[i].points);
            free(text);
        }
        sweep_axes_release(&axes);
    }
}

TEST("axes that are refused")
{
    static const struct {
        const char *words, *message;
    } cases[] = {
        {"n", "--sweep: 'n' is not NAME=FROM:TO:x2, NAME=FROM:TO:+STEP or NAME=A,B,C"},
        {"n=", "--sweep: 'n=' is not NAME=FROM"},
        {"=3", "--sweep: '=3' is not NAME=FROM"},
        {"n=,", "--sweep: 'n=,' names no value"},
        {"n=1:2", "--sweep: '1:2' lacks a step: FROM:TO:x2 or FROM:TO:+512"},
        {"n=1:9:2", "--sweep: the step '2' is neither a factor such as x2"},
        {"n=1:9:x", "--sweep: the step 'x' is neither a factor"},
        {"n=1:9:x1", "--sweep: the factor 'x1' is not above 1"},
        {"n=1:9:x-2", "--sweep: the factor 'x-2' is not above 1"},
        {"n=0:9:x2", "--sweep: a factor does not step up from 0; start at 1 or more"},
        {"n=1:9:+0", "--sweep: the step '+0' is not a whole number above 0"},
        {"n=1:9:+1.5", "--sweep: the step '+1.5' is not a whole number above 0"},
        {"n=9:1:+1", "--sweep: 1 lies below 9"},
        {"n=one", "--sweep: 'one' is not a whole number"},
        {"k=1,2", "--sweep: 'k' cannot be varied here; n, m, pages, cores, "
                  "start and background can"},
        {"alpha=1",
         "--sweep: parameter 'alpha' is not an integer; only sizes are varied"},
        {"n,pages=1", "--sweep: 'pages' cannot be tied to others"},
        {"pages=small,big", "--sweep pages: expected small, huge, got 'big'"},
        {"cores=0,1", "--sweep cores: '0' is less than one core"},
        {"n=1 m=2 n=3", "--sweep: 'n' is varied twice"},
        {"n,m=1 m=2", "--sweep: 'm' is varied twice"},
        {"n=1:1000000000:+1", "--sweep: these are"},
        {"n=1:200:+1 m=1:200:+1", "--sweep: these are more than 10000 points"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sweep_axes axes = {0};
        struct error err = {0};

        check_fails(read_axes(cases[i].words, &axes, &err), &err, STATUS_USAGE,
                    cases[i].message);
        sweep_axes_release(&axes);
    }
}
