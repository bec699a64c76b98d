/* inflight advise without a C file: from numbers, from counts that others took, from a
 * saved measurement; and what if the machine were otherwise. */
#include <limits.h>
#include <math.h>

#include "advisor/cli/cli.h"
#include "advisor/commands/what_if.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/program/commands.h"
#include "advisor/report/numbers.h"
#include "core/base/error.h"

/* What was typed. */
static int typed_question(const struct settings *settings, struct question *question,
                          struct error *err)
{
    if (!settings->machine || settings->bandwidth_gbs < 0 || !settings->access)
        return fail(err, STATUS_USAGE,
                    "advise takes a C file, --counts or --measurement with a file, or "
                    "--machine, --bandwidth and --access; try 'inflight advise --help'");
    *question = (struct question){
        .machine = settings->machine,
        .memory = settings->memory,
        .gbs = settings->bandwidth_gbs,
        .cores = settings->cores > 0 ? (int)fmin((double)settings->cores, INT_MAX) : 0,
        .latency_ns = settings->latency_ns > 0 ? settings->latency_ns : 0};
    return access_parse(settings->access, "--access", &question->random_share, err);
}

static int read_question(const struct settings *settings, struct given *given,
                         struct question *question, struct error *err)
{
    if (!settings->counts.nr) {
        if (settings->seconds_s > 0)
            return fail(err, STATUS_USAGE,
                        "--seconds gives the time that --counts FILE covers");
        if (settings->cpu)
            return fail(err, STATUS_USAGE,
                        "--cpu names the definitions by which --counts FILE is read");
        return typed_question(settings, question, err);
    }
    if (settings->bandwidth_gbs >= 0)
        return fail(err, STATUS_USAGE,
                    "--bandwidth and --counts both say what the bandwidth is; give one "
                    "of them");
    if (settings->counts.nr > 1)
        return fail(err, STATUS_USAGE,
                    "advise explains one file of counts, got '%s' and '%s'; 'inflight "
                    "metrics' takes several",
                    settings->counts.v[0], settings->counts.v[1]);
    return counted_question(settings, traffic_bandwidth_from_counts, given, question,
                            err);
}

/* `assumed`: the words of --what-if. */
static int print_answer(const struct settings *settings, const struct answer *answer,
                        const struct strvec *assumed, struct error *err)
{
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document = answer_json(answer);
        if (assumed->nr)
            json_object_set_new(document, "what_if", what_if_json(assumed));
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    if (assumed->nr)
        what_if_text(assumed, answer, &text);
    answer_text(answer, &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* What a saved measurement says is not to be said otherwise. */
static int check_replay(const struct settings *settings, struct error *err)
{
    const struct {
        bool given;
        const char *name;
    } option[] = {{settings->counts.nr, "--counts"},
                  {settings->bandwidth_gbs >= 0, "--bandwidth"},
                  {settings->latency_ns >= 0, "--latency"},
                  {settings->access, "--access"},
                  {settings->seconds_s >= 0, "--seconds"},
                  {settings->what_if, "--what-if"},
                  {settings->cpu, "--cpu"},
                  {settings->memory && !settings->machine, "--memory without --machine"}};
    for (size_t i = 0; i < ARRAY_SIZE(option); i++)
        if (option[i].given)
            return fail(err, STATUS_USAGE,
                        "%s does not go with --measurement: its file says all that; "
                        "--machine and --cores may be given",
                        option[i].name);
    return 0;
}

static int advise_replay(const struct settings *settings, struct error *err)
{
    struct rule_set *rules = NULL;
    struct given given = {0};
    struct answer answer = {0};
    const struct strvec nothing = {0};
    int status = check_replay(settings, err);
    if (!status)
        status = rule_set_load_given(&settings->rules, &rules, err);
    if (!status)
        status = replayed_answer(settings, rules, &given, &answer, err);
    if (!status)
        status = print_answer(settings, &answer, &nothing, err);
    answer_release(&answer);
    given_release(&given);
    rule_set_free(rules);
    return status;
}

int advise_numbers(const struct settings *settings, struct error *err)
{
    if (settings->measurement)
        return advise_replay(settings, err);
    struct question question;
    struct answer answer = {0};
    struct given given = {0};
    struct strvec assumed = {0};
    struct rule_set *rules = NULL;
    int status = read_question(settings, &given, &question, err);
    if (!status && settings->what_if)
        status = what_if_parse(settings->what_if, &question, &assumed, err);
    if (!status)
        status = rule_set_load_given(&settings->rules, &rules, err);
    if (!status)
        status = answer_question(&question, rules, &answer, err);
    if (!status && question.cores > answer.machine.cores)
        status = fail(err, STATUS_USAGE, "--cores: '%s' has %d cores, not %lld",
                      answer.machine.name, answer.machine.cores, settings->cores);
    if (!status)
        status = print_answer(settings, &answer, &assumed, err);
    answer_release(&answer);
    strvec_release(&assumed);
    given_release(&given);
    rule_set_free(rules);
    return status;
}
