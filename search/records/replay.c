/* Measurements saved with what explains them, and explained again. */
#include "search/records/replay.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* ---- saving ---- */

static json_t *counts_json(const struct kernel_counts *counts)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "iterations",
                     json_quantity(counts->iterations), "accesses",
                     json_quantity(counts->accesses), "bytes",
                     json_quantity(counts->bytes), "flops", json_quantity(counts->flops),
                     "footprint_bytes", json_number_or_null(counts->footprint_bytes),
                     "single_precision", counts->single_precision);
}

json_t *measurement_save_json(const struct measurement *measurement,
                              const struct measurement_origin *origin)
{
    json_t *root = measurement_to_json(measurement);
    const struct {
        const char *key, *text;
    } word[] = {{"kernel", origin->kernel},
                {"file", origin->file},
                {"hash", origin->hash},
                {"compiler", origin->compiler},
                {"date", origin->date}};
    for (size_t i = 0; i < ARRAY_SIZE(word); i++)
        json_object_set_new(root, word[i].key, text_json(word[i].text));
    json_object_set_new(root, "cores",
                        origin->cores > 0 ? json_integer(origin->cores) : json_null());
    json_object_set_new(root, "counts", counts_json(&origin->counts));
    json_object_set_new(root, "machine",
                        origin->machine ? machine_to_json(origin->machine) : json_null());
    return root;
}

/* ---- reading ---- */

static int read_counts(const struct json_at *at, struct kernel_counts *counts,
                       struct error *err)
{
    struct json_at object = {0};
    const struct {
        const char *key;
        struct quantity *value;
    } figure[] = {{"iterations", &counts->iterations},
                  {"accesses", &counts->accesses},
                  {"bytes", &counts->bytes},
                  {"flops", &counts->flops}};
    for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
        *figure[i].value = quantity_unknown();
    if (!json_has(at, "counts"))
        return 0;
    if (json_object_at(at, "counts", &object, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
        if (json_has(&object, figure[i].key) &&
            json_quantity_at(&object, figure[i].key, figure[i].value, err))
            return -1;
    return json_bool_if(&object, "single_precision", &counts->single_precision, err) ||
                   json_number_if(&object, "footprint_bytes", 0, 1e18,
                                  &counts->footprint_bytes, err)
               ? -1
               : 0;
}

static int read_origin(const struct json_at *at, struct measurement_origin *origin,
                       struct error *err)
{
    long long cores = 0;
    const struct {
        const char *key;
        const char **text;
    } word[] = {{"kernel", &origin->kernel},
                {"file", &origin->file},
                {"hash", &origin->hash},
                {"compiler", &origin->compiler},
                {"date", &origin->date}};
    for (size_t i = 0; i < ARRAY_SIZE(word); i++)
        if (json_has(at, word[i].key) &&
            json_string_at(at, word[i].key, word[i].text, err))
            return -1;
    if (json_has(at, "cores") && json_integer_at(at, "cores", 1, 100000, &cores, err))
        return -1;
    origin->cores = (int)cores;
    return read_counts(at, &origin->counts, err);
}

/* Only what ran to its end, was timed and traced can be explained. */
static int check_whole(const char *path, const struct measurement *measurement,
                       struct error *err)
{
    if (measurement->outcome != RUN_OUTCOME_OK || !measurement->time_s.known)
        return fail(err, STATUS_INPUT,
                    "'%s': the measurement ended as '%s'%s%s: there is no time to "
                    "explain",
                    path, run_outcome_word(measurement->outcome),
                    measurement->detail ? ", " : "",
                    measurement->detail ? measurement->detail : "");
    if (!measurement->has_traffic)
        return fail(err, STATUS_INPUT,
                    "'%s' holds times, but not what moved: only an explained measurement "
                    "can be explained again",
                    path);
    return 0;
}

/* ---- the machine that explains it ---- */

/* A copy by its own document: machines are not copied otherwise. */
static int copy_machine(const struct machine *machine, struct machine *out,
                        struct error *err)
{
    json_t *document = machine_to_json(machine);
    struct json_at at = json_top("profile", document);
    int status = machine_from_json(&at, out, err);
    json_decref(document);
    return status;
}

static bool same_machine(const struct machine *a, const struct machine *b)
{
    const char *left = a->fingerprint ? a->fingerprint : a->name;
    const char *right = b->fingerprint ? b->fingerprint : b->name;
    return left && right && !strcmp(left, right);
}

static int choose_machine(const struct json_at *at, const struct machine *other,
                          struct measurement_replay *out, struct error *err)
{
    struct json_at saved = {0};
    struct machine machine = {0};
    bool has = json_has(at, "machine");
    if (has && (json_object_at(at, "machine", &saved, err) ||
                machine_from_json(&saved, &machine, err)))
        return -1;
    if (has) {
        out->measured_on = xstrdup(machine.name);
        out->elsewhere = other && !same_machine(&machine, other);
    }
    if (!other) {
        out->machine = machine;
        return has ? 0
                   : fail(err, STATUS_INPUT,
                          "'%s' does not hold the profile of its machine, as earlier "
                          "versions saved it: name one with --machine (here = this "
                          "machine's)",
                          at->file);
    }
    machine_release(&machine);
    return copy_machine(other, &out->machine, err);
}

static int explain(struct measurement_replay *out, int cores, struct error *err)
{
    out->origin.machine = &out->machine;
    if (cores > 0)
        out->origin.cores = cores;
    if (!out->origin.cores)
        out->origin.cores = out->machine.cores;
    out->measurement.replayed = true;
    return measurement_explain(&out->measurement, &out->machine, out->origin.cores,
                               &out->origin.counts, err);
}

int measurement_replay(const char *path, const struct machine *other, int cores,
                       struct measurement_replay *out, struct error *err)
{
    *out = (struct measurement_replay){0};
    if (json_read_file(path, "inflight.measurement/1", &out->document, err))
        return -1;
    struct json_at at = json_top(path, out->document);
    int status = measurement_from_json(&at, &out->measurement, err);
    if (!status)
        status = check_whole(path, &out->measurement, err);
    if (!status)
        status = read_origin(&at, &out->origin, err);
    if (!status)
        status = choose_machine(&at, other, out, err);
    if (!status)
        status = explain(out, cores, err);
    if (status)
        measurement_replay_release(out);
    return status;
}

void measurement_replay_release(struct measurement_replay *replay)
{
    measurement_release(&replay->measurement);
    machine_release(&replay->machine);
    json_decref(replay->document);
    free(replay->measured_on);
    *replay = (struct measurement_replay){0};
}
