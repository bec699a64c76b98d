/* What a build has made below a folder: objects, libraries, programs. */
#ifndef OBSERVE_BUILD_PRODUCTS_H
#define OBSERVE_BUILD_PRODUCTS_H

struct timespec;

/* An object that is newer, relative to the folder; NULL = there is none. Caller frees. */
char *products_newer(const char *folder, const struct timespec *than);

#endif
