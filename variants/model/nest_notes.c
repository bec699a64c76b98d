/* What a nest says of itself: why it is not modelled, what its model takes for granted.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/model/model_nest.h"

int nest_refuse(struct nest *nest, int line, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    if (nest->refusal)
        return -1;
    buf_addf(&text, "line %d: ", line);
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    nest->refusal = buf_detach(&text);
    return -1;
}

void nest_assume(struct nest *nest, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    for (size_t i = 0; i < nest->assumption.nr; i++)
        if (!strcmp(nest->assumption.v[i], buf_str(&text))) {
            buf_release(&text);
            return;
        }
    strvec_push(&nest->assumption, buf_str(&text));
    buf_release(&text);
}
