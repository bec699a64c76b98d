/* Counts, whoever counted them: the set. */
#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void count_set_release(struct count_set *set)
{
    for (size_t i = 0; i < set->count_nr; i++) {
        free(set->count[i].event);
        free(set->count[i].why);
    }
    free(set->count);
    free(set->cpu);
    free(set->source);
    strvec_release(&set->note);
    *set = (struct count_set){0};
}

void count_set_add(struct count_set *set, const char *event, struct quantity value,
                   double share)
{
    GROW(set->count, set->count_nr + 1, set->count_alloc);
    set->count[set->count_nr++] =
        (struct event_count){.event = xstrdup(event), .value = value, .share = share};
}

void count_set_add_unknown(struct count_set *set, const char *event, const char *why)
{
    count_set_add(set, event, quantity_unknown(), 0);
    set->count[set->count_nr - 1].why = xstrdup(why);
}

const struct event_count *count_set_find(const struct count_set *set, const char *event)
{
    for (size_t i = 0; i < set->count_nr; i++)
        if (!strcasecmp(set->count[i].event, event))
            return &set->count[i];
    return NULL;
}

bool count_is_modifier(const char *rest)
{
    return *rest == ':' && rest[1] && rest[1 + strspn(rest + 1, "ukhpPGHSD")] == '\0';
}

struct quantity count_set_value(const struct count_set *set, const char *event)
{
    const struct event_count *count = count_set_find(set, event);

    return count ? count->value : quantity_unknown();
}
