/*
 * Runs an application under ptrace and stops it at the N-th call of a function, in
 * whatever program below it has the function: programs that it starts, shared libraries,
 * threads. All threads of that process stand still while the caller looks at it.
 */
#ifndef CORE_OBSERVE_TRACE_H
#define CORE_OBSERVE_TRACE_H

#include <stdint.h>

#include "core/base/array.h"
#include "core/process/spawn.h"

struct error;

struct trace_stop; /* a process whose threads all stand still */

struct trace_request {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
    const char *function;
    const char *source; /* only functions of a file with this last name; NULL = any */
    long long call;     /* 1 = the first; calls of all threads of a process count */
    bool ends;          /* the application is ended behind the stop */
    bool out_to_err;    /* what it prints goes to our standard error */
    bool each;          /* at_call is asked at each call, until it returns 0 */
    /* At that call. -1 ends the application, and trace_call fails with `err`. With
     * `each`, 1: on to the next. */
    int (*at_call)(struct trace_stop *stop, void *data, struct error *err);
    void *data;
};
struct trace_outcome {
    bool reached;                 /* at_call was called, and returned 0 */
    long long calls;              /* seen until then, of the process with the most */
    size_t programs;              /* that were started */
    char *found_in;               /* the file with the function; NULL = in none */
    size_t inlined;               /* places where it was inlined */
    struct strvec inlined_at;     /* the first few of them */
    char *unreadable;             /* why a program could not be looked into; or NULL */
    struct spawn_outcome program; /* how it ended */
};
/* 0 also when the function was never called. STATUS_MISSING when nothing may be traced
 * here, STATUS_INPUT when there is no such program. */
int trace_call(const struct trace_request *request, struct trace_outcome *outcome,
               struct error *err);
void trace_outcome_release(struct trace_outcome *outcome);

/* "every call of ... was inlined", with the remedy. -1. */
int trace_fail_inlined(const char *function, const char *program,
                       const struct strvec *inlined_at, size_t inlined,
                       struct error *err);

struct trace_variable;
/*
 * What can be known before it runs: are there calls of the function in this file to stop
 * at, and does each copy of it tell where these are? STATUS_INPUT: no; the sentence has
 * the remedy. 0 also where the file is no program (a script), or has no such function:
 * then what it starts or loads may have it.
 */
int trace_check(const char *program, const char *function, const char *source,
                const struct trace_variable *variable, size_t variable_nr,
                struct error *err);

/* ---- while it stands still ---- */

const char *trace_stop_program(const struct trace_stop *stop); /* path of the file */
const char *trace_stop_symbol(const struct trace_stop *stop);  /* NULL = not known */
const char *trace_stop_source(const struct trace_stop *stop);  /* likewise */
/* 0, or -1 when not all of it is there. */
int trace_stop_read(const struct trace_stop *stop, uint64_t address, void *to,
                    size_t bytes);

/* How the function is passed its parameters. */
struct trace_parameter {
    char kind; /* 'i' integers and pointers, 'f' floating point, 's' a struct by value */
    size_t bytes;
};
struct trace_variable {
    const char *root; /* a parameter or a global variable */
    const char *path; /* fields from there: "", "->box.v" */
    int param;        /* place among the parameters; -1 = global variable */
};
struct trace_object {
    bool in_memory;
    uint64_t address;
    uint8_t bytes[16]; /* the first 16, wherever it is */
    size_t size;       /* 0 = not known */
};
int trace_stop_object(struct trace_stop *stop, const struct trace_parameter *passed,
                      size_t passed_nr, const struct trace_variable *variable,
                      struct trace_object *object, struct error *err);

/* The piece of memory around an address. A variable is one of the file that has the
 * function: by its symbol. */
struct trace_memory {
    uint64_t end;     /* behind its last byte */
    const char *what; /* that ends there: "block" of malloc, "variable", or "mapping" */
};
/* False when nothing is mapped there. */
bool trace_stop_memory(const struct trace_stop *stop, uint64_t address,
                       struct trace_memory *memory);
/* The share of the memory from there on that lies in huge pages, 0 .. 1, of what is in
 * use.
 */
double trace_stop_huge_share(const struct trace_stop *stop, uint64_t address,
                             unsigned long long bytes);
/* Bytes of pages that nobody has touched yet, from there on. 0 also where the kernel does
 * not tell. */
unsigned long long trace_stop_untouched(const struct trace_stop *stop, uint64_t address,
                                        unsigned long long bytes);

#endif
