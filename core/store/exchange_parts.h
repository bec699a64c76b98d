/* What the readers and writers of exchange.h share. Private to core/store. */
#ifndef CORE_STORE_EXCHANGE_PARTS_H
#define CORE_STORE_EXCHANGE_PARTS_H

#include "core/store/exchange.h"

struct buf;
struct error;

/* No call takes longer (3 years); 1e20, an old mark of failure, is far beyond in any
 * unit. */
#define EXCHANGE_TIME_MAX_S 1e8

const char *exchange_phase_t4(enum exchange_phase phase);
const char *exchange_phase_kernel_tuner(enum exchange_phase phase);
/* The keys of the phases that no result tells: a file holds 0 for them, since readers
 * want numbers, and lists them as inflight.not_given. Owned by the caller. */
json_t *exchange_not_given(const struct exchange_space *space,
                           const char *(*key_of)(enum exchange_phase phase));
bool exchange_lists(const json_t *list, const char *key);
const char *exchange_error_word(enum exchange_outcome outcome); /* Kernel Tuner's */
/* Of names of errors that are none of Kernel Tuner's, too: never CORRECT. */
enum exchange_outcome exchange_outcome_of_error(const char *name);

/* `place` of the value with an object's key. */
struct json_at exchange_child(const struct json_at *object, const char *key);
/* A number that is a time, in seconds. */
int exchange_time_here(const struct json_at *at, double unit_s, double *out,
                       struct error *err);
/* An array of times. */
int exchange_samples(const struct json_at *at, double unit_s, struct exchange_result *out,
                     struct error *err);
/* The object's values must be scalars. */
int exchange_check_configuration(const struct json_at *at, struct error *err);

int exchange_read_t4(const struct json_at *top, struct exchange_space *out,
                     struct error *err);
int exchange_read_kernel_tuner(const struct json_at *top, struct exchange_space *out,
                               struct error *err);

void exchange_write_t4(const struct exchange_space *space, struct buf *out);
int exchange_write_kernel_tuner(const struct exchange_space *space, struct buf *out,
                                struct error *err);
/* The value with 15 digits, on one line. */
void exchange_add_json(struct buf *out, const json_t *value, size_t flags);
/* The object's members on lines of their own, without its closing brace: "{" "\n" ... */
void exchange_open_object(struct buf *out, const json_t *object);
/* Shortest text of the number with at most 15 digits, as Python writes it. */
void exchange_add_real(struct buf *out, double value);

#endif
