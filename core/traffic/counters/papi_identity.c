#include "core/traffic/counters/papi_identity.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/traffic/traffic.h"

/* The first "name : value" of /proc/cpuinfo. */
static char *cpuinfo_value(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0) {
            const char *at = line + length + strspn(line + length, " \t");

            if (*at == ':')
                return xstrndup(at + 1 + strspn(at + 1, " \t"),
                                strcspn(at + 1 + strspn(at + 1, " \t"), "\n"));
        }
    }
    return NULL;
}

/* Decimal or 0x-numbers as capital hexadecimal with at least `digits`. */
static void take_hex(const char *text, const char *name, int digits, char out[8])
{
    char *value = cpuinfo_value(text, name);

    if (value)
        snprintf(out, 8, "%0*lX", digits, strtoul(value, NULL, 0) & 0xffffff);
    free(value);
}

static const char *vendor_of(const char *word)
{
    static const struct {
        const char *word, *vendor;
    } vendors[] = {
        {"GenuineIntel", "intel"},
        {"intel", "intel"},
        {"AuthenticAMD", "amd"},
        {"amd", "amd"},
        {"arm", "arm"},
    };

    for (size_t i = 0; word && i < ARRAY_SIZE(vendors); i++)
        if (strcasecmp(word, vendors[i].word) == 0)
            return vendors[i].vendor;
    return "";
}

static void take_vendor(const char *text, struct papi_identity *cpu)
{
    char *vendor = cpuinfo_value(text, "vendor_id"), *core = cpuinfo_value(text, "cpu");

    cpu->vendor = vendor_of(vendor);
    if (*cpu->implementer)
        cpu->vendor = "arm";
    else if (core && strncmp(core, "POWER", 5) == 0) {
        cpu->vendor = "power";
        snprintf(cpu->core, sizeof(cpu->core), "%.*s", (int)strcspn(core, " ,("), core);
    }
    free(vendor);
    free(core);
}

static void identify_cpuinfo(const char *text, struct papi_identity *cpu)
{
    *cpu = (struct papi_identity){.vendor = ""};
    take_hex(text, "cpu family", 1, cpu->family);
    take_hex(text, "model", 1, cpu->model);
    take_hex(text, "stepping", 1, cpu->stepping);
    take_hex(text, "CPU revision", 1, cpu->stepping); /* Arm's word for it */
    take_hex(text, "CPU implementer", 2, cpu->implementer);
    take_hex(text, "CPU part", 3, cpu->part);
    take_vendor(text, cpu);
}

/* "intel 6 85 4", "GenuineIntel-6-55-4": the second is perf's, in hexadecimal but for the
 * family ("AuthenticAMD-25-11-1" is family 19h). "arm 0x41 0xd49 3": implementer, part,
 * revision. */
static void identify_words(const char *text, struct papi_identity *cpu)
{
    static const char between[] = " \t,-";
    static const int digits[] = {2, 3, 1};
    char *out[] = {cpu->family, cpu->model, cpu->stepping};
    char *vendor = xstrndup(text, strcspn(text, between));
    int base = text[strlen(vendor)] == '-' ? 16 : 0;

    cpu->vendor = vendor_of(vendor);
    bool arm = !strcmp(cpu->vendor, "arm");
    if (arm) {
        out[0] = cpu->implementer;
        out[1] = cpu->part;
    }
    text += strlen(vendor);
    free(vendor);
    for (size_t i = 0; *cpu->vendor && i < ARRAY_SIZE(out); i++) {
        char *end;

        text += strspn(text, between);
        unsigned long number = strtoul(text, &end, base && !i && !arm ? 10 : base);
        if (end == text || (*end && !strchr(between, *end)))
            break; /* "AMD EPYC 7742 64-Core Processor" tells none of them */
        snprintf(out[i], 8, "%0*lX", arm ? digits[i] : 1, number & 0xffffff);
        text = end;
    }
    if (!*out[0] || !*out[1])
        cpu->vendor = "";
}

/* perf's name for an Arm core, its register MIDR in hexadecimal: implementer, variant,
 * architecture, part, revision. */
static bool identify_midr(const char *text, struct papi_identity *cpu)
{
    char *end;
    unsigned long midr = strncmp(text, "0x", 2) ? 0 : strtoul(text, &end, 16);

    if (!midr || *end || midr > 0xffffffff || (midr >> 16 & 0xf) != 0xf)
        return false;
    cpu->vendor = "arm";
    snprintf(cpu->implementer, sizeof(cpu->implementer), "%02lX", midr >> 24);
    snprintf(cpu->part, sizeof(cpu->part), "%03lX", midr >> 4 & 0xfff);
    snprintf(cpu->stepping, sizeof(cpu->stepping), "%lX", midr & 0xf);
    return true;
}

static void take_number(const char *text, const char *key, int digits, char out[8])
{
    const char *at = strstr(text, key);

    if (at)
        snprintf(out, 8, "%0*lX", digits, strtoul(at + strlen(key), NULL, 16) & 0xffffff);
}

