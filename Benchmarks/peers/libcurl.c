/* libcurl with the arguments of `floor` and `http-bench`:
 *
 *   libcurl MODE URL N C    MODE: get    keep-alive GET, body collected, N in total over C connections
 *                                 close  a new connection for each of N requests
 *                                 down   a big body, discarded
 *                                 save   a big body, written to the file SAVE by libcurl
 *                                 up     PUT of the file UPLOAD, which libcurl reads
 *
 * One connection uses the easy interface, several the multi interface; save and up have one. CA=file trusts only that file,
 * VERIFY=0 verifies nothing, RESUME=0 resumes no TLS session.
 *
 * Prints the line that `floor` prints; it first sends 3 requests per connection that are not counted: HEAD for big
 * bodies, GET in mode up. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct body {
    char *bytes;
    size_t count, room;
    double begun;
};

static enum { GET, CLOSE, DOWN, SAVE, UP } mode;
static const char *url;
static double *latencies; /* NULL during the warm-up */
static long issued, finished, errors;
static unsigned long long received;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what) {
    fprintf(stderr, "libcurl: %s\n", what);
    exit(1);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t length = size * count;
    /* Mode up counts what it sends. */
    if (mode == UP) return length;
    received += length;
    if (mode == DOWN) return length;
    if (body->count + length > body->room) {
        body->room = 2 * (body->count + length);
        body->bytes = realloc(body->bytes, body->room);
        if (!body->bytes) die("no memory");
    }
    memcpy(body->bytes + body->count, bytes, length);
    body->count += length;
    return length;
}

static CURL *make(struct body *body) {
    CURL *handle = curl_easy_init();
    if (!handle) die("curl_easy_init");
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, body);
    if (mode == CLOSE) curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
    const char *ca = getenv("CA"), *verify = getenv("VERIFY");
    if (ca) curl_easy_setopt(handle, CURLOPT_CAINFO, ca);
    const char *resume = getenv("RESUME");
    if (resume && strcmp(resume, "0") == 0) curl_easy_setopt(handle, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    if (verify && strcmp(verify, "0") == 0) {
        curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    return handle;
}

static void begin(struct body *body) {
    issued++;
    body->count = 0;
    body->begun = now();
}

static void end(struct body *body, CURLcode result) {
    if (result != CURLE_OK) {
        fprintf(stderr, "libcurl: %s\n", curl_easy_strerror(result));
        errors++;
    } else if (latencies) {
        latencies[finished - errors] = now() - body->begun;
    }
    finished++;
}

static void run_one(CURL *handle, struct body *body, long n) {
    for (issued = finished = 0; finished < n;) {
        begin(body);
        end(body, curl_easy_perform(handle));
    }
}

/* Writes the body to the file SAVE, with the function of libcurl. */
static CURLcode save(CURL *handle) {
    FILE *file = fopen(getenv("SAVE"), "wb");
    if (!file) return CURLE_WRITE_ERROR;
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, NULL);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, file);
    CURLcode result = curl_easy_perform(handle);
    curl_off_t count = 0;
    curl_easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &count);
    received += (unsigned long long)count;
    return fclose(file) == 0 || result != CURLE_OK ? result : CURLE_WRITE_ERROR;
}

/* Sends the file UPLOAD, which the function of libcurl reads. */
static CURLcode upload(CURL *handle) {
    struct stat status;
    FILE *file = fopen(getenv("UPLOAD"), "rb");
    if (!file || fstat(fileno(file), &status) < 0) return CURLE_READ_ERROR;
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_READDATA, file);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)status.st_size);
    CURLcode result = curl_easy_perform(handle);
    curl_off_t count = 0;
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &count);
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    received += (unsigned long long)count;
    fclose(file);
    return result == CURLE_OK && code / 100 != 2 ? CURLE_HTTP_RETURNED_ERROR : result;
}

