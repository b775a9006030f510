/* TLS for relay.h with OpenSSL 1.1.1 or later: TLS 1.3, the relay's name checked, a certificate of one's own. */
#ifndef RELAY_OPENSSL_H
#define RELAY_OPENSSL_H

#include "relay.h"

typedef struct relay_openssl_options {
    /* PEM file of the authorities that are trusted; NULL: the system's. */
    const char *ca;
    /* PEM files of the client's certificate chain and key; NULL: none. */
    const char *certificate;
    const char *key;
    /* Name or address in the relay's certificate; NULL: the host of the endpoint. */
    const char *server_name;
} relay_openssl_options;

/*
 * Fills tls, for the options of clients. Returns false, with the reason in text, if a file is unreadable. The files are
 * read again for each connection, so they may be renewed: one that is unreadable then, or a certificate that is expired or
 * not trusted, is a lost try. From then on the process ignores SIGPIPE, since OpenSSL writes with write(2).
 */
bool relay_openssl_begin(relay_tls *tls, const relay_openssl_options *options, char *text, size_t size);

/* After the clients that use tls are closed. */
void relay_openssl_end(relay_tls *tls);

#endif
