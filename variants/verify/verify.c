#include "variants/verify/verify.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "variants/build/build.h"
#include "variants/plan/plan.h"
#include "variants/verify/verify_cases.h"
#include "variants/verify/verify_lines.h"

/* ---- report ---- */

/* What sanitizers write about a program, in one sentence. */

/* A line of each: "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address ...",
 * "t.c:4:9: runtime error: signed integer overflow: ...", "WARNING: ThreadSanitizer: data
 * race (pid=7)". */
static const struct {
    const char *sign, *name, *end; /* end: characters that the sentence ends before */
    bool is_behind;                /* the place stands before the sign */
} findings[] = {
    {"AddressSanitizer: ", "the address sanitizer reports: ", " \n", false},
    {"ThreadSanitizer: ", "the thread sanitizer reports: ", "(\n", false},
    {"runtime error: ", "undefined behaviour: ", "\n", true},
};

static char *clean(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return text;
}

/* "t.c:4" of the first frame "#0 0x55 in f /dir/t.c:4:9" or "#0 f /dir/t.c:4" that has a
 * line; NULL if none has. */
static char *first_line(const char *report)
{
    for (const char *at = strstr(report, "#0 "); at; at = strchr(at, '\n')) {
        at += *at == '\n';
        size_t length = strcspn(at, "\n");
        char *line = xstrndup(at, length);
        char *slash = strrchr(line, '/'), *from = slash ? slash + 1 : strrchr(line, ' ');
        char *colon = from ? strchr(from, ':') : NULL;

        if (strchr(line, '#') && colon && isdigit((unsigned char)colon[1])) {
            char *place = xasprintf(
                "%.*s", (int)(colon - from) + 1 + (int)strspn(colon + 1, "0123456789"),
                from);

            free(line);
            return place;
        }
        free(line);
    }
    return NULL;
}

/* "t.c:4" of "/dir/t.c:4:9: runtime error: ..." */
static char *place_before(const char *report, const char *at)
{
    const char *line = at;

    while (line > report && line[-1] != '\n')
        line--;
    char *text = xstrndup(line, (size_t)(at - line)), *colon;
    const char *base = path_base(text);
    char *place;

    colon = strchr(base, ':');
    place =
        colon ? xasprintf("%.*s",
                          (int)(colon - base) + 1 + (int)strspn(colon + 1, "0123456789"),
                          base)
              : NULL;
    free(text);
    return place;
}

static char *sentence_of(const char *report, const char *at, size_t kind)
{
    const char *text = at + strlen(findings[kind].sign);
    char *what = xstrndup(text, strcspn(text, findings[kind].end)), *sentence;
    char *place = findings[kind].is_behind ? place_before(report, at) : first_line(at);

    sentence = xasprintf("%s%s%s%s", findings[kind].name, clean(what),
                         place ? " in " : "", place ? clean(place) : "");
    free(place);
    free(what);
    return sentence;
}

char *sanitizer_report(const char *path)
{
    struct buf text = {0};
    char *sentence = NULL;

    if (file_read(path, &text, NULL) == 0)
        for (size_t i = 0; i < ARRAY_SIZE(findings) && !sentence; i++) {
            const char *at = strstr(buf_str(&text), findings[i].sign);

            if (at)
                sentence = sentence_of(buf_str(&text), at, i);
        }
    buf_release(&text);
    return sentence;
}

/* ---- verify ---- */

static const double small_bytes_max = 64 << 20;
/* Of the time that is left until the end: all small sizes together; and whatever is left,
 * a program has so long, which beside other work is some tenths of a second of its own.
 */
static const double small_share = 0.25, least_s = 2;
/* Address space that a verifying program may have beside its arrays: libraries, stacks,
 * what the kernel allocates for itself. */
static const double beside_bytes = 1 << 30;
enum { REFERENCE_FAILURES_MAX = 16 };

struct verification {
    struct kernel *kernel;
    const char *program;
    const struct verify_opts *opts;
    const char *mode; /* a further argument, or NULL */
    struct verify_report *report;
    char *scratch, *made;               /* made: a private folder, or NULL */
    struct buf sizes, skipped, failing; /* failing: where the original fails itself */
    struct buf unstable;       /* where its results change with its inputs' last digits */
    struct verify_lines lines; /* of the last program run */
    char *crash;               /* how it ended, if not well */
    bool hung;                 /* the original, at one of those */
};

