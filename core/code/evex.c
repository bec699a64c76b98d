/* AVX-512: the encoding is regular, and a row for each opcode says the rest. Intel's
 * manual 325462, volume 2, section 2.7 and the pages of the instructions. */
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/code/decode_parts.h"

/* Operands in the order of Intel's syntax. */
enum form {
    RVM, /* register, second register, register or memory */
    RM,
    MR,
    VM,  /* second register, register or memory: shifts by a number */
    MOV, /* of scalars: RM with memory, else RVM */
    STO, /* of scalars: MR with memory, else RVM with the first and last exchanged */
};

enum { GPR_REG = 1, GPR_RM = 2, MASK_REG = 4, MASK_RM = 8, GATHER = 16 };

/* How much memory: the tuple types of the manual, which also scale short displacements.
 */
enum tuple {
    FULL, /* or one element for all lanes */
    FULL_MEMORY,
    HALF,         /* or one element */
    HALF_OR_FULL, /* by W */
    HALF_MEMORY,
    QUARTER,
    EIGHTH,
    ELEMENT, /* 4 bytes, or 8 with W */
    DOUBLED, /* movddup: 8 of 16, else all */
    BYTES_1, /* and so on: 1 << (tuple - BYTES_1) */
    BYTES_2,
    BYTES_4,
    BYTES_8,
    BYTES_16,
    BYTES_32,
};

/* Prefixes that are part of the opcode, as EVEX has them; PS and PD: both of them, the
 * second letter of the name by which; ALL: ps, pd, ss, sd. */
enum prefix { NO, P66, F3, F2, PS_PD, ALL };

/* In names: `%` s or d, `#` d or q, `@` b or w by W; `~` ps, pd, ss or sd by prefix; of
 * two with `|` between the second is that with W. */
/* A register or digit in the place of `reg` that is part of the opcode: 0x10000 x (1 +
 * digit). */
#define DIGIT(n) (0x10000u * ((n) + 1))

struct row {
    uint32_t opcode; /* 0x100 x map + byte, | DIGIT */
    uint8_t prefix, form, tuple, flags;
    const char *name;
};

