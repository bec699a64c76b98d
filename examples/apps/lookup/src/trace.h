/* The requests: made up, or read from a file. */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

struct trace {
    long nr;
    uint64_t *key; /* [nr]; no key is 0 */
};

struct trace_kind {
    long requests;
    long population; /* keys that the table was filled with */
    double skew;     /* of Zipf's law: 0 = all keys alike, towards 1 = few keys often */
    double unknown;  /* share of requests for keys that nobody stored */
    long seed;
};

/* The key of entry `rank`, 0 .. population - 1; entry 0 is asked for most often. Keys of
 * ranks from population on are unknown ones. */
uint64_t trace_key(uint64_t rank);

void trace_make(struct trace *trace, const struct trace_kind *kind);

/* Reads one decimal key a line. 0, or -1 behind one sentence on stderr. */
int trace_read(struct trace *trace, const char *path);

void trace_release(struct trace *trace);

#endif
