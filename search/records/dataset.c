/* A space that was measured whole: from the file to a subject and a runner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/session/subject.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"

static const char schema[] = "inflight.space/1";

struct dataset {
    json_t *document;
    char *name, *scratch;
    struct machine machine;
    int cores;
    struct kernel *kernel;
    struct kernel_counts counts;
    struct strvec plans;         /* of `entry` */
    struct dataset_entry *entry; /* borrow from plans */
    unsigned *measured;          /* how often each was, since the last seed */
    json_t **measurement;        /* borrowed from the document */
    size_t nr;
    unsigned long long seed;
    unsigned compared; /* comparisons since then */
};

/* ---- writing ---- */

json_t *dataset_json(const struct dataset_about *about)
{
    char *date = date_now();
    json_t *kernel =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "function", about->name, "file",
                  about->file, "source", text_json(about->source), "words",
                  json_strvec(about->words), "cflags", json_strvec(about->cflags));
    json_t *compiler = json_pack("{s:s, s:o}", "version", about->compiler, "flags",
                                 json_strvec(about->flags));
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:i, s:o}", "schema", schema, "date",
                             date, "kernel", kernel, "compiler", compiler, "cores",
                             about->cores, "machine", machine_to_json(about->machine));
    free(date);
    return root;
}

json_t *dataset_measurement_json(const struct measurement *measurement)
{
    static const char *const computed[] = {"analysis", "queues", "note"};
    json_t *document = measurement_to_json(measurement);
    for (size_t i = 0; i < ARRAY_SIZE(computed); i++)
        json_object_del(document, computed[i]);
    return document;
}

/* ---- reading ---- */

/* The source as a file of its own: libclang reads files. */
static int write_source(struct dataset *dataset, const struct json_at *at, char **path,
                        struct error *err)
{
    const char *file = NULL, *source = NULL;
    if (json_string_at(at, "file", &file, err) ||
        json_string_at(at, "source", &source, err))
        return -1;
    if (!*path_base(file))
        return json_fail(at, err, "file: a name is needed, not '%s'", file);
    if (scratch_make(&dataset->scratch, err))
        return -1;
    *path = path_join(dataset->scratch, path_base(file));
    return file_write(*path, source, strlen(source), err);
}

static int read_kernel(struct dataset *dataset, const struct json_at *top,
                       struct error *err)
{
    struct json_at at = {0};
    struct kernel_request request = {0};
    const char *function = NULL;
    char *path = NULL;
    int status = json_object_at(top, "kernel", &at, err);
    if (!status)
        status = json_string_at(&at, "function", &function, err);
    if (!status)
        status = json_strings_at(&at, "words", &request.words, err);
    if (!status)
        status = json_strings_at(&at, "cflags", &request.cflags, err);
    if (!status)
        status = write_source(dataset, &at, &path, err);
    request.path = path;
    request.function = function;
    if (!status)
        status = kernel_open(&request, &dataset->kernel, err);
    if (!status)
        status = kernel_bind(dataset->kernel, err);
    strvec_release(&request.words);
    strvec_release(&request.cflags);
    free(path);
    return status;
}

static int read_machine(struct dataset *dataset, const struct json_at *top,
                        struct error *err)
{
    struct json_at at = {0};
    long long cores = 0;
    if (json_integer_at(top, "cores", 1, 100000, &cores, err) ||
        json_object_at(top, "machine", &at, err))
        return -1;
    dataset->cores = (int)cores;
    return machine_from_json(&at, &dataset->machine, err);
}

static const struct environment plain = {0};

static size_t find(const struct dataset *dataset, const char *plan)
{
    size_t i = 0;
    while (i < dataset->nr && strcmp(dataset->plans.v[i], plan))
        i++;
    return i;
}

