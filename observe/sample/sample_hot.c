#include "observe/sample/sample_hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/code/code.h"
#include "core/files/fs.h"
#include "observe/sample/sample.h"

struct sample_places {
    const struct samples *samples;
    struct image **image; /* of each module; NULL = none can be read */
};

static void sample_places_open(struct sample_places *places,
                               const struct samples *samples);
static void sample_places_close(struct sample_places *places);
static bool sample_place(const struct sample_places *places, const struct sample_hit *hit,
                         struct image_place *place);

/* ---- routine ---- */

/* Seconds in one routine of the source. */

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

/* ---- places ---- */

static void sample_places_open(struct sample_places *places,
                               const struct samples *samples)
{
    places->samples = samples;
    places->image = xcalloc(samples->module_nr + 1, sizeof(*places->image));
    for (size_t i = 0; i < samples->module_nr; i++)
        if (sample_module_is_file(samples->module[i].path))
            image_open(samples->module[i].path, &places->image[i], NULL);
}

static void sample_places_close(struct sample_places *places)
{
    for (size_t i = 0; places->image && i < places->samples->module_nr; i++)
        image_free(places->image[i]);
    free(places->image);
    *places = (struct sample_places){0};
}

/* False where nothing is known of it. */
static bool sample_place(const struct sample_places *places, const struct sample_hit *hit,
                         struct image_place *place)
{
    struct image *image = places->image[hit->module];
    uint64_t address = image ? image_address(image, hit->offset) : UINT64_MAX;

    *place = (struct image_place){0};
    if (address == UINT64_MAX)
        return false;
    image_find(image, address, place);
    return place->frame_nr > 0;
}

/* ---- sample hot ---- */

/* A routine while it is counted. */
struct tally {
    const struct image_function *function; /* NULL: the module */
    uint32_t module;
    uint64_t *of_thread;
    const char *outermost; /* of the code that it was seen in */
    bool in_many;          /* of several */
};

struct counting {
    const struct samples *samples;
    struct sample_places places;
    struct hot *hot;
    struct tally *tally; /* as hot->routine */
    size_t tally_alloc;
    struct {
        char *path; /* of a source file */
        struct buf text;
    } * source;
    size_t source_nr, source_alloc;
};

void hot_release(struct hot *hot)
{
    for (size_t i = 0; i < hot->nr; i++) {
        struct hot_routine *routine = &hot->routine[i];

        free(routine->name);
        free(routine->module);
        free(routine->file);
        free(routine->source);
        free(routine->inlined_into);
        free(routine->loop);
    }
    free(hot->routine);
    *hot = (struct hot){0};
}

bool hot_matters(uint64_t samples, struct quantity share)
{
    return samples >= HOT_SAMPLES_MIN && share.low >= 0.01;
}

double hot_running_s(const struct hot *hot, const struct samples *samples)
{
    double kernel = samples->user_s > 0 && samples->system_s > 0
                        ? samples->system_s / samples->user_s
                        : 0;

    return fmin(samples->wall_s, hot->busiest_s * (1 + kernel));
}

struct quantity hot_whole_gain(const struct hot_routine *routine, double running_s,
                               double gain)
{
    struct quantity share = quantity_scale(routine->busiest_s, 1 / running_s);

    if (!routine->busiest_s.known || !(running_s > 0))
        return quantity_unknown();
    return quantity_between(1 / (1 - fmin(share.value, 1) * (1 - 1 / gain)),
                            1 / (1 - fmin(share.low, 1) * (1 - 1 / gain)),
                            1 / (1 - fmin(share.high, 1) * (1 - 1 / gain)), share.runs,
                            PROVENANCE_SAMPLED);
}

/* ---- routines ---- */

char *hot_source(const char *file, const char *dir)
{
    const char *const root[] = {dir, "."};

    if (!file || (file[0] == '/' && file_exists(file)))
        return xstrdup(file);
    for (const char *rest = file; rest; rest = strchr(rest, '/')) {
        rest += strspn(rest, "/");
        for (size_t i = 0; i < ARRAY_SIZE(root); i++) {
            char *path = root[i] && *rest ? path_join(root[i], rest) : NULL;

            if (path && file_exists(path))
                return path;
            free(path);
        }
    }
    return NULL;
}

/* Of the language's tables, which outlive the image. */
static const char *lasting_language(const char *language)
{
    static const char *const known[] = {"C",  "C++", "Fortran", "Rust",
                                        "Go", "D",   "Ada",     "assembler"};

    for (size_t i = 0; language && i < ARRAY_SIZE(known); i++)
        if (strcmp(language, known[i]) == 0)
            return known[i];
    return NULL;
}

