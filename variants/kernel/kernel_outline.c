#include "variants/kernel/kernel_outline.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"
#include "variants/model/loop_view.h"
#include "variants/model/model.h"
#include "variants/parse/parse.h"

/* How much of a nest is read; the outermost loop alone where an inner one counts as a
 * statement of it. */
enum reading { READ_NOTHING, READ_OUTER, READ_ALL };

static enum reading reading_of(const struct model_view *view, const char **why)
{
    size_t read = 0;
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].modelled)
            read++;
        else if (!*why)
            *why = view->loop[i].why ? view->loop[i].why : "it is not modelled";
    if (read == view->loop_nr)
        return READ_ALL;
    return view->loop[0].modelled ? READ_OUTER : READ_NOTHING;
}

/* A reason that begins with its line in the new text, with that of the file. */
static char *reason_in_file(const struct outlined *what, const char *why)
{
    char *end;
    if (!text_begins(why, "line "))
        return xstrdup(why);
    long moved = strtol(why + strlen("line "), &end, 10) - what->moved_line;
    if (*end != ':' || moved < 0 || moved > what->last_line - what->first_line)
        return xstrdup(why);
    return xasprintf("line %ld%s", what->first_line + moved, end);
}

/* The text is compiled for it. Fails where less than `want` is read. */
static int check_model(const struct outline_request *request, const struct buf *text,
                       struct outlined *what, enum reading want, struct error *err)
{
    struct ir_function *function;
    struct model *model = NULL;
    const char *why = NULL;
    if (ir_parse(request->path, buf_str(text), 0, what->function, request->cflags,
                 &function, err))
        return -1;
    struct model_request model_request = {.function = function};
    int status = model_build(&model_request, &model, err);
    if (!status) {
        struct model_view view = model_view(model);
        enum reading reading = reading_of(&view, &why);
        char *reason = why ? reason_in_file(what, why) : NULL;
        if (reading < want)
            status = fail(err, STATUS_INPUT, "%s:%d: the loop is left as it is: %s",
                          request->path, what->first_line, reason);
        else if (reading < READ_ALL)
            what->unread = xstrdup(reason);
        free(reason);
        what->is_read = reading >= READ_OUTER;
    }
    model_free(model);
    ir_function_free(function);
    return status;
}

struct choice {
    const struct outline_request *request;
    struct outliner *outliner;
    struct buf *text;
    struct outlined *what;
};

static int take(const struct choice *choice, size_t loop, enum reading want,
                struct error *err)
{
    const char *path = choice->request->path;
    int line = outliner_loop_line(choice->outliner, loop);
    if (outliner_is_whole(choice->outliner, loop))
        return fail(err, STATUS_INPUT,
                    "%s:%d: the loop is all that its function does; take the function as "
                    "it is",
                    path, line);
    if (outliner_take(choice->outliner, loop, choice->text, choice->what, err) < 0)
        return -1;
    if (check_model(choice->request, choice->text, choice->what, want, err) == 0 &&
        outliner_check(choice->outliner, choice->text, err) == 0)
        return 0;
    outlined_release(choice->what);
    buf_reset(choice->text);
    return -1;
}

/* The outermost one of which that much is read. `why`: of the innermost one. */
static int take_outermost(const struct choice *choice, enum reading want,
                          struct error *why)
{
    int status = -1;
    for (size_t i = 0; i < outliner_loops(choice->outliner) && status; i++) {
        error_clear(why);
        status = take(choice, i, want, why);
    }
    return status;
}

int source_outline(const struct outline_request *request, struct buf *text,
                   struct outlined *what, struct error *err)
{
    struct choice choice = {.request = request, .text = text, .what = what};
    struct error why = {0};
    int status = -1;
    if (outliner_open(request, &choice.outliner, err) < 0)
        return -1;
    if (!outliner_loops(choice.outliner))
        outliner_fail_empty(choice.outliner, request->line, &why);
    else if (take_outermost(&choice, READ_ALL, &why) == 0 ||
             take_outermost(&choice, READ_OUTER, &why) == 0)
        status = 0;
    else {
        error_clear(&why);
        status = take(&choice, outliner_loops(choice.outliner) - 1, READ_NOTHING, &why);
    }
    if (status)
        fail_as(err, &why);
    outliner_close(choice.outliner);
    return status;
}

/* ---- the loop that it is called in ---- */

static bool is_put_in(const struct ir_stmt *stmt, const void *line)
{
    return stmt_is_put_in(stmt) && stmt->line == *(const int *)line;
}

static bool takes_in(const struct outline_request *request,
                     const struct ir_caller *caller)
{
    struct ir_function *function = NULL;
    struct error ignored = {0};
    bool takes = ir_parse(request->path, NULL, 0, caller->name, request->cflags,
                          &function, &ignored) == 0 &&
                 stmt_find(function->body, is_put_in, &caller->line);
    ir_function_free(function);
    return takes;
}

/* Loops around each other in the function's own text. */
static int depth_of(const struct ir_stmt *stmt)
{
    int deepest = 0;
    for (size_t i = 0; i < stmt->child_nr; i++) {
        bool own = stmt->child[i] && !stmt_is_put_in(stmt->child[i]);
        int depth = own ? depth_of(stmt->child[i]) : 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + (stmt->kind == IR_FOR || stmt->kind == IR_WHILE);
}

char *source_caller(const struct outline_request *request, int *line)
{
    struct ir_function *function = NULL;
    struct error ignored = {0};
    const struct ir_caller *first = NULL;
    bool several = false;
    if (ir_parse(request->path, NULL, 0, request->function, request->cflags, &function,
                 &ignored) < 0)
        return NULL;
    bool alone = depth_of(function->body) > 1;
    for (size_t i = 0; i < function->caller_nr && !several && !alone; i++) {
        const struct ir_caller *caller = &function->caller[i];
        bool same = first && !strcmp(first->name, caller->name);
        if (same || !takes_in(request, caller))
            continue;
        several = first != NULL;
        first = caller;
    }
    char *name = first && !several ? xstrdup(first->name) : NULL;
    *line = name ? first->line : 0;
    ir_function_free(function);
    return name;
}
