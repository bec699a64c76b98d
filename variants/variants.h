/*
 * variants: C source -> loop model (libclang, isl) -> plan -> legal? -> transformed C ->
 * harness -> compiled; verification of results. Chooses nothing.
 */
#ifndef VARIANTS_VARIANTS_H
#define VARIANTS_VARIANTS_H

#include "core/base.h"
#include "core/run/run.h"
#include "core/traffic/traffic.h"

/* ---- the kernel: one function with its sizes and buffer contents ---- */

struct kernel_request {
    const char *path; /* FILE.c */
    int line; /* the function that holds this line; 0 = by name or the only candidate */
    const char *function; /* NULL = the one marked `#pragma inflight kernel`, else the
                             only function with a loop */
    struct strvec words;  /* pragma words from the command line: "set n = 4096", "buffer
                             key = index(m)", "assume ..." */
    struct strvec cflags; /* -I, -D, -std ... for parsing and compiling (allow-listed by
                             the caller) */
    bool reassociate;     /* floating-point sums may be reordered */
    const char *inputs;   /* where captured contents come from, for reports; else NULL */
    bool force; /* plans that are not legal are emitted all the same, and said to be so */
};

/*
 * The flags to read and compile `source` with: what a compile_commands.json says and
 * `own`, which wins: its folders are searched first, its other flags come last. Of the
 * database only what changes the meaning of the source is taken: -I, -isystem, -iquote,
 * -idirafter, -include, -imacros (made absolute by the entry's "directory"), -D, -U,
 * -std=, -ansi, -pthread, -m32, -m64, -mx32, and of -f: [un]signed-char, short-enums,
 * wrapv, no-strict-aliasing, ms- and plan9-extensions, gnu89-inline, no-exceptions,
 * no-rtti, permissive, [no-]char8_t, concepts. A file that is compiled as C++ and does
 * not look like it gets -xc++. `database`: its path, "none", or NULL = the first that
 * names the source among those beside it, in the folders above, and in their build/; then
 * none is fine. A named one must exist and name the source. `flags` is added to.
 */
int compile_commands_flags(const char *database, const char *source,
                           const struct strvec *own, struct strvec *flags,
                           struct error *err);

/* Are these flags fit for a kernel? Taken are -I, -D, -U, -std= and their kin, -O, -f,
 * -m, -W and -g, as far as none loads code (plugins), starts another program, reads
 * options from a file or writes one. STATUS_USAGE with the first that is not. */
int flags_check(const struct strvec *flags, struct error *err);
/* Of a record, which may be somebody else's: -O, -f and -m alone (STATUS_INPUT). */
int flags_check_recorded(const struct strvec *flags, struct error *err);

struct kernel; /* opaque */

/* Parses and models. Errors are located ("triad.c:12:7: ..."); a compile error shows the
 * compiler's own first message. Arguments that cannot be supplied fail kernel_bind. */
int kernel_open(const struct kernel_request *request, struct kernel **kernel,
                struct error *err);
void kernel_free(struct kernel *kernel);

/* Fixes sizes and contents: every scalar has a value, every buffer an extent. Fails
 * naming the pragma line to add. */
int kernel_bind(struct kernel *kernel, struct error *err);
/* Another size for one integer parameter (verification, sweeps); extents follow. */
int kernel_set(struct kernel *kernel, const char *param, long long value,
               struct error *err);

/*
 * Calls `use` with the kernel at smaller sizes: all parameters that decide on loops or
 * extents in proportion, the largest of them near `largest`, each with the remainder by
 * 64 (below 128 by 8) that it has now, so that loops unrolled or made of vectors keep the
 * rest they have. Those up to 16 stay. The sizes, and what kernel_view shows, are the old
 * ones again afterwards, whatever `use` returns. Fails (STATUS_INPUT) when there is no
 * such parameter or the sizes contradict the kernel's contents. With `largest` at or
 * above the bound sizes: at those.
 */
int kernel_at_size(struct kernel *kernel, long long largest,
                   int (*use)(struct kernel *kernel, void *data, struct error *err),
                   void *data, struct error *err);
/* The largest of the parameters that kernel_at_size varies; 0 = there is none. */
long long kernel_largest(const struct kernel *kernel);

/*
 * What a call of the kernel takes from its caller, for whoever records a call: numbers,
 * then arrays, by the names that words know. Of structs every number and array that the
 * function names has an entry of its own.
 */
