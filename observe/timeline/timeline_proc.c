/*
 * /proc of a tree of processes. What has ended and was waited for stands in its parent's
 * figures; so sums over those that live only grow, provided that nobody ends while they
 * are read: then they are read again.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/timeline/timeline_source.h"

#define FIGURE_MAP(X)                                                                    \
    X(CPU, "proc:::cpu")                                                                 \
    X(FAULTS, "proc:::faults")                                                           \
    X(MAJOR_FAULTS, "proc:::major_faults")                                               \
    X(THREADS, "proc:::threads")                                                         \
    X(PROCESSES, "proc:::processes")                                                     \
    X(RESIDENT, "proc:::resident")                                                       \
    X(READ, "proc:::read")                                                               \
    X(WRITTEN, "proc:::written")                                                         \
    X(STORAGE_READ, "proc:::storage_read")                                               \
    X(STORAGE_WRITTEN, "proc:::storage_written")

enum figure {
#define X(name, word) FIGURE_##name,
    FIGURE_MAP(X)
#undef X
        FIGURE_NR
};

static const char *const names[] = {
#define X(name, word) [FIGURE_##name] = word,
    FIGURE_MAP(X)
#undef X
};

/* The tree is looked for anew this often, and when somebody is gone. */
static const double look_s = 0.05;

struct tree {
    size_t event[FIGURE_NR]; /* of the time line; -1 = not wanted */
    bool input_output;       /* some figure needs /proc/PID/io */
    pid_t *pid;
    size_t nr, alloc;
    double looked_s;
    double page_bytes, tick_s;
};

/*
 * The tree.
 */

/* The beginning of a small file; false when it cannot be read. */
static bool read_small(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, room - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static void add_children_of_thread(struct tree *tree, pid_t pid, const char *thread)
{
    char *path = xasprintf("/proc/%d/task/%s/children", (int)pid, thread), *at, *end;
    struct buf text = {0};

    if (file_read(path, &text, NULL) == 0)
        for (at = text.data; at && (tree->nr < (size_t)1 << 20); at = end) {
            long child = strtol(at, &end, 10);

            if (end == at)
                break;
            GROW(tree->pid, tree->nr + 1, tree->alloc);
            tree->pid[tree->nr++] = (pid_t)child;
        }
    buf_release(&text);
    free(path);
}

static void add_children(struct tree *tree, pid_t pid)
{
    char *path = xasprintf("/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    struct dirent *task;

    free(path);
    while (tasks && (task = readdir(tasks)) != NULL)
        if (isdigit((unsigned char)task->d_name[0]))
            add_children_of_thread(tree, pid, task->d_name);
    if (tasks)
        closedir(tasks);
}

/* Our descendants; those whose parents have ended come to us (orphans.h). */
static void look(struct tree *tree)
{
    tree->nr = 0;
    add_children(tree, getpid());
    for (size_t i = 0; i < tree->nr; i++)
        add_children(tree, tree->pid[i]);
    tree->looked_s = clock_s();
}

/*
 * Figures.
 */

/* /proc/PID/stat from the field behind the name on; proc(5) numbers them from 3. */
static bool add_stat(const struct tree *tree, pid_t pid, double *sum)
{
    enum { minflt = 10, cminflt, majflt, cmajflt, utime, stime, cutime, cstime };
    enum { threads = 20, rss = 24, fields = 25 };
    char path[64], text[1024], *at;
    double field[fields] = {0};

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!read_small(path, text, sizeof(text)) || !(at = strrchr(text, ')')))
        return false;
    at += 3; /* ") S" */
    for (int i = 4; i < fields && *at; i++)
        field[i] = strtod(at, &at);
    sum[FIGURE_CPU] +=
        tree->tick_s * (field[utime] + field[stime] + field[cutime] + field[cstime]);
    sum[FIGURE_FAULTS] += field[minflt] + field[cminflt] + field[majflt] + field[cmajflt];
    sum[FIGURE_MAJOR_FAULTS] += field[majflt] + field[cmajflt];
    sum[FIGURE_THREADS] += field[threads];
    sum[FIGURE_RESIDENT] += tree->page_bytes * field[rss];
    sum[FIGURE_PROCESSES]++;
    return true;
}

/* Of a program with other rights (setuid) it cannot be read. */
static bool add_io(pid_t pid, double *sum)
{
    static const struct {
        const char *key;
        enum figure figure;
    } lines[] = {{"rchar: ", FIGURE_READ},
                 {"wchar: ", FIGURE_WRITTEN},
                 {"\nread_bytes: ", FIGURE_STORAGE_READ},
                 {"\nwrite_bytes: ", FIGURE_STORAGE_WRITTEN}};
    char path[64], text[512];

    snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
    if (!read_small(path, text, sizeof(text)))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const char *at = strstr(text, lines[i].key);

        if (at)
            sum[lines[i].figure] += strtod(at + strlen(lines[i].key), NULL);
    }
    return true;
}

/* False when somebody has gone; a figure that cannot be read becomes NaN. */
static bool add_all(const struct tree *tree, double *sum)
{
    memset(sum, 0, FIGURE_NR * sizeof(*sum));
    for (size_t i = 0; i < tree->nr; i++) {
        if (!add_stat(tree, tree->pid[i], sum))
            return false;
        if (tree->input_output && !add_io(tree->pid[i], sum))
            for (size_t k = FIGURE_READ; k < FIGURE_NR; k++)
                sum[k] = NAN;
    }
    return tree->nr > 0;
}

static int read_tree(void *self, bool ended, struct timeline_readings *readings,
                     struct error *err)
{
    struct tree *tree = self;
    double sum[FIGURE_NR] = {0};
    bool known = readings->at_s <= 0; /* nothing has begun: 0 of everything */

    (void)err;
    if (!known && !ended && clock_s() - tree->looked_s > look_s)
        look(tree);
    for (int tries = 0; !known && !ended && tries < 3; tries++) {
        known = add_all(tree, sum);
        if (!known)
            look(tree);
    }
    for (size_t i = 0; known && i < FIGURE_NR; i++)
        if (tree->event[i] != (size_t)-1 && !isnan(sum[i]))
            timeline_readings_set(readings, tree->event[i], sum[i]);
    return 0;
}

static void close_tree(void *self)
{
    struct tree *tree = self;

    free(tree->pid);
    free(tree);
}

static size_t figure_of(const char *event)
{
    size_t i = 0;

    while (i < FIGURE_NR && strcmp(names[i], event) != 0)
        i++;
    return i;
}

bool timeline_proc_knows(const char *event)
{
    return figure_of(event) < FIGURE_NR;
}

void timeline_proc_open(const struct timeline_wish *const *wish, size_t nr,
                        struct timeline_readings *readings,
                        struct timeline_source *source)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));

    tree->page_bytes = (double)sysconf(_SC_PAGESIZE);
    tree->tick_s = 1 / (double)sysconf(_SC_CLK_TCK);
    for (size_t i = 0; i < FIGURE_NR; i++)
        tree->event[i] = (size_t)-1;
    for (size_t i = 0; i < nr; i++) {
        size_t figure = figure_of(wish[i]->event.name);

        tree->event[figure] = timeline_readings_add(readings, &wish[i]->event);
        tree->input_output = tree->input_output || figure >= FIGURE_READ;
    }
    *source = (struct timeline_source){tree, read_tree, close_tree, false};
}
