/* OpenSSL and the Linux calls that Swift's own modules do not show. */
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
 * accept4(2): visible only with _GNU_SOURCE, which breaks Swift's view of libc. Without the types of
 * sys/socket.h: included here, they would be this module's or Glibc's, by the order of compilation.
 */
int cssl_accept4(int fd, void *address, uint32_t *length, int flags);

/* OpenSSL macros, each under its own name; plain functions are called from Swift directly. */
static const uint64_t CSSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t CSSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t CSSL_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;
static const uint64_t CSSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t CSSL_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;

/* RFC 4514 text in UTF-8. */
static const unsigned long CSSL_NAME_FORM = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

int cssl_CTX_set_min_proto_version(SSL_CTX *context, int version);
int cssl_CTX_set_max_proto_version(SSL_CTX *context, int version);
void cssl_CTX_set_mode(SSL_CTX *context, long mode);
void cssl_CTX_set_session_cache_mode(SSL_CTX *context, long mode);
int cssl_CTX_set1_groups_list(SSL_CTX *context, const char *list);
int cssl_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate);
int cssl_set_tlsext_host_name(SSL *ssl, const char *name);
int cssl_set1_verify_cert_store(SSL *ssl, X509_STORE *store);
void cssl_BIO_set_retry_read(BIO *bio);
void cssl_BIO_clear_retry_flags(BIO *bio);
void cssl_X509_stack_free(STACK_OF(X509) *stack);
EVP_PKEY *cssl_EVP_EC_gen(const char *curve);
EVP_PKEY *cssl_EVP_RSA_gen(unsigned int bits);

// Not in the standard: glibc declares it for GNU sources only.
const char *cssl_secure_getenv(const char *name);

#endif