void verify_report_release(struct verify_report *report)
{
    free(report->detail);
    free(report->sizes);
    *report = (struct verify_report){0};
}

struct tolerance verify_tolerance(const struct verify_opts *opts)
{
    bool given = opts->relative > 0;
    return (struct tolerance){.relative_double = given ? opts->relative : 1e-9,
                              .relative_float = given ? opts->relative : 1e-4,
                              .absolute = opts->absolute};
}

/* ---- running the program ---- */

static void common_args(const struct verification *verification, const char *out,
                        struct strvec *args)
{
    const struct tolerance tolerance = verify_tolerance(verification->opts);

    strvec_push(args, "--relative-double");
    strvec_pushf(args, "%.17g", tolerance.relative_double);
    strvec_push(args, "--relative-float");
    strvec_pushf(args, "%.17g", tolerance.relative_float);
    strvec_push(args, "--absolute");
    strvec_pushf(args, "%.17g", tolerance.absolute);
    if (verification->mode)
        strvec_push(args, verification->mode);
    strvec_push(args, "--out");
    strvec_push(args, out);
}

static double memory_limit(const struct verify_opts *opts)
{
    if (opts->memory_limit_bytes > 0)
        return opts->memory_limit_bytes;
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
}

/* `share`: of the time until the end. */
static double limit_of(const struct verify_opts *opts, double share)
{
    double limit_s = opts->limit_s > 0 ? opts->limit_s : VERIFY_LIMIT_S;

    return opts->end_s > 0
               ? fmin(limit_s, fmax(share * (opts->end_s - clock_s()), least_s))
               : limit_s;
}

/* A report is the way it ended, whatever its exit. */
static void take_report(struct verification *verification, const char *out,
                        enum run_outcome *outcome)
{
    char *path = xasprintf("%s.report", out);
    char *sentence = sanitizer_report(path);

    unlink(path);
    free(path);
    if (!sentence)
        return;
    free(verification->crash);
    verification->crash = sentence;
    *outcome = RUN_OUTCOME_CRASHED;
}

static int run_program(struct verification *verification, const struct strvec *args,
                       double limit_s, enum run_outcome *outcome, struct error *err)
{
    const struct verify_opts *opts = verification->opts;
    static unsigned long number;
    char *out =
        xasprintf("%s/verify-%ld-%lu", verification->scratch, (long)getpid(), number++);
    struct strvec all = {0};
    struct run_program program = {.path = verification->program, .args = &all};
    int result;

    common_args(verification, out, &all);
    strvec_push_all(&all, args);
    free(verification->crash);
    verification->crash = NULL;
    verify_lines_release(&verification->lines);
    result = run_once(
        &program,
        &(struct run_opts){.cpu = opts->cpu >= 0 ? &opts->cpu : NULL,
                           .launch_limit_s = limit_s,
                           .memory_limit_bytes = memory_limit(opts) + beside_bytes,
                           .scratch = verification->scratch},
        outcome, &verification->crash, NULL, err);
    if (result == 0)
        verify_lines_read(out, &verification->lines);
    if (result == 0 && verification->lines.has_sanitizer)
        take_report(verification, out, outcome);
    if (result == 0 && *outcome == RUN_OUTCOME_OK && !verification->lines.is_done) {
        *outcome = RUN_OUTCOME_BAD_EXIT;
        verification->crash = xstrdup("it ended with exit status 0 before it returned");
    }
    unlink(out);
    strvec_release(&all);
    free(out);
    return result;
}

/* ---- what it means ---- */

static void say_difference(struct verification *verification, const char *sizes)
{
    const struct verify_lines *lines = &verification->lines;
    struct verify_report *report = verification->report;

    if (lines->outside)
        report->detail =
            xasprintf("it writes outside array '%s' at %s", lines->outside, sizes);
    else if (!lines->differ)
        report->detail = xasprintf("results differ at %s", sizes);
    else if (strcmp(lines->differ, "return") == 0)
        report->detail = xasprintf("it returns %s instead of %s at %s", lines->got,
                                   lines->want, sizes);
    else if (strcmp(lines->index, "-") == 0)
        report->detail = xasprintf("%s is %s instead of %s at %s", lines->differ,
                                   lines->got, lines->want, sizes);
    else
        report->detail = xasprintf("%s[%s] is %s instead of %s at %s", lines->differ,
                                   lines->index, lines->got, lines->want, sizes);
}

