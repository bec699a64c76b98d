/* inflight outline: a loop as a function of its own. */
#include <stdio.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "advisor/session/context.h"
#include "advisor/session/emitted.h"
#include "core/base.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_outline.h"
#include "variants/kernel/kernel_view.h"

static json_t *outlined_json(const struct settings *settings, const struct outlined *what)
{
    return json_pack("{s:s, s:o, s:s, s:s, s:i, s:i, s:i, s:s?, s:o, s:o}", "schema",
                     "inflight.outline/1", "file", text_json(settings->file), "function",
                     what->function, "from", what->from, "first_line", what->first_line,
                     "last_line", what->last_line, "line", what->line, "unread",
                     what->unread, "parameters", json_strvec(&what->parameter), "results",
                     json_strvec(&what->result));
}

static void say(const struct settings *settings, const struct outlined *what)
{
    const char *out = settings->output ? settings->output : settings->file;
    if (settings->quiet)
        return;
    if (what->unread)
        fprintf(stderr, "not all of it can be transformed: %s\n", what->unread);
    fprintf(stderr,
            "lines %d to %d of '%s' are now the function %s, which %s calls\n"
            "next: inflight show %s --function %s\n",
            what->first_line, what->last_line, settings->file, what->function, what->from,
            out, what->function);
}

static int add_patch(const struct settings *settings, struct buf *text, struct error *err)
{
    struct buf source = {0}, patch = {0};
    int status = file_read(settings->file, &source, err);
    if (!status) {
        patch_text(settings->file, buf_str(&source), buf_str(text), NULL, &patch);
        buf_reset(text);
        buf_add(text, buf_str(&patch));
    }
    buf_release(&source);
    buf_release(&patch);
    return status;
}

static int write_out(const struct settings *settings, const struct outlined *what,
                     struct buf *text, struct error *err)
{
    if (settings->patch && add_patch(settings, text, err) < 0)
        return -1;
    if (settings->output &&
        file_write(settings->output, buf_str(text), text->length, err) < 0)
        return -1;
    if (!settings->json)
        return settings->output ? 0 : print_data(buf_str(text), err);
    json_t *document = outlined_json(settings, what);
    int status = print_json(document, err);
    json_decref(document);
    return status;
}

/* ---- named by other commands ---- */

static bool is_read_as_a_whole(const struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    if (kernel_is_whole(kernel, NULL))
        return false;
    for (size_t i = 0; i < view.loop_nr; i++)
        if (!view.loop[i].modelled)
            return false;
    return true;
}

/* It works for the line that was given, and the function that holds it is not read. */
static bool would_help(const struct settings *settings, const struct strvec *cflags,
                       struct outlined *what)
{
    const struct outline_request request = {
        .path = settings->file, .line = settings->line, .cflags = cflags};
    struct kernel_request whole = {.path = settings->file, .line = settings->line};
    struct kernel *kernel = NULL;
    struct buf text = {0};
    strvec_push_all(&whole.cflags, cflags);
    bool fine = kernel_open(&whole, &kernel, NULL) == 0 && is_read_as_a_whole(kernel);
    bool helps =
        !fine && source_outline(&request, &text, what, NULL) == 0 && !what->unread;
    kernel_free(kernel);
    strvec_release(&whole.cflags);
    buf_release(&text);
    return helps;
}

bool outline_next(const struct settings *settings, struct buf *out)
{
    static const char *const commands[] = {"show", "tune", "advise", "measure",
                                           "capture"};
    struct strvec cflags = {0};
    struct outlined what = {0};
    bool asked = false;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        asked = asked || !strcmp(settings->command, commands[i]);
    bool helps = asked && settings->file && settings->line &&
                 context_cflags(settings, settings->file, &cflags, NULL) == 0 &&
                 would_help(settings, &cflags, &what);
    if (helps)
        buf_addf(out,
                 "'inflight outline %s:%d -o OUT.c' makes lines %d to %d a function of "
                 "their own that is read as a whole",
                 settings->file, settings->line, what.first_line, what.last_line);
    outlined_release(&what);
    strvec_release(&cflags);
    return helps;
}

int outline_command(const struct settings *settings, struct error *err)
{
    struct strvec cflags = {0};
    struct buf text = {0};
    struct outlined what = {0};
    if (!settings->file || !settings->line)
        return fail(err, STATUS_USAGE, "which loop? Give a line of it, FILE.c:LINE");
    int status = context_cflags(settings, settings->file, &cflags, err);
    const struct outline_request request = {.path = settings->file,
                                            .line = settings->line,
                                            .function = settings->function,
                                            .cflags = &cflags};
    if (!status)
        status = source_outline(&request, &text, &what, err);
    if (!status)
        status = write_out(settings, &what, &text, err);
    if (!status)
        say(settings, &what);
    outlined_release(&what);
    buf_release(&text);
    strvec_release(&cflags);
    return status;
}
