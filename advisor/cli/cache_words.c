#include "advisor/cli/cli.h"
#include "core/base/error.h"
#include "core/base/figures.h"
#include "core/store/store.h"
#include "core/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 1024, LINE_MIN = 8, LINE_MAX = 4096 };

static int bad(const char *word, struct error *err)
{
    return fail(err, STATUS_USAGE,
                "--cache: '%s' is not understood; expected levels from L1 on, such as "
                "L1=32KiB:8,L2=1MiB:16,L3=8MiB:16:inclusive",
                word);
}

static bool read_inclusion(const char *word, struct traffic_cache *cache)
{
    static const struct {
        const char *word;
        enum traffic_inclusion inclusion;
    } known[] = {{"inclusive", TRAFFIC_INCLUSIVE}, {"exclusive", TRAFFIC_EXCLUSIVE}};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (!strcmp(word, known[i].word)) {
            cache->inclusion = known[i].inclusion;
            return true;
        }
    return false;
}

static int read_ways(const char *word, struct traffic_cache *cache, struct error *err)
{
    long long ways = 0;
    if (parse_count(word, "--cache", &ways, err))
        return -1;
    if (ways < 1 || ways > WAYS_MAX)
        return fail(err, STATUS_USAGE, "--cache: expected 1 to %d ways, got '%s'",
                    WAYS_MAX, word);
    cache->ways = (int)ways;
    return 0;
}

/* "=BYTES[:WAYS][:inclusive|:exclusive]" behind the level's name. */
static int read_level(char *text, struct traffic_cache *cache, struct error *err)
{
    char *rest = NULL, *word = strtok_r(text, ":", &rest);
    if (!word || parse_size(word, "--cache", &cache->bytes, err))
        return word ? -1 : bad("", err);
    if (cache->bytes < 64)
        return fail(err, STATUS_USAGE, "--cache: '%s' is too small for a cache", word);
    while ((word = strtok_r(NULL, ":", &rest)))
        if (!read_inclusion(word, cache) && read_ways(word, cache, err))
            return -1;
    return 0;
}

static int read_levels(char *text, struct traffic_geometry *geometry, struct error *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word;
         word = strtok_r(NULL, ",", &rest)) {
        int level = geometry->level_nr + 1;
        if (level > TRAFFIC_LEVELS_MAX)
            return fail(err, STATUS_USAGE, "--cache: at most %d levels are modelled",
                        TRAFFIC_LEVELS_MAX);
        if (word[0] != 'L' || word[1] != '0' + level || word[2] != '=')
            return bad(word, err);
        geometry->level[level - 1] = (struct traffic_cache){0};
        if (read_level(word + 3, &geometry->level[level - 1], err))
            return -1;
        geometry->level_nr = level;
    }
    return geometry->level_nr ? 0 : bad("", err);
}

int cache_words_read(const char *text, struct traffic_geometry *geometry,
                     struct error *err)
{
    char *copy = xstrdup(text);
    geometry->level_nr = 0;
    int status = read_levels(copy, geometry, err);
    free(copy);
    return status;
}

int cache_line_read(long long bytes, struct traffic_geometry *geometry, struct error *err)
{
    if (bytes < LINE_MIN || bytes > LINE_MAX || (bytes & (bytes - 1)))
        return fail(err, STATUS_USAGE,
                    "--line: expected a power of two from %d to %d bytes, got %lld",
                    LINE_MIN, LINE_MAX, bytes);
    geometry->line_bytes = (int)bytes;
    return 0;
}
