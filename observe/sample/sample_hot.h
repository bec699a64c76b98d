/*
 * From samples to routines and loops of the source, hottest first.
 *
 * A sample in a loop belongs to the innermost function of the source that holds the whole
 * machine loop: what is inlined into the loop counts to it. A sample outside of loops
 * belongs to the function that its instruction was written in.
 */
#ifndef CORE_OBSERVE_SAMPLE_HOT_H
#define CORE_OBSERVE_SAMPLE_HOT_H

#include <stdint.h>

#include "core/base/quantity.h"

struct samples;

/* One loop of the source; several machine loops may be of it (vectors and their rest). */
struct hot_loop {
    int line; /* that it begins on, from the source; 0 = the source was not found */
    int first_line, last_line; /* that its code was written on; 0 = not known */
    uint64_t samples;
    struct quantity share; /* of all CPU time in user mode */
};

enum hot_kind {
    HOT_SOURCE,  /* a function of the source */
    HOT_SYMBOL,  /* known by the linker's name only: no debug information */
    HOT_MODULE,  /* somewhere in a file without symbols */
    HOT_NO_FILE, /* code without a file: made at run time, or the kernel's vdso */
};

struct hot_routine {
    enum hot_kind kind;
    char *name;           /* of the routine; of the module for the last two kinds */
    char *module;         /* path, or what the kernel calls it */
    char *file;           /* absolute where it is known so; NULL */
    char *source;         /* where that file is here; NULL = nowhere */
    int line;             /* where it begins; 0 = not known */
    const char *language; /* static; NULL = not known */
    char *inlined_into;   /* the function that all its code stands in; NULL = itself */
    uint64_t samples, misses;
    size_t threads, processes; /* that were seen in it */
    struct quantity share;     /* of all CPU time in user mode */
    struct quantity cpu_s;     /* all threads together */
    /* In the one thread that was longest in it; processes that ran one after the other
     * add. */
    struct quantity busiest_s;
    struct hot_loop *loop; /* hottest first */
    size_t loop_nr, loop_alloc;
};

struct hot {
    struct hot_routine *routine; /* hottest first; each has a sample */
    size_t nr, alloc;
    size_t threads, processes; /* that were seen at all */
    double busiest_s;          /* CPU time of the busiest thread, as of a routine */
    uint64_t total;            /* samples */
    uint64_t unresolved;       /* whose function is not known from debug information */
};
void hot_find(const struct samples *samples, struct hot *hot);
void hot_release(struct hot *hot);

/* Where a source file of the program is: as the compiler was told, else below `dir` or
 * our own folder with as many of its folders as are there (a tree that was moved). Caller
 * frees; NULL = nowhere. */
char *hot_source(const char *file, const char *dir);

/* A row that stands for something: the lower end of its share is above 1 %, and it has at
 * least as many samples. */
enum { HOT_SAMPLES_MIN = 10 };
bool hot_matters(uint64_t samples, struct quantity share);

/* Seconds that the program needed cores: CPU time of its busiest thread with its share of
 * the kernel's work, at most the wall time. */
double hot_running_s(const struct hot *hot, const struct samples *samples);

/* How many times as fast the whole would be if the routine were `gain` times as fast
 * (Amdahl). The routine's busiest thread is taken for the one that all others wait for,
 * and what the program waited for (input, a free core) is left out, `running_s` being
 * hot_running_s(): so it is an upper end. Unknown where running_s is none. */
struct quantity hot_whole_gain(const struct hot_routine *routine, double running_s,
                               double gain);

#endif
