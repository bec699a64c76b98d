/*
 * Whose words are taken. What is read without being the source that the user named, and
 * is then compiled, run or believed, must be the user's own or root's, and nobody else
 * may be able to change it or to put something else in its place
 * (docs/reference/trust.md). Refusals have STATUS_INPUT, name what is wrong, and say what
 * to type.
 *
 * Access lists are looked at by the mode: where a file has one (POSIX), the bits of its
 * group are the most that the list gives to anybody.
 */
#ifndef CORE_FILES_TRUST_H
#define CORE_FILES_TRUST_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

/* Root's is as good as the user's, and so is that of the owner of the data that the
 * program came with. */
enum trust {
    /* No link of another user is on the way; folders may be anybody's. */
    TRUST_LINKS,
    /* What stands there has names of ours that nobody can take: others may add to it, if
     * they cannot rename (sticky), such as /tmp. */
    TRUST_PASSING,
    /* Nobody else may write there; a group without other members is nobody else. */
    TRUST_KEPT,
    /* The user's, not root's; any group is somebody else. */
    TRUST_OWN,
};

/* Looks at the folder and all that lies above it, link by link, so that its path leads to
 * it from now on, too. */
int trust_folder(const char *path, enum trust trust, struct error *err);
/* With TRUST_LINKS, and open (O_PATH): files are made there whatever becomes of its path.
 * The descriptor; -1 = failed. */
int trust_way(const char *path, struct error *err);
/* Looks at what is in it, too, at any depth: links are not followed. TRUST_OWN: at owners
 * alone, of what is no folder. */
int trust_tree(const char *path, enum trust trust, struct error *err);
/* As mkdir -p, for nobody else (0700) where it is new, and looked at. */
int trust_make(const char *path, enum trust trust, struct error *err);

/*
 * Opens a regular file to read, which must be the user's or root's, and not for others to
 * write. Does not wait for a pipe. Who may write to the folders above can put another
 * file of the user's there, but no words of his own: so those are not looked at. `flags`:
 * of open, besides. The descriptor; -1 = failed.
 */
int trust_open(const char *path, int flags, struct error *err);
/* The same look at what is there: 0 also for nothing. Opens nothing (closing a file would
 * give back the process's locks on it). */
int trust_look(const char *path, struct error *err);
/* There, and fit to be opened so. */
bool trust_has(const char *path);

/* As trust_open, of a file that was found beside `source` or above it, not named: nobody
 * may write to it who may not write to the source, which the user has named. */
int trust_found(const char *path, const char *source, struct error *err);

/* Whose pipes and links are used when something is written: the user's, root's, and whose
 * "/" is (in a namespace of users, root has no number). */
bool trust_is_user(unsigned owner);

#endif
