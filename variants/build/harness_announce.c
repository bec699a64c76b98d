/*
 * What no compiler reports of a traced kernel is announced by macros before it:
 * prefetches, copies, and vector intrinsics that are calls of builtins to the compiler.
 * Names of builtins, since the user's file includes the headers itself. Found with the
 * table of tests/test_variants_traced.c.
 */
#include <string.h>

#include "variants/build/harness.h"

/* <cstring> takes back macros by the names of its functions, so it comes before them. */
static const char plain[] =
    "#ifdef __cplusplus\n#include <cstring>\nextern \"C\" {\n#endif\n"
    "void tracer_prefetch(const void *address, int rw, int locality);\n"
    "void tracer_nontemporal_store(const void *address, __SIZE_TYPE__ bytes);\n"
    "void tracer_nontemporal(const void *address, __SIZE_TYPE__ bytes);\n"
    "void tracer_read(const void *address, __SIZE_TYPE__ bytes);\n"
    "void tracer_write(const void *address, __SIZE_TYPE__ bytes);\n"
    "void *inflight_traced_memcpy(void *, const void *, __SIZE_TYPE__);\n"
    "void *inflight_traced_memmove(void *, const void *, __SIZE_TYPE__);\n"
    "void *inflight_traced_memset(void *, int, __SIZE_TYPE__);\n"
    "#ifdef __cplusplus\n}\nnamespace std {\nusing ::inflight_traced_memcpy;\n"
    "using ::inflight_traced_memmove;\nusing ::inflight_traced_memset;\n}\n#endif\n"
    "#define INFLIGHT_PREFETCH(address, rw, locality, ...) "
    "tracer_prefetch((address), (rw), (locality))\n"
    "#define INFLIGHT_PREFETCH_1(address, ...) INFLIGHT_PREFETCH(address, 0, 3, 0)\n"
    "#define INFLIGHT_PREFETCH_2(address, rw, ...) INFLIGHT_PREFETCH(address, rw, 3, 0)\n"
    "#define INFLIGHT_PICK(a, b, c, pick, ...) pick\n"
    "#define __builtin_prefetch(...) INFLIGHT_PICK(__VA_ARGS__, INFLIGHT_PREFETCH, "
    "INFLIGHT_PREFETCH_2, INFLIGHT_PREFETCH_1, 0)(__VA_ARGS__, 0)\n"
    "#define __builtin_nontemporal_store(value, address) "
    "(tracer_nontemporal_store((address), sizeof(*(address))), *(address) = (value))\n"
    "#define memcpy inflight_traced_memcpy\n"
    "#define memmove inflight_traced_memmove\n"
    "#define memset inflight_traced_memset\n"
    "#define __builtin_memcpy inflight_traced_memcpy\n"
    "#define __builtin_memmove inflight_traced_memmove\n"
    "#define __builtin_memset inflight_traced_memset\n"
    "#define __builtin___memcpy_chk(to, from, bytes, room) "
    "inflight_traced_memcpy(to, from, bytes)\n"
    "#define __builtin___memmove_chk(to, from, bytes, room) "
    "inflight_traced_memmove(to, from, bytes)\n"
    "#define __builtin___memset_chk(to, byte, bytes, room) "
    "inflight_traced_memset(to, byte, bytes)\n";

