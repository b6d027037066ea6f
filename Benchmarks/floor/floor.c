/* The least cost of any HTTP client: writing requests and reading responses, and nothing else.
 *
 *   floor MODE URL N C      MODE: get    keep-alive GET, N in total over C connections
 *                                 close  a new connection for each of N requests
 *                                 down   a big body, read and discarded
 *                                 save   a big body, written to the file SAVE with read and write
 *                                 splice the same with splice (plain only)
 *                                 up     PUT of the file UPLOAD; without TLS with sendfile
 *   floor sink PORT [CERTIFICATE KEY]
 *                         a server that reads and discards the bodies of requests, for mode up, with the
 *                         files over TLS; it answers GET /chunks with 1 MiB in chunks of 64 bytes
 *
 * It does not parse. It takes the length of the response from the first one and counts bytes from
 * then on; the server must send the same length every time. One connection blocks in read(2);
 * several wait in epoll. TLS runs OpenSSL over memory BIOs. CA=file trusts only that file, VERIFY=0
 * verifies nothing, and RESUME=1 resumes sessions in mode close.
 *
 * In the modes save and splice, a new file replaces SAVE when it is complete.
 *
 * After a warm-up of 3 requests per connection (HEAD for big bodies) it prints one line; times and
 * CPU are those of the N requests after the warm-up. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum state { CONNECTING, HANDSHAKING, WAITING };

struct connection {
    int fd;
    SSL *ssl;
    BIO *in, *out; /* bytes received and bytes to send; owned by ssl */
    enum state state;
    uint64_t got;  /* bytes of the response so far */
    double begun;
};

static enum { GET, CLOSE, DOWN, SAVE, SPLICE, UP } mode;
static int several; /* more than one connection: sockets do not block, epoll waits */
static char host[256], port[8] = "80", path[2048] = "/";
static char request[4096];
static size_t request_length;
static uint64_t answer_length, head_length;
static const char *save_path;
static int pipe_ends[2], upload = -1;
static off_t upload_length;
static struct addrinfo *address;
static SSL_CTX *tls;
static SSL_SESSION *session;
static int resume, epoll = -1;
static char *buffer;
static size_t buffer_size;

static double *latencies; /* NULL during the warm-up */
static long issued, finished, errors;
static uint64_t bytes;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what) {
    fprintf(stderr, "floor: %s: %s\n", what, errno ? strerror(errno) : "failed");
    if (tls) ERR_print_errors_fp(stderr);
    exit(1);
}

static void build_request(const char *method, int keep) {
    request_length = (size_t)snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: %s:%s\r\n%s\r\n",
                                      method, path, host, port, keep ? "" : "Connection: close\r\n");
}

static void build_upload(void) {
    request_length = (size_t)snprintf(request, sizeof request,
                                      "PUT %s HTTP/1.1\r\nHost: %s:%s\r\nContent-Length: %lld\r\n\r\n",
                                      path, host, port, (long long)upload_length);
}

static void parse_url(const char *url) {
    int secure = strncmp(url, "https://", 8) == 0;
    if (!secure && strncmp(url, "http://", 7) != 0) die("the URL must start with http:// or https://");
    const char *rest = url + (secure ? 8 : 7);
    size_t length = strcspn(rest, ":/");
    if (length == 0 || length >= sizeof host) die("no host in the URL");
    memcpy(host, rest, length);
    rest += length;
    if (secure) strcpy(port, "443");
    if (*rest == ':') {
        length = strcspn(++rest, "/");
        if (length == 0 || length >= sizeof port) die("no port after the colon");
        memcpy(port, rest, length);
        port[length] = 0;
        rest += length;
    }
    if (*rest) snprintf(path, sizeof path, "%s", rest);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    if (getaddrinfo(host, port, &hints, &address) != 0) die("unknown host");
    if (secure) tls = SSL_CTX_new(TLS_client_method());
}

static int keep_session(SSL *ssl, SSL_SESSION *fresh) {
    (void)ssl;
    if (session) SSL_SESSION_free(session);
    session = fresh;
    return 1;
}

static void configure_tls(void) {
    const char *ca = getenv("CA"), *verify = getenv("VERIFY");
    resume = getenv("RESUME") && strcmp(getenv("RESUME"), "1") == 0;
    SSL_CTX_set_read_ahead(tls, 1);
    if (verify && strcmp(verify, "0") == 0) return;
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
    if (ca ? !SSL_CTX_load_verify_locations(tls, ca, NULL) : !SSL_CTX_set_default_verify_paths(tls))
        die("CA");
}

