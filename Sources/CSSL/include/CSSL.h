/* OpenSSL, and the Linux calls that Swift's own modules do not export. */
#ifndef CSSL_H
#define CSSL_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/pkcs12.h>

/*
 * accept4(2) is declared only with _GNU_SOURCE, which breaks Swift's import of libc. The declaration
 * avoids the types of sys/socket.h: if this header included them, they would belong to this module or
 * to Glibc, depending on the order of compilation.
 */
int cssl_accept4(int fd, void *address, uint32_t *length, int flags);

/*
 * sendfile(2) to a socket, from an offset of a file. The call has no MSG_NOSIGNAL: this function blocks
 * SIGPIPE meanwhile, and takes the signal of a closed connection.
 */
int64_t cssl_sendfile(int socket, int file, int64_t offset, uint64_t count);

/* Whether the byte of a file can be read without waiting for a disk; 0 if the file system cannot tell. */
int cssl_is_cached(int file, int64_t offset);

/* The type of the file system of a file (f_type of fstatfs(2)); -1 with errno if it is unknown. */
int64_t cssl_file_system(int file);

/* Creates a pipe that never blocks, close-on-exec; returns its capacity, or -1 with errno. */
int cssl_pipe(int *ends, int capacity);

/* splice(2) from a socket to a pipe, and from a pipe to an offset of a file. */
int64_t cssl_splice_from(int socket, int pipe, uint64_t count);
int64_t cssl_splice_to(int pipe, int file, int64_t offset, uint64_t count);

/* copy_file_range(2) between two files. */
int64_t cssl_copy_range(int source, int64_t from, int target, int64_t to, uint64_t count);

/*
 * OpenSSL macros under their own names with a prefix: constants, and inline functions. Swift calls the
 * plain functions directly.
 */
static const uint64_t CSSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t CSSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t CSSL_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;
static const uint64_t CSSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t CSSL_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;

/* The flags for RFC 4514 text in UTF-8. */
static const unsigned long CSSL_NAME_FORM = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

static inline int cssl_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int cssl_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

static inline void cssl_CTX_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void cssl_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int cssl_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}

static inline int cssl_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int cssl_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int cssl_set1_verify_cert_store(SSL *ssl, X509_STORE *store) {
    return (int)SSL_set1_verify_cert_store(ssl, store);
}

static inline void cssl_BIO_set_retry_read(BIO *bio) {
    BIO_set_retry_read(bio);
}

static inline void cssl_BIO_clear_retry_flags(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

static inline void cssl_X509_stack_free(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

static inline EVP_PKEY *cssl_EVP_EC_gen(const char *curve) {
    return EVP_EC_gen(curve);
}

static inline EVP_PKEY *cssl_EVP_RSA_gen(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

// secure_getenv(3) is not standard: glibc declares it only with _GNU_SOURCE.
const char *cssl_secure_getenv(const char *name);

// fallocate(2) with FALLOC_FL_KEEP_SIZE, and renameat2(2) with RENAME_NOREPLACE, which need _GNU_SOURCE.
int cssl_preallocate(int fd, int64_t size);
int cssl_rename_new(const char *path, const char *other);

#endif
