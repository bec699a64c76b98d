/* Where a value is when a function begins: location expressions and types of DWARF, as
 * far as they can occur there, and the calling convention. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/entry_parts.h"

struct locating {
    const struct entry_file *file;
    const struct entry_point *point;
    const struct entry_frame *frame;
    const struct entry_path *path;
};

static int fail_named(const struct locating *at, struct error *err, const char *why)
{
    return fail(err, STATUS_INPUT, "%s '%s%s' cannot be captured: %s",
                at->path->param < 0 ? "variable" : "parameter", at->path->root,
                at->path->path, why);
}

/* ---- location expressions ---- */

static bool take_register(const struct entry_frame *frame, size_t number, size_t bytes,
                          size_t at, struct entry_object *object)
{
    if (number >= ENTRY_REGISTERS || !frame->is_known[number] || bytes > 16 ||
        at + bytes > sizeof(object->bytes))
        return false;
    memcpy(object->bytes + at, frame->value[number], bytes);
    return true;
}

static int register_of(const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return op->atom - DW_OP_reg0;
    return op->atom == DW_OP_regx ? (int)op->number : -1;
}

/* Pieces of a struct, each in a register. */
static bool take_pieces(const struct entry_frame *frame, const Dwarf_Op *op, size_t nr,
                        struct entry_object *object)
{
    size_t at = 0;

    for (size_t i = 0; i + 1 < nr; i += 2) {
        int number = register_of(&op[i]);

        if (number < 0 || op[i + 1].atom != DW_OP_piece ||
            !take_register(frame, (size_t)number, op[i + 1].number, at, object))
            return false;
        at += op[i + 1].number;
    }
    return nr > 0 && nr % 2 == 0;
}

/* Is the function's frame counted from the caller's stack? From a register it is only
 * after the first instructions have set that. */
static bool has_plain_frame(const struct locating *at)
{
    Dwarf_Attribute attribute;
    Dwarf_Die function;
    Dwarf_Op *op;
    size_t nr;

    return at->point->debug &&
           dwarf_offdie(at->file->dwarf, at->point->debug, &function) &&
           dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) &&
           dwarf_getlocation(&attribute, &op, &nr) == 0 && nr == 1 &&
           op->atom == DW_OP_call_frame_cfa;
}

/* Before the first instruction the frame is the caller's: what lies below it is not
 * there yet. */
static bool take_memory(const struct locating *at, const Dwarf_Op *op, size_t nr,
                        struct entry_object *object)
{
    int64_t offset = (int64_t)op->number;

    object->in_memory = true;
    if (nr == 1 && op->atom == DW_OP_addr) {
        object->address = op->number + at->frame->bias;
        return true;
    }
    if (nr == 1 && op->atom == DW_OP_fbreg && offset >= 0 && has_plain_frame(at)) {
        object->address = at->frame->cfa + (uint64_t)offset;
        return true;
    }
    return false;
}

static bool take_constant(const Dwarf_Op *op, size_t nr, struct entry_object *object)
{
    int64_t value;

    if (nr != 2 || op[1].atom != DW_OP_stack_value)
        return false;
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        value = op->atom - DW_OP_lit0;
    else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
        value = (int64_t)op->number;
    else
        return false;
    memcpy(object->bytes, &value, sizeof(value));
    return true;
}

static bool take_location(const struct locating *at, const Dwarf_Op *op, size_t nr,
                          struct entry_object *object)
{
    int number = nr ? register_of(op) : -1;

    *object = (struct entry_object){0};
    if (nr == 1 && number >= 0)
        return take_register(at->frame, (size_t)number, 16, 0, object);
    if (nr > 1 && number >= 0)
        return take_pieces(at->frame, op, nr, object);
    return nr > 0 && (take_constant(op, nr, object) || take_memory(at, op, nr, object));
}

/* A parameter that the compiler has put into this copy of the function for good. */
static bool take_const_value(Dwarf_Die *die, struct entry_object *object)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword value;
    Dwarf_Block block;

    if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
        return false;
    *object = (struct entry_object){0};
    if (dwarf_formblock(&attribute, &block) == 0 && block.length <= 16) {
        memcpy(object->bytes, block.data, block.length);
        return true;
    }
    if (dwarf_formsdata(&attribute, &value))
        return false;
    memcpy(object->bytes, &value, sizeof(value));
    return true;
}

static bool take_described(const struct locating *at, Dwarf_Die *die, bool is_param,
                           struct entry_object *object)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t nr = 0;

    if (take_const_value(die, object))
        return true;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
        return false;
    if (is_param &&
        dwarf_getlocation_addr(&attribute, at->point->address, &op, &nr, 1) != 1)
        return false;
    if (!is_param && dwarf_getlocation(&attribute, &op, &nr))
        return false;
    return take_location(at, op, nr, object);
}