struct kernel_input {
    const char *name; /* "n", "g->nx", "p" */
    const char *root; /* the variable that it is reached from: "n", "g", "p" */
    const char *path; /* from there: "", "->nx", "->box.v" */
    int param;        /* place of the root among the parameters; -1 = a global variable */
    bool is_array;
    char kind;     /* of a number: 'f' floating point, 'i', 'u', 'b'; of an array 'r' = of
                      structs */
    size_t bytes;  /* of a number, or of an element or struct of the array */
    bool in_place; /* the array is a part of the variable, not behind a pointer */
    bool written;  /* by the kernel */
    bool is_size;  /* a number that decides on loops, addresses or extents */
    long long records; /* elements or structs of the array; -1 = not known (yet) */
};
/* As far as words and captured contents tell. Numbers without a word count as unknown:
 * then no lengths are known. Caller frees the list; it borrows from the kernel. */
size_t kernel_inputs(struct kernel *kernel, struct kernel_input **list);
/* How a compiled call is given each parameter: bytes and kind ('i' for integers and
 * pointers, 'f', or 's' for a struct by value). Caller frees. */
struct kernel_passed {
    char kind;
    size_t bytes;
    const char *name;
};
size_t kernel_passed(const struct kernel *kernel, struct kernel_passed **list);
/* Why kernel_bind could not supply the arguments, whatever is set; 0 = it could. */
int kernel_supplied(const struct kernel *kernel, struct error *err);
/* The declaration's types in one line: "void f(double *, int)". Caller frees. */
char *kernel_signature(const struct kernel *kernel);
/* "buffer NAME = captured(...)": a word for kernel_request. `records` from `offset` on of
 * the file; `place`: address modulo 2 MiB at which they shall lie; `hash` of the bytes.
 * Caller frees. */
struct captured_array {
    const char *name, *path;
    unsigned long long offset;
    long long records;
    unsigned long place;
    bool huge_pages;
    const char *hash;
};
char *captured_word(const struct captured_array *array);

const char *kernel_inputs_note(const struct kernel *kernel); /* NULL = made up */
/* Most bytes of the captured arrays lay in huge pages, and so they do here. */
bool kernel_inputs_huge(const struct kernel *kernel);

const char *kernel_name(const struct kernel *kernel);
const char *kernel_path(const struct kernel *kernel);
int kernel_line(const struct kernel *kernel);
/* The name that linker and debugger know the function by: mangled in C++. */
const char *kernel_symbol(const struct kernel *kernel);
enum kernel_language { KERNEL_C, KERNEL_CPLUSPLUS };
enum kernel_language kernel_language(const struct kernel *kernel);
/* ".c" or ".cpp", for files with text of the kernel's file. */
const char *kernel_ending(const struct kernel *kernel);
const char *
kernel_hash(const struct kernel *kernel); /* of source text, words, flags: hex */

/* What the function's text means by things outside of it, such as macros: `use` in it is
 * `value` with the flags that it was read with. */
struct kernel_frozen {
    const char *name, *use, *value; /* name: for the reader */
};
/* False behind the last one. */
bool kernel_frozen(const struct kernel *kernel, size_t i, struct kernel_frozen *out);

enum { KERNEL_DEPTH_MAX = 8 };

enum access_class {
    ACCESS_STREAMING,
    ACCESS_STRIDED,
    ACCESS_INDIRECT,
    ACCESS_INVARIANT,
    ACCESS_IRREGULAR
};
const char *access_class_word(enum access_class access_class);

struct kernel_param {
    const char *name, *type;
    bool is_integer, is_set;
    double value;
};
struct kernel_array {
    const char *name, *element_type,
        *contents; /* contents as text, such as "uniform(0,1)" */
    size_t element_bytes;
    size_t record_bytes; /* a field of an array of structs: from one record to the next;
                            else element_bytes */
    bool is_float, read, written;
    int dims;
    char *extent_text; /* "n x n" */
    double bytes;      /* after kernel_bind; negative = unknown */
};
struct kernel_loop {
    const char *name; /* the iterator; loops with equal names in several nests are told
                         apart by nest */
    int nest, depth, parent; /* parent: index of the enclosing loop, -1 = outermost */
    int line;
    const char *lower_text, *upper_text; /* upper exclusive */
    long long step;                      /* of the iterator; 0 = not known */
    double trips;             /* mean trip count at the bound sizes; negative = unknown */
    bool innermost, modelled; /* modelled: an affine loop that plans may name */
    bool perfect;             /* its body is one loop and nothing else */
    const char *why;          /* not modelled: the reason and the remedy; else NULL */
};
/* An array of structs as one nest uses it: what the other fields take up in a cache line
 * is fetched for nothing. */