static const struct row rows[] = {
    {0x110, PS_PD, RM, FULL_MEMORY, 0, "movu~"},
    {0x110, F3, MOV, BYTES_4, 0, "movss"},
    {0x110, F2, MOV, BYTES_8, 0, "movsd"},
    {0x111, PS_PD, MR, FULL_MEMORY, 0, "movu~"},
    {0x111, F3, STO, BYTES_4, 0, "movss"},
    {0x111, F2, STO, BYTES_8, 0, "movsd"},
    {0x112, PS_PD, RVM, BYTES_8, 0, "movl~"},
    {0x112, F2, RM, DOUBLED, 0, "movddup"},
    {0x112, F3, RM, FULL_MEMORY, 0, "movsldup"},
    {0x113, PS_PD, MR, BYTES_8, 0, "movl~"},
    {0x114, PS_PD, RVM, FULL, 0, "unpckl~"},
    {0x115, PS_PD, RVM, FULL, 0, "unpckh~"},
    {0x116, PS_PD, RVM, BYTES_8, 0, "movh~"},
    {0x116, F3, RM, FULL_MEMORY, 0, "movshdup"},
    {0x117, PS_PD, MR, BYTES_8, 0, "movh~"},
    {0x128, PS_PD, RM, FULL_MEMORY, 0, "mova~"},
    {0x129, PS_PD, MR, FULL_MEMORY, 0, "mova~"},
    {0x12a, F3, RVM, ELEMENT, GPR_RM, "cvtsi2ss"},
    {0x12a, F2, RVM, ELEMENT, GPR_RM, "cvtsi2sd"},
    {0x12b, PS_PD, MR, FULL_MEMORY, 0, "movnt~"},
    {0x12c, F3, RM, BYTES_4, GPR_REG, "cvttss2si"},
    {0x12c, F2, RM, BYTES_8, GPR_REG, "cvttsd2si"},
    {0x12d, F3, RM, BYTES_4, GPR_REG, "cvtss2si"},
    {0x12d, F2, RM, BYTES_8, GPR_REG, "cvtsd2si"},
    {0x12e, PS_PD, RM, ELEMENT, 0, "ucomi!"},
    {0x12f, PS_PD, RM, ELEMENT, 0, "comi!"},
    {0x151, PS_PD, RM, FULL, 0, "sqrt~"},
    {0x151, ALL, RVM, ELEMENT, 0, "sqrt~"},
    {0x154, PS_PD, RVM, FULL, 0, "and~"},
    {0x155, PS_PD, RVM, FULL, 0, "andn~"},
    {0x156, PS_PD, RVM, FULL, 0, "or~"},
    {0x157, PS_PD, RVM, FULL, 0, "xor~"},
    {0x158, ALL, RVM, FULL, 0, "add~"},
    {0x159, ALL, RVM, FULL, 0, "mul~"},
    {0x15a, NO, RM, HALF, 0, "cvtps2pd"},
    {0x15a, P66, RM, FULL, 0, "cvtpd2ps"},
    {0x15a, F3, RVM, BYTES_4, 0, "cvtss2sd"},
    {0x15a, F2, RVM, BYTES_8, 0, "cvtsd2ss"},
    {0x15b, NO, RM, FULL, 0, "cvtdq2ps|cvtqq2ps"},
    {0x15b, P66, RM, FULL, 0, "cvtps2dq"},
    {0x15b, F3, RM, FULL, 0, "cvttps2dq"},
    {0x15c, ALL, RVM, FULL, 0, "sub~"},
    {0x15d, ALL, RVM, FULL, 0, "min~"},
    {0x15e, ALL, RVM, FULL, 0, "div~"},
    {0x15f, ALL, RVM, FULL, 0, "max~"},
    {0x160, P66, RVM, FULL_MEMORY, 0, "punpcklbw"},
    {0x161, P66, RVM, FULL_MEMORY, 0, "punpcklwd"},
    {0x162, P66, RVM, FULL, 0, "punpckldq"},
    {0x163, P66, RVM, FULL_MEMORY, 0, "packsswb"},
    {0x164, P66, RVM, FULL_MEMORY, MASK_REG, "pcmpgtb"},
    {0x165, P66, RVM, FULL_MEMORY, MASK_REG, "pcmpgtw"},
    {0x166, P66, RVM, FULL, MASK_REG, "pcmpgtd"},
    {0x167, P66, RVM, FULL_MEMORY, 0, "packuswb"},
    {0x168, P66, RVM, FULL_MEMORY, 0, "punpckhbw"},
    {0x169, P66, RVM, FULL_MEMORY, 0, "punpckhwd"},
    {0x16a, P66, RVM, FULL, 0, "punpckhdq"},
    {0x16b, P66, RVM, FULL, 0, "packssdw"},
    {0x16c, P66, RVM, FULL, 0, "punpcklqdq"},
    {0x16d, P66, RVM, FULL, 0, "punpckhqdq"},
    {0x16e, P66, RM, ELEMENT, GPR_RM, "movd|movq"},
    {0x16f, P66, RM, FULL_MEMORY, 0, "movdqa32|movdqa64"},
    {0x16f, F3, RM, FULL_MEMORY, 0, "movdqu32|movdqu64"},
    {0x16f, F2, RM, FULL_MEMORY, 0, "movdqu8|movdqu16"},
    {0x170, P66, RM, FULL, 0, "pshufd"},
    {0x170, F3, RM, FULL_MEMORY, 0, "pshufhw"},
    {0x170, F2, RM, FULL_MEMORY, 0, "pshuflw"},
    {0x171 | DIGIT(2), P66, VM, FULL_MEMORY, 0, "psrlw"},
    {0x171 | DIGIT(4), P66, VM, FULL_MEMORY, 0, "psraw"},
    {0x171 | DIGIT(6), P66, VM, FULL_MEMORY, 0, "psllw"},
    {0x172 | DIGIT(0), P66, VM, FULL, 0, "pror#"},
    {0x172 | DIGIT(1), P66, VM, FULL, 0, "prol#"},
    {0x172 | DIGIT(2), P66, VM, FULL, 0, "psrld"},
    {0x172 | DIGIT(4), P66, VM, FULL, 0, "psra#"},
    {0x172 | DIGIT(6), P66, VM, FULL, 0, "pslld"},
    {0x173 | DIGIT(2), P66, VM, FULL, 0, "psrlq"},
    {0x173 | DIGIT(3), P66, VM, FULL_MEMORY, 0, "psrldq"},
    {0x173 | DIGIT(6), P66, VM, FULL, 0, "psllq"},
    {0x173 | DIGIT(7), P66, VM, FULL_MEMORY, 0, "pslldq"},
    {0x174, P66, RVM, FULL_MEMORY, MASK_REG, "pcmpeqb"},
    {0x175, P66, RVM, FULL_MEMORY, MASK_REG, "pcmpeqw"},
    {0x176, P66, RVM, FULL, MASK_REG, "pcmpeqd"},
    {0x178, NO, RM, FULL, 0, "cvttps2udq|cvttpd2udq"},
    {0x178, P66, RM, HALF_OR_FULL, 0, "cvttps2uqq|cvttpd2uqq"},
    {0x178, F3, RM, BYTES_4, GPR_REG, "cvttss2usi"},
    {0x178, F2, RM, BYTES_8, GPR_REG, "cvttsd2usi"},
    {0x179, NO, RM, FULL, 0, "cvtps2udq|cvtpd2udq"},
    {0x179, P66, RM, HALF_OR_FULL, 0, "cvtps2uqq|cvtpd2uqq"},
    {0x179, F3, RM, BYTES_4, GPR_REG, "cvtss2usi"},
    {0x179, F2, RM, BYTES_8, GPR_REG, "cvtsd2usi"},
    {0x17a, P66, RM, HALF_OR_FULL, 0, "cvttps2qq|cvttpd2qq"},
    {0x17a, F3, RM, HALF_OR_FULL, 0, "cvtudq2pd|cvtuqq2pd"},
    {0x17a, F2, RM, FULL, 0, "cvtudq2ps|cvtuqq2ps"},
    {0x17b, P66, RM, HALF_OR_FULL, 0, "cvtps2qq|cvtpd2qq"},
    {0x17b, F3, RVM, ELEMENT, GPR_RM, "cvtusi2ss"},
    {0x17b, F2, RVM, ELEMENT, GPR_RM, "cvtusi2sd"},
    {0x17e, P66, MR, ELEMENT, GPR_RM, "movd|movq"},
    {0x17e, F3, RM, BYTES_8, 0, "movq"},
    {0x17f, P66, MR, FULL_MEMORY, 0, "movdqa32|movdqa64"},
    {0x17f, F3, MR, FULL_MEMORY, 0, "movdqu32|movdqu64"},
    {0x17f, F2, MR, FULL_MEMORY, 0, "movdqu8|movdqu16"},
    {0x1c2, ALL, RVM, FULL, MASK_REG, "cmp~"},
    {0x1c4, P66, RVM, BYTES_2, GPR_RM, "pinsrw"},
    {0x1c5, P66, RM, BYTES_2, GPR_REG, "pextrw"},
    {0x1c6, PS_PD, RVM, FULL, 0, "shuf~"},
    {0x1d1, P66, RVM, BYTES_16, 0, "psrlw"},
    {0x1d2, P66, RVM, BYTES_16, 0, "psrld"},
    {0x1d3, P66, RVM, BYTES_16, 0, "psrlq"},
    {0x1d4, P66, RVM, FULL, 0, "paddq"},
    {0x1d5, P66, RVM, FULL_MEMORY, 0, "pmullw"},
    {0x1d6, P66, MR, BYTES_8, 0, "movq"},
    {0x1d8, P66, RVM, FULL_MEMORY, 0, "psubusb"},
    {0x1d9, P66, RVM, FULL_MEMORY, 0, "psubusw"},
    {0x1da, P66, RVM, FULL_MEMORY, 0, "pminub"},
    {0x1db, P66, RVM, FULL, 0, "pand#"},
    {0x1dc, P66, RVM, FULL_MEMORY, 0, "paddusb"},
    {0x1dd, P66, RVM, FULL_MEMORY, 0, "paddusw"},
    {0x1de, P66, RVM, FULL_MEMORY, 0, "pmaxub"},
    {0x1df, P66, RVM, FULL, 0, "pandn#"},
    {0x1e0, P66, RVM, FULL_MEMORY, 0, "pavgb"},
    {0x1e1, P66, RVM, BYTES_16, 0, "psraw"},
    {0x1e2, P66, RVM, BYTES_16, 0, "psra#"},
    {0x1e3, P66, RVM, FULL_MEMORY, 0, "pavgw"},
    {0x1e4, P66, RVM, FULL_MEMORY, 0, "pmulhuw"},
    {0x1e5, P66, RVM, FULL_MEMORY, 0, "pmulhw"},
    {0x1e6, P66, RM, FULL, 0, "cvttpd2dq"},
    {0x1e6, F3, RM, HALF_OR_FULL, 0, "cvtdq2pd|cvtqq2pd"},
    {0x1e6, F2, RM, FULL, 0, "cvtpd2dq"},
    {0x1e7, P66, MR, FULL_MEMORY, 0, "movntdq"},
    {0x1e8, P66, RVM, FULL_MEMORY, 0, "psubsb"},
    {0x1e9, P66, RVM, FULL_MEMORY, 0, "psubsw"},
    {0x1ea, P66, RVM, FULL_MEMORY, 0, "pminsw"},
    {0x1eb, P66, RVM, FULL, 0, "por#"},
    {0x1ec, P66, RVM, FULL_MEMORY, 0, "paddsb"},
    {0x1ed, P66, RVM, FULL_MEMORY, 0, "paddsw"},
    {0x1ee, P66, RVM, FULL_MEMORY, 0, "pmaxsw"},
    {0x1ef, P66, RVM, FULL, 0, "pxor#"},
    {0x1f1, P66, RVM, BYTES_16, 0, "psllw"},
    {0x1f2, P66, RVM, BYTES_16, 0, "pslld"},
    {0x1f3, P66, RVM, BYTES_16, 0, "psllq"},
    {0x1f4, P66, RVM, FULL, 0, "pmuludq"},
    {0x1f5, P66, RVM, FULL_MEMORY, 0, "pmaddwd"},
    {0x1f6, P66, RVM, FULL_MEMORY, 0, "psadbw"},
    {0x1f8, P66, RVM, FULL_MEMORY, 0, "psubb"},
    {0x1f9, P66, RVM, FULL_MEMORY, 0, "psubw"},
    {0x1fa, P66, RVM, FULL, 0, "psubd"},
    {0x1fb, P66, RVM, FULL, 0, "psubq"},
    {0x1fc, P66, RVM, FULL_MEMORY, 0, "paddb"},
    {0x1fd, P66, RVM, FULL_MEMORY, 0, "paddw"},
    {0x1fe, P66, RVM, FULL, 0, "paddd"},

    {0x200, P66, RVM, FULL_MEMORY, 0, "pshufb"},
    {0x204, P66, RVM, FULL_MEMORY, 0, "pmaddubsw"},
    {0x20b, P66, RVM, FULL_MEMORY, 0, "pmulhrsw"},
    {0x20c, P66, RVM, FULL, 0, "permilps"},
    {0x20d, P66, RVM, FULL, 0, "permilpd"},
    {0x210, P66, RVM, FULL_MEMORY, 0, "psrlvw"},
    {0x210, F3, MR, HALF_MEMORY, 0, "pmovuswb"},
    {0x211, P66, RVM, FULL_MEMORY, 0, "psravw"},
    {0x211, F3, MR, QUARTER, 0, "pmovusdb"},
    {0x212, P66, RVM, FULL_MEMORY, 0, "psllvw"},
    {0x212, F3, MR, EIGHTH, 0, "pmovusqb"},
    {0x213, P66, RM, HALF_MEMORY, 0, "cvtph2ps"},
    {0x213, F3, MR, HALF_MEMORY, 0, "pmovusdw"},
    {0x214, P66, RVM, FULL, 0, "prorv#"},
    {0x214, F3, MR, QUARTER, 0, "pmovusqw"},
    {0x215, P66, RVM, FULL, 0, "prolv#"},
    {0x215, F3, MR, HALF_MEMORY, 0, "pmovusqd"},
    {0x216, P66, RVM, FULL, 0, "permp%"},
    {0x218, P66, RM, BYTES_4, 0, "broadcastss"},
    {0x219, P66, RM, BYTES_8, 0, "broadcastf32x2|broadcastsd"},
    {0x21a, P66, RM, BYTES_16, 0, "broadcastf32x4|broadcastf64x2"},
    {0x21b, P66, RM, BYTES_32, 0, "broadcastf32x8|broadcastf64x4"},
    {0x21c, P66, RM, FULL_MEMORY, 0, "pabsb"},
    {0x21d, P66, RM, FULL_MEMORY, 0, "pabsw"},
    {0x21e, P66, RM, FULL, 0, "pabsd"},
    {0x21f, P66, RM, FULL, 0, "pabsq"},
    {0x220, P66, RM, HALF_MEMORY, 0, "pmovsxbw"},
    {0x220, F3, MR, HALF_MEMORY, 0, "pmovswb"},
    {0x221, P66, RM, QUARTER, 0, "pmovsxbd"},
    {0x221, F3, MR, QUARTER, 0, "pmovsdb"},
    {0x222, P66, RM, EIGHTH, 0, "pmovsxbq"},
    {0x222, F3, MR, EIGHTH, 0, "pmovsqb"},
    {0x223, P66, RM, HALF_MEMORY, 0, "pmovsxwd"},
    {0x223, F3, MR, HALF_MEMORY, 0, "pmovsdw"},
    {0x224, P66, RM, QUARTER, 0, "pmovsxwq"},
    {0x224, F3, MR, QUARTER, 0, "pmovsqw"},
    {0x225, P66, RM, HALF_MEMORY, 0, "pmovsxdq"},
    {0x225, F3, MR, HALF_MEMORY, 0, "pmovsqd"},
    {0x226, P66, RVM, FULL_MEMORY, MASK_REG, "ptestm@"},
    {0x226, F3, RVM, FULL_MEMORY, MASK_REG, "ptestnm@"},
    {0x227, P66, RVM, FULL, MASK_REG, "ptestm#"},
    {0x227, F3, RVM, FULL, MASK_REG, "ptestnm#"},
    {0x228, P66, RVM, FULL, 0, "pmuldq"},
    {0x228, F3, RM, FULL_MEMORY, MASK_RM, "pmovm2@"},
    {0x229, P66, RVM, FULL, MASK_REG, "pcmpeqq"},
    {0x229, F3, RM, FULL_MEMORY, MASK_REG, "pmovb2m|pmovw2m"},
    {0x22a, P66, RM, FULL_MEMORY, 0, "movntdqa"},
    {0x22a, F3, RM, FULL_MEMORY, MASK_RM, "pbroadcastmb2q"},
    {0x22b, P66, RVM, FULL, 0, "packusdw"},
    {0x22c, P66, RVM, FULL, 0, "scalefp%"},
    {0x22d, P66, RVM, ELEMENT, 0, "scalefs%"},
    {0x230, P66, RM, HALF_MEMORY, 0, "pmovzxbw"},
    {0x230, F3, MR, HALF_MEMORY, 0, "pmovwb"},
    {0x231, P66, RM, QUARTER, 0, "pmovzxbd"},
    {0x231, F3, MR, QUARTER, 0, "pmovdb"},
    {0x232, P66, RM, EIGHTH, 0, "pmovzxbq"},
    {0x232, F3, MR, EIGHTH, 0, "pmovqb"},
    {0x233, P66, RM, HALF_MEMORY, 0, "pmovzxwd"},
    {0x233, F3, MR, HALF_MEMORY, 0, "pmovdw"},
    {0x234, P66, RM, QUARTER, 0, "pmovzxwq"},
    {0x234, F3, MR, QUARTER, 0, "pmovqw"},
    {0x235, P66, RM, HALF_MEMORY, 0, "pmovzxdq"},
    {0x235, F3, MR, HALF_MEMORY, 0, "pmovqd"},
    {0x236, P66, RVM, FULL, 0, "perm#"},
    {0x237, P66, RVM, FULL, MASK_REG, "pcmpgtq"},
    {0x238, P66, RVM, FULL_MEMORY, 0, "pminsb"},
    {0x238, F3, RM, FULL_MEMORY, MASK_RM, "pmovm2#"},
    {0x239, P66, RVM, FULL, 0, "pmins#"},
    {0x239, F3, RM, FULL_MEMORY, MASK_REG, "pmovd2m|pmovq2m"},
    {0x23a, P66, RVM, FULL_MEMORY, 0, "pminuw"},
    {0x23a, F3, RM, FULL_MEMORY, MASK_RM, "pbroadcastmw2d"},
    {0x23b, P66, RVM, FULL, 0, "pminu#"},
    {0x23c, P66, RVM, FULL_MEMORY, 0, "pmaxsb"},
    {0x23d, P66, RVM, FULL, 0, "pmaxs#"},
    {0x23e, P66, RVM, FULL_MEMORY, 0, "pmaxuw"},
    {0x23f, P66, RVM, FULL, 0, "pmaxu#"},
    {0x240, P66, RVM, FULL, 0, "pmulld|pmullq"},
    {0x242, P66, RM, FULL, 0, "getexpp%"},
    {0x243, P66, RVM, ELEMENT, 0, "getexps%"},
    {0x244, P66, RM, FULL, 0, "plzcnt#"},
    {0x245, P66, RVM, FULL, 0, "psrlv#"},
    {0x246, P66, RVM, FULL, 0, "psrav#"},
    {0x247, P66, RVM, FULL, 0, "psllv#"},
    {0x24c, P66, RM, FULL, 0, "rcp14p%"},
    {0x24d, P66, RVM, ELEMENT, 0, "rcp14s%"},
    {0x24e, P66, RM, FULL, 0, "rsqrt14p%"},
    {0x24f, P66, RVM, ELEMENT, 0, "rsqrt14s%"},
    {0x250, P66, RVM, FULL, 0, "pdpbusd"},
    {0x251, P66, RVM, FULL, 0, "pdpbusds"},
    {0x252, P66, RVM, FULL, 0, "pdpwssd"},
    {0x252, F3, RVM, FULL, 0, "dpbf16ps"},
    {0x253, P66, RVM, FULL, 0, "pdpwssds"},
    {0x254, P66, RM, FULL_MEMORY, 0, "popcnt@"},
    {0x255, P66, RM, FULL, 0, "popcnt#"},
    {0x258, P66, RM, BYTES_4, 0, "pbroadcastd"},
    {0x259, P66, RM, BYTES_8, 0, "broadcasti32x2|pbroadcastq"},
    {0x25a, P66, RM, BYTES_16, 0, "broadcasti32x4|broadcasti64x2"},
    {0x25b, P66, RM, BYTES_32, 0, "broadcasti32x8|broadcasti64x4"},
    {0x262, P66, RM, BYTES_1, 0, "pexpand@"},
    {0x263, P66, MR, BYTES_1, 0, "pcompress@"},
    {0x264, P66, RVM, FULL, 0, "pblendm#"},
    {0x265, P66, RVM, FULL, 0, "blendmp%"},
    {0x266, P66, RVM, FULL_MEMORY, 0, "pblendm@"},
    {0x270, P66, RVM, FULL_MEMORY, 0, "pshldvw"},
    {0x271, P66, RVM, FULL, 0, "pshldv#"},
    {0x272, P66, RVM, FULL_MEMORY, 0, "pshrdvw"},
    {0x272, F3, RM, FULL, 0, "cvtneps2bf16"},
    {0x272, F2, RVM, FULL, 0, "cvtne2ps2bf16"},
    {0x273, P66, RVM, FULL, 0, "pshrdv#"},
    {0x275, P66, RVM, FULL_MEMORY, 0, "permi2@"},
    {0x276, P66, RVM, FULL, 0, "permi2#"},
    {0x277, P66, RVM, FULL, 0, "permi2p%"},
    {0x278, P66, RM, BYTES_1, 0, "pbroadcastb"},
    {0x279, P66, RM, BYTES_2, 0, "pbroadcastw"},
    {0x27a, P66, RM, BYTES_1, GPR_RM, "pbroadcastb"},
    {0x27b, P66, RM, BYTES_2, GPR_RM, "pbroadcastw"},
    {0x27c, P66, RM, ELEMENT, GPR_RM, "pbroadcast#"},
    {0x27d, P66, RVM, FULL_MEMORY, 0, "permt2@"},
    {0x27e, P66, RVM, FULL, 0, "permt2#"},
    {0x27f, P66, RVM, FULL, 0, "permt2p%"},
    {0x283, P66, RVM, FULL, 0, "pmultishiftqb"},
    {0x288, P66, RM, ELEMENT, 0, "expandp%"},
    {0x289, P66, RM, ELEMENT, 0, "pexpand#"},
    {0x28a, P66, MR, ELEMENT, 0, "compressp%"},
    {0x28b, P66, MR, ELEMENT, 0, "pcompress#"},
    {0x28d, P66, RVM, FULL_MEMORY, 0, "perm@"},
    {0x28f, P66, RVM, FULL_MEMORY, MASK_REG, "pshufbitqmb"},
    {0x290, P66, RM, ELEMENT, GATHER, "pgatherd#"},
    {0x291, P66, RM, ELEMENT, GATHER, "pgatherq#"},
    {0x292, P66, RM, ELEMENT, GATHER, "gatherdp%"},
    {0x293, P66, RM, ELEMENT, GATHER, "gatherqp%"},
    {0x296, P66, RVM, FULL, 0, "fmaddsub132p%"},
    {0x297, P66, RVM, FULL, 0, "fmsubadd132p%"},
    {0x298, P66, RVM, FULL, 0, "fmadd132p%"},
    {0x299, P66, RVM, ELEMENT, 0, "fmadd132s%"},
    {0x29a, P66, RVM, FULL, 0, "fmsub132p%"},
    {0x29b, P66, RVM, ELEMENT, 0, "fmsub132s%"},
    {0x29c, P66, RVM, FULL, 0, "fnmadd132p%"},
    {0x29d, P66, RVM, ELEMENT, 0, "fnmadd132s%"},
    {0x29e, P66, RVM, FULL, 0, "fnmsub132p%"},
    {0x29f, P66, RVM, ELEMENT, 0, "fnmsub132s%"},
    {0x2a0, P66, MR, ELEMENT, GATHER, "pscatterd#"},
    {0x2a1, P66, MR, ELEMENT, GATHER, "pscatterq#"},
    {0x2a2, P66, MR, ELEMENT, GATHER, "scatterdp%"},
    {0x2a3, P66, MR, ELEMENT, GATHER, "scatterqp%"},
    {0x2a6, P66, RVM, FULL, 0, "fmaddsub213p%"},
    {0x2a7, P66, RVM, FULL, 0, "fmsubadd213p%"},
    {0x2a8, P66, RVM, FULL, 0, "fmadd213p%"},
    {0x2a9, P66, RVM, ELEMENT, 0, "fmadd213s%"},
    {0x2aa, P66, RVM, FULL, 0, "fmsub213p%"},
    {0x2ab, P66, RVM, ELEMENT, 0, "fmsub213s%"},
    {0x2ac, P66, RVM, FULL, 0, "fnmadd213p%"},
    {0x2ad, P66, RVM, ELEMENT, 0, "fnmadd213s%"},
    {0x2ae, P66, RVM, FULL, 0, "fnmsub213p%"},
    {0x2af, P66, RVM, ELEMENT, 0, "fnmsub213s%"},
    {0x2b4, P66, RVM, FULL, 0, "pmadd52luq"},
    {0x2b5, P66, RVM, FULL, 0, "pmadd52huq"},
    {0x2b6, P66, RVM, FULL, 0, "fmaddsub231p%"},
    {0x2b7, P66, RVM, FULL, 0, "fmsubadd231p%"},
    {0x2b8, P66, RVM, FULL, 0, "fmadd231p%"},
    {0x2b9, P66, RVM, ELEMENT, 0, "fmadd231s%"},
    {0x2ba, P66, RVM, FULL, 0, "fmsub231p%"},
    {0x2bb, P66, RVM, ELEMENT, 0, "fmsub231s%"},
    {0x2bc, P66, RVM, FULL, 0, "fnmadd231p%"},
    {0x2bd, P66, RVM, ELEMENT, 0, "fnmadd231s%"},
    {0x2be, P66, RVM, FULL, 0, "fnmsub231p%"},
    {0x2bf, P66, RVM, ELEMENT, 0, "fnmsub231s%"},
    {0x2c4, P66, RM, FULL, 0, "pconflict#"},
    {0x2cf, P66, RVM, FULL_MEMORY, 0, "gf2p8mulb"},
    {0x2dc, P66, RVM, FULL_MEMORY, 0, "aesenc"},
    {0x2dd, P66, RVM, FULL_MEMORY, 0, "aesenclast"},
    {0x2de, P66, RVM, FULL_MEMORY, 0, "aesdec"},
    {0x2df, P66, RVM, FULL_MEMORY, 0, "aesdeclast"},

    {0x300, P66, RM, FULL, 0, "permq"},
    {0x301, P66, RM, FULL, 0, "permpd"},
    {0x303, P66, RVM, FULL, 0, "align#"},
    {0x304, P66, RM, FULL, 0, "permilps"},
    {0x305, P66, RM, FULL, 0, "permilpd"},
    {0x308, P66, RM, FULL, 0, "rndscaleps"},
    {0x309, P66, RM, FULL, 0, "rndscalepd"},
    {0x30a, P66, RVM, BYTES_4, 0, "rndscaless"},
    {0x30b, P66, RVM, BYTES_8, 0, "rndscalesd"},
    {0x30f, P66, RVM, FULL_MEMORY, 0, "palignr"},
    {0x314, P66, MR, BYTES_1, GPR_RM, "pextrb"},
    {0x315, P66, MR, BYTES_2, GPR_RM, "pextrw"},
    {0x316, P66, MR, ELEMENT, GPR_RM, "pextr#"},
    {0x317, P66, MR, BYTES_4, GPR_RM, "extractps"},
    {0x318, P66, RVM, BYTES_16, 0, "insertf32x4|insertf64x2"},
    {0x319, P66, MR, BYTES_16, 0, "extractf32x4|extractf64x2"},
    {0x31a, P66, RVM, BYTES_32, 0, "insertf32x8|insertf64x4"},
    {0x31b, P66, MR, BYTES_32, 0, "extractf32x8|extractf64x4"},
    {0x31d, P66, MR, HALF_MEMORY, 0, "cvtps2ph"},
    {0x31e, P66, RVM, FULL, MASK_REG, "pcmpud|pcmpuq"},
    {0x31f, P66, RVM, FULL, MASK_REG, "pcmpd|pcmpq"},
    {0x320, P66, RVM, BYTES_1, GPR_RM, "pinsrb"},
    {0x321, P66, RVM, BYTES_4, 0, "insertps"},
    {0x322, P66, RVM, ELEMENT, GPR_RM, "pinsr#"},
    {0x323, P66, RVM, FULL, 0, "shuff32x4|shuff64x2"},
    {0x325, P66, RVM, FULL, 0, "pternlog#"},
    {0x326, P66, RM, FULL, 0, "getmantp%"},
    {0x327, P66, RVM, ELEMENT, 0, "getmants%"},
    {0x338, P66, RVM, BYTES_16, 0, "inserti32x4|inserti64x2"},
    {0x339, P66, MR, BYTES_16, 0, "extracti32x4|extracti64x2"},
    {0x33a, P66, RVM, BYTES_32, 0, "inserti32x8|inserti64x4"},
    {0x33b, P66, MR, BYTES_32, 0, "extracti32x8|extracti64x4"},
    {0x33e, P66, RVM, FULL_MEMORY, MASK_REG, "pcmpub|pcmpuw"},
    {0x33f, P66, RVM, FULL_MEMORY, MASK_REG, "pcmpb|pcmpw"},
    {0x342, P66, RVM, FULL_MEMORY, 0, "dbpsadbw"},
    {0x343, P66, RVM, FULL, 0, "shufi32x4|shufi64x2"},
    {0x344, P66, RVM, FULL_MEMORY, 0, "pclmulqdq"},
    {0x350, P66, RVM, FULL, 0, "rangep%"},
    {0x351, P66, RVM, ELEMENT, 0, "ranges%"},
    {0x354, P66, RVM, FULL, 0, "fixupimmp%"},
    {0x355, P66, RVM, ELEMENT, 0, "fixupimms%"},
    {0x356, P66, RM, FULL, 0, "reducep%"},
    {0x357, P66, RVM, ELEMENT, 0, "reduces%"},
    {0x366, P66, RM, FULL, MASK_REG, "fpclassp%"},
    {0x367, P66, RM, ELEMENT, MASK_REG, "fpclasss%"},
    {0x370, P66, RVM, FULL_MEMORY, 0, "pshldw"},
    {0x371, P66, RVM, FULL, 0, "pshld#"},
    {0x372, P66, RVM, FULL_MEMORY, 0, "pshrdw"},
    {0x373, P66, RVM, FULL, 0, "pshrd#"},
    {0x3ce, P66, RVM, FULL, 0, "gf2p8affineqb"},
    {0x3cf, P66, RVM, FULL, 0, "gf2p8affineinvqb"},
};

