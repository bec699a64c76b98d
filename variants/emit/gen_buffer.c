/* Local buffers in the text: names, types and declarations. */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/transform/packing.h"

/* Larger ones do not go on the stack. */
enum { STACK_BYTES = 64 << 10, ALIGNMENT = 64 };
/* Elements that compilers keep in registers when all subscripts are numbers, as those of
 * unrolled loops: gcc then warns about each that may have no value. */
enum { REGISTERS = 64 };

/* ---- the buffers ---- */

static const struct ir_symbol *array_of(const struct gen *gen, const struct box *box)
{
    return gen->nest->cell[box->cell].symbol;
}

static size_t elements(const struct box *box)
{
    size_t nr = 1;
    for (size_t i = 0; i < box->dims; i++)
        nr *= (size_t)box->size[i];
    return nr;
}

static bool is_large(const struct gen *gen, const struct box *box)
{
    return elements(box) * array_of(gen, box)->type.bytes > STACK_BYTES;
}

/* "A_l"; "g_v_l" for g->v. */
static const char *buffer_name(struct gen *gen, const struct box *box)
{
    const char *suffix = box->is_scalar ? "_x" : "_l";
    return gen_name(gen, ir_textf(gen->arena, "%s%s", array_of(gen, box)->name, suffix),
                    false);
}

struct ir_symbol *gen_buffer(struct gen *gen, size_t index)
{
    struct work *work = gen->work;
    if (!gen->buffer)
        gen->buffer = ir_alloc(gen->arena, work->box_nr * sizeof(*gen->buffer));
    if (!gen->buffer[index]) {
        const struct box *box = &work->box[index];
        struct ir_type type = array_of(gen, box)->type;
        type.pointers = (int)(box->dims + box_panels(box));
        type.is_const = type.is_restrict = false;
        type.full = NULL;
        gen->buffer[index] = gen_symbol(gen, buffer_name(gen, box), &type);
    }
    return gen->buffer[index];
}

static bool is_shared_below(const struct tree *tree)
{
    bool found = false;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = tree->child[i]->parallel || is_shared_below(tree->child[i]);
    return found;
}

/* Each thread has its own static buffer: loops inside cannot be shared out. */
static void check_threads(struct gen *gen, const struct box *box)
{
    const struct tree *around = box->band ? box->band : gen->work->tree;
    if (is_large(gen, box) && is_shared_below(around))
        gen->problem =
            ir_textf(gen->model->arena,
                     "the buffer of '%s' belongs to one thread, and a loop inside '%s', "
                     "where it is "
                     "filled, is parallel; make '%s' or a loop outside of it parallel",
                     array_of(gen, box)->name, around->name, around->name);
}

static struct code *declaration(struct gen *gen, size_t index, const struct code *block)
{
    const struct box *box = &gen->work->box[index];
    struct ir_symbol *buffer = gen_buffer(gen, index);
    struct code *line = code_new(CODE_TEXT);
    struct buf text = {0};
    line->var = buffer;
    line->declares = true;
    check_threads(gen, box);
    buf_addf(&text, "%s%s %s", is_large(gen, box) ? "static _Thread_local " : "",
             buffer->type.text, buffer->name);
    long long last = box->size[box->order[box->dims - 1]];
    if (box->panel)
        buf_addf(&text, "[%lld]", (last + box->panel - 1) / box->panel);
    for (size_t i = 0; i + 1 < box->dims; i++)
        buf_addf(&text, "[%lld]", box->size[box->order[i]]);
    buf_addf(&text, "[%lld]", box->panel ? box->panel : last);
    bool zero =
        elements(box) <= REGISTERS && code_fills_at_times(block, gen_buffer(gen, index));
    buf_addf(&text, " __attribute__((aligned(%d)))%s;\n", ALIGNMENT,
             zero ? " = {0}" : "");
    line->text = ir_text(gen->arena, buf_str(&text));
    buf_release(&text);
    return line;
}

static bool is_around(const struct box *box, const struct tree *band)
{
    for (size_t i = 0; i < box->prefix_nr; i++)
        if (box->prefix[i] == band)
            return true;
    return false;
}

/* The innermost block that holds every mention; values of a scalar's array may pass from
 * one iteration to the next of loops inside of those around it. */
static struct code *holder(struct code *code, const struct box *box,
                           const struct ir_symbol *symbol)
{
    struct code *only = code_only_user(code, symbol);
    if (!only ||
        (box->is_scalar && only->kind == CODE_FOR && !is_around(box, only->band)))
        return code;
    return holder(only, box, symbol);
}

void gen_buffers(struct gen *gen, struct code *code)
{
    for (size_t i = gen->buffer ? gen->work->box_nr : 0; i-- > 0;) {
        struct code *block = code;
        if (!gen->buffer[i])
            continue;
        if (!is_large(gen, &gen->work->box[i]))
            block = holder(code, &gen->work->box[i], gen->buffer[i]);
        while (block->kind != CODE_BLOCK)
            block = block->parent;
        code_insert(block, 0, declaration(gen, i, block));
    }
}

void gen_own_buffers(const struct gen *gen, struct code *loop)
{
    for (size_t i = 0; gen->buffer && i < gen->work->box_nr; i++) {
        const struct ir_symbol *buffer = gen->buffer[i];
        if (buffer && !is_large(gen, &gen->work->box[i]) &&
            is_around(&gen->work->box[i], loop->band) && code_mentions(loop, buffer) &&
            !code_declares(loop, buffer))
            strvec_push(&loop->privates, buffer->name);
    }
}

/* A buffer that every thread has its own of is filled by one and used by others: some
 * parallel loop holds only part of its mentions. */
bool gen_buffers_split(const struct gen *gen, const struct code *code)
{
    bool split = false;
    for (size_t i = gen->buffer ? gen->work->box_nr : 0; i-- > 0;) {
        const struct code *root = code;
        if (!gen->buffer[i] || !is_large(gen, &gen->work->box[i]) ||
            code->kind != CODE_FOR || !code->parallel ||
            !code_mentions(code, gen->buffer[i]))
            continue;
        while (root->parent)
            root = root->parent;
        const struct code *block =
            holder((struct code *)root, &gen->work->box[i], gen->buffer[i]);
        while (block && block != code)
            block = block->parent;
        split = split || !block;
    }
    for (size_t i = 0; !split && i < code->child_nr; i++)
        split = gen_buffers_split(gen, code->child[i]);
    return split;
}
