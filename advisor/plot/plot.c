#include "advisor/plot/plot.h"

#include <errno.h>
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
    struct buf looks = {0};
    char *shipped = NULL;
    if (scratch_make(dir, err))
        return -1;
    char *file = path_join(*dir, "script"), *beside = path_join(*dir, "picture.gnuplot");
    int status = shipped_path("templates/plot/picture.gnuplot", &shipped, err) ||
                         file_read(shipped, &looks, err) ||
                         file_write(beside, buf_str(&looks), looks.length, err) ||
                         file_write(file, buf_str(script), script->length, err) ||
                         run_gnuplot(*dir, "script", err)
                     ? -1
                     : 0;
    free(file);
    free(beside);
    free(shipped);
    buf_release(&looks);
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

int plot_write(struct plot *plot, const char *path, struct error *err)
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
