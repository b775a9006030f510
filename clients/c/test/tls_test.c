/* Certificates that are renewed, with OpenSSL at both ends; the certificates are those of the conformance kit. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE 1

#include "check.h"
#include "relay.h"
#include "relay_openssl.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, PATH = 1024, FEW_TRIES = 5 };

static const uint8_t WELCOME[] = {0x80, 0,  0, 2, 0, 0, 0, 50,   0, 1, 1,    0,    0, 0, 0, 2, 0, 0, 0, 0,
                                  0,    0,  0, 9, 0, 0, 0, 0,    0, 0, 0,    1,    0, 0, 0, 0, 0, 0, 0, 0,
                                  0,    16, 0, 0, 0, 0, 3, 0xE8, 0, 0, 0x13, 0x88, 4, 0, 0, 0, 0, 0};

static const char *kit;
static char folder[] = "/tmp/relay-c-XXXXXX";
static int told[RELAY_CERTIFICATE + 1];
static int32_t last_days;

static void on_event(void *user, const relay_event *event) {
    (void)user;
    told[event->kind]++;
    last_days = event->kind == RELAY_CERTIFICATE ? event->days : last_days;
}

static const char *path_in(const char *where, const char *name) {
    static char paths[8][PATH];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH, "%s/%s", where, name);
    return path;
}

/* Puts a file of the kit in the place of another one. */
static void put(const char *from, const char *to) {
    char bytes[1 << 14];
    FILE *file = fopen(path_in(kit, from), "r");
    CHECK(file != NULL);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    file = fopen(path_in(folder, "draft"), "w");
    CHECK(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    CHECK_EQUAL(0, rename(path_in(folder, "draft"), path_in(folder, to)));
}

/* Welcomes each client that the certificates are good for. */
static void serve(int listener, bool asks) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    CHECK(context != NULL && SSL_CTX_use_certificate_chain_file(context, path_in(kit, "server.pem")) == 1 &&
          SSL_CTX_use_PrivateKey_file(context, path_in(kit, "server.key"), SSL_FILETYPE_PEM) == 1);
    if (asks) {
        CHECK_EQUAL(1, SSL_CTX_load_verify_locations(context, path_in(kit, "ca.pem"), NULL));
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    while (true) {
        int fd = accept(listener, NULL, NULL);
        SSL *session = SSL_new(context);
        uint8_t hello[512];
        SSL_set_fd(session, fd);
        if (SSL_accept(session) == 1 && SSL_read(session, hello, sizeof hello) > 0) {
            SSL_write(session, WELCOME, sizeof WELCOME);
        } else {
            /* The client reads the alert before the end. */
            shutdown(fd, SHUT_WR);
            while (read(fd, hello, sizeof hello) > 0) {
            }
        }
        SSL_free(session);
        close(fd);
    }
}

/* Turns the subscriber until it has told of this so often. */
static void until(relay_subscriber *s, relay_kind kind, int times) {
    relay_event e;
    memset(told, 0, sizeof told);
    while (told[kind] < times) {
        CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 5));
        CHECK_EQUAL(0, told[RELAY_GAVE_UP]);
    }
}

