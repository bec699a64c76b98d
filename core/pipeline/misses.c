#include "core/pipeline/misses.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"

enum { LINE_BYTES = 64 };

/* Touched again within so many accesses, a line or page is not touched anew. A loop over
 * more arrays at a time than this does not leave its lines in the first cache either. */
enum { LINE_AGAIN = 256, PAGE_AGAIN = 1024 };

/* ---- when a line or page was touched last ---- */

struct seen {
    uint64_t key;
    size_t last; /* access + 1; 0 = free */
};
struct touched {
    struct seen *slot;
    size_t room;
};

static struct touched touched_open(size_t nr)
{
    struct touched touched = {.room = 1024};

    while (touched.room < 4 * nr)
        touched.room *= 2;
    touched.slot = xcalloc(touched.room, sizeof(*touched.slot));
    return touched;
}

/* Anew, or again within `again` accesses? */
static bool touch(struct touched *touched, uint64_t key, size_t now, size_t again)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 24) & (touched->room - 1);

    while (touched->slot[i].last && touched->slot[i].key != key)
        i = (i + 1) & (touched->room - 1);
    bool anew = !touched->slot[i].last || now + 1 - touched->slot[i].last > again;
    touched->slot[i] = (struct seen){key, now + 1};
    return anew;
}

/* ---- what the stream does to each array ---- */

struct doing {
    double bytes, lines_anew;
};

struct assign {
    const struct pipeline_stream *stream;
    struct pipeline_access *access;
    size_t nr;
    const struct pipeline_call *call;
    int level_nr;
    int *array_of; /* by access */
    bool *anew, *page_anew;
    struct doing *doing;
    uint64_t random;
};

static int array_at(const struct pipeline_call *call, uint64_t address)
{
    for (size_t i = 0; i < call->array_nr; i++)
        if (address - call->array[i].from < call->array[i].bytes)
            return (int)i;
    return -1;
}

static void look(struct assign *assign)
{
    struct touched lines = touched_open(assign->nr), pages = touched_open(assign->nr);
    double page = assign->call->page_bytes > 0 ? assign->call->page_bytes : 4096;

    for (size_t i = 0; i < assign->nr; i++) {
        const struct pipeline_access *access = &assign->access[i];
        int array = array_at(assign->call, access->address);

        assign->array_of[i] = array;
        assign->anew[i] = touch(&lines, access->address / LINE_BYTES, i, LINE_AGAIN);
        assign->page_anew[i] =
            touch(&pages, access->address / (uint64_t)page, i, PAGE_AGAIN);
        if (array < 0)
            continue;
        assign->doing[array].bytes += access->bytes;
        assign->doing[array].lines_anew += assign->anew[i];
    }
    free(lines.slot);
    free(pages.slot);
}

/* ---- how many of them miss ---- */

/* Share of the call that the stream is, for this array: by bytes; by instructions where
 * compiled code loads what the source names more often only once. */
static double share_of_call(const struct assign *assign, int array)
{
    const struct pipeline_call *call = assign->call;
    const double differ = 1.5;
    double accessed = call->array[array].accessed_bytes,
           by_bytes = accessed > 0 ? assign->doing[array].bytes / accessed : NAN,
           by_instructions = call->instructions > 0
                                 ? (double)assign->stream->step_nr / call->instructions
                                 : NAN;

    if (isnan(by_instructions) ||
        (by_bytes < differ * by_instructions && by_bytes > by_instructions / differ))
        return by_bytes;
    return by_instructions;
}

/* Evenly spread, the same each time: only how many is known, not which. */
static double next_random(struct assign *assign)
{
    assign->random = assign->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(assign->random >> 40) / (1 << 24);
}

static void miss(struct assign *assign, size_t i)
{
    int array = assign->array_of[i];
    struct pipeline_access *access = &assign->access[i];
    const struct pipeline_array *of = &assign->call->array[array];
    double anew = assign->doing[array].lines_anew, share = share_of_call(assign, array),
           luck = next_random(assign);

    for (int k = assign->level_nr; k >= 1 && !isnan(share); k--) {
        double chance = of->lines[k] * share / anew;

        if (luck < chance) {
            access->from = (uint8_t)k;
            access->covered =
                of->lines[k] > 0 && next_random(assign) < of->covered[k] / of->lines[k];
            return;
        }
        luck -= chance;
    }
}

static void assign_walk(struct assign *assign, size_t i, double chance)
{
    struct pipeline_access *access = &assign->access[i];

    access->walk =
        access->from > 0 && assign->page_anew[i] && next_random(assign) < chance;
}

/* ---- patterns ---- */

struct walk {
    uint64_t last;
    bool any;
    double stride, same, steps;
    int array;
    double of_array;
};

