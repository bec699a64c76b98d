#include "variants/plan/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "variants/plan/plan_table.h"

/* ---- the steps that there are ---- */

/* Open addressing; never more than half full. Reachable until the program ends. */
static struct {
    const struct plan_step **slot;
    size_t nr, size;
} steps;

static uint64_t step_hash(const struct plan_step *step)
{
    struct hash hash = hash_begin();
    hash_add(&hash, &step->kind, sizeof(step->kind));
    hash_add(&hash, &step->nest, sizeof(step->nest));
    hash_add(&hash, step->option, sizeof(step->option));
    hash_text(&hash, step->at ? step->at : "");
    for (size_t i = 0; i < step->arg_nr; i++) {
        hash_text(&hash, step->arg[i].name);
        hash_add(&hash, &step->arg[i].value, sizeof(step->arg[i].value));
    }
    return hash.word[0];
}

static bool args_equal(const struct step_arg *a, const struct step_arg *b)
{
    return !strcmp(a->name, b->name) && a->value == b->value &&
           a->has_value == b->has_value;
}

static bool steps_equal(const struct plan_step *a, const struct plan_step *b)
{
    bool same = a->kind == b->kind && a->nest == b->nest && a->arg_nr == b->arg_nr &&
                !memcmp(a->option, b->option, sizeof(a->option)) && !a->at == !b->at &&
                (!a->at || !strcmp(a->at, b->at));
    for (size_t i = 0; same && i < a->arg_nr; i++)
        same = args_equal(&a->arg[i], &b->arg[i]);
    return same;
}

/* Where the step stands, or belongs. */
static const struct plan_step **find_slot(const struct plan_step *step)
{
    size_t at = step_hash(step) % steps.size;
    while (steps.slot[at] && !steps_equal(steps.slot[at], step))
        at = (at + 1) % steps.size;
    return &steps.slot[at];
}

static void make_room(void)
{
    const struct plan_step **old = steps.slot;
    size_t nr = steps.size;
    if (2 * (steps.nr + 1) <= steps.size)
        return;
    steps.size = steps.size ? 2 * steps.size : 256;
    steps.slot = xcalloc(steps.size, sizeof(const struct plan_step *));
    for (size_t i = 0; i < nr; i++)
        if (old[i])
            *find_slot(old[i]) = old[i];
    free(old);
}

static struct plan_step *step_copy(const struct plan_step *step)
{
    struct plan_step *copy = xcalloc(1, sizeof(*copy));
    struct step_arg *arg = xcalloc(step->arg_nr + 1, sizeof(*arg));
    *copy = *step;
    for (size_t i = 0; i < step->arg_nr; i++) {
        arg[i] = step->arg[i];
        arg[i].name = xstrdup(step->arg[i].name);
    }
    copy->arg = arg;
    copy->at = xstrdup(step->at);
    return copy;
}

const struct plan_step *plan_step_get(const struct plan_step *like)
{
    struct plan_step step = *like;
    if (step.option[OPTION_TO] == 1) /* L1 is what it means without a word, too */
        step.option[OPTION_TO] = 0;
    make_room();
    const struct plan_step **slot = find_slot(&step);
    if (!*slot) {
        *slot = step_copy(&step);
        steps.nr++;
    }
    return *slot;
}

const struct plan_step *plan_step_with_args(const struct plan_step *step,
                                            const struct step_arg *arg, size_t nr)
{
    struct plan_step other = *step;
    other.arg = arg;
    other.arg_nr = nr;
    return plan_step_get(&other);
}

const struct plan_step *plan_step_with_nest(const struct plan_step *step, int nest)
{
    struct plan_step other = *step;
    other.nest = nest;
    return step->nest == nest ? step : plan_step_get(&other);
}

const struct step_arg *plan_step_arg(const struct plan_step *step, const char *name)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (!strcmp(step->arg[i].name, name))
            return &step->arg[i];
    return NULL;
}

bool plan_step_means(const struct plan_step *step, size_t nest)
{
    return !step->nest || (size_t)step->nest == nest + 1;
}

/* ---- plans ---- */

bool plan_has(const struct plan *plan, enum step_kind kind)
{
    for (size_t i = 0; plan && i < plan->step_nr; i++)
        if (plan->step[i]->kind == kind)
            return true;
    return false;
}

