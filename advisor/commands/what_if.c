#include "advisor/commands/what_if.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/base.h"

/* ---- the keys ---- */

#define AT(field) offsetof(struct question, field)

/* What no option of its own says; each is a double. */
static const struct key {
    const char *name;
    int (*parse)(const char *text, const char *what, double *number, struct error *err);
    size_t offset;
    double min, max; /* what any machine could have */
} keys[] = {
    {"l1_mshrs", parse_number, AT(l1_mshrs), 1, 10000},
    {"l2_mshrs", parse_number, AT(l2_mshrs), 1, 10000},
    {"ceiling", parse_bandwidth, AT(ceiling_gbs), 1e-3, 1e5},
    {"line", parse_number, AT(line_bytes), 16, 4096},
};

static int unknown_key(const char *name, struct error *err)
{
    struct buf known = {0};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        buf_addf(&known, "%s%s", i ? ", " : "", keys[i].name);
    fail(
        err, STATUS_USAGE,
        "--what-if: there is no '%s'; known are %s, and --latency, --bandwidth, --cores, "
        "--access, --memory and --machine say the rest",
        name, buf_str(&known));
    buf_release(&known);
    return -1;
}

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

static int set(const char *name, const char *text, struct question *question,
               struct error *err)
{
    const struct key *key = find_key(name);
    double number = 0;
    if (!key)
        return unknown_key(name, err);
    if (key->parse(text, name, &number, err))
        return fail_in(err, "--what-if");
    if (!(number >= key->min && number <= key->max))
        return fail(err, STATUS_USAGE,
                    "--what-if: %s must lie between %g and %g, got '%s'", name, key->min,
                    key->max, text);
    if (key->offset == AT(line_bytes) && fmod(log2(number), 1) != 0)
        return fail(err, STATUS_USAGE,
                    "--what-if: line must be a power of two in bytes, got %g", number);
    *(double *)(void *)((char *)question + key->offset) = number;
    return 0;
}

/* ---- parsing ---- */

/* The words in pairs: name, value. */
static int split(const char *text, struct strvec *words, struct error *err)
{
    while (*text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        if (name == 0 || name + 1 >= length)
            return fail(err, STATUS_USAGE,
                        "--what-if: expected key=value, got '%.*s'; try "
                        "'l1_mshrs=24,l2_mshrs=48'",
                        (int)length, text);
        strvec_pushf(words, "%.*s", (int)name, text);
        strvec_pushf(words, "%.*s", (int)(length - name - 1), text + name + 1);
        text += length + (text[length] == ',');
    }
    return words->nr ? 0
                     : fail(err, STATUS_USAGE,
                            "--what-if: expected key=value, got "
                            "nothing; try 'l1_mshrs=24'");
}

static int check_once(const struct strvec *words, size_t i, struct error *err)
{
    for (size_t k = 0; k < i; k += 2)
        if (!strcmp(words->v[i], words->v[k]))
            return fail(err, STATUS_USAGE, "--what-if: %s is given twice, %s and %s",
                        words->v[i], words->v[k + 1], words->v[i + 1]);
    return 0;
}

int what_if_parse(const char *text, struct question *question, struct strvec *words,
                  struct error *err)
{
    if (split(text, words, err))
        return -1;
    for (size_t i = 0; i < words->nr; i += 2)
        if (check_once(words, i, err) || set(words->v[i], words->v[i + 1], question, err))
            return -1;
    return 0;
}

/* ---- what it says ---- */

/* A queue cannot hold more than it has places: then the bandwidth that was given is not
 * to be had. */
static void add_overfull(const struct answer *answer, enum resource resource,
                         const char *name, struct buf *out)
{
    const struct occupancy_resource *queue = &answer->occupancy.resource[resource];
    struct buf text = {0};
    if (!queue->utilization.known || queue->utilization.low < 1.1)
        return;
    buf_addf(&text, "The %s queue would have to hold ", name);
    buf_add_number(&text, queue->n.value);
    buf_add(&text, " lines and has ");
    buf_add_number(&text, queue->limit.value);
    buf_add(&text, " places: the bandwidth would settle lower");
    if (queue->carries_gbs.known && queue->carries_gbs.value < answer->gbs) {
        buf_add(&text, ", at about ");
        buf_add_number(&text, queue->carries_gbs.value);
        buf_add(&text, " GB/s");
    }
    buf_add(&text, ".");
    buf_add(out, "  ");
    buf_add_wrapped(out, buf_str(&text), 2, 79);
    buf_add(out, "\n");
    buf_release(&text);
}

void what_if_text(const struct strvec *words, const struct answer *answer,
                  struct buf *out)
{
    buf_add(out, "What if ");
    for (size_t i = 0; i < words->nr; i += 2)
        buf_addf(out, "%s%s = %s", i ? ", " : "", words->v[i], words->v[i + 1]);
    buf_add(out, "\n");
    add_overfull(answer, RESOURCE_L1_QUEUE, "L1", out);
    add_overfull(answer, RESOURCE_L2_QUEUE, "L2", out);
    buf_add(out, "\n");
}

json_t *what_if_json(const struct strvec *words)
{
    json_t *assumed = json_object();
    for (size_t i = 0; i < words->nr; i += 2)
        json_object_set_new(assumed, words->v[i], text_json(words->v[i + 1]));
    return assumed;
}
