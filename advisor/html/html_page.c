#include "advisor/html/html_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"

/* ---- what is shipped ---- */

/* One after the other they are the page's script. */
static const char *const scripts[] = {"text.js",   "plots.js",   "variants.js",
                                      "report.js", "metrics.js", "page.js"};

static int read_part(const char *name, struct buf *out, struct error *err)
{
    char *relative = path_join("templates/report", name), *path = NULL;
    int status = shipped_path(relative, &path, err);
    if (!status)
        status = file_read(path, out, err);
    free(relative);
    free(path);
    return status;
}

static int read_scripts(struct buf *out, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
        if (read_part(scripts[i], out, err))
            return -1;
    return 0;
}

/* ---- what is put into it ---- */

static void add_text(struct buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            buf_add(out, "&amp;");
        else if (*text == '<')
            buf_add(out, "&lt;");
        else
            buf_add_n(out, text, 1);
}

/* Most of the bytes of a large document, and nothing of it is painted first. */
static const char *const evidence[] = {"variants", "code", "profile", "pruned"};

/* Of a document whether it is that, or what is left. Caller drops it. */
static json_t *part_of(const json_t *document, bool is_evidence)
{
    json_t *part = json_object(), *left = json_copy((json_t *)(uintptr_t)document);
    for (size_t i = 0; i < ARRAY_SIZE(evidence); i++) {
        json_object_set(part, evidence[i], json_object_get(left, evidence[i]));
        json_object_del(left, evidence[i]);
    }
    json_decref(is_evidence ? left : part);
    return is_evidence ? part : left;
}

/* Plain ASCII without "<": nothing in it ends the element that it stands in. */
static void add_document(struct buf *out, const json_t *whole, bool is_evidence)
{
    json_t *document = part_of(whole, is_evidence);
    char *text = json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
    for (const char *at = text ? text : "null"; *at; at++)
        if (*at == '<')
            buf_add(out, "\\u003c");
        else
            buf_add_n(out, at, 1);
    free(text);
    json_decref(document);
}

static unsigned byte_of(const char *hex)
{
    const char digits[] = {hex[0], hex[1], 0};
    return (unsigned)strtoul(digits, NULL, 16);
}

/* A source of the page's Content-Security-Policy: this very text and no other. */
static void add_hash(struct buf *out, const struct buf *text)
{
    static const char letter[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { BYTES = 32 };
    char *hex = sha256_hex(buf_str(text), text->length);
    buf_add(out, "sha256-");
    for (int i = 0; i < BYTES; i += 3) {
        unsigned word = 0;
        for (int k = 0; k < 3; k++)
            word = word << 8 | (i + k < BYTES ? byte_of(hex + 2 * (i + k)) : 0);
        for (int k = 0; k < 4; k++)
            buf_add_n(out, i + k > BYTES ? "=" : &letter[word >> (18 - 6 * k) & 63], 1);
    }
    free(hex);
}

/* ---- the page ---- */

struct parts {
    const char *title;
    const json_t *document;
    struct buf style, script;
};

/* What stands in place of "{{name}}". */
static int add_part(const struct parts *parts, const char *name, struct buf *out,
                    struct error *err)
{
    if (!strcmp(name, "title"))
        add_text(out, parts->title);
    else if (!strcmp(name, "style"))
        buf_add(out, buf_str(&parts->style));
    else if (!strcmp(name, "style-hash"))
        add_hash(out, &parts->style);
    else if (!strcmp(name, "script"))
        buf_add(out, buf_str(&parts->script));
    else if (!strcmp(name, "script-hash"))
        add_hash(out, &parts->script);
    else if (!strcmp(name, "document"))
        add_document(out, parts->document, false);
    else if (!strcmp(name, "evidence"))
        add_document(out, parts->document, true);
    else
        return fail(err, STATUS_INPUT,
                    "templates/report/page.html: nothing is called {{%s}}", name);
    return 0;
}

static int fill_frame(const struct parts *parts, const char *frame, struct buf *out,
                      struct error *err)
{
    const char *mark;
    int status = 0;
    while (!status && (mark = strstr(frame, "{{"))) {
        size_t length = strcspn(mark + 2, "}");
        char *name = xstrndup(mark + 2, length);
        buf_add_n(out, frame, (size_t)(mark - frame));
        status = add_part(parts, name, out, err);
        free(name);
        frame = mark + 2 + length + 2 * (mark[2 + length] == '}');
    }
    buf_add(out, frame);
    return status;
}

int html_page(const json_t *document, const char *title, struct buf *out,
              struct error *err)
{
    struct parts parts = {.title = title, .document = document};
    struct buf frame = {0};
    int status = read_part("page.html", &frame, err);
    if (!status)
        status = read_part("page.css", &parts.style, err);
    if (!status)
        status = read_scripts(&parts.script, err);
    if (!status)
        status = fill_frame(&parts, buf_str(&frame), out, err);
    buf_release(&frame);
    buf_release(&parts.style);
    buf_release(&parts.script);
    return status;
}

int html_page_write(const json_t *document, const char *title, const char *path,
                    struct error *err)
{
    struct buf page = {0};
    int status = html_page(document, title, &page, err);
    if (!status)
        status = file_write(path, buf_str(&page), page.length, err);
    if (!status)
        fprintf(stderr, "page written to '%s'; open it in a browser\n", path);
    buf_release(&page);
    return status;
}