/* The fields of an encoding. */
struct fields {
    unsigned map, opcode, prefix, vector_bytes, mask;
    bool w, zeroes, broadcast;
    unsigned reg, second, rm; /* registers, as vectors are numbered */
    unsigned base, index;     /* of memory; index as general registers are numbered */
    bool is_memory;
};

static bool prefix_is(unsigned asked, unsigned found)
{
    return asked == found || asked == ALL || (asked == PS_PD && found <= P66);
}

static const struct row *find_row(const struct fields *fields, unsigned digit)
{
    unsigned opcode = 0x100 * fields->map + fields->opcode;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if ((rows[i].opcode == opcode || rows[i].opcode == (opcode | DIGIT(digit))) &&
            prefix_is(rows[i].prefix, fields->prefix))
            return &rows[i];
    return NULL;
}

static const char *const prefix_suffix[] = {
    [NO] = "ps", [P66] = "pd", [F3] = "ss", [F2] = "sd"};

/* The letters that depend on W and on the prefix. */
static const char *letters(char sign, const struct fields *fields)
{
    switch (sign) {
    case '%':
        return fields->w ? "d" : "s";
    case '#':
        return fields->w ? "q" : "d";
    case '@':
        return fields->w ? "w" : "b";
    case '~':
        return prefix_suffix[fields->prefix];
    case '!':
        return prefix_suffix[fields->prefix + F3];
    default:
        return NULL;
    }
}

