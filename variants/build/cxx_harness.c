/*
 * The calling functions of a C++ kernel. They stand behind the user's file, as those of C
 * do, and are called from C. The kernel is found by its whole name and type, so that
 * overloads are told apart; arrays and numbers go in as objects that become whatever the
 * parameter is. Access rules are off in this file (-fno-access-control): fields and
 * methods may be private. The object of a method is storage of bytes, whose constructor
 * does not run.
 */
#include "core/base/buf.h"
#include "variants/build/harness.h"

/* Private fields and methods are reached from behind the file. What the kernel does not
 * need of the file is left out of the program, and with it what it would need of other
 * files, such as methods that are defined there. */
void cxx_add_flags(struct strvec *flags)
{
    strvec_push(flags, "-fno-access-control");
}

static const char tools[] =
    "extern \"C\" {\n"
    "struct inflight_result { long long integer; double real; };\n"
    "}\n"
    "struct inflight_pointer {\n"
    "    void *at;\n"
    "    template <class T> operator T *() const { return static_cast<T *>(at); }\n"
    "};\n"
    "template <class N> struct inflight_number {\n"
    "    N value;\n"
    "    template <class T> operator T() const { return (T)value; }\n"
    "};\n"
    "template <class N> static inflight_number<N> inflight_as(N value)\n"
    "{\n    return {value};\n}\n"
    "struct inflight_nobody {\n"
    "    void nothing() {}\n"
    "    static void alone() {}\n"
    "};\n"
    "template <class F> static F *inflight_function(F *f) { return f; }\n"
    "template <class C, class F> static F C::*inflight_method(F C::*f) { return f; }\n"
    "template <class T> static void inflight_set(const T &place, void *value)\n"
    "{\n    const_cast<T &>(place) = (T)value;\n}\n"
    "template <class T, class V> static void inflight_set(const T &place, V value)\n"
    "{\n    const_cast<T &>(place) = (T)value;\n}\n";

static void add_kernel(const struct ir_linkage *linkage, struct buf *out)
{
    if (linkage->record)
        buf_addf(out, "inflight_method<%s, %s>(&%s)", linkage->record, linkage->type,
                 linkage->callee);
    else
        buf_addf(out, "inflight_function<%s>(&%s)", linkage->type, linkage->callee);
}

/* The kernel's own pointer, or one of its type to a function that does nothing. */
static void add_pointer(const struct ir_linkage *linkage, bool empty, struct buf *out)
{
    buf_add(out, "    auto volatile inflight_kernel = ");
    if (empty) {
        buf_add(out, "(decltype(");
        add_kernel(linkage, out);
        buf_addf(out, "))&inflight_nobody::%s", linkage->record ? "nothing" : "alone");
    } else {
        add_kernel(linkage, out);
    }
    buf_add(out, ";\n");
}

static void add_one_call(const struct harness_objects *objects, const char *role,
                         bool empty, struct buf *out)
{
    const struct ir_linkage *linkage = &objects->kernel->function->linkage;

    buf_addf(out,
             "INFLIGHT_PLAIN void inflight_%s%s_call(void *const *inflight_array, "
             "const long long *inflight_integer, const double *inflight_real, "
             "struct inflight_result *inflight_result)\n"
             "{\n",
             role, empty ? "_empty" : "");
    add_pointer(linkage, empty, out);
    harness_set_data(objects, out);
    buf_add(out, "    ");
    harness_result(objects->kernel, out);
    if (linkage->record) {
        buf_add(out, "((");
        harness_object_argument(objects, objects->kernel->function->symbol[0], out);
        buf_add(out, ")->*inflight_kernel)(");
    } else {
        buf_add(out, "inflight_kernel(");
    }
    harness_arguments(objects, out);
    buf_add(out, ");\n}\n");
}

void cxx_add_call(const struct harness_objects *objects, const char *role,
                  struct buf *out)
{
    const char *scope = objects->kernel->function->linkage.scope;

    buf_add(out, tools);
    if (*scope)
        buf_addf(out, "using namespace %s;\n", scope);
    harness_object_storage(objects, out);
    buf_add(out, "extern \"C\" {\n");
    add_one_call(objects, role, false, out);
    add_one_call(objects, role, true, out);
    buf_add(out, "}\n");
}
