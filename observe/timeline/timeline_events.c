#include "observe/timeline/timeline_events.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/traffic/traffic.h"

static const char table_path[] = "observe/data/timeline_events.json";

/* A row of the data. */
struct row {
    const char *pattern, *label, *unit, *kind, *instead_of;
    double factor;
    bool shown;
};

struct table {
    char *path;
    json_t *root;
    struct row *row;
    size_t nr;
    struct strvec papi; /* events of PAPI's usable components; asked for once */
    bool asked;
};

/*
 * The data.
 */

static int read_row(const struct json_at *at, void *into, struct error *err)
{
    struct row *row = (struct row *)into + at->index;

    if (json_only_keys(at, "event label unit factor kind shown instead_of", err) ||
        json_string_at(at, "event", &row->pattern, err) ||
        json_string_at(at, "label", &row->label, err) ||
        json_string_at(at, "unit", &row->unit, err) ||
        json_string_at(at, "kind", &row->kind, err) ||
        json_number_at(at, "factor", 0, 1e12, &row->factor, err) ||
        json_bool_if(at, "shown", &row->shown, err))
        return -1;
    return json_has(at, "instead_of")
               ? json_string_at(at, "instead_of", &row->instead_of, err)
               : 0;
}

static int table_open(struct table *table, struct error *err)
{
    struct json_at top;

    *table = (struct table){0};
    if (shipped_path(table_path, &table->path, err) ||
        json_read_file(table->path, "inflight.timeline-events/1", &table->root, err))
        return -1;
    top = json_top(table->path, table->root);
    table->nr = json_size_at(&top, "events");
    table->row = xcalloc(table->nr + 1, sizeof(*table->row));
    return json_each(&top, "events", 0, SIZE_MAX, read_row, table->row, err);
}

static void table_close(struct table *table)
{
    free(table->path);
    free(table->row);
    json_decref(table->root);
    strvec_release(&table->papi);
}

/*
 * Trying.
 */

static bool has_wildcard(const char *name)
{
    return strpbrk(name, "*?") != NULL;
}