static void spell(const char *name, const struct fields *fields, struct assembly *out)
{
    const char *second = strchr(name, '|');
    size_t at = 0;

    if (second && fields->w)
        name = second + 1;
    out->word[at++] = 'v';
    for (; *name && *name != '|' && at + 3 < sizeof(out->word); name++) {
        const char *replaced = letters(*name, fields);

        if (!replaced)
            out->word[at++] = *name;
        for (; replaced && *replaced; replaced++)
            out->word[at++] = *replaced;
    }
    out->word[at] = '\0';
}

static unsigned element_bytes(const struct fields *fields)
{
    return fields->w ? 8 : 4;
}

static bool is_scalar(const struct row *row, const struct fields *fields)
{
    return (row->prefix == ALL && fields->prefix >= F3) || row->tuple == ELEMENT ||
           row->tuple == BYTES_4 || row->tuple == BYTES_8;
}

/* Of the access. */
static unsigned memory_bytes(const struct row *row, const struct fields *fields)
{
    unsigned all = fields->vector_bytes, element = element_bytes(fields);

    switch ((enum tuple)row->tuple) {
    case FULL:
        if (row->prefix == ALL && fields->prefix >= F3)
            return element;
        return fields->broadcast ? element : all;
    case HALF:
        return fields->broadcast ? element : all / 2;
    case HALF_OR_FULL:
        return fields->broadcast ? element : fields->w ? all : all / 2;
    case FULL_MEMORY:
        return all;
    case HALF_MEMORY:
        return all / 2;
    case QUARTER:
        return all / 4;
    case EIGHTH:
        return all / 8;
    case ELEMENT:
        return element;
    case DOUBLED:
        return all == 16 ? 8 : all;
    default:
        return 1u << (row->tuple - BYTES_1);
    }
}

