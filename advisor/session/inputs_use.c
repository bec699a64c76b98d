#include "advisor/session/inputs_use.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "variants/kernel/kernel_inputs.h"

bool words_say(const struct strvec *given, const char *kind, const char *name)
{
    size_t kind_length = strlen(kind), name_length = strlen(name);

    for (size_t i = 0; i < given->nr; i++) {
        const char *at = given->v[i];

        if (strncmp(at, kind, kind_length) || !isspace((unsigned char)at[kind_length]))
            continue;
        at += kind_length;
        at += strspn(at, " \t");
        if (!strncmp(at, name, name_length) &&
            (isspace((unsigned char)at[name_length]) || at[name_length] == '='))
            return true;
    }
    return false;
}

static void add_array(const struct inputs_array *array, const char *path,
                      const struct strvec *given, struct strvec *words,
                      struct buf *warnings)
{
    char *word;

    if (array->left_out) {
        buf_addf(warnings, "'%s' is not in the inputs (%s): its contents are made up\n",
                 array->name, array->left_out);
    } else if (words_say(given, "buffer", array->name)) {
        buf_addf(warnings, "--buffer '%s' is used instead of what was captured\n",
                 array->name);
    } else {
        word = captured_word(&(struct captured_array){
            .name = array->name,
            .path = path,
            .offset = array->offset + inputs_rows_bytes(array),
            .records = array->records,
            .rows = array->rows,
            .spare = array->spare,
            .row_nr = array->row_nr,
            .place = (unsigned long)(array->address % (2u << 20)),
            .huge_pages = array->huge_pages,
            .hash = array->hash});
        strvec_push(words, word);
        free(word);
    }
    if (array->is_guessed)
        strvec_pushf(words, "buffer %s length %lld", array->name,
                     array->left_out
                         ? (long long)(array->left_out_bytes / array->record_bytes)
                         : array->records);
}

void inputs_words(const struct inputs *inputs, const char *path,
                  const struct strvec *given, struct strvec *words, struct buf *warnings)
{
    for (size_t i = 0; i < inputs->number_nr; i++) {
        const struct inputs_number *number = &inputs->number[i];

        if (words_say(given, "set", number->name))
            buf_addf(warnings, "--set '%s' is used instead of %s, which was captured\n",
                     number->name, number->value);
        else
            strvec_pushf(words, "set %s = %s", number->name, number->value);
    }
    for (size_t i = 0; i < inputs->array_nr; i++)
        add_array(&inputs->array[i], path, given, words, warnings);
    for (size_t i = 0; i < inputs->overlaps.nr; i++)
        buf_addf(warnings, "%s\n", inputs->overlaps.v[i]);
    for (size_t i = 0; i + 1 < inputs->shared.nr; i += 2)
        strvec_pushf(words, "shared %s %s", inputs->shared.v[i], inputs->shared.v[i + 1]);
    strvec_push_all(words, given);
}

/* ---- opening ---- */

static int check_same(const struct inputs *inputs, const struct kernel *kernel,
                      const char *path, struct error *err)
{
    char *now = kernel_signature(kernel);
    bool same = !strcmp(now, inputs->signature);

    if (!same)
        fail(err, STATUS_INPUT,
             "'%s' was captured of '%s', and the source has '%s'; capture it again", path,
             inputs->signature, now);
    free(now);
    return same ? 0 : -1;
}

/* Words about parameters that are gone would be refused one by one: what has changed as a
 * whole says more. */
static int explain(const struct inputs *inputs, const struct kernel_request *request,
                   const char *path, struct error *err)
{
    struct kernel_request plain = *request;
    struct kernel *kernel = NULL;
    struct error why = {0};

    plain.words = (struct strvec){0};
    if (kernel_open(&plain, &kernel, NULL) == 0 &&
        check_same(inputs, kernel, path, &why)) {
        error_clear(err);
        fail(err, why.status, "%s", why.text);
    }
    kernel_free(kernel);
    return -1;
}

static void print_warnings(const struct buf *warnings)
{
    const char *at = buf_str(warnings);

    while (*at) {
        size_t length = strcspn(at, "\n");

        fprintf(stderr, "inflight: warning: %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static int open_loaded(const struct inputs *inputs, const char *path,
                       const struct kernel_request *request, struct kernel **kernel,
                       struct error *err)
{
    struct kernel_request with = *request;
    struct buf warnings = {0};
    char *full = path_absolute(path);
    char *note = xasprintf("captured from %s, call %lld", inputs->command, inputs->call);
    int status;

    with.words = (struct strvec){0};
    if (!with.function && !with.line)
        with.function = inputs->function;
    with.inputs = note;
    inputs_words(inputs, full, &request->words, &with.words, &warnings);
    status = kernel_open(&with, kernel, err);
    if (status)
        status = explain(inputs, &with, path, err);
    else if (check_same(inputs, *kernel, path, err))
        status = -1;
    if (!status)
        print_warnings(&warnings);
    strvec_release(&with.words);
    buf_release(&warnings);
    free(full);
    free(note);
    return status;
}

int inputs_open_kernel(const char *path, const struct kernel_request *request,
                       struct kernel **kernel, struct error *err)
{
    struct inputs inputs;

    if (inputs_load(path, &inputs, err))
        return -1;
    int status = open_loaded(&inputs, path, request, kernel, err);
    if (status) {
        kernel_free(*kernel);
        *kernel = NULL;
    }
    inputs_release(&inputs);
    return status;
}