static void attach_tls(struct connection *c) {
    c->ssl = SSL_new(tls);
    c->in = BIO_new(BIO_s_mem());
    c->out = BIO_new(BIO_s_mem());
    SSL_set_bio(c->ssl, c->in, c->out);
    SSL_set_connect_state(c->ssl);
    if (host[strspn(host, "0123456789.")] == 0) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(c->ssl), host);
    } else {
        SSL_set_tlsext_host_name(c->ssl, host);
        SSL_set1_host(c->ssl, host);
    }
    if (resume && session) SSL_set_session(c->ssl, session);
}

/* Writes the output of OpenSSL. It is small, so a full socket buffer counts as a failure. */
static int flush(struct connection *c) {
    char *start;
    long length = BIO_get_mem_data(c->out, &start);
    if (length <= 0) return 0;
    if (write(c->fd, start, (size_t)length) != length) return -1;
    (void)BIO_reset(c->out);
    return 0;
}

static int send_request(struct connection *c) {
    c->state = WAITING;
    c->got = 0;
    if (!c->ssl) return write(c->fd, request, request_length) == (ssize_t)request_length ? 0 : -1;
    if (SSL_write(c->ssl, request, (int)request_length) <= 0) return -1;
    return flush(c);
}

static int step_handshake(struct connection *c) {
    int result = SSL_do_handshake(c->ssl);
    if (flush(c) < 0) return -1;
    if (result == 1) return send_request(c);
    return SSL_get_error(c->ssl, result) == SSL_ERROR_WANT_READ ? 0 : -1;
}

static int connected(struct connection *c) {
    if (!c->ssl) return send_request(c);
    c->state = HANDSHAKING;
    return step_handshake(c);
}

static int open_connection(struct connection *c) {
    c->got = 0;
    c->ssl = NULL;
    c->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | (several ? SOCK_NONBLOCK : 0), 0);
    if (c->fd < 0) return -1;
    int yes = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (tls) attach_tls(c);
    c->state = CONNECTING;
    if (several) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event) < 0) return -1;
    }
    if (connect(c->fd, address->ai_addr, address->ai_addrlen) == 0) return connected(c);
    return several && errno == EINPROGRESS ? 0 : -1;
}

static void close_connection(struct connection *c) {
    if (c->ssl) {
        if (c->state == WAITING) {
            SSL_shutdown(c->ssl);
            (void)flush(c);
        }
        SSL_free(c->ssl);
        c->ssl = NULL;
    }
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

/* Reads available bytes; blocks if the socket does. 1: the response is complete, 0: it is not. */
static int pump(struct connection *c) {
    for (;;) {
        ssize_t count = read(c->fd, buffer, buffer_size);
        if (count < 0 && errno == EAGAIN) return 0;
        if (count <= 0) return -1;
        if (c->ssl) {
            if (BIO_write(c->in, buffer, (int)count) != count) return -1;
            if (c->state == HANDSHAKING && step_handshake(c) < 0) return -1;
            if (c->state == WAITING) {
                int plain;
                while ((plain = SSL_read(c->ssl, buffer, (int)buffer_size)) > 0) c->got += (uint64_t)plain;
                if (SSL_get_error(c->ssl, plain) != SSL_ERROR_WANT_READ && c->got < answer_length) return -1;
                if (flush(c) < 0) return -1;
            }
        } else {
            c->got += (uint64_t)count;
        }
        if (c->state == WAITING && c->got >= answer_length) return 1;
        if (several && (size_t)count < buffer_size) return 0;
    }
}

/* Sends one request on a separate connection and reads the length of the response from its head. */
static void learn(int with_body) {
    struct connection c = {.fd = -1};
    char head[65536];
    size_t length = 0;
    int wait = several;
    several = 0;
    if (open_connection(&c) < 0) die("connect");
    char *end = NULL;
    while (!end) {
        ssize_t count = read(c.fd, buffer, 4096);
        if (count <= 0) die("the first answer");
        if (c.ssl) {
            BIO_write(c.in, buffer, (int)count);
            if (c.state == HANDSHAKING && step_handshake(&c) < 0) die("TLS handshake");
            if (c.state != WAITING) continue;
            int plain = SSL_read(c.ssl, head + length, (int)(sizeof head - 1 - length));
            if (plain > 0) length += (size_t)plain;
        } else {
            if (length + (size_t)count >= sizeof head) die("the first head is too long");
            memcpy(head + length, buffer, (size_t)count);
            length += (size_t)count;
        }
        head[length] = 0;
        end = strstr(head, "\r\n\r\n");
    }
    if (strncmp(head, "HTTP/1.1 2", 10) != 0) die("the first answer is not a success");
    char *field = strcasestr(head, "\r\ncontent-length:");
    if (!field || field > end) die("the first answer has no Content-Length");
    answer_length = head_length = (uint64_t)(end + 4 - head);
    if (with_body) answer_length += strtoull(field + 17, NULL, 10);
    close_connection(&c);
    several = wait;
}

static int write_all(int file, const char *data, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, data, count);
        if (written <= 0) return -1;
        data += written;
        count -= (size_t)written;
    }
    return 0;
}