/* ---- memory ---- */

static int32_t number_at(const uint8_t *code)
{
    int32_t number;

    memcpy(&number, code, sizeof(number));
    return number;
}

/* At the byte `modrm`, whose `mod` is not 3. Returns how many bytes it takes. `vector`:
 * the index is one. */
static unsigned memory_at(const uint8_t *modrm, const struct fields *fields,
                          unsigned scale, bool vector, struct work_memory *out)
{
    unsigned mod = *modrm >> 6, low = *modrm & 7, taken = 1, base = low;
    bool is_based = true;

    *out = (struct work_memory){.base = WORK_NO_REGISTER,
                                .index = WORK_NO_REGISTER,
                                .index_vector = WORK_NO_REGISTER,
                                .mask = WORK_NO_REGISTER,
                                .scale = 1,
                                .lanes = 1};
    if (low == 4) {
        uint8_t sib = modrm[taken++];
        unsigned index = (sib >> 3 & 7) | (fields->index & 8);

        base = sib & 7;
        out->scale = (uint8_t)(1 << (sib >> 6));
        if (vector)
            out->index_vector =
                (uint8_t)(WORK_REGISTER_VECTOR + (index | (fields->index & 16)));
        else if (index != 4)
            out->index = (uint8_t)index;
        is_based = base != 5 || mod != 0;
    } else if (low == 5 && mod == 0) {
        is_based = false;
        out->pc_relative = true;
    }
    if (is_based)
        out->base = (uint8_t)(base | (fields->base & 8));
    if (mod == 1) {
        out->displacement = (int8_t)modrm[taken] * (int64_t)scale;
        return taken + 1;
    }
    if (mod == 2 || !is_based) {
        out->displacement = number_at(modrm + taken);
        return taken + 4;
    }
    return taken;
}

