/* The tables, and bringing those of earlier versions up to date. Private to core/store.
 */
#ifndef CORE_STORE_STORE_SCHEMA_H
#define CORE_STORE_STORE_SCHEMA_H

#include "core/base.h"

struct store;

/* What a file says of itself. */
struct identity {
    long long application, version, tables;
};
int schema_identify(const struct store *store, struct identity *identity,
                    struct error *err);
bool schema_is_empty(const struct identity *identity);
bool schema_is_old(const struct identity *identity);

/* Ours, and not newer than we are? */
int schema_check(const struct store *store, const struct identity *identity,
                 struct error *err);

/* Makes the tables, or adds what later versions added, in one transaction. Two processes
 * may come at the same time: the second one finds it done. */
int schema_upgrade(const struct store *store, struct error *err);

#endif
