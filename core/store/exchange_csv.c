/* One row a result, after RFC 4180. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/exchange_parts.h"

static void add_number(struct buf *out, double value)
{
    if (!isnan(value))
        buf_addf(out, "%.15g", value);
}

/* The figures of all results: "bandwidth_GB/s". */
static void find_figures(const struct exchange_space *space, struct strvec *names,
                         struct strvec *titles)
{
    for (size_t i = 0; i < space->result_nr; i++)
        for (size_t k = 0; k < space->result[i].figure_nr; k++) {
            const struct exchange_figure *figure = &space->result[i].figure[k];
            size_t at = 0;
            while (at < names->nr && strcmp(names->v[at], figure->name) != 0)
                at++;
            if (at < names->nr)
                continue;
            strvec_push(names, figure->name);
            strvec_pushf(titles, "%s%s%s", figure->name, *figure->unit ? "_" : "",
                         figure->unit);
        }
}

static void add_head(const struct exchange_space *space, const struct strvec *titles,
                     struct buf *out)
{
    for (size_t i = 0; i < space->parameter_nr; i++) {
        csv_add(out, space->parameter[i].name);
        buf_add(out, ",");
    }
    buf_add(out, "invalidity,correctness,time_ms,samples");
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++)
        buf_addf(out, ",%s_ms", exchange_phase_t4(i));
    for (size_t i = 0; i < titles->nr; i++) {
        buf_add(out, ",");
        csv_add(out, titles->v[i]);
    }
    buf_add(out, ",timestamp,plan\r\n");
}

static void add_configuration(const struct exchange_result *result, struct buf *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(result->configuration, name, value)
    {
        json_t *one = json_pack("{s:O}", name, value);
        char *text = exchange_key(one);
        csv_add(out, text);
        buf_add(out, ",");
        free(text);
        json_decref(one);
    }
}

static void add_row(const struct exchange_result *result, const struct strvec *names,
                    struct buf *out)
{
    const char *plan = json_string_value(json_object_get(result->extra, "plan"));
    add_configuration(result, out);
    buf_addf(out, "%s,", exchange_outcome_word(result->outcome));
    add_number(out, result->correctness);
    buf_add(out, ",");
    add_number(out, result->time_s * 1e3);
    buf_addf(out, ",%zu", result->sample_nr);
    for (int i = 0; i < EXCHANGE_PHASE_NR; i++) {
        buf_add(out, ",");
        add_number(out, result->phase_s[i] * 1e3);
    }
    for (size_t i = 0; i < names->nr; i++) {
        buf_add(out, ",");
        add_number(out, exchange_figure(result, names->v[i]));
    }
    buf_add(out, ",");
    csv_add(out, result->timestamp ? result->timestamp : "");
    buf_add(out, ",");
    csv_add(out, plan ? plan : "");
    buf_add(out, "\r\n");
}

void exchange_write_csv(const struct exchange_space *space, struct buf *out)
{
    struct strvec names = {0}, titles = {0};
    find_figures(space, &names, &titles);
    add_head(space, &titles, out);
    for (size_t i = 0; i < space->result_nr; i++)
        add_row(&space->result[i], &names, out);
    strvec_release(&names);
    strvec_release(&titles);
}
