#define _POSIX_C_SOURCE 200809L

#include "relay_openssl.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files, which are read for each connection. */
typedef struct files {
    char *ca;
    char *certificate;
    char *key;
    char *server_name;
} files;

/* The oldest error that OpenSSL has kept, as text. */
static void reason(char *text, size_t size) {
    unsigned long code = ERR_get_error();
    if (code == 0) {
        snprintf(text, size, "the connection ended");
    } else {
        ERR_error_string_n(code, text, size);
    }
    ERR_clear_error();
}

static bool is_address(const char *host) {
    unsigned char address[16];
    return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

/* Nobody is asked for the password of a key, at each connection. */
static int no_password(char *to, int size, int writes, void *user) {
    (void)to;
    (void)size;
    (void)writes;
    (void)user;
    return -1;
}

/* What the files hold now; NULL, with the reason in text: one cannot be read, or has something else. */
static SSL_CTX *read_files(const files *it, char *text, size_t size) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) {
        snprintf(text, size, "no memory for TLS");
        return NULL;
    }
    ERR_clear_error();
    SSL_CTX_set_default_passwd_cb(context, no_password);
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
    /* A relay that is killed sends no close_notify; the frames tell whether the stream is whole. */
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
#endif
    bool good = it->ca == NULL ? SSL_CTX_set_default_verify_paths(context) == 1
                               : SSL_CTX_load_verify_locations(context, it->ca, NULL) == 1;
    if (good && it->certificate != NULL) {
        /* The key last: it is compared with the certificate. */
        good = SSL_CTX_use_certificate_chain_file(context, it->certificate) == 1 && it->key != NULL &&
               SSL_CTX_use_PrivateKey_file(context, it->key, SSL_FILETYPE_PEM) == 1;
    }
    if (!good) {
        reason(text, size);
        SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

static void *begin(void *context, int fd, const char *host, char *text, size_t size) {
    const files *it = context;
    host = it->server_name == NULL ? host : it->server_name;
    SSL_CTX *now = read_files(it, text, size);
    if (now == NULL) {
        return NULL;
    }
    SSL *session = SSL_new(now);
    SSL_CTX_free(now);
    bool named = session != NULL &&
                 (is_address(host) ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
                                   : SSL_set1_host(session, host) == 1 && SSL_set_tlsext_host_name(session, host));
    if (!named || SSL_set_fd(session, fd) != 1) {
        reason(text, size);
        SSL_free(session);
        return NULL;
    }
    return session;
}

/* Whether the relay has refused this client's certificate, of which the oldest error that OpenSSL has kept tells. */
static bool is_refused(SSL *session) {
    if (SSL_get_certificate(session) == NULL || ERR_GET_LIB(ERR_peek_error()) != ERR_LIB_SSL) {
        return false;
    }
    switch (ERR_GET_REASON(ERR_peek_error())) {
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
            return true;
        default:
            return false;
    }
}

static int answer(SSL *session, int done, char *text, size_t size) {
    switch (SSL_get_error(session, done)) {
        case SSL_ERROR_WANT_READ:
            return RELAY_TLS_WANTS_READ;
        case SSL_ERROR_WANT_WRITE:
            return RELAY_TLS_WANTS_WRITE;
        case SSL_ERROR_ZERO_RETURN:
            return RELAY_TLS_END;
        default:
            break;
    }
    long refusal = SSL_get_verify_result(session);
    if (refusal == X509_V_OK) {
        bool renewable = is_refused(session);
        reason(text, size);
        return renewable ? RELAY_TLS_RENEWABLE : RELAY_TLS_FAILED;
    }
    snprintf(text, size, "the relay's certificate is refused: %s", X509_verify_cert_error_string(refusal));
    /* The certificate, or the file with its authority, may be renewed a moment later; a wrong name stays. */
    return refusal == X509_V_ERR_HOSTNAME_MISMATCH || refusal == X509_V_ERR_IP_ADDRESS_MISMATCH ? RELAY_TLS_HOPELESS
                                                                                                : RELAY_TLS_RENEWABLE;
}

static int handshake(void *session, char *text, size_t size) {
    ERR_clear_error();
    int done = SSL_connect(session);
    int came_to = done == 1 ? 1 : answer(session, done, text, size);
    return came_to == RELAY_TLS_END ? RELAY_TLS_FAILED : came_to;
}

static long read_some(void *session, void *bytes, size_t size, char *text, size_t text_size) {
    size_t n = 0;
    ERR_clear_error();
    return SSL_read_ex(session, bytes, size, &n) == 1 ? (long)n : answer(session, 0, text, text_size);
}

static long write_some(void *session, const void *bytes, size_t size, char *text, size_t text_size) {
    size_t n = 0;
    ERR_clear_error();
    return SSL_write_ex(session, bytes, size, &n) == 1 ? (long)n : answer(session, 0, text, text_size);
}

static void end_output(void *session) {
    ERR_clear_error();
    SSL_shutdown(session);
}

static void free_session(void *session) {
    SSL_free(session);
}

static char *copy_of(const char *text) {
    size_t length = text == NULL ? 0 : strlen(text) + 1;
    char *copy = text == NULL ? NULL : malloc(length);
    return copy == NULL ? NULL : memcpy(copy, text, length);
}

static void free_files(files *it) {
    if (it != NULL) {
        free(it->ca);
        free(it->certificate);
        free(it->key);
        free(it->server_name);
        free(it);
    }
}

/* In s since 1970. */
static int64_t certificate_ends(void *session) {
    const X509 *own = SSL_get_certificate(session);
    ASN1_TIME *epoch = own == NULL ? NULL : ASN1_TIME_set(NULL, 0);
    int days = 0;
    int seconds = 0;
    bool known = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(own)) == 1;
    ASN1_TIME_free(epoch);
    return known ? (int64_t)days * 86400 + seconds : INT64_MAX;
}

bool relay_openssl_begin(relay_tls *tls, const relay_openssl_options *options, char *text, size_t size) {
    *tls = (relay_tls){0};
    files *it = malloc(sizeof *it);
    if (it == NULL) {
        snprintf(text, size, "no memory for TLS");
        return false;
    }
    *it = (files){copy_of(options->ca), copy_of(options->certificate), copy_of(options->key),
                  copy_of(options->server_name)};
    bool copied =
        (it->ca == NULL) == (options->ca == NULL) && (it->certificate == NULL) == (options->certificate == NULL) &&
        (it->key == NULL) == (options->key == NULL) && (it->server_name == NULL) == (options->server_name == NULL);
    if (!copied) {
        snprintf(text, size, "no memory for TLS");
    }
    SSL_CTX *now = copied ? read_files(it, text, size) : NULL;
    if (now == NULL) {
        free_files(it);
        return false;
    }
    SSL_CTX_free(now);
    signal(SIGPIPE, SIG_IGN);
    *tls = (relay_tls){it, begin, handshake, read_some, write_some, end_output, free_session, certificate_ends};
    return true;
}

void relay_openssl_end(relay_tls *tls) {
    free_files(tls->context);
    *tls = (relay_tls){0};
}
