/* Programs that are built ahead, with compilers that count how often they are asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"
#include "variants/verify/verify.h"

SUITE(variants_queue);

/* A compiler of our own: a line into its log for each call, then `script`, then the real
 * one ("exec gcc $@"). */
struct counted {
    struct toolchain toolchain;
    char *path, *log, *dir;
};

static bool counted_make(const char *name, const char *script, struct counted *out)
{
    const struct toolchain *real;
    struct error err = {0};

    *out = (struct counted){0};
    if (fixture_toolchains(&real) == 0)
        return false;
    out->dir = path_join(fixture_dir(), name);
    check_ok(dir_make_all(out->dir, &err), &err);
    out->log = path_join(out->dir, "log");
    char *text = xasprintf("#!/bin/sh\necho called >> '%s'\n%s\nexec %s \"$@\"\n",
                           out->log, script, real[0].compiler);
    char *file = xasprintf("%s.sh", name);
    out->path = fixture_file(file, text);
    chmod(out->path, 0755);
    out->toolchain = real[0];
    out->toolchain.compiler = out->path;
    free(file);
    free(text);
    return true;
}

static void counted_drop(struct counted *counted)
{
    free(counted->path);
    free(counted->log);
    free(counted->dir);
}

static size_t calls_of(const struct counted *counted)
{
    struct buf text = {0};
    size_t calls = 0;

    if (file_exists(counted->log))
        file_read(counted->log, &text, NULL);
    for (size_t i = 0; i < text.length; i++)
        calls += text.data[i] == '\n';
    buf_release(&text);
    return calls;
}

/* What verifies it, and its library. */
static int build(struct kernel *kernel, const char *plan_words,
                 const struct toolchain *toolchain, const char *dir, char *path[2],
                 struct error *err)
{
    struct plan *plan = NULL;
    int status = plan_parse(plan_words, &plan, err);
    const struct variant_side side = {.plan = plan};

    path[0] = path[1] = NULL;
    if (!status)
        status =
            variant_build(kernel, plan, toolchain, VARIANT_VERIFY, dir, &path[0], err);
    if (!status)
        status = variant_build_library(kernel, &side, toolchain, dir, &path[1], err);
    plan_free(plan);
    return status;
}

static void forget(char *path[2])
{
    free(path[0]);
    free(path[1]);
}

static const char *const plans[] = {"", "unroll(i:2)", "unroll(i:4)"};

/* The same names with and without the queue; nothing is compiled twice, nothing later. */
TEST("what was built ahead is there")
{
    struct counted counted;
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct variant_queue *queue = variant_queue_new();
    struct error err = {0};

    if (counted_make("ahead", "", &counted) && kernel) {
        struct toolchain later = counted.toolchain;
        char *ahead[ARRAY_SIZE(plans)][2], *now[2];

        later.queue = queue;
        for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
            check_ok(build(kernel, plans[i], &later, counted.dir, ahead[i], &err), &err);
        check_ok(variant_queue_build(queue, &err), &err);
        size_t calls = calls_of(&counted);
        check(calls > 10);
        for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
            struct verify_report report = {0};

            check_ok(build(kernel, plans[i], &counted.toolchain, counted.dir, now, &err),
                     &err);
            check_str(now[0], ahead[i][0]);
            check_str(now[1], ahead[i][1]);
            check_ok(variant_verify(kernel, now[0],
                                    &(struct verify_opts){.cpu = -1, .small_only = true},
                                    &report, &err),
                     &err);
            check_eq(report.outcome, RUN_OUTCOME_OK);
            verify_report_release(&report);
            forget(now);
            forget(ahead[i]);
        }
        check_eq(calls_of(&counted), calls);
    }
    variant_queue_free(queue);
    kernel_free(kernel);
    counted_drop(&counted);
}

/* Asks ahead, then at once; what the second says. */
static void ask_twice(const char *name, const char *script, struct error *err,
                      size_t calls[2])
{
    struct counted counted;
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct variant_queue *queue = variant_queue_new();
    char *path[2];

    if (counted_make(name, script, &counted) && kernel) {
        struct toolchain later = counted.toolchain;

        later.queue = queue;
        /* what was refused while the next file was written is refused */
        build(kernel, "unroll(i:2)", &later, counted.dir, path, err);
        *err = (struct error){0};
        forget(path);
        check_ok(variant_queue_build(queue, err), err);
        calls[0] = calls_of(&counted);
        check_eq(build(kernel, "unroll(i:2)", &counted.toolchain, counted.dir, path, err),
                 -1);
        forget(path);
        calls[1] = calls_of(&counted);
    }
    variant_queue_free(queue);
    kernel_free(kernel);
    counted_drop(&counted);
}

