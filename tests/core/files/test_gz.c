#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/files/gz.h"
#include "core/files/json.h"
#include "tests/check.h"

SUITE(base_gz);

struct place {
    char *dir, *plain, *packed;
};

static void place_make(struct place *place)
{
    struct error err = {0};

    if (scratch_make(&place->dir, &err))
        abort();
    place->plain = path_join(place->dir, "a b.json");
    place->packed = path_join(place->dir, "a b.json.gz");
}

static void place_release(struct place *place)
{
    free(place->plain);
    free(place->packed);
    scratch_remove(place->dir);
}

/* Longer than a block of the reader, and not of one character. */
static void long_text(struct buf *text)
{
    for (int i = 0; text->length < 300000; i++)
        buf_addf(text, "%d,", i * i);
}

TEST("what is written is read again")
{
    struct place place;
    struct error err = {0};
    struct buf text = {0}, raw = {0}, back = {0};

    place_make(&place);
    long_text(&text);
    check_ok(file_write_gz(place.plain, text.data, text.length, &err), &err);
    check_ok(file_write_gz(place.packed, text.data, text.length, &err), &err);
    check_ok(file_read(place.plain, &raw, &err), &err);
    check_str(buf_str(&raw), text.data); /* by its name not compressed */
    buf_reset(&raw);
    check_ok(file_read(place.packed, &raw, &err), &err);
    check(raw.length < text.length / 2);
    check_ok(file_read_gz(place.plain, &back, &err), &err);
    check_ok(file_read_gz(place.packed, &back, &err), &err);
    check_eq(back.length, 2 * text.length);
    check_str(buf_str(&back) + text.length, text.data);
    buf_release(&raw);
    buf_release(&text);
    buf_release(&back);
    place_release(&place);
}

TEST("empty and joined texts are read")
{
    struct buf packed = {0}, out = {0};
    struct error err = {0};

    gz_compress("", 0, &packed);
    gz_compress("one ", 4, &packed);
    gz_compress("two", 3, &packed);
    check_ok(gz_expand(packed.data, packed.length, "x", 7, &out, &err), &err);
    check_str(buf_str(&out), "one two");
    buf_release(&packed);
    buf_release(&out);
}

TEST("damaged files are refused")
{
    struct buf text = {0}, packed = {0}, out = {0};
    struct error err = {0};

    long_text(&text);
    gz_compress(text.data, text.length, &packed);
    buf_add(&out, "kept");
    for (size_t cut = 2; cut < packed.length; cut += 1 + packed.length / 50)
        check_fails(gz_expand(packed.data, cut, "f.gz", GZ_LIMIT_BYTES, &out, &err), &err,
                    STATUS_INPUT, "'f.gz' is cut off");
    packed.data[packed.length / 2] ^= 0x40;
    check_fails(gz_expand(packed.data, packed.length, "f.gz", GZ_LIMIT_BYTES, &out, &err),
                &err, STATUS_INPUT, "'f.gz' is damaged");
    packed.data[packed.length / 2] ^= 0x40;
    buf_add(&packed, "more");
    check_fails(gz_expand(packed.data, packed.length, "f.gz", GZ_LIMIT_BYTES, &out, &err),
                &err, STATUS_INPUT, "'f.gz' is damaged: 4 bytes follow");
    check_str(buf_str(&out), "kept");
    buf_release(&text);
    buf_release(&packed);
    buf_release(&out);
}

TEST("bombs are refused")
{
    enum { mib = 1 << 20 };
    struct buf nothing = {0}, packed = {0}, out = {0};
    struct error err = {0};

    buf_add_repeat(&nothing, '0', 8 * mib);
    gz_compress(nothing.data, nothing.length, &packed);
    check(packed.length < mib / 64);
    check_fails(gz_expand(packed.data, packed.length, "b.gz", 8 * mib - 1, &out, &err),
                &err, STATUS_INPUT, "'b.gz' holds more than 8191 KiB when expanded");
    check_eq(out.length, 0);
    /* nor in parts */
    gz_compress(nothing.data, nothing.length, &packed);
    check_fails(gz_expand(packed.data, packed.length, "b.gz", 12 * mib, &out, &err), &err,
                STATUS_INPUT, "'b.gz' holds more than 12288 KiB");
    check_ok(gz_expand(packed.data, packed.length, "b.gz", 16 * mib, &out, &err), &err);
    check_eq(out.length, 16 * mib);
    buf_release(&nothing);
    buf_release(&packed);
    buf_release(&out);
}

TEST("documents are compressed by name")
{
    json_t *document = json_pack("{s:i}", "a", 1), *back = NULL;
    struct place place;
    struct error err = {0};
    struct buf raw = {0};

    place_make(&place);
    check_ok(json_write_file(place.packed, document, &err), &err);
    check_ok(file_read(place.packed, &raw, &err), &err);
    check_eq((unsigned char)buf_str(&raw)[0], 0x1f);
    check_ok(rename(place.packed, place.plain), NULL); /* the name does not matter */
    check_ok(json_read_file(place.plain, NULL, &back, &err), &err);
    check(json_equal(back, document));
    json_decref(back);
    json_decref(document);
    buf_release(&raw);
    place_release(&place);
}