struct kernel_record {
    int nest;                        /* as kernel_loop.nest */
    const char *name;                /* the array of structs: "p", "g->p" */
    const char *fields;              /* those used: "x, pos.y" */
    size_t record_bytes, used_bytes; /* of one element; used_bytes: of those fields */
    int line;                        /* of the first access */
};
struct kernel_access {
    int array, loop; /* indices; loop = innermost enclosing */
    bool write;
    enum access_class access_class;
    double stride_bytes; /* in the innermost loop, for STREAMING and STRIDED; else 0 */
    double stride_at[KERNEL_DEPTH_MAX]; /* bytes the address moves when the loop at that
                                           depth advances by one iteration, at the bound
                                           sizes; 0 = invariant, NaN = not affine
                                           (indirect) or no such loop */
    int through;                        /* array the subscript is loaded from, -1 */
    bool update; /* x[idx] += e and its kin: elements met in no order, each read, changed
                    and written */
    int line;
    const char *text; /* "table[idx[i]]" */
};
/* A macro or constant of the user's file that `#pragma inflight tunable` makes a
 * parameter of the search; a plan sets it by set(NAME:VALUE). */
enum { KERNEL_TUNABLES_MAX = 8 };
struct kernel_tunable {
    const char *name;
    const long long *value; /* those it may take, in the order given */
    size_t value_nr;
    long long now; /* what the file holds */
    int line;      /* of its definition */
};
struct kernel_view { /* borrowed, valid until the next kernel_set or kernel_free */
    const struct kernel_param *param;
    size_t param_nr;
    const struct kernel_array *array;
    size_t array_nr;
    const struct kernel_loop *loop;
    size_t loop_nr;
    const struct kernel_access *access;
    size_t access_nr;
    const char *const
        *assumption; /* what the model took on someone's word or for granted, sentences */
    size_t assumption_nr;
    const struct kernel_record *record;
    size_t record_nr;
    const char *const *temporary; /* arrays of the function's own whose elements are read
                                     only in the iteration that wrote them, and never
                                     after the nest: a scalar would do */
    size_t temporary_nr;
    bool local_arrays; /* the function has arrays of its own, whose accesses are in no
                          list and no count */
    const struct kernel_tunable *tunable;
    size_t tunable_nr;
    const char *const *constraint; /* between tunables, as written: "TI * TJ <= 4096" */
    size_t constraint_nr;
    const char *const *dependence; /* sentences with distance vectors */
    size_t dependence_nr;
};
struct kernel_view kernel_view(const struct kernel *kernel);
/* Loops inside one another, at most; 0 = there is none. */
int kernel_depth(const struct kernel *kernel);
/* Do these values, one for each of view->tunable, keep to the constraints? STATUS_USAGE
 * with the one that they break. Those about parameters without a value count as kept. */
int kernel_tunables_allowed(const struct kernel_view *view, const long long *value,
                            struct error *err);

/* 0 when `b` can be called with the arguments of `a` and their results compared;
 * STATUS_USAGE with what differs: number, kinds, order or elements of parameters, or the
 * result. Numbers may differ in width. */
int kernel_same_call(const struct kernel *a, const struct kernel *b, struct error *err);
/* The values of `from`, bound, as words "set n = 4096" for the parameters of `to` in the
 * same places (kernel_same_call). */
void kernel_same_sizes(const struct kernel *from, const struct kernel *to,
                       struct strvec *words);

/* One call at the bound sizes, from the loop model (provenance "source"). Unknown when a
 * loop is not modelled. */
struct kernel_counts {
    struct quantity iterations; /* of innermost statements */
    struct quantity accesses, bytes, flops;
    double footprint_bytes; /* all buffers */
    bool single_precision;  /* all arrays of floating point are, and there is one */
    /* Chains of addresses in the innermost loop that goes round most: variables whose
     * next value is loaded from where the last one says. 0 = none. The interval ends
     * above with what else may miss beside them, and is open where nothing ties that to
     * the chains. Unknown when it cannot be told which loop counts. */
    struct quantity chains;
    /* Of the innermost modelled loop that goes round most: arrays that it walks along,
     * and the bytes of the shortest of them until the loop begins anew. */
    struct quantity streams, run_bytes;
};
struct kernel_counts kernel_counts(const struct kernel *kernel);

/* ---- plans ---- */

