/*
 * Variants of scaled.c that are broken in every way that the environment variable
 * FAULT_KIND names; right without it. For bench/faults and the suite variants_faults.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void wild_write(int n, double *a)
{
    a[n + 1000000000L] = 1;
}

static void write_beside(int n, double *a)
{
    volatile double *at = a;

    at[-1] = 1;
    (void)n;
}

static void hang(int n, double *a)
{
    (void)n;
    (void)a;
    for (volatile int i = 0;; i++)
        ;
}

/* A few at most: calls are many. Every second child leaves the session, every third has a
 * child of its own. */
static void leave_children(int n, double *a)
{
    static int made;

    (void)n;
    (void)a;
    for (; made < 12; made++) {
        if (fork() != 0)
            continue;
        if (made % 2 == 0)
            setsid();
        if (made % 3 == 0 && fork() == 0)
            setsid();
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        for (;;)
            pause();
    }
}

static void end_by_abort(int n, double *a)
{
    (void)n;
    (void)a;
    abort();
}

static void end_by_exit(int n, double *a)
{
    (void)n;
    (void)a;
    exit(0);
}

static int deeper(volatile char *above, int depth)
{
    volatile char here[4096];

    here[0] = above[0];
    here[4095] = (char)depth;
    return deeper(here, depth + 1) + here[4095];
}

static void overflow_stack(int n, double *a)
{
    char first[1] = {1};

    (void)n;
    a[0] = deeper(first, 0);
}

/* Does not look at what it gets, as most do. */
static void hog_memory(int n, double *a)
{
    (void)n;
    for (;;) {
        char *volatile block = malloc((size_t)16 << 20);

        block[0] = 1;
        a[0] = block[0];
    }
}

static void close_from(int first)
{
    for (int i = first; i < 1024; i++)
        close(i);
}

static void close_streams(int n, double *a)
{
    (void)n;
    (void)a;
    close(0);
    close(1);
    close(2);
}

static void close_everything(int n, double *a)
{
    (void)n;
    (void)a;
    close_from(0);
}

static void write_into_everything(int n, double *a)
{
    (void)n;
    (void)a;
    for (int i = 3; i < 64; i++)
        if (write(i, "sample 1e-9 1\nhello\n", 20) < 0)
            continue;
}

static void print_megabytes(int n, double *a)
{
    static int done;
    char line[1024];

    (void)n;
    (void)a;
    memset(line, 'x', sizeof(line));
    line[1023] = '\n';
    for (; done < 8000; done++)
        if (write(1 + done % 2, line, sizeof(line)) < 0)
            return;
}

static void raise_stop(int n, double *a)
{
    (void)n;
    (void)a;
    raise(SIGSTOP);
}

static void raise_user(int n, double *a)
{
    (void)n;
    (void)a;
    raise(SIGUSR1);
}

static void raise_kill(int n, double *a)
{
    (void)n;
    (void)a;
    raise(SIGKILL);
}

static void hang_deaf(int n, double *a)
{
    for (int i = 1; i < 32; i++)
        signal(i, SIG_IGN);
    hang(n, a);
}

static void be_wrong(int n, double *a)
{
    a[n - 1] += 1;
}

static const struct {
    const char *kind;
    void (*act)(int n, double *a);
} deeds[] = {
    {"wild write", wild_write},
    {"write beside an array", write_beside},
    {"infinite loop", hang},
    {"fork", leave_children},
    {"abort", end_by_abort},
    {"exit(0) early", end_by_exit},
    {"stack overflow", overflow_stack},
    {"memory hog", hog_memory},
    {"closes stdout", close_streams},
    {"closes our descriptors", close_everything},
    {"writes to our descriptors", write_into_everything},
    {"prints megabytes", print_megabytes},
    {"raises SIGSTOP", raise_stop},
    {"raises SIGUSR1", raise_user},
    {"raises SIGKILL", raise_kill},
    {"ignores SIGTERM", hang_deaf},
    {"wrong result", be_wrong},
};

void scaled(int n, double a[n], const double b[n])
{
    const char *kind = getenv("FAULT_KIND");

    for (int i = 0; i < n; i++)
        a[i] = 2.0 * b[i];
    for (size_t i = 0; kind && i < sizeof(deeds) / sizeof(deeds[0]); i++)
        if (strcmp(deeds[i].kind, kind) == 0)
            deeds[i].act(n, a);
}
