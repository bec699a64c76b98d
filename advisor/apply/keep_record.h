/* tune --build-record: what a build needs of a session, in inflight.record/1 beside the
 * source. */
#ifndef ADVISOR_KEEP_RECORD_H
#define ADVISOR_KEEP_RECORD_H

#include "advisor/session/context.h"
#include "core/store/store.h"
#include "observe/in_app/in_app_result.h"

struct buf;
struct error;
struct settings;

/* Before minutes are spent: the folder is there and can be written, and a record that is
 * there can be read and is that of this source and `function` (NULL = not known yet). */
int keep_record_check(const struct settings *settings, const char *function,
                      struct error *err);

struct kept {
    const char *plan; /* canonical; "" = as written */
    struct quantity
        gain; /* as reported: of the written file on its own where it was timed */
    struct quantity environment_gain;
    bool verified;
    const char *sizes;                  /* with equal results; NULL = not known */
    const struct buf *code;             /* the written file */
    const struct in_app_result *in_app; /* of --in-app; end IN_APP_NONE = none */
};
/* Is that worth being built? The whole interval above 1, and 1.01 at least. */
bool kept_gain_is_real(struct quantity gain);

/* Writes the entry of this machine, and its tuned C where there is a gain; entries of
 * other machines stay. *sentence says what was written; caller frees. */
int keep_record(struct context *bench, const struct kept *kept, char **sentence,
                struct error *err);

/* Takes down what the kernel means with the flags that it was read with. */
void keep_record_frozen(const struct kernel *kernel, struct record_machine *machine);

/* This machine's CPU, and the instruction sets that the kernel is compiled for. */
int keep_record_processor(struct context *bench, struct record_machine *machine,
                          struct error *err);
/* The CPU of a record's entry; the caller frees its texts by record_machine_release of
 * the entry that takes it. */
struct record_cpu keep_record_cpu(const struct machine_processor *processor);

#endif
