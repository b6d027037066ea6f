#define _GNU_SOURCE
#include "CSSL.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/*
 * The first use of OpenSSL registers an exit handler that frees its locks and tables, unless that use
 * disables it. The handler runs while other threads are still running: an event loop in the middle of a
 * handshake would crash the exiting process. The system frees the memory at exit anyway. This function
 * runs when the program is loaded, so that no other code of the package can use OpenSSL first.
 */
__attribute__((constructor)) static void cssl_leave_exit_alone(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

int cssl_accept4(int fd, void *address, uint32_t *length, int flags) {
    return accept4(fd, address, length, flags);
}

const char *cssl_secure_getenv(const char *name) {
    return secure_getenv(name);
}

int cssl_preallocate(int fd, int64_t size) {
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
}

int cssl_rename_new(const char *path, const char *other) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_NOREPLACE);
}

int64_t cssl_sendfile(int socket, int file, int64_t offset, uint64_t count) {
    sigset_t broken_pipe, mask, pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &mask);
    /* A signal that was pending before belongs to other code. */
    int keeps = sigismember(&mask, SIGPIPE) == 1 && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    off_t position = offset;
    ssize_t sent = sendfile(socket, file, &position, count);
    int error = errno;
    /* The signal may also come with a short count. */
    if (!keeps && (sent < 0 || (uint64_t)sent < count)) {
        const struct timespec no_time = {0, 0};
        while (sigtimedwait(&broken_pipe, NULL, &no_time) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = error;
    return sent;
}

int cssl_is_cached(int file, int64_t offset) {
    char byte;
    struct iovec part = {&byte, 1};
    return preadv2(file, &part, 1, offset, RWF_NOWAIT) >= 0;
}

int64_t cssl_file_system(int file) {
    struct statfs system;
    return fstatfs(file, &system) == 0 ? (int64_t)system.f_type : -1;
}

int cssl_pipe(int *ends, int capacity) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    /* Fails above the limit of the user; the pipe then keeps its default size. */
    int size = fcntl(ends[1], F_SETPIPE_SZ, capacity);
    return size > 0 ? size : fcntl(ends[1], F_GETPIPE_SZ);
}

int64_t cssl_splice_from(int socket, int pipe, uint64_t count) {
    return splice(socket, NULL, pipe, NULL, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

int64_t cssl_splice_to(int pipe, int file, int64_t offset, uint64_t count) {
    off64_t position = offset;
    return splice(pipe, NULL, file, &position, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

int64_t cssl_copy_range(int source, int64_t from, int target, int64_t to, uint64_t count) {
    off64_t input = from, output = to;
    return copy_file_range(source, &input, target, &output, count, 0);
}