static int add_measurement(const struct json_at *at, void *into, struct error *err)
{
    struct dataset *dataset = into;
    struct measurement read = {0};
    if (measurement_from_json(at, &read, err))
        return -1;
    int status = 0;
    if (!environments_equal(&read.environment, &plain))
        status =
            json_fail(at, err, "environment: a space has none, '%s' does", read.plan);
    else if (find(dataset, read.plan) < dataset->nr)
        status = json_fail(at, err, "plan: '%s' is there twice", read.plan);
    else {
        strvec_push(&dataset->plans, read.plan);
        dataset->entry[dataset->nr] = (struct dataset_entry){
            .time_s = read.time_s, .cost_s = read.cost_s, .explained = read.has_traffic};
        dataset->measurement[dataset->nr++] = (json_t *)at->node;
    }
    measurement_release(&read);
    return status;
}

static int check_baseline(const struct dataset *dataset, const struct json_at *list,
                          struct error *err)
{
    if (dataset->nr < 2)
        return json_fail(list, err, "a space has at least two variants");
    if (*dataset->plans.v[0] || !dataset->entry[0].time_s.known ||
        !dataset->entry[0].explained)
        return json_fail(list, err,
                         "the first must be the kernel as written, with time and "
                         "traffic");
    return 0;
}

static int read_measurements(struct dataset *dataset, const struct json_at *top,
                             struct error *err)
{
    struct json_at list = {0};
    size_t nr = 0;
    if (json_array_at(top, "measurements", &list, &nr, err))
        return -1;
    dataset->entry = xcalloc(nr + 1, sizeof(*dataset->entry));
    dataset->measured = xcalloc(nr + 1, sizeof(*dataset->measured));
    dataset->measurement = xcalloc(nr + 1, sizeof(*dataset->measurement));
    if (json_each_here(&list, add_measurement, dataset, err))
        return -1;
    for (size_t i = 0; i < dataset->nr; i++)
        dataset->entry[i].plan = dataset->plans.v[i];
    return check_baseline(dataset, &list, err);
}

int dataset_load(const char *path, struct dataset **out, struct error *err)
{
    struct dataset *dataset = xcalloc(1, sizeof(*dataset));
    struct json_at top = {0};
    int status = json_read_file(path, schema, &dataset->document, err);
    if (!status) {
        top = json_top(path, dataset->document);
        status = read_machine(dataset, &top, err);
    }
    if (!status)
        status = read_kernel(dataset, &top, err);
    if (!status)
        status = read_measurements(dataset, &top, err);
    if (status) {
        dataset_free(dataset);
        return -1;
    }
    dataset->name = xstrdup(kernel_name(dataset->kernel));
    dataset->counts = kernel_counts(dataset->kernel);
    *out = dataset;
    return 0;
}

void dataset_free(struct dataset *dataset)
{
    if (!dataset)
        return;
    kernel_free(dataset->kernel);
    machine_release(&dataset->machine);
    strvec_release(&dataset->plans);
    json_decref(dataset->document);
    if (dataset->scratch)
        scratch_remove(dataset->scratch);
    free(dataset->entry);
    free(dataset->measured);
    free(dataset->measurement);
    free(dataset->name);
    free(dataset);
}

const char *dataset_name(const struct dataset *dataset)
{
    return dataset->name;
}

const struct dataset_entry *dataset_entries(const struct dataset *dataset, size_t *nr)
{
    *nr = dataset->nr;
    return dataset->entry;
}

void dataset_seed(struct dataset *dataset, unsigned long long seed)
{
    dataset->seed = seed;
    dataset->compared = 0;
    memset(dataset->measured, 0, (dataset->nr + 1) * sizeof(*dataset->measured));
}

/* ---- the subject ---- */

static struct kernel_view subject_view(void *data)
{
    return kernel_view(((struct dataset *)data)->kernel);
}

static struct kernel_counts subject_counts(void *data)
{
    return ((struct dataset *)data)->counts;
}

static int subject_check(void *data, const char *plan, struct error *err)
{
    const struct dataset *dataset = data;
    if (find(dataset, plan) < dataset->nr)
        return 0;
    return fail(err, STATUS_ILLEGAL, "plan '%s' was not measured in this space", plan);
}

