#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#include "variants/build/compile.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/files/hash.h"
#include "core/files/trust.h"
#include "core/machine/machine.h"
#include "variants/clang/clang.h"

static const double compile_limit_s = 120;
/* Preprocessed text of all vector headers is 2 MiB. */
enum { output_limit = 64 << 20 };

static const char disk_full[] = "No space left on device";

static int fail_disk_full(const char *dir, struct error *err)
{
    return fail(err, STATUS_MISSING,
                "there is no space left in '%s' for building programs; make room or set "
                "TMPDIR to another folder",
                dir);
}

/* The line that says what is wrong: an error of compiler or linker, else the first one.
 */
static char *first_error(const char *output)
{
    static const char *const signs[] = {"undefined reference", "multiple definition",
                                        "cannot find", "error:", "error "};

    for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
        const char *at = strstr(output, signs[i]), *start = at;

        if (!at)
            continue;
        while (start > output && start[-1] != '\n')
            start--;
        return xstrndup(start, strcspn(start, "\n"));
    }
    output += strspn(output, "\n");
    return xstrndup(output, strcspn(output, "\n"));
}

static int fail_not_started(const char *compiler, int code, struct error *err)
{
    if (strstr(path_base(compiler), "++"))
        return fail(err, STATUS_MISSING,
                    "cannot start the compiler '%s', which a C++ kernel needs: %s; "
                    "install it or name another compiler with --compiler",
                    compiler, strerror(code));
    return fail(err, STATUS_MISSING, "cannot start the compiler '%s': %s", compiler,
                strerror(code));
}

/* What the linkers of GNU, gold and LLVM say of a symbol that is nowhere; NULL = nothing.
 * Caller frees. */
static char *undefined_symbol(const char *output)
{
    static const char *const before[] = {
        "undefined reference to `", "undefined reference to '", "undefined symbol: "};

    for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
        const char *at = strstr(output, before[i]);

        if (!at)
            continue;
        at += strlen(before[i]);
        return xstrndup(at, strcspn(at, "'\n"));
    }
    return NULL;
}

static int fail_refused(const char *compiler, const char *what, const char *output,
                        struct error *err)
{
    char *symbol = undefined_symbol(output);
    char *line = first_error(output);

    if (symbol)
        fail(err, STATUS_FAILED,
             "'%s' refuses %s: it calls or uses '%s', which is in another file; put "
             "it "
             "into the kernel's file, or #include that other file in a test file",
             compiler, what, symbol);
    else
        fail(err, STATUS_FAILED, "'%s' refuses %s: %s", compiler, what, line);
    free(symbol);
    free(line);
    return -1;
}

int compile_judge(const struct spawn_outcome *outcome, const char *compiler,
                  const char *what, struct error *err)
{
    switch (outcome->end) {
    case SPAWN_NOT_STARTED:
        return fail_not_started(compiler, outcome->code, err);
    case SPAWN_TIMED_OUT:
        return spawn_is_late()
                   ? fail(err, STATUS_FAILED,
                          "the time was up before '%s' was done with %s", compiler, what)
                   : fail(err, STATUS_FAILED, "%s took '%s' longer than %g s", what,
                          compiler, compile_limit_s);
    case SPAWN_INTERRUPTED:
        return fail(err, STATUS_FAILED, "interrupted while compiling");
    default:
        break;
    }
    if (strstr(buf_str(&outcome->err), disk_full))
        return fail_disk_full("the scratch folder", err);
    if (outcome->end == SPAWN_EXITED && outcome->code == 0)
        return 0;
    return fail_refused(compiler, what, buf_str(&outcome->err), err);
}

/* A compiler that takes memory without end meets a limit before the machine does. What is
 * less than this they take for ordinary files. */
static const double compiler_min_bytes = 1 << 30;

struct spawn_request compile_spawn(const struct strvec *argv, size_t at_once)
{
    static const char *const env[] = {"LC_ALL=C", NULL};
    double room = 0.8 * memory_available_bytes() / (double)at_once;

    return (struct spawn_request){.argv = (const char *const *)argv->v,
                                  .env_extra = env,
                                  .timeout_s = compile_limit_s,
                                  .output_limit = output_limit,
                                  .memory_limit_bytes = fmax(room, compiler_min_bytes),
                                  .account = ACCOUNT_COMPILING};
}