TEST("a refusal is asked for once")
{
    struct error err = {0};
    size_t calls[2] = {0, 0};

    ask_twice("refuses",
              "case \"$*\" in *variant-*) echo 'error: not this one' >&2; exit 1;; esac",
              &err, calls);
    check(calls[0] > 2);
    check_eq(calls[1], calls[0]);
    check_eq(err.status, STATUS_FAILED);
    check_contains(err.text, "refuses the kernel: error: not this one");
}

/* Alone it may have what it needs. */
TEST("want of memory is no refusal")
{
    struct error err = {0};
    size_t calls[2] = {0, 0};

    ask_twice("hungry",
              "case \"$*\" in *variant-*) echo 'cc1: out of memory' >&2; exit 1;; esac",
              &err, calls);
    check_eq(calls[1], calls[0] + 1);
    check_contains(err.text, "out of memory");
}

TEST("a crash is no refusal")
{
    struct error err = {0};
    size_t calls[2] = {0, 0};

    ask_twice("crashes", "case \"$*\" in *variant-*) kill -SEGV $$;; esac", &err, calls);
    check_eq(calls[1], calls[0] + 1);
}

TEST("the end of the budget is no refusal")
{
    struct counted counted;
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct variant_queue *queue = variant_queue_new();
    struct error err = {0};
    char *ahead[2], *late[2], *now[2];

    if (counted_make("late", "case \"$*\" in *variant-*) sleep 1;; esac", &counted) &&
        kernel) {
        struct toolchain later = counted.toolchain;

        later.queue = queue;
        check_ok(build(kernel, "unroll(i:2)", &later, counted.dir, ahead, &err), &err);
        spawn_end_at(clock_s());
        check_ok(variant_queue_build(queue, &err), &err);
        check_eq(
            build(kernel, "unroll(i:4)", &counted.toolchain, counted.dir, late, &err),
            -1);
        check_contains(err.text, "the time was up before");
        spawn_end_at(0);
        err = (struct error){0};
        check_ok(build(kernel, "unroll(i:2)", &counted.toolchain, counted.dir, now, &err),
                 &err);
        forget(now);
        forget(late);
        forget(ahead);
    }
    variant_queue_free(queue);
    kernel_free(kernel);
    counted_drop(&counted);
}

TEST("compilers have a limit of memory")
{
    struct error err = {0};
    size_t calls[2] = {0, 0};

    ask_twice("limited", "sleep 0.05\necho \"error: limit $(ulimit -v)\" >&2\nexit 1",
              &err, calls);
    check_contains(err.text, "error: limit ");
    check(!strstr(err.text, "unlimited"));
}

/* In a child of ours: the flag cannot be taken back. */
static void interrupted_in_child(FILE *out)
{
    struct counted counted;
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct variant_queue *queue = variant_queue_new();
    struct error err = {0};
    char *path[2] = {NULL, NULL};

    spawn_catch_interrupt();
    if (counted_make("interrupted", "kill -INT $PPID\nsleep 20", &counted) && kernel) {
        struct toolchain later = counted.toolchain;

        later.queue = queue;
        build(kernel, "unroll(i:2)", &later, counted.dir, path, &err);
        int status = variant_queue_build(queue, &err);
        fprintf(out, "%d, %s, program %s, %s", status,
                spawn_interrupted() ? "interrupted" : "not interrupted",
                file_exists(path[0]) ? "there" : "missing",
                calls_of(&counted) <= variant_queue_processors() ? "no more were started"
                                                                 : "more were started");
    }
    fflush(out);
    _exit(0);
}

TEST("an interrupt ends the compilers")
{
    FILE *out = tmpfile();
    char text[200] = "";
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        interrupted_in_child(out);
    waitpid(child, &status, 0);
    rewind(out);
    text[fread(text, 1, sizeof(text) - 1, out)] = 0;
    check_str(text, "0, interrupted, program missing, no more were started");
    fclose(out);
}
