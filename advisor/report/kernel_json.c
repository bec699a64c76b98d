#include "advisor/report/measure_report.h"
#include "core/store/store.h"
#include "variants/kernel/kernel_view.h"

json_t *kernel_arrays_json(const struct kernel_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->array_nr; i++) {
        const struct kernel_array *array = &view->array[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s?, s:o, s:s?, s:b, s:b}", "name", array->name,
                      "type", array->element_type, "extent", array->extent_text, "bytes",
                      array->bytes < 0 ? json_null() : json_real(array->bytes),
                      "contents", array->contents, "read", (int)array->read, "written",
                      (int)array->written));
    }
    return list;
}