int compiler_run(const struct strvec *argv, const char *what, struct buf *output,
                 struct error *err)
{
    struct spawn_request request = compile_spawn(argv, 1);
    struct spawn_outcome outcome;
    int result;

    if (spawn_run(&request, &outcome, err))
        return -1;
    result = compile_judge(&outcome, argv->v[0], what, err);
    if (output)
        buf_add(output, buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    return result;
}

static char *keyed_path(const char *dir, const char *stem, const struct hash *hash,
                        const char *ending)
{
    char *hex = hash_hex(hash);
    char *path = xasprintf("%s/%s-%.20s%s", dir, stem, hex, ending);

    free(hex);
    return path;
}

/* A name of our own until it is complete. */
static char *unfinished(const char *path)
{
    static unsigned long number;

    return xasprintf("%s.%ld.%lu", path, (long)getpid(), number++);
}

/* Its own mode, whatever the umask: what others may write is built again (trust.h). */
static int take_place(const char *made, const char *path)
{
    return chmod(made, S_IRWXU) || rename(made, path) ? -1 : 0;
}

static int finish(const char *made, const char *path, struct error *err)
{
    if (take_place(made, path) == 0)
        return 0;
    if (errno == ENOENT)
        return fail(err, STATUS_FAILED,
                    "the compiler wrote nothing, though it ended without an error; name "
                    "one that compiles with --compiler");
    return fail(err, STATUS_FAILED, "cannot rename '%s': %s", made, strerror(errno));
}

static void hash_toolchain(struct hash *hash, const struct toolchain *toolchain)
{
    hash_text(hash, toolchain->compiler);
    hash_text(hash, toolchain->version ? toolchain->version : "");
}

static void hash_list(struct hash *hash, const struct strvec *list)
{
    for (size_t i = 0; i < list->nr; i++)
        hash_text(hash, list->v[i]);
    hash_text(hash, "");
}

static int write_source(const char *dir, const char *path, const char *text,
                        struct error *err)
{
    struct error why = {0};

    if (file_write(path, text, strlen(text), &why) == 0)
        return 0;
    if (strstr(why.text, disk_full))
        return fail_disk_full(dir, err);
    return fail(err, why.status, "%s", why.text);
}

/* Runs it now, or later. */
static int make(struct variant_queue *queue, const struct queued_command *command,
                struct error *err)
{
    unlink(command->made); /* no link leads the compiler elsewhere */
    if (queue) {
        compile_queue_add(queue, command);
        return 0;
    }
    if (compiler_run(command->argv, command->what, NULL, err) == 0)
        return finish(command->made, command->path, err);
    unlink(command->made);
    return -1;
}

void push_compiler(const struct toolchain *toolchain, bool cplusplus, struct strvec *argv)
{
    char *name = cxx_compiler(toolchain->compiler, cplusplus);

    strvec_push(argv, name);
    free(name);
}

static int compile_to(const struct compile_request *request, const char *source,
                      const char *object, struct error *err)
{
    struct strvec argv = {0};
    char *made = unfinished(object);
    int result;

    push_compiler(request->toolchain, request->is_cplusplus, &argv);
    strvec_push_all(&argv, request->flags);
    strvec_push(&argv, "-c");
    strvec_push(&argv, "-o");
    strvec_push(&argv, made);
    strvec_push(&argv, source);
    result = make(request->toolchain->queue,
                  &(struct queued_command){.argv = &argv,
                                           .made = made,
                                           .path = object,
                                           .what = request->what,
                                           .lasting = request->lasting},
                  err);
    strvec_release(&argv);
    free(made);
    return result;
}

int compile_object(const struct compile_request *request, char **object,
                   struct error *err)
{
    struct hash hash = hash_begin();
    char *source;
    int result = 0;