/* Reads a response with read(2) or SSL_read and writes its body. */
static int copy_body(struct connection *c, int file) {
    while (c->got < answer_length) {
        int count = c->ssl ? SSL_read(c->ssl, buffer, (int)buffer_size) : (int)read(c->fd, buffer, buffer_size);
        if (c->ssl && count <= 0) {
            if (SSL_get_error(c->ssl, count) != SSL_ERROR_WANT_READ) return -1;
            char *cipher = buffer + buffer_size;
            ssize_t length = read(c->fd, cipher, 64 * 1024);
            if (length <= 0 || BIO_write(c->in, cipher, (int)length) != length) return -1;
            continue;
        }
        if (count <= 0) return -1;
        /* The first read may contain the head. */
        size_t skipped = c->got >= head_length ? 0 : head_length - c->got;
        if (skipped > (size_t)count) skipped = (size_t)count;
        c->got += (uint64_t)count;
        if (write_all(file, buffer + skipped, (size_t)count - skipped) < 0) return -1;
    }
    return 0;
}

/* Moves the body of a response through a pipe. */
static int splice_body(struct connection *c, int file) {
    if (recv(c->fd, buffer, head_length, MSG_WAITALL) != (ssize_t)head_length) return -1;
    c->got = head_length;
    while (c->got < answer_length) {
        ssize_t count = splice(c->fd, NULL, pipe_ends[1], NULL, 1 << 20, SPLICE_F_MOVE);
        if (count <= 0) return -1;
        c->got += (uint64_t)count;
        while (count > 0) {
            ssize_t written = splice(pipe_ends[0], NULL, file, NULL, (size_t)count, SPLICE_F_MOVE);
            if (written <= 0) return -1;
            count -= written;
        }
    }
    return 0;
}

/* Receives one response into a new file that replaces SAVE. */
static int save_response(struct connection *c) {
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.part", save_path);
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return -1;
    int result = mode == SPLICE ? splice_body(c, file) : copy_body(c, file);
    close(file);
    return result < 0 || rename(temporary, save_path) < 0 ? -1 : 1;
}

/* A new TLS connection still has to shake hands and to send the request. */
static int finish_handshake(struct connection *c) {
    int result = 0;
    while (c->ssl && c->state == HANDSHAKING && result == 0) {
        ssize_t count = read(c->fd, buffer, buffer_size);
        result = count > 0 && BIO_write(c->in, buffer, (int)count) == count ? step_handshake(c) : -1;
    }
    return result;
}

static int send_upload(struct connection *c) {
    off_t offset = 0;
    if (finish_handshake(c) < 0) return -1;
    while (c->ssl && offset < upload_length) {
        ssize_t count = pread(upload, buffer, buffer_size, offset);
        if (count <= 0 || SSL_write(c->ssl, buffer, (int)count) != count || flush(c) < 0) return -1;
        offset += count;
    }
    while (offset < upload_length)
        if (sendfile(c->fd, upload, &offset, (size_t)(upload_length - offset)) <= 0) return -1;
    return 0;
}

/* Sends all bytes. */
static int send_all(int fd, SSL *ssl, const char *data, size_t length) {
    while (length > 0) {
        ssize_t count = ssl ? SSL_write(ssl, data, (int)length) : send(fd, data, length, MSG_NOSIGNAL);
        if (count <= 0) return -1;
        data += count;
        length -= (size_t)count;
    }
    return 0;
}

