#include "advisor/plot/plot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "advisor/cli/cli.h"
#include "core/base/error.h"
#include "core/process/spawn.h"

static const double gnuplot_timeout_s = 60;

int plot_kind_of(const char *path, enum plot_kind *kind, struct error *err)
{
    static const struct {
        const char *ending;
        enum plot_kind kind;
    } kinds[] = {{".svg", PLOT_SVG}, {".png", PLOT_PNG}};
    size_t length = strlen(path);
    *kind = PLOT_TERMINAL;
    if (!strcmp(path, "-"))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (length > 4 && !strcasecmp(path + length - 4, kinds[i].ending)) {
            *kind = kinds[i].kind;
            return 0;
        }
    return fail(err, STATUS_USAGE,
                "--plot: '%s' must end in .svg or .png, or be - for the terminal", path);
}

static int run_gnuplot(const char *dir, const char *argument, struct error *err)
{
    const char *const argv[] = {"gnuplot", "--default-settings", argument, NULL};
    struct spawn_request request = {.argv = argv,
                                    .dir = dir,
                                    .timeout_s = gnuplot_timeout_s,
                                    .after_interrupt = true};
    struct spawn_outcome outcome = {0};
    int status = spawn_run(&request, &outcome, err);
    if (!status && outcome.end == SPAWN_NOT_STARTED)
        status =
            outcome.code == ENOENT
                ? fail(err, STATUS_MISSING,
                       "--plot needs gnuplot, which is not installed; on Debian: apt "
                       "install gnuplot-nox")
                : fail(err, STATUS_MISSING, "--plot: gnuplot cannot be started: %s",
                       strerror(outcome.code));
    else if (!status && (outcome.end != SPAWN_EXITED || outcome.code))
        status = fail(err, STATUS_FAILED, "--plot: gnuplot failed (%s %d): %.300s",
                      spawn_end_word(outcome.end), outcome.code, buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    return status;
}

int plot_check(const char *path, struct error *err)
{
    enum plot_kind kind;
    if (plot_kind_of(path, &kind, err) ||
        (kind != PLOT_TERMINAL && file_check_writable(path, err)))
        return -1;
    return run_gnuplot(NULL, "--version", err);
}

/* In a new folder, which the caller removes. */
static int run_script(const struct buf *script, char **dir, struct error *err)
{
    if (scratch_make(dir, err))
        return -1;
    char *file = path_join(*dir, "script");
    int status = file_write(file, buf_str(script), script->length, err) ||
                         run_gnuplot(*dir, "script", err)
                     ? -1
                     : 0;
    free(file);
    return status;
}

static int hand_over(const char *picture, enum plot_kind kind, const char *path,
                     struct error *err)
{
    struct buf bytes = {0};
    int status = file_read(picture, &bytes, err);
    if (!status)
        status = kind == PLOT_TERMINAL
                     ? print_data(buf_str(&bytes), err)
                     : file_write(path, buf_str(&bytes), bytes.length, err);
    buf_release(&bytes);
    return status;
}

int plot_write(const struct plot *plot, const char *path, struct error *err)
{
    struct buf script = {0};
    char *dir = NULL, *picture = NULL;
    int status = -1;
    plot_script(plot, &script);
    if (!run_script(&script, &dir, err)) {
        picture = path_join(dir, "picture");
        status = hand_over(picture, plot->kind, path, err);
    }
    free(picture);
    if (dir)
        scratch_remove(dir);
    buf_release(&script);
    return status;
}

/* ---- a picture as data ---- */

const char *plot_colour(size_t curve)
{
    static const char *const colours[] = {COLOUR_MEMORY, COLOUR_WRITTEN, COLOUR_WINNER,
                                          COLOUR_FAILED, COLOUR_L1,      COLOUR_L2,
                                          "#000000"};
    return colours[curve % ARRAY_SIZE(colours)];
}

static void axis_release(struct plot_axis *axis)
{
    free(axis->label);
    for (size_t i = 0; i < axis->tic_nr; i++)
        free(axis->tic[i].text);
    free(axis->tic);
}

static void panel_release(struct plot_panel *panel)
{
    free(panel->title);
    axis_release(&panel->x);
    axis_release(&panel->y);
    for (size_t i = 0; i < panel->series_nr; i++) {
        struct plot_series *series = &panel->series[i];
        free(series->title);
        for (size_t k = 0; k < series->point_nr; k++)
            free(series->point[k].tip);
        free(series->point);
    }
    free(panel->series);
}

void plot_release(struct plot *plot)
{
    free(plot->title);
    for (size_t i = 0; i < plot->panel_nr; i++)
        panel_release(&plot->panel[i]);
    free(plot->panel);
    *plot = (struct plot){0};
}

struct plot_panel *plot_add_panel(struct plot *plot)
{
    GROW(plot->panel, plot->panel_nr + 1, plot->panel_alloc);
    plot->panel[plot->panel_nr] = (struct plot_panel){0};
    return &plot->panel[plot->panel_nr++];
}

struct plot_series *plot_add(struct plot_panel *panel, struct plot_series look,
                             const char *title, ...)
{
    struct buf text = {0};
    va_list args;
    if (title) {
        va_start(args, title);
        buf_addf_va(&text, title, args);
        va_end(args);
        look.title = buf_detach(&text);
    }
    GROW(panel->series, panel->series_nr + 1, panel->series_alloc);
    panel->series[panel->series_nr] = look;
    return &panel->series[panel->series_nr++];
}

void plot_add_tic(struct plot_axis *axis, double at, const char *text)
{
    GROW(axis->tic, axis->tic_nr + 1, axis->tic_alloc);
    axis->tic[axis->tic_nr++] = (struct plot_tic){at, xstrdup(text)};
}

void plot_point(struct plot_series *series, struct quantity x, struct quantity y,
                const char *tip)
{
    GROW(series->point, series->point_nr + 1, series->point_alloc);
    series->point[series->point_nr++] = (struct plot_point){x, y, xstrdup(tip)};
}

void plot_at(struct plot_series *series, double x, double y)
{
    plot_point(series, quantity_exact(x, PROVENANCE_DERIVED),
               quantity_exact(y, PROVENANCE_DERIVED), NULL);
}

void plot_line(struct plot_series *series, double x0, double y0, double x1, double y1)
{
    plot_at(series, x0, y0);
    plot_at(series, x1, y1);
}
