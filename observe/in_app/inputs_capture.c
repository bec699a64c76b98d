#include "observe/in_app/inputs_capture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/session/context.h"
#include "advisor/session/inputs_use.h"
#include "core/base.h"
#include "observe/in_app/inputs_rows.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"

static const double default_limit_bytes = 4.0 * (1 << 30);

struct taking {
    struct capturing *capturing;
    struct recorded_call *call;
    struct kernel *kernel;
    struct kernel *sized; /* bound, to count at other sizes; NULL = it cannot be */
    struct kernel_request request; /* without words */
    struct inputs_file *file;
    double left_bytes;
    struct captured_rows *rows; /* of each array */
    size_t rows_nr, rows_alloc;
};

/* ---- the kernel ---- */

static int find_source(struct taking *taking, struct error *err)
{
    const struct settings *settings = taking->capturing->settings;
    const char *program = recorded_program(taking->call);
    struct known_flags known;

    taking->request.path = settings->file;
    int status = known_flags_find(settings, settings->file, program, &known, err);
    strvec_push_all(&taking->request.cflags, &known.flags);
    known_flags_release(&known);
    return status;
}

/* Anew, with all that is known by now. */
static int open_kernel(struct taking *taking, struct error *err)
{
    const struct settings *settings = taking->capturing->settings;
    struct kernel_request request = taking->request;
    struct buf warnings = {0};

    request.words = (struct strvec){0};
    inputs_words(&taking->capturing->inputs,
                 taking->file ? inputs_path(taking->file) : "", &settings->words,
                 &request.words, &warnings);
    kernel_free(taking->kernel);
    taking->kernel = NULL;
    int status = kernel_open(&request, &taking->kernel, err);
    if (!status)
        status = kernel_supplied(taking->kernel, err);
    strvec_release(&request.words);
    buf_release(&warnings);
    return status;
}

/* ---- numbers ---- */

static char *integer_text(const struct kernel_input *input, uint64_t value)
{
    if (input->kind == 'b')
        return xstrdup(value ? "1" : "0");
    if (input->kind == 'u')
        return xasprintf("%llu", (unsigned long long)value);
    return xasprintf("%lld", (long long)value);
}

static char *real_text(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return isfinite(value) ? xasprintf("%.17g", value) : NULL;
}

/* The recorder was written from the same source: it tells all that the kernel takes. */
static int find_value(const struct taking *taking, const struct kernel_input *input,
                      uint64_t *value, struct error *err)
{
    return recorded_value(taking->call, input->name, value)
               ? 0
               : fail(err, STATUS_INPUT,
                      "the application does not tell '%s' of its calls; was it built "
                      "from this source?",
                      input->name);
}

static int take_number(struct taking *taking, const struct kernel_input *input,
                       struct error *err)
{
    struct inputs *inputs = &taking->capturing->inputs;
    uint64_t value;

    if (find_value(taking, input, &value, err))
        return -1;
    char *text = input->kind == 'f' ? real_text(value) : integer_text(input, value);
    if (!text)
        return fail(
            err, STATUS_INPUT,
            "'%s' is not a finite number in this call; capture another one (--call)",
            input->name);
    GROW(inputs->number, inputs->number_nr + 1, inputs->number_alloc);
    inputs->number[inputs->number_nr++] =
        (struct inputs_number){xstrdup(input->name), text};
    return 0;
}

/* ---- arrays ---- */

struct reading {
    const struct recorded_call *call;
    uint64_t address;
};

static int read_piece(void *data, unsigned long long at, void *to, size_t bytes)
{
    const struct reading *reading = data;

    return recorded_read(reading->call, reading->address + at, to, bytes);
}

/* As much as there is: what the model says may be more than what is used. */
static unsigned long long bytes_there(const struct taking *taking, uint64_t address,
                                      unsigned long long wanted,
                                      struct recorded_memory *memory)
{
    if (!recorded_memory_at(taking->call, address, memory))
        return 0;
    return memory->end - address < wanted ? memory->end - address : wanted;
}

