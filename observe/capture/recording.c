#define _GNU_SOURCE /* accept4, struct ucred */
#include "observe/capture/recording.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/capture/recorded_call.h"

/* Of the recorder, which sends a message at once. */
enum { message_limit_s = 30, name_bytes_max = 4096 };
/* A call of another thread may have to wait for its turn for so many others. */
enum { calls_late = 100000 };
/* Far above what a busy machine keeps a thread waiting. */
static const double halt_limit_s = 1;
/* Of `each`: looks may take so long, then so much of what the application takes itself
 * (a look at a call of a microsecond takes a thousand times that). */
static const double looks_free_s = 0.1, looks_share = 0.5;

/* ---- the recorder in a source ---- */

void recorder_begin(struct buf *out)
{
    buf_add(out, " __extension__ int inflight_recorded __attribute__((__unused__)) = "
                 "inflight_call_begins()");
}

/* "s->atoms->r": s && s->atoms ? ... : 0 */
static void add_guard(const char *name, struct buf *out)
{
    const char *word = "";

    for (const char *at = name; (at = strstr(at, "->")); at += 2) {
        if (!strncmp(name, "this->", 6) && at == name + 4)
            continue;
        buf_addf(out, "%s%.*s", word, (int)(at - name), name);
        word = " && ";
    }
    buf_add(out, *word ? " ? " : "");
}

void recorder_add(enum recorded_kind kind, const char *name, bool in_place,
                  struct buf *out)
{
    size_t before;

    buf_addf(out, " && %s(\"%s\", (",
             kind == RECORDED_INTEGER ? "INFLIGHT_INTEGER"
             : kind == RECORDED_REAL  ? "INFLIGHT_REAL"
                                      : "INFLIGHT_POINTER",
             name);
    before = out->length;
    add_guard(name, out);
    bool guarded = out->length > before;
    buf_addf(out, "%s%s%s))", in_place ? "&" : "", name, guarded ? " : 0" : "");
}

void recorder_end(struct buf *out)
{
    buf_add(out, " && inflight_call_ends();");
}

int recorder_include(struct buf *out, struct error *err)
{
    char *folder, *path;

    if (shipped_path("templates/capture", &folder, err))
        return -1;
    path = path_join(folder, "call_recorder.h");
    buf_addf(out, "#include \"%s\"\n#line 1\n", path);
    free(path);
    free(folder);
    return 0;
}

/* ---- a message ---- */

static void call_release(struct recorded_call *call)
{
    for (size_t i = 0; i < call->nr; i++)
        free(call->item[i].name);
    free(call->item);
    free(call->program);
}

static bool read_item(FILE *from, struct recorded_call *call)
{
    uint16_t length;
    struct recorded_item item = {0};

    if (fread(&length, sizeof(length), 1, from) != 1 || length > name_bytes_max)
        return false;
    item.name = xcalloc(1, (size_t)length + 1);
    if (fread(item.name, 1, length, from) != length ||
        fread(&item.value, sizeof(item.value), 1, from) != 1) {
        free(item.name);
        return false;
    }
    GROW(call->item, call->nr + 1, call->alloc);
    call->item[call->nr++] = item;
    return true;
}

/* False where its program has gone meanwhile. */
static bool read_call(FILE *from, struct recorded_call *call)
{
    int kind = EOF;

    if (fread(&call->number, sizeof(call->number), 1, from) != 1 ||
        fread(&call->code, sizeof(call->code), 1, from) != 1)
        return false;
    while ((kind = getc(from)) > 0)
        if (!read_item(from, call))
            return false;
    return kind == 0;
}

/* ---- the process ---- */

/* The state of a thread of /proc/PID/task: the word behind the name in parentheses. */
static bool is_halted(const char *folder, const char *thread)
{
    char *path = xasprintf("%s/%s/stat", folder, thread);
    struct buf text = {0};
    const char *behind =
        file_read(path, &text, NULL) ? NULL : strrchr(buf_str(&text), ')');
    bool halted = !behind || strchr("TtZX", behind[1] ? behind[2] : 'X');

    buf_release(&text);
    free(path);
    return halted;
}