struct plan plan_without(const struct plan *plan, enum step_kind kind)
{
    struct plan rest = {0};
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i]->kind != kind)
            plan_append(&rest, plan->step[i]);
    return rest;
}

bool plan_has_step(const struct plan *plan, const struct plan_step *step)
{
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i] == step)
            return true;
    return false;
}

bool plans_equal(const struct plan *a, const struct plan *b)
{
    return a->step_nr == b->step_nr &&
           !memcmp(a->step, b->step, a->step_nr * sizeof(a->step[0]));
}

uint64_t plan_hash(const struct plan *plan)
{
    struct hash hash = hash_begin();
    for (size_t i = 0; i < plan->step_nr; i++) {
        uint64_t one = step_hash(plan->step[i]);
        hash_add(&hash, &one, sizeof(one));
    }
    return hash.word[0];
}

bool plan_insert(struct plan *plan, size_t at, const struct plan_step *step)
{
    if (plan->step_nr == PLAN_STEPS_MAX)
        return false;
    memmove(&plan->step[at + 1], &plan->step[at],
            (plan->step_nr - at) * sizeof(plan->step[0]));
    plan->step[at] = step;
    plan->step_nr++;
    return true;
}

bool plan_append(struct plan *plan, const struct plan_step *step)
{
    return plan_insert(plan, plan->step_nr, step);
}

void plan_remove(struct plan *plan, size_t at)
{
    plan->step_nr--;
    memmove(&plan->step[at], &plan->step[at + 1],
            (plan->step_nr - at) * sizeof(plan->step[0]));
}

/* ---- text ---- */

static void add_options(const struct plan_step *step, struct buf *out)
{
    bool first = !step->arg_nr;
    for (size_t i = 0; i < OPTION_NR; i++) {
        const struct option_shape *option = option_shape((enum step_option)i);
        if (!step->option[i])
            continue;
        buf_addf(out, "%c%s:", first ? '(' : ',', option->name);
        if (option->word[0])
            buf_add(out, option->word[step->option[i] - 1]);
        else if (!option->high)
            buf_add(out, step->at);
        else
            buf_addf(out, "%lld", step->option[i]);
        first = false;
    }
    if (!first)
        buf_add(out, ")");
}

void plan_step_text(const struct plan_step *step, struct buf *out)
{
    buf_add(out, transformation_of(step->kind)->name);
    for (size_t i = 0; i < step->arg_nr; i++) {
        buf_addf(out, "%s%s", i ? "," : "(", step->arg[i].name);
        if (step->arg[i].has_value)
            buf_addf(out, ":%lld", step->arg[i].value);
    }
    add_options(step, out);
}

char *plan_text(const struct plan *plan)
{
    struct buf text = {0};
    int nest = 0;
    for (size_t i = 0; i < plan->step_nr; i++) {
        const struct plan_step *step = plan->step[i];
        buf_add(&text, i ? " " : "");
        if (step->nest != nest && step->nest)
            buf_addf(&text, "nest(%d) ", step->nest);
        else if (step->nest != nest)
            buf_add(&text, "nest(all) ");
        nest = step->nest;
        plan_step_text(step, &text);
    }
    return buf_detach(&text);
}

/* What transformations.def says, as a table. */
enum { UNROLL_MAX = 64, NARROW_MAX = 65535, TABLES_MAX = 16 };
#define WHEN_MAX (1LL << 60) /* no loop counts so far: MODEL_FAR */

#define OPTION(name) (1U << OPTION_##name)

static const struct transformation table[] = {
#define TRANSFORMATION(kind, hook, ...) [STEP_##kind] = {__VA_ARGS__},
#define SETTING(kind, ...)              [STEP_##kind] = {__VA_ARGS__},
#include "variants/plan/transformations.def"
};

static const struct option_shape options[] = {
    [OPTION_TO] = {.name = "to", .word = {"L1", "L2", "NT"}},
    [OPTION_SHIFT] = {.name = "shift", .high = PLAN_VALUE_MAX},
    [OPTION_WIDTH] = {.name = "width", .high = UNROLL_MAX},
    [OPTION_INTERLEAVE] = {.name = "interleave", .high = 16},
    [OPTION_SCHEDULE] = {.name = "schedule", .word = {"static", "dynamic", "guided"}},
    [OPTION_CHUNK] = {.name = "chunk", .high = PLAN_VALUE_MAX},
    [OPTION_AT] = {.name = "at"},
};

