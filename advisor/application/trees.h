/* The copies of a project in which a program is tuned: as written, as far as it is
 * confirmed, and prepared for the loop that is at hand. */
#ifndef ADVISOR_APPLICATION_TREES_H
#define ADVISOR_APPLICATION_TREES_H

#include "core/base/array.h"
#include "observe/observe.h"

struct application_loop;
struct buf;
struct error;
struct progress;
struct settings;

enum tree {
    TREE_ORIGINAL, /* built and sampled */
    TREE_CURRENT,  /* with what is confirmed; not built */
    TREE_PREPARED, /* the loop's source as it is tuned, built with a recorder */
    TREE_NR
};

struct trees {
    const struct settings *settings;
    struct progress *progress;
    struct project project; /* the user's; `file` is the program or "" */
    char *build;            /* shell text */
    bool build_is_guessed;
    enum tree first; /* that and those behind it are there */
    const char *scratch;
    struct tree_place {
        char *root, *cwd;
        struct build_watch watch;
        struct build_seen seen;
    } tree[TREE_NR];
    struct strvec argv; /* the program and its words, to be run in a tree's cwd */
};

/* Finds the project and copies it below `scratch`, for the trees from `first` on. */
int trees_open(struct trees *trees, const struct settings *settings, enum tree first,
               const char *scratch, struct progress *progress, struct error *err);
void trees_close(struct trees *trees);

/* Builds the program as written. */
int trees_build(struct trees *trees, struct error *err);

/* Of a path in the original tree what is behind its root; NULL = it is not in there. */
const char *trees_file(const struct trees *trees, const char *path);

/* Files of the trees under the names that they have in the project. Caller frees. */
char *trees_in_project(const struct trees *trees, const char *sentence);

int trees_read(const struct trees *trees, enum tree tree, const char *file,
               struct buf *text, struct error *err);

/* Replaces a file; what is built from it is older then. */
int trees_write(const struct trees *trees, enum tree tree, const char *file,
                const struct buf *text, struct error *err);

/* Builds the prepared tree, which was built before, with a recorder in a function of its
 * `file`, whose text is then as before: what is built tells of each call. Fails with the
 * reason. */
int trees_record(struct trees *trees, const char *file, const char *function,
                 struct error *err);
/* Where a loop of another function of the file calls the loop's routine and is read with
 * its loops: takes that one's routine, function and line. */
void trees_find_caller(const struct trees *trees, struct application_loop *loop);
/* Writes the loop's source into the prepared tree as it is tuned, and builds it with a
 * recorder; fills function, prepared and outlined of the loop. Fails with the reason why
 * it cannot be tuned. */
int trees_prepare(struct trees *trees, struct application_loop *loop, struct error *err);
/* From the file that `tune` wrote for a prepared source to the text of the patch. */
int trees_tuned_text(const char *written, struct buf *text, struct error *err);

/* Options of our commands: how the prepared sources are read; what compiles `file`, and
 * how. */
void trees_add_flags(const struct trees *trees, struct strvec *words);
void trees_add_compiler(const struct trees *trees, const char *file,
                        struct strvec *words);

#endif
