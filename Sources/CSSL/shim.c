#define _GNU_SOURCE
#include "CSSL.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

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
