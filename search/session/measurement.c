#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "search/session/measured.h"
#include "search/space/environment.h"

struct measurement measurement_begun(const struct candidate *candidate,
                                     enum run_outcome outcome)
{
    return (struct measurement){.plan = xstrdup(candidate->plan),
                                .environment = candidate->environment,
                                .outcome = outcome,
                                .time_s = quantity_unknown(),
                                .huge_bytes = -1};
}

void measurement_release(struct measurement *measurement)
{
    free(measurement->plan);
    free(measurement->detail);
    free(measurement->verified_sizes);
    free(measurement->sample);
    free(measurement->note);
    free(measurement->denormal);
    if (measurement->has_traffic)
        traffic_release(&measurement->traffic);
    if (measurement->has_occupancy)
        occupancy_release(&measurement->occupancy);
    if (measurement->account)
        pipeline_account_release(measurement->account);
    free(measurement->account);
    *measurement = (struct measurement){0};
}

char *measurement_failure(const struct measurement *measurement)
{
    const char *detail = measurement->detail;
    if (measurement->outcome == RUN_OUTCOME_OK)
        return xstrdup("it was interrupted before its results were compared");
    if (measurement->outcome == RUN_OUTCOME_WRONG_RESULT && detail)
        return xasprintf("it computes something else (first difference: %s)", detail);
    return xasprintf("%s%s%s", run_outcome_word(measurement->outcome), detail ? ": " : "",
                     detail ? detail : "");
}

bool measurement_still_stops(double at_least_s, double limit_s)
{
    /* Of limits of 1.5 times the fastest, which a call of 1.25 times as much ends at. */
    const double ends_at = 0.8;
    return limit_s > 0 && at_least_s >= ends_at * limit_s;
}

static json_t *time_json(struct quantity time_s)
{
    if (!time_s.known)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:I}", "median", json_number_or_null(time_s.value * 1e9), "low",
        json_number_or_null(time_s.low * 1e9), "high",
        json_number_or_null(time_s.high * 1e9), "runs", (json_int_t)time_s.runs);
}

/* [mean, slowest, launch], what disturbed it, and how long it waited: what was. */
static json_t *sample_json(const struct run_sample *sample)
{
    json_t *list = json_pack("[f, f, i]", sample->seconds * 1e9, sample->slowest_s * 1e9,
                             (int)sample->launch);
    if (sample->disturbed || sample->waited_s > 0)
        json_array_append_new(list, json_integer(sample->disturbed));
    if (sample->waited_s > 0)
        json_array_append_new(list, json_real(sample->waited_s * 1e9));
    return list;
}

static json_t *samples_json(const struct measurement *measurement)
{
    json_t *list = json_array();
    for (size_t i = 0; i < measurement->sample_nr; i++)
        json_array_append_new(list, sample_json(&measurement->sample[i]));
    return list;
}

/* inflight.measurement/1 names these at the top level, for programs that read nothing
 * else. */
static void add_occupancy_json(json_t *root, const struct measurement *measurement)
{
    static const char *const key[] = {"bandwidth_gbs", "latency_ns", "occupancy",
                                      "queues"};
    if (!measurement->has_occupancy) {
        for (size_t i = 0; i < ARRAY_SIZE(key); i++)
            json_object_set_new(root, key[i], json_null());
        json_object_set_new(root, "provenance", json_null());
        return;
    }
    const struct occupancy *occupancy = &measurement->occupancy;
    json_object_set_new(root, key[0], json_quantity(occupancy->bandwidth_gbs));
    json_object_set_new(root, key[1], json_quantity(occupancy->latency_ns));
    json_object_set_new(root, key[2], json_quantity(occupancy->paper_n));
    json_t *detail = occupancy_to_json(occupancy);
    json_t *queues = json_object_get(detail, "resources");
    json_object_set(root, key[3], queues ? queues : json_null());
    json_object_set_new(root, "provenance",
                        json_string(provenance_word(measurement->traffic.provenance)));
    json_object_set_new(root, "analysis", detail);
    json_object_set_new(root, "traffic", traffic_to_json(&measurement->traffic));
    if (measurement->account)
        json_object_set_new(root, "pipeline",
                            pipeline_account_to_json(measurement->account));
}

/* How the samples were taken; null when nothing was. */
static json_t *sampling_json(const struct measurement *measurement)
{
    if (!measurement->launches)
        return json_null();
    return json_pack(
        "{s:I, s:I, s:o, s:o}", "launches", (json_int_t)measurement->launches,
        "disturbed", (json_int_t)measurement->disturbed_nr, "clock_step_ns",
        json_number_or_null(measurement->clock_step_s * 1e9), "call_overhead_ns",
        json_number_or_null(measurement->call_overhead_s * 1e9));
}

