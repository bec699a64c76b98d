#define _XOPEN_SOURCE 700 /* realpath */
#include "advisor/apply/keep_record.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "search/live/live.h"
#include "search/session/session.h"
#include "variants/kernel/kernel.h"

/* ---- may it be written? ---- */

static int check_owner(const struct settings *settings, const struct record *record,
                       const char *function, struct error *err)
{
    const char *path = settings->build_record;
    if (strcmp(record->source, path_base(settings->file)))
        return fail(err, STATUS_USAGE,
                    "the record '%s' is of '%s', not of '%s'; name another one", path,
                    record->source, path_base(settings->file));
    if (function && strcmp(record->function, function))
        return fail(err, STATUS_USAGE,
                    "the record '%s' is of function '%s', not of '%s': a record holds "
                    "one function; name another record, or put each function into a "
                    "file of its own",
                    path, record->function, function);
    return 0;
}

/* An entry that no build could find again. */
static int check_processor(struct error *err)
{
    struct machine_processor here;
    machine_processor_here(&here);
    bool known = strcmp(here.architecture, "other") != 0;
    machine_processor_release(&here);
    return known ? 0
                 : fail(err, STATUS_MISSING,
                        "--build-record: /proc/cpuinfo does not tell this CPU from "
                        "others (it does on x86-64 and aarch64), so a build could not "
                        "find its entry");
}

static int check_writable(const char *path, struct error *err)
{
    struct error why = {0};
    if (!file_check_writable(path, &why))
        return 0;
    return fail(err, why.status,
                "--build-record: %s; name a place that can be written (in a build: "
                "RECORD of inflight_tune)",
                why.text);
}

int keep_record_check(const struct settings *settings, const char *function,
                      struct error *err)
{
    const char *path = settings->build_record;
    struct record record = {0};
    if (!path)
        return 0;
    if (check_processor(err))
        return -1;
    if (!record_is_plain_name(path_base(path)))
        return fail(err, STATUS_USAGE, "--build-record: '%s' is not a file name", path);
    if (!file_exists(path))
        return check_writable(path, err);
    if (record_read(path, &record, err))
        return fail_in(err, "--build-record takes an old record along, but this one "
                            "cannot be read (repair or remove it)");
    int status = check_owner(settings, &record, function, err);
    if (!status)
        status = check_writable(path, err);
    record_release(&record);
    return status;
}

/* ---- the files it rests on ---- */

static bool holds(const char *dir, const char *name)
{
    char *path = xasprintf("%s/%s", dir, name);
    bool found = file_exists(path) || dir_exists(path);
    free(path);
    return found;
}

static bool is_described(const char *dir)
{
    return holds(dir, "CMakeLists.txt") || holds(dir, "Makefile");
}

static bool is_repository(const char *dir)
{
    return holds(dir, ".git");
}

/* What belongs together: the repository; else the nearest folder that a build is
 * described in, with those above that are so, too; else the source's own. */
static char *project_of(const char *source)
{
    char *own = path_folder(source), *project = path_nearest(own, is_repository);
    bool higher = !project && (project = path_nearest(own, is_described));
    while (higher) {
        char *up = path_folder(project);
        higher = strcmp(up, "/") && is_described(up);
        free(higher ? project : up);
        project = higher ? up : project;
    }
    if (project)
        free(own);
    return project ? project : own;
}

static bool is_below(const char *path, const char *dir)
{
    size_t length = strcmp(dir, "/") ? strlen(dir) : 0;
    return !strncmp(path, dir, length) && path[length] == '/';
}

/* Both absolute, without links. */
static char *relative_to(const char *dir, const char *path)
{
    struct buf out = {0};
    size_t common = 0;
    for (size_t i = 0;; i++) {
        bool a = !dir[i] || dir[i] == '/', b = path[i] == '/';
        if (a && b)
            common = i;
        if (!dir[i] || dir[i] != path[i])
            break;
    }
    for (const char *at = dir + common; *at; at++)
        if (*at == '/')
            buf_add(&out, "../");
    buf_add(&out, path + common + 1);
    return buf_detach(&out);
}

static int add_file(struct record_machine *machine, const char *dir, const char *path,
                    struct error *err)
{
    char *hex = NULL;
    if (sha256_file(path, &hex, err))
        return -1;
    GROW(machine->file, machine->file_nr + 1, machine->file_alloc);
    machine->file[machine->file_nr++] =
        (struct record_file){.path = relative_to(dir, path), .sha256 = hex};
    return 0;
}