static void judge(struct verification *verification, enum run_outcome outcome,
                  const char *sizes)
{
    struct verify_report *report = verification->report;

    report->outcome = outcome;
    if (outcome == RUN_OUTCOME_WRONG_RESULT)
        say_difference(verification, sizes);
    else if (verification->lines.fault)
        report->detail = xasprintf("it %s, at %s", verification->lines.fault, sizes);
    else
        report->detail = xasprintf(
            "%s at %s", verification->crash ? verification->crash : "it ended badly",
            sizes);
}

static void note_error(struct verification *verification)
{
    if (verification->lines.relative > verification->report->max_relative_error)
        verification->report->max_relative_error = verification->lines.relative;
}

static void note_skipped(struct verification *verification, const char *sizes,
                         const char *why)
{
    buf_addf(&verification->skipped, "%s%s left out: %s",
             verification->skipped.length ? "; " : "", sizes, why);
}

/* "n x m=3 x 37, 37 x 8" */
static void add_done(struct verification *verification, const char *brief)
{
    char *names = sizes_names(verification->kernel);

    if (verification->sizes.length)
        buf_add(&verification->sizes, ", ");
    else if (*names)
        buf_addf(&verification->sizes, "%s=", names);
    buf_add(&verification->sizes, brief);
    free(names);
}

static bool is_unstable(const struct verify_lines *lines, size_t at)
{
    for (size_t i = 0; i < lines->unstable.nr; i++)
        if (lines->unstable.item[i] == at)
            return true;
    return false;
}

static void add_unstable(struct verification *verification, const char *sizes)
{
    struct buf *unstable = &verification->unstable;

    buf_addf(unstable, "%s%s", unstable->length ? ", " : "", sizes);
}

static void note_done(struct verification *verification, const struct verify_cases *cases,
                      size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!is_unstable(&verification->lines, i - from))
            add_done(verification, cases->item[i].brief);
        else
            add_unstable(verification, cases->item[i].text);
}

/* ---- small sizes ---- */

static void small_args(const struct verify_cases *cases, size_t from, struct strvec *args)
{
    strvec_push(args, "--full-precision");
    for (size_t i = from; i < cases->nr; i++) {
        if (i > from)
            strvec_push(args, "--next");
        strvec_push_all(args, &cases->item[i].args);
    }
}

/* Where most of them are, the differences count. */
static void judge_unstable(struct verification *verification,
                           const struct verify_cases *cases, size_t from)
{
    struct verify_lines *lines = &verification->lines;

    if (2 * lines->unstable.nr <= cases->nr)
        return;
    lines->differ = lines->unstable.differ;
    lines->index = lines->unstable.index;
    lines->want = lines->unstable.want;
    lines->got = lines->unstable.got;
    lines->unstable.differ = lines->unstable.index = NULL;
    lines->unstable.want = lines->unstable.got = NULL;
    verification->report->outcome = RUN_OUTCOME_WRONG_RESULT;
    say_difference(verification, cases->item[from + lines->unstable.item[0]].text);
}

/* The original's own affair: it is left out, now and later. */
static void note_failing(struct verification *verification, const char *sizes)
{
    buf_addf(&verification->failing, "%s%s", verification->failing.length ? ", " : "",
             sizes);
    if (verification->opts->failing && !strvec_has(verification->opts->failing, sizes))
        strvec_push(verification->opts->failing, sizes);
}

static void leave_out_failing(struct verification *verification,
                              struct verify_cases *cases)
{
    size_t kept = 0;

    for (size_t i = 0; i < cases->nr; i++) {
        struct verify_case *item = &cases->item[i];

        if (verification->opts->failing &&
            strvec_has(verification->opts->failing, item->text)) {
            note_failing(verification, item->text);
            verify_case_release(item);
        } else {
            cases->item[kept++] = *item;
        }
    }
    cases->nr = kept;
}

/* Sizes at which the untransformed kernel itself fails prove nothing: the run goes on
 * behind them; where it does not end, nothing behind that is tried. */
static int run_small(struct verification *verification, const struct verify_cases *cases,
                     struct error *err)
{
    size_t from = 0, failures = 0;
    double limit_s = limit_of(verification->opts, small_share);

