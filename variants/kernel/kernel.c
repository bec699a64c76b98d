#include "variants/kernel/kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/kernel/kernel_parts.h"
#include "variants/parse/parse.h"

/* ---- opening ---- */

static void list_assumptions(struct kernel *kernel, bool *associative)
{
    for (size_t i = 0; i < kernel->words.item_nr; i++) {
        const struct kernel_directive *word = &kernel->words.item[i];
        struct buf text = {0};

        if (word->kind == DIRECTIVE_ASSOCIATIVE)
            *associative = true;
        if (word->kind == DIRECTIVE_SHARED)
            strvec_push_all(&kernel->shared, &word->name);
        if (word->kind != DIRECTIVE_INDEPENDENT && word->kind != DIRECTIVE_NOALIAS)
            continue;
        buf_add(&text, word->kind == DIRECTIVE_NOALIAS ? "noalias(" : "independent(");
        for (size_t k = 0; k < word->name.nr; k++)
            buf_addf(&text, "%s%s", k ? ", " : "", word->name.v[k]);
        strvec_pushf(&kernel->assume, "%s)", buf_str(&text));
        buf_release(&text);
    }
}

static char *hash_of(const struct kernel *kernel, const struct kernel_request *request)
{
    struct hash hash = hash_begin();

    hash_add(&hash, kernel->function->source, kernel->function->source_length);
    hash_text(&hash, kernel->function->name);
    for (size_t i = 0; i < request->words.nr; i++)
        hash_text(&hash, request->words.v[i]);
    for (size_t i = 0; i < kernel->words.item_nr; i++)
        if (kernel->words.item[i].caller) /* a header's macro may have said it */
            hash_text(&hash, kernel->words.item[i].text);
    hash_text(&hash, request->reassociate ? "reassociate" : "");
    for (size_t i = 0; i < request->cflags.nr; i++)
        hash_text(&hash, request->cflags.v[i]);
    return hash_hex(&hash);
}

/* Which sizes nobody said, and the call that gives them: "n and m as main calls it in
 * line 30". NULL = there are none. */
static char *given_note(const struct kernel_directives *words)
{
    const struct kernel_directive *first = NULL;
    struct strvec names = {0};
    struct buf text = {0};

    for (size_t i = 0; i < words->item_nr; i++) {
        const struct kernel_directive *word = &words->item[i];
        if (word->caller && (!first || word->line == first->line)) {
            first = first ? first : word;
            strvec_push(&names, word->name.v[0]);
        }
    }
    for (size_t i = 0; i < names.nr; i++)
        buf_addf(&text, "%s%s", !i ? "" : i + 1 < names.nr ? ", " : " and ", names.v[i]);
    if (first)
        buf_addf(&text, " as %s calls it in line %d", first->caller, first->line);
    strvec_release(&names);
    return first ? buf_detach(&text) : NULL;
}

static int open_into(struct kernel *kernel, const struct kernel_request *request,
                     struct error *err)
{
    bool associative = request->reassociate;

    if (ir_parse(request->path, NULL, request->line, request->function, &request->cflags,
                 &kernel->function, err) ||
        kernel_directives_read(kernel->function, &request->words, &kernel->words, err))
        return -1;
    list_assumptions(kernel, &associative);
    strvec_push_all(&kernel->cflags, &request->cflags);
    kernel->model_request = (struct model_request){.function = kernel->function,
                                                   .assume = &kernel->assume,
                                                   .shared = &kernel->shared,
                                                   .reassociate = associative,
                                                   .force = request->force};
    if (model_build(&kernel->model_request, &kernel->model, err))
        return -1;
    kernel_list_data(kernel);
    if (kernel_tuned_open(kernel, err))
        return -1;
    kernel->hash = hash_of(kernel, request);
    kernel->flags_from = xstrdup(request->flags_from);
    kernel->inputs_note =
        request->inputs ? xstrdup(request->inputs) : given_note(&kernel->words);
    kernel->view_param = xcalloc(kernel->scalar_nr + 1, sizeof(*kernel->view_param));
    kernel->view_array = xcalloc(kernel->buffer_nr + 1, sizeof(*kernel->view_array));
    return 0;
}

