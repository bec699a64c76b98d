/* inflight capture: the inputs of one call of a kernel in a running application. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "advisor/session/context.h"
#include "core/base/error.h"
#include "observe/in_app/inputs_capture.h"
#include "variants/kernel/kernel.h"

/* ---- a file that is there ---- */

static int print_inputs(const struct settings *settings, const struct inputs *inputs,
                        struct error *err)
{
    struct buf text = {0};
    int status;

    if (settings->json) {
        json_t *document = inputs_json(inputs);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    inputs_text(inputs, &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int show_file(const struct settings *settings, struct error *err)
{
    struct inputs inputs;

    if (settings->file || settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "--show looks at a file and runs nothing; leave the rest away");
    if (inputs_load(settings->show, &inputs, err))
        return -1;
    int status = print_inputs(settings, &inputs, err);
    if (!status)
        status = inputs_verify(settings->show, &inputs, err);
    inputs_release(&inputs);
    return status;
}

/* ---- an application ---- */

static int check_words(const struct settings *settings, struct error *err)
{
    if (!settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "name the application after --, such as 'inflight capture FILE.c -- "
                    "./app args'; try 'inflight capture --help'");
    if (!settings->file && !settings->function)
        return fail(err, STATUS_USAGE,
                    "which function? name it (--function NAME) or its C file");
    if (settings->sizes && (settings->output || settings->call > 0))
        return fail(err, STATUS_USAGE,
                    "--sizes writes no file and looks at all calls; leave %s away",
                    settings->output ? "--output" : "--call");
    return 0;
}

/* The function's name: asked of the source where only that was named. With a source, what
 * can be known of its calls is looked at before anything runs. */
static int find_name(const struct settings *settings, char **name, struct error *err)
{
    struct context bench;
    char *program;

    if (!settings->file) {
        *name = xstrdup(settings->function);
        return 0;
    }
    context_start(&bench, settings);
    int status = context_kernel(&bench, false, err);
    program = path_of_program(settings->program.v[0]);
    if (!status && program)
        status = inputs_check(bench.kernel, program, settings->file, err);
    if (!status)
        *name = xstrdup(kernel_name(bench.kernel));
    free(program);
    context_release(&bench);
    return status;
}

static char *end_words(const struct spawn_outcome *program)
{
    char *phrase = spawn_end_phrase(program->end, program->code),
         *words = program->end == SPAWN_INTERRUPTED
                      ? xstrdup("interrupted")
                      : xasprintf("the application %s", phrase ? phrase : "ended well");

    free(phrase);
    return words;
}

static int fail_not_found(const struct settings *settings, const char *name,
                          const struct trace_outcome *outcome, struct error *err)
{
    char *end = end_words(&outcome->program);

    if (outcome->unreadable)
        fail(err, STATUS_INPUT, "%s", outcome->unreadable);
    else
        fail(err, STATUS_INPUT,
             "no program that '%s' started has a function '%s'%s%s; a stripped program "
             "does not tell where its functions are: build it with -g and without -s "
             "(%s)",
             settings->program.v[0], name, settings->file ? " of a file " : "",
             settings->file ? path_base(settings->file) : "", end);
    free(end);
    return -1;
}

static int explain(const struct settings *settings, const char *name,
                   const struct trace_outcome *outcome, struct error *err)
{
    char *end;

    if (!outcome->found_in)
        return fail_not_found(settings, name, outcome, err);
    if (outcome->inlined && !outcome->calls)
        return trace_fail_inlined(name, outcome->found_in, &outcome->inlined_at,
                                  outcome->inlined, err);
    end = end_words(&outcome->program);
    if (!outcome->calls)
        fail(err, STATUS_INPUT, "'%s' of '%s' was never called: %s", name,
             outcome->found_in, end);
    else
        fail(err, STATUS_INPUT,
             "'%s' was called %lld times, so that there is no call %lld: %s", name,
             outcome->calls, settings->call, end);
    free(end);
    return -1;
}

/* What a user should know beside the list. */
static void note(const struct settings *settings, const struct capturing *capturing,
                 const struct trace_outcome *outcome)
{
    const struct inputs *inputs = &capturing->inputs;

    if (settings->quiet)
        return;
    for (size_t i = 0; i < inputs->array_nr; i++)
        if (inputs->array[i].left_out)
            fprintf(stderr, "inflight: warning: '%s' was left out: %s\n",
                    inputs->array[i].name, inputs->array[i].left_out);
    if (capturing->flags_from && strcmp(capturing->flags_from, FLAGS_OF_COMMAND_LINE))
        fprintf(stderr, "inflight: note: '%s' was read with the flags of %s\n",
                inputs->source, capturing->flags_from);
    if (outcome->inlined)
        fprintf(stderr,
                "inflight: note: '%s' is also inlined in %zu places, which were not "
                "seen\n",
                inputs->function, outcome->inlined);
    if (!settings->stop &&
        (outcome->program.end != SPAWN_EXITED || outcome->program.code)) {
        char *end = end_words(&outcome->program);
        fprintf(stderr, "inflight: note: %s\n", end);
        free(end);
    }
    fprintf(stderr, "inputs written to '%s'\n", capturing->output);
}

static int run(const struct settings *settings, const char *name,
               struct capturing *capturing, struct error *err)
{
    struct trace_outcome outcome;
    struct trace_request request = {.argv = (const char *const *)settings->program.v,
                                    .function = name,
                                    .source = settings->file,
                                    .call = settings->call > 0 ? settings->call : 1,
                                    .ends = settings->stop,
                                    .out_to_err = settings->json,
                                    .at_call = inputs_capture,
                                    .data = capturing};
    int status = trace_call(&request, &outcome, err);

    if (!status && !outcome.reached)
        status = explain(settings, name, &outcome, err);
    if (!status)
        status = print_inputs(settings, &capturing->inputs, err);
    if (!status)
        note(settings, capturing, &outcome);
    trace_outcome_release(&outcome);
    return status;
}

static int print_sizes(const struct call_sizes *sizes, const char *name,
                       struct error *err)
{
    struct buf text = {0};
    int status;

    if (sizes->settings->json) {
        json_t *document = call_sizes_json(sizes, name);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    call_sizes_text(sizes, name, &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* Also of an application that ends by itself before the last call that is looked at. */
static int list_sizes(const struct settings *settings, const char *name,
                      struct error *err)
{
    struct call_sizes sizes = {.settings = settings};
    struct trace_outcome outcome;
    struct trace_request request = {.argv = (const char *const *)settings->program.v,
                                    .function = name,
                                    .source = settings->file,
                                    .each = true,
                                    .ends = true,
                                    .out_to_err = settings->json,
                                    .at_call = inputs_look_at_size,
                                    .data = &sizes};
    int status = trace_call(&request, &outcome, err);

    if (!status && !sizes.calls)
        status = explain(settings, name, &outcome, err);
    if (!status)
        status = print_sizes(&sizes, name, err);
    trace_outcome_release(&outcome);
    call_sizes_release(&sizes);
    return status;
}

static int capture(const struct settings *settings, struct error *err)
{
    struct settings named = *settings;
    struct capturing capturing = {.settings = &named};
    char *name = NULL, *output = NULL;

    spawn_catch_interrupt();
    if (check_words(settings, err) || find_name(settings, &name, err))
        return -1;
    named.function = name;
    if (settings->sizes) {
        int listed = list_sizes(&named, name, err);
        free(name);
        return listed;
    }
    output = settings->output ? xstrdup(settings->output) : xasprintf("%s.inputs", name);
    capturing.output = output;
    int status = file_check_writable(output, err);
    if (!status)
        status = run(&named, name, &capturing, err);
    inputs_release(&capturing.inputs);
    free(capturing.flags_from);
    free(output);
    free(name);
    return status;
}

int capture_command(const struct settings *settings, struct error *err)
{
    return settings->show ? show_file(settings, err) : capture(settings, err);
}