    while (from < cases->nr && failures++ < REFERENCE_FAILURES_MAX) {
        struct strvec args = {0};
        enum run_outcome outcome;
        size_t last;
        int result;

        small_args(cases, from, &args);
        result = run_program(verification, &args, limit_s, &outcome, err);
        strvec_release(&args);
        if (result)
            return -1;
        note_error(verification);
        last = from + verification->lines.case_nr;
        note_done(verification, cases, from,
                  outcome == RUN_OUTCOME_OK || last == from ? last : last - 1);
        if (outcome == RUN_OUTCOME_OK) {
            judge_unstable(verification, cases, from);
            return 0;
        }
        if (last == from || verification->lines.has_reference ||
            outcome == RUN_OUTCOME_INTERRUPTED) {
            judge(verification, outcome,
                  last > from ? cases->item[last - 1].text : "once");
            return 0;
        }
        verification->hung |= outcome == RUN_OUTCOME_TIMED_OUT;
        from = verification->hung ? cases->nr : last;
        for (size_t i = last - 1; i < from; i++)
            note_failing(verification, cases->item[i].text);
    }
    return 0;
}

/* Constants of the variant that its sizes should be tried around. */
static int ask_sizes(const char *program, long long size[VERIFY_EXTRA_MAX], size_t *nr,
                     struct error *err)
{
    const char *const argv[] = {program, "--about", NULL};
    struct spawn_outcome outcome;
    char *at, *end;

    *nr = 0;
    if (spawn_run(&(struct spawn_request){.argv = argv,
                                          .timeout_s = 10,
                                          .account = ACCOUNT_VERIFYING},
                  &outcome, err))
        return -1;
    at = strstr((char *)buf_str(&outcome.out), "sizes ");
    for (at = at ? at + strlen("sizes ") : NULL; at && *nr < VERIFY_EXTRA_MAX; at = end) {
        long long value = strtoll(at, &end, 10);

        if (end == at)
            break;
        size[(*nr)++] = value;
    }
    spawn_outcome_release(&outcome);
    return 0;
}

static int verify_small(struct verification *verification, struct error *err)
{
    struct verify_cases cases = {0};
    long long extra[VERIFY_EXTRA_MAX];
    size_t extra_nr;
    int result = -1;

    if (ask_sizes(verification->program, extra, &extra_nr, err))
        return -1;
    if (verify_cases_make(verification->kernel, extra, extra_nr, small_bytes_max,
                          verification->opts->rests_on, &cases, err) == 0) {
        leave_out_failing(verification, &cases);
        result = run_small(verification, &cases, err);
    }
    verify_cases_release(&cases);
    return result;
}

/* ---- the full size ---- */

/* Every array once, what is written twice. */
static double bytes_needed(const struct kernel *kernel)
{
    double bytes = kernel_bytes(kernel);

    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].is_filled && kernel->buffer[i].written)
            bytes += (double)kernel->buffer[i].length *
                     (double)kernel->buffer[i].symbol->type.bytes;
    return bytes;
}

static void note_full(struct verification *verification)
{
    char *brief = sizes_brief(verification->kernel);

    add_done(verification, brief);
    free(brief);
}

/* The same arguments give the same results of the untransformed kernel. */
static void push_kept(const struct verification *verification, struct strvec *args)
{
    const struct kernel *kernel = verification->kernel;
    struct hash hash = hash_begin();

    if (!verification->opts->kept ||
        bytes_needed(kernel) - kernel_bytes(kernel) > 256 << 20)
        return;
    for (size_t i = 0; i < args->nr; i++)
        hash_text(&hash, args->v[i]);
    char *hex = hash_hex_short(&hash);
    strvec_push(args, "--kept");
    strvec_pushf(args, "%s/kept-%s", verification->opts->kept, hex);
    free(hex);
}

static int verify_full(struct verification *verification, struct error *err)
{
    struct strvec args = {0};
    char *sizes = sizes_text(verification->kernel);
    double need = bytes_needed(verification->kernel);
    enum run_outcome outcome;
    int result = 0;

    if (need > memory_limit(verification->opts)) {
        struct buf why = {0};

        buf_add(&why, "it needs ");
        buf_add_size(&why, need);
        note_skipped(verification, sizes, buf_str(&why));
        buf_release(&why);
        goto out;
    }
    variant_args(verification->kernel, &args);
    push_kept(verification, &args);
    result =
        run_program(verification, &args, limit_of(verification->opts, 1), &outcome, err);
    if (result)
        goto out;
    note_error(verification);
    if (outcome != RUN_OUTCOME_OK)
        judge(verification, outcome, sizes);
    else if (is_unstable(&verification->lines, 0))
        add_unstable(verification, sizes);
    else
        note_full(verification);
out:
    strvec_release(&args);
    free(sizes);
    return result;
}

