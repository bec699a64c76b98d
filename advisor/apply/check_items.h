/* inflight check: what was found, item by item, as text and as JSON. */
#ifndef ADVISOR_CHECK_ITEMS_H
#define ADVISOR_CHECK_ITEMS_H

#include "core/files/json.h"
#include "core/store/store.h"

struct buf;

enum check_state {
    CHECK_GOOD,  /* as recorded */
    CHECK_NOTE,  /* worth knowing; nothing drifted */
    CHECK_DRIFT, /* not what was tuned, or the gain is gone */
    CHECK_WRONG  /* the tuned code must not be used */
};

struct check_item {
    const char *what; /* "source", "compiler" ... static */
    enum check_state state;
    char *sentence;
    const char *remedy; /* NULL = none is needed; static */
};

struct check_items {
    struct check_item *item;
    size_t nr, alloc;
};
void check_add(struct check_items *items, const char *what, enum check_state state,
               const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void check_items_release(struct check_items *items);
enum check_state check_worst(const struct check_items *items);

/* What can be said without running anything. `dir`: the folder of the record; `source`:
 * the kernel's file. */
struct check_place {
    const char *record_path, *source;
};
/* False when an item says that the tuned code must not be run. */
bool check_files(const struct check_place *place, const struct record_machine *entry,
                 struct check_items *items);
/* What the source's macros, sizes and types become with the flags of now, against what
 * was recorded; false, likewise. */
bool check_frozen(const struct record_machine *entry, const struct record_machine *now,
                  struct check_items *items);
/* The gain now against the one recorded: nothing is claimed that noise could explain. */
void check_gain(struct quantity recorded, struct quantity now, struct check_items *items);

/* What the record says of an application; nothing when it says nothing. */
void check_in_app(const struct record_in_app *in_app, struct check_items *items);

void check_items_text(const struct check_items *items, int columns, struct buf *out);
json_t *check_items_json(const struct check_items *items);

#endif