static struct hot_routine describe(const struct counting *counting, uint32_t module,
                                   const struct image_function *function)
{
    const char *path = counting->samples->module[module].path;

    if (!function)
        return (struct hot_routine){.kind = sample_module_is_file(path) ? HOT_MODULE
                                                                        : HOT_NO_FILE,
                                    .name = xstrdup(path_base(path)),
                                    .module = xstrdup(path)};
    return (struct hot_routine){.kind = function->file ? HOT_SOURCE : HOT_SYMBOL,
                                .name = xstrdup(function->name),
                                .module = xstrdup(path),
                                .file = xstrdup(function->file),
                                .source =
                                    hot_source(function->file, counting->samples->dir),
                                .line = function->line,
                                .language = lasting_language(function->language)};
}

static size_t routine_of(struct counting *counting, uint32_t module,
                         const struct image_function *function)
{
    struct hot *hot = counting->hot;

    for (size_t i = 0; i < hot->nr; i++)
        if (counting->tally[i].module == module &&
            counting->tally[i].function == function)
            return i;
    GROW(hot->routine, hot->nr + 1, hot->alloc);
    GROW(counting->tally, hot->nr + 1, counting->tally_alloc);
    hot->routine[hot->nr] = describe(counting, module, function);
    counting->tally[hot->nr] = (struct tally){
        function, module,
        xcalloc(counting->samples->thread_nr + 1, sizeof(*counting->tally->of_thread)),
        NULL, false};
    return hot->nr++;
}

/* The place in place->frame of the function that the hit belongs to, -1 = not known. */
static int frame_of(const struct image_place *place)
{
    int at = place->loop ? place->frame_nr - 1 - place->loop->depth : 0;

    return place->frame_nr == 0 ? -1 : at < 0 || at >= place->frame_nr ? 0 : at;
}

/* ---- loops ---- */

static const char *source_text(struct counting *counting, const char *path)
{
    for (size_t i = 0; i < counting->source_nr; i++)
        if (strcmp(counting->source[i].path, path) == 0)
            return buf_str(&counting->source[i].text);
    GROW(counting->source, counting->source_nr + 1, counting->source_alloc);
    counting->source[counting->source_nr].path = xstrdup(path);
    counting->source[counting->source_nr].text = (struct buf){0};
    file_read(path, &counting->source[counting->source_nr].text, NULL);
    return buf_str(&counting->source[counting->source_nr++].text);
}

static bool same_loop(const struct hot_loop *a, const struct hot_loop *b)
{
    if (a->line || b->line)
        return a->line == b->line;
    return a->first_line == b->first_line && a->last_line == b->last_line;
}

static void count_loop(struct counting *counting, struct hot_routine *routine,
                       const struct image_loop *found, uint64_t samples)
{
    struct hot_loop loop = {.samples = samples};
    size_t i = 0;

    if (found->line_nr) {
        loop.first_line = found->line[0];
        loop.last_line = found->line[found->line_nr - 1];
    }
    if (routine->source)
        loop.line =
            loop_source_line(source_text(counting, routine->source), routine->language,
                             found->line, found->line_nr, routine->line);
    while (i < routine->loop_nr && !same_loop(&routine->loop[i], &loop))
        i++;
    if (i == routine->loop_nr) {
        GROW(routine->loop, routine->loop_nr + 1, routine->loop_alloc);
        routine->loop[routine->loop_nr++] = loop;
        return;
    }
    routine->loop[i].samples += samples;
    if (loop.first_line && loop.first_line < routine->loop[i].first_line)
        routine->loop[i].first_line = loop.first_line;
    if (loop.last_line > routine->loop[i].last_line)
        routine->loop[i].last_line = loop.last_line;
}

/* ---- all hits ---- */

static void note_outermost(struct tally *tally, const struct image_place *place, int at)
{
    const char *outermost = place->frame[place->frame_nr - 1]->name;

    if (at == place->frame_nr - 1 || (tally->outermost && tally->outermost != outermost))
        tally->in_many = true;
    tally->outermost = outermost;
}

static void count_hit(struct counting *counting, const struct sample_hit *hit)
{
    struct image_place place;
    bool known = sample_place(&counting->places, hit, &place);
    int at = known ? frame_of(&place) : -1;
    size_t i = routine_of(counting, hit->module, at < 0 ? NULL : place.frame[at]);
    struct hot_routine *routine = &counting->hot->routine[i];
    struct tally *tally = &counting->tally[i];

    routine->samples += hit->samples;
    routine->misses += hit->misses;
    tally->of_thread[hit->thread] += hit->samples;
    if (routine->kind != HOT_SOURCE)
        counting->hot->unresolved += hit->samples;
    if (at >= 0)
        note_outermost(tally, &place, at);
    if (place.loop && at >= 0 && hit->samples)
        count_loop(counting, routine, place.loop, hit->samples);
}

