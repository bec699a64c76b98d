#define _GNU_SOURCE /* sched_getcpu: in this one file */
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base.h"
#include "core/cpu/cpu.h"

static const struct cpu_identity nobody = {
    .family = -1, .model = -1, .stepping = -1, .implementer = -1, .part = -1};

int cpuinfo_read(struct buf *text, struct error *err)
{
    return file_read("/proc/cpuinfo", text, err);
}

char *cpuinfo_field(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0) {
            const char *at = line + length + strspn(line + length, " \t");

            if (*at == ':') {
                at += 1 + strspn(at + 1, " \t");
                return xstrndup(at, strcspn(at, "\n"));
            }
        }
    }
    return NULL;
}

/* Decimal or 0x...; -1 = there is none. */
static int number_of(const char *text, const char *key)
{
    char *value = cpuinfo_field(text, key);
    int number = value && isdigit((unsigned char)*value)
                     ? (int)(strtoul(value, NULL, 0) & 0xffffff)
                     : -1;

    free(value);
    return number;
}

static void set_vendor(struct cpu_identity *cpu, const char *vendor)
{
    snprintf(cpu->vendor, sizeof(cpu->vendor), "%s", vendor);
}

static const char *vendor_of(const char *word)
{
    static const struct {
        const char *word, *vendor;
    } vendors[] = {
        {"GenuineIntel", "intel"}, {"intel", "intel"}, {"AuthenticAMD", "amd"},
        {"HygonGenuine", "amd"},   {"amd", "amd"},     {"arm", "arm"},
    };

    for (size_t i = 0; word && i < ARRAY_SIZE(vendors); i++)
        if (strcasecmp(word, vendors[i].word) == 0)
            return vendors[i].vendor;
    return "";
}

static void take_features(const char *text, const char *key, struct cpu_identity *cpu)
{
    static const char *const flag[] = {
#define X(name, word, flag) flag,
        CPU_FEATURE_MAP(X)
#undef X
    };
    char *value = cpuinfo_field(text, key);
    struct strvec here = {0};

    strvec_split(&here, value ? value : "");
    for (size_t i = 0; i < CPU_FEATURE_NR; i++)
        if (strvec_has(&here, flag[i]))
            cpu->features |= 1u << i;
    cpu->guest |= strvec_has(&here, "hypervisor");
    strvec_release(&here);
    free(value);
}

/* Such as "POWER9 (architected), altivec supported": its first word is the core's. */
static void take_core(struct cpu_identity *cpu, const char *vendor, const char *name)
{
    set_vendor(cpu, vendor);
    snprintf(cpu->name, sizeof(cpu->name), "%s", name);
    snprintf(cpu->core, sizeof(cpu->core), "%.*s",
             (int)strcspn(name, strcmp(vendor, "power") ? "" : " ,("), name);
}

static void from_cpuinfo(const char *text, struct cpu_identity *cpu)
{
    char *vendor = cpuinfo_field(text, "vendor_id"), *power = cpuinfo_field(text, "cpu"),
         *riscv = cpuinfo_field(text, "uarch"), *name = cpuinfo_field(text, "model name");

    *cpu = nobody;
    cpu->family = number_of(text, "cpu family");
    cpu->implementer = number_of(text, "CPU implementer");
    cpu->part = number_of(text, "CPU part");
    if (cpu->family >= 0)
        cpu->model = number_of(text, "model");
    cpu->stepping = number_of(text, cpu->family >= 0 ? "stepping" : "CPU revision");
    set_vendor(cpu, vendor_of(vendor));
    take_features(text, "flags", cpu);
    take_features(text, "Features", cpu);
    if (cpu->implementer >= 0) {
        set_vendor(cpu, "arm");
        snprintf(cpu->name, sizeof(cpu->name), "Arm implementer 0x%02x part 0x%03x",
                 (unsigned)cpu->implementer, (unsigned)cpu->part);
    } else if (power && text_begins(power, "POWER")) {
        take_core(cpu, "power", power);
    } else if (riscv) {
        take_core(cpu, "riscv", riscv);
    } else if (!*cpu->vendor) {
        snprintf(cpu->name, sizeof(cpu->name), "unknown processor");
    }
    if (name)
        snprintf(cpu->name, sizeof(cpu->name), "%s", name);
    free(vendor);
    free(power);
    free(riscv);
    free(name);
}

void cpu_identity_here(struct cpu_identity *cpu)
{
    struct buf text = {0};
    char *begin = xasprintf("processor\t: %d\n", sched_getcpu());
    const char *processor;

    cpuinfo_read(&text, NULL);
    processor = strstr(buf_str(&text), begin);
    from_cpuinfo(processor ? processor : buf_str(&text), cpu);
    free(begin);
    buf_release(&text);
}

/* "intel 6 85 4", "GenuineIntel-6-55-4": the second is perf's, in hexadecimal but for the
 * family ("AuthenticAMD-25-11-1" is family 19h). "arm 0x41 0xd49 3": implementer, part,
 * revision. */
