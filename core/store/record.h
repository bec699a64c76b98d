/*
 * Records: what tuning one kernel gave on each machine, in a small text file beside the
 * source, meant to be committed (inflight.record/1, docs/internals/formats.md). Builds
 * read it without this program: cmake/inflight-tune.cmake holds the same rules.
 */
#ifndef CORE_STORE_RECORD_H
#define CORE_STORE_RECORD_H

#include "core/base/array.h"
#include "core/base/quantity.h"

struct buf;
struct error;

/* Verbatim from /proc/cpuinfo. aarch64: family is the implementer, model the part. */
struct record_cpu {
    char *architecture, *vendor, *family, *model, *name;
};

struct record_file {
    char *path; /* relative to the record's folder; the kernel's own comes first */
    char *sha256;
};

/* What the tuned C was made from beside the text: a macro, a size, a type, an #if. */
struct record_frozen {
    char *name, *use, *value; /* name: for the reader */
};

/* What the tuned C gave in an application (tune --in-app). */
struct record_in_app {
    char *command;                    /* 'BUILD && RUN'; NULL = it was not asked for */
    struct quantity routine, program; /* time before / time after; unknown = not found */
    long long pairs;                  /* of runs */
    char *date;
};

struct record_machine {
    struct record_cpu cpu;
    struct strvec isa;   /* instruction sets that the compiler might use, as cpuinfo names
                            them */
    char *plan;          /* canonical; "" = nothing was faster */
    struct strvec words; /* "set n = 512", "assume noalias(a,b)" ... */
    bool reassociate;
    struct quantity tolerance, tolerance_absolute; /* unknown = default */
    struct strvec definitions;    /* of macros on the command line: "N=500"; of tuned C */
    struct record_frozen *frozen; /* likewise */
    size_t frozen_nr, frozen_alloc;
    bool knows_frozen; /* and the definitions; records of earlier versions do not */
    struct record_file *file;
    size_t file_nr, file_alloc;
    char *code;          /* plain name of the tuned C beside the record; NULL = none */
    char *code_sha256;   /* likewise */
    struct strvec needs; /* flags of its pragmas: -fopenmp-simd, -fopenmp */
    char *compiler, *compiler_version; /* for comparison only: nothing is started by it */
    struct strvec flags;
    char *profile;
    long long cores;
    struct quantity gain, environment_gain; /* time before / time after */
    struct record_in_app in_app;
    char *verified; /* "n=1, 2, 7": sizes with equal results */
    char *date, *inflight;
    char *checksum; /* as in the file; NULL in one that was made now */
    bool genuine;   /* it is that of the entry as it stands */
};

struct record {
    char *source, *function; /* source: plain file name */
    struct record_machine *machine;
    size_t machine_nr, machine_alloc;
};

enum { RECORD_MACHINES_MAX = 1000, RECORD_FILES_MAX = 1000, RECORD_FROZEN_MAX = 10000 };

/* The whole file, every member checked; a message names file and place. Entries that were
 * changed by hand are read, with `genuine` false. STATUS_INPUT when it is no record. */
int record_read(const char *path, struct record *record, struct error *err);
int record_read_text(const char *text, const char *name, struct record *record,
                     struct error *err);
void record_release(struct record *record);
void record_machine_release(struct record_machine *machine);

/* The document; entries with a checksum keep it, the others get theirs. Caller frees. */
char *record_text(const struct record *record);
/* The entry of this CPU, NULL = none. Names are not compared: they differ between guests
 * of one machine. */
struct record_machine *record_find(struct record *record, const struct record_cpu *cpu);
void record_add_frozen(struct record_machine *machine, const char *name, const char *use,
                       const char *value);
/* Takes what `machine` owns in the place of the entry of the same CPU, or behind the
 * others. */
void record_put(struct record *record, struct record_machine *machine);

/* "amd-25-17", as files are named for it. Caller frees. */
char *record_cpu_word(const struct record_cpu *cpu);
/* "stencil.inflight.amd-25-17.c" for "stencil.c". Caller frees. */
char *record_code_name(const char *source, const struct record_cpu *cpu);
/* `name` in the folder of the file `path`. Caller frees. */
char *record_beside(const char *path, const char *name);
/* A name that stays in its folder: no slash, no backslash, no line end, and it does not
 * begin with a dot, a minus sign or an @. */
bool record_is_plain_name(const char *name);

/*
 * Writes record and tuned C (`code` is the text of machine->code of the newest entry,
 * NULL = none), both or neither; `code_name` is where, beside the record. The file
 * `stale` (NULL = none) is removed afterwards: the tuned C of an entry that has none now.
 */
int record_write(const char *path, const struct record *record, const char *code_name,
                 const struct buf *code, const char *stale, struct error *err);

#endif