/* Adds the event, starts and reads it. */
static int try_counter(const char *name, bool of_process, struct error *err)
{
    struct papi_counter_opts opts = {.ahead = !of_process};
    struct papi_counter *counter;
    struct count_set set = {0};
    int result = papi_counter_new(&name, 1, &opts, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    if (result == 0)
        result = papi_counter_read(counter, &set, err);
    count_set_release(&set);
    papi_counter_free(counter);
    return result;
}

static int try_memory(struct error *err)
{
    struct papi_bandwidth bandwidth = {0};
    int result = papi_bandwidth_events(&bandwidth, err);

    papi_bandwidth_release(&bandwidth);
    return result;
}

static int try_event(const char *name, struct papi_event_about *about, struct error *err)
{
    *about = (struct papi_event_about){.component = "/proc"};
    if (text_begins(name, "proc:::"))
        return timeline_proc_knows(name)
                   ? 0
                   : fail(err, STATUS_USAGE, "/proc has no event '%s'", name);
    if (text_begins(name, "memory:::")) {
        *about = (struct papi_event_about){.component = "memory"};
        return try_memory(err);
    }
    if (text_begins(name, "sde:::")) /* what PAPI offers of these here is ours */
        return fail(err, STATUS_USAGE,
                    "'%s' is inside of the program, where only a tool that is preloaded "
                    "into it can read",
                    name);
    if (papi_event_describe(name, about, err))
        return -1;
    return try_counter(name, about->of_process, err);
}

/*
 * Offers.
 */

static void offer_release(struct timeline_offer *offer)
{
    free(offer->wish.event.name);
    free(offer->wish.event.label);
    free(offer->wish.event.unit);
    free(offer->wish.event.source);
    free(offer->why);
}

/* At most 20 columns: the end of a name, which tells more than its beginning. */
static char *label_of(const char *name)
{
    const char *tail = strstr(name, "::");
    size_t length;

    tail = tail ? tail + strspn(tail, ":") : name;
    length = strlen(tail);
    return xstrdup(length > 20 ? tail + length - 20 : tail);
}

/* As the data says; else as PAPI does. */
static void name_event(const struct row *row, const struct papi_event_about *about,
                       struct timeline_event *event)
{
    bool level = row ? strcmp(row->kind, "level") == 0 : about->level;

    event->label = row && *row->label ? xstrdup(row->label) : label_of(event->name);
    event->kind = level ? TIMELINE_LEVEL : TIMELINE_COUNT;
    event->factor = row ? row->factor : 1;
    event->source = xstrdup(about->component);
    if (row)
        event->unit = xstrdup(row->unit);
    else
        event->unit = xasprintf("%s%s", about->unit, level ? "" : "/s");
}

/* Tries it. */
static struct timeline_offer *add_offer(struct timeline_offers *offers,
                                        const struct row *row, const char *name)
{
    struct papi_event_about about;
    struct timeline_offer *offer;
    struct error why = {0};

    GROW(offers->offer, offers->nr + 1, offers->alloc);
    offer = &offers->offer[offers->nr++];
    *offer = (struct timeline_offer){0};
    if (try_event(name, &about, &why))
        offer->why = xstrdup(why.text);
    offer->wish.event.name = xstrdup(name);
    offer->wish.of_process = about.of_process;
    offer->shown = row && row->shown && !offer->why;
    name_event(row, &about, &offer->wish.event);
    return offer;
}

void timeline_offers_release(struct timeline_offers *offers)
{
    for (size_t i = 0; i < offers->nr; i++)
        offer_release(&offers->offer[i]);
    free(offers->offer);
    strvec_release(&offers->note);
    *offers = (struct timeline_offers){0};
}

/*
 * Names with wildcards.
 */

static void ignore_component(void *context, const char *name, const char *why)
{
    (void)context;
    (void)name;
    (void)why;
}

static void push_event(void *context, const char *name)
{
    strvec_push(context, name);
}

static const struct strvec *papi_events(struct table *table)
{
    struct papi_listing listing = {ignore_component, push_event, &table->papi};

    if (!table->asked)
        papi_list(&listing, NULL);
    table->asked = true;
    return &table->papi;
}

static bool is_offered(const struct timeline_offers *offers, const char *name)
{
    for (size_t i = 0; i < offers->nr; i++)
        if (strcmp(offers->offer[i].wish.event.name, name) == 0)
            return true;
    return false;
}

static bool is_shown(const struct timeline_offers *offers, const char *name)
{
    for (size_t i = 0; i < offers->nr; i++)
        if (strcmp(offers->offer[i].wish.event.name, name) == 0)
            return offers->offer[i].shown;
    return false;
}

static void add_matches(struct table *table, const struct row *row, const char *pattern,
                        struct timeline_offers *offers)
{
    const struct strvec *all = papi_events(table);

    for (size_t i = 0; i < all->nr; i++)
        if (fnmatch(pattern, all->v[i], 0) == 0 && !is_offered(offers, all->v[i]))
            add_offer(offers, row, all->v[i]);
}

static void add_default(struct table *table, struct timeline_offers *offers)
{
    for (size_t i = 0; i < table->nr; i++) {
        const struct row *row = &table->row[i];

        if (has_wildcard(row->pattern))
            add_matches(table, row, row->pattern, offers);
        else
            add_offer(offers, row, row->pattern);
        for (size_t k = 0; k < offers->nr; k++)
            if (row->instead_of && is_shown(offers, row->instead_of) &&
                fnmatch(row->pattern, offers->offer[k].wish.event.name, 0) == 0)
                offers->offer[k].shown = false;
    }
}

/*
 * What the user names.
 */

static const struct row *row_of(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->nr; i++)
        if (fnmatch(table->row[i].pattern, name, 0) == 0)
            return &table->row[i];
    return NULL;
}