static void run_files(CURL *handle, struct body *body, long n) {
    for (issued = finished = 0; finished < n;) {
        begin(body);
        end(body, mode == SAVE ? save(handle) : upload(handle));
    }
}

static void run_several(CURLM *multi, CURL **handles, struct body *bodies, int count, long n) {
    issued = finished = 0;
    for (int i = 0; i < count && issued < n; i++) {
        begin(&bodies[i]);
        curl_multi_add_handle(multi, handles[i]);
    }
    while (finished < n) {
        int running, left;
        if (curl_multi_perform(multi, &running) != CURLM_OK) die("curl_multi_perform");
        CURLMsg *message;
        int ended = 0;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            struct body *body;
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&body);
            end(body, message->data.result);
            ended = 1;
            curl_multi_remove_handle(multi, handle);
            if (issued < n) {
                begin(body);
                curl_multi_add_handle(multi, handle);
            }
        }
        if (!ended && finished < n) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: libcurl get|close|down|save|up URL N C\n");
        return 2;
    }
    if (strcmp(argv[1], "get") == 0) mode = GET;
    else if (strcmp(argv[1], "close") == 0) mode = CLOSE;
    else if (strcmp(argv[1], "down") == 0) mode = DOWN;
    else if (strcmp(argv[1], "save") == 0) mode = SAVE;
    else if (strcmp(argv[1], "up") == 0) mode = UP;
    else die("the mode is get, close, down, save or up");
    url = argv[2];
    long n = atol(argv[3]);
    int count = atoi(argv[4]);
    if (n < 1 || count < 1) die("N and C are at least 1");
    int has_file = mode == SAVE || mode == UP;
    if (has_file && count > 1) die("this mode has one connection");
    if (has_file && !getenv(mode == SAVE ? "SAVE" : "UPLOAD")) die("SAVE or UPLOAD names no file");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL **handles = calloc((size_t)count, sizeof *handles);
    struct body *bodies = calloc((size_t)count, sizeof *bodies);
    for (int i = 0; i < count; i++) handles[i] = make(&bodies[i]);
    CURLM *multi = count > 1 ? curl_multi_init() : NULL;
    if (multi) curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)count);

    int is_big = mode == DOWN || mode == SAVE;
    if (is_big) curl_easy_setopt(handles[0], CURLOPT_NOBODY, 1L);
    if (multi) run_several(multi, handles, bodies, count, 3L * count);
    else run_one(handles[0], &bodies[0], 3);
    if (errors) die("the warm-up failed");
    if (is_big) curl_easy_setopt(handles[0], CURLOPT_HTTPGET, 1L);
    /* Otherwise it would wait a second for a 100 response. */
    if (mode == UP) curl_easy_setopt(handles[0], CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect:"));

    received = 0;
    latencies = calloc((size_t)n, sizeof *latencies);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    double start = now();
    if (multi) run_several(multi, handles, bodies, count, n);
    else if (has_file) run_files(handles[0], &bodies[0], n);
    else run_one(handles[0], &bodies[0], n);
    double wall = now() - start;
    getrusage(RUSAGE_SELF, &after);

    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    double sys = seconds(after.ru_stime) - seconds(before.ru_stime);
    long good = n - errors;
    qsort(latencies, (size_t)good, sizeof *latencies, ascending);
    double p50 = good ? latencies[good / 2] : 0, p99 = good ? latencies[good * 99 / 100] : 0;
    printf("peer=libcurl-%s n=%ld c=%d wall_s=%.3f rps=%.0f p50_us=%.1f p99_us=%.1f user_us_per_req=%.2f "
           "sys_us_per_req=%.2f cpu_s=%.3f maxrss_kib=%ld bytes=%llu errors=%ld\n",
           argv[1], n, count, wall, (double)n / wall, p50 * 1e6, p99 * 1e6, user * 1e6 / (double)n,
           sys * 1e6 / (double)n, user + sys, after.ru_maxrss, received, errors);
    return errors ? 1 : 0;
}
