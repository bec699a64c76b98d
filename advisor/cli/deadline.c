#include "advisor/cli/deadline.h"

#include <math.h>
#include <stdlib.h>

#include "advisor/cli/settings.h"
#include "core/base.h"
#include "search/live/live.h"
#include "search/session/result.h"
#include "search/session/session.h"

/* Of tune: proof, first builds, closing; then so many tries, each with building, checking
 * and some calls. */
static const double paired_tries_s = 20, build_s = 1.5;
enum { TRIES = 8, CALLS_A_TRY = 4 };
static const double tune_min_s = 30, tune_max_s = 300;
/* Of advise: three launches and a trace. */
static const double advise_s = 8, advise_max_s = 120;
/* Fills and calls until the kernel as written is known: its proof, three launches with a
 * first call and one that counts, its trace. Of long calls there is one launch, whose
 * first call counts. */
enum { MIN_FILLS = 5, MIN_CALLS = 7, FEWER_FILLS = 3, FEWER_CALLS = 2 };
/* Besides, of a search: its check, its counted and its traced build. */
enum { MIN_BUILDS = 3 };
/* So many calls are what the kernel as written, the tries and the closing take. */
enum { CALLS = 60 };
static const double quicker = 1.0 / 3, more_thorough = 4;

int budget_check(const struct settings *settings, struct error *err)
{
    const char *word = settings->quick ? "--quick" : "--thorough";

    if (settings->quick && settings->thorough)
        return fail(err, STATUS_USAGE, "--quick and --thorough exclude each other");
    if ((settings->quick || settings->thorough) && settings->budget_s > 0)
        return fail(err, STATUS_USAGE, "%s and --budget exclude each other", word);
    return 0;
}

static double unit_s(const struct live_look *look)
{
    return build_s + look->fill_s + CALLS_A_TRY * look->call_s;
}

static double factor_of(const struct settings *settings)
{
    return settings->quick ? quicker : settings->thorough ? more_thorough : 1;
}

double budget_call_s(const struct settings *settings)
{
    bool given = settings->budget_s > 0;

    return (given ? settings->budget_s : factor_of(settings) * tune_min_s) / CALLS;
}

static double suiting_s(bool tune, const struct live_look *look)
{
    double wanted_s = tune ? paired_tries_s + TRIES * unit_s(look)
                           : advise_s + MIN_FILLS * look->fill_s;

    return tune ? fmin(fmax(wanted_s, tune_min_s), tune_max_s)
                : fmin(wanted_s, advise_max_s);
}

/* What people say: whole seconds, from 20 s on fives. */
static double step_s(double seconds)
{
    return seconds >= 20 ? 5 : 1;
}

static double rounded(double seconds)
{
    double step = step_s(seconds);

    return step * round(seconds / step);
}

static bool is_long(const struct live_look *look)
{
    return look->call_s > LIVE_LONG_S;
}

/* `given`: to be kept, so that what is spent by now and the builds count, too. */
static double min_s(const struct live_look *look, bool given, double spent_s)
{
    double calls_s = is_long(look)
                         ? FEWER_FILLS * look->fill_s + FEWER_CALLS * look->call_s
                         : MIN_FILLS * look->fill_s + MIN_CALLS * look->call_s;

    return given ? spent_s + MIN_BUILDS * build_s + calls_s : calls_s;
}

static void add_look(const struct live_look *look, struct buf *out)
{
    if (look->call_s <= 0)
        return;
    buf_add(out, "a call takes about ");
    buf_add_time(out, look->call_s);
    if (look->fill_s >= 0.05) {
        buf_add(out, ", filling the arrays ");
        buf_add_time(out, look->fill_s);
    }
}

static char *say(const struct budget *budget, bool given, const struct live_look *look)
{
    struct buf out = {0}, about = {0};

    add_look(look, &about);
    buf_addf(&out, "budget %.0f s in all", budget->seconds);
    if (about.length)
        buf_addf(&out, ": %s", buf_str(&about));
    if (!given)
        buf_addf(&out, "%s --budget, --quick and --thorough change it",
                 about.length ? ";" : ":");
    buf_release(&about);
    return buf_detach(&out);
}

static char *say_shortage(const struct budget *budget, bool given,
                          const struct live_look *look)
{
    struct buf out = {0};

    if (budget->min_s <= budget->seconds)
        return NULL;
    buf_addf(&out,
             "%.0f s are too little: the kernel as written alone takes %.0f s or more, "
             "since ",
             budget->seconds, budget->min_s);
    add_look(look, &out);
    buf_addf(&out, "%sit is built, checked once, measured in %s and traced",
             look->call_s > 0 ? ", and " : "",
             is_long(look) ? "one launch" : "three launches");
    if (given)
        buf_addf(&out, "; for a first try --budget %.0fs is the least",
                 budget->one_try_s);
    buf_add(&out, "; smaller sizes (--set) are quicker");
    return buf_detach(&out);
}

void budget_choose(const struct settings *settings, bool tune,
                   const struct live_look *look, double spent_s, struct budget *budget)
{
    bool given = tune && settings->budget_s > 0;

    budget->seconds =
        given ? settings->budget_s : rounded(factor_of(settings) * suiting_s(tune, look));
    budget->trace_s = budget->seconds / (tune ? 10 : 5);
    budget->trace_one_s = budget->trace_s / (tune ? 2 : 1);
    budget->min_s = min_s(look, given, spent_s);
    double one_s = budget->min_s + unit_s(look);
    one_s += search_closing_s(one_s);
    budget->one_try_s = step_s(one_s) * ceil(one_s / step_s(one_s));
    budget->sentence = say(budget, given, look);
    budget->shortage = say_shortage(budget, given, look);
}

double budget_left_s(const struct budget *budget)
{
    return budget->began_s + budget->seconds - clock_s();
}

void budget_release(struct budget *budget)
{
    free(budget->sentence);
    free(budget->shortage);
}

json_t *budget_json(const struct budget *budget, const struct search_result *result)
{
    const struct search_looks *looks = &result->looks;

    return json_pack("{s:f, s:f, s:f, s:s?, s:s?, s:o, s:{s:I, s:f, s:f}}", "seconds",
                     budget->seconds, "before_s", budget->before_s, "least_s",
                     budget->min_s, "sentence", budget->sentence, "shortage",
                     budget->shortage, "left_out", json_strvec(&result->left_out),
                     "looks", "nr", (json_int_t)looks->nr, "seconds", looks->seconds,
                     "error", looks->error);
}
