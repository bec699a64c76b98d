/*
 * The picture of a profile: the script against files of tests/data/advisor/machine/
 * (UPDATE_GOLDEN=1 rewrites them), and what gnuplot makes of it.
 */
#include "advisor/plot/plot.h"

#include <stdlib.h>
#include <string.h>

#include "core/process/spawn.h"
#include "tests/check.h"
#include "tests/core/machine/machine_by_hand.h"

SUITE(advisor_plot);

static void check_file(const char *name, const char *got)
{
    char *path = xasprintf("%s/tests/data/advisor/machine/%s", INFLIGHT_SOURCE_DIR, name);

    check_golden(path, got);
    free(path);
}

static void check_script(const struct machine *const *machine, size_t nr,
                         enum plot_kind kind, const char *golden)
{
    struct plot plot = {.kind = kind};
    struct buf script = {0};
    struct error err = {0};

    if (check_ok(plot_machines(machine, nr, &plot, &err), &err))
        plot_script(&plot, &script);
    check_file(golden, buf_str(&script));
    plot_release(&plot);
    buf_release(&script);
}

TEST("scripts")
{
    struct machine whole = fixture_whole(), other = fixture_whole();
    const struct machine *both[] = {&whole, &other};

    free(other.name);
    other.name = xstrdup("other");
    check_script(both, 1, PLOT_SVG, "plot_svg.txt");
    check_script(both, 1, PLOT_TERMINAL, "plot_terminal.txt");
    check_script(both, 2, PLOT_PNG, "plot_two.txt");
    machine_release(&whole);
    machine_release(&other);
}

TEST("kinds by the ending")
{
    static const struct {
        const char *path;
        enum plot_kind kind;
    } good[] = {{"-", PLOT_TERMINAL},
                {"a.svg", PLOT_SVG},
                {"/x/y.z.PNG", PLOT_PNG},
                {"my plot.Svg", PLOT_SVG}};
    static const char *const bad[] = {"a.pdf", "a", ".svg", "svg", "", "a.svg.txt", "--"};
    struct error err = {0};
    enum plot_kind kind;

    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        check_ok(plot_kind_of(good[i].path, &kind, &err), &err);
        check_eq(kind, good[i].kind);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        check_fails(plot_kind_of(bad[i], &kind, &err), &err, STATUS_USAGE,
                    "must end in .svg or .png");
}

TEST("no curve, no picture")
{
    struct machine bare = fixture_bare();
    const struct machine *one[] = {&bare};
    struct plot plot = {0};
    struct error err = {0};

    check_fails(plot_machines(one, 1, &plot, &err), &err, STATUS_INPUT,
                "'bare' holds no curve");
    machine_release(&bare);
    plot_release(&plot);
}

/* ---- with gnuplot ---- */

static bool gnuplot_is_there(void)
{
    const char *const argv[] = {"gnuplot", "--version", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    bool there = spawn_run(&request, &outcome, NULL) == 0 && outcome.end == SPAWN_EXITED;

    spawn_outcome_release(&outcome);
    if (!there)
        check_skip("gnuplot is not installed");
    return there;
}

static void check_begins(const char *path, const char *start)
{
    struct buf bytes = {0};
    struct error err = {0};

    if (check_ok(file_read(path, &bytes, &err), &err))
        check(bytes.length > 1000 && memcmp(buf_str(&bytes), start, strlen(start)) == 0);
    buf_release(&bytes);
}

static int draw(const struct machine *machine, const char *path, struct error *err)
{
    struct plot plot = {0};
    int status = plot_kind_of(path, &plot.kind, err);

    if (!status)
        status = plot_machines(&machine, 1, &plot, err);
    if (!status)
        status = plot_write(&plot, path, err);
    plot_release(&plot);
    return status;
}

/* Names with everything that a language of commands could stumble over. */
TEST("pictures of any name")
{
    static const char *const names[] = {"plain", "it's `touch hit` $(touch hit)",
                                        "a_b^c {x} \\n \"q\" @x # %d", "two\nlines\ttab"};
    struct machine machine = fixture_whole();
    struct error err = {0};
    char *dir = NULL;

    if (!gnuplot_is_there() || !check_ok(scratch_make(&dir, &err), &err))
        goto out;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *svg = xasprintf("%s/%zu it's.svg", dir, i),
             *png = xasprintf("%s/%zu.png", dir, i);

        free(machine.name);
        free(machine.cpu_model);
        free(machine.source);
        machine.name = xstrdup(names[i]);
        machine.cpu_model = xstrdup(names[i]);
        machine.source = xstrdup(names[i]);
        check_ok(draw(&machine, svg, &err), &err);
        check_ok(draw(&machine, png, &err), &err);
        check_begins(svg, "<?xml");
        check_begins(png, "\x89PNG");
        free(svg);
        free(png);
    }
    check(!file_exists("hit"));
out:
    machine_release(&machine);
    if (dir)
        scratch_remove(dir);
}

TEST("what cannot be drawn")
{
    struct machine machine = fixture_whole();
    struct error err = {0};
    char *path = getenv("PATH") ? xstrdup(getenv("PATH")) : NULL;

    if (!gnuplot_is_there())
        goto out;
    check_fails(plot_check("/nosuchfolder/x.svg", &err), &err, STATUS_FAILED,
                "cannot write '/nosuchfolder/x.svg'");
    check_fails(draw(&machine, "/nosuchfolder/x.svg", &err), &err, STATUS_FAILED,
                "cannot write '/nosuchfolder/x.svg'");
    setenv("PATH", "/nosuchfolder", 1);
    check_fails(plot_check("-", &err), &err, STATUS_MISSING, "apt install gnuplot-nox");
    check_fails(draw(&machine, "-", &err), &err, STATUS_MISSING,
                "apt install gnuplot-nox");
    if (path)
        setenv("PATH", path, 1);
out:
    free(path);
    machine_release(&machine);
}
