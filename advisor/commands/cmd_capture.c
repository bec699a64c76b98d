/* inflight capture: the inputs of one call of a kernel in a running application. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/application/trees.h"
#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "advisor/session/context.h"
#include "core/base.h"
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
    if (!settings->file)
        return fail(err, STATUS_USAGE,
                    "which function? name the file that defines it, "
                    "such as 'inflight capture FILE.c -- ./app args'");
    if (settings->sizes && (settings->output || settings->call > 0))
        return fail(err, STATUS_USAGE,
                    "--sizes writes no file and looks at all calls; leave %s away",
                    settings->output ? "--output" : "--call");
    return 0;
}

/* What is on the way: the application in a private copy. */
struct recorded_program {
    const struct settings *settings; /* the user's */
    struct settings copied;          /* for the source in the copy */
    struct progress progress;
    struct trees trees;
    char *scratch, *file; /* relative to the project */
    char *name, *source;  /* of the function; in the copy */
};

static int find_file(struct recorded_program *program, struct error *err)
{
    const char *root = program->trees.project.root;
    char *whole = path_absolute(program->settings->file);
    size_t length = strlen(root);
    bool inside = !strncmp(whole, root, length) && whole[length] == '/';

    if (inside)
        program->file = xstrdup(whole + length + 1);
    free(whole);
    return inside ? 0
                  : fail(err, STATUS_INPUT,
                         "'%s' is not below '%s', which the application is built from; "
                         "name that folder with --in-app-dir",
                         program->settings->file, root);
}

/* Which function: its file is read as the build compiles it. */
static int find_name(struct recorded_program *program, struct error *err)
{
    struct context bench;
    struct settings *copied = &program->copied;

    program->source = path_join(program->trees.tree[TREE_PREPARED].root, program->file);
    *copied = *program->settings;
    copied->file = program->source;
    copied->build = NULL;
    copied->compile_commands = program->trees.tree[TREE_PREPARED].seen.database;
    context_start(&bench, copied);
    int status = context_kernel(&bench, false, err);
    if (!status) {
        program->name = xstrdup(kernel_name(bench.kernel));
        copied->function = program->name;
        copied->line = 0;
    }
    context_release(&bench);
    return status;
}

static int build_recorded(struct recorded_program *program, struct error *err)
{
    struct trees *trees = &program->trees;

    if (scratch_make(&program->scratch, err) ||
        trees_open(trees, program->settings, TREE_PREPARED, program->scratch,
                   &program->progress, err) ||
        find_file(program, err) || trees_build(trees, err) || find_name(program, err))
        return -1;
    progress_say(&program->progress, "building it with a recorder in '%s'",
                 program->name);
    int status = trees_record(trees, program->file, program->name, err);
    program->copied.compile_commands = trees->tree[TREE_PREPARED].seen.database;
    progress_clear(&program->progress);
    return status;
}

static struct recording_request recording_of(const struct recorded_program *program)
{
    return (struct recording_request){
        .argv = (const char *const *)program->trees.argv.v,
        .dir = program->trees.tree[TREE_PREPARED].cwd,
        .call = program->settings->call > 0 ? program->settings->call : 1,
        .ends = program->settings->stop,
        .out_to_err = program->settings->json};
}

/* What a user should know beside the list. */
static void note(const struct settings *settings, const struct capturing *capturing,
                 const struct spawn_outcome *program)
{
    const struct inputs *inputs = &capturing->inputs;

    if (settings->quiet)
        return;
    for (size_t i = 0; i < inputs->array_nr; i++)
        if (inputs->array[i].left_out)
            fprintf(stderr, "inflight: warning: '%s' was left out: %s\n",
                    inputs->array[i].name, inputs->array[i].left_out);
    char *end = settings->stop ? NULL : spawn_end_phrase(program->end, program->code);
    if (end)
        fprintf(stderr, "inflight: note: the application %s\n", end);
    free(end);
    fprintf(stderr, "inputs written to '%s'\n", capturing->output);
}

static int record(const struct recorded_program *program, struct error *err)
{
    const struct settings *settings = program->settings;
    char *output = settings->output ? xstrdup(settings->output)
                                    : xasprintf("%s.inputs", program->name);
    struct capturing capturing = {.settings = &program->copied,
                                  .output = output,
                                  .copy = program->trees.tree[TREE_PREPARED].root,
                                  .root = program->trees.project.root};
    struct recording_outcome outcome;

    if (file_check_writable(output, err)) {
        free(output);
        return -1;
    }
    int status = inputs_record(recording_of(program), &capturing, &outcome, err);
    if (!status)
        status = print_inputs(settings, &capturing.inputs, err);
    if (!status)
        note(settings, &capturing, &outcome.program);
    recording_outcome_release(&outcome);
    inputs_release(&capturing.inputs);
    free(output);
    return status;
}

static int print_sizes(const struct call_sizes *sizes, const struct settings *settings,
                       const char *name, struct error *err)
{
    struct buf text = {0};
    int status;

    if (settings->json) {
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

static int list_sizes(const struct recorded_program *program, struct error *err)
{
    struct call_sizes sizes = {.settings = &program->copied};
    int status = inputs_record_sizes(recording_of(program), &sizes, err);

    if (!status)
        status = print_sizes(&sizes, program->settings, program->name, err);
    call_sizes_release(&sizes);
    return status;
}

static int capture(const struct settings *settings, struct error *err)
{
    struct recorded_program program = {.settings = settings};
    struct error why = {0};

    if (check_words(settings, err) ||
        (settings->output && file_check_writable(settings->output, err)))
        return -1;
    spawn_catch_interrupt();
    progress_start(&program.progress, settings->quiet, settings->verbose);
    int status = build_recorded(&program, &why);
    if (!status)
        status = settings->sizes ? list_sizes(&program, &why) : record(&program, &why);
    progress_clear(&program.progress);
    if (status) {
        char *sentence = trees_in_project(&program.trees, why.text);

        fail(err, why.status, "%s", sentence);
        free(sentence);
    }
    trees_close(&program.trees);
    scratch_remove(program.scratch);
    free(program.file);
    free(program.source);
    free(program.name);
    return status;
}

int capture_command(const struct settings *settings, struct error *err)
{
    return settings->show ? show_file(settings, err) : capture(settings, err);
}