const struct option_shape *option_shape(enum step_option option)
{
    return &options[option];
}

const char *schedule_word(enum step_schedule schedule)
{
    return schedule ? options[OPTION_SCHEDULE].word[schedule - 1] : NULL;
}

const struct transformation *transformations(size_t *nr)
{
    *nr = ARRAY_SIZE(table);
    return table;
}

const struct transformation *transformation_of(enum step_kind kind)
{
    return &table[kind];
}

static int by_place(const void *a, const void *b)
{
    return table[*(const enum step_kind *)a].search.place -
           table[*(const enum step_kind *)b].search.place;
}

size_t step_kinds_placed(enum step_kind kind[STEP_KIND_NR])
{
    size_t nr = 0;
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (table[i].search.place)
            kind[nr++] = (enum step_kind)i;
    qsort(kind, nr, sizeof(*kind), by_place);
    return nr;
}

const char *plan_step_rule(const struct plan_step *step)
{
    const struct transformation *row = &table[step->kind];
    bool second = step->option[OPTION_TO] == PREFETCH_L2 && row->rule[1].word;
    return row->rule[second].word;
}

bool plan_follows(const char *text, const char *word)
{
    struct plan plan = {0};
    bool found = false;
    if (plan_read(text, &plan, NULL))
        return false;
    for (size_t i = 0; i < plan.step_nr && !found; i++) {
        const char *rule = plan.step[i]->kind == STEP_VEC ? table[STEP_SIMD].rule[0].word
                                                          : plan_step_rule(plan.step[i]);
        found = rule && !strcmp(rule, word);
    }
    return found;
}

enum step_kind step_kind_of_rule(const char *word, size_t *variant)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        for (size_t k = 0; k < ARRAY_SIZE(table[i].rule); k++)
            if (table[i].rule[k].word && !strcmp(table[i].rule[k].word, word)) {
                *variant = k;
                return (enum step_kind)i;
            }
    return STEP_KIND_NR;
}

/* The same letters, whatever the case; "-" is "_". */
static bool is_spelled(const char *text, size_t length, const char *name)
{
    size_t i = 0;
    for (; i < length && name[i]; i++)
        if ((text[i] == '-' ? '_' : tolower((unsigned char)text[i])) != name[i])
            return false;
    return i == length && (!name[i] || name[i] == ' ');
}

static bool is_also(const struct transformation *row, const char *name, size_t length)
{
    for (const char *at = row->also; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (is_spelled(name, length, at))
            return true;
    return false;
}

static enum step_kind kind_named(const char *name, size_t length, size_t *variant)
{
    *variant = 0;
    for (unsigned i = 0; i < STEP_KIND_NR; i++)
        if (is_spelled(name, length, table[i].name) || is_also(&table[i], name, length))
            return (enum step_kind)i;
    for (unsigned i = 0; i < STEP_KIND_NR; i++)
        for (size_t k = 0; k < ARRAY_SIZE(table[i].rule); k++)
            if (table[i].rule[k].word &&
                is_spelled(name, length, table[i].rule[k].word)) {
                *variant = k;
                return (enum step_kind)i;
            }
    return STEP_KIND_NR;
}

enum step_kind step_kind_named(const char *name, size_t *variant)
{
    return kind_named(name, strlen(name), variant);
}

bool step_names_array(enum step_kind kind, size_t i)
{
    return table[kind].names == NAMES_ARRAYS ||
           (table[kind].names == NAMES_ARRAY_THEN_LOOPS && i == 0);
}

/* Text to plan: the grammar, by what the table says of each step. */
enum { NESTS_MAX = 999 };

/* A step while it is read. */
struct reading {
    const struct transformation *row;
    struct plan_step step;
    struct step_arg *arg;
    size_t arg_nr, arg_alloc;
    struct strvec names; /* of the arguments */
    char *at;
};

static void reading_release(struct reading *reading)
{
    strvec_release(&reading->names);
    free(reading->arg);
    free(reading->at);
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* An identifier, or a path of fields: p.x, g->v. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    if (isdigit((unsigned char)*at))
        return 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' ||
           (length && (at[length] == '.' || !strncmp(at + length, "->", 2))))
        length += at[length] == '-' ? 2 : 1;
    return length;
}

/* A word that may name a step: also unroll-and-jam. */
static size_t step_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' ||
           (length && at[length] == '-' && isalpha((unsigned char)at[length + 1])))
        length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

