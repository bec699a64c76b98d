/* Software-defined events of the program, as libinflight_watch.so publishes them. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/timeline/timeline_source.h"
#include "observe/timeline/timeline_watch.h"

struct inside {
    struct watch *watch;
    char *dir; /* of the file, and of the object under a name without spaces */
    struct timeline_wish *wish; /* patterns; words borrowed from the caller's */
    size_t wish_nr;
    double start_s;
    /* events of the time line that were found */
    struct found {
        char *name;
        size_t event;
    } * found;
    size_t found_nr, found_alloc;
    bool thread_reported, left_out_reported, full_reported;
    struct watch_process copy;
};

/*
 * Reading.
 */

/* A place as it was at one moment; false if there was none. */
static bool copy_place(const struct watch_process *place, struct watch_process *copy)
{
    for (int tries = 0; tries < 1000; tries++) {
        uint32_t before = __atomic_load_n(&place->sequence, __ATOMIC_SEQ_CST);

        if (before & 1)
            continue;
        memcpy(copy, place, sizeof(*copy));
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (__atomic_load_n(&place->sequence, __ATOMIC_SEQ_CST) == before)
            return copy->at_ns > 0 && copy->event_nr <= WATCH_EVENTS;
    }
    return false;
}

static const struct timeline_wish *wish_for(const struct inside *inside, const char *name)
{
    for (size_t i = 0; i < inside->wish_nr; i++)
        if (fnmatch(inside->wish[i].event.name, name, 0) == 0)
            return &inside->wish[i];
    return NULL;
}

/* The last part of a name, 20 columns at most. */
static char *short_label(const char *name)
{
    const char *last = name, *at = name;

    while ((at = strstr(at, "::")) != NULL)
        last = at += 2;
    return xstrndup(last + strspn(last, ":"), 20);
}

static bool find_event(struct inside *inside, const struct watch_event *event,
                       struct timeline_readings *readings, size_t *place)
{
    char *name = xasprintf("sde:::%s", event->name);
    const struct timeline_wish *wish;
    size_t i = 0;

    while (i < inside->found_nr && strcmp(inside->found[i].name, name) != 0)
        i++;
    if (i == inside->found_nr && (wish = wish_for(inside, name)) != NULL) {
        struct timeline_event added = wish->event;
        char *label = short_label(name);

        added.name = name;
        added.label = label;
        added.kind = event->level ? TIMELINE_LEVEL : TIMELINE_COUNT;
        added.gauge = event->level; /* of what it is a level, nobody says */
        added.unit = event->level ? (char[]){""} : (char[]){"/s"};
        GROW(inside->found, inside->found_nr + 1, inside->found_alloc);
        inside->found[inside->found_nr++] =
            (struct found){xstrdup(name), timeline_readings_add(readings, &added)};
        free(label);
    }
    free(name);
    if (i < inside->found_nr)
        *place = inside->found[i].event;
    return i < inside->found_nr;
}

/* Counts of several processes add up; of a level their mean is taken (`share` holds how
 * many there are until `finish`). */
static void add_event(const struct watch_event *event, double at_s,
                      struct timeline_reading *reading, bool level)
{
    double of = reading->known ? reading->share : 0;

    reading->value = level ? (reading->value * of + event->value) / (of + 1)
                           : reading->value + event->value;
    reading->at_s = reading->known ? fmax(reading->at_s, at_s) : at_s;
    reading->share = of + 1;
    reading->known = true;
}

static void add_place(struct inside *inside, struct timeline_readings *readings)
{
    const struct watch_process *copy = &inside->copy;
    double at_s = (double)copy->at_ns * 1e-9 - inside->start_s;

    for (size_t i = 0; i < copy->event_nr; i++) {
        size_t place;

        if (copy->event[i].known && find_event(inside, &copy->event[i], readings, &place))
            add_event(&copy->event[i], at_s, &readings->v[place],
                      readings->timeline->event[place].kind == TIMELINE_LEVEL);
    }
    if (!inside->thread_reported) {
        inside->thread_reported = true;
        strvec_push(
            &readings->timeline->note,
            "each process with software-defined events has a thread of ours that "
            "reads them: one of its threads, and a context switch at each reading");
    }
    if (copy->left_out && !inside->left_out_reported) {
        inside->left_out_reported = true;
        strvec_pushf(&readings->timeline->note,
                     "%u software-defined events of process %d are left out: recorders "
                     "and sets have no value over time, and there is room for %d",
                     copy->left_out, copy->pid, WATCH_EVENTS);
    }
}

static void finish(struct inside *inside, struct timeline_readings *readings)
{
    for (size_t i = 0; i < inside->found_nr; i++)
        readings->v[inside->found[i].event].share = 1;
}

static int read_inside(void *self, bool ended, struct timeline_readings *readings,
                       struct error *err)
{
    struct inside *inside = self;
    uint32_t nr = __atomic_load_n(&inside->watch->process_nr, __ATOMIC_SEQ_CST);

    (void)ended;
    (void)err;
    if (nr > WATCH_PROCESSES && !inside->full_reported) {
        inside->full_reported = true;
        strvec_pushf(&readings->timeline->note,
                     "software-defined events of the first %d processes only",
                     WATCH_PROCESSES);
    }
    for (uint32_t i = 0; i < nr && i < WATCH_PROCESSES; i++)
        if (copy_place(&inside->watch->process[i], &inside->copy))
            add_place(inside, readings);
    finish(inside, readings);
    return 0;
}