json_t *measurement_to_json(const struct measurement *measurement)
{
    json_t *root = json_pack(
        "{s:s, s:s, s:o, s:s, s:o, s:b, s:s?, s:o, s:o, s:o}", "schema",
        "inflight.measurement/1", "plan", measurement->plan, "environment",
        environment_to_json(&measurement->environment), "outcome",
        run_outcome_word(measurement->outcome), "detail", text_json(measurement->detail),
        "verified", (int)measurement->verified, "verified_sizes",
        measurement->verified_sizes, "max_relative_error",
        json_number_or_null(measurement->max_relative_error), "time_ns",
        time_json(measurement->time_s), "samples_ns", samples_json(measurement));
    if (measurement->checked)
        json_object_set_new(root, "checked", json_true());
    json_object_set_new(root, "huge_bytes",
                        measurement->huge_bytes < 0 ? json_null()
                                                    : json_real(measurement->huge_bytes));
    json_object_set_new(root, "sampling", sampling_json(measurement));
    if (measurement->at_least_s > 0)
        json_object_set_new(root, "at_least_ns",
                            json_real(measurement->at_least_s * 1e9));
    if (measurement->note)
        json_object_set_new(root, "note", text_json(measurement->note));
    if (measurement->denormal)
        json_object_set_new(root, "denormal", json_string(measurement->denormal));
    if (measurement->memory_latency_ns > 0)
        json_object_set_new(root, "memory_latency_ns",
                            json_real(measurement->memory_latency_ns));
    if (measurement->cost_s > 0)
        json_object_set_new(root, "cost_s", json_real(measurement->cost_s));
    add_occupancy_json(root, measurement);
    return root;
}

static int read_time(const struct json_at *at, struct quantity *time_s, struct error *err)
{
    struct json_at time = {0};
    double median = 0, low = 0, high = 0;
    long long runs = 0;
    *time_s = quantity_unknown();
    if (!json_has(at, "time_ns"))
        return 0;
    if (json_object_at(at, "time_ns", &time, err) ||
        json_number_at(&time, "median", 0, 1e18, &median, err) ||
        json_number_at(&time, "low", 0, 1e18, &low, err) ||
        json_number_at(&time, "high", 0, 1e18, &high, err) ||
        json_integer_at(&time, "runs", 0, 1000000000, &runs, err))
        return -1;
    if (!(low > 0))
        return json_fail(&time, err, "expected a time above 0");
    if (median < low || median > high)
        return json_fail(&time, err,
                         "expected low <= median <= high, got %.10g, %.10g, %.10g", low,
                         median, high);
    *time_s = quantity_between(median * 1e-9, low * 1e-9, high * 1e-9, (size_t)runs,
                               PROVENANCE_CLOCK);
    return 0;
}

static int read_sample(const struct json_at *at, void *into, struct error *err)
{
    struct measurement *out = into;
    double value[5] = {0};
    size_t nr = json_array_size(at->node);
    if (nr < 3 || nr > ARRAY_SIZE(value))
        return json_fail(at, err,
                         "expected [mean, slowest, launch], and after that at most what "
                         "disturbed it and how long it waited");
    for (size_t i = 0; i < nr; i++) {
        struct json_at number = json_element(at, i);
        if (json_number_here(&number, 0, i == 3 ? RUN_DISTURBED_ALL : 1e18, &value[i],
                             err))
            return -1;
    }
    out->sample[out->sample_nr++] = (struct run_sample){.seconds = value[0] * 1e-9,
                                                        .slowest_s = value[1] * 1e-9,
                                                        .launch = (unsigned)value[2],
                                                        .disturbed = (unsigned)value[3],
                                                        .waited_s = value[4] * 1e-9};
    return 0;
}

static int read_samples(const struct json_at *at, struct measurement *out,
                        struct error *err)
{
    out->sample = xcalloc(json_size_at(at, "samples_ns") + 1, sizeof(*out->sample));
    return json_each(at, "samples_ns", 0, SIZE_MAX, read_sample, out, err);
}

static int read_environment(const struct json_at *at, struct environment *environment,
                            struct error *err)
{
    struct json_at object = {0};
    return json_object_at(at, "environment", &object, err) ||
                   environment_from_json(&object, environment, err)
               ? -1
               : 0;
}