/* Steps separated by spaces: tile(j:64,k:256) simd prefetch(table:16,to:L2). Loops are
 * named by their iterators, tile loops it, jt ..., arrays as in the view.
 * transformations() holds all steps. An empty text is the untransformed kernel. */
struct plan; /* opaque */
int plan_parse(const char *text, struct plan **plan, struct error *err);
void plan_free(struct plan *plan);
char *plan_text(const struct plan *plan); /* canonical; caller frees */

/* The transformations a plan can be made of: one table that parsing, help and rules'
 * tests read. */
struct transformation {
    const char *name, *syntax, *meaning;
};
const struct transformation *transformations(size_t *nr);

/* For each transformation, in the order of that table, the plans that a person would try
 * first here: per loop, pair of loops or array where that matters. What is legal of them
 * kernel_check says. */
struct typical_plan {
    const char *transformation;
    char *plan;      /* NULL = there is nothing to use it on */
    const char *why; /* then: what it is for */
};
size_t typical_plans(const struct kernel_view *view, struct typical_plan **out);
void typical_plans_free(struct typical_plan *plans, size_t nr);

/* 0 = legal. STATUS_ILLEGAL with the dependence that forbids it (arrays, lines,
 * distance); STATUS_USAGE when it names no such loop or array (the message lists those
 * there are). `assumptions` (may be NULL) gets what legality rests on, a sentence a line.
 */
int kernel_check(struct kernel *kernel, const struct plan *plan, struct buf *assumptions,
                 struct error *err);

/* In the text of kernel_check's error when it gave up: neither legal nor illegal. */
#define ANALYSIS_RAN_OUT "too complex to decide"

/* Counted work of all analyses so far, the same on every machine: some millions a second.
 */
unsigned long analysis_effort(void);

/* The transformed function as C: a whole file (the user's file with the nest replaced,
 * header comment `comment` on top, our pragmas stripped), plain C that depends on nothing
 * of ours. */
int kernel_emit(struct kernel *kernel, const struct plan *plan, const char *comment,
                struct buf *out, struct error *err);

/* The isl that answers, as it names itself. libLLVM holds a second copy: doctor shows
 * which one was linked. */
const char *kernel_isl_version(void);

/* ---- building and verifying ---- */

struct variant_queue;

struct toolchain {
    char *compiler; /* as given: "gcc", "clang-19", a path */
    char *version;  /* first line of --version */
    bool is_clang;
    struct strvec flags;         /* optimisation flags; default -O3 -march=native */
    struct variant_queue *queue; /* NULL = build at once; else see below. Borrowed */
};
/*
 * A hash of all that a measurement of the bound kernel rests on, beside plan, machine and
 * program: the file as the compiler sees it after preprocessing (a changed header or -D
 * changes it, a comment does not), compiler, its version and flags, sizes, contents of
 * arrays (of file(PATH): what is in it), and what the user vouches for. Hex; caller
 * frees.
 */
int kernel_identity(const struct kernel *kernel, const struct toolchain *toolchain,
                    char **hex, struct error *err);
/* The files that the kernel's file includes, but those of the system: absolute paths,
 * with links resolved. */
int kernel_headers(const struct kernel *kernel, const struct toolchain *toolchain,
                   struct strvec *paths, struct error *err);
/* The macros that the compiler defines by itself at the kernel's flags, as it prints
 * them: what machine_isa reads. */
int kernel_macros(const struct kernel *kernel, const struct toolchain *toolchain,
                  struct buf *macros, struct error *err);
/* Finds and tries the compiler (compiles an empty function). STATUS_MISSING when it is
 * not there or does not work. flags NULL = default. */
int toolchain_find(const char *compiler, const struct strvec *flags,
                   struct toolchain *toolchain, struct error *err);
/* Compiles an empty function of C++, which kernels of C++ need. *compiler: its name
 * (caller frees). STATUS_MISSING when it is not there or does not work. */
int toolchain_try_cplusplus(const struct toolchain *toolchain, char **compiler,
                            struct error *err);
void toolchain_release(struct toolchain *toolchain);

/* ADDRESS: VERIFY under the address and undefined-behaviour sanitizers. THREADS: VERIFY
 * under the thread sanitizer. What they report is RUN_OUTCOME_CRASHED with the report's
 * first line; sizes where the original itself is reported are left out. */
enum variant_program {
    VARIANT_TIME,
    VARIANT_TRACE,
    VARIANT_VERIFY,
    VARIANT_ADDRESS,
    VARIANT_THREADS,
    VARIANT_PROGRAM_NR
};