/* ---- the outward calls ---- */

static void take_small(struct verification *verification,
                       const struct verify_report *small)
{
    verification->report->max_relative_error = small->max_relative_error;
    buf_add(&verification->sizes, small->sizes ? small->sizes : "");
    buf_add(&verification->skipped, small->detail ? small->detail : "");
}

static int begin(struct verification *verification, struct error *err)
{
    *verification->report = (struct verify_report){
        .outcome = RUN_OUTCOME_OK, .tolerance = verify_tolerance(verification->opts)};
    if (verification->opts->small)
        take_small(verification, verification->opts->small);
    if (verification->opts->scratch) {
        verification->scratch = xstrdup(verification->opts->scratch);
        return dir_make_all(verification->scratch, err);
    }
    if (scratch_make(&verification->made, err))
        return -1;
    verification->scratch = xstrdup(verification->made);
    return 0;
}

static void end(struct verification *verification, int result)
{
    struct verify_report *report = verification->report;

    if (verification->failing.length)
        note_skipped(verification, buf_str(&verification->failing),
                     verification->hung
                         ? "the original itself fails or does not end there, or at a "
                           "size before"
                         : "the original itself fails there");
    if (verification->unstable.length)
        note_skipped(verification, buf_str(&verification->unstable),
                     "the original's own results change there with the last digits "
                     "of its inputs");
    if (report->outcome == RUN_OUTCOME_OK && verification->skipped.length)
        report->detail = buf_detach(&verification->skipped);
    report->sizes = buf_detach(&verification->sizes);
    if (result)
        verify_report_release(report);
    verify_lines_release(&verification->lines);
    free(verification->crash);
    free(verification->scratch);
    if (verification->made)
        scratch_remove(verification->made);
    buf_release(&verification->skipped);
    buf_release(&verification->failing);
    buf_release(&verification->unstable);
}

/* Nothing could be made smaller, and it is small enough. */
static bool is_only_full(const struct verification *verification)
{
    return !verification->sizes.length && !verification->failing.length &&
           bytes_needed(verification->kernel) <= small_bytes_max;
}

int variant_verify(struct kernel *kernel, const char *program,
                   const struct verify_opts *opts, struct verify_report *report,
                   struct error *err)
{
    struct verification verification = {
        .kernel = kernel, .program = program, .opts = opts, .report = report};
    int result = begin(&verification, err);

    if (result == 0 && !opts->small)
        result = verify_small(&verification, err);
    if (result == 0 && report->outcome == RUN_OUTCOME_OK &&
        (!opts->small_only || is_only_full(&verification)))
        result = verify_full(&verification, err);
    end(&verification, result);
    return result;
}

/* ---- the untransformed kernel ---- */

static const char denormal[] = "denormal";

static const char *array_to_set(const struct kernel *kernel, const char *otherwise)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].kind == 'f' && kernel->buffer[i].read)
            return kernel->buffer[i].symbol->name;
    return otherwise;
}

/* Then its numbers are those that the program computes with. */
static bool is_captured(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].contents.captured)
            return true;
    return false;
}

static int check_oddity(const struct verification *verification, struct error *err)
{
    const struct verify_lines *lines = &verification->lines;
    const struct kernel *kernel = verification->kernel;

    if (!lines->odd)
        return 0;
    if (strcmp(lines->odd_kind, denormal) == 0 && is_captured(kernel))
        return 0;
    return fail(err, STATUS_INPUT,
                "%s results of '%s' in '%s' are %s, which makes its speed unlike that of "
                "real data; set better contents, such as `#pragma inflight buffer %s = "
                "uniform(0.5,1.5)`",
                lines->odd_count, kernel->function->name, lines->odd, lines->odd_kind,
                array_to_set(kernel, lines->odd));
}

