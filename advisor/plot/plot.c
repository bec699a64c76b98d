#include "advisor/plot/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "advisor/cli/cli.h"

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

/* `option`: what was asked for, for messages. */
static int run_gnuplot(const char *dir, const char *argument, const char *option,
                       struct error *err)
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
                       "%s needs gnuplot, which is not installed; on Debian: apt install "
                       "gnuplot-nox",
                       option)
                : fail(err, STATUS_MISSING, "%s: gnuplot cannot be started: %s", option,
                       strerror(outcome.code));
    else if (!status && (outcome.end != SPAWN_EXITED || outcome.code))
        status = fail(err, STATUS_FAILED, "%s: gnuplot failed (%s %d): %.300s", option,
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
    return run_gnuplot(NULL, "--version", "--plot", err);
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

int plot_picture(const struct buf *script, const char *path, struct error *err)
{
    enum plot_kind kind;
    char *dir = NULL, *file = NULL, *picture = NULL;
    int status = -1;
    if (plot_kind_of(path, &kind, err) || scratch_make(&dir, err))
        goto out;
    file = path_join(dir, "script");
    picture = path_join(dir, "picture");
    if (file_write(file, buf_str(script), script->length, err) ||
        run_gnuplot(dir, "script", "--plot", err))
        goto out;
    status = hand_over(picture, kind, path, err);
out:
    free(file);
    free(picture);
    if (dir)
        scratch_remove(dir);
    return status;
}

/* A file that is not there was not drawn. */
static int take_pictures(const char *dir, struct buf *picture, size_t nr,
                         struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < nr && !status; i++) {
        char *name = xasprintf("%s/picture%zu", dir, i);
        if (file_exists(name))
            status = file_read(name, &picture[i], err);
        free(name);
    }
    return status;
}

int plot_pictures(const struct buf *script, const char *option, struct buf *picture,
                  size_t nr, struct error *err)
{
    char *dir = NULL, *file;
    if (scratch_make(&dir, err))
        return -1;
    file = path_join(dir, "script");
    int status = file_write(file, buf_str(script), script->length, err) ||
                         run_gnuplot(dir, "script", option, err)
                     ? -1
                     : take_pictures(dir, picture, nr, err);
    free(file);
    scratch_remove(dir);
    return status;
}

int plot_draw(const struct machine *const *machine, size_t nr, const char *path,
              struct error *err)
{
    enum plot_kind kind;
    struct buf script = {0};
    int status = plot_kind_of(path, &kind, err);
    if (!status)
        status = plot_script(machine, nr, kind, &script, err);
    if (!status)
        status = plot_picture(&script, path, err);
    buf_release(&script);
    return status;
}
