#include "advisor/report/track_show.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base/buf.h"
#include "core/store/store.h"

static long long integer_of(const json_t *rule, const char *key)
{
    return json_integer_value(json_object_get(rule, key));
}

void track_line(const json_t *rule, struct buf *out)
{
    long long judged = integer_of(rule, "judged"), broken = integer_of(rule, "broken");
    double factor = json_number_value(json_object_get(rule, "factor"));
    buf_addf(out, "rule %s: right %lld of %lld time%s here",
             json_string_value(json_object_get(rule, "rule")), integer_of(rule, "right"),
             judged, judged == 1 ? "" : "s");
    if (factor < 1)
        buf_addf(out, ", so its weight is multiplied by %.2f", factor);
    if (broken)
        buf_addf(out, "; %lld of %lld bound%s exceeded", broken,
                 integer_of(rule, "bounds"),
                 integer_of(rule, "bounds") == 1 ? " was" : "s were");
}

static void add_text(const json_t *list, struct buf *out)
{
    const char *machine = "";
    const json_t *rule;
    size_t i;
    json_array_foreach(list, i, rule) {
        const char *its = json_string_value(json_object_get(rule, "machine"));
        if (strcmp(machine, its))
            buf_addf(out, "on %s\n", machine = its);
        buf_add(out, "  ");
        track_line(rule, out);
        buf_add(out, "\n");
    }
    if (!json_array_size(list))
        buf_add(out, "no rule has been tried yet; 'inflight tune FILE.c' tries what they "
                     "advise\n");
}

static int print(const struct settings *settings, const struct track *track,
                 struct error *err)
{
    json_t *list = track_all_json(track);
    struct buf text = {0};
    add_text(list, &text);
    json_t *document =
        json_pack("{s:s, s:o}", "schema", "inflight.rules-list/1", "record", list);
    int status =
        settings->json ? print_json(document, err) : print_text(buf_str(&text), err);
    buf_release(&text);
    json_decref(document);
    return status;
}

static int by_machine(const void *a, const void *b)
{
    const struct track_rule *left = a, *right = b;
    int order = strcmp(left->machine, right->machine);
    return order ? order : strcmp(left->rule, right->rule);
}

int track_command(const struct settings *settings, struct error *err)
{
    struct store *store = NULL;
    struct track track = {0};
    int status = database_open(settings, true, &store, err);
    if (!status)
        status = track_read(store, NULL, NULL, &track, err);
    if (!status && track.nr)
        qsort(track.item, track.nr, sizeof(*track.item), by_machine);
    if (!status)
        status = print(settings, &track, err);
    track_release(&track);
    store_close(store);
    return status;
}

int track_forget_command(const struct settings *settings, struct error *err)
{
    struct store *store = NULL;
    long long nr = 0;
    int status = database_open(settings, true, &store, err);
    if (!status)
        status = store_track_forget(store, &nr, err);
    store_close(store);
    if (status)
        return -1;
    char *text =
        xasprintf("forgotten: %lld judgement%s of rules\n", nr, nr == 1 ? "" : "s");
    status = print_text(text, err);
    free(text);
    return status;
}