/* Can programs of that kind be built and run? STATUS_MISSING with what the compiler, its
 * runtime or the system says: sanitizers may lack. Reused within `dir`. */
int toolchain_try(const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, struct error *err);

/* Builds one program of kernel + plan in `dir`. *path: the program (caller frees). A
 * compiler that refuses is STATUS_FAILED with its first message. */
int variant_build(struct kernel *kernel, const struct plan *plan,
                  const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, char **path, struct error *err);
/* The same from a C file that was emitted or written by somebody (same function name and
 * parameters): `source` is its path. */
int variant_build_file(struct kernel *kernel, const char *source,
                       const struct toolchain *toolchain, enum variant_program what,
                       const char *dir, char **path, struct error *err);

/*
 * Built ahead: with a copy of the toolchain that has a queue, variant_build and
 * variant_build_library write the C files and give the program's path, but only queue
 * what compiler and linker have to do; as many as processors may be used run beside.
 * variant_queue_build waits for all, and empties the queue. The same build without a
 * queue finds what is there; what a compiler refused (or could not end in time) it
 * reports without asking again. Interrupted, or short of memory, it leaves out what is
 * not complete: that is built when it is asked for. -1 only when nothing can be started.
 */
struct variant_queue *variant_queue_new(void);
void variant_queue_free(struct variant_queue *queue);
int variant_queue_build(struct variant_queue *queue, struct error *err);
size_t variant_queue_processors(void); /* this process may use; at least 1 */

/* One side of a pair: a plan, or a C file with the same function (`source`, then the plan
 * is not looked at). */
struct variant_side {
    const struct plan *plan;
    const char *source;
};
/* A variant as a shared object, with its own static and global data, for an arena. Built
 * like the programs; a compiler or linker that refuses is STATUS_FAILED. */
int variant_build_library(struct kernel *kernel, const struct variant_side *side,
                          const struct toolchain *toolchain, const char *dir, char **path,
                          struct error *err);
/* The VARIANT_VERIFY of such a library. */
int variant_build_verifier(struct kernel *kernel, const char *library,
                           const struct toolchain *toolchain, const char *dir,
                           char **path, struct error *err);
/* The program that holds the kernel's arrays and loads such libraries: core/run's arena.
 */
int variant_build_arena(struct kernel *kernel, const struct toolchain *toolchain,
                        const char *dir, char **path, struct error *err);

/* kernel_counts.chains of the transformed function; its text is written to `dir`. */
struct quantity variant_chains(struct kernel *kernel, const struct plan *plan,
                               const char *dir);

/* The harness arguments for the kernel's present sizes and contents (--set ...). */
void variant_args(const struct kernel *kernel, struct strvec *args);

/* Relative tolerance of the harness for double and float. */
#define VERIFY_DOUBLE 1e-9
#define VERIFY_FLOAT  1e-4

struct verify_opts {
    double relative, absolute; /* floating-point tolerance; 0 = those above, absolute 0 */
    double limit_s;            /* per size, 0 = 60 */
    double memory_limit_bytes; /* sizes that need more are skipped and said so; 0 = half
                                  of the memory */
    int cpu;
    bool small_only; /* leave the full size out */
    const char *scratch;
    const char *rests_on; /* kernel_check's assumptions of the plan: what they say is
                             tested at run time is tried; NULL = nothing */
    /* A folder that stays, for what the untransformed kernel made of the full size: it is
     * called once for all variants; NULL = it is called each time. */
    const char *kept;
};
struct verify_report {
    enum run_outcome outcome; /* OK, WRONG_RESULT, CRASHED, TIMED_OUT ... */
    char *detail;             /* array, index, want, got, size; or what was skipped */
    double max_relative_error;
    char *sizes; /* "n=1, 2, 7, 63, 64, 65, 6000" */
};
void verify_report_release(struct verify_report *report);
/* Runs `program` (VARIANT_VERIFY: holds the untransformed kernel and the variant) at
 * several small sizes and the full one. */
int variant_verify(struct kernel *kernel, const char *program,
                   const struct verify_opts *opts, struct verify_report *report,
                   struct error *err);
/* The untransformed kernel against itself, plus a look at its results: UNVERIFIABLE when
 * it crashes, hangs or differs; STATUS_INPUT when results hold NaN, infinities or
 * denormals (names the array and the pragma that sets better contents). */
int kernel_prove(struct kernel *kernel, const struct toolchain *toolchain,
                 const char *dir, const struct verify_opts *opts, struct error *err);

#endif
