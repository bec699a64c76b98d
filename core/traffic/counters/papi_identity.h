/* Which CPU a text speaks of, as far as the data about counters tells CPUs apart. */
#ifndef CORE_TRAFFIC_PAPI_IDENTITY_H
#define CORE_TRAFFIC_PAPI_IDENTITY_H

#include "core/base.h"

/* As in the data: hexadecimal in capitals, without leading zeros but for an Arm part. */
struct papi_identity {
    const char *vendor; /* "" = not recognised */
    char family[8], model[8], stepping[8], implementer[8], part[8], core[16];
};

/* The text of /proc/cpuinfo, "vendor family model [stepping]" in decimal, "arm 0x41 0xd49
 * [revision]", perf's "GenuineIntel-6-55-4" in hexadecimal and "0x410fd493" of Arm (the
 * register MIDR), or what profiles of machines have, "Intel(R) ..., family 6 model 55
 * stepping 4". */
void papi_identify(const char *text, struct papi_identity *cpu);

/* Whether a row's "recognise" (checked) speaks of this CPU. */
int papi_recognises(const struct json_at *row, const struct papi_identity *cpu, bool *yes,
                    struct error *err);

#endif