static int add_named(struct table *table, const char *name,
                     struct timeline_offers *offers, struct error *err)
{
    size_t before = offers->nr;

    if (is_offered(offers, name))
        return 0;
    if (has_wildcard(name))
        add_matches(table, row_of(table, name), name, offers);
    else
        add_offer(offers, row_of(table, name), name);
    for (size_t i = before; i < offers->nr; i++) {
        offers->offer[i].shown = true;
        if (offers->offer[i].why)
            return fail(err, STATUS_MISSING, "--events: %s", offers->offer[i].why);
    }
    if (offers->nr == before)
        return fail(err, STATUS_MISSING,
                    "--events: no event of PAPI's usable components is called '%s'; "
                    "'inflight profile --timeline 10ms --list' says which there are",
                    name);
    return 0;
}

/* The length of the name at the beginning: up to a comma that is not within slashes. */
static size_t name_length(const char *list)
{
    bool within = false;
    size_t i = 0;

    for (; list[i] && (within || list[i] != ','); i++)
        within = list[i] == '/' ? !within : within;
    return i;
}

static int add_list(struct table *table, const char *list, struct timeline_offers *offers,
                    struct error *err)
{
    int result = 0;

    while (result == 0 && *list) {
        size_t length = name_length(list);
        char *name = xstrndup(list, length);

        result = *name ? add_named(table, name, offers, err)
                       : fail(err, STATUS_USAGE, "--events: an empty name in the list");
        free(name);
        list += length + (list[length] == ',');
    }
    if (result == 0 && !offers->nr)
        return fail(err, STATUS_USAGE, "--events: no event is named");
    return result;
}

int timeline_offers_find(const char *list, struct timeline_offers *offers,
                         struct error *err)
{
    struct table table;
    int result = table_open(&table, err);

    *offers = (struct timeline_offers){0};
    if (result == 0 && list)
        result = add_list(&table, list, offers, err);
    else if (result == 0)
        add_default(&table, offers);
    table_close(&table);
    return result;
}

/*
 * The list of everything.
 */

enum { listed_events_max = 100 };

struct listing {
    struct timeline_offers *offers;
    struct strvec event; /* of the component so far */
    char *component;
};

static void add_component(struct listing *listing)
{
    struct timeline_offers *offers = listing->offers;

    if (!listing->component)
        return;
    for (size_t i = 0; i < listing->event.nr && i < listed_events_max; i++)
        if (!is_offered(offers, listing->event.v[i]))
            add_offer(offers, NULL, listing->event.v[i]);
    if (listing->event.nr > listed_events_max)
        strvec_pushf(&offers->note,
                     "PAPI's %s has %zu events, of which %d are listed; "
                     "papi_native_avail lists all",
                     listing->component, listing->event.nr, listed_events_max);
    else
        strvec_pushf(&offers->note, "PAPI's %s: %zu events", listing->component,
                     listing->event.nr);
    strvec_release(&listing->event);
    free(listing->component);
    listing->component = NULL;
}

static void list_component(void *context, const char *name, const char *why)
{
    struct listing *listing = context;

    add_component(listing);
    if (strcmp(name, "sde") == 0)
        return; /* ours, not the program's */
    if (*why)
        strvec_pushf(&listing->offers->note, "PAPI's %s cannot be used: %s", name, why);
    else
        listing->component = xstrdup(name);
}

static void list_event(void *context, const char *name)
{
    struct listing *listing = context;

    if (listing->component)
        strvec_push(&listing->event, name);
}

void timeline_offers_add_papi(struct timeline_offers *offers)
{
    struct listing listing = {.offers = offers};
    struct papi_listing table = {list_component, list_event, &listing};
    struct error err = {0};

    if (papi_list(&table, &err))
        strvec_push(&offers->note, err.text);
    add_component(&listing);
}
