/*
 * Who works on which session: a lock on one byte of the file <database>-claims, the byte
 * of the session's number. The kernel gives it back when the process ends, however it
 * ends. Where the file cannot be made or the file system knows no locks, every claim is
 * granted. Private to core/store.
 */
#ifndef CORE_STORE_STORE_CLAIM_H
#define CORE_STORE_STORE_CLAIM_H

#include <stdbool.h>

struct store;

/* True: it is ours until claim_release or claims_close. False: another one has it. */
bool claim_take(struct store *store, long long session);
void claim_release(struct store *store, long long session);
void claims_close(struct store *store);

#endif