/* A process as far as a routine was seen in it. */
struct span {
    int process;
    double first_s, last_s;
    uint64_t busiest; /* samples in its busiest thread */
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->first_s > y->first_s) - (x->first_s < y->first_s);
}

/* The processes of threads that have samples, by their start; how many. */
static size_t find_spans(const struct samples *samples, const uint64_t *of_thread,
                         struct span *span)
{
    size_t nr = 0;

    for (size_t i = 0; i < samples->thread_nr; i++) {
        const struct sample_thread *thread = &samples->thread[i];
        size_t at = 0;

        if (!of_thread[i])
            continue;
        while (at < nr && span[at].process != thread->process)
            at++;
        if (at == nr)
            span[nr++] =
                (struct span){thread->process, thread->first_s, thread->last_s, 0};
        span[at].first_s = fmin(span[at].first_s, thread->first_s);
        span[at].last_s = fmax(span[at].last_s, thread->last_s);
        span[at].busiest =
            of_thread[i] > span[at].busiest ? of_thread[i] : span[at].busiest;
    }
    qsort(span, nr, sizeof(*span), by_start);
    return nr;
}

/* Of processes that ran at the same time the busiest counts, of those that ran one after
 * the other all. */
static uint64_t busiest_of(const struct span *span, size_t nr)
{
    uint64_t all = 0, max = 0;
    double end = -1;

    for (size_t i = 0; i < nr; i++) {
        if (span[i].first_s > end) {
            all += max;
            max = 0;
        }
        max = span[i].busiest > max ? span[i].busiest : max;
        end = fmax(end, span[i].last_s);
    }
    return all + max;
}

static int by_samples(const void *a, const void *b)
{
    const struct hot_loop *x = a, *y = b;

    return (x->samples < y->samples) - (x->samples > y->samples);
}

static int by_heat(const void *a, const void *b)
{
    const struct hot_routine *x = a, *y = b;

    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void finish(const struct counting *counting, struct hot_routine *routine,
                   const struct tally *tally)
{
    const struct samples *samples = counting->samples;
    struct span *span = xcalloc(samples->thread_nr + 1, sizeof(*span));

    for (size_t i = 0; i < samples->thread_nr; i++)
        routine->threads += tally->of_thread[i] > 0;
    routine->processes = find_spans(samples, tally->of_thread, span);
    routine->share = sample_share(routine->samples, samples->total);
    routine->cpu_s = sample_count(routine->samples, 1 / samples->frequency_hz);
    routine->busiest_s =
        sample_count(busiest_of(span, routine->processes), 1 / samples->frequency_hz);
    free(span);
    if (!tally->in_many && tally->outermost)
        routine->inlined_into = xstrdup(tally->outermost);
    for (size_t i = 0; i < routine->loop_nr; i++)
        routine->loop[i].share = sample_share(routine->loop[i].samples, samples->total);
    if (routine->loop_nr)
        qsort(routine->loop, routine->loop_nr, sizeof(*routine->loop), by_samples);
}

static void counting_release(struct counting *counting)
{
    for (size_t i = 0; i < counting->hot->nr; i++)
        free(counting->tally[i].of_thread);
    free(counting->tally);
    for (size_t i = 0; i < counting->source_nr; i++) {
        free(counting->source[i].path);
        buf_release(&counting->source[i].text);
    }
    free(counting->source);
    sample_places_close(&counting->places);
}

static void count_threads(const struct samples *samples, struct hot *hot)
{
    uint64_t *of_thread = xcalloc(samples->thread_nr + 1, sizeof(*of_thread));
    struct span *span = xcalloc(samples->thread_nr + 1, sizeof(*span));

    for (size_t i = 0; i < samples->hit_nr; i++)
        of_thread[samples->hit[i].thread] += samples->hit[i].samples;
    for (size_t i = 0; i < samples->thread_nr; i++)
        hot->threads += of_thread[i] > 0;
    hot->processes = find_spans(samples, of_thread, span);
    hot->busiest_s = (double)busiest_of(span, hot->processes) / samples->frequency_hz;
    free(of_thread);
    free(span);
}

void hot_find(const struct samples *samples, struct hot *hot)
{
    struct counting counting = {.samples = samples, .hot = hot};

    *hot = (struct hot){.total = samples->total};
    if (samples->total == 0)
        return;
    sample_places_open(&counting.places, samples);
    for (size_t i = 0; i < samples->hit_nr; i++)
        count_hit(&counting, &samples->hit[i]);
    for (size_t i = 0; i < hot->nr; i++)
        finish(&counting, &hot->routine[i], &counting.tally[i]);
    count_threads(samples, hot);
    counting_release(&counting);
    qsort(hot->routine, hot->nr, sizeof(*hot->routine), by_heat);
}
