/* Where the database lies, and what that place can do. Private to core/store. */
#ifndef CORE_STORE_STORE_PLACE_H
#define CORE_STORE_STORE_PLACE_H

#include <stdbool.h>

/* Whether several machines may see this file: a write-ahead log needs memory that all its
 * users share, which they then do not have. The file need not exist. Unknown counts as
 * local. */
bool place_is_network(const char *path);

/* The same for the type that statfs gives. */
bool place_type_is_network(unsigned long type);

#endif