static bool take_passed(const struct locating *at, struct entry_object *object)
{
    const struct entry_place *place;

    if (at->point->is_clone || (size_t)at->path->param >= at->frame->passed_nr)
        return false;
    place = &at->frame->passed[at->path->param];
    *object = (struct entry_object){0};
    if (place->kind == ENTRY_IN_REGISTER)
        return take_register(at->frame, (size_t)place->number, 16, 0, object);
    object->in_memory = true;
    object->address = place->address;
    return place->kind == ENTRY_IN_MEMORY;
}

/* ---- variables ---- */

static bool find_param(Dwarf_Die *function, const struct entry_path *path, Dwarf_Die *die)
{
    int place = 0;

    if (dwarf_child(function, die))
        return false;
    do {
        const char *name = dwarf_diename(die);

        if (dwarf_tag(die) != DW_TAG_formal_parameter)
            continue;
        if (name ? !strcmp(name, path->root) : place == path->param)
            return true;
        place++;
    } while (dwarf_siblingof(die, die) == 0);
    return false;
}

/* A parameter that a clone has not may still be described where the function was
 * written. */
static bool find_origin_param(Dwarf_Die *function, const struct entry_path *path,
                              Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    if (find_param(function, path, die))
        return true;
    return dwarf_attr(function, DW_AT_abstract_origin, &attribute) &&
           dwarf_formref_die(&attribute, &origin) && find_param(&origin, path, die);
}

static bool find_variable(Dwarf_Die *unit, const char *name, Dwarf_Die *die)
{
    if (dwarf_child(unit, die))
        return false;
    do {
        const char *found = dwarf_diename(die);

        if (dwarf_tag(die) == DW_TAG_variable && found && !strcmp(found, name) &&
            (dwarf_hasattr_integrate(die, DW_AT_location) ||
             dwarf_hasattr_integrate(die, DW_AT_const_value)))
            return true;
    } while (dwarf_siblingof(die, die) == 0);
    return false;
}

/* That of the function's own unit before those of others. */
static bool find_global(const struct locating *at, Dwarf_Die *die)
{
    Dwarf *dwarf = at->file->dwarf;
    Dwarf_Die function, unit;
    Dwarf_CU *cu = NULL;

    if (at->point->debug && dwarf_offdie(dwarf, at->point->debug, &function) &&
        dwarf_diecu(&function, &unit, NULL, NULL) &&
        find_variable(&unit, at->path->root, die))
        return true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (find_variable(&unit, at->path->root, die))
            return true;
    return false;
}

struct symbol_search {
    const char *name;
    uint64_t address;
    size_t size;
};

static bool look_for_object(void *data, const char *name, const GElf_Sym *symbol)
{
    struct symbol_search *search = data;

    if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || strcmp(name, search->name))
        return true;
    search->address = symbol->st_value;
    search->size = symbol->st_size;
    return false;
}

struct around {
    uint64_t address, end;
};

/* The smallest one, of a name that stands for a part of another. */
static bool look_around(void *data, const char *name, const GElf_Sym *symbol)
{
    struct around *around = data;
    uint64_t end = symbol->st_value + symbol->st_size;

    (void)name;
    if (GELF_ST_TYPE(symbol->st_info) == STT_OBJECT &&
        symbol->st_value <= around->address && around->address < end &&
        (!around->end || end < around->end))
        around->end = end;
    return true;
}

uint64_t entry_variable_end(const struct entry_file *file, uint64_t address)
{
    struct around around = {.address = address};

    entry_each_symbol(file, look_around, &around);
    return around.end;
}

static bool take_symbol_object(const struct locating *at, struct entry_object *object)
{
    struct symbol_search search = {.name = at->path->root};

    entry_each_symbol(at->file, look_for_object, &search);
    *object = (struct entry_object){.in_memory = true,
                                    .address = search.address + at->frame->bias,
                                    .size = search.size};
    return search.address != 0;
}

/* The variable itself; `type` is not set where there is no debug information. */
static int find_root(const struct locating *at, struct entry_object *object,
                     Dwarf_Die *die, bool *described, struct error *err)
{
    Dwarf_Die function;
    bool found;

    if (at->path->param < 0) {
        *described = find_global(at, die);
        if ((*described && take_described(at, die, false, object)) ||
            take_symbol_object(at, object))
            return 0;
        if (*described)
            return fail_named(at, err, "it has no fixed address (thread-local storage)");
        return fail(err, STATUS_MISSING,
                    "variable '%s' cannot be captured: the program does not say where it "
                    "is; build it with -g",
                    at->path->root);
    }
    *described = at->point->debug &&
                 dwarf_offdie(at->file->dwarf, at->point->debug, &function) &&
                 find_origin_param(&function, at->path, die);
    if (at->point->is_public && take_passed(at, object))
        return 0;
    found = *described && take_described(at, die, true, object);
    if (found || take_passed(at, object))
        return 0;
    return fail_named(
        at, err,
        at->point->is_clone
            ? "the compiler has made a copy of the function that is called without it; "
              "build with -fno-ipa-cp -fno-ipa-sra, or mark the function "
              "__attribute__((noipa))"
            : "where it is passed is not known; build with -g, or mark the function "
              "__attribute__((noipa))");
}