static void leave_out(struct inputs_array *array, unsigned long long bytes,
                      const char *why)
{
    array->left_out = xstrdup(why);
    array->left_out_bytes = bytes;
    array->records = 0;
}

/* `bytes` of elements, with `head` before them. */
static int write_array(struct taking *taking, struct inputs_array *array,
                       unsigned long long head, unsigned long long bytes,
                       inputs_read_bytes *read, void *data, struct error *err)
{
    double room = inputs_room(taking->file);

    array->records = (long long)(bytes / array->record_bytes);
    bytes += head;
    if ((double)bytes > taking->left_bytes) {
        leave_out(array, bytes, "more than --limit allows");
        return 0;
    }
    if ((double)bytes > room) {
        leave_out(array, bytes, "no room for it on the disk");
        return 0;
    }
    taking->left_bytes -= (double)bytes;
    return inputs_add(taking->file, bytes, read, data, array, err);
}

static struct inputs_array *add_array(struct taking *taking,
                                      const struct kernel_input *input, uint64_t address,
                                      unsigned long long bytes)
{
    struct inputs *inputs = &taking->capturing->inputs;
    struct inputs_array *array;

    GROW(inputs->array, inputs->array_nr + 1, inputs->array_alloc);
    array = &inputs->array[inputs->array_nr++];
    *array = (struct inputs_array){
        .name = xstrdup(input->name),
        .record_bytes = input->bytes,
        .address = address,
        .huge_pages = bytes && recorded_huge_share(taking->call, address, bytes) >= 0.5,
        .untouched_bytes = bytes ? recorded_untouched(taking->call, address, bytes) : 0,
        .written = input->written};
    return array;
}

static struct captured_rows *add_rows(struct taking *taking)
{
    GROW(taking->rows, taking->rows_nr + 1, taking->rows_alloc);
    return &taking->rows[taking->rows_nr++];
}

static int take_rows(struct taking *taking, const struct kernel_input *input,
                     struct error *err)
{
    struct captured_rows rows = {0};
    struct inputs_array *array;
    uint64_t top = 0;

    long long *extent = xcalloc(input->levels, sizeof(*extent));
    struct kernel_input all = *input;

    all.extent = extent;
    if (find_value(taking, input, &top, err) ||
        rows_extent(taking->call, input, top, extent, err) ||
        rows_find(taking->call, &all, top, &rows, err)) {
        rows_release(&rows);
        free(extent);
        return -1;
    }
    array = add_array(taking, input, rows.first, rows.end - rows.first);
    array->row_nr = input->levels;
    array->rows = extent;
    array->spare = xcalloc(array->row_nr, sizeof(*array->spare));
    for (size_t k = 0; k < array->row_nr; k++)
        array->spare[k] = input->records < 0 ? 0 : extent[k] - input->extent[k];
    *add_rows(taking) = rows;
    return write_array(taking, array, rows.head_bytes, rows.bytes, rows_read, &rows, err);
}

/* `guess`: nothing says how long it is. */
static int take_array(struct taking *taking, const struct kernel_input *input, bool guess,
                      struct error *err)
{
    struct recorded_memory memory = {0};
    struct inputs_array *array;
    uint64_t address = 0;
    unsigned long long wanted =
        guess ? UINT64_MAX : (unsigned long long)input->records * input->bytes;

