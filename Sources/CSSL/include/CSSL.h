/* OpenSSL and the Linux calls that Swift's own modules do not show. */
#ifndef CSSL_H
#define CSSL_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

/* accept4(2): visible only with _GNU_SOURCE, which breaks Swift's view of libc. */
int cssl_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

#endif
