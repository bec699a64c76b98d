/* The code of compiled programs: what an instruction is, which function, loop and line of
 * the source it came from. */
#ifndef CORE_CODE_CODE_H
#define CORE_CODE_CODE_H

#include "core/code/decode.h"
#include "core/code/entry.h"
#include "core/code/image.h"
#include "core/code/loop_source.h"
#include "core/code/producer.h"
#include "core/code/source_headers.h"
#include "core/code/source_lines.h"
#include "core/code/work.h"

#endif