    if (find_value(taking, input, &address, err))
        return -1;
    unsigned long long bytes = wanted ? bytes_there(taking, address, wanted, &memory) : 0;
    if (wanted && !bytes && !(guess && !address))
        return fail(
            err, STATUS_INPUT,
            "array '%s' cannot be captured: it points to 0x%llx, which is not mapped",
            input->name, (unsigned long long)address);
    if (!guess && bytes < wanted)
        return fail(err, STATUS_INPUT,
                    "array '%s' cannot be captured: %llu bytes are there and %llu should "
                    "be; say its length: --buffer '%s length N'",
                    input->name, bytes, wanted, input->name);
    bytes -= bytes % input->bytes;
    array = add_array(taking, input, address, bytes);
    array->is_guessed = guess;
    array->end = guess && memory.end ? xstrdup(recorded_piece_word(memory.piece)) : NULL;
    struct reading reading = {taking->call, address};
    int status = write_array(taking, array, 0, bytes, read_piece, &reading, err);
    rows_of_array(array, add_rows(taking));
    return status;
}

static bool is_taken(const struct inputs *inputs, const char *name)
{
    for (size_t i = 0; i < inputs->array_nr; i++)
        if (!strcmp(inputs->array[i].name, name))
            return true;
    return false;
}

/* Those whose length is known, or with `guess` all; *nr counts. */
static int take_arrays(struct taking *taking, bool guess, size_t *nr, struct error *err)
{
    struct kernel_input *list;
    size_t list_nr = kernel_inputs(taking->kernel, &list);
    int status = 0;

    *nr = 0;
    for (size_t i = 0; !status && i < list_nr; i++) {
        if (!list[i].is_array || (!guess && list[i].records < 0) ||
            is_taken(&taking->capturing->inputs, list[i].name))
            continue;
        status = list[i].levels > 1
                     ? take_rows(taking, &list[i], err)
                     : take_array(taking, &list[i], guess && list[i].records < 0, err);
        ++*nr;
    }
    free(list);
    return status;
}

/* All, or those integers alone that decide on loops and arrays. */
static int take_numbers(struct taking *taking, bool only_sizes, struct error *err)
{
    struct kernel_input *list;
    size_t nr = kernel_inputs(taking->kernel, &list);
    int status = 0;

    for (size_t i = 0; !status && i < nr; i++)
        if (!list[i].is_array &&
            (!only_sizes || (list[i].is_size && list[i].kind != 'f')))
            status = take_number(taking, &list[i], err);
    free(list);
    return status;
}

/* Contents that are known by now may say how long other arrays are. */
static int take_all(struct taking *taking, struct error *err)
{
    size_t nr = 1;

    if (take_numbers(taking, false, err))
        return -1;
    while (nr > 0)
        if (open_kernel(taking, err) || take_arrays(taking, false, &nr, err))
            return -1;
    return take_arrays(taking, true, &nr, err);
}

/* ---- arrays in the same memory ---- */

static void note_shared(struct inputs *inputs, const struct inputs_array *a,
                        const struct inputs_array *b)
{
    if (a->written || b->written)
        strvec_pushf(&inputs->overlaps,
                     "'%s' and '%s' share memory in the application, and one of them is "
                     "written: `assume noalias` does not hold there, and what is tried "
                     "here works on two separate arrays",
                     a->name, b->name);
    else
        strvec_pushf(&inputs->overlaps,
                     "'%s' and '%s' share memory in the application and are two arrays "
                     "here: less fits into the caches",
                     a->name, b->name);
}

/* Of arrays of which more was taken than the loops use, what shares memory may be that.
 */
static bool is_what_loops_use(const struct inputs_array *array)
{
    bool exact = !array->is_guessed;

    for (size_t k = 0; k < array->row_nr; k++)
        exact = exact && array->spare[k] == 0;
    return exact;
}

static void list_shared(struct inputs *inputs, const struct inputs_array *a,
                        const struct inputs_array *b)
{
    if ((!a->written && !b->written) || !is_what_loops_use(a) || !is_what_loops_use(b))
        return;
    strvec_push(&inputs->shared, a->name);
    strvec_push(&inputs->shared, b->name);
}

/* Nobody knows where it ends. */
static bool is_open(const struct inputs_array *array)
{
    return array->is_guessed && array->end && !strcmp(array->end, "mapping");
}