/* A change of authority, or of the client's own certificate: the files are bad for a while, and then good. */
static void test_renewed(bool client) {
    char address[64];
    const char *endpoint = address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof where;
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&where, length) == 0 && listen(listener, 8) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&where, &length) == 0);
    snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(where.sin_port));
    pid_t relay = fork();
    CHECK(relay >= 0);
    if (relay == 0) {
        signal(SIGPIPE, SIG_IGN);
        serve(listener, client);
    }
    put(client ? "ca.pem" : "other-ca.pem", "ca.pem");
    put("other-client.pem", "client.pem");
    put("other-client.key", "client.key");
    relay_openssl_options files = {.ca = path_in(folder, "ca.pem")};
    if (client) {
        files.certificate = path_in(folder, "client.pem");
        files.key = path_in(folder, "client.key");
    }
    relay_tls tls;
    relay_error error;
    CHECK(relay_openssl_begin(&tls, &files, error.text, sizeof error.text));
    relay_options o = relay_options_default();
    o.endpoints = &endpoint;
    o.endpoint_count = 1;
    o.on_event = on_event;
    o.reconnect = (relay_reconnect){-1, 1, 5, 0};
    o.tls = &tls;
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    CHECK(s != NULL);
    until(s, RELAY_LOST, FEW_TRIES + 2);
    CHECK(strstr(relay_subscriber_error(s)->text, "TLS with") != NULL);
    /* Half of a pair, and no file at all, are lost tries too. */
    put("client.key", "client.key");
    until(s, RELAY_LOST, FEW_TRIES + 2);
    CHECK_EQUAL(0, unlink(path_in(folder, "ca.pem")));
    until(s, RELAY_LOST, FEW_TRIES + 2);
    put("ca.pem", "ca.pem");
    put("client.pem", "client.pem");
    until(s, RELAY_CONNECTED, 1);
    relay_subscriber_close(s);
    relay_openssl_end(&tls);
    close(listener);
    kill(relay, SIGKILL);
    waitpid(relay, NULL, 0);
    CHECK_EQUAL(0, unlink(path_in(folder, "ca.pem")));
    CHECK(!relay_openssl_begin(&tls, &files, error.text, sizeof error.text));
}

/* The end of the client's own certificate, as the example reads it: one that has ended, and then none. */
static void test_certificate_ends(void) {
    char address[64] = "127.0.0.1:1";
    const char *endpoint = address;
    relay_error error;
    relay_event e;
    for (int own = 1; own >= 0; own--) {
        put("ca.pem", "ca.pem");
        put("expired.pem", "client.pem");
        put("expired.key", "client.key");
        relay_openssl_options files = {.ca = path_in(folder, "ca.pem")};
        if (own) {
            files.certificate = path_in(folder, "client.pem");
            files.key = path_in(folder, "client.key");
        }
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t length = sizeof where;
        CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&where, length) == 0 && listen(listener, 8) == 0);
        CHECK(getsockname(listener, (struct sockaddr *)&where, &length) == 0);
        snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(where.sin_port));
        relay_tls tls;
        CHECK(relay_openssl_begin(&tls, &files, error.text, sizeof error.text));
        relay_options o = relay_options_default();
        o.endpoints = &endpoint;
        o.endpoint_count = 1;
        o.on_event = on_event;
        o.reconnect = (relay_reconnect){-1, 1, 1, 0};
        o.tls = &tls;
        relay_subscriber *s = relay_subscriber_open(&o, &error);
        CHECK(s != NULL);
        memset(told, 0, sizeof told);
        /* A relay that ends each connection before TLS: the certificate is the same over all of them. */
        while (told[RELAY_LOST] < FEW_TRIES - 1) {
            CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 0));
            struct pollfd one = {listener, POLLIN, 0};
            if (poll(&one, 1, 1) == 1) {
                close(accept(listener, NULL, NULL));
            }
        }
        CHECK_EQUAL(own, told[RELAY_CERTIFICATE]);
        CHECK(!own || last_days <= 0);
        relay_subscriber_close(s);
        relay_openssl_end(&tls);
        close(listener);
    }
    CHECK_EQUAL(0, unlink(path_in(folder, "ca.pem")));
}

int main(int count, char **arguments) {
    kit = count > 1 ? arguments[1] : "";
    if (access(path_in(kit, "ca.pem"), R_OK) != 0) {
        printf("skipped: the kit's certificates are not here\n");
        return SKIPPED;
    }
    CHECK(mkdtemp(folder) != NULL);
    test_renewed(false);
    test_renewed(true);
    test_certificate_ends();
    unlink(path_in(folder, "client.pem"));
    unlink(path_in(folder, "client.key"));
    rmdir(folder);
    return 0;
}
