/* What the commands share in speaking to the user: words of options, what is printed,
 * profiles, the database's place. */
#ifndef ADVISOR_CLI_CLI_H
#define ADVISOR_CLI_CLI_H

#include "core/files/json.h"
#include "core/machine/machine.h"

struct buf;
struct error;
struct kernel_view;
struct settings;
struct store;
struct traffic_geometry;

struct environment;

/* The caches of the model as the command line describes them. */

/* "L1=32KiB:8,L2=1MiB:16,L3=8MiB:16:inclusive": ascending from L1, bytes, then ways and
 * inclusive or exclusive where told. Fills level and level_nr of the geometry. */
int cache_words_read(const char *text, struct traffic_geometry *geometry,
                     struct error *err);
/* --line: a power of two from 8 to 4096. */
int cache_line_read(long long bytes, struct traffic_geometry *geometry,
                    struct error *err);

/* The session database that was asked for: --database, INFLIGHT_DATABASE, or the user's.
 */

/* `to_read`: one that is named with --database must be there; else it is made. */
int database_open(const struct settings *settings, bool to_read, struct store **store,
                  struct error *err);
/* Whether one that --database names can be one, before anything is done. */
int database_check(const struct settings *settings, struct error *err);

/* Pages, start of a sample, load beside it: their words, as text and as JSON. */

/* In the order of their enums (pages: small, huge), NULL behind the last. */
extern const char *const pages_words[];
extern const char *const start_words[];
extern const char *const background_words[];

/* "small pages; data cold; other cores idle; a sample is the least of 3". Caller frees.
 */
char *environment_text(const struct settings *settings);
json_t *environment_json(const struct settings *settings);

/* tune --emit-header: the best values of a kernel's tunables as macros. */

/*
 * A C header with one macro for each tunable, at the value that `plan` (canonical) sets
 * or that the file has; `comment` stands on top, lines of text. The include guard is made
 * of the file's name. STATUS_USAGE when the kernel has no tunable.
 */
int tunables_header(const struct kernel_view *view, const char *plan, const char *comment,
                    const char *path, struct buf *out, struct error *err);

/* What the program prints on standard output. */

/* Each returns 0, or -1 when standard output cannot take it. */
/* A result document as it is. */
int print_json(const json_t *document, struct error *err);
/* A text for people: what a terminal could take for a command is replaced. */
int print_text(const char *text, struct error *err);
/* As it is: source code, documents, pictures. */
int print_data(const char *text, struct error *err);
/* Whether the texts for people have colours, which print_text() lets through. */
void print_colour(bool colour);

/* Before anything is done: STATUS_USAGE when what is asked for cannot be written where it
 * is asked for, would be the source itself, or two would be one file. */
int outputs_check(const struct settings *settings, struct error *err);

/* Machine profiles as the command line names them. */

/* `spec`: "here" (the stored profile of this machine), a name of --list, or a path.
 * `memory`: one of the profile's memories, NULL = as it is. Says on stderr when its
 * limits are rough. Caller releases. */
int profile_load(const char *spec, const char *memory, struct machine *machine,
                 struct error *err);

/* The same without a word, to show it. */
int profile_read(const char *spec, const char *memory, struct machine *machine,
                 struct error *err);
/* One sentence, for a profile that was made while the machine was busy; NULL = it was
 * not. Caller frees. */
char *profile_rough(const struct machine *machine);

/* A line of --list. */
struct profile {
    char *name; /* for profile_load */
    struct machine machine;
    char *problem; /* why it cannot be read; NULL = it can, else `machine` is empty */
};

/* The shipped ones, the user's own (files of the folder of settings), and "here" if there
 * is one. Caller releases. */
int profiles_find(struct profile **profile, size_t *nr, struct error *err);
void profiles_release(struct profile *profile, size_t nr);
/* 79 columns. */
void profiles_text(const struct profile *profile, size_t nr, struct buf *out);
json_t *profiles_json(const struct profile *profile, size_t nr);

/* tune --try, --flags-try, --compiler A,B: environments beside plans. */

/* For search_opts.option. */
struct environments {
    struct environment *item;
    size_t nr, alloc;
    bool none; /* not even huge pages */
};

/* What the settings ask for, in the order compiler, flags, smt, threads, schedule, each
 * built on those before. `cores` may be loaded; `is_clang`: the compiler tuned for. Fails
 * for an unknown word, for flags that are not taken, and for flags that reorder sums
 * without --reassociate. Caller releases. */
int environments_to_try(const struct settings *settings, bool is_clang, int cores,
                        struct environments *out, struct error *err);
void environments_release(struct environments *list);

/* The first of "gcc,clang-19": the one tuned for. Caller frees. */
char *first_compiler(const struct settings *settings);

/* The program's version: set by CMake from project(). */

#ifndef INFLIGHT_VERSION
#define INFLIGHT_VERSION "unknown"
#endif

#endif
