#include "variants/kernel/kernel_outline.h"

#include "core/base.h"
#include "variants/ir/ir.h"
#include "variants/model/loop_view.h"
#include "variants/model/model.h"
#include "variants/parse/parse.h"

/* Why some loop of the new function is not modelled; 0 = all of them are. */
static int check_model(const struct outline_request *request, const struct buf *text,
                       const struct outlined *what, struct error *err)
{
    struct ir_function *function;
    struct model *model = NULL;
    if (ir_parse(request->path, buf_str(text), 0, what->function, request->cflags,
                 &function, err))
        return -1;
    struct model_request model_request = {.function = function};
    int status = model_build(&model_request, &model, err);
    struct model_view view = {0};
    if (!status)
        view = model_view(model);
    for (size_t i = 0; i < view.loop_nr && !status; i++)
        if (!view.loop[i].modelled)
            status = fail(err, STATUS_INPUT,
                          "%s: the loop of line %d is left as it is: %s", request->path,
                          what->first_line, view.loop[i].why ? view.loop[i].why : "");
    model_free(model);
    ir_function_free(function);
    return status;
}

static int take(struct outliner *outliner, const struct outline_request *request,
                size_t loop, struct buf *text, struct outlined *what, struct error *err)
{
    if (outliner_is_whole(outliner, loop))
        return fail(err, STATUS_INPUT,
                    "%s:%d: the loop is all that its function does; take the function as "
                    "it is, %s:%d",
                    request->path, outliner_loop_line(outliner, loop), request->path,
                    outliner_loop_line(outliner, loop));
    if (outliner_take(outliner, loop, text, what, err) < 0)
        return -1;
    if (check_model(request, text, what, err) == 0)
        return 0;
    outlined_release(what);
    buf_reset(text);
    return -1;
}

int source_outline(const struct outline_request *request, struct buf *text,
                   struct outlined *what, struct error *err)
{
    struct outliner *outliner;
    int status = -1;
    if (outliner_open(request, &outliner, err) < 0)
        return -1;
    size_t nr = outliner_loops(outliner);
    if (!nr)
        fail(err, STATUS_INPUT,
             "%s:%d: there is no loop at this line; give the line of its head or one "
             "inside of it",
             request->path, request->line);
    struct error why = {0};
    for (size_t i = 0; i < nr && status; i++) {
        error_clear(&why);
        status = take(outliner, request, i, text, what, &why);
    }
    if (status && nr)
        fail_as(err, &why);
    outliner_close(outliner);
    return status;
}