/* ---- operands ---- */

static struct operand *push(struct assembly *out)
{
    return &out->operand[out->operand_nr++];
}

static void push_register(struct assembly *out, unsigned reg, unsigned bytes)
{
    *push(out) = (struct operand){
        .kind = OPERAND_REGISTER, .reg = (uint8_t)reg, .bytes = (uint16_t)bytes};
}

static void push_vector(struct assembly *out, unsigned number, unsigned bytes)
{
    push_register(out, WORK_REGISTER_VECTOR + number, bytes);
}

static void push_mask(struct assembly *out, unsigned number)
{
    push_register(out, WORK_REGISTER_MASK + (number & 7), 8);
}

static void push_reg(struct assembly *out, const struct row *row,
                     const struct fields *fields, unsigned bytes)
{
    if (row->flags & MASK_REG)
        push_mask(out, fields->reg);
    else if (row->flags & GPR_REG)
        push_register(out, fields->reg & 15, element_bytes(fields));
    else
        push_vector(out, fields->reg, bytes);
}

/* What `memory` is where there is some. */
static void push_rm(struct assembly *out, const struct row *row,
                    const struct fields *fields, const struct operand *memory,
                    unsigned bytes)
{
    if (fields->is_memory)
        *push(out) = *memory;
    else if (row->flags & MASK_RM)
        push_mask(out, fields->rm);
    else if (row->flags & GPR_RM)
        push_register(out, fields->rm & 15, element_bytes(fields));
    else
        push_vector(out, fields->rm, bytes);
}