/* What advice names and no plan can do. */
#define HUGE_PAGES                                                                       \
    "huge pages are the caller's to allocate: 'inflight measure --pages huge' measures " \
    "them, and tune tries them by itself"
static const struct step_by_hand by_hand[] = {
    {"scalar_replace", "keep array elements in registers", true},
    {"soa", "an array for each field in place of an array of structs", false},
    {"sort", "look-ups in the order of the places they go to", false},
    {"scalar_temporaries", "variables in place of arrays that live an iteration", false},
    {"collapse", "one long loop in place of short nested ones", false},
    {"scan", "sums within a few elements first, one addition of them in the chain",
     false},
    {"reuse_buffer", "memory that is kept from call to call", false},
    {"flush_denormals", "numbers too small to be normal taken as 0", false},
    {"hoist", "a value that stays the same, computed before the loop", false},
    {"ignore_errno", "square roots that set no errno: -fno-math-errno", false},
    {"block_search", "blocks of elements asked at once whether one is sought", false},
};

const struct step_by_hand *steps_by_hand(size_t *nr)
{
    *nr = ARRAY_SIZE(by_hand);
    return by_hand;
}

bool is_done_by_hand(const char *name)
{
    bool is = false;
    for (size_t i = 0; i < ARRAY_SIZE(by_hand); i++)
        is = is || (!by_hand[i].follows && !strcmp(by_hand[i].name, name));
    return is;
}

static const struct {
    const char *name, *instead;
} no_steps[] = {
    {"hugepages", HUGE_PAGES},
    {"huge_pages", HUGE_PAGES},
    {"smt", "hardware threads belong to the run: 'inflight tune --try smt' tries them"},
    {"threads", "threads belong to the run: 'inflight tune --try threads' tries them"},
    {"flags", "'inflight tune --flags-try FLAGS' tries compiler flags"},
    {"compiler", "'inflight tune --compiler gcc,clang' tries compilers"},
    {"schedule", "it is a part of parallel: parallel(i,schedule:dynamic,chunk:4)"},
};

static const struct synonym kind_synonyms[] = {
    {"openmp", "parallel"},     {"omp", "parallel"},         {"parallelize", "parallel"},
    {"block", "tile"},          {"blocking", "tile"},        {"stripmine", "tile"},
    {"permute", "interchange"}, {"swap", "interchange"},     {"fission", "distribute"},
    {"split", "distribute"},    {"fusion", "fuse"},          {"merge", "fuse"},
    {"jam", "unroll_jam"},      {"streaming", "nontemporal"}};

static int fail_kind(const char *at, size_t length, struct error *err)
{
    const char *names[STEP_KIND_NR];
    struct buf all = {0};
    if (!length && strchr(",;+", *at) && *at)
        return fail(err, STATUS_USAGE,
                    "'%c' is between steps of the plan; separate steps by blanks, as in "
                    "'tile(i:32,j:32) simd'",
                    *at);
    char *name = xstrndup(at, length ? length : strlen(at));
    for (size_t i = 0; i < ARRAY_SIZE(no_steps); i++)
        if (is_spelled(name, strlen(name), no_steps[i].name)) {
            fail(err, STATUS_USAGE, "'%s' is not a step of a plan: %s", name,
                 no_steps[i].instead);
            free(name);
            return -1;
        }
    for (size_t i = 0; i < ARRAY_SIZE(by_hand); i++)
        if (is_spelled(name, strlen(name), by_hand[i].name)) {
            fail(err, STATUS_USAGE,
                 "'%s' is not a step of a plan: %sit is done by hand; 'inflight rules' "
                 "with that name explains it",
                 name,
                 by_hand[i].follows
                     ? "what is left in registers follows from the other steps; "
                     : "");
            free(name);
            return -1;
        }
    for (unsigned i = 0; i < STEP_KIND_NR; i++) {
        names[i] = transformation_of(i)->name;
        buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *meant =
        meant_word(name, names, STEP_KIND_NR, kind_synonyms, ARRAY_SIZE(kind_synonyms));
    if (meant)
        fail(err, STATUS_USAGE,
             "unknown transformation '%s' in the plan; did you mean '%s'? There are %s",
             name, meant, buf_str(&all));
    else
        fail(err, STATUS_USAGE, "unknown transformation '%s' in the plan; there are %s",
             name, buf_str(&all));
    free(name);
    buf_release(&all);
    return -1;
}

static int parse_value(const char **at, const struct reading *reading, const char *name,
                       long long *value, struct error *err)
{
    const struct transformation *row = reading->row;
    char *end;
    *value = strtoll(*at, &end, 10);
    if (end == *at || (!isdigit((unsigned char)**at) && row->low >= 0))
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    reading->row->name, reading->row->syntax);
    if (*value < row->low || *value > row->high)
        return fail(err, STATUS_USAGE, "'%s:%lld' in %s is not within %lld to %lld", name,
                    *value, reading->row->name, row->low, row->high);
    *at = end;
    return 0;
}

