/* A process at a call that its recorder tells of. Private to observe/capture. */
#ifndef OBSERVE_CAPTURE_RECORDED_CALL_H
#define OBSERVE_CAPTURE_RECORDED_CALL_H

#include <sys/types.h>

#include "observe/capture/recording.h"

struct recorded_item {
    char *name;
    uint64_t value;
};
struct recorded_call {
    pid_t process;
    uint64_t number; /* 1 = the first; 0 = it ends, and `code` is how many there were */
    uint64_t code;   /* an address in the program or library that has the function */
    char *program;
    struct recorded_item *item;
    size_t nr, alloc;
};

/* recorded_memory.c: the file mapped around the address, also where it is of its
 * variables without an initial value; NULL = none. Caller frees. */
char *process_file_at(pid_t process, uint64_t address);

#endif