static void push_operands(struct assembly *out, const struct row *row,
                          const struct fields *fields, const struct operand *memory)
{
    unsigned bytes = is_scalar(row, fields) && row->form != RM && row->form != MR
                         ? 16
                         : fields->vector_bytes;
    bool second = row->form == RVM || row->form == VM ||
                  (!fields->is_memory && (row->form == MOV || row->form == STO));
    bool store = row->form == MR || row->form == STO;

    if (store)
        push_rm(out, row, fields, memory, bytes);
    else if (row->form != VM)
        push_reg(out, row, fields, bytes);
    if (second)
        push_vector(out, fields->second, bytes);
    if (store)
        push_reg(out, row, fields, bytes);
    else
        push_rm(out, row, fields, memory, bytes);
}

/* As many as there are both of data and of indices. */
static void as_gather(const struct row *row, const struct fields *fields,
                      struct work_memory *memory)
{
    const char *name = row->name + (row->name[0] == 'p');

    memory->index_bytes = strstr(name, "erq") ? 8 : 4;
    memory->bytes = (uint16_t)element_bytes(fields);
    memory->lanes = (uint8_t)(fields->vector_bytes / (memory->index_bytes > memory->bytes
                                                          ? memory->index_bytes
                                                          : memory->bytes));
    memory->mask = (uint8_t)(WORK_REGISTER_MASK + fields->mask);
}

static bool has_number(unsigned map, unsigned opcode)
{
    return map == 3 ||
           (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                         (opcode >= 0xc4 && opcode <= 0xc6)));
}

static struct fields fields_of(const uint8_t *code)
{
    unsigned first = ~code[1] & 0xf0u, modrm = code[5];
    unsigned high = (first & 0x10) | (first & 0x80) >> 4; /* R', R */

    return (struct fields){
        .map = code[1] & 7,
        .opcode = code[4],
        .prefix = code[2] & 3,
        .vector_bytes = 16u << (code[3] >> 5 & 3),
        .mask = code[3] & 7,
        .w = code[2] >> 7,
        .zeroes = code[3] >> 7,
        .broadcast = code[3] >> 4 & 1,
        .reg = high | (modrm >> 3 & 7),
        .second = (~code[2] >> 3 & 15) | (~code[3] & 8) << 1,
        .rm = (first & 0x20) >> 2 | (first & 0x40) >> 2 | (modrm & 7),
        .base = (first & 0x20) >> 2,
        .index = (first & 0x40) >> 3 | (~code[3] & 8) << 1,
        .is_memory = modrm >> 6 != 3,
    };
}