static void name_words(const struct option_shape *option, struct buf *out)
{
    for (size_t i = 0; option->word[i]; i++)
        buf_addf(out, "%s%s:%s", i ? ", " : "", option->name, option->word[i]);
}

static int parse_word(const char **at, const struct reading *reading,
                      const struct option_shape *option, long long *value,
                      struct error *err)
{
    struct buf all = {0};
    size_t length = word_length(*at);
    for (size_t i = 0; option->word[i]; i++)
        if (strlen(option->word[i]) == length && !memcmp(*at, option->word[i], length)) {
            *at += length;
            *value = (long long)i + 1;
            return 0;
        }
    name_words(option, &all);
    fail(err, STATUS_USAGE, "%s takes %s", reading->row->name, buf_str(&all));
    buf_release(&all);
    return -1;
}

static int parse_loop(const char **at, struct reading *reading, struct error *err)
{
    size_t length = word_length(*at);
    if (!length || reading->at)
        return fail(err, STATUS_USAGE,
                    "at in %s names one loop, as in prefetch(a:2,at:i)",
                    reading->row->name);
    reading->at = xstrndup(*at, length);
    reading->step.option[OPTION_AT] = 1;
    *at += length;
    return 0;
}

static int parse_option(const char **at, struct reading *reading, enum step_option which,
                        struct error *err)
{
    const struct option_shape *option = option_shape(which);
    char *end;
    if (option->word[0])
        return parse_word(at, reading, option, &reading->step.option[which], err);
    if (!option->high)
        return parse_loop(at, reading, err);
    reading->step.option[which] = strtoll(*at, &end, 10);
    if (end == *at || reading->step.option[which] < 1 ||
        reading->step.option[which] > option->high)
        return fail(err, STATUS_USAGE, "%s in %s is a number from 1 to %lld",
                    option->name, reading->row->name, option->high);
    *at = end;
    return 0;
}

/* The option that the name says, OPTION_NR = none that this step has. */
static enum step_option find_option(const struct reading *reading, const char *name)
{
    unsigned which = 0;
    while (which < OPTION_NR && (!(reading->row->options & 1U << which) ||
                                 strcmp(option_shape(which)->name, name)))
        which++;
    return which;
}

static void add_arg(struct reading *reading, const char *name, long long value,
                    bool has_value)
{
    strvec_push(&reading->names, name);
    GROW(reading->arg, reading->arg_nr + 1, reading->arg_alloc);
    reading->arg[reading->arg_nr++] =
        (struct step_arg){.name = reading->names.v[reading->names.nr - 1],
                          .value = value,
                          .has_value = has_value};
}

static int arg_is_new(const struct reading *reading, const char *name, struct error *err)
{
    for (size_t i = 0; i < reading->arg_nr; i++)
        if (!strcmp(reading->arg[i].name, name))
            return fail(err, STATUS_USAGE, "'%s' appears twice in %s", name,
                        reading->row->name);
    return 0;
}

/* What may stand behind a name: nothing, or ":64". */
static int parse_named(const char **at, struct reading *reading, const char *name,
                       struct error *err)
{
    enum step_values values = reading->row->values;
    bool has = values != VALUES_NONE && **at == ':';
    long long value = 0;
    if (values == VALUES_EACH && !has)
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    reading->row->name, reading->row->syntax);
    if (has)
        *at = skip_space(*at + 1);
    if (arg_is_new(reading, name, err) ||
        (has && parse_value(at, reading, name, &value, err)))
        return -1;
    add_arg(reading, name, value, has);
    return 0;
}

