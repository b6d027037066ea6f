#define _GNU_SOURCE
#include "CSSL.h"

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

int cssl_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

int cssl_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

void cssl_CTX_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

void cssl_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

int cssl_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}

int cssl_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

int cssl_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

int cssl_set1_verify_cert_store(SSL *ssl, X509_STORE *store) {
    return (int)SSL_set1_verify_cert_store(ssl, store);
}

void cssl_BIO_set_retry_read(BIO *bio) {
    BIO_set_retry_read(bio);
}

void cssl_BIO_clear_retry_flags(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

void cssl_X509_stack_free(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

EVP_PKEY *cssl_EVP_EC_gen(const char *curve) {
    return EVP_EC_gen(curve);
}

EVP_PKEY *cssl_EVP_RSA_gen(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

const char *cssl_secure_getenv(const char *name) {
    return secure_getenv(name);
}
