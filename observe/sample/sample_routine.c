/* Seconds in one routine of the source. */
#include <stdlib.h>

#include "observe/sample/sample_places.h"

static bool is_in_lines(const struct image_place *place,
                        const struct sample_routine *routine)
{
    return routine->first_line > 0 && routine->file && place->file &&
           place->line >= routine->first_line && place->line <= routine->last_line &&
           image_file_is(place->file, routine->file);
}

/* Inlined calls count to every function that they are in. */
static bool is_in_function(const struct image_place *place,
                           const struct sample_routine *routine)
{
    for (int i = 0; routine->function && i < place->frame_nr; i++) {
        const struct image_function *function = place->frame[i];

        if (image_name_is(function->name, routine->function) &&
            (!routine->file || !function->file ||
             image_file_is(function->file, routine->file)))
            return true;
    }
    return false;
}

struct sample_seconds samples_in_routine(const struct samples *samples,
                                         const struct sample_routine *routine)
{
    uint64_t *of_thread = xcalloc(samples->thread_nr + 1, sizeof(*of_thread));
    struct sample_seconds out = {0};
    struct sample_places places = {0};
    uint64_t resolved = 0, busiest = 0;

    sample_places_open(&places, samples);
    for (size_t i = 0; i < samples->hit_nr; i++) {
        const struct sample_hit *hit = &samples->hit[i];
        struct image_place place;

        if (!sample_place(&places, hit, &place))
            continue;
        resolved += place.file ? hit->samples : 0;
        if (is_in_function(&place, routine) || is_in_lines(&place, routine)) {
            out.samples += hit->samples;
            of_thread[hit->thread] += hit->samples;
        }
    }
    for (size_t i = 0; i < samples->thread_nr; i++) {
        out.threads += of_thread[i] > 0;
        busiest = of_thread[i] > busiest ? of_thread[i] : busiest;
    }
    if (samples->total) {
        out.cpu_s = sample_count(out.samples, 1 / samples->frequency_hz);
        out.busiest_s = sample_count(busiest, 1 / samples->frequency_hz);
        out.share = sample_share(out.samples, samples->total);
        out.resolved = (double)resolved / (double)samples->total;
    }
    sample_places_close(&places);
    free(of_thread);
    return out;
}