/* ---- fields ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, type) && dwarf_peel_type(type, type) == 0;
}

static int read_object(const struct locating *at, struct entry_object *object,
                       size_t bytes, struct error *err)
{
    if (!object->in_memory)
        return 0;
    if (at->frame->read(at->frame->data, object->address, object->bytes, bytes))
        return fail_named(at, err, "it points to unmapped memory");
    return 0;
}

static int follow_pointer(const struct locating *at, struct entry_object *object,
                          Dwarf_Die *type, struct error *err)
{
    Dwarf_Die target;
    uint64_t address;

    if (dwarf_tag(type) != DW_TAG_pointer_type || !type_of(type, &target))
        return fail_named(at, err, "the program has another type for it");
    if (read_object(at, object, sizeof(address), err))
        return -1;
    memcpy(&address, object->bytes, sizeof(address));
    *type = target;
    *object = (struct entry_object){.in_memory = true, .address = address};
    return 0;
}

/* Of the class itself (DW_TAG_member), or of its bases (DW_TAG_inheritance), whose fields
 * its own may hide. Where a virtual base lies, the object says. */
static bool find_among(Dwarf_Die *type, int tag, const char *name, size_t length,
                       Dwarf_Die *member, uint64_t *offset);

static bool find_member(Dwarf_Die *type, const char *name, size_t length,
                        Dwarf_Die *member, uint64_t *offset)
{
    return find_among(type, DW_TAG_member, name, length, member, offset) ||
           find_among(type, DW_TAG_inheritance, name, length, member, offset);
}

static bool find_among(Dwarf_Die *type, int tag, const char *name, size_t length,
                       Dwarf_Die *member, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Die at, inner;

    if (dwarf_child(type, &at))
        return false;
    do {
        const char *found = dwarf_diename(&at);
        Dwarf_Word place = 0;

        if (dwarf_tag(&at) != tag || dwarf_attr(&at, DW_AT_virtuality, &attribute))
            continue;
        if (dwarf_attr(&at, DW_AT_data_member_location, &attribute))
            dwarf_formudata(&attribute, &place);
        *offset += place;
        if (tag == DW_TAG_member && found && strlen(found) == length &&
            !strncmp(found, name, length)) {
            *member = at;
            return true;
        }
        if ((!found || tag == DW_TAG_inheritance) && type_of(&at, &inner) &&
            /* anonymous, or a base: its members are ours */
            find_member(&inner, name, length, member, offset))
            return true;
        *offset -= place;
    } while (dwarf_siblingof(&at, &at) == 0);
    return false;
}

static int enter_member(const struct locating *at, const char *name, size_t length,
                        struct entry_object *object, Dwarf_Die *type, struct error *err)
{
    uint64_t offset = 0;
    Dwarf_Die member, record = *type;

    if (!find_member(&record, name, length, &member, &offset) || !type_of(&member, type))
        return fail_named(at, err, "the program's struct has no such field");
    if (object->in_memory)
        object->address += offset;
    else if (offset < sizeof(object->bytes))
        memmove(object->bytes, object->bytes + offset, sizeof(object->bytes) - offset);
    else
        return fail_named(at, err, "the struct is not passed as one");
    return 0;
}

/* "->box.v": an arrow follows the pointer that the object is, a dot does not. */
static int walk(const struct locating *at, struct entry_object *object, Dwarf_Die *type,
                struct error *err)
{
    for (const char *step = at->path->path; *step;) {
        bool arrow = step[0] == '-';
        const char *name = step + (arrow ? 2 : 1);
        size_t length = strcspn(name, ".-");

        if (arrow && follow_pointer(at, object, type, err))
            return -1;
        if (enter_member(at, name, length, object, type, err))
            return -1;
        step = name + length;
    }
    return 0;
}

int entry_find_object(const struct entry_file *file, const struct entry_point *point,
                      const struct entry_frame *frame, const struct entry_path *path,
                      struct entry_object *object, struct error *err)
{
    struct locating at = {file, point, frame, path};
    Dwarf_Die die, type;
    Dwarf_Word size;
    bool described;

    if (find_root(&at, object, &die, &described, err))
        return -1;
    described = described && type_of(&die, &type);
    if (*path->path && !described)
        return fail_named(&at, err,
                          "fields of structs are found through the debug information; "
                          "build the program with -g");
    if (described && walk(&at, object, &type, err))
        return -1;
    if (described && dwarf_aggregate_size(&type, &size) == 0)
        object->size = size;
    return 0;
}
