/* Counted memory traffic in the place of the modelled one. */
#include "search/counters.h"

#include <stdlib.h>

#include "tests/check.h"

/* Two events: reads of 64 bytes, writes of 32; 1000 and 500 of them in 10 calls. */
static void counts_replace_the_model(void)
{
    double read_factor[] = {64, 0}, write_factor[] = {0, 32}, total[] = {1000, 500};
    struct papi_bandwidth bandwidth = {.read_factor = read_factor,
                                       .write_factor = write_factor,
                                       .writebacks_included = true,
                                       .source = (char[]){"test"}};
    struct traffic traffic = {.level_nr = 2, .line_bytes = 64};

    strvec_push(&bandwidth.event, "reads");
    strvec_push(&bandwidth.event, "writes");
    traffic.edge[0].fills = quantity_exact(7, PROVENANCE_MODEL);
    counters_apply(&bandwidth, total, 10, &traffic);
    check_near(traffic.edge[1].fills.value, 100, 1e-9);
    check_near(traffic.edge[1].writebacks.value, 25, 1e-9);
    check_eq(traffic.edge[1].fills.provenance, PROVENANCE_PAPI);
    check_near(traffic.edge[0].fills.value, 7, 1e-9);
    check_str(traffic.note, "memory traffic counted (test), caches by the model");
    traffic_release(&traffic);
    strvec_release(&bandwidth.event);
}

/* Where write-backs are not counted the model's stay. */
static void what_is_not_counted_stays(void)
{
    double read_factor[] = {64}, write_factor[] = {0}, total[] = {640};
    struct papi_bandwidth bandwidth = {.read_factor = read_factor,
                                       .write_factor = write_factor};
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    strvec_push(&bandwidth.event, "reads");
    traffic.edge[0].writebacks = quantity_exact(3, PROVENANCE_MODEL);
    counters_apply(&bandwidth, total, 64, &traffic);
    check_near(traffic.edge[0].fills.value, 10, 1e-9);
    check_near(traffic.edge[0].writebacks.value, 3, 1e-9);
    traffic_release(&traffic);
    strvec_release(&bandwidth.event);
}

CU_TestInfo search_counters_tests[] = {
    {"counts replace the model", counts_replace_the_model},
    {"what is not counted stays", what_is_not_counted_stays},
    CU_TEST_INFO_NULL,
};