static void note_overlaps(const struct taking *taking)
{
    struct inputs *inputs = &taking->capturing->inputs;

    for (size_t i = 0; i < inputs->array_nr; i++) {
        const struct inputs_array *a = &inputs->array[i];

        if (taking->rows[i].share)
            list_shared(inputs, a, a);
        for (size_t k = 0; k < i; k++) {
            const struct inputs_array *b = &inputs->array[k];

            if (!a->bytes || !b->bytes || is_open(a) || is_open(b) ||
                !rows_share(&taking->rows[i], &taking->rows[k]))
                continue;
            note_shared(inputs, b, a);
            list_shared(inputs, b, a);
        }
    }
}

/* ---- the whole ---- */

/* As the user knows it. Caller frees. */
static char *in_project(const struct capturing *capturing, const char *path)
{
    return path && text_begins(path, capturing->copy)
               ? xasprintf("%s%s", capturing->root, path + strlen(capturing->copy))
               : xstrdup(path ? path : "");
}

static void describe(struct taking *taking)
{
    struct inputs *inputs = &taking->capturing->inputs;
    const struct settings *settings = taking->capturing->settings;
    struct buf command = {0};
    char host[256] = "";

    buf_add_shell_words(&command, (const char *const *)settings->program.v);
    gethostname(host, sizeof(host) - 1);
    inputs->command = buf_detach(&command);
    inputs->function = xstrdup(kernel_name(taking->kernel));
    inputs->signature = kernel_signature(taking->kernel);
    inputs->source = in_project(taking->capturing, taking->request.path);
    inputs->program = in_project(taking->capturing, recorded_program(taking->call));
    inputs->call = settings->call > 0 ? settings->call : 1;
    inputs->host = xstrdup(host);
    inputs->date = date_now();
}

static int take(struct taking *taking, struct error *err)
{
    const struct capturing *capturing = taking->capturing;

    if (find_source(taking, err) || open_kernel(taking, err))
        return -1;
    describe(taking);
    if (inputs_begin(capturing->output, &taking->file, err) || take_all(taking, err))
        return -1;
    note_overlaps(taking);
    int status = inputs_end(taking->file, &capturing->inputs, err);
    taking->file = NULL;
    return status;
}

static void taking_release(struct taking *taking)
{
    inputs_abandon(taking->file);
    kernel_free(taking->kernel);
    kernel_free(taking->sized);
    strvec_release(&taking->request.cflags);
    for (size_t i = 0; i < taking->rows_nr; i++)
        rows_release(&taking->rows[i]);
    free(taking->rows);
}

static int capture_call(struct recorded_call *call, void *data, struct error *err)
{
    struct capturing *capturing = data;
    const struct settings *settings = capturing->settings;
    struct taking taking = {
        .capturing = capturing,
        .call = call,
        .request = {.line = settings->line, .function = settings->function},
        .left_bytes =
            settings->limit_bytes > 0 ? settings->limit_bytes : default_limit_bytes};
    int status = take(&taking, err);

    taking_release(&taking);
    return status;
}

/* ---- sizes ---- */

/* The source is read once, for all calls. */
static int begin_sizes(struct call_sizes *sizes, struct recorded_call *call,
                       struct error *err)
{
    struct taking *taking = sizes->taking = xcalloc(1, sizeof(*taking));

    taking->capturing = xcalloc(1, sizeof(*taking->capturing));
    taking->capturing->settings = sizes->settings;
    taking->call = call;
    sizes->every = 1;
    taking->request = (struct kernel_request){.line = sizes->settings->line,
                                              .function = sizes->settings->function};
    if (find_source(taking, err) || open_kernel(taking, err))
        return -1;
    return 0;
}

static bool is_same_size(const struct call_size *size, const struct inputs *inputs)
{
    for (size_t i = 0; i < size->number_nr; i++)
        if (strcmp(size->number[i].value, inputs->number[i].value) != 0)
            return false;
    return true;
}

