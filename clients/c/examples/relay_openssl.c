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

typedef struct authority {
    SSL_CTX *context;
    char *server_name;
} authority;

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

static void *begin(void *context, int fd, const char *host, char *text, size_t size) {
    authority *it = context;
    host = it->server_name == NULL ? host : it->server_name;
    SSL *session = SSL_new(it->context);
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
        reason(text, size);
        return RELAY_TLS_FAILED;
    }
    snprintf(text, size, "the relay's certificate is refused: %s", X509_verify_cert_error_string(refusal));
    return RELAY_TLS_HOPELESS;
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

bool relay_openssl_begin(relay_tls *tls, const relay_openssl_options *options, char *text, size_t size) {
    *tls = (relay_tls){0};
    authority *it = calloc(1, sizeof *it);
    SSL_CTX *context = it == NULL ? NULL : SSL_CTX_new(TLS_client_method());
    if (context == NULL) {
        free(it);
        snprintf(text, size, "no memory for TLS");
        return false;
    }
    it->context = context;
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
    /* A relay that is killed sends no close_notify; the frames tell whether the stream is whole. */
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
#endif
    bool good = options->ca == NULL ? SSL_CTX_set_default_verify_paths(context) == 1
                                    : SSL_CTX_load_verify_locations(context, options->ca, NULL) == 1;
    if (good && options->certificate != NULL) {
        good = SSL_CTX_use_certificate_chain_file(context, options->certificate) == 1 && options->key != NULL &&
               SSL_CTX_use_PrivateKey_file(context, options->key, SSL_FILETYPE_PEM) == 1;
    }
    if (good && options->server_name != NULL) {
        it->server_name = malloc(strlen(options->server_name) + 1);
        good = it->server_name != NULL;
        if (good) {
            memcpy(it->server_name, options->server_name, strlen(options->server_name) + 1);
        }
    }
    if (!good) {
        reason(text, size);
        SSL_CTX_free(context);
        free(it);
        return false;
    }
    signal(SIGPIPE, SIG_IGN);
    *tls = (relay_tls){it, begin, handshake, read_some, write_some, end_output, free_session};
    return true;
}

void relay_openssl_end(relay_tls *tls) {
    authority *it = tls->context;
    if (it != NULL) {
        SSL_CTX_free(it->context);
        free(it->server_name);
        free(it);
    }
    *tls = (relay_tls){0};
}
