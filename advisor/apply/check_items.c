#include "advisor/apply/check_items.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/apply/keep_record.h"
#include "advisor/report/report_read.h"

static const char tune_again[] =
    "builds take the source as written until it is tuned again (inflight tune "
    "--build-record, or the target inflight-tune)";

static const char *state_word(enum check_state state)
{
    static const char *const word[] = {
        [CHECK_GOOD] = "good",
        [CHECK_NOTE] = "note",
        [CHECK_DRIFT] = "drift",
        [CHECK_WRONG] = "wrong",
    };
    return word[state];
}

void check_add(struct check_items *items, const char *what, enum check_state state,
               const char *remedy, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    GROW(items->item, items->nr + 1, items->alloc);
    items->item[items->nr++] =
        (struct check_item){what, state, buf_detach(&text), remedy};
}

void check_items_release(struct check_items *items)
{
    for (size_t i = 0; i < items->nr; i++)
        free(items->item[i].sentence);
    free(items->item);
    *items = (struct check_items){0};
}

enum check_state check_worst(const struct check_items *items)
{
    enum check_state worst = CHECK_GOOD;
    for (size_t i = 0; i < items->nr; i++)
        if (items->item[i].state > worst)
            worst = items->item[i].state;
    return worst;
}

/* ---- files ---- */

static bool is_same(const char *path, const char *sha256)
{
    char *hex = NULL;
    bool same = !sha256_file(path, &hex, NULL) && !strcmp(hex, sha256);
    free(hex);
    return same;
}

static bool check_source(const struct check_place *place,
                         const struct record_machine *entry, struct check_items *items)
{
    bool same = is_same(place->source, entry->file[0].sha256);
    if (same)
        check_add(items, "source", CHECK_GOOD, NULL, "'%s' is what was tuned",
                  path_base(place->source));
    else
        check_add(items, "source", CHECK_DRIFT, tune_again,
                  "'%s' changed since it was tuned", path_base(place->source));
    return same;
}

static bool check_headers(const struct check_place *place,
                          const struct record_machine *entry, struct check_items *items)
{
    struct buf changed = {0};
    for (size_t i = 1; i < entry->file_nr; i++) {
        char *path = record_beside(place->record_path, entry->file[i].path);
        if (!is_same(path, entry->file[i].sha256))
            buf_addf(&changed, "%s'%s'", changed.length ? ", " : "", entry->file[i].path);
        free(path);
    }
    bool same = !changed.length;
    if (!same)
        check_add(items, "headers", CHECK_DRIFT, tune_again,
                  "changed or gone since the kernel was tuned: %s", buf_str(&changed));
    else if (entry->file_nr > 1)
        check_add(items, "headers", CHECK_GOOD, NULL, "%zu, all as they were",
                  entry->file_nr - 1);
    buf_release(&changed);
    return same;
}

static bool check_code(const struct check_place *place,
                       const struct record_machine *entry, struct check_items *items)
{
    if (!entry->code)
        return true;
    char *path = record_beside(place->record_path, entry->code);
    bool same = is_same(path, entry->code_sha256);
    if (same)
        check_add(items, "tuned code", CHECK_GOOD, NULL, "'%s' is what was written",
                  entry->code);
    else
        check_add(items, "tuned code", CHECK_DRIFT,
                  "builds take the source as written; restore the file, or tune again",
                  "'%s' is missing or was changed since it was written", entry->code);
    free(path);
    return same;
}

bool check_files(const struct check_place *place, const struct record_machine *entry,
                 struct check_items *items)
{
    if (!entry->genuine)
        check_add(items, "record", CHECK_DRIFT,
                  "builds take the source as written; restore the record, or remove it "
                  "and tune again",
                  "the entry of this machine was changed by hand: its checksum is "
                  "another one");
    else
        check_add(items, "record", CHECK_GOOD, NULL,
                  "the entry of this machine is "
                  "as it was written");
    bool source = check_source(place, entry, items);
    bool headers = check_headers(place, entry, items);
    bool code = check_code(place, entry, items);
    return entry->genuine && source && headers && code;
}

/* ---- values ---- */

/* The same use, else one of the same name; NULL = none. */
static const struct record_frozen *find_frozen(const struct record_machine *in,
                                               const struct record_frozen *frozen)
{
    const struct record_frozen *found = NULL;
    for (size_t i = 0; i < in->frozen_nr; i++) {
        if (!strcmp(in->frozen[i].use, frozen->use))
            return &in->frozen[i];
        if (!strcmp(in->frozen[i].name, frozen->name))
            found = &in->frozen[i];
    }
    return found;
}

