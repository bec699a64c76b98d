/* Private to search/: register blocks with packed operands. */
#ifndef SEARCH_PROPOSE_PACK_H
#define SEARCH_PROPOSE_PACK_H

#include "search/propose/propose.h"
#include "search/search.h"

/* What blocks of elements of `element` bytes have to fit. */
struct block_machine block_machine(const struct machine *machine, size_t element);

#endif