/* As profiles of machines say it: "Intel(R) Xeon(R) ..., family 6 model 55 stepping 7",
 * "Arm implementer 0x41 part 0xd0c". */
static bool identify_profile(const char *text, struct papi_identity *cpu)
{
    char *vendor = xstrndup(text, strcspn(text, " (,"));

    *cpu = (struct papi_identity){.vendor = vendor_of(vendor)};
    free(vendor);
    take_number(text, ", family ", 1, cpu->family);
    take_number(text, " model ", 1, cpu->model);
    take_number(text, " stepping ", 1, cpu->stepping);
    take_number(text, " implementer ", 2, cpu->implementer);
    take_number(text, " part ", 3, cpu->part);
    if (*cpu->implementer && *cpu->part)
        cpu->vendor = "arm";
    return *cpu->vendor && ((*cpu->family && *cpu->model) || *cpu->part);
}

void papi_identify(const char *text, struct papi_identity *cpu)
{
    if (strchr(text, '\n')) {
        identify_cpuinfo(text, cpu);
        return;
    }
    if (identify_profile(text, cpu))
        return;
    *cpu = (struct papi_identity){.vendor = ""};
    if (!identify_midr(text, cpu))
        identify_words(text, cpu);
}

/* "A0-AF" or "A0". */
static bool within(const char *item, const char *value)
{
    const char *dash = strchr(item, '-');
    unsigned long number = strtoul(value, NULL, 16);

    if (!dash)
        return strcmp(item, value) == 0 || (*value && strtoul(item, NULL, 16) == number);
    return *value && strtoul(item, NULL, 16) <= number &&
           number <= strtoul(dash + 1, NULL, 16);
}

/* What the key says: a text, or several. */
static int words_at(const struct json_at *recognise, const char *key,
                    struct strvec *words, struct error *err)
{
    const char *word;

    if (!json_is_string(json_object_get(recognise->node, key)))
        return json_strings_at(recognise, key, words, err);
    if (json_string_at(recognise, key, &word, err))
        return -1;
    strvec_push(words, word);
    return 0;
}

static int check_numbers(const struct json_at *recognise, const char *key,
                         const struct strvec *words, struct error *err)
{
    for (size_t i = 0; i < words->nr; i++) {
        const char *word = words->v[i];

        if (!*word || word[strspn(word, "0123456789abcdefABCDEF-")])
            return json_fail(recognise, err,
                             "\"%s\": '%s' is no hexadecimal number, nor a range of them",
                             key, word);
    }
    return 0;
}

/* Leaves *yes if the number is among them, or they are not asked for. */
static int match_numbers(const struct json_at *recognise, const char *key,
                         const char *value, bool *yes, struct error *err)
{
    struct strvec words = {0};
    bool found = !json_has(recognise, key);
    int result = found ? 0 : words_at(recognise, key, &words, err);

    if (!result)
        result = check_numbers(recognise, key, &words, err);
    for (size_t i = 0; i < words.nr && !result; i++)
        found |= within(words.v[i], value);
    *yes &= found;
    strvec_release(&words);
    return result;
}

static int match_word(const struct json_at *recognise, const char *key, const char *value,
                      bool *yes, struct error *err)
{
    const char *wanted;

    if (!json_has(recognise, key))
        return 0;
    if (json_string_at(recognise, key, &wanted, err))
        return -1;
    *yes &= strcmp(wanted, value) == 0;
    return 0;
}

static int speaks_of(const struct json_at *recognise, const struct papi_identity *cpu,
                     bool *yes, struct error *err)
{
    *yes = true;
    return json_only_keys(recognise,
                          "vendor family models steppings implementer parts core", err) ||
                   match_word(recognise, "vendor", cpu->vendor, yes, err) ||
                   match_numbers(recognise, "family", cpu->family, yes, err) ||
                   match_numbers(recognise, "models", cpu->model, yes, err) ||
                   match_numbers(recognise, "steppings", cpu->stepping, yes, err) ||
                   match_numbers(recognise, "implementer", cpu->implementer, yes, err) ||
                   match_numbers(recognise, "parts", cpu->part, yes, err) ||
                   match_word(recognise, "core", cpu->core, yes, err)
               ? -1
               : 0;
}

int papi_recognises(const struct json_at *row, const struct papi_identity *cpu, bool *yes,
                    struct error *err)
{
    struct json_at recognise;

    return json_object_at(row, "recognise", &recognise, err) ||
                   speaks_of(&recognise, cpu, yes, err)
               ? -1
               : 0;
}

int traffic_cpu_recognised(const struct json_at *recognise, const char *cpu, bool *told,
                           bool *yes, struct error *err)
{
    struct papi_identity identity = {.vendor = ""};

    if (cpu)
        papi_identify(cpu, &identity);
    *told = *identity.vendor != '\0';
    return speaks_of(recognise, &identity, yes, err);
}