static int read_outcome(const struct json_at *at, struct measurement *out,
                        struct error *err)
{
    const char *outcome = NULL;
    if (json_string_at(at, "outcome", &outcome, err))
        return -1;
    if (!run_outcome_from_word(outcome, &out->outcome))
        return json_fail(at, err, "outcome: unknown word \"%s\"", outcome);
    /* Older documents do not say "checked": it is compared anew. */
    return json_copy_if(at, "detail", &out->detail, err) ||
                   json_copy_if(at, "note", &out->note, err) ||
                   json_copy_if(at, "denormal", &out->denormal, err) ||
                   json_copy_if(at, "verified_sizes", &out->verified_sizes, err) ||
                   json_bool_if(at, "checked", &out->checked, err) ||
                   json_bool_at(at, "verified", &out->verified, err)
               ? -1
               : 0;
}

/* Older documents do not say it. */
static int read_sampling(const struct json_at *at, struct measurement *out,
                         struct error *err)
{
    struct json_at sampling = {0};
    long long launches = 0, disturbed = 0;
    double step_ns = 0, overhead_ns = 0;
    if (!json_has(at, "sampling"))
        return 0;
    if (json_object_at(at, "sampling", &sampling, err) ||
        json_integer_at(&sampling, "launches", 0, 1000000000, &launches, err) ||
        json_integer_at(&sampling, "disturbed", 0, 1000000000, &disturbed, err) ||
        json_number_if(&sampling, "clock_step_ns", 0, 1e12, &step_ns, err) ||
        json_number_if(&sampling, "call_overhead_ns", 0, 1e12, &overhead_ns, err))
        return -1;
    out->launches = (unsigned)launches;
    out->disturbed_nr = (size_t)disturbed;
    out->clock_step_s = step_ns * 1e-9;
    out->call_overhead_s = overhead_ns * 1e-9;
    return 0;
}

static int read_traffic(const struct json_at *at, struct measurement *out,
                        struct error *err)
{
    struct json_at traffic = {0};
    if (!json_has(at, "traffic"))
        return 0;
    if (json_object_at(at, "traffic", &traffic, err) ||
        traffic_from_json(&traffic, &out->traffic, err))
        return -1;
    out->has_traffic = true;
    return 0;
}

static int read_account(const struct json_at *at, struct measurement *out,
                        struct error *err)
{
    struct json_at account = {0};
    if (!json_has(at, "pipeline"))
        return 0;
    out->account = xcalloc(1, sizeof(*out->account));
    return json_object_at(at, "pipeline", &account, err) ||
                   pipeline_account_from_json(&account, out->account, err)
               ? -1
               : 0;
}

int measurement_from_json(const struct json_at *at, struct measurement *measurement,
                          struct error *err)
{
    struct measurement out = {.huge_bytes = -1};
    if (json_copy_at(at, "plan", &out.plan, err) ||
        read_environment(at, &out.environment, err) || read_outcome(at, &out, err) ||
        read_time(at, &out.time_s, err) || read_samples(at, &out, err) ||
        read_sampling(at, &out, err) || read_traffic(at, &out, err) ||
        read_account(at, &out, err)) {
        measurement_release(&out);
        return -1;
    }
    /* Figures beside: what cannot be counts as not said. */
    double at_least_ns = 0;
    json_number_if(at, "max_relative_error", 0, 1e300, &out.max_relative_error, NULL);
    json_number_if(at, "memory_latency_ns", 0, 1e9, &out.memory_latency_ns, NULL);
    json_number_if(at, "cost_s", 0, 1e9, &out.cost_s, NULL);
    json_number_if(at, "at_least_ns", 0, 1e18, &at_least_ns, NULL);
    json_number_if(at, "huge_bytes", 0, 1e18, &out.huge_bytes, NULL);
    out.at_least_s = at_least_ns * 1e-9;
    *measurement = out;
    return 0;
}

char *candidate_text(const struct candidate *candidate)
{
    char *around = environment_phrase(&candidate->environment);
    char *text = xasprintf("%s%s%s", *candidate->plan ? candidate->plan : "as written",
                           *around ? ", " : "", around);
    free(around);
    return text;
}

/* What is in databases keeps its name: word[0] of the hash, without the text's end. */
char *candidate_hash(const char *kernel_hash, const struct candidate *candidate)
{
    struct hash hash = hash_begin();
    char *text = candidate_text(candidate);
    hash_add(&hash, kernel_hash, strlen(kernel_hash));
    hash_add(&hash, "|", 1);
    hash_add(&hash, text, strlen(text));
    free(text);
    return hash_hex_short(&hash);
}
