#include "observe/sample/sample_places.h"

#include <stdlib.h>

void sample_places_open(struct sample_places *places, const struct samples *samples)
{
    places->samples = samples;
    places->image = xcalloc(samples->module_nr + 1, sizeof(*places->image));
    for (size_t i = 0; i < samples->module_nr; i++)
        if (sample_module_is_file(samples->module[i].path))
            image_open(samples->module[i].path, &places->image[i], NULL);
}

void sample_places_close(struct sample_places *places)
{
    for (size_t i = 0; places->image && i < places->samples->module_nr; i++)
        image_free(places->image[i]);
    free(places->image);
    *places = (struct sample_places){0};
}

bool sample_place(const struct sample_places *places, const struct sample_hit *hit,
                  struct image_place *place)
{
    struct image *image = places->image[hit->module];
    uint64_t address = image ? image_address(image, hit->offset) : UINT64_MAX;

    *place = (struct image_place){0};
    if (address == UINT64_MAX)
        return false;
    image_find(image, address, place);
    return place->frame_nr > 0;
}
