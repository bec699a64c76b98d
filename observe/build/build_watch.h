/*
 * A build of the user's that is watched: which compiler was called for which source, with
 * which flags. A folder of links, named as the compilers of PATH, goes to the front of
 * PATH; behind them a program (compiler_front.c) writes each call down and becomes the
 * compiler that was meant. It adds -g where no -g of any kind was given, and nothing
 * else; calls that only preprocess, list dependences, link or try something out for
 * configure, CMake or Meson stay as they are.
 */
#ifndef OBSERVE_BUILD_WATCH_H
#define OBSERVE_BUILD_WATCH_H

#include <stddef.h>
#include <time.h>

#include "core/base/array.h"

struct error;

struct build_watch {
    char *folder;      /* everything of the watch lies in it */
    struct strvec env; /* "NAME=value" of PATH, and of $CC and the like where they
                          name a compiler by its path: for spawn_request.env_extra */
    struct timespec began;
};

/* `folder` is made; it is the caller's to remove. A build may keep the names of compilers
 * in it (CMakeCache.txt): further builds of the same copy need it too. STATUS_MISSING
 * where nothing can be started there. */
int build_watch_begin(const char *folder, struct build_watch *watch, struct error *err);
void build_watch_release(struct build_watch *watch);

struct build_seen {
    char *database; /* a compile_commands.json in the folder of the watch; NULL = nothing
                       was seen */
    size_t compilations, debug_added; /* sources; those among them that had no -g */
    char *note; /* a sentence on what could not be seen; NULL = nothing to say */
};
void build_seen_release(struct build_seen *seen);

/* After the build, which may be one of several under this watch; all are told. `copy`:
 * the folder that was built in, and `own`: what it is a copy of (absolute; both may be
 * NULL). The database has the sources of the copy and those of `own`, the latter with
 * folders of their own tree, and behind them those of the copy where it has headers that
 * their own tree has not. */
int build_watch_end(const struct build_watch *watch, const char *copy, const char *own,
                    struct build_seen *seen, struct error *err);

/* All of it at once: a private copy of the project of `file` (a source, or the folder
 * that the command is typed in) is built by `command`, shell text, in our folder's copy,
 * from the beginning. Fails where that build does. The copy is there until we end. */
int build_learn(const char *command, const char *file, struct build_seen *seen,
                struct error *err);

/* Sets back the time of all objects, libraries and programs below the folder, so that
 * make and its like build them anew: what is up to date is not compiled, and not seen. */
int build_outdate(const char *folder, struct error *err);

#endif
