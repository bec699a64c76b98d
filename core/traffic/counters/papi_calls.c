#include "core/traffic/counters/papi_calls.h"

#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int last_code;

/* PAPI writes to stderr as it likes. */
static int silence(void)
{
    int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (saved >= 0 && nothing >= 0)
        dup2(nothing, STDERR_FILENO);
    if (nothing >= 0)
        close(nothing);
    return saved;
}

static void speak_again(int saved)
{
    if (saved < 0)
        return;
    dup2(saved, STDERR_FILENO);
    close(saved);
}

/* Makes a PAPI call with stderr silenced. */
#define QUIETLY(result, call)                                                            \
    do {                                                                                 \
        int saved_ = silence();                                                          \
        (result) = (call);                                                               \
        speak_again(saved_);                                                             \
    } while (0)

enum papi_refusal papi_refusal_of(int code)
{
    switch (code) {
    case PAPI_OK:
        return PAPI_DONE;
    case PAPI_ENOEVNT:
        return PAPI_NO_EVENT;
    case PAPI_ECNFLCT:
    case PAPI_ECOUNT:
        return PAPI_NO_TOGETHER;
    case PAPI_EPERM:
        return PAPI_NO_RIGHT;
    case PAPI_ECMP:
    case PAPI_ENOCMP:
    case PAPI_ECMP_DISABLED:
        return PAPI_NO_COMPONENT;
    case PAPI_ENOINIT:
        return PAPI_NO_LIBRARY;
    default:
        return PAPI_NO_OTHER;
    }
}

static enum papi_refusal reported(int code)
{
    last_code = code;
    return papi_refusal_of(code);
}

static const char *text(void)
{
    const char *words = last_code > 0 ? "the library is of another version than the one "
                                        "compiled against"
                                      : PAPI_strerror(last_code);

    return words ? words : "no reason given";
}

static enum papi_refusal start(void)
{
    int version;

    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return PAPI_DONE;
    QUIETLY(version, PAPI_library_init(PAPI_VER_CURRENT));
    last_code = version;
    if (version != PAPI_VER_CURRENT)
        return PAPI_NO_LIBRARY;
    PAPI_multiplex_init(); /* where it fails, creating a multiplexed set does */
    return PAPI_DONE;
}

static enum papi_refusal find(const char *event, int *component)
{
    int code, result;

    QUIETLY(result, PAPI_event_name_to_code(event, &code));
    if (result == PAPI_OK)
        QUIETLY(result, PAPI_query_event(code));
    if (result == PAPI_OK)
        *component = PAPI_get_event_component(code);
    return reported(result);
}

/* A whole package, or everything on a cpu, is counted from one of its cpus. */
static int attach_cpu(int set, int component, int cpu)
{
    PAPI_option_t option = {0};

    option.domain = (PAPI_domain_option_t){component, set, PAPI_DOM_ALL};
    PAPI_set_opt(PAPI_DOMAIN, &option);
    option = (PAPI_option_t){0};
    option.granularity = (PAPI_granularity_option_t){
        .def_cidx = component, .eventset = set, .granularity = PAPI_GRN_SYS};
    PAPI_set_opt(PAPI_GRANUL, &option);
    option = (PAPI_option_t){0};
    option.cpu = (PAPI_cpu_option_t){.eventset = set, .cpu_num = (unsigned)cpu};
    return PAPI_set_opt(PAPI_CPU_ATTACH, &option);
}

static int attach_thread(int set, pid_t thread)
{
    PAPI_option_t option = {0};

    option.inherit =
        (PAPI_inherit_option_t){.eventset = set, .inherit = PAPI_INHERIT_ALL};
    PAPI_set_opt(PAPI_INHERIT, &option); /* threads started later; without it as before */
    return PAPI_attach(set, (unsigned long)thread);
}

static int prepare(int set, int component, struct papi_place place, bool multiplexed)
{
    int result = PAPI_assign_eventset_component(set, component);

    if (result == PAPI_OK && multiplexed)
        result = PAPI_set_multiplex(set);
    if (result == PAPI_OK && place.cpu >= 0)
        result = attach_cpu(set, component, place.cpu);
    else if (result == PAPI_OK && place.thread > 0)
        result = attach_thread(set, place.thread);
    return result;
}

static void destroy(int set)
{
    int state = 0;

    if (PAPI_state(set, &state) == PAPI_OK && state & PAPI_RUNNING)
        PAPI_stop(set, NULL);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

static enum papi_refusal create(int component, struct papi_place place, bool multiplexed,
                                int *set)
{
    int result;

    *set = PAPI_NULL;
    result = PAPI_create_eventset(set);
    if (result != PAPI_OK)
        return reported(result);
    QUIETLY(result, prepare(*set, component, place, multiplexed));
    if (result != PAPI_OK)
        destroy(*set);
    return reported(result);
}

static enum papi_refusal add(int set, const char *event)
{
    int result;

    QUIETLY(result, PAPI_add_named_event(set, event));
    return reported(result);
}

static enum papi_refusal run(int set)
{
    int result;

    QUIETLY(result, PAPI_start(set));
    return reported(result);
}

static enum papi_refusal stop(int set, long long *value)
{
    int result;

    QUIETLY(result, PAPI_stop(set, value));
    return reported(result);
}

static const char *component_name(int component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(component);

    return info ? info->name : "";
}

static int counters(int component)
{
    return PAPI_num_cmp_hwctrs(component);
}

static const char *disabled(const char *name)
{
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(i);

        if (info && strcmp(info->name, name) == 0)
            return info->disabled ? info->disabled_reason : NULL;
    }
    return "";
}

static enum papi_refusal read_running(int set, long long *value)
{
    int result;

    QUIETLY(result, PAPI_read(set, value));
    return reported(result);
}

static void describe(const char *event, struct papi_described *described)
{
    PAPI_event_info_t info = {0};
    int code, result;

    *described = (struct papi_described){0};
    QUIETLY(result, PAPI_event_name_to_code(event, &code));
    if (result != PAPI_OK || PAPI_get_event_info(code, &info) != PAPI_OK)
        return;
    snprintf(described->unit, sizeof(described->unit), "%s", info.units);
    described->level = info.timescope == PAPI_TIMESCOPE_POINT;
    described->floating = info.data_type == PAPI_DATATYPE_FP64;
}

static void list(int component, void (*found)(void *context, const char *event),
                 void *context)
{
    int code = PAPI_NATIVE_MASK, result;
    char name[PAPI_MAX_STR_LEN];

    QUIETLY(result, PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component));
    while (result == PAPI_OK) {
        if (PAPI_event_code_to_name(code, name) == PAPI_OK)
            found(context, name);
        result = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
    }
}

const struct papi_calls papi_calls = {
    start, find,           create,   add,      run,          stop,     destroy,
    text,  component_name, counters, disabled, read_running, describe, list};