/* Writes a response with 1 MiB in chunks of 64 bytes into a new buffer. */
static char *chunked_answer(size_t *length) {
    char *answer = malloc(2 << 20), *end = answer;
    end += sprintf(end, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int chunk = 0; chunk < (1 << 20) / 64; chunk++) end += sprintf(end, "40\r\n%064d\r\n", chunk);
    end += sprintf(end, "0\r\n\r\n");
    *length = (size_t)(end - answer);
    return answer;
}

/* Serves one connection of mode sink: reads requests, discards their bodies, answers 200. */
static void serve_sink(int fd, SSL *ssl) {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    char head[65536];
    size_t size = 1 << 20, length = 0, chunked_length;
    char *scratch = malloc(size), *chunked = chunked_answer(&chunked_length);
    for (;;) {
        char *end;
        head[length] = 0;
        while (!(end = strstr(head, "\r\n\r\n"))) {
            size_t room = sizeof head - 1 - length;
            ssize_t count = ssl ? SSL_read(ssl, head + length, (int)room) : recv(fd, head + length, room, 0);
            if (count <= 0) return;
            length += (size_t)count;
            head[length] = 0;
        }
        char *field = strcasestr(head, "\r\ncontent-length:");
        uint64_t left = field && field < end ? strtoull(field + 17, NULL, 10) : 0;
        int is_chunked = strncmp(head, "GET /chunks ", 12) == 0;
        size_t extra = length - (size_t)(end + 4 - head);
        if (extra > left) extra = (size_t)left;
        size_t used = (size_t)(end + 4 - head) + extra;
        left -= extra;
        memmove(head, head + used, length - used);
        length -= used;
        while (left > 0) {
            size_t room = left < size ? (size_t)left : size;
            ssize_t count = ssl ? SSL_read(ssl, scratch, (int)room) : recv(fd, scratch, room, MSG_TRUNC);
            if (count <= 0) return;
            left -= (uint64_t)count;
        }
        if (is_chunked ? send_all(fd, ssl, chunked, chunked_length) : send_all(fd, ssl, answer, sizeof answer - 1)) return;
    }
}

static int run_sink(const char *number, const char *certificate, const char *key) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(number)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&local, sizeof local) < 0 || listen(listener, 128) < 0) die("sink");
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (certificate) {
        tls = SSL_CTX_new(TLS_server_method());
        SSL_CTX_set_read_ahead(tls, 1);
        SSL_CTX_set_default_read_buffer_len(tls, 64 * 1024);
        if (SSL_CTX_use_certificate_chain_file(tls, certificate) <= 0 ||
            SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) <= 0)
            die("certificate");
    }
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) continue;
        if (fork() == 0) {
            close(listener);
            SSL *ssl = tls ? SSL_new(tls) : NULL;
            if (!ssl || (SSL_set_fd(ssl, fd) && SSL_accept(ssl) > 0)) serve_sink(fd, ssl);
            _exit(0);
        }
        close(fd);
    }
}

static int begin(struct connection *c) {
    issued++;
    c->begun = now();
    return c->fd < 0 ? open_connection(c) : send_request(c);
}

static void end(struct connection *c, int whole) {
    if (whole) {
        if (latencies) latencies[finished - errors] = now() - c->begun;
        bytes += c->got;
    } else {
        errors++;
    }
    finished++;
    if (!whole || mode == CLOSE) close_connection(c);
}

static void run_one(struct connection *c, long n) {
    for (issued = finished = 0; finished < n;) {
        int result = begin(c);
        if (result == 0 && mode == UP && latencies) result = send_upload(c);
        if (result == 0 && (mode == SAVE || mode == SPLICE) && latencies) {
            result = finish_handshake(c);
            if (result == 0) result = save_response(c);
        }
        while (result == 0) result = pump(c);
        end(c, result > 0);
    }
}

static void run_several(struct connection *all, int count, long n) {
    struct epoll_event events[512];
    issued = finished = 0;
    for (int i = 0; i < count && issued < n; i++)
        if (begin(&all[i]) < 0) end(&all[i], 0);
    while (finished < n) {
        int ready = epoll_wait(epoll, events, 512, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (c->fd < 0) continue;
            int result = 0;
            if (c->state == CONNECTING && events[i].events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) {
                int failure = 0;
                socklen_t size = sizeof failure;
                getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &failure, &size);
                result = failure ? -1 : connected(c);
                if (result == 0 && !(events[i].events & EPOLLIN)) continue;
            }
            if (result == 0 && events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) result = pump(c);
            if (result == 0) continue;
            end(c, result > 0);
            while (issued < n && begin(c) < 0) end(c, 0);
        }
    }
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