static int check_proof(const struct verification *verification, struct error *err)
{
    const struct verify_report *report = verification->report;
    const char *name = verification->kernel->function->name;

    switch (report->outcome) {
    case RUN_OUTCOME_OK:
        return check_oddity(verification, err);
    case RUN_OUTCOME_INTERRUPTED:
        return fail(err, STATUS_FAILED, "interrupted");
    case RUN_OUTCOME_TIMED_OUT:
        return fail(err, STATUS_UNVERIFIABLE, "'%s' as written %s%s", name,
                    report->detail,
                    verification->opts->end_s > 0
                        ? "; --budget gives it more time, smaller sizes (--set) need less"
                        : "");
    case RUN_OUTCOME_OUT_OF_MEMORY:
        return fail(err, STATUS_MISSING, "'%s' cannot be run: %s", name, report->detail);
    case RUN_OUTCOME_WRONG_RESULT:
        if (verification->lines.outside)
            return fail(err, STATUS_UNVERIFIABLE, "'%s' cannot be verified: %s", name,
                        report->detail);
        return fail(err, STATUS_UNVERIFIABLE,
                    "'%s' gives different results when it is called again with the same "
                    "arguments: %s",
                    name, report->detail);
    default:
        return fail(err, STATUS_UNVERIFIABLE, "'%s' cannot be verified: %s", name,
                    report->detail);
    }
}

static int build_original(struct kernel *kernel, const struct toolchain *toolchain,
                          const char *dir, char **program, struct error *err)
{
    struct plan *plan = NULL;
    int result = plan_parse("", &plan, err);

    *program = NULL;
    if (result == 0)
        result =
            variant_build(kernel, plan, toolchain, VARIANT_VERIFY, dir, program, err);
    plan_free(plan);
    return result;
}

/* With the contents of now. `odd`: results hold what no real data would. */
static int prove(struct kernel *kernel, const char *program,
                 const struct verify_opts *opts, struct verify_proof *proof, bool *odd,
                 struct error *err)
{
    struct verify_report report;
    struct verification verification = {.kernel = kernel,
                                        .program = program,
                                        .opts = opts,
                                        .report = &report,
                                        .mode = "--against-itself"};
    double began_s = clock_s();
    int result = begin(&verification, err);

    if (result == 0)
        result = verify_small(&verification, err);
    proof->small_s = clock_s() - began_s;
    verification.mode = "--reference-only"; /* a second call would show nothing new */
    if (result == 0 && report.outcome == RUN_OUTCOME_OK && !opts->small_only) {
        began_s = clock_s();
        result = verify_full(&verification, err);
        proof->call_s = verification.lines.took_s;
        proof->full_s = clock_s() - began_s;
    }
    *odd = result == 0 && report.outcome == RUN_OUTCOME_OK && verification.lines.odd;
    if (result == 0)
        result = check_proof(&verification, err);
    end(&verification, result);
    if (result == 0)
        verify_report_release(&report);
    return result;
}

int kernel_prove(struct kernel *kernel, const struct toolchain *toolchain,
                 const char *dir, const struct verify_opts *opts,
                 struct verify_proof *proof, struct error *err)
{
    struct error first = {0};
    char *program;
    bool odd, changed = false;
    double began_s = clock_s();
    int result;

    *proof = (struct verify_proof){0};
    if (build_original(kernel, toolchain, dir, &program, err))
        return -1;
    proof->build_s = clock_s() - began_s;
    result = prove(kernel, program, opts, proof, &odd, &first);
    while (result && odd && kernel_steady(kernel, NULL)) {
        changed = true;
        result = prove(kernel, program, opts, proof, &odd, NULL);
    }
    if (changed && kernel_steady_end(kernel, result == 0, err))
        result = -1;
    else if (result)
        fail(err, first.status, "%s", first.text);
    free(program);
    return result;
}

enum { WORDS_MAX = 6 };

static void forget_case(struct verify_lines *lines)
{
    char **const texts[] = {&lines->outside,  &lines->differ,    &lines->index,
                            &lines->want,     &lines->got,       &lines->odd,
                            &lines->odd_kind, &lines->odd_count, &lines->fault};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
    lines->has_reference = lines->is_unstable = false;
}

void verify_lines_release(struct verify_lines *lines)
{
    char *const texts[] = {lines->unstable.differ, lines->unstable.index,
                           lines->unstable.want, lines->unstable.got};

    forget_case(lines);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        free(texts[i]);
    free(lines->unstable.item);
    *lines = (struct verify_lines){0};
}

