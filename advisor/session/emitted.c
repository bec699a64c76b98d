#include "advisor/session/emitted.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

bool emitted_is_dropped(const char *line)
{
    return !strncmp(line, "dropped: ", strlen("dropped: "));
}

static void add_facts(struct buf *out, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        buf_addf(out, "%s%.*s\n",
                 emitted_is_dropped(lines) ? "" : "Rests on: ", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void emitted_facts(struct kernel *kernel, const struct plan *plan, struct buf *out)
{
    struct buf assumptions = {0};
    char *text = plan_text(plan);
    bool parallel = strstr(text, "parallel(") != NULL,
         simd = strstr(text, "simd") != NULL;
    if (parallel || simd)
        buf_addf(out, "Compile with: %s\n", parallel ? "-fopenmp" : "-fopenmp-simd");
    if (kernel_check(kernel, plan, &assumptions, NULL) == 0)
        add_facts(out, buf_str(&assumptions));
    free(text);
    buf_release(&assumptions);
}

/* ---- reading a comment back ---- */

/* One line without its " * "; returns the next one, NULL behind the last. */
static const char *take_line(const char *at, struct buf *out)
{
    size_t length = strcspn(at, "\n"), margin = strspn(at, " ");
    if (!strncmp(at + margin, "*/", 2) || !at[length])
        return NULL;
    if (at[margin] != '*')
        return NULL;
    margin += at[margin + 1] == ' ' ? 2 : 1;
    size_t text = length - (at[length - 1] == '\r');
    if (text > margin)
        buf_add_n(out, at + margin, text - margin);
    buf_add(out, "\n");
    return at + length + 1;
}

/* Behind the line that opens the comment; NULL = the file begins with something else. */
static const char *first_line(const char *text)
{
    if (!strncmp(text, "\xef\xbb\xbf", 3)) /* byte order mark */
        text += 3;
    if (strncmp(text, "/*", 2))
        return NULL;
    text += 2 + (text[2] == '\r');
    return *text == '\n' ? text + 1 : NULL;
}

int emitted_read(const char *path, char **comment, char **plan, struct error *err)
{
    static const char key[] = "\nPlan: ";
    struct buf file = {0}, text = {0};
    if (file_read(path, &file, err))
        return -1;
    const char *at = first_line(buf_str(&file));
    while (at)
        at = take_line(at, &text);
    buf_release(&file);
    const char *found = text.length ? strstr(buf_str(&text), key) : NULL;
    if (!found) {
        buf_release(&text);
        return fail(err, STATUS_INPUT,
                    "%s does not begin with the comment that inflight writes; give the "
                    "plan by --plan",
                    path);
    }
    found += strlen(key);
    size_t length = strcspn(found, "\n");
    *plan = strncmp(found, "none", 4) ? xstrndup(found, length) : xstrdup("");
    *comment = buf_detach(&text);
    return 0;
}

const char *emitted_body(const char *text)
{
    struct buf comment = {0};
    const char *at = first_line(text), *last = NULL;
    while (at) {
        last = at;
        at = take_line(at, &comment);
    }
    bool ours = strstr(buf_str(&comment), "\nPlan: ") != NULL;
    buf_release(&comment);
    if (!ours)
        return text;
    last += strcspn(last, "\n"); /* of the line that closes it */
    last += *last == '\n';
    return last + strspn(last, "\r\n");
}

/* ---- diff ---- */

enum { CONTEXT = 3, TABLE_MAX = 1 << 24 };

struct lines {
    const char **at;
    size_t *length, nr;
};

static struct lines split(const char *text)
{
    size_t nr = 0, alloc = 1;
    for (const char *at = text; *at; at++)
        alloc += *at == '\n';
    struct lines lines = {.at = xcalloc(alloc, sizeof(*lines.at)),
                          .length = xcalloc(alloc, sizeof(*lines.length))};
    while (*text) {
        size_t length = strcspn(text, "\n");
        length += text[length] == '\n';
        lines.at[nr] = text;
        lines.length[nr++] = length;
        text += length;
    }
    lines.nr = nr;
    return lines;
}

static void lines_release(struct lines *lines)
{
    free(lines->at);
    free(lines->length);
}

struct diff {
    struct lines old, new;
    bool *gone, *come; /* by line: not in the other text */
};

static bool same(const struct diff *diff, size_t i, size_t k)
{
    return diff->old.length[i] == diff->new.length[k] &&
           !memcmp(diff->old.at[i], diff->new.at[k], diff->old.length[i]);
}

/* The longest common subsequence of [first, old_end) and [first, new_end). */
static void compare_middle(struct diff *diff, size_t first, size_t old_end,
                           size_t new_end)
{
    size_t rows = old_end - first, columns = new_end - first, width = columns + 1;
    bool fits = rows && columns && rows < TABLE_MAX / width;
    unsigned *longest = xcalloc(fits ? (rows + 1) * width : 1, sizeof(*longest));
    for (size_t i = rows; fits && i-- > 0;)
        for (size_t k = columns; k-- > 0;) {
            unsigned down = longest[(i + 1) * width + k],
                     right = longest[i * width + k + 1];
            longest[i * width + k] = same(diff, first + i, first + k)
                                         ? longest[(i + 1) * width + k + 1] + 1
                                     : down > right ? down
                                                    : right;
        }
    size_t i = 0, k = 0;
    while (i < rows || k < columns) {
        bool both = fits && i < rows && k < columns;
        if (both && same(diff, first + i, first + k))
            i++, k++;
        else if (i < rows &&
                 (!both || longest[(i + 1) * width + k] >= longest[i * width + k + 1]))
            diff->gone[first + i++] = true;
        else
            diff->come[first + k++] = true;
    }
    free(longest);
}

static void compare_lines(struct diff *diff)
{
    size_t first = 0, old_end = diff->old.nr, new_end = diff->new.nr;
    while (first < old_end && first < new_end && same(diff, first, first))
        first++;
    while (old_end > first && new_end > first && same(diff, old_end - 1, new_end - 1))
        old_end--, new_end--;
    compare_middle(diff, first, old_end, new_end);
}

static void add_line(struct buf *out, char mark, const struct lines *lines, size_t i)
{
    buf_addf(out, "%c%.*s", mark, (int)lines->length[i], lines->at[i]);
    if (lines->at[i][lines->length[i] - 1] != '\n')
        buf_add(out, "\n\\ No newline at end of file\n");
}

struct hunk {
    struct buf text;
    size_t old_nr, new_nr;
};

static void hunk_line(struct hunk *hunk, char mark, const struct lines *lines, size_t i)
{
    add_line(&hunk->text, mark, lines, i);
    hunk->old_nr += mark != '+';
    hunk->new_nr += mark != '-';
}

/* Equal lines from here on, at most so many as matter. */
static size_t equal_run(const struct diff *diff, size_t i, size_t k)
{
    size_t nr = 0;
    while (nr <= 2 * CONTEXT && i + nr < diff->old.nr && k + nr < diff->new.nr &&
           !diff->gone[i + nr] && !diff->come[k + nr])
        nr++;
    return nr;
}

static void add_hunk(const struct diff *diff, size_t *i, size_t *k, struct buf *out)
{
    size_t before = *i < CONTEXT ? *i : CONTEXT, old_first = *i - before + 1,
           new_first = *k - before + 1;
    struct hunk hunk = {.old_nr = 0};
    for (size_t c = before; c > 0; c--)
        hunk_line(&hunk, ' ', &diff->old, *i - c);
    for (bool more = true; more;) {
        while (*i < diff->old.nr && diff->gone[*i])
            hunk_line(&hunk, '-', &diff->old, (*i)++);
        while (*k < diff->new.nr && diff->come[*k])
            hunk_line(&hunk, '+', &diff->new, (*k)++);
        size_t run = equal_run(diff, *i, *k);
        bool end = *i + run == diff->old.nr && *k + run == diff->new.nr;
        more = run <= 2 * CONTEXT && !end;
        for (size_t c = 0; c < run && (more || c < CONTEXT); c++, ++*i, ++*k)
            hunk_line(&hunk, ' ', &diff->old, *i);
    }
    buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", hunk.old_nr ? old_first : old_first - 1,
             hunk.old_nr, hunk.new_nr ? new_first : new_first - 1, hunk.new_nr);
    buf_add_n(out, buf_str(&hunk.text), hunk.text.length);
    buf_release(&hunk.text);
}

static void add_about(struct buf *out, const char *about)
{
    for (; about && *about; about++) {
        size_t length = strcspn(about, "\n");
        buf_addf(out, "# %.*s\n", (int)length, about);
        about += length;
        if (!*about)
            break;
    }
}

static void diff_make(struct diff *diff, const char *old, const char *new)
{
    *diff = (struct diff){.old = split(old), .new = split(new)};
    diff->gone = xcalloc(diff->old.nr + 1, sizeof(bool));
    diff->come = xcalloc(diff->new.nr + 1, sizeof(bool));
    compare_lines(diff);
}

static void diff_release(struct diff *diff)
{
    free(diff->gone);
    free(diff->come);
    lines_release(&diff->old);
    lines_release(&diff->new);
}

int patch_line(const char *old, const char *new, int line)
{
    struct diff diff;
    size_t i = 0, k = 0;
    int found = 0;

    diff_make(&diff, old, new);
    while (i < diff.old.nr || k < diff.new.nr) {
        if (i < diff.old.nr && diff.gone[i])
            i++;
        else if (k < diff.new.nr && diff.come[k])
            k++;
        else {
            if ((int)i + 1 == line)
                found = (int)k + 1;
            i++, k++;
        }
    }
    diff_release(&diff);
    return found;
}

void patch_text(const char *path, const char *old, const char *new, const char *about,
                struct buf *out)
{
    struct diff diff;
    diff_make(&diff, old, new);
    path += strspn(path, "/");
    path += !strncmp(path, "./", 2) ? 2 : 0;
    if (strcmp(old, new)) {
        add_about(out, about);
        buf_addf(out, "--- a/%s\n+++ b/%s\n", path, path);
    }
    for (size_t i = 0, k = 0; i < diff.old.nr || k < diff.new.nr;) {
        bool changed =
            (i < diff.old.nr && diff.gone[i]) || (k < diff.new.nr &&diff.come[k]);
        if (changed)
            add_hunk(&diff, &i, &k, out);
        else
            i++, k++;
    }
    diff_release(&diff);
}

int emitted_text(struct kernel *kernel, const struct plan *plan, const char *comment,
                 const char *patch_of, struct buf *out, struct error *err)
{
    struct buf old = {0}, new = {0};
    if (!patch_of)
        return kernel_emit(kernel, plan, comment, out, err);
    int status = kernel_emit(kernel, plan, NULL, &new, err);
    if (!status)
        status = file_read(kernel_path(kernel), &old, err);
    if (!status)
        patch_text(patch_of, buf_str(&old), buf_str(&new), comment, out);
    buf_release(&old);
    buf_release(&new);
    return status;
}