int main(int argc, char **argv) {
    if ((argc == 3 || argc == 5) && strcmp(argv[1], "sink") == 0)
        return run_sink(argv[2], argc == 5 ? argv[3] : NULL, argc == 5 ? argv[4] : NULL);
    if (argc != 5) {
        fprintf(stderr, "usage: floor get|close|down|save|splice|up URL N C\n       floor sink PORT [CERTIFICATE KEY]\n");
        return 2;
    }
    if (strcmp(argv[1], "get") == 0) mode = GET;
    else if (strcmp(argv[1], "close") == 0) mode = CLOSE;
    else if (strcmp(argv[1], "down") == 0) mode = DOWN;
    else if (strcmp(argv[1], "save") == 0) mode = SAVE;
    else if (strcmp(argv[1], "splice") == 0) mode = SPLICE;
    else if (strcmp(argv[1], "up") == 0) mode = UP;
    else die("the mode is get, close, down, save, splice or up");
    long n = atol(argv[3]);
    int count = atoi(argv[4]);
    if (n < 1 || count < 1) die("N and C are at least 1");
    signal(SIGPIPE, SIG_IGN);
    parse_url(argv[2]);
    if (tls) configure_tls();
    several = count > 1;
    if (several && (epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) die("epoll");
    int is_big = mode == DOWN || mode == SAVE || mode == SPLICE;
    if ((is_big && mode != DOWN) || mode == UP) {
        if (several) die("this mode has one connection");
        if (tls && mode == SPLICE) die("this mode is plain");
    }
    if (mode == SAVE || mode == SPLICE) {
        if (!(save_path = getenv("SAVE"))) die("SAVE names no file");
        if (pipe2(pipe_ends, O_CLOEXEC) < 0 || fcntl(pipe_ends[0], F_SETPIPE_SZ, 1 << 20) < 0) die("pipe");
    }
    if (mode == UP) {
        struct stat status;
        upload = open(getenv("UPLOAD") ? getenv("UPLOAD") : "", O_RDONLY | O_CLOEXEC);
        if (upload < 0 || fstat(upload, &status) < 0) die("UPLOAD");
        upload_length = status.st_size;
    }
    buffer_size = is_big || mode == UP ? 64 * 1024 : 16 * 1024;
    /* TLS in mode save also needs space for ciphertext. */
    buffer = malloc(buffer_size + 64 * 1024);
    struct connection *all = calloc((size_t)count, sizeof *all);
    for (int i = 0; i < count; i++) all[i].fd = -1;

    build_request(is_big ? "HEAD" : "GET", mode != CLOSE);
    learn(!is_big);
    if (resume) {
        SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(tls, keep_session);
    }
    if (several) run_several(all, count, 3L * count);
    else run_one(&all[0], 3);
    if (errors) die("the warm-up");
    if (is_big) {
        build_request("GET", 1);
        learn(1);
    }
    if (mode == UP) build_upload();

    bytes = 0;
    latencies = calloc((size_t)n, sizeof *latencies);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    double start = now();
    if (several) run_several(all, count, n);
    else run_one(&all[0], n);
    double wall = now() - start;
    getrusage(RUSAGE_SELF, &after);

    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    double sys = seconds(after.ru_stime) - seconds(before.ru_stime);
    long good = n - errors;
    qsort(latencies, (size_t)good, sizeof *latencies, ascending);
    double p50 = good ? latencies[good / 2] : 0, p99 = good ? latencies[good * 99 / 100] : 0;
    printf("peer=floor-%s n=%ld c=%d wall_s=%.3f rps=%.0f p50_us=%.1f p99_us=%.1f user_us_per_req=%.2f "
           "sys_us_per_req=%.2f cpu_s=%.3f maxrss_kib=%ld bytes=%llu errors=%ld\n",
           argv[1], n, count, wall, (double)n / wall, p50 * 1e6, p99 * 1e6, user * 1e6 / (double)n,
           sys * 1e6 / (double)n, user + sys, after.ru_maxrss, (unsigned long long)(mode == UP ? (uint64_t)upload_length * (uint64_t)good : bytes), errors);
    return errors ? 1 : 0;
}
