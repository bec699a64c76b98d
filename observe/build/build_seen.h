/* What build_watch.c and the program in front of the compilers have in common. Below the
 * folder of the watch: bin/ with a link for each compiler, and what stands here. */
#ifndef OBSERVE_BUILD_SEEN_H
#define OBSERVE_BUILD_SEEN_H

/* The program itself, a copy: its own place tells it which watch it belongs to, however
 * little of its environment a build keeps. */
#define BUILD_FRONT "inflight-compiler"

/* One record for each command, of texts that end in \0: the folder, the compiler, "1" if
 * -g was added, the number of sources and these, the number of words of the command and
 * these (the first is the compiler as it was called). */
#define BUILD_SEEN "seen"

/* Is there once any of the links was called. */
#define BUILD_CALLED "called"

/* Beside a link to the program, a link to the compiler that it stands for, where PATH
 * does not tell. */
#define BUILD_NAMED "real"

/* The script, itself called as a compiler, that calls one; before its path stands "g"
 * where it was given our -g, else "-". */
#define BUILD_SCRIPT_VARIABLE "INFLIGHT_BUILD_SCRIPT"

/* Which are given the compiler as their first word. */
#define BUILD_LAUNCHERS "ccache", "sccache", "distcc", "icecc"

#endif