static int add_files(const struct context *bench, struct record_machine *machine,
                     struct error *err)
{
    struct strvec headers = {0};
    char *source = realpath(kernel_path(bench->kernel), NULL);
    char *beside = record_beside(bench->settings->build_record, ".");
    char *dir = realpath(beside, NULL);
    int status = source && dir
                     ? kernel_headers(bench->kernel, &bench->toolchain, &headers, err)
                     : fail(err, STATUS_FAILED, "'%s' or the folder of '%s' is gone",
                            bench->settings->file, bench->settings->build_record);
    char *project = source ? project_of(source) : NULL;
    if (!status)
        status = add_file(machine, dir, source, err);
    for (size_t i = 0; !status && i < headers.nr; i++)
        if (is_below(headers.v[i], project))
            status = add_file(machine, dir, headers.v[i], err);
    strvec_release(&headers);
    free(source);
    free(beside);
    free(dir);
    free(project);
    return status;
}

/* ---- the entry ---- */

struct record_cpu keep_record_cpu(const struct machine_processor *processor)
{
    return (struct record_cpu){
        .architecture = xstrdup(processor->architecture),
        .vendor = xstrdup(processor->vendor ? processor->vendor : "unknown"),
        .family = xstrdup(processor->first ? processor->first : "unknown"),
        .model = xstrdup(processor->second ? processor->second : "unknown"),
        .name = xstrdup(processor->name ? processor->name : "unknown")};
}

/* Of the nodes that judged it. */
static int processor_of_nodes(struct context *bench, struct record_machine *machine,
                              struct error *err)
{
    json_t *told = NULL;
    if (context_remote_processor(bench, &told, err))
        return -1;
    struct json_at at = json_top("a worker's answer", told);
    static const char *const key[] = {"architecture", "vendor", "family", "model",
                                      "name"};
    char **field[] = {&machine->cpu.architecture, &machine->cpu.vendor,
                      &machine->cpu.family, &machine->cpu.model, &machine->cpu.name};
    int status = json_strings_at(&at, "isa", &machine->isa, err);
    for (size_t i = 0; i < ARRAY_SIZE(key) && !status; i++) {
        const char *text = NULL;
        status = json_string_at(&at, key[i], &text, err);
        *field[i] = xstrdup(text);
    }
    json_decref(told);
    return status;
}

int keep_record_processor(struct context *bench, struct record_machine *machine,
                          struct error *err)
{
    struct machine_processor here;
    struct buf macros = {0};
    machine_processor_here(&here);
    machine->cpu = keep_record_cpu(&here);
    int status = kernel_macros(bench->kernel, &bench->toolchain, &macros, err) ||
                 machine_isa(&here, buf_str(&macros), &machine->isa, err);
    machine_processor_release(&here);
    buf_release(&macros);
    return status ? -1 : 0;
}

static struct quantity given(double number)
{
    return number > 0 ? quantity_exact(number, PROVENANCE_DECLARED) : quantity_unknown();
}

static void add_settings(const struct context *bench, struct record_machine *machine)
{
    const struct settings *settings = bench->settings;
    strvec_push_all(&machine->words, &settings->words);
    machine->reassociate = settings->reassociate;
    machine->tolerance = given(settings->tolerance);
    machine->tolerance_absolute = given(settings->tolerance_absolute);
    machine->compiler = xstrdup(path_base(bench->toolchain.compiler));
    machine->compiler_version = xstrdup(bench->toolchain.version);
    strvec_push_all(&machine->flags, &bench->toolchain.flags);
    machine->profile = xstrdup(bench->machine.name ? bench->machine.name : "");
    machine->cores = (long long)live_copies(bench->live);
    machine->date = date_now();
    machine->inflight = xstrdup(INFLIGHT_VERSION);
}

bool kept_gain_is_real(struct quantity gain)
{
    return gain.known && !gain.doubted && gain.low > 1 && gain.value >= SESSION_MIN_GAIN;
}

static void add_needs(const char *plan, struct strvec *needs)
{
    if (strstr(plan, "parallel("))
        strvec_push(needs, "-fopenmp");
    else if (strstr(plan, "simd"))
        strvec_push(needs, "-fopenmp-simd");
}

/* What was not found out in the application is unknown in the record, too. */
static void add_in_app(const struct context *bench, const struct in_app_result *in_app,
                       struct record_machine *machine)
{
    if (in_app->end != IN_APP_MEASURED || in_app->sentence)
        return;
    machine->in_app = (struct record_in_app){.command = xstrdup(bench->settings->in_app),
                                             .routine = in_app->routine,
                                             .program = in_app->program,
                                             .pairs = (long long)in_app->pair_nr,
                                             .date = xstrdup(in_app->date)};
}

static bool is_of_same_macro(const char *a, const char *b)
{
    size_t length = strcspn(a, "(=");
    return length == strcspn(b, "(=") && !strncmp(a, b, length);
}