struct search_subject dataset_subject(struct dataset *dataset)
{
    return (struct search_subject){.data = dataset,
                                   .view = subject_view,
                                   .counts = subject_counts,
                                   .check = subject_check,
                                   .machine = &dataset->machine,
                                   .cores = dataset->cores,
                                   .space = &dataset->plans};
}

/* ---- the runner ---- */

/* What is drawn: of these words, for the n-th time. */
struct drawn {
    const char *words;
    unsigned nth;
};

/* In (0, 1), the same for the same words and number. */
static double draw(const struct dataset *dataset, struct drawn of, const char *salt)
{
    struct hash hash = hash_begin();
    hash_add(&hash, &dataset->seed, sizeof(dataset->seed));
    hash_add(&hash, &of.nth, sizeof(of.nth));
    hash_add(&hash, of.words, strlen(of.words) + 1);
    hash_add(&hash, salt, strlen(salt));
    return ((double)(hash.word[0] >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller 1958. */
static double draw_normal(const struct dataset *dataset, struct drawn of)
{
    const double two_pi = 6.283185307179586;
    return sqrt(-2 * log(draw(dataset, of, "radius"))) *
           cos(two_pi * draw(dataset, of, "angle"));
}

/* Half the width of the 95 % interval, of the logarithm. */
static double half_width(struct quantity time_s)
{
    return time_s.low > 0 && time_s.high > time_s.low ? log(time_s.high / time_s.low) / 2
                                                      : 0;
}

static struct quantity scattered(const struct dataset *dataset, struct drawn of,
                                 double value, double half)
{
    const double normal_95 = 1.96;
    if (dataset->seed)
        value *= exp(half / normal_95 * draw_normal(dataset, of));
    return quantity_between(value, value * exp(-half), value * exp(half), 4,
                            PROVENANCE_RECORDED);
}

/* As recorded it is the same each time; drawn anew, each time is another run. */
static int answer(struct dataset *dataset, size_t i, struct measurement *out,
                  struct error *err)
{
    struct json_at at = json_top("recorded space", dataset->measurement[i]);
    if (measurement_from_json(&at, out, err))
        return -1;
    out->replayed = true;
    if (!out->time_s.known)
        return 0;
    struct drawn of = {out->plan, dataset->measured[i]++};
    out->time_s = scattered(dataset, of, out->time_s.value, half_width(out->time_s));
    if (!out->has_traffic)
        return 0;
    return measurement_explain(out, &dataset->machine, dataset->cores, &dataset->counts,
                               err);
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    struct dataset *dataset = data;
    size_t i = find(dataset, candidate->plan);
    (void)effort;
    (void)stop_at_s;
    if (i < dataset->nr && environments_equal(&candidate->environment, &plain))
        return answer(dataset, i, out, err);
    *out = measurement_begun(candidate, RUN_OUTCOME_NOT_BUILT);
    out->detail = xstrdup("it is not in the recorded space");
    out->replayed = true;
    return 0;
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    struct dataset *dataset = data;
    size_t i = find(dataset, a->plan), k = find(dataset, b->plan);
    (void)seconds;
    (void)err;
    *ratio = quantity_unknown();
    if (i == dataset->nr || k == dataset->nr || !dataset->entry[i].time_s.known ||
        !dataset->entry[k].time_s.known)
        return 0;
    struct quantity left = dataset->entry[i].time_s, right = dataset->entry[k].time_s;
    double half = hypot(half_width(left), half_width(right)) / 2;
    char *words = xasprintf("%s : %s", a->plan, b->plan);
    *ratio = scattered(dataset, (struct drawn){words, dataset->compared++},
                       left.value / right.value, half);
    free(words);
    return 0;
}

struct search_runner dataset_runner(struct dataset *dataset)
{
    return (struct search_runner){
        .data = dataset, .measure = measure, .compare = compare};
}