static bool all_halted(pid_t process, size_t *threads)
{
    char *folder = xasprintf("/proc/%ld/task", (long)process);
    DIR *dir = opendir(folder);
    bool all = true;

    *threads = 0;
    for (struct dirent *item; dir && (item = readdir(dir));)
        if (*item->d_name != '.') {
            all = all && is_halted(folder, item->d_name);
            ++*threads;
        }
    if (dir)
        closedir(dir);
    free(folder);
    return all;
}

/* The thread that tells of the call waits for us anyway. True where others had to be
 * stopped. */
static bool halt(pid_t process)
{
    const struct timespec pause = {.tv_nsec = 100000};
    double until = clock_s() + halt_limit_s;
    size_t threads;

    all_halted(process, &threads);
    if (threads < 2 || kill(process, SIGSTOP))
        return false;
    while (!all_halted(process, &threads) && clock_s() < until)
        nanosleep(&pause, NULL);
    return true;
}

/* ---- listening ---- */

struct recording {
    const struct recording_request *request;
    struct recording_outcome *outcome;
    char *scratch, *path;
    int listening;
    bool is_done;           /* no call is wanted any more */
    double looks_s, last_s; /* all looks so far; when the last one ended */
    uint64_t looks, last;   /* the last one's call */
};

/* How many calls on the next look is: with a random part, since calls may come in turns.
 */
static uint64_t calls_to_skip(const struct recording *recording, uint64_t call,
                              double since_s)
{
    enum { GROWTH = 16 }; /* what lies between two looks is known badly at first */
    double cost_s = recording->looks_s / (double)recording->looks;
    double calls = (double)(call - recording->last), longest = calls * GROWTH;

    if (recording->looks_s <= looks_free_s)
        return 1;
    double mean = calls * cost_s / looks_share / (since_s > 0 ? since_s : 1e-9);
    double random = (double)((call * 0x9e3779b97f4a7c15u) >> 40) / (1 << 24);
    double next = (mean < longest ? mean : longest) * (0.5 + random);
    return next < 1 ? 1 : (uint64_t)next;
}

/* The next one of an application of which each call is to be looked at, as far as that
 * takes no longer than the application. This look began at `begin_s`. */
static uint64_t next_look(struct recording *recording, uint64_t call, double begin_s)
{
    double now_s = clock_s(), since_s = begin_s - recording->last_s;

    if (call <= recording->last) /* another process, or thread */
        return call + 1;
    recording->looks++;
    recording->looks_s += now_s - begin_s;
    uint64_t next = call + calls_to_skip(recording, call, since_s);
    recording->last = call;
    recording->last_s = now_s;
    return next;
}

static int look(struct recording *recording, struct recorded_call *call,
                struct error *err)
{
    bool halted = halt(call->process);

    call->program = process_file_at(call->process, call->code);
    int status = recording->request->at_call(call, recording->request->data, err);
    if (halted)
        kill(call->process, SIGCONT);
    if (status == 0)
        recording->is_done = recording->outcome->reached = true;
    return status;
}

/* The next call that is wanted. */
static int answer(struct recording *recording, struct recorded_call *call, double begin_s,
                  uint64_t *next, struct error *err)
{
    const struct recording_request *request = recording->request;
    long long calls = (long long)(call->number ? call->number : call->code);
    int status = 1;

    if (calls > recording->outcome->calls && !recording->is_done)
        recording->outcome->calls = calls;
    if (call->number && !recording->is_done && (request->each || calls == request->call))
        status = look(recording, call, err);
    *next = request->each ? next_look(recording, call->number, begin_s)
                          : (uint64_t)request->call;
    /* With threads the calls come in any order: that one is on its way. */
    if (recording->is_done || status < 0 ||
        (!request->each && *next + calls_late < call->number))
        *next = UINT64_MAX;
    return status < 0 ? -1 : 0;
}

