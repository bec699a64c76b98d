/* What CPUs are recognised by: the one grammar of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu/cpu.h"

enum { STEPPINGS = 2 };

static const struct {
    const char *key;
    size_t offset;
} numbers[CPU_NUMBERS] = {
    {"family", offsetof(struct cpu_identity, family)},
    {"models", offsetof(struct cpu_identity, model)},
    {"steppings", offsetof(struct cpu_identity, stepping)},
    {"core_type", offsetof(struct cpu_identity, core_type)},
    {"implementer", offsetof(struct cpu_identity, implementer)},
    {"parts", offsetof(struct cpu_identity, part)},
};

static int number_of(const struct cpu_identity *cpu, size_t i)
{
    return *(const int *)(const void *)((const char *)cpu + numbers[i].offset);
}

int cpu_ranges_add(const struct json_at *at, const char *text, struct cpu_ranges *ranges,
                   struct error *err)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t low = strspn(text, digits),
           high = text[low] == '-' ? strspn(text + low + 1, digits) : 0;

    if (!low || text[low + (high ? high + 1 : 0)])
        return json_fail(at, err, "'%s' is not a hexadecimal number, nor a range of them",
                         text);
    if (ranges->nr == CPU_RANGES_MAX)
        return json_fail(at, err, "more than %d numbers and ranges", CPU_RANGES_MAX);
    ranges->range[ranges->nr].low = (int)strtol(text, NULL, 16);
    ranges->range[ranges->nr].high = (int)strtol(high ? text + low + 1 : text, NULL, 16);
    ranges->nr++;
    return 0;
}

int cpu_ranges_read(const struct json_at *at, const char *key, struct cpu_ranges *ranges,
                    struct error *err)
{
    struct json_at list;
    size_t nr = 1;
    bool one = json_is_string(json_object_get(at->node, key));
    const char *text;

    if (!json_has(at, key))
        return 0;
    if (one ? json_member(at, key, &list, err) : json_array_at(at, key, &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = one ? list : json_element(&list, i);

        if (json_string_here(&item, &text, err) ||
            cpu_ranges_add(&item, text, ranges, err))
            return -1;
    }
    return nr ? 0 : json_fail(&list, err, "is empty");
}

static int read_word(const struct json_at *at, const char *key, char *to, size_t size,
                     struct error *err)
{
    const char *word;

    if (json_string_at(at, key, &word, err))
        return -1;
    snprintf(to, size, "%s", word);
    return 0;
}

int cpu_rule_read(const struct json_at *at, struct cpu_rule *rule, struct error *err)
{
    *rule = (struct cpu_rule){0};
    if (json_only_keys(
            at, "vendor family models steppings core_type implementer parts core", err) ||
        read_word(at, "vendor", rule->vendor, sizeof(rule->vendor), err) ||
        (json_has(at, "core") &&
         read_word(at, "core", rule->core, sizeof(rule->core), err)))
        return -1;
    for (size_t i = 0; i < CPU_NUMBERS; i++)
        if (cpu_ranges_read(at, numbers[i].key, &rule->number[i], err))
            return -1;
    return 0;
}

static bool touch(const struct cpu_ranges *ranges, int low, int high)
{
    for (size_t i = 0; i < ranges->nr; i++)
        if (high >= ranges->range[i].low && low <= ranges->range[i].high)
            return true;
    return ranges->nr == 0;
}

bool cpu_ranges_hold(const struct cpu_ranges *ranges, int number)
{
    return touch(ranges, number, number);
}

bool cpu_rule_fits(const struct cpu_rule *rule, const struct cpu_identity *cpu)
{
    if (strcmp(rule->vendor, cpu->vendor) != 0 ||
        (rule->core[0] && strcmp(rule->core, cpu->core) != 0))
        return false;
    for (size_t i = 0; i < CPU_NUMBERS; i++) {
        int number = number_of(cpu, i);

        if (!cpu_ranges_hold(&rule->number[i], number) && (i != STEPPINGS || number >= 0))
            return false;
    }
    return true;
}

bool cpu_rules_meet(const struct cpu_rule *a, const struct cpu_rule *b)
{
    if (strcmp(a->vendor, b->vendor) != 0 ||
        (a->core[0] && b->core[0] && strcmp(a->core, b->core) != 0))
        return false;
    for (size_t i = 0; i < CPU_NUMBERS; i++) {
        bool meet = a->number[i].nr == 0;

        for (size_t k = 0; k < a->number[i].nr; k++)
            meet |= touch(&b->number[i], a->number[i].range[k].low,
                          a->number[i].range[k].high);
        if (!meet)
            return false;
    }
    return true;
}