/* With the numbers of the first call. */
static void bind_sized(struct taking *taking)
{
    struct kernel *reading = taking->kernel;
    struct error ignored = {0};

    taking->kernel = NULL;
    if (open_kernel(taking, &ignored) || kernel_bind(taking->kernel, &ignored)) {
        kernel_free(taking->kernel);
        taking->kernel = NULL;
    }
    taking->sized = taking->kernel;
    taking->kernel = reading;
}

static double iterations_at(struct taking *taking, const struct call_size *size)
{
    struct error ignored = {0};
    bool known = taking->sized;

    for (size_t i = 0; known && i < size->number_nr; i++)
        known = kernel_set(taking->sized, size->number[i].name,
                           strtoll(size->number[i].value, NULL, 10), &ignored) == 0;
    struct quantity iterations =
        known ? kernel_counts(taking->sized).iterations : quantity_unknown();
    return iterations.known ? iterations.value : 0;
}

static void count_size(struct call_sizes *sizes, struct inputs *inputs)
{
    struct call_size *size = NULL;
    long long call = sizes->calls;

    for (size_t i = 0; i < sizes->nr && !size; i++)
        if (is_same_size(&sizes->item[i], inputs))
            size = &sizes->item[i];
    if (!size) {
        GROW(sizes->item, sizes->nr + 1, sizes->alloc);
        size = &sizes->item[sizes->nr++];
        *size = (struct call_size){
            .number = inputs->number, .number_nr = inputs->number_nr, .first_call = call};
        if (sizes->nr == 1)
            bind_sized(sizes->taking);
        size->iterations = iterations_at(sizes->taking, size);
        inputs->number = NULL;
        inputs->number_nr = inputs->number_alloc = 0;
    }
    size->calls++;
    if ((size->calls & (size->calls - 1)) == 0) /* 1, 2, 4, 8 ... */
        size->later_call = call;
}

static void size_release(struct call_size *size)
{
    for (size_t i = 0; i < size->number_nr; i++) {
        free(size->number[i].name);
        free(size->number[i].value);
    }
    free(size->number);
}

static void drop_every_second(struct call_sizes *sizes)
{
    size_t kept = 0;

    for (size_t i = 0; i < sizes->nr; i++)
        if (i % 2)
            size_release(&sizes->item[i]);
        else
            sizes->item[kept++] = sizes->item[i];
    sizes->nr = kept;
    sizes->every *= 2;
}

/* 0 behind the last that is looked at. */
static int look_at_size(struct recorded_call *call, void *data, struct error *err)
{
    struct call_sizes *sizes = data;

    if (!sizes->taking && begin_sizes(sizes, call, err))
        return -1;
    sizes->calls = (long long)recorded_number(call);
    if (++sizes->looks % sizes->every)
        return sizes->looks < CALLS_LOOKED_AT;
    struct inputs *inputs = &sizes->taking->capturing->inputs;
    sizes->taking->call = call;
    if (take_numbers(sizes->taking, true, err))
        return -1;
    count_size(sizes, inputs);
    inputs_release(inputs);
    if (sizes->nr == CALL_SIZES_MAX)
        drop_every_second(sizes);
    return sizes->looks < CALLS_LOOKED_AT;
}

void call_sizes_release(struct call_sizes *sizes)
{
    for (size_t i = 0; i < sizes->nr; i++)
        size_release(&sizes->item[i]);
    free(sizes->item);
    if (sizes->taking) {
        inputs_release(&sizes->taking->capturing->inputs);
        free(sizes->taking->capturing);
        taking_release(sizes->taking);
        free(sizes->taking);
    }
    *sizes = (struct call_sizes){0};
}