static void add_frozen_change(struct buf *out, const struct record_frozen *then,
                              const struct record_frozen *now)
{
    const char *name = then ? then->name : now->name;
    if (then && now && !strcmp(then->use, now->use) && !strcmp(then->value, now->value))
        return;
    buf_add(out, out->length ? ", " : "");
    if (!then)
        buf_addf(out, "%s is %s now and was not used when it was tuned", name,
                 now->value);
    else if (!now)
        buf_addf(out, "%s was %s when it was tuned and is not used now", name,
                 then->value);
    else if (strcmp(then->value, now->value))
        buf_addf(out, "%s was %s when it was tuned and is %s now", name, then->value,
                 now->value);
    else
        buf_addf(out, "%s chooses another branch than when it was tuned", name);
}

bool check_frozen(const struct record_machine *entry, const struct record_machine *now,
                  struct check_items *items)
{
    struct buf changed = {0};
    for (size_t i = 0; i < entry->frozen_nr; i++)
        add_frozen_change(&changed, &entry->frozen[i],
                          find_frozen(now, &entry->frozen[i]));
    for (size_t i = 0; i < now->frozen_nr; i++)
        if (!find_frozen(entry, &now->frozen[i]))
            add_frozen_change(&changed, NULL, &now->frozen[i]);
    bool same = !changed.length;
    if (same)
        check_add(items, "values", CHECK_GOOD, NULL,
                  "%zu of macros, sizes, types and branches, all as they were",
                  entry->frozen_nr);
    else
        check_add(items, "values", CHECK_DRIFT,
                  "the tuned code is for those values alone: tune again with these", "%s",
                  buf_str(&changed));
    buf_release(&changed);
    return same;
}

/* ---- gain ---- */

void check_gain(struct quantity recorded, struct quantity now, struct check_items *items)
{
    struct buf text = {0};
    bool real = kept_gain_is_real(now);
    bool less = now.known && recorded.known && now.high < recorded.low;
    if (now.doubted) {
        add_report_doubt(&text, now.disturbed);
    } else {
        buf_add_ratio(&text, now);
        buf_add(&text, " now, recorded ");
        buf_add_ratio(&text, recorded);
    }
    if (!now.known)
        check_add(items, "gain", CHECK_DRIFT,
                  "see what 'inflight compare' reports about the two files",
                  "the two could not be timed against one another");
    else if (now.doubted)
        check_add(items, "gain", CHECK_NOTE, NULL,
                  "%s; nothing speaks against the recorded gain", buf_str(&text));
    else if (real && !less)
        check_add(items, "gain", CHECK_GOOD, NULL, "%s", buf_str(&text));
    else if (real)
        check_add(items, "gain", CHECK_DRIFT, "tune again: something faster may be there",
                  "%s: still faster, but less so than it was", buf_str(&text));
    else if (less || now.high < 1)
        check_add(items, "gain", CHECK_DRIFT, "tune again, or remove the entry",
                  "%s: the gain is gone", buf_str(&text));
    else
        check_add(items, "gain", CHECK_NOTE,
                  "repeat it on a quiet machine, or for longer (--budget)",
                  "%s: too noisy to be told; nothing speaks against the recorded gain",
                  buf_str(&text));
    buf_release(&text);
}

void check_in_app(const struct record_in_app *in_app, struct check_items *items)
{
    if (!in_app->command)
        return;
    char *routine = in_app_gain_phrase(in_app->routine),
         *program = in_app_gain_phrase(in_app->program);
    bool gained = in_app_claim_of(in_app->program) == IN_APP_FASTER;
    check_add(
        items, "application", CHECK_NOTE,
        gained ? NULL
               : "the tuned code is no faster there beyond noise; 'inflight compare "
                 "--in-app' looks again",
        "recorded %.10s by %lld pairs of '%s': the routine %s; the whole program %s",
        in_app->date, in_app->pairs, in_app->command, routine, program);
    free(routine);
    free(program);
}

/* ---- what comes out ---- */

void check_items_text(const struct check_items *items, int columns, struct buf *out)
{
    enum { INDENT = 21 };
    for (size_t i = 0; i < items->nr; i++) {
        const struct check_item *item = &items->item[i];
        struct buf text = {0};
        buf_addf(&text, "%s%s%s", item->sentence, item->remedy ? "; " : "",
                 item->remedy ? item->remedy : "");
        buf_addf(out, "  %-6s %-12s", state_word(item->state), item->what);
        buf_add_wrapped(out, buf_str(&text), INDENT, (size_t)columns - 1);
        buf_add(out, "\n");
        buf_release(&text);
    }
}

json_t *check_items_json(const struct check_items *items)
{
    json_t *list = json_array();
    for (size_t i = 0; i < items->nr; i++) {
        const struct check_item *item = &items->item[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s?}", "item", item->what,
                                        "state", state_word(item->state), "sentence",
                                        item->sentence, "remedy", item->remedy));
    }
    return list;
}
