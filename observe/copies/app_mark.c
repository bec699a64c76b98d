#include "core/base/error.h"
#include "core/files/fs.h"
#include "observe/copies/copies.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char entry[] = "ran ";

/* What flags turn on that decide how fast a loop is; together they stay below the 255
 * bytes of a name. */
static const char *const macros[] = {
    "__OPTIMIZE__",
    "__OPTIMIZE_SIZE__",
    "__FAST_MATH__",
    "_OPENMP",
    "__SSE4_2__",
    "__AVX__",
    "__FMA__",
    "__AVX2__",
    "__AVX512F__",
    "__ARM_FEATURE_SVE",
    "__SANITIZE_ADDRESS__",
    "NDEBUG",
};

const char *app_mark_macro(size_t i)
{
    return i < ARRAY_SIZE(macros) ? macros[i] : NULL;
}

static void add_literal(struct buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            buf_addf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == '?')
            buf_addf(out, "\\%03o", (unsigned)(unsigned char)*text);
        else
            buf_add_n(out, text, 1);
}

/* mkdir by another name: no header may be needed, and none contradicted. */
void app_mark_text(const char *folder, struct buf *out)
{
    buf_add(out, "\n#define INFLIGHT_MARK_TEXT_(x) #x\n"
                 "#define INFLIGHT_MARK_TEXT(x) INFLIGHT_MARK_TEXT_(x)\n"
                 "extern int inflight_mark_make(const char *, unsigned) "
                 "__asm__(\"mkdir\");\n"
                 "static void __attribute__((__constructor__, __used__)) "
                 "inflight_mark(void)\n{\n"
                 "    (void)inflight_mark_make(\n        \"");
    add_literal(out, folder);
    buf_addf(out,
             "/%s\"\n"
             "#ifdef __clang__\n"
             "        \"clang-\" INFLIGHT_MARK_TEXT(__clang_major__)\n"
             "#else\n"
             "        \"gcc-\" INFLIGHT_MARK_TEXT(__GNUC__)\n"
             "#endif\n",
             entry);
    for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
        buf_addf(out, "#ifdef %s\n        \" %s\"\n#endif\n", macros[i], macros[i]);
    buf_add(out, "        , 0700);\n}\n");
}

int app_mark_reset(const char *folder, struct error *err)
{
    if (dir_remove_all(folder) || mkdir(folder, 0700))
        return fail(err, STATUS_FAILED, "cannot make the folder '%s' anew: %s", folder,
                    strerror(errno));
    return 0;
}

bool app_mark_read(const char *folder, struct strvec *facts)
{
    DIR *dir = opendir(folder);
    bool found = false;
    for (struct dirent *item; dir && !found && (item = readdir(dir));) {
        found = !strncmp(item->d_name, entry, strlen(entry));
        if (found && facts)
            strvec_split(facts, item->d_name + strlen(entry));
    }
    if (dir)
        closedir(dir);
    return found;
}
