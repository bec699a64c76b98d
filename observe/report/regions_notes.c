/* What is wrong with the marks, and what the figures leave out: one sentence each. */
#include <stdlib.h>

#include "observe/report/regions_report.h"

char *region_shown(const char *name)
{
    json_t *valid = text_json(name);
    char *text = xstrdup(json_string_value(valid));
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    json_decref(valid);
    return text;
}

/* A mistake in marking, how often, and what to do. */
static void note_mistakes(const struct region *region, struct strvec *note)
{
    const struct {
        double count;
        const char *what, *more;
    } mistake[] = {
        {region->unbegun, "was ended in a thread that had not begun it",
         ": begin and end belong to one thread"},
        {region->crossed, "crossed the end of a region around it",
         ", and was ended there: end the last begun first"},
        {region->forgotten, "was still open when a region around it ended",
         ", and was ended there: look for a way out without its end"},
        {region->abandoned, "was still open when its thread ended",
         ", and was ended there"},
        {region->left_open, "was still open when the program ended",
         "; its time counts up to there"},
        {region->outside, "was given bytes or access while it was not open",
         ": that was left out"},
        {region->impossible, "was given negative bytes, or a random share beyond 0 to 1",
         ": that was left out"},
    };
    char *name = region_shown(region->name);
    for (size_t i = 0; i < ARRAY_SIZE(mistake); i++)
        if (mistake[i].count > 0)
            strvec_pushf(note, "region '%s' %s (%.0f time%s)%s", name, mistake[i].what,
                         mistake[i].count, mistake[i].count == 1 ? "" : "s",
                         mistake[i].more);
    free(name);
}

static void note_markers(const struct region_profile *profile, struct strvec *note)
{
    struct buf list = {0};
    for (size_t i = 0; i < profile->region_nr; i++) {
        double share = region_marker_share(&profile->region[i]);
        char *name = region_shown(profile->region[i].name);
        if (share >= 0.1)
            buf_addf(&list, "%s'%s' (%.0f %%)", list.length ? ", " : "", name,
                     100 * share);
        free(name);
    }
    if (list.length)
        strvec_pushf(note,
                     "the markers themselves are a tenth of the time or more of %s: mark "
                     "a longer stretch, such as the loop around it",
                     buf_str(&list));
    buf_release(&list);
}

static void note_limits(const struct region_profile *profile, struct strvec *note)
{
    if (profile->unrecorded_names > 0)
        strvec_pushf(
            note,
            "begins are missing (%.0f): a program may have 256 different names of "
            "regions",
            profile->unrecorded_names);
    if (profile->unrecorded > 0)
        strvec_pushf(note,
                     "begins are missing (%.0f): a thread may have 511 call paths of at "
                     "most 64 regions within each other",
                     profile->unrecorded);
    if (profile->unrecorded_threads > 0)
        strvec_pushf(note,
                     "threads are missing (%.0f): there was no room for their counts, or "
                     "more than 1024 ran at once",
                     profile->unrecorded_threads);
    if (profile->nameless > 0)
        strvec_pushf(note, "calls without a name (NULL), or outside of all regions: %.0f",
                     profile->nameless);
    if (profile->uncounted)
        strvec_pushf(note, "events of threads are missing (%zu): PAPI did not count them",
                     profile->uncounted);
    if (profile->silent)
        strvec_pushf(note, "processes were ended before they could report anything (%zu)",
                     profile->silent);
}

/* The same cause is said once. */
static void note_processes(const struct region_profile *profile, struct strvec *note)
{
    size_t cut = 0;
    for (size_t i = 0; i < profile->process_nr; i++) {
        const struct region_process *process = &profile->process[i];
        cut += !process->ended;
        if (!process->why)
            continue;
        char *text = xasprintf("no events: %s", process->why);
        strvec_push_once(note, text);
        free(text);
    }
    if (cut)
        strvec_pushf(note,
                     "%zu of %zu processes did not come to the exit handlers (killed, "
                     "_exit or exec): what they had counted is here, and what was under "
                     "way counts up to the last that is known",
                     cut, profile->process_nr);
}

void regions_notes(struct regions_report *report)
{
    const struct region_profile *profile = &report->profile;
    for (size_t i = 0; i < profile->region_nr; i++)
        note_mistakes(&profile->region[i], &report->note);
    note_markers(profile, &report->note);
    note_limits(profile, &report->note);
    note_processes(profile, &report->note);
}