static void close_inside(void *self)
{
    struct inside *inside = self;

    if (inside->watch)
        munmap(inside->watch, sizeof(*inside->watch));
    for (size_t i = 0; i < inside->found_nr; i++)
        free(inside->found[i].name);
    if (inside->dir)
        scratch_remove(inside->dir);
    free(inside->found);
    free(inside->wish);
    free(inside);
}

/*
 * Whether the program takes a preloaded object.
 */

/* An ELF file of this machine's kind without an interpreter. */
static bool is_static(const char *file)
{
    unsigned char head[4096] = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof(head)) : 0;
    Elf64_Ehdr elf;

    if (fd >= 0)
        close(fd);
    if (got < (ssize_t)sizeof(elf) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
        head[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(&elf, head, sizeof(elf));
    for (size_t i = 0; i < elf.e_phnum; i++) {
        size_t at = elf.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr part;

        if (at + sizeof(part) > (size_t)got)
            return false;
        memcpy(&part, head + at, sizeof(part));
        if (part.p_type == PT_INTERP)
            return false;
    }
    return true;
}

static int check_program(const char *program, struct error *err)
{
    char *file = path_of_program(program);
    struct stat about;
    int result = 0;

    if (!file || stat(file, &about))
        result = 0; /* starting it will say so */
    else if (about.st_mode & (S_ISUID | S_ISGID) && geteuid() != about.st_uid)
        result = fail(err, STATUS_MISSING,
                      "'%s' runs with other rights (setuid), so nothing can be preloaded",
                      program);
    else if (is_static(file))
        result = fail(err, STATUS_MISSING,
                      "'%s' is linked statically, so nothing can be preloaded", program);
    free(file);
    return result;
}

/*
 * Opening.
 */

/* LD_PRELOAD takes neither spaces nor colons. */
static int link_object(const struct inside *inside, char **link, struct error *err)
{
    char *object = helper_path("libinflight_watch.so");
    int result = 0;

    *link = path_join(inside->dir, "watch.so");
    if (!object)
        result = fail(err, STATUS_MISSING,
                      "libinflight_watch.so is not where inflight is installed");
    else if (strpbrk(*link, " :"))
        result = fail(err, STATUS_MISSING,
                      "the folder for temporary files has a space or a colon in its name "
                      "('%s'); set TMPDIR to another",
                      inside->dir);
    else if (symlink(object, *link))
        result = fail(err, STATUS_FAILED, "cannot make '%s': %s", *link, strerror(errno));
    free(object);
    return result;
}

static int map_watch(struct inside *inside, const char *path, double interval_s,
                     struct error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *map = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, sizeof(struct watch)) == 0)
        map = mmap(NULL, sizeof(struct watch), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return fail(err, STATUS_FAILED, "cannot make '%s': %s", path, strerror(errno));
    inside->watch = map;
    inside->watch->magic = WATCH_MAGIC;
    inside->watch->interval_ns = (int64_t)(interval_s * 1e9);
    inside->watch->start_ns = (int64_t)(clock_s() * 1e9);
    return 0;
}

/* What the user has there stays. The address sanitizer wants to come first; it need not.
 */
static void push_environment(const char *object, const char *file, struct strvec *env)
{
    const char *preload = getenv("LD_PRELOAD"), *asan = getenv("ASAN_OPTIONS");

    strvec_pushf(env, WATCH_VARIABLE "=%s", file);
    strvec_pushf(env, "LD_PRELOAD=%s%s%s", object, preload && *preload ? ":" : "",
                 preload ? preload : "");
    strvec_pushf(env, "ASAN_OPTIONS=%s%sverify_asan_link_order=0", asan ? asan : "",
                 asan && *asan ? ":" : "");
}

static int open_inside(struct inside *inside, const char *program, double interval_s,
                       struct strvec *env, struct error *err)
{
    char *object = NULL, *file = NULL;
    int result = -1;

    if (check_program(program, err) || scratch_make(&inside->dir, err) ||
        link_object(inside, &object, err))
        goto out;
    file = path_join(inside->dir, "watch");
    if (map_watch(inside, file, interval_s, err))
        goto out;
    push_environment(object, file, env);
    result = 0;
out:
    free(object);
    free(file);
    return result;
}

int timeline_sde_open(const struct timeline_wish *const *wish, size_t nr,
                      const char *program, double interval_s, struct strvec *env,
                      struct timeline_source *source, struct error *err)
{
    struct inside *inside = xcalloc(1, sizeof(*inside));

    inside->wish = xcalloc(nr + 1, sizeof(*inside->wish));
    for (inside->wish_nr = 0; inside->wish_nr < nr; inside->wish_nr++)
        inside->wish[inside->wish_nr] = *wish[inside->wish_nr];
    *source = (struct timeline_source){inside, read_inside, close_inside, false};
    if (open_inside(inside, program, interval_s, env, err)) {
        close_inside(inside);
        return fail_in(err, "software-defined events are not shown");
    }
    return 0;
}

void timeline_sde_start(struct timeline_source *source, double start_s)
{
    struct inside *inside = source->self;

    inside->start_s = start_s;
    inside->watch->start_ns = (int64_t)(start_s * 1e9);
}