    hash_toolchain(&hash, request->toolchain);
    hash_list(&hash, request->flags);
    hash_text(&hash, request->text);
    source = keyed_path(request->dir, request->stem, &hash,
                        request->is_cplusplus ? ".cpp" : ".c");
    *object = keyed_path(request->dir, request->stem, &hash, ".o");
    if (!trust_has(*object) && (compile_was_refused(*object, err) ||
                                write_source(request->dir, source, request->text, err) ||
                                compile_to(request, source, *object, err))) {
        free(*object);
        *object = NULL;
        result = -1;
    }
    free(source);
    return result;
}

char *compile_shared_dir(const char *other)
{
    char *cache, *dir;

    if (cache_dir(&cache, NULL))
        return xstrdup(other);
    dir = path_join(cache, "objects");
    free(cache);
    if (trust_make(dir, TRUST_KEPT, NULL) == 0 && access(dir, W_OK | X_OK) == 0)
        return dir;
    free(dir);
    return xstrdup(other);
}

/* The compiler says what is wrong with those that cannot be read. */
char *compile_headers_note(const char *dir)
{
    char *hex = hash_folder(dir, "h"), *note = xasprintf("/* %s */\n", hex);
    free(hex);
    return note;
}

static int link_to(const struct link_request *request, const char *program,
                   struct error *err)
{
    struct strvec argv = {0};
    char *made = unfinished(program);
    int result;

    push_compiler(request->toolchain, request->is_cplusplus, &argv);
    strvec_push_all(&argv, request->flags);
    strvec_push_all(&argv, request->objects);
    strvec_push(&argv, "-o");
    strvec_push(&argv, made);
    strvec_push(&argv, "-lm");
    result = make(request->toolchain->queue,
                  &(struct queued_command){.argv = &argv,
                                           .made = made,
                                           .path = program,
                                           .needs = request->objects,
                                           .what = "to link the kernel"},
                  err);
    strvec_release(&argv);
    free(made);
    return result;
}

int link_program(const struct link_request *request, char **program, struct error *err)
{
    struct hash hash = hash_begin();

    hash_toolchain(&hash, request->toolchain);
    hash_list(&hash, request->objects); /* named by what is in them */
    hash_list(&hash, request->flags);
    *program = keyed_path(request->dir, request->stem, &hash, "");
    if (trust_has(*program) ||
        (compile_was_refused(*program, err) == 0 && link_to(request, *program, err) == 0))
        return 0;
    free(*program);
    *program = NULL;
    return -1;
}

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_ENDED };

struct job {
    struct strvec argv, needs;
    char *made, *path;
    const char *what;
    bool lasting;
    enum job_state state;
    struct spawn_child *child;
};

struct variant_queue {
    struct job *item;
    size_t nr, alloc;
    size_t running;
    int status; /* -1 when something could not be started, with the reason */
    struct error why;
};

struct variant_queue *variant_queue_new(void)
{
    return xcalloc(1, sizeof(struct variant_queue));
}

static void queue_clear(struct variant_queue *queue)
{
    for (size_t i = 0; i < queue->nr; i++) {
        strvec_release(&queue->item[i].argv);
        strvec_release(&queue->item[i].needs);
        free(queue->item[i].made);
        free(queue->item[i].path);
    }
    queue->nr = 0;
}

static bool is_queued(const struct variant_queue *queue, const char *path)
{
    for (size_t i = 0; i < queue->nr; i++)
        if (strcmp(queue->item[i].path, path) == 0)
            return true;
    return false;
}

/* ---- what was refused ---- */

static char *note_path(const char *path)
{
    return xasprintf("%s.refused", path);
}

int compile_was_refused(const char *path, struct error *err)
{
    char *note = note_path(path);
    struct buf text = {0};
    int result = 0;

    if (file_read_own(note, SIZE_MAX, &text, NULL) == 0)
        result = fail(err, STATUS_FAILED, "%s", buf_str(&text));
    buf_release(&text);
    free(note);
    return result;
}

/* Beside others a compiler has less memory than alone: that is no refusal. */
static bool is_for_want_of_memory(const struct spawn_outcome *outcome)
{
    static const char *const signs[] = {"out of memory", "emory exhausted", "bad_alloc",
                                        "annot allocate memory"};

    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (strstr(buf_str(&outcome->err), signs[i]))
            return true;
    return false;
}

static void note_refusal(const struct job *job, const struct spawn_outcome *outcome,
                         const struct error *why)
{
    bool own_fault = outcome->end == SPAWN_EXITED ||
                     (outcome->end == SPAWN_TIMED_OUT && !spawn_is_late());

    if (!own_fault || job->lasting || why->status != STATUS_FAILED ||
        is_for_want_of_memory(outcome))
        return;
    char *note = note_path(job->path);
    file_write(note, why->text, strlen(why->text), NULL); /* else it is asked again */
    free(note);
}