/* Each gets the builtin, the bytes of an element (or of all), and the arguments. */
static const char macros[] =
    "#define INFLIGHT_PAST(name, bytes, to, ...) "
    "(tracer_nontemporal((to), bytes), name((to), __VA_ARGS__))\n"
    "#define INFLIGHT_PAST_PLAIN(name, bytes, to, ...) "
    "(tracer_nontemporal_store((to), bytes), name((to), __VA_ARGS__))\n"
    "#define INFLIGHT_READ(name, bytes, from) (tracer_read((from), bytes), name(from))\n"
    /* lanes of a vector whose sign bit is set */
    "#define INFLIGHT_SIGN(mask, lane, bytes) "
    "(((signed char __attribute__((vector_size(sizeof(mask)))))(mask))"
    "[((lane) + 1) * (bytes)-1] < 0)\n"
    "#define INFLIGHT_LANES(what, mask, base, bytes) "
    "for (unsigned inflight_l = 0; inflight_l < sizeof(mask) / (bytes); inflight_l++) "
    "if (INFLIGHT_SIGN(mask, inflight_l, bytes)) "
    "what((const char *)(base) + inflight_l * (bytes), (bytes));\n"
    "#define INFLIGHT_MASK_READ(name, bytes, from, mask) "
    "({ __typeof__(mask) inflight_m = (mask); __typeof__(from) inflight_a = (from); "
    "__asm__(\"\" : \"+x\"(inflight_m)); "
    "INFLIGHT_LANES(tracer_read, inflight_m, inflight_a, bytes) "
    "name(inflight_a, inflight_m); })\n"
    "#define INFLIGHT_MASK_WRITE(name, bytes, to, mask, value) "
    "({ __typeof__(mask) inflight_m = (mask); __typeof__(to) inflight_a = (to); "
    "__asm__(\"\" : \"+x\"(inflight_m)); "
    "INFLIGHT_LANES(tracer_write, inflight_m, inflight_a, bytes) "
    "name(inflight_a, inflight_m, value); })\n"
    /* lanes whose bit is set */
    "#define INFLIGHT_BITS(what, bits, base, bytes) "
    "for (unsigned inflight_l = 0; inflight_l < 64; inflight_l++) "
    "if ((unsigned long long)(bits) >> inflight_l & 1) "
    "what((const char *)(base) + inflight_l * (bytes), (bytes));\n"
    "#define INFLIGHT_BITS_READ(name, bytes, from, old, bits) "
    "({ INFLIGHT_BITS(tracer_read, bits, from, bytes) name(from, old, bits); })\n"
    "#define INFLIGHT_BITS_WRITE(name, bytes, to, value, bits) "
    "({ INFLIGHT_BITS(tracer_write, bits, to, bytes) name(to, value, bits); })\n"
    "#define INFLIGHT_PACKED_READ(name, bytes, from, old, bits) "
    "(tracer_read((from), (bytes) * __builtin_popcountll(bits)), name(from, old, bits))\n"
    "#define INFLIGHT_PACKED_WRITE(name, bytes, to, value, bits) "
    "(tracer_write((to), (bytes) * __builtin_popcountll(bits)), name(to, value, bits))\n"
    /* indices */
    "#define INFLIGHT_FEWER(a, b) ((a) < (b) ? (a) : (b))\n"
    "#define INFLIGHT_INDEXED(what, active, base, index, data, bytes, scale) "
    "for (unsigned inflight_l = 0; inflight_l < INFLIGHT_FEWER(sizeof(data) / (bytes), "
    "sizeof(index) / sizeof((index)[0])); inflight_l++) "
    "if (active) what((const char *)(base) + (long)(index)[inflight_l] * (scale), "
    "(bytes));\n"
    "#define INFLIGHT_GATHER(name, bytes, old, base, index, mask, scale) "
    "({ __typeof__(index) inflight_i = (index); __typeof__(mask) inflight_m = (mask); "
    "const void *inflight_a = (base); "
    "INFLIGHT_INDEXED(tracer_read, INFLIGHT_SIGN(inflight_m, inflight_l, bytes), "
    "inflight_a, inflight_i, inflight_m, bytes, scale) "
    "name(old, (__typeof__((base) + 0))inflight_a, inflight_i, inflight_m, scale); })\n"
    "#define INFLIGHT_GATHER_BITS(name, bytes, old, base, index, mask, scale) "
    "({ __typeof__(index) inflight_i = (index); __typeof__(old) inflight_o = (old); "
    "__typeof__(mask) inflight_m = (mask); const void *inflight_a = (base); "
    "INFLIGHT_INDEXED(tracer_read, inflight_m >> inflight_l & 1, "
    "inflight_a, inflight_i, inflight_o, bytes, scale) "
    "name(inflight_o, (__typeof__((base) + 0))inflight_a, inflight_i, inflight_m, "
    "scale); })\n"
    "#define INFLIGHT_SCATTER(name, bytes, base, mask, index, value, scale) "
    "({ __typeof__(index) inflight_i = (index); __typeof__(value) inflight_v = (value); "
    "__typeof__(mask) inflight_m = (mask); void *inflight_a = (base); "
    "INFLIGHT_INDEXED(tracer_write, inflight_m >> inflight_l & 1, "
    "inflight_a, inflight_i, inflight_v, bytes, scale) "
    "name(inflight_a, inflight_m, inflight_i, inflight_v, scale); })\n";

