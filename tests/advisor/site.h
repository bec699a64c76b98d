/* A folder with a kernel, its header, its tuned C and a record of them, and the script
 * that builds run there. */
#ifndef TESTS_ADVISOR_SITE_H
#define TESTS_ADVISOR_SITE_H

#include "core/base.h"
#include "tests/check.h"

struct site {
    char *dir;  /* holds sum.c, sum.h, sum.inflight.*.c, sum.inflight.json and cpuinfo */
    char *code; /* name of the tuned C */
    const char *forged;     /* what the record calls it instead; NULL = its name */
    const char *isa;        /* instruction sets that the record asks for; NULL = few */
    const char *flag;       /* the compiler's; NULL = -O2 */
    const char *definition; /* on the command line, as NAME=VALUE; NULL = not known */
    const char *more;       /* a further header of the record; NULL = none */
    bool no_gain;           /* the record says that nothing was faster */
    bool no_sums;           /* checksums of `more` and the tuned C are empty texts */
    struct error err;
};

/* `here`: recorded for the CPU of this machine, else for an AMD CPU that `cpuinfo`
 * describes. False when this machine's CPU cannot be named. */
bool site_make(struct site *site, bool here);
void site_drop(struct site *site);

void site_put(struct site *site, const char *name, const char *text);
char *site_get(struct site *site, const char *name); /* caller frees */
/* The first `from` in the file becomes `to`. */
void site_change(struct site *site, const char *name, const char *from, const char *to);
/* The record as it is written for the files as they are now. */
void site_record(struct site *site, bool here);

/* Runs it in the folder, without a program `inflight` in PATH; `args` as a shell would
 * split them. Returns the exit status, and all that was printed. */
int site_run(struct site *site, const char *args, struct buf *output);
/* The script by itself, as make runs it. */
int site_select(struct site *site, const char *args, struct buf *output);

#endif