static bool decode_evex(const uint8_t *code, struct assembly *out)
{
    struct fields fields = fields_of(code);
    const struct row *row = find_row(&fields, code[5] >> 3 & 7);
    struct operand memory = {.kind = OPERAND_MEMORY, .reg = WORK_NO_REGISTER};
    unsigned length = 6;

    if (!row || fields.vector_bytes > 64)
        return false;
    if (is_scalar(row, &fields) && row->form != RM && row->form != MR)
        fields.vector_bytes = 16;
    else if (fields.broadcast && !fields.is_memory)
        fields.vector_bytes = 64; /* the bits say how to round */
    if (fields.is_memory) {
        memory.bytes = (uint16_t)memory_bytes(row, &fields);
        length = 5 + memory_at(code + 5, &fields, memory.bytes, row->flags & GATHER,
                               &memory.memory);
        memory.memory.bytes = memory.bytes;
        if (strstr(row->name, "compress") || strstr(row->name, "expand"))
            memory.memory.bytes = (uint16_t)fields.vector_bytes; /* at most */
        if (row->flags & GATHER)
            as_gather(row, &fields, &memory.memory);
    }
    spell(row->name, &fields, out);
    push_operands(out, row, &fields, &memory);
    if (fields.mask)
        out->mask = (uint8_t)(WORK_REGISTER_MASK + fields.mask);
    out->zeroes = fields.zeroes;
    out->bytes = length + has_number(fields.map, fields.opcode);
    return true;
}

/* ---- masks ---- */

/* What VEX has in two or three bytes. */
struct vex {
    unsigned map, w, second, prefix, length;
    struct fields fields; /* reg, rm, base, index */
};

static bool vex_of(const uint8_t *code, struct vex *vex)
{
    unsigned last;

    *vex = (struct vex){.map = 1};
    if (code[0] == 0xc5) {
        last = code[1];
        vex->fields.reg = (~code[1] & 0x80) >> 4;
        vex->length = 2;
    } else if (code[0] == 0xc4) {
        last = code[2];
        vex->map = code[1] & 31;
        vex->w = code[2] >> 7;
        vex->fields.reg = (~code[1] & 0x80) >> 4;
        vex->fields.index = (~code[1] & 0x40) >> 3;
        vex->fields.base = vex->fields.rm = (~code[1] & 0x20) >> 2;
        vex->length = 3;
    } else {
        return false;
    }
    vex->second = ~last >> 3 & 15;
    vex->prefix = last & 3;
    return true;
}

enum mask_form { MASK_3, MASK_2, MASK_LOAD, MASK_STORE, MASK_FROM, MASK_TO };

static const struct mask_row {
    unsigned map, opcode;
    enum mask_form form;
    const char *name;
} mask_rows[] = {
    {1, 0x41, MASK_3, "kand"},    {1, 0x42, MASK_3, "kandn"},
    {1, 0x44, MASK_2, "knot"},    {1, 0x45, MASK_3, "kor"},
    {1, 0x46, MASK_3, "kxnor"},   {1, 0x47, MASK_3, "kxor"},
    {1, 0x4a, MASK_3, "kadd"},    {1, 0x4b, MASK_3, "kunpck"},
    {1, 0x90, MASK_LOAD, "kmov"}, {1, 0x91, MASK_STORE, "kmov"},
    {1, 0x92, MASK_FROM, "kmov"}, {1, 0x93, MASK_TO, "kmov"},
    {1, 0x98, MASK_2, "kortest"}, {1, 0x99, MASK_2, "ktest"},
    {3, 0x30, MASK_2, "kshiftr"}, {3, 0x31, MASK_2, "kshiftr"},
    {3, 0x32, MASK_2, "kshiftl"}, {3, 0x33, MASK_2, "kshiftl"},
};

static const struct mask_row *find_mask_row(unsigned map, unsigned opcode)
{
    for (size_t i = 0; i < ARRAY_SIZE(mask_rows); i++)
        if (mask_rows[i].map == map && mask_rows[i].opcode == opcode)
            return &mask_rows[i];
    return NULL;
}

/* Bytes of the mask: the letter at the end of the name. */
static unsigned mask_bytes(const struct mask_row *row, const struct vex *vex)
{
    if (row->map == 3)
        return 1u << (2 * (row->opcode & 1) + vex->w);
    if (row->form == MASK_FROM || row->form == MASK_TO)
        return vex->prefix == F2 ? (vex->w ? 8 : 4) : vex->prefix == P66 ? 1 : 2;
    if (vex->w)
        return vex->prefix == P66 ? 4 : 8;
    return vex->prefix == P66 ? 1 : 2;
}

static bool decode_mask(const uint8_t *code, struct assembly *out)
{
    static const char letter[] = {[1] = 'b', [2] = 'w', [4] = 'd', [8] = 'q'};
    struct vex vex;
    const struct mask_row *row;
    const uint8_t *modrm;
    unsigned bytes, taken = 1;

    if (!vex_of(code, &vex) || !(row = find_mask_row(vex.map, code[vex.length])))
        return false;
    modrm = code + vex.length + 1;
    bytes = mask_bytes(row, &vex);
    vex.fields.reg |= *modrm >> 3 & 7;
    vex.fields.rm |= *modrm & 7;
    if (*modrm >> 6 != 3) {
        struct operand memory = {
            .kind = OPERAND_MEMORY, .reg = WORK_NO_REGISTER, .bytes = (uint16_t)bytes};

        if (row->form != MASK_LOAD && row->form != MASK_STORE)
            return false;
        taken = memory_at(modrm, &vex.fields, 1, false, &memory.memory);
        memory.memory.bytes = memory.bytes;
        if (row->form == MASK_LOAD)
            push_mask(out, vex.fields.reg);
        *push(out) = memory;
        if (row->form == MASK_STORE)
            push_mask(out, vex.fields.reg);
    } else {
        if (row->form == MASK_TO)
            push_register(out, vex.fields.reg, bytes == 8 ? 8 : 4);
        else
            push_mask(out, vex.fields.reg);
        if (row->form == MASK_3)
            push_mask(out, vex.second);
        if (row->form == MASK_FROM)
            push_register(out, vex.fields.rm, bytes == 8 ? 8 : 4);
        else
            push_mask(out, vex.fields.rm);
    }
    snprintf(out->word, sizeof(out->word), "%s%c", row->name, letter[bytes]);
    out->bytes = vex.length + 1 + taken + (vex.map == 3);
    return true;
}

bool x86_decode_evex(const uint8_t *code, struct assembly *out)
{
    *out = (struct assembly){.mask = WORK_NO_REGISTER};
    return code[0] == 0x62 ? decode_evex(code, out) : decode_mask(code, out);
}
