/* Copies of a user's project that are built and run: what is copied, whether it ran,
 * compiled with what, what it printed. */
#ifndef OBSERVE_COPIES_COPIES_H
#define OBSERVE_COPIES_COPIES_H

#include "core/base/array.h"
#include "core/base/buf.h"

struct error;
struct samples;
struct spawn_outcome;

/* With which flags a source file of an application was compiled. */

/* Those that decide how fast code is, "-march=x86-64 -O2", from the debug information of
 * the programs that ran; "" = it names none of them; NULL = not known: no debug
 * information of `file`, or a compiler that does not put its flags there. Caller frees.
 */
char *app_flags(const struct samples *samples, const char *file);

/*
 * Did the program that ran hold this copy of a source file? A few lines behind the file
 * tell: before main they make a folder whose name says with what the file was compiled.
 * That holds for objects, libraries, shared and static programs alike, and needs neither
 * symbols nor debug information.
 */

/* The C (and C++) text, to be appended to the file. `folder` is absolute. No header is
 * needed, no name of the file is touched, lines before it keep their numbers. */
void app_mark_text(const char *folder, struct buf *out);

/* Makes the folder, empty: before each run. */
int app_mark_reset(const char *folder, struct error *err);

/* Whether the marked file has run since; then also what it was compiled with, as the
 * compiler's own macros: "gcc-12", "__OPTIMIZE__", "__AVX2__", "_OPENMP" ... `facts` may
 * be NULL. */
bool app_mark_read(const char *folder, struct strvec *facts);

/* Those that are looked at; NULL behind the last. */
const char *app_mark_macro(size_t i);

/* What an application printed, run after run, word by word and number by number: what
 * differs from run to run anyhow (times, dates, process numbers) is not compared; all
 * else is, with what another version of it prints. {0} is a valid empty one. */
struct app_output {
    double tolerance; /* of numbers, relative; 0 = they must be printed alike */
    const char
        *known;      /* what the program was told, such as its command; NULL = nothing */
    struct buf text; /* of the first run, whole */
    double seconds;  /* that this run took */
    unsigned char *mark;   /* of its bytes at which words and lines begin */
    unsigned char *digits; /* likewise: to which the other version's numbers agree */
    size_t line_nr;
    size_t runs;
    bool other_length;  /* a later run had another number of lines */
    size_t length_diff; /* lines that the other version has more or less, at most */
};
void app_output_release(struct app_output *output);

/* One more output of the same program, whose run took so long. */
void app_output_add(struct app_output *output, const char *text, double seconds);

/* An output of the other version; a first one of the program was added before. Numbers of
 * few digits beside a word for time ("6.4 s", "Elapsed: 0.00", "12 MB/s") may be any that
 * fit into the run. */
void app_output_add_other(struct app_output *output, const char *text, double seconds);

/* Another other version begins. */
void app_output_forget_other(struct app_output *output);

enum {
    APP_OUTPUT_SAME = 17,
    APP_OUTPUT_ROUNDED = 6 /* numbers that agree to so many digits may be rounded
                              otherwise; others are other numbers */
};
struct app_output_state {
    size_t differs; /* lines of the other version's outputs, beyond the tolerance; missing
                       and additional ones count, too, unless the program's own runs
                       differ in their number */
    size_t varies;  /* lines that the program itself prints otherwise from run to run */
    size_t compared; /* numbers that it repeats, which may be results: neither times nor
                        known before; 0 = it shows none */
    int digits;      /* to which all numbers agree: APP_OUTPUT_SAME = printed alike, 0 =
                        other words than numbers differ */
};
struct app_output_state app_output_state(const struct app_output *output);

/* Adds the folders in which the source's #include lines, and those of its headers, found
 * the files `headers` (absolute paths); those of the system and those beside the
 * including file need none. */
void included_folders(const char *source, const struct strvec *headers,
                      struct strvec *folders);
/* The same for a source of a compiled program, from its debug information. */
void program_include_folders(const char *program, const char *source,
                             struct strvec *folders);

/* Private copies of the folder that an application is built from. */

struct project {
    char *root; /* absolute, without links */
    char *file; /* the source, relative to it */
    char *cwd;  /* the folder we are in, relative to it; "" = it, or one outside of it */
};
void project_release(struct project *project);

/* The project of the source, or folder, `file`: `dir` where it is told, else the git work
 * tree that holds the file, else the folder we are in. STATUS_INPUT when the file is not
 * below it.
 */
int project_find(const char *file, const char *dir, struct project *project,
                 struct error *err);

/* What is copied, so that it is not twice looked for. */
struct project_list {
    struct strvec item; /* files, links and whole folders, relative to the root */
    double bytes;
    char *build;     /* the first build folder that is left out; NULL = none */
    size_t left_out; /* build folders (with a CMakeCache.txt), .git, sockets, devices */
};
void project_list_release(struct project_list *list);
int project_list_make(const struct project *project, const char *without,
                      struct project_list *list, struct error *err);

/* `copies` of it must fit on the disk of the folder `to`, with room to build in.
 * STATUS_MISSING with the remedy when they do not. */
int project_check_room(const struct project *project, const struct project_list *list,
                       const char *to, size_t copies, struct error *err);

/* Below the folder `to`, which is made. Times, modes and links stay as they are. */
int project_copy(const struct project *project, const struct project_list *list,
                 const char *to, struct error *err);

/* The program that a build is to make anew, whatever its Makefile says is up to date: put
 * aside until the build is done; `program` is relative to `cwd`. NULL = there is none
 * that could be. Caller gives it to program_back. */
char *program_aside(const char *cwd, const char *program);
/* What the build has not made is there again. Frees; NULL is fine. */
void program_back(char *path);

/* A file of a copy anew: no link leads back to the user's, and it is newer than what was
 * built from the old one. */
int project_write(const char *path, const struct buf *text, struct error *err);

/* What builds the folder, as its files say: "make", "ninja"; NULL = they do not. */
const char *project_build(const char *dir);

/* 'make app && ./app args': shell text of the user's that builds an application and runs
 * it. */

/* What stands behind the last && at top level (not in quotes, parentheses, braces,
 * $(...) or `...`) runs the application; what stands before builds it. The caller frees
 * both. STATUS_USAGE when one of them is missing. */
int shell_text_split(const char *text, char **build, char **run, struct error *err);

/* What went wrong, from what a build printed: the first line that names an error, else
 * the last that is not empty. Caller frees; NULL = it printed nothing. */
char *shell_text_complaint(const char *out, const char *err);

/* "it ended with status 2: main.c:3: error: ...", of one that was given so much time;
 * NULL = it ended well. Caller frees. */
char *shell_text_ending(const struct spawn_outcome *outcome, double limit_s);

#endif