/* ---- running ---- */

static bool is_ready(const struct job *job)
{
    for (size_t i = 0; i < job->needs.nr; i++)
        if (!file_exists(job->needs.v[i]))
            return false;
    return true;
}

static struct job *next_ready(struct variant_queue *queue)
{
    for (size_t i = 0; i < queue->nr; i++)
        if (queue->item[i].state == JOB_WAITING && is_ready(&queue->item[i]))
            return &queue->item[i];
    return NULL;
}

static void start_job(struct variant_queue *queue, struct job *job, size_t at_once)
{
    struct spawn_request request = compile_spawn(&job->argv, at_once);

    queue->status = spawn_start(&request, &job->child, &queue->why);
    if (queue->status)
        return;
    job->state = JOB_RUNNING;
    queue->running++;
}

static void end_job(struct variant_queue *queue, struct job *job)
{
    struct spawn_outcome outcome;
    struct error why = {0};

    spawn_wait_all(&job->child, 1, false, &outcome, NULL);
    job->state = JOB_ENDED;
    queue->running--;
    if (compile_judge(&outcome, job->argv.v[0], job->what, &why) == 0) {
        take_place(job->made,
                   job->path); /* else it is built again when it is asked for */
    } else {
        unlink(job->made);
        note_refusal(job, &outcome, &why);
    }
    spawn_outcome_release(&outcome);
}

/* Waits for one of those that run. */
static void reap_one(struct variant_queue *queue)
{
    struct spawn_child **child = xcalloc(queue->nr, sizeof(struct spawn_child *));
    struct job **job = xcalloc(queue->nr, sizeof(struct job *));
    size_t nr = 0;

    for (size_t i = 0; i < queue->nr; i++) {
        if (queue->item[i].state != JOB_RUNNING)
            continue;
        child[nr] = queue->item[i].child;
        job[nr++] = &queue->item[i];
    }
    if (nr)
        end_job(queue, job[spawn_wait_one(child, nr)]);
    free(child);
    free(job);
}

/* As many as there are processors. */
static void start_ready(struct variant_queue *queue)
{
    size_t at_once = variant_queue_processors();

    while (queue->running < at_once && !queue->status && !spawn_interrupted()) {
        struct job *job = next_ready(queue);

        if (!job)
            return;
        start_job(queue, job, at_once);
    }
}

static void reap_ended(struct variant_queue *queue)
{
    for (size_t i = 0; i < queue->nr; i++)
        if (queue->item[i].state == JOB_RUNNING &&
            spawn_wait_for(queue->item[i].child, 0))
            end_job(queue, &queue->item[i]);
}

/* Compilers run while the next file is written. */
void compile_queue_add(struct variant_queue *queue, const struct queued_command *command)
{
    if (is_queued(queue, command->path))
        return;
    GROW(queue->item, queue->nr + 1, queue->alloc);
    struct job *job = &queue->item[queue->nr++];
    *job = (struct job){.made = xstrdup(command->made),
                        .path = xstrdup(command->path),
                        .what = command->what,
                        .lasting = command->lasting};
    strvec_push_all(&job->argv, command->argv);
    if (command->needs)
        strvec_push_all(&job->needs, command->needs);
    reap_ended(queue);
    start_ready(queue);
}

size_t variant_queue_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set))
        return 1;
    return (size_t)CPU_COUNT(&set);
}

void variant_queue_free(struct variant_queue *queue)
{
    if (!queue)
        return;
    while (queue->running > 0)
        reap_one(queue);
    queue_clear(queue);
    free(queue->item);
    free(queue);
}

int variant_queue_build(struct variant_queue *queue, struct error *err)
{
    enum account before = account_switch(ACCOUNT_COMPILING);
    int status;

    for (start_ready(queue); queue->running > 0; start_ready(queue))
        reap_one(queue);
    status = queue->status ? fail(err, queue->why.status, "%s", queue->why.text) : 0;
    queue->status = 0;
    queue_clear(queue);
    account_switch(before);
    return status;
}
