/* Words of the new code that the user's macros would make others. */
#include "variants/emit/gen.h"

#include <ctype.h>
#include <string.h>

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Lines of the preprocessor and names that compilers define stay as they are. */
void gen_add_helper(const struct model *model, struct buf *out, const char *text)
{
    const struct ir_names *macros = &model->function->macros;
    for (bool begins = true; *text; begins = text[-1] == '\n') {
        size_t length = begins && *text == '#' ? strcspn(text, "\n") : 0;
        bool word = !length && is_in_word(*text);
        while (word && is_in_word(text[length]))
            length++;
        length = length ? length : 1;
        const char *piece = ir_textf(model->arena, "%.*s", (int)length, text);
        bool met = word && strncmp(piece, "__", 2) && ir_has_name(macros, piece);
        for (int i = 0; met && ir_has_name(macros, piece); i++)
            piece = ir_textf(model->arena, "%.*s_%d", (int)length, text, i);
        buf_add(out, piece);
        text += length;
    }
}

int gen_check_words(const struct model *model, const struct edits *edits,
                    struct error *err)
{
    static const char *const words[] = {
        "if",      "else",       "for",         "int",       "long",       "char",
        "void",    "return",     "static",      "const",     "typedef",    "enum",
        "omp",     "parallel",   "simd",        "private",   "schedule",   "reduction",
        "dynamic", "guided",     "num_threads", "proc_bind", "simdlen",    "clang",
        "loop",    "GCC",        "ivdep",       "unroll",    "diagnostic", "may_alias",
        "aligned", "vector_size"};
    const struct ir_names *macros = &model->function->macros;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        for (size_t k = 0; ir_has_name(macros, words[i]) && k < edits->nr; k++)
            if (text_has_word(edits->item[k].text, words[i]))
                return fail(err, STATUS_ILLEGAL,
                            "'%s' is a macro of this file or of a header, and the new "
                            "code needs the word as the language has it; #undef the "
                            "macro before the function",
                            words[i]);
    return 0;
}
