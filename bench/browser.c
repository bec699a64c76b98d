#include "bench/browser.h"

#include <stdlib.h>
#include <string.h>

static const double timeout_s = 60;

bool browser_is_there(void)
{
    const char *const argv[] = {"chromium", "--version", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = timeout_s};
    struct spawn_outcome outcome = {0};
    bool there = spawn_run(&request, &outcome, NULL) == 0 &&
                 outcome.end == SPAWN_EXITED && outcome.code == 0;

    spawn_outcome_release(&outcome);
    return there;
}

/* file:// with all that is not plain escaped. */
static void add_url(struct buf *out, const char *path)
{
    buf_add(out, "file://");
    for (; *path; path++)
        if (strchr("/-_.~", *path) || (*path >= '0' && *path <= '9') ||
            ((*path | 32) >= 'a' && (*path | 32) <= 'z'))
            buf_add_n(out, path, 1);
        else
            buf_addf(out, "%%%02X", (unsigned char)*path);
}

/* "[...:INFO:CONSOLE:1] "text", source: ..." */
static void take_console(const char *log, struct buf *out)
{
    while ((log = strstr(log, ":CONSOLE"))) {
        size_t length = strcspn(log, "\n");
        buf_add_n(out, log + 1, length - 1);
        buf_add(out, "\n");
        log += length;
    }
}

/* Requests of the browser itself have no origin. */
static size_t count_requests(const char *log)
{
    static const char key[] = "\"initiator\":\"";
    size_t nr = 0;
    while ((log = strstr(log, key))) {
        log += strlen(key);
        nr += strncmp(log, "not an origin", strlen("not an origin")) != 0;
    }
    return nr;
}

static int run(char *const *argument, const char *dir, struct spawn_outcome *outcome,
               struct error *err)
{
    const char *home = getenv("HOME") ? NULL : dir;
    char *setting = home ? xasprintf("HOME=%s", home) : NULL;
    const char *const env[] = {setting, NULL};
    const char *const argv[] = {"chromium",
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-dev-shm-usage",
                                "--host-resolver-rules=MAP * ~NOTFOUND",
                                "--enable-logging=stderr",
                                argument[0],
                                argument[1],
                                "--dump-dom",
                                argument[2],
                                NULL};
    struct spawn_request request = {.argv = argv,
                                    .env_extra = setting ? env : NULL,
                                    .timeout_s = timeout_s,
                                    .output_limit = (size_t)64 << 20};
    int status = spawn_run(&request, outcome, err);

    if (!status && (outcome->end != SPAWN_EXITED || outcome->code))
        status =
            fail(err, STATUS_MISSING, "chromium did not open the page (%s %d): %.300s",
                 spawn_end_word(outcome->end), outcome->code, buf_str(&outcome->err));
    free(setting);
    return status;
}

int browser_open(const char *path, const char *fragment, const char *dir,
                 struct browsed *browsed, struct error *err)
{
    struct spawn_outcome outcome = {0};
    struct buf url = {0}, log = {0};
    char *net = path_join(dir, "net.json"),
         *argument[3] = {xasprintf("--user-data-dir=%s/chromium", dir),
                         xasprintf("--log-net-log=%s", net), NULL};
    int status;

    *browsed = (struct browsed){0};
    add_url(&url, path);
    buf_addf(&url, "%s%s", *fragment ? "#" : "", fragment);
    argument[2] = buf_detach(&url);
    status = run(argument, dir, &outcome, err);
    if (!status)
        status = file_read(net, &log, err);
    if (!status) {
        buf_add(&browsed->dom, buf_str(&outcome.out));
        take_console(buf_str(&outcome.err), &browsed->console);
        browsed->request_nr = count_requests(buf_str(&log));
    }
    for (size_t i = 0; i < ARRAY_SIZE(argument); i++)
        free(argument[i]);
    free(net);
    buf_release(&log);
    spawn_outcome_release(&outcome);
    return status;
}

void browsed_release(struct browsed *browsed)
{
    buf_release(&browsed->dom);
    buf_release(&browsed->console);
    *browsed = (struct browsed){0};
}