/* One of `i`, `i:64`, `to:L2`. */
static int parse_arg(const char **at, struct reading *reading, struct error *err)
{
    size_t length = word_length(*at);
    if (!length)
        return fail(err, STATUS_USAGE, "a name is missing in %s; write %s",
                    reading->row->name, reading->row->syntax);
    char *name = xstrndup(*at, length);
    *at = skip_space(*at + length);
    enum step_option option = **at == ':' ? find_option(reading, name) : OPTION_NR;
    if (option != OPTION_NR &&
        (option_shape(option)->word[0] || !option_shape(option)->high) &&
        isdigit((unsigned char)*skip_space(*at + 1)))
        option = OPTION_NR; /* an array of that name */
    if (option == OPTION_NR) {
        int status = parse_named(at, reading, name, err);
        free(name);
        return status;
    }
    free(name);
    *at = skip_space(*at + 1);
    return parse_option(at, reading, option, err);
}

static int parse_args(const char **at, struct reading *reading, struct error *err)
{
    const char *name = reading->row->name;
    do {
        *at = skip_space(*at + 1);
        if (parse_arg(at, reading, err))
            return -1;
        *at = skip_space(*at);
    } while (**at == ',');
    if (**at != ')')
        return fail(err, STATUS_USAGE, "a ')' is missing in %s; write %s", name,
                    reading->row->syntax);
    ++*at;
    return 0;
}

static int parse_step(const char **at, struct reading *reading, struct error *err)
{
    size_t length = step_length(*at), variant;
    enum step_kind kind = kind_named(*at, length, &variant);
    if (kind == STEP_KIND_NR)
        return fail_kind(*at, length, err);
    const struct transformation *row = transformation_of(kind);
    *reading = (struct reading){.row = row, .step.kind = kind};
    if (variant) /* prefetch_l2(a:16) */
        reading->step.option[OPTION_TO] = PREFETCH_L2;
    *at += length;
    if (*skip_space(*at) == '(') {
        *at = skip_space(*at);
        if (parse_args(at, reading, err))
            return -1;
    }
    if (reading->arg_nr < row->names_min)
        return fail(err, STATUS_USAGE, "%s needs at least %zu name%s; write %s",
                    row->name, row->names_min, row->names_min == 1 ? "" : "s",
                    variant ? "prefetch(a:16,to:L2)" : row->syntax);
    return 0;
}

/* "nest(2)": what follows is for the second nest alone, up to the next; nest(all): for
 * all again. Anything else is left where it is. */
static int parse_nest(const char **at, int *nest, struct error *err)
{
    static const char word[] = "nest", all[] = "all";
    char *end;
    if (word_length(*at) != strlen(word) || strncmp(*at, word, strlen(word)) != 0)
        return 0;
    const char *next = skip_space(*at + strlen(word));
    next = skip_space(next + (*next == '('));
    bool is_all = !strncmp(next, all, strlen(all));
    long number = is_all ? 0 : strtol(next, &end, 10);
    next = skip_space(is_all ? next + strlen(all) : end);
    if ((!is_all && (number < 1 || number > NESTS_MAX)) || *next != ')')
        return fail(err, STATUS_USAGE,
                    "nest takes the number of a nest of the function, from 1 on, or all, "
                    "as in nest(2) tile(i:64) nest(all)");
    *nest = (int)number;
    *at = skip_space(next + 1);
    return 0;
}

static int parse_next(const char **at, int *nest, struct plan *plan, struct error *err)
{
    const char *before = *at;
    struct reading reading = {0};
    if (parse_nest(at, nest, err))
        return -1;
    if (*at != before)
        return 0;
    int status = parse_step(at, &reading, err);
    reading.step.arg = reading.arg;
    reading.step.arg_nr = reading.arg_nr;
    reading.step.at = reading.at;
    reading.step.nest = *nest;
    if (!status && !plan_append(plan, plan_step_get(&reading.step)))
        status = fail(err, STATUS_USAGE, "a plan has at most %d steps", PLAN_STEPS_MAX);
    reading_release(&reading);
    *at = skip_space(*at);
    return status;
}

int plan_read(const char *text, struct plan *out, struct error *err)
{
    const char *at = skip_space(text);
    int nest = 0;
    *out = (struct plan){0};
    while (*at)
        if (parse_next(&at, &nest, out, err))
            return -1;
    return 0;
}

int plan_parse(const char *text, struct plan **out, struct error *err)
{
    struct plan *plan = xcalloc(1, sizeof(*plan));
    if (plan_read(text, plan, err)) {
        free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}

void plan_free(struct plan *plan)
{
    free(plan);
}