json_t *call_sizes_json(const struct call_sizes *sizes, const char *function)
{
    json_t *list = json_array();

    for (size_t i = 0; i < sizes->nr; i++) {
        const struct call_size *size = &sizes->item[i];
        json_t *numbers = json_object();

        for (size_t k = 0; k < size->number_nr; k++)
            json_object_set_new(numbers, size->number[k].name,
                                json_string(size->number[k].value));
        json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:I}", "numbers", numbers,
                                              "first_call", (json_int_t)size->first_call,
                                              "later_call", (json_int_t)size->later_call,
                                              "calls", (json_int_t)size->calls));
    }
    return json_pack("{s:s, s:s, s:I, s:o}", "schema", "inflight.call-sizes/1",
                     "function", function, "calls", (json_int_t)sizes->calls, "sizes",
                     list);
}

void call_sizes_text(const struct call_sizes *sizes, const char *function,
                     struct buf *out)
{
    buf_addf(out, "%s: %lld call%s%s, ", function, sizes->calls,
             sizes->calls == 1 ? "" : "s",
             sizes->looks == CALLS_LOOKED_AT ? " (the first ones)" : "");
    if (sizes->looks / sizes->every < sizes->calls)
        buf_addf(out, "%lld looked at: ", sizes->looks / sizes->every);
    buf_addf(out, "%zu size%s\n", sizes->nr, sizes->nr == 1 ? "" : "s");
    buf_add(out, "  calls  first  numbers\n");
    for (size_t i = 0; i < sizes->nr; i++) {
        const struct call_size *size = &sizes->item[i];

        buf_addf(out, "  %5lld  %5lld  ", size->calls, size->first_call);
        for (size_t k = 0; k < size->number_nr; k++)
            buf_addf(out, "%s%s = %s", k ? ", " : "", size->number[k].name,
                     size->number[k].value);
        buf_add(out, size->number_nr ? "\n" : "none decides on its loops\n");
    }
}

/* ---- an application ---- */

static int explain(const struct settings *settings, const struct recording_request *how,
                   const struct recording_outcome *outcome, struct error *err)
{
    char *phrase = spawn_end_phrase(outcome->program.end, outcome->program.code);
    char *end = outcome->program.end == SPAWN_INTERRUPTED
                    ? xstrdup("interrupted")
                    : xasprintf("the application %s", phrase ? phrase : "ended well");

    if (!outcome->calls)
        fail(err, STATUS_INPUT, "'%s' was never called by what was built from '%s': %s",
             settings->function, settings->file, end);
    else
        fail(err, STATUS_INPUT,
             "'%s' was called %lld times, so that there is no call %lld: %s",
             settings->function, outcome->calls, how->call, end);
    free(phrase);
    free(end);
    return -1;
}

int inputs_record(struct recording_request how, struct capturing *capturing,
                  struct recording_outcome *outcome, struct error *err)
{
    how.at_call = capture_call;
    how.data = capturing;
    if (recording_run(&how, outcome, err))
        return -1;
    return outcome->reached ? 0 : explain(capturing->settings, &how, outcome, err);
}

int inputs_record_sizes(struct recording_request how, struct call_sizes *sizes,
                        struct error *err)
{
    struct recording_outcome outcome;

    how.at_call = look_at_size;
    how.data = sizes;
    how.each = how.ends = true;
    int status = recording_run(&how, &outcome, err);
    if (sizes->looks < CALLS_LOOKED_AT) /* it came to its end */
        sizes->calls = outcome.calls;
    if (!status && !sizes->calls)
        status = explain(sizes->settings, &how, &outcome, err);
    recording_outcome_release(&outcome);
    return status;
}

/* ---- in front of the function ---- */

void inputs_statement(struct kernel *kernel, struct buf *out)
{
    struct kernel_input *input;
    size_t nr = kernel_inputs(kernel, &input);

    recorder_begin(out);
    for (size_t i = 0; i < nr; i++)
        recorder_add(input[i].is_array      ? RECORDED_POINTER
                     : input[i].kind == 'f' ? RECORDED_REAL
                                            : RECORDED_INTEGER,
                     input[i].name, input[i].in_place, out);
    recorder_end(out);
    free(input);
}