int kernel_open(const struct kernel_request *request, struct kernel **out,
                struct error *err)
{
    struct kernel *kernel = xcalloc(1, sizeof(*kernel));

    *out = NULL;
    enum account before = account_switch(ACCOUNT_ANALYSIS);
    int status = open_into(kernel, request, err);
    account_switch(before);
    if (status) {
        kernel_free(kernel);
        return -1;
    }
    *out = kernel;
    return 0;
}

void kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        contents_release(&kernel->buffer[i].contents);
        free(kernel->buffer[i].extent_text);
        free(kernel->buffer[i].steady);
    }
    record_fields_release(&kernel->fields);
    free(kernel->buffer);
    free(kernel->scalar);
    free(kernel->view_param);
    free(kernel->view_array);
    free(kernel->hash);
    free(kernel->inputs_note);
    free(kernel->flags_from);
    kernel_tuned_release(kernel);
    model_free(kernel->model);
    kernel_directives_release(&kernel->words);
    ir_function_free(kernel->function);
    strvec_release(&kernel->assume);
    strvec_release(&kernel->shared);
    strvec_release(&kernel->cflags);
    free(kernel);
}

/* ---- looking at it ---- */

const char *kernel_name(const struct kernel *kernel)
{
    return kernel->function->name;
}

const char *kernel_path(const struct kernel *kernel)
{
    return kernel->function->path;
}

int kernel_line(const struct kernel *kernel)
{
    return kernel->function->line;
}

const char *kernel_symbol(const struct kernel *kernel)
{
    return kernel->function->linkage.symbol;
}

enum kernel_language kernel_language(const struct kernel *kernel)
{
    return kernel->function->is_cplusplus ? KERNEL_CPLUSPLUS : KERNEL_C;
}

const char *kernel_ending(const struct kernel *kernel)
{
    return kernel->function->is_cplusplus ? ".cpp" : ".c";
}

const char *kernel_hash(const struct kernel *kernel)
{
    return kernel->hash;
}

bool kernel_frozen(const struct kernel *kernel, size_t i, struct kernel_frozen *out)
{
    if (i >= kernel->function->frozen_nr)
        return false;
    const struct ir_frozen *frozen = &kernel->function->frozen[i];
    *out = (struct kernel_frozen){frozen->name, frozen->subject, frozen->value};
    return true;
}

static void show_params(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct kernel_scalar *scalar = &kernel->scalar[i];

        kernel->view_param[i] = (struct kernel_param){
            .name = scalar->symbol->name,
            .type = scalar->symbol->type.text,
            .is_integer = scalar->is_integer,
            .is_set = scalar->word || scalar->is_overridden,
            .value = scalar->is_integer ? (double)scalar->integer : scalar->real};
    }
}

static void show_arrays(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];

        kernel->view_array[i] = (struct kernel_array){
            .name = buffer->name,
            .element_type = buffer->type_text,
            .contents = strncmp(buffer->contents_text, "captured(", 9) == 0
                            ? "captured"
                            : buffer->contents_text,
            .element_bytes = buffer->bytes,
            .record_bytes = buffer->record_bytes,
            .is_float = buffer->kind == 'f',
            .has_rows = buffer->levels > 1,
            .read = buffer->read,
            .written = buffer->written,
            .dims =
                symbol_levels(buffer->symbol) ? (int)symbol_levels(buffer->symbol) : 1,
            .extent_text = buffer->extent_text,
            .bytes =
                buffer->length < 0 ? -1 : (double)buffer->length * (double)buffer->bytes};
    }
}

static bool has_local_arrays(const struct ir_function *function)
{
    bool found = false;

    for (size_t i = 0; !found && i < function->symbol_nr; i++)
        found = function->symbol[i]->role == IR_LOCAL && function->symbol[i]->dim_nr;
    return found;
}

struct kernel_view kernel_view(const struct kernel *kernel)
{
    struct model_view model = model_view(kernel->model);

