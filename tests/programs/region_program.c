/* What test_marks.c runs: a program with markers, in one of several ways. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regions/inflight.h"

enum { rounds = 100 };

static void nested(void)
{
    for (int i = 0; i < rounds; i++) {
        inflight_region_begin("step");
        for (int k = 0; k < 2; k++) {
            inflight_region_begin("sweep");
            inflight_region_bytes("sweep", 60, 4);
            inflight_region_bytes(NULL, 4, 0);
            inflight_region_access("sweep", 0.25);
            inflight_region_end("sweep");
        }
        inflight_region_bytes("step", 0, 8);
        inflight_region_end("step");
    }
}

static void *in_thread(void *open)
{
    nested();
    if (open)
        inflight_region_begin("left by its thread");
    return NULL;
}

/* One after the other share a lane, at once they do not. */
static void threads(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, in_thread, i ? NULL : thread);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    pthread_create(thread, NULL, in_thread, NULL);
    pthread_join(*thread, NULL);
}

static void recursion(int depth)
{
    inflight_region_begin("again");
    if (depth > 1)
        recursion(depth - 1);
    inflight_region_end("again");
}

static void mistakes(void)
{
    static char name[400];
    inflight_region_end("never begun");
    inflight_region_begin("outer");
    inflight_region_begin("crossing");
    inflight_region_end("outer");
    inflight_region_end("crossing");
    inflight_region_begin("outer");
    inflight_region_begin("forgotten");
    inflight_region_end("outer");
    inflight_region_bytes("outer", 1, 1);
    inflight_region_begin("outer");
    inflight_region_bytes("outer", -1, 1);
    inflight_region_access("outer", 1.5);
    inflight_region_end("outer");
    inflight_region_begin(NULL);
    inflight_region_end(NULL);
    memset(name, 'n', sizeof(name) - 1);
    inflight_region_begin(name);
    inflight_region_end(name);
    inflight_region_begin("a \"name\"\n\xff");
}

static void too_many(void)
{
    char name[32];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "region %d", i);
        inflight_region_begin(name);
        inflight_region_end(name);
    }
    for (int i = 0; i < 70; i++)
        inflight_region_begin("region 0");
    for (int i = 0; i < 70; i++)
        inflight_region_end("region 0");
    inflight_region_begin("region 1");
    inflight_region_end("region 1");
}

/* The child goes on in the region that it was born in. */
static void forked(void)
{
    nested();
    inflight_region_begin("around fork");
    pid_t child = fork();
    nested();
    if (!child && !fork()) {
        nested();
        inflight_region_end("around fork");
        exit(0);
    }
    while (wait(NULL) > 0)
        ;
    inflight_region_end("around fork");
    if (!child)
        _exit(0);
}

static void killed(void)
{
    nested();
    inflight_region_begin("the last");
    inflight_region_begin("word");
    raise(SIGKILL);
}

/* Long enough for the system to be asked. */
static void pages(void)
{
    size_t bytes = (size_t)32 << 20;
    inflight_region_begin("touch");
    char *memory = malloc(bytes);
    for (size_t i = 0; memory && i < bytes; i += 4096)
        ((volatile char *)memory)[i] = 1;
    inflight_region_end("touch");
    free(memory);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } way[] = {{"nested", nested},     {"threads", threads}, {"mistakes", mistakes},
               {"too_many", too_many}, {"forked", forked},   {"killed", killed},
               {"pages", pages}};
    for (size_t i = 0; argc > 1 && i < sizeof(way) / sizeof(*way); i++)
        if (!strcmp(argv[1], way[i].name))
            way[i].run();
    if (argc > 1 && !strcmp(argv[1], "recursion"))
        recursion(5);
    return 0;
}