/* UNTIL_CLANG_19: from there on clang reports these itself. */
enum compilers { BOTH, GCC, CLANG, UNTIL_CLANG_19 };

/* `#` in a name stands for 128, 256 and 512. */
static const struct group {
    enum compilers compilers;
    const char *macro;
    int bytes;
    const char *names;
} groups[] = {
    {GCC, "PAST", 4, "movnti movntss"},
    {GCC, "PAST", 8, "movnti64 movntq movntsd"},
    {GCC, "PAST", 16, "movntpd movntps movntdq"},
    {GCC, "PAST", 32, "movntpd256 movntps256 movntdq256"},
    {GCC, "PAST", 64, "movntpd512 movntps512 movntdq512"},
    {CLANG, "PAST_PLAIN", 4, "movnti"},
    {CLANG, "PAST_PLAIN", 8, "movnti64"},
    {GCC, "READ", 16, "movntdqa lddqu"},
    {GCC, "READ", 32, "movntdqa256 lddqu256"},
    {GCC, "READ", 64, "movntdqa512"},
    {BOTH, "MASK_READ", 4, "maskloadd maskloadd256 maskloadps maskloadps256"},
    {BOTH, "MASK_READ", 8, "maskloadq maskloadq256 maskloadpd maskloadpd256"},
    {BOTH, "MASK_WRITE", 4, "maskstored maskstored256 maskstoreps maskstoreps256"},
    {BOTH, "MASK_WRITE", 8, "maskstoreq maskstoreq256 maskstorepd maskstorepd256"},
    {GCC, "BITS_READ", 1, "loaddquqi#_mask"},
    {GCC, "BITS_READ", 2, "loaddquhi#_mask"},
    {GCC, "BITS_READ", 4,
     "loadaps#_mask loadups#_mask loaddqusi#_mask movdqa32load#_mask"},
    {GCC, "BITS_READ", 8,
     "loadapd#_mask loadupd#_mask loaddqudi#_mask movdqa64load#_mask"},
    {GCC, "BITS_WRITE", 1, "storedquqi#_mask"},
    {GCC, "BITS_WRITE", 2, "storedquhi#_mask"},
    {GCC, "BITS_WRITE", 4,
     "storeaps#_mask storeups#_mask storedqusi#_mask movdqa32store#_mask"},
    {GCC, "BITS_WRITE", 8,
     "storeapd#_mask storeupd#_mask storedqudi#_mask movdqa64store#_mask"},
    {UNTIL_CLANG_19, "PACKED_READ", 4,
     "expandloadsf#_mask expandloadsf#_maskz expandloadsi#_mask expandloadsi#_maskz"},
    {UNTIL_CLANG_19, "PACKED_READ", 8,
     "expandloaddf#_mask expandloaddf#_maskz expandloaddi#_mask expandloaddi#_maskz"},
    {UNTIL_CLANG_19, "PACKED_WRITE", 4, "compressstoresf#_mask compressstoresi#_mask"},
    {UNTIL_CLANG_19, "PACKED_WRITE", 8, "compressstoredf#_mask compressstoredi#_mask"},
    {GCC, "GATHER", 4,
     "gathersiv4sf gathersiv8sf gathersiv4si gathersiv8si gatherdiv4sf gatherdiv4sf256 "
     "gatherdiv4si gatherdiv4si256"},
    {GCC, "GATHER", 8,
     "gathersiv2df gathersiv4df gathersiv2di gathersiv4di gatherdiv2df gatherdiv4df "
     "gatherdiv2di gatherdiv4di"},
    {CLANG, "GATHER", 4,
     "gatherd_ps gatherd_ps256 gatherd_d gatherd_d256 gatherq_ps gatherq_ps256 gatherq_d "
     "gatherq_d256"},
    {CLANG, "GATHER", 8,
     "gatherd_pd gatherd_pd256 gatherd_q gatherd_q256 gatherq_pd gatherq_pd256 gatherq_q "
     "gatherq_q256"},
    {BOTH, "GATHER_BITS", 4,
     "gather3siv4sf gather3siv8sf gather3siv4si gather3siv8si gather3div4sf "
     "gather3div8sf gather3div4si gather3div8si gathersiv16sf gathersiv16si "
     "gatherdiv16sf gatherdiv16si"},
    {BOTH, "GATHER_BITS", 8,
     "gather3siv2df gather3siv4df gather3siv2di gather3siv4di gather3div2df "
     "gather3div4df gather3div2di gather3div4di gathersiv8df gathersiv8di gatherdiv8df "
     "gatherdiv8di"},
    {BOTH, "SCATTER", 4,
     "scattersiv4sf scattersiv8sf scattersiv16sf scattersiv4si scattersiv8si "
     "scattersiv16si scatterdiv4sf scatterdiv8sf scatterdiv16sf scatterdiv4si "
     "scatterdiv8si scatterdiv16si"},
    {BOTH, "SCATTER", 8,
     "scattersiv2df scattersiv4df scattersiv8df scattersiv2di scattersiv4di "
     "scattersiv8di scatterdiv2df scatterdiv4df scatterdiv8df scatterdiv2di "
     "scatterdiv4di scatterdiv8di"},
};