    show_params(kernel);
    show_arrays(kernel);
    struct kernel_view view = {.param = kernel->view_param,
                               .param_nr = kernel->scalar_nr,
                               .array = kernel->view_array,
                               .array_nr = kernel->buffer_nr,
                               .loop = model.loop,
                               .loop_nr = model.loop_nr,
                               .access = model.access,
                               .access_nr = model.access_nr,
                               .record = model.record,
                               .record_nr = model.record_nr,
                               .temporary = model.temporary,
                               .temporary_nr = model.temporary_nr,
                               .found = model.found,
                               .found_nr = model.found_nr,
                               .local_arrays = has_local_arrays(kernel->function),
                               .assumption = model.assumption,
                               .assumption_nr = model.assumption_nr,
                               .dependence = model.dependence,
                               .dependence_nr = model.dependence_nr};
    kernel_tuned_view(kernel, &view);
    return view;
}

static bool is_single(const struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    bool found = false;

    for (size_t i = 0; i < view.array_nr; i++) {
        if (view.array[i].is_float && view.array[i].element_bytes > sizeof(float))
            return false;
        found |= view.array[i].is_float;
    }
    return found;
}

struct kernel_counts kernel_counts(const struct kernel *kernel)
{
    if (!kernel->is_bound)
        return (struct kernel_counts){.iterations = quantity_unknown(),
                                      .accesses = quantity_unknown(),
                                      .bytes = quantity_unknown(),
                                      .flops = quantity_unknown(),
                                      .chains = quantity_unknown(),
                                      .streams = quantity_unknown(),
                                      .run_bytes = quantity_unknown()};
    return (struct kernel_counts){.iterations = kernel->counts.iterations,
                                  .accesses = kernel->counts.accesses,
                                  .bytes = kernel->counts.bytes,
                                  .flops = kernel->counts.flops,
                                  .chains = kernel->chains,
                                  .streams = kernel->streams,
                                  .run_bytes = kernel->run_bytes,
                                  .footprint_bytes = kernel_bytes(kernel),
                                  .single_precision = is_single(kernel)};
}

/* ---- plans ---- */

int kernel_check(struct kernel *kernel, const struct plan *plan, struct buf *assumptions,
                 struct error *err)
{
    struct model *model;

    if (kernel_tuned_model(kernel, plan, &model, assumptions, err))
        return -1;
    return model_check(model, plan, assumptions, err);
}

void kernel_limit(struct kernel *kernel, unsigned long operations)
{
    model_limit(kernel->model, operations);
}

/* The end of a comment must not stand inside of one. */
static void add_comment(struct buf *out, const char *comment, const char *line_end)
{
    buf_addf(out, "/*%s * ", line_end);
    for (; *comment; comment++) {
        if (*comment == '\n')
            buf_addf(out, "%s%s", comment[1] ? line_end : "", comment[1] ? " * " : "");
        else if (comment[0] == '*' && comment[1] == '/')
            buf_add(out, "* ");
        else
            buf_add_n(out, comment, 1);
    }
    buf_addf(out, "%s */%s", line_end, line_end);
}

/* The comment has the file's line ends; a byte order mark stays in front of it. */
static void add_commented(struct buf *out, const char *comment, const char *text)
{
    size_t mark = ir_mark_bytes(text), first = strcspn(text, "\n");
    bool crlf = first > 0 && text[first] && text[first - 1] == '\r';

    buf_add_n(out, text, mark);
    add_comment(out, comment, crlf ? "\r\n" : "\n");
    buf_add(out, text + mark);
}

int kernel_emit(struct kernel *kernel, const struct plan *plan, const char *comment,
                struct buf *out, struct error *err)
{
    struct buf text = {0};
    struct model *model;

    if (kernel_tuned_model(kernel, plan, &model, NULL, err))
        return -1;
    if (!comment || !*comment)
        return model_emit(model, plan, out, err);
    int status = model_emit(model, plan, &text, err);
    if (!status)
        add_commented(out, comment, buf_str(&text));
    buf_release(&text);
    return status;
}

int kernel_emit_marked(struct kernel *kernel, const struct plan *plan, struct buf *out,
                       struct error *err)
{
    struct model *model;

    return kernel_tuned_model(kernel, plan, &model, NULL, err)
               ? -1
               : model_emit_marked(model, plan, out, err);
}