/* The first one of a case counts. */
static void keep(char **to, const char *text)
{
    if (!*to)
        *to = xstrdup(text);
}

static void read_sanitizer(struct verify_lines *lines, char *const *word)
{
    (void)word;
    lines->has_sanitizer = true;
}

static void read_case(struct verify_lines *lines, char *const *word)
{
    (void)word;
    forget_case(lines);
    lines->case_nr++;
}

static void read_unstable(struct verify_lines *lines, char *const *word)
{
    (void)word;
    GROW(lines->unstable.item, lines->unstable.nr + 1, lines->unstable.alloc);
    lines->unstable.item[lines->unstable.nr++] = lines->case_nr - 1;
    lines->is_unstable = true;
}

static void read_reference(struct verify_lines *lines, char *const *word)
{
    (void)word;
    lines->has_reference = true;
}

static void read_done(struct verify_lines *lines, char *const *word)
{
    (void)word;
    lines->is_done = true;
}

static void read_array(struct verify_lines *lines, char *const *word)
{
    double relative = strtod(word[3], NULL);

    if (relative > lines->relative && !lines->is_unstable)
        lines->relative = relative;
}

static void read_took(struct verify_lines *lines, char *const *word)
{
    lines->took_s = strtod(word[1], NULL);
}

static void read_outside(struct verify_lines *lines, char *const *word)
{
    keep(&lines->outside, word[1]);
}

static void read_fault(struct verify_lines *lines, char *const *word)
{
    if (!lines->fault)
        lines->fault = xasprintf(strcmp(word[3], "outside") == 0
                                     ? "touches %s[%s], which is outside of it"
                                     : "writes %s[%s], which it may only read",
                                 word[1], word[2]);
}

static void read_differ(struct verify_lines *lines, char *const *word)
{
    bool aside = lines->is_unstable;

    if (aside && (lines->unstable.nr > 1 || lines->unstable.differ))
        return;
    keep(aside ? &lines->unstable.differ : &lines->differ, word[1]);
    keep(aside ? &lines->unstable.index : &lines->index, word[2]);
    keep(aside ? &lines->unstable.want : &lines->want, word[3]);
    keep(aside ? &lines->unstable.got : &lines->got, word[4]);
}

static void read_odd(struct verify_lines *lines, char *const *word)
{
    static const struct {
        const char *word, *text;
    } kinds[] = {{"nan", "NaN"}, {"inf", "infinite"}, {"denormal", denormal}};

    /* The others are worse. */
    if (lines->odd_kind && strcmp(lines->odd_kind, denormal) == 0) {
        free(lines->odd_kind);
        free(lines->odd);
        free(lines->odd_count);
        lines->odd_kind = lines->odd = lines->odd_count = NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].word, word[2]) == 0)
            keep(&lines->odd_kind, kinds[i].text);
    keep(&lines->odd, word[1]);
    keep(&lines->odd_count, word[3]);
}

static const struct {
    const char *key;
    size_t word_nr; /* with the key */
    void (*read)(struct verify_lines *lines, char *const *word);
} kinds[] = {
    {"case", 2, read_case},         {"reference", 1, read_reference},
    {"took", 2, read_took},         {"array", 5, read_array},
    {"outside", 2, read_outside},   {"odd", 4, read_odd},
    {"differ", 5, read_differ},     {"fault", 4, read_fault},
    {"done", 1, read_done},         {"sanitizer", 1, read_sanitizer},
    {"unstable", 1, read_unstable},
};

static void read_line(struct verify_lines *lines, const char *line, size_t length)
{
    char *text = xstrndup(line, length);
    struct strvec words = {0};

    strvec_split(&words, text);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (words.nr == kinds[i].word_nr && strcmp(words.v[0], kinds[i].key) == 0)
            kinds[i].read(lines, words.v);
    strvec_release(&words);
    free(text);
}

void verify_lines_read(const char *path, struct verify_lines *lines)
{
    struct buf text = {0};

    *lines = (struct verify_lines){0};
    if (file_read(path, &text, NULL) == 0)
        for (const char *at = buf_str(&text), *end; (end = strchr(at, '\n'));
             at = end + 1)
            read_line(lines, at, (size_t)(end - at));
    buf_release(&text);
}