static void walk_on(struct walk *walk, const struct pipeline_access *access, int array)
{
    if (walk->any) {
        double stride = (double)(int64_t)(access->address - walk->last);

        walk->steps++;
        if (walk->same <= 0) {
            walk->stride = stride;
            walk->same = 1;
        } else { /* the majority vote of Boyer and Moore */
            walk->same += stride == walk->stride ? 1 : -1;
        }
    }
    walk->any = true;
    walk->last = access->address;
    walk->of_array += array == walk->array ? 1 : -1;
    if (walk->of_array < 0) {
        walk->array = array;
        walk->of_array = 1;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct pipeline_access *left = *(const struct pipeline_access *const *)a,
                                 *right = *(const struct pipeline_access *const *)b;

    return left->address < right->address ? -1 : left->address > right->address;
}

/* Bytes touched over bytes of lines touched, of each array; 0 = none. */
static void line_use(const struct assign *assign, double *use)
{
    const struct pipeline_access **sorted = xcalloc(assign->nr + 1, sizeof(*sorted));
    double *lines = xcalloc(assign->call->array_nr + 1, sizeof(*lines));
    uint64_t line = UINT64_MAX, end = 0;

    for (size_t i = 0; i < assign->nr; i++)
        sorted[i] = &assign->access[i];
    qsort(sorted, assign->nr, sizeof(*sorted), by_address);
    for (size_t i = 0; i < assign->nr; i++) {
        uint64_t from = sorted[i]->address, to = from + sorted[i]->bytes;
        int array = assign->array_of[sorted[i] - assign->access];

        if (array < 0)
            continue;
        if (line == UINT64_MAX || from / LINE_BYTES > line)
            lines[array] += (double)((to - 1) / LINE_BYTES -
                                     (line == UINT64_MAX || from / LINE_BYTES > line
                                          ? from / LINE_BYTES - 1
                                          : line));
        else if ((to - 1) / LINE_BYTES > line)
            lines[array] += (double)((to - 1) / LINE_BYTES - line);
        line = line == UINT64_MAX || (to - 1) / LINE_BYTES > line ? (to - 1) / LINE_BYTES
                                                                  : line;
        if (to > end)
            use[array] += (double)(to - (from > end ? from : end));
        end = to > end ? to : end;
    }
    for (size_t a = 0; a < assign->call->array_nr; a++)
        use[a] = lines[a] > 0 ? use[a] / (lines[a] * LINE_BYTES) : 0;
    free(lines);
    free(sorted);
}

/* Of the whole call, as the source accesses it: vector code may load all of a line and
 * use a part. Where no line is brought, as in the stream. */
static double use_of_call(const struct pipeline_array *array, int level_nr,
                          double in_stream)
{
    double lines = 0;

    for (int k = 1; k <= level_nr; k++)
        lines += array->lines[k];
    return lines > 0 && array->accessed_bytes > 0
               ? fmin(array->accessed_bytes / (lines * LINE_BYTES), 1)
               : in_stream;
}

static void find_patterns(const struct assign *assign, struct pipeline_pattern *pattern)
{
    const double nearly_always = 0.6; /* less the others, of all steps */
    size_t nr = assign->stream->instruction_nr;
    struct walk *walk = xcalloc(nr, sizeof(*walk));
    double *use = xcalloc(assign->call->array_nr + 1, sizeof(*use));

    for (size_t i = 0; i < assign->stream->step_nr; i++) {
        const struct pipeline_step *step = &assign->stream->step[i];

        for (uint32_t k = 0; k < step->access_nr; k++)
            walk_on(&walk[step->place], &assign->access[step->access + k],
                    assign->array_of[step->access + k]);
    }
    line_use(assign, use);
    for (size_t a = 0; a < assign->call->array_nr; a++)
        use[a] = use_of_call(&assign->call->array[a], assign->level_nr, use[a]);
    for (size_t p = 0; p < nr; p++) {
        bool known = walk[p].any && walk[p].array >= 0;

        pattern[p] = (struct pipeline_pattern){
            .array = known ? walk[p].array : -1,
            .line_use = known ? use[walk[p].array] : 0,
            .stride = walk[p].steps > 0 && walk[p].same >= nearly_always * walk[p].steps
                          ? walk[p].stride
                          : NAN};
    }
    free(use);
    free(walk);
}

/* ---- the outward call ---- */

void pipeline_assign(const struct pipeline_stream *stream, struct pipeline_access *access,
                     size_t access_nr, const struct pipeline_call *call, int level_nr,
                     struct pipeline_pattern *pattern)
{
    struct assign assign = {.stream = stream,
                            .access = access,
                            .nr = access_nr,
                            .call = call,
                            .level_nr = level_nr,
                            .random = 1};
    double walks = call->instructions > 0
                       ? call->page_walks * (double)stream->step_nr / call->instructions
                       : 0,
           misses_anew = 0;

    assign.array_of = xcalloc(access_nr + 1, sizeof(*assign.array_of));
    assign.anew = xcalloc(access_nr + 1, sizeof(*assign.anew));
    assign.page_anew = xcalloc(access_nr + 1, sizeof(*assign.page_anew));
    assign.doing = xcalloc(call->array_nr + 1, sizeof(*assign.doing));
    look(&assign);
    for (size_t i = 0; i < access_nr; i++) {
        access[i].from = 0;
        access[i].covered = access[i].walk = false;
        if (assign.array_of[i] >= 0 && assign.anew[i])
            miss(&assign, i);
        misses_anew += access[i].from > 0 && assign.page_anew[i];
    }
    for (size_t i = 0; i < access_nr && misses_anew > 0; i++)
        assign_walk(&assign, i, walks / misses_anew);
    find_patterns(&assign, pattern);
    free(assign.array_of);
    free(assign.anew);
    free(assign.page_anew);
    free(assign.doing);
}