static int serve(struct recording *recording, int fd, struct error *err)
{
    const struct timeval limit = {.tv_sec = message_limit_s};
    struct recorded_call call = {0};
    struct ucred peer = {0};
    socklen_t length = sizeof(peer);
    uint64_t next = UINT64_MAX;
    FILE *from = fdopen(fd, "r");
    double begin_s = clock_s();
    int status = 0;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
        call.process = peer.pid;
    if (from && call.process > 0 && read_call(from, &call)) {
        status = answer(recording, &call, begin_s, &next, err);
        if (send(fd, &next, sizeof(next), MSG_NOSIGNAL) < 0)
            next = UINT64_MAX; /* it has gone */
    }
    if (from)
        fclose(from);
    else
        close(fd);
    call_release(&call);
    return status;
}

static int serve_all(struct recording *recording, struct error *err)
{
    int fd, status = 0;

    while (!status && (fd = accept4(recording->listening, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        status = serve(recording, fd, err);
    return status;
}

static int listen_for_calls(struct recording *recording, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (scratch_make(&recording->scratch, err))
        return -1;
    recording->path = path_join(recording->scratch, "calls");
    if (strlen(recording->path) >= sizeof(address.sun_path))
        return fail(err, STATUS_MISSING,
                    "'%s' is too long for the name of a socket; set TMPDIR to a shorter "
                    "one",
                    recording->path);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", recording->path);
    recording->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (recording->listening < 0 ||
        bind(recording->listening, (const struct sockaddr *)&address, sizeof(address)) ||
        listen(recording->listening, SOMAXCONN))
        return fail(err, STATUS_MISSING, "cannot listen at '%s': %s", recording->path,
                    strerror(errno));
    return 0;
}

/* ---- from beginning to end ---- */

static int follow(struct recording *recording, struct spawn_child *child,
                  struct error *err)
{
    bool ended = false;

    while (!ended && !spawn_interrupted()) {
        ended = spawn_wait_to_read(&child, 1, &recording->listening, 1, 1);
        if (serve_all(recording, err))
            return -1;
        if (recording->is_done && recording->request->ends)
            return 0;
    }
    return 0;
}

static int run(struct recording *recording, struct error *err)
{
    const struct recording_request *request = recording->request;
    char *variable = xasprintf("INFLIGHT_CAPTURE=%s", recording->path);
    const char *const env[] = {variable, NULL};
    const struct spawn_request program = {.argv = request->argv,
                                          .dir = request->dir,
                                          .env_extra = env,
                                          .timeout_s = request->timeout_s,
                                          .attached = !request->is_hidden,
                                          .out_to_err = request->out_to_err};
    struct spawn_child *child;
    int status = spawn_start(&program, &child, err);

    free(variable);
    if (status)
        return -1;
    pid_t group = spawn_pid(child);
    if (group)
        status = follow(recording, child, err);
    if (group && (status || spawn_interrupted() ||
                  (recording->is_done && recording->request->ends)))
        kill(-group, SIGKILL);
    if (spawn_wait_all(&child, 1, false, &recording->outcome->program, err))
        return -1;
    if (!status && recording->outcome->program.end == SPAWN_NOT_STARTED)
        status = fail(err, STATUS_INPUT, "there is no program '%s' that could be run",
                      request->argv[0]);
    return status;
}

int recording_run(const struct recording_request *request,
                  struct recording_outcome *outcome, struct error *err)
{
    struct recording recording = {
        .request = request, .outcome = outcome, .listening = -1};

    *outcome = (struct recording_outcome){0};
    int status = listen_for_calls(&recording, err);
    if (!status)
        status = run(&recording, err);
    if (recording.listening >= 0)
        close(recording.listening);
    scratch_remove(recording.scratch);
    free(recording.path);
    return status;
}

void recording_outcome_release(struct recording_outcome *outcome)
{
    spawn_outcome_release(&outcome->program);
}

/* ---- what can be asked of a call ---- */

uint64_t recorded_number(const struct recorded_call *call)
{
    return call->number;
}

const char *recorded_program(const struct recorded_call *call)
{
    return call->program;
}

bool recorded_value(const struct recorded_call *call, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < call->nr; i++)
        if (!strcmp(call->item[i].name, name)) {
            *value = call->item[i].value;
            return true;
        }
    return false;
}
