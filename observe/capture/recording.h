/*
 * Runs an application that a recorder was compiled into
 * (templates/capture/call_recorder.h) and looks at it at the calls of the function that
 * has it: in whatever program it starts, in its libraries and threads. All threads of
 * that process stand still meanwhile.
 */
#ifndef OBSERVE_CAPTURE_RECORDING_H
#define OBSERVE_CAPTURE_RECORDING_H

#include <stdint.h>

#include "core/process/spawn.h"

struct buf;
struct error;

/* A value that the function is called with, and how the recorder is to be told of it. */
enum recorded_kind {
    RECORDED_INTEGER = 'i',
    RECORDED_REAL = 'f',
    RECORDED_POINTER = 'p'
};
/* The start of the statement for the function's first line; "" ends it after all values.
 * `name` is also the expression; where pointers lead to it ("s->atoms->r") 0 stands for
 * what a null pointer hides. `in_place`: an array that is itself the memory. */
void recorder_begin(struct buf *out);
void recorder_add(enum recorded_kind kind, const char *name, bool in_place,
                  struct buf *out);
void recorder_end(struct buf *out);
/* The line in front of the source: includes the recorder. STATUS_MISSING when it is not
 * installed. */
int recorder_include(struct buf *out, struct error *err);

struct recorded_call; /* of a process whose threads all stand still */

struct recording_request {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
    const char *dir;         /* in which it runs; NULL = ours */
    double timeout_s;        /* 0 = none */
    long long call;          /* 1 = the first; of all threads of a process */
    bool each;               /* at_call is asked at each call, until it returns 0; at some
                                of them where that would take longer than the application */
    bool ends;               /* the application is ended behind what was looked at */
    bool is_hidden;          /* what it prints is not shown; else it has our streams */
    bool out_to_err;         /* shown: its output goes to our standard error */
    /* At that call. -1 ends the application, and recording_run fails with `err`. With
     * `each`, 1: on to the next. */
    int (*at_call)(struct recorded_call *call, void *data, struct error *err);
    void *data;
};
struct recording_outcome {
    bool reached; /* at_call was called, and returned 0 */
    long long
        calls; /* of the process with the most, as far as they were told; 0 = none */
    struct spawn_outcome program; /* how it ended */
};
/* 0 also when the function was never called. STATUS_INPUT when there is no such program.
 */
int recording_run(const struct recording_request *request,
                  struct recording_outcome *outcome, struct error *err);
void recording_outcome_release(struct recording_outcome *outcome);

/* ---- while it stands still ---- */

/* 1 = the first of its process. */
uint64_t recorded_number(const struct recorded_call *call);
/* The file of the program or library that has the function; NULL = not known. */
const char *recorded_program(const struct recorded_call *call);
/* 8 bytes as the recorder converts them: to long, double or an address. False where
 * nothing of that name was told. */
bool recorded_value(const struct recorded_call *call, const char *name, uint64_t *value);
/* 0, or -1 when not all of it is there. */
int recorded_read(const struct recorded_call *call, uint64_t address, void *to,
                  size_t bytes);

/* The piece of memory around an address, of malloc or a variable where that is known. */
enum recorded_piece { RECORDED_MAPPING, RECORDED_BLOCK, RECORDED_VARIABLE };
struct recorded_memory {
    uint64_t end; /* behind its last byte */
    enum recorded_piece piece;
};
/* "mapping", "block", "variable": as in the file of inputs. */
const char *recorded_piece_word(enum recorded_piece piece);
/* False when nothing is mapped there. */
bool recorded_memory_at(const struct recorded_call *call, uint64_t address,
                        struct recorded_memory *memory);
/* The share of the memory from there on that lies in huge pages, 0 .. 1, of what is in
 * use. */
double recorded_huge_share(const struct recorded_call *call, uint64_t address,
                           unsigned long long bytes);
/* Bytes of pages that nobody has touched yet, from there on. 0 also where the kernel does
 * not tell. */
unsigned long long recorded_untouched(const struct recorded_call *call, uint64_t address,
                                      unsigned long long bytes);

#endif
