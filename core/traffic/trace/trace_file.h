/* What a tracing program wrote (tracer.c). */
#ifndef CORE_TRAFFIC_TRACE_FILE_H
#define CORE_TRAFFIC_TRACE_FILE_H

#include "core/base.h"
#include "core/traffic/tracer/cache_model.h"

/* Accesses of one place in the code to one array. */
struct trace_part {
    size_t array;     /* its number, array.nr = none of them */
    uint64_t address; /* behind the access, in the program's file; 0 = not known */
    /* Of the source; NULL and 0 until trace_file_places(), and where it does not tell. */
    char *file;
    int line;
};
/* What a part had in a window. */
struct trace_charge {
    size_t part;
    struct cache_counts counts;
    uint64_t left[CACHE_LEVELS_MAX];
};

struct trace_window {
    uint64_t first; /* accesses of the call before it */
    struct cache_counts counts;
    uint64_t warm[CACHE_LEVELS_MAX]; /* lines filled before counting began */
    uint64_t left[CACHE_LEVELS_MAX]; /* write-backs still to come */
    struct trace_charge *charge;
    size_t charge_nr, charge_alloc;
};

/* name, word in the file: how the tracing came to its end */
#define TRACE_END_MAP(X)                                                                 \
    X(COMPLETE, "complete") /* with the call */                                          \
    X(BEYOND, "beyond")     /* more accesses than the total given */                     \
    X(BUDGET, "budget")     /* the total was not given and the budget was used up */     \
    X(REACH, "reach")       /* not all of the call was within reach */

enum trace_end {
#define X(name, word) TRACE_END_##name,
    TRACE_END_MAP(X)
#undef X
        TRACE_END_NR
};

enum { TRACE_OTHERS_MAX = 2 };

struct trace_file {
    enum trace_end end;
    uint64_t
        instrumented; /* 1: code with callbacks is there, though none may be called */
    uint64_t call;    /* which call was counted; 1: from empty caches */
    uint64_t seen;    /* accesses of that call up to the end */
    struct trace_window *window;
    size_t window_nr, window_alloc;
    /* The same windows in further caches; nothing is charged there. */
    struct trace_others {
        struct trace_window *window;
        size_t nr, alloc;
    } other[TRACE_OTHERS_MAX];
    struct trace_window *current; /* while it is read */
    struct strvec array;          /* names, as announced */
    struct trace_part *part;
    size_t part_nr, part_alloc;
};

int trace_file_read(const char *path, int level_nr, struct trace_file *file,
                    struct error *err);
/* Looks up the lines of the parts in the program. */
void trace_file_places(struct trace_file *file, const char *program);
void trace_file_release(struct trace_file *file);

#endif