/* What is left of -D and -U in the end; "N" is "N=1" to a compiler. */
static void add_definitions(const struct strvec *flags, struct strvec *out)
{
    struct strvec given = {0}; /* "DN=5", "UN" */
    for (size_t i = 0; i < flags->nr; i++) {
        const char *flag = flags->v[i];
        bool apart = !flag[0] || !flag[1] || !flag[2];
        if (!strncmp(flag, "-D", 2) || !strncmp(flag, "-U", 2))
            strvec_pushf(&given, "%c%s", flag[1],
                         !apart              ? flag + 2
                         : i + 1 < flags->nr ? flags->v[++i]
                                             : "");
    }
    for (size_t i = 0; i < given.nr; i++) {
        const char *text = given.v[i] + 1;
        bool holds = given.v[i][0] == 'D';
        for (size_t k = i + 1; k < given.nr; k++)
            holds = holds && !is_of_same_macro(text, given.v[k] + 1);
        if (holds)
            strvec_pushf(out, "%s%s", text, strchr(text, '=') ? "" : "=1");
    }
    strvec_release(&given);
}

void keep_record_frozen(const struct kernel *kernel, struct record_machine *machine)
{
    struct kernel_frozen frozen;
    for (size_t i = 0; kernel_frozen(kernel, i, &frozen); i++)
        record_add_frozen(machine, frozen.name, frozen.use, frozen.value);
    machine->knows_frozen = true;
}

static int add_frozen(const struct context *bench, struct record_machine *machine,
                      struct error *err)
{
    struct strvec flags = {0};
    int status = context_cflags(bench->settings, kernel_path(bench->kernel), &flags, err);
    add_definitions(&flags, &machine->definitions);
    keep_record_frozen(bench->kernel, machine);
    strvec_release(&flags);
    return status;
}

static void add_outcome(const struct context *bench, const struct kept *kept,
                        struct record_machine *machine)
{
    bool real = *kept->plan && kept->verified && kept_gain_is_real(kept->gain);
    machine->plan = xstrdup(real ? kept->plan : "");
    machine->gain = real ? kept->gain : quantity_unknown();
    machine->environment_gain = kept->environment_gain;
    machine->verified = xstrdup(real && kept->sizes ? kept->sizes : "");
    if (!real)
        return;
    machine->code = record_code_name(kernel_path(bench->kernel), &machine->cpu);
    machine->code_sha256 = sha256_hex(buf_str(kept->code), kept->code->length);
    add_needs(machine->plan, &machine->needs);
    add_in_app(bench, kept->in_app, machine);
}

/* ---- writing ---- */

static int read_old(const struct context *bench, struct record *record, struct error *err)
{
    const char *path = bench->settings->build_record;
    if (file_exists(path))
        return record_read(path, record, err);
    *record = (struct record){.source = xstrdup(path_base(kernel_path(bench->kernel))),
                              .function = xstrdup(kernel_name(bench->kernel))};
    return 0;
}

static char *say(const char *path, const struct kept *kept,
                 const struct record_machine *machine)
{
    if (!machine->code && *kept->plan)
        return xasprintf(
            "the record '%s' holds no plan, because it is not certain that "
            "'%s' is faster: builds on this machine take the source as it is",
            path, kept->plan);
    if (!machine->code)
        return xasprintf("the record '%s' says that nothing is faster here: builds on "
                         "this machine take the source as it is",
                         path);
    return xasprintf("the record '%s' and '%s' beside it are what builds read; commit "
                     "both",
                     path, machine->code);
}

/* Searches for several kinds of nodes may end at the same time, each with its entry. -1 =
 * the folder cannot be locked, as some file servers have it. */
static int lock_folder(const char *record)
{
    char *folder = path_folder(record);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

static void unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

static int write_entry(const struct context *bench, const struct kept *kept,
                       struct record_machine *machine, char **sentence, struct error *err)
{
    const char *path = bench->settings->build_record;
    struct record record = {0};
    int lock = lock_folder(path);
    if (read_old(bench, &record, err)) {
        unlock(lock);
        return -1;
    }
    struct record_machine *old = record_find(&record, &machine->cpu);
    bool gone = old && old->code && !machine->code;
    char *stale = gone ? xstrdup(old->code) : NULL;
    char *name = xstrdup(machine->code), *text = say(path, kept, machine);
    record_put(&record, machine);
    int status = record_write(path, &record, name, name ? kept->code : NULL, stale, err);
    if (status)
        free(text);
    else
        *sentence = text;
    free(stale);
    free(name);
    record_release(&record);
    unlock(lock);
    return status;
}

int keep_record(struct context *bench, const struct kept *kept, char **sentence,
                struct error *err)
{
    struct record_machine machine = {.gain = quantity_unknown()};
    *sentence = NULL;
    int status = (bench->remote ? processor_of_nodes
                                : keep_record_processor)(bench, &machine, err) ||
                 add_files(bench, &machine, err);
    if (!status) {
        add_settings(bench, &machine);
        add_outcome(bench, kept, &machine);
    }
    if (!status && machine.code)
        status = add_frozen(bench, &machine, err);
    if (!status)
        status = write_entry(bench, kept, &machine, sentence, err);
    record_machine_release(&machine);
    return status ? -1 : 0;
}