static bool from_words(const char *text, struct cpu_identity *cpu)
{
    static const char between[] = " \t,-";
    int *out[] = {&cpu->family, &cpu->model, &cpu->stepping};
    char *vendor = xstrndup(text, strcspn(text, between));
    int base = text[strlen(vendor)] == '-' ? 16 : 0;

    set_vendor(cpu, vendor_of(vendor));
    bool arm = !strcmp(cpu->vendor, "arm");
    if (arm) {
        out[0] = &cpu->implementer;
        out[1] = &cpu->part;
    }
    text += strlen(vendor);
    free(vendor);
    for (size_t i = 0; *cpu->vendor && i < ARRAY_SIZE(out); i++) {
        char *end;

        text += strspn(text, between);
        unsigned long number = strtoul(text, &end, base && !i && !arm ? 10 : base);
        if (end == text || (*end && !strchr(between, *end)))
            break; /* "AMD EPYC 7742 64-Core Processor" tells none of them */
        *out[i] = (int)(number & 0xffffff);
        text = end;
    }
    return *out[0] >= 0 && *out[1] >= 0;
}

/* perf's name for an Arm core, its register MIDR in hexadecimal: implementer, variant,
 * architecture, part, revision. */
static bool from_midr(const char *text, struct cpu_identity *cpu)
{
    char *end;
    unsigned long midr = strncmp(text, "0x", 2) ? 0 : strtoul(text, &end, 16);

    if (!midr || *end || midr > 0xffffffff || (midr >> 16 & 0xf) != 0xf)
        return false;
    set_vendor(cpu, "arm");
    cpu->implementer = (int)(midr >> 24);
    cpu->part = (int)(midr >> 4 & 0xfff);
    cpu->stepping = (int)(midr & 0xf);
    return true;
}

static int number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? (int)(strtoul(at + strlen(key), NULL, 16) & 0xffffff) : -1;
}

/* As profiles of machines say it: "Intel(R) Xeon(R) ..., family 6 model 55 stepping 7",
 * "Arm implementer 0x41 part 0xd0c". */
static bool from_profile(const char *text, struct cpu_identity *cpu)
{
    char *vendor = xstrndup(text, strcspn(text, " (,"));

    set_vendor(cpu, vendor_of(vendor));
    free(vendor);
    cpu->family = number_after(text, ", family ");
    cpu->model = number_after(text, " model ");
    cpu->stepping = number_after(text, " stepping ");
    cpu->implementer = number_after(text, " implementer ");
    cpu->part = number_after(text, " part ");
    if (cpu->implementer >= 0 && cpu->part >= 0)
        set_vendor(cpu, "arm");
    return *cpu->vendor && ((cpu->family >= 0 && cpu->model >= 0) || cpu->part >= 0);
}

void cpu_identify(const char *text, struct cpu_identity *cpu)
{
    static bool (*const read[])(const char *, struct cpu_identity *) = {
        from_profile, from_midr, from_words};

    *cpu = nobody;
    if (text && strchr(text, '\n')) {
        from_cpuinfo(text, cpu);
        return;
    }
    for (size_t i = 0; text && i < ARRAY_SIZE(read); i++) {
        if (read[i](text, cpu))
            return;
        *cpu = nobody;
    }
}

void cpu_identity_say(const struct cpu_identity *cpu, struct buf *out)
{
    if (cpu->family >= 0) {
        buf_addf(out, "%s family %X model %X", cpu->vendor, (unsigned)cpu->family,
                 (unsigned)cpu->model);
        if (cpu->stepping >= 0)
            buf_addf(out, " stepping %X", (unsigned)cpu->stepping);
    } else if (cpu->implementer >= 0)
        buf_addf(out, "Arm implementer %02X part %03X", (unsigned)cpu->implementer,
                 (unsigned)cpu->part);
    else
        buf_add(out, cpu->core[0] ? cpu->core : cpu->name);
}

/* ---- names as sold ---- */

const char *cpu_vendor_of_name(const char *name)
{
    static const struct {
        const char *word, *vendor;
    } row[] = {{"intel", "intel"},  {"xeon", "intel"},   {"amd", "amd"},
               {"epyc", "amd"},     {"ryzen", "amd"},    {"a64fx", "arm"},
               {"neoverse", "arm"}, {"kunpeng", "arm"},  {"graviton", "arm"},
               {"fujitsu", "arm"},  {"power8", "power"}, {"power9", "power"},
               {"power10", "power"}};
    for (size_t i = 0; i < ARRAY_SIZE(row); i++)
        if (text_holds(name, row[i].word))
            return row[i].vendor;
    return NULL;
}

/* Words that tell CPUs apart, lower case; nothing in brackets, no clock. */
static void name_words(const char *name, struct strvec *out)
{
    struct buf text = {0};
    int depth = 0;
    for (; *name && *name != '@'; name++) {
        depth += *name == '(';
        char c = (char)tolower((unsigned char)*name);
        if (depth == 0)
            buf_add_n(&text, &c, 1);
        else if (*name == ')')
            depth--;
    }
    struct strvec all = {0};
    strvec_split(&all, buf_str(&text));
    for (size_t i = 0; i < all.nr; i++)
        if (strcmp(all.v[i], "cpu") && strcmp(all.v[i], "processor") &&
            !strstr(all.v[i], "-core"))
            strvec_push(out, all.v[i]);
    strvec_release(&all);
    buf_release(&text);
}

bool cpu_names_agree(const char *a, const char *b)
{
    struct strvec left = {0}, right = {0};
    name_words(a, &left);
    name_words(b, &right);
    const struct strvec *fewer = left.nr < right.nr ? &left : &right,
                        *more = left.nr < right.nr ? &right : &left;
    bool agree = fewer->nr > 0;
    for (size_t i = 0; i < fewer->nr; i++)
        agree = agree && strvec_has(more, fewer->v[i]);
    strvec_release(&left);
    strvec_release(&right);
    return agree;
}