static void add_define(const struct group *group, const char *name, size_t length,
                       const char *width, struct buf *out)
{
    const char *hash = memchr(name, '#', length);
    size_t before = hash ? (size_t)(hash - name) : length;
    struct buf full = {0};

    buf_add(&full, "__builtin_ia32_");
    buf_add_n(&full, name, before);
    if (hash) {
        buf_add(&full, width);
        buf_add_n(&full, hash + 1, length - before - 1);
    }
    buf_addf(out, "#define %s(...) INFLIGHT_%s(%s, %d, __VA_ARGS__)\n", buf_str(&full),
             group->macro, buf_str(&full), group->bytes);
    buf_release(&full);
}

static void add_group(const struct group *group, struct buf *out)
{
    static const char *const widths[] = {"128", "256", "512"};

    for (const char *name = group->names; *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");

        for (size_t i = 0; i < (memchr(name, '#', length) ? ARRAY_SIZE(widths) : 1); i++)
            add_define(group, name, length, widths[i], out);
        name += length;
    }
}

static void add_groups(enum compilers compilers, struct buf *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        if (groups[i].compilers == compilers)
            add_group(&groups[i], out);
}

void harness_announcements(struct buf *out)
{
    buf_add(out, plain);
    buf_add(out, "#if defined(__x86_64__) || defined(__i386__)\n");
    buf_add(out, macros);
    add_groups(BOTH, out);
    buf_add(out, "#ifdef __clang__\n");
    add_groups(CLANG, out);
    buf_add(out, "#else\n");
    add_groups(GCC, out);
    buf_add(out, "#endif\n#if !defined(__clang__) || __clang_major__ < 19\n");
    add_groups(UNTIL_CLANG_19, out);
    buf_add(out, "#endif\n#endif\n");
}
