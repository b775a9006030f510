/* Tests with sockets, through relay.h alone: a relay of a few lines in this thread, beside a loop of one's own. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE 1

#include "check.h"
#include "relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Only a hang takes so long. */
enum { DEADLINE_MS = 60000 };

static const uint8_t WELCOME[] = {0x80, 0,  0, 2, 0, 0, 0, 50,   0, 1, 1,    0,    0, 0, 0, 3, 0, 0, 0, 0,
                                  0,    0,  0, 9, 0, 0, 0, 0,    0, 0, 0,    1,    0, 0, 0, 0, 0, 0, 0, 0,
                                  0,    16, 0, 0, 0, 0, 3, 0xE8, 0, 0, 0x13, 0x88, 4, 0, 0, 0, 0, 0};
enum { NEXT_OF_WELCOME = 8 + 16, HEARTBEAT_OF_WELCOME = 8 + 36 };

static char address[64];
static const char *endpoint = address;
static int told[RELAY_CERTIFICATE + 1];
/* Connections that were lost because the relay did not know the token. */
static int not_authenticated;

static void on_event(void *user, const relay_event *event) {
    (void)user;
    told[event->kind]++;
    not_authenticated += event->kind == RELAY_LOST && event->code == 28 ? 1 : 0;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int listen_on_loopback(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof where;
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&where, length) == 0 && listen(fd, 8) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&where, &length) == 0);
    snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(where.sin_port));
    return fd;
}

static relay_options options_of_tests(void) {
    relay_options o = relay_options_default();
    o.endpoints = &endpoint;
    o.endpoint_count = 1;
    o.on_event = on_event;
    o.reconnect = (relay_reconnect){-1, 1, 5, 0.5};
    memset(told, 0, sizeof told);
    return o;
}

/* Turns the subscriber until the listening socket has its connection. */
static int accept_from(int listener, relay_subscriber *s, relay_publisher *p) {
    int64_t deadline = now_ms() + DEADLINE_MS;
    while (true) {
        struct pollfd one = {listener, POLLIN, 0};
        relay_event e;
        if (s != NULL) {
            CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 0));
        } else {
            CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
        }
        if (poll(&one, 1, 1) == 1) {
            return accept(listener, NULL, NULL);
        }
        CHECK(now_ms() < deadline);
    }
}

static void receive(int fd, uint8_t *to, size_t length) {
    for (size_t got = 0; got < length;) {
        struct pollfd one = {fd, POLLIN, 0};
        CHECK_EQUAL(1, poll(&one, 1, DEADLINE_MS));
        ssize_t n = recv(fd, to + got, length - got, 0);
        CHECK(n > 0);
        got += (size_t)n;
    }
}

static void send_all(int fd, const void *bytes, size_t length) {
    CHECK_EQUAL(length, send(fd, bytes, length, MSG_NOSIGNAL));
}

/* Takes HELLO; returns the low byte of its number. */
static int take_hello(int fd) {
    uint8_t hello[512];
    receive(fd, hello, 8);
    CHECK_EQUAL(1, hello[3]);
    CHECK(hello[7] < 200 && hello[6] == 0);
    receive(fd, hello + 8, hello[7]);
    return hello[8 + 31];
}

static void welcome(int fd, int next) {
    uint8_t frame[sizeof WELCOME];
    memcpy(frame, WELCOME, sizeof frame);
    frame[NEXT_OF_WELCOME + 7] = (uint8_t)next;
    send_all(fd, frame, sizeof frame);
}

/* Waits with the client's own hints, as a loop with other sockets would. */
static relay_result next_in_a_loop(relay_subscriber *s, relay_event *e) {
    int64_t deadline = now_ms() + DEADLINE_MS;
    relay_result done;
    while ((done = relay_subscriber_next(s, e, 0)) == RELAY_NOTHING) {
        struct pollfd one = {relay_subscriber_fd(s), relay_subscriber_events(s), 0};
        poll(&one, 1, relay_subscriber_wait_ms(s));
        CHECK(now_ms() < deadline);
    }
    return done;
}

static void test_subscriber(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    relay_error error;
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    CHECK(s != NULL);
    static const uint8_t MESSAGE[] = {0, 0, 0, 7, 0, 0, 0, 2, 'h', 'i'};
    for (int next = 1; next < 20; next++) {
        int fd = accept_from(listener, s, NULL);
        CHECK_EQUAL(next == 1 ? 0 : next, take_hello(fd));
        welcome(fd, next);
        send_all(fd, MESSAGE, sizeof MESSAGE);
        /* The connection ends within the next message. */
        send_all(fd, MESSAGE, (size_t)next % sizeof MESSAGE);
        close(fd);
        relay_event e;
        CHECK_EQUAL(RELAY_OK, next_in_a_loop(s, &e));
        CHECK_EQUAL(RELAY_MESSAGE, e.kind);
        CHECK_EQUAL(next, e.sequence);
    }
    CHECK_EQUAL(19, told[RELAY_CONNECTED]);
    CHECK_EQUAL(0, told[RELAY_GAVE_UP]);
    relay_subscriber_close(s);
    close(listener);
}

/* A publisher whose relay takes nothing: its buffer fills, it says so, and close is bounded. */
static void test_full(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    o.max_body = 1000;
    o.buffer = 4 * 1008;
    o.acks = true;
    o.name = "full";
    o.close_timeout_ms = 50;
    relay_error error;
    relay_publisher *p = relay_publisher_open(&o, &error);
    CHECK(p != NULL);
    static const uint8_t BODY[1000];
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, i, BODY, sizeof BODY, 0));
    }
    CHECK_EQUAL(RELAY_FULL, relay_publisher_publish(p, 4, BODY, sizeof BODY, 0));
    CHECK_EQUAL(RELAY_FULL, relay_publisher_publish(p, 4, BODY, sizeof BODY, 20));
    int fd = accept_from(listener, NULL, p);
    take_hello(fd);
    welcome(fd, 1);
    static const uint8_t ACK[] = {0x80, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2};
    static uint8_t frames[4 * 1008];
    int64_t deadline = now_ms() + DEADLINE_MS;
    while (told[RELAY_CONNECTED] == 0) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 1));
        CHECK(now_ms() < deadline);
    }
    receive(fd, frames, sizeof frames);
    send_all(fd, ACK, sizeof ACK);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 4, BODY, sizeof BODY, DEADLINE_MS));
    CHECK_EQUAL(1, told[RELAY_ACKED]);
    CHECK_EQUAL(2, relay_publisher_count(p).settled);
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 10));
    CHECK_EQUAL(3, relay_publisher_close(p, &error));
    CHECK_EQUAL(RELAY_RETRY, error.kind);
    close(fd);
    close(listener);
}

/* Turns the publisher as a loop with other sockets would, until the relay's end has so many bytes. */
static void receive_in_a_loop(relay_publisher *p, int fd, uint8_t *to, size_t length) {
    int64_t deadline = now_ms() + DEADLINE_MS;
    for (size_t got = 0; got < length;) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
        struct pollfd both[2] = {{relay_publisher_fd(p), relay_publisher_events(p), 0}, {fd, POLLIN, 0}};
        poll(both, 2, relay_publisher_wait_ms(p));
        ssize_t n = both[1].revents == 0 ? 0 : recv(fd, to + got, length - got, 0);
        CHECK(n > 0 || both[1].revents == 0);
        got += (size_t)n;
        CHECK(now_ms() < deadline);
    }
}

static relay_result flush_in_a_loop(relay_publisher *p) {
    int64_t deadline = now_ms() + DEADLINE_MS;
    relay_result done;
    while ((done = relay_publisher_flush(p, 0)) == RELAY_NOTHING) {
        struct pollfd one = {relay_publisher_fd(p), relay_publisher_events(p), 0};
        poll(&one, 1, relay_publisher_wait_ms(p));
        CHECK(now_ms() < deadline);
    }
    return done;
}

enum { HELLO_LENGTH = 50, MESSAGE_LENGTH = 10, PING_LENGTH = 32 };

/* The connection of a publisher without acknowledgements, behind its WELCOME. */
static int welcome_without_acks(int listener, relay_publisher *p, uint8_t heartbeat_ms) {
    int fd = accept_from(listener, NULL, p);
    uint8_t hello[HELLO_LENGTH];
    receive_in_a_loop(p, fd, hello, sizeof hello);
    uint8_t frame[sizeof WELCOME];
    memcpy(frame, WELCOME, sizeof frame);
    frame[HEARTBEAT_OF_WELCOME + 2] = 0;
    frame[HEARTBEAT_OF_WELCOME + 3] = heartbeat_ms;
    send_all(fd, frame, sizeof frame);
    return fd;
}

static void answer(int fd, const uint8_t *ping) {
    CHECK(memcmp(ping, "\200\0\0\4\0\0\0\30", 8) == 0);
    uint8_t pong[16] = {0x80, 0, 0, 5, 0, 0, 0, 8};
    memcpy(pong + 8, ping + 8, 8);
    send_all(fd, pong, sizeof pong);
}

/* Without acknowledgements, in a loop: the loop's waits end when a PING is due, and flush asks for one at once. */
static void test_confirmed(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    o.close_timeout_ms = 10 * DEADLINE_MS;
    relay_error error;
    relay_publisher *p = relay_publisher_open(&o, &error);
    CHECK(p != NULL);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, DEADLINE_MS));
    int fd = welcome_without_acks(listener, p, 100);
    uint8_t frames[MESSAGE_LENGTH + PING_LENGTH];
    receive_in_a_loop(p, fd, frames, sizeof frames);
    answer(fd, frames + MESSAGE_LENGTH);
    CHECK_EQUAL(RELAY_OK, flush_in_a_loop(p));
    CHECK_EQUAL(1, relay_publisher_count(p).confirmed);
    close(fd);

    /* This time only flush asks. A call that waits does the same as one of a loop. */
    while (told[RELAY_LOST] == 0) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 1));
    }
    CHECK_EQUAL(0, told[RELAY_IN_DOUBT]);
    fd = welcome_without_acks(listener, p, 255);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, DEADLINE_MS));
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 10));
    receive_in_a_loop(p, fd, frames, sizeof frames);
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 10));
    answer(fd, frames + MESSAGE_LENGTH);
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, DEADLINE_MS));

    /* What a lost connection leaves in doubt is told once. */
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, DEADLINE_MS));
    receive(fd, frames, MESSAGE_LENGTH);
    close(fd);
    CHECK_EQUAL(RELAY_DOUBT, flush_in_a_loop(p));
    CHECK(strstr(relay_publisher_error(p)->text, "3 sent, 1 in doubt") != NULL);
    CHECK_EQUAL(1, told[RELAY_IN_DOUBT]);
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, DEADLINE_MS));

    /* Close does not wait for what is there, nor for a connection that is lost. */
    fd = welcome_without_acks(listener, p, 255);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, DEADLINE_MS));
    while (relay_publisher_count(p).settled < 4) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 10));
    }
    close(fd);
    CHECK_EQUAL(1, relay_publisher_close(p, &error));
    CHECK_EQUAL(RELAY_RETRY, error.kind);
    CHECK(strstr(error.text, "4 sent, 1 in doubt") != NULL);
    close(listener);
}

#ifdef TCP_KEEPIDLE
static int option_of(int fd, int level, int option) {
    int value = -1;
    socklen_t length = sizeof value;
    CHECK_EQUAL(0, getsockopt(fd, level, option, &value, &length));
    return value;
}

/* A peer that is cut off is noticed without traffic; by a plain publisher also while it writes. */
static void test_keep_alive_of_tcp(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    o.plain = true;
    relay_subscriber *s = relay_subscriber_open(&o, NULL);
    relay_publisher *p = relay_publisher_open(&o, NULL);
    CHECK(s != NULL && p != NULL);
    close(accept_from(listener, s, NULL));
    int of_publisher = accept_from(listener, NULL, p);
    int fds[2] = {relay_subscriber_fd(s), relay_publisher_fd(p)};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(1, option_of(fds[i], SOL_SOCKET, SO_KEEPALIVE));
        CHECK_EQUAL(15, option_of(fds[i], IPPROTO_TCP, TCP_KEEPIDLE));
        CHECK_EQUAL(5, option_of(fds[i], IPPROTO_TCP, TCP_KEEPINTVL));
        CHECK_EQUAL(3, option_of(fds[i], IPPROTO_TCP, TCP_KEEPCNT));
#ifdef TCP_USER_TIMEOUT
        CHECK_EQUAL(i == 0 ? 0 : 30000, option_of(fds[i], IPPROTO_TCP, TCP_USER_TIMEOUT));
#endif
    }
    relay_subscriber_close(s);
    close(of_publisher);
    relay_publisher_close(p, NULL);
    close(listener);
}
#endif

#if defined(__linux__) && defined(TCP_CONGESTION)
enum { CONGESTION_SIZE = 16 };

static const char *congestion_of(int fd, char name[CONGESTION_SIZE]) {
    socklen_t length = CONGESTION_SIZE;
    memset(name, 0, CONGESTION_SIZE);
    CHECK_EQUAL(0, getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length));
    return name;
}

/* A publisher's connection, and the next one after a cut, have this congestion control. */
static void check_congestion(const char *given, const char *expected) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    o.plain = true;
    o.local_congestion = given;
    relay_publisher *p = relay_publisher_open(&o, NULL);
    CHECK(p != NULL);
    char name[CONGESTION_SIZE];
    int lost = 0;
    for (int i = 0; i < 2; i++) {
        int fd = accept_from(listener, NULL, p);
        CHECK(strcmp(congestion_of(relay_publisher_fd(p), name), expected) == 0);
        close(fd);
        for (lost++; told[RELAY_LOST] < lost;) {
            CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 1));
        }
    }
    close(listener);
    relay_publisher_close(p, NULL);
}

/* What a socket has that nobody has touched, and one that was asked for these names in turn. */
static void test_congestion_to_this_host(void) {
    char system[CONGESTION_SIZE];
    char automatic[CONGESTION_SIZE];
    int listener = listen_on_loopback();
    struct sockaddr_in where;
    socklen_t length = sizeof where;
    CHECK_EQUAL(0, getsockname(listener, (struct sockaddr *)&where, &length));
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQUAL(0, connect(fd, (struct sockaddr *)&where, length));
    congestion_of(fd, system);
    if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4) != 0) {
        printf("skipped: the system lets nobody choose a congestion control\n");
        close(fd);
        close(listener);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    congestion_of(fd, automatic);
    close(fd);
    close(listener);

    check_congestion("reno", "reno");
    check_congestion("system", system);
    check_congestion("auto", automatic);
    check_congestion(NULL, automatic);

    static const char *const UNKNOWN[] = {"nonesuch", "", "renorenorenorenoreno"};
    relay_options o = options_of_tests();
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
        relay_error error;
        o.local_congestion = UNKNOWN[i];
        CHECK(relay_publisher_open(&o, &error) == NULL);
        CHECK_EQUAL(RELAY_YOURS, error.kind);
        CHECK(strstr(error.text, UNKNOWN[i]) != NULL);
    }
}
#endif

/* Over a Unix socket, without acknowledgements: close hands over everything, and hears the relay's last word. */
static void test_unix_socket(void) {
    char path[] = "/tmp/relay-c-XXXXXX";
    CHECK(mkdtemp(path) != NULL);
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    snprintf(where.sun_path, sizeof where.sun_path, "%s/socket", path);
    char text[128];
    snprintf(text, sizeof text, "unix:%s/socket", path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&where, sizeof where) == 0 && listen(listener, 8) == 0);
    relay_options o = options_of_tests();
    const char *there = text;
    o.endpoints = &there;
    o.plain = true;
    relay_error error;
    relay_publisher *p = relay_publisher_open(&o, &error);
    CHECK(p != NULL);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, DEADLINE_MS));
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, DEADLINE_MS));
    int fd = accept(listener, NULL, NULL);
    uint8_t frame[10];
    receive(fd, frame, sizeof frame);
    CHECK(memcmp(frame, "\0\0\0\7\0\0\0\2hi", 10) == 0);
    static const uint8_t NOT_PERMITTED[] = {0x80, 0, 0, 9, 0, 0, 0, 4, 0, 29, 'n', 'o'};
    send_all(fd, NOT_PERMITTED, sizeof NOT_PERMITTED);
    close(fd);
    CHECK_EQUAL(0, relay_publisher_close(p, &error));
    CHECK_EQUAL(29, error.code);
    CHECK_EQUAL(RELAY_FATAL, error.kind);
    close(listener);
    unlink(where.sun_path);
    rmdir(path);
}

static void test_producer_file(void) {
    char folder[] = "/tmp/relay-c-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    char path[64];
    snprintf(path, sizeof path, "%s/id", folder);
    snprintf(address, sizeof address, "127.0.0.1:1");
    relay_options o = options_of_tests();
    o.acks = true;
    o.name = "file";
    o.producer_file = path;
    relay_error error;
    relay_publisher *first = relay_publisher_open(&o, &error);
    relay_publisher *second = relay_publisher_open(&o, &error);
    CHECK(first != NULL && second != NULL);
    CHECK_EQUAL(32, strlen(relay_publisher_producer(first)));
    CHECK_EQUAL(0, strcmp(relay_publisher_producer(first), relay_publisher_producer(second)));
    CHECK_EQUAL(0, relay_publisher_close(first, NULL));
    CHECK_EQUAL(0, relay_publisher_close(second, NULL));
    struct stat about;
    CHECK_EQUAL(0, stat(path, &about));
    CHECK_EQUAL(0600, about.st_mode & 0777);
    /* A full disk leaves no file that nobody can read later. */
    unlink(path);
    struct rlimit limit;
    CHECK_EQUAL(0, getrlimit(RLIMIT_FSIZE, &limit));
    struct rlimit full = {0, limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQUAL(0, setrlimit(RLIMIT_FSIZE, &full));
    CHECK(relay_publisher_open(&o, &error) == NULL);
    CHECK_EQUAL(0, setrlimit(RLIMIT_FSIZE, &limit));
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    CHECK(stat(path, &about) != 0);
    CHECK(relay_publisher_close(relay_publisher_open(&o, &error), NULL) == 0 && error.kind == RELAY_OK);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs("anything else\n", file) >= 0 && fclose(file) == 0);
    CHECK(relay_publisher_open(&o, &error) == NULL);
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    unlink(path);
    /* Nothing else was left there. */
    CHECK_EQUAL(0, rmdir(folder));
}

/* Takes HELLO with a token, its last field; returns whether it is this one. */
static bool has_token(int fd, const char *token) {
    uint8_t hello[512];
    receive(fd, hello, 8);
    size_t length = (size_t)hello[6] << 8 | hello[7];
    CHECK(hello[3] == 1 && length < sizeof hello);
    receive(fd, hello, length);
    size_t given = strlen(token);
    return length > given && hello[length - given - 1] == given && memcmp(hello + length - given, token, given) == 0;
}

/* The next connection has this token, which the relay does not know. */
static void refuse_token(int listener, relay_subscriber *s, const char *token) {
    int fd = accept_from(listener, s, NULL);
    CHECK(has_token(fd, token));
    static const uint8_t NOT_AUTHENTICATED[] = {0x80, 0, 0, 9, 0, 0, 0, 2, 0, 28};
    int before = not_authenticated;
    send_all(fd, NOT_AUTHENTICATED, sizeof NOT_AUTHENTICATED);
    relay_event e;
    while (not_authenticated == before) {
        CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 1));
    }
    close(fd);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Accepts until HELLO has this token. */
static void accept_with(int listener, relay_subscriber *s, const char *token) {
    bool found = false;
    while (!found) {
        int fd = accept_from(listener, s, NULL);
        found = has_token(fd, token);
        close(fd);
    }
}

/* Ends what the subscriber connects to, until it has lost a try with this text. */
static void lose_try(int listener, relay_subscriber *s, const char *why) {
    int64_t deadline = now_ms() + DEADLINE_MS;
    while (strstr(relay_subscriber_error(s)->text, why) == NULL) {
        relay_event e;
        struct pollfd one = {listener, POLLIN, 0};
        CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 1));
        if (poll(&one, 1, 0) == 1) {
            close(accept(listener, NULL, NULL));
        }
        CHECK(now_ms() < deadline);
    }
}

/* The file is read for each connection, and may be renewed, or be missing for a while. */
static void test_token_file(void) {
    char path[] = "/tmp/relay-c-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    unlink(path);
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    o.token_file = path;
    relay_error error;
    CHECK(relay_subscriber_open(&o, &error) == NULL);
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    CHECK(strstr(error.text, path) != NULL);
    write_file(path, "");
    CHECK(relay_subscriber_open(&o, &error) == NULL);
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    write_file(path, "old\n");
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    CHECK(s != NULL);
    refuse_token(listener, s, "old");
    unlink(path);
    lose_try(listener, s, "token in ");
    write_file(path, "new\r\n");
    accept_with(listener, s, "new");
    relay_subscriber_close(s);
    o.token = "twice";
    CHECK(relay_subscriber_open(&o, &error) == NULL);
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    unlink(path);
    close(listener);
}

static int calls;

static bool token_of_call(void *user, char *token, size_t size, char *text, size_t text_size) {
    (void)user;
    calls++;
    snprintf(token, size, "token %d", calls);
    snprintf(text, text_size, "sealed");
    return calls != 1 && calls != 4;
}

/* A function is asked at the open, and for each connection. */
static void test_token_call(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    o.token_call = token_of_call;
    relay_error error;
    CHECK(relay_subscriber_open(&o, &error) == NULL);
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    CHECK(strstr(error.text, "sealed") != NULL);
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    CHECK(s != NULL);
    refuse_token(listener, s, "token 3");
    lose_try(listener, s, "sealed");
    accept_with(listener, s, "token 5");
    relay_subscriber_close(s);
    close(listener);
}

static relay_subscriber *woken_subscriber;
static relay_publisher *woken_publisher;
static volatile sig_atomic_t signals;

static void on_alarm(int number) {
    (void)number;
    signals++;
    if (woken_subscriber != NULL) {
        relay_subscriber_wake(woken_subscriber);
    }
    if (woken_publisher != NULL) {
        relay_publisher_wake(woken_publisher);
    }
}

static void alarm_soon(void) {
    struct itimerval soon = {.it_value.tv_usec = 20000};
    CHECK_EQUAL(0, setitimer(ITIMER_REAL, &soon, NULL));
}

/* A signal's handler ends each call that waits without a limit, once; no message is lost by it. */
static void test_wake(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    relay_event e;
    struct sigaction alarms = {.sa_handler = on_alarm};
    CHECK_EQUAL(0, sigaction(SIGALRM, &alarms, NULL));
    relay_subscriber *s = relay_subscriber_open(&o, NULL);
    int fd = accept_from(listener, s, NULL);
    take_hello(fd);
    welcome(fd, 1);
    woken_subscriber = s;
    for (int i = 1; i <= 3; i++) {
        alarm_soon();
        CHECK_EQUAL(RELAY_INTERRUPTED, relay_subscriber_next(s, &e, -1));
        CHECK_EQUAL(i, signals);
    }
    /* Before the call, and more than once; calls that do not wait leave it for the next one. */
    for (int i = 0; i < 100000; i++) {
        relay_subscriber_wake(s);
    }
    static const uint8_t MESSAGE[] = {0, 0, 0, 7, 0, 0, 0, 2, 'h', 'i'};
    send_all(fd, MESSAGE, sizeof MESSAGE);
    CHECK_EQUAL(RELAY_OK, next_in_a_loop(s, &e));
    CHECK_EQUAL(RELAY_INTERRUPTED, relay_subscriber_next(s, &e, DEADLINE_MS));
    send_all(fd, MESSAGE, sizeof MESSAGE);
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, DEADLINE_MS));
    CHECK_EQUAL(2, e.sequence);
    woken_subscriber = NULL;
    relay_subscriber_close(s);
    close(fd);

    o.max_body = 1000;
    o.buffer = 4 * 1008;
    o.close_timeout_ms = 50;
    relay_publisher *p = relay_publisher_open(&o, NULL);
    static const uint8_t BODY[1000];
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, i, BODY, sizeof BODY, 0));
    }
    woken_publisher = p;
    alarm_soon();
    CHECK_EQUAL(RELAY_INTERRUPTED, relay_publisher_publish(p, 5, BODY, sizeof BODY, -1));
    alarm_soon();
    CHECK_EQUAL(RELAY_INTERRUPTED, relay_publisher_flush(p, -1));
    alarm_soon();
    relay_result done = RELAY_OK;
    while (done == RELAY_OK) {
        done = relay_publisher_poll(p, -1);
    }
    CHECK_EQUAL(RELAY_INTERRUPTED, done);
    CHECK_EQUAL(6, signals);
    /* Close has its own time. */
    woken_publisher = NULL;
    relay_publisher_wake(p);
    CHECK_EQUAL(4, relay_publisher_close(p, NULL));
    close(listener);
}

/* In a child of fork the clients are the parent's: each call says so at once, and the parent is undisturbed. */
static void test_fork(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    relay_event e;
    relay_error error;
    relay_subscriber *s = relay_subscriber_open(&o, NULL);
    int of_subscriber = accept_from(listener, s, NULL);
    take_hello(of_subscriber);
    welcome(of_subscriber, 1);
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 20));
    relay_publisher *p = relay_publisher_open(&o, NULL);
    int of_publisher = welcome_without_acks(listener, p, 255);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, DEADLINE_MS));
    uint8_t frames[MESSAGE_LENGTH + PING_LENGTH];
    receive_in_a_loop(p, of_publisher, frames, MESSAGE_LENGTH);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        relay_range types = {1, 1};
        CHECK_EQUAL(RELAY_YOURS, relay_subscriber_next(s, &e, -1));
        CHECK(strstr(relay_subscriber_error(s)->text, "parent") != NULL);
        CHECK_EQUAL(RELAY_YOURS, relay_subscriber_keep_alive(s));
        CHECK_EQUAL(RELAY_YOURS, relay_subscriber_types(s, &types, 1, NULL));
        CHECK_EQUAL(-1, relay_subscriber_fd(s));
        CHECK_EQUAL(-1, relay_subscriber_wait_ms(s));
        CHECK_EQUAL(RELAY_YOURS, relay_publisher_publish(p, 7, "child", 5, -1));
        CHECK_EQUAL(RELAY_YOURS, relay_publisher_add(p, 7, "child", 5));
        CHECK_EQUAL(RELAY_YOURS, relay_publisher_poll(p, -1));
        CHECK_EQUAL(RELAY_YOURS, relay_publisher_flush(p, -1));
        CHECK_EQUAL(-1, relay_publisher_fd(p));
        CHECK_EQUAL(0, relay_publisher_close(p, &error));
        CHECK_EQUAL(RELAY_YOURS, error.kind);
        relay_subscriber_close(s);
        /* The child's own. */
        p = relay_publisher_open(&o, &error);
        CHECK(p != NULL);
        CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 7, "hi", 2, 0));
        _exit(0);
    }
    int status;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    CHECK_EQUAL(0, status);
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 10));
    receive_in_a_loop(p, of_publisher, frames, PING_LENGTH);
    answer(of_publisher, frames);
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, DEADLINE_MS));
    CHECK_EQUAL(0, relay_publisher_close(p, &error));
    static const uint8_t MESSAGE[] = {0, 0, 0, 7, 0, 0, 0, 2, 'h', 'i'};
    send_all(of_subscriber, MESSAGE, sizeof MESSAGE);
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, DEADLINE_MS));
    CHECK_EQUAL(1, e.sequence);
    CHECK_EQUAL(0, told[RELAY_LOST]);
    relay_subscriber_close(s);
    close(of_publisher);
    close(of_subscriber);
    close(listener);
}

/* A program that wants no message now: what the relay tells of its streams is kept until it is taken, all of it. */
static void test_streams_that_change_often(void) {
    int listener = listen_on_loopback();
    relay_options o = options_of_tests();
    relay_error error;
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    CHECK(s != NULL);
    uint8_t frame[sizeof WELCOME];
    memcpy(frame, WELCOME, sizeof frame);
    for (int turn = 0; turn < 300; turn++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
        struct pollfd one = {listener, POLLIN, 0};
        if (poll(&one, 1, 1) == 1) {
            int fd = accept(listener, NULL, NULL);
            for (int connected = told[RELAY_CONNECTED], i = 0; connected == told[RELAY_CONNECTED] && i < 1000; i++) {
                if (i == 0) {
                    send_all(fd, frame, sizeof frame);
                    /* From the second WELCOME on: EPOCH_CHANGED. */
                    frame[11] = 1;
                }
                CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
                poll(NULL, 0, 1);
            }
            close(fd);
        }
    }
    int connected = told[RELAY_CONNECTED];
    CHECK(connected > 2);
    CHECK_EQUAL(-1, relay_subscriber_wait_ms(s));
    relay_event e;
    for (int changes = 1; changes < connected; changes++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 0));
        CHECK_EQUAL(RELAY_STREAM_CHANGED, e.kind);
    }
    relay_subscriber_close(s);
    close(listener);
}

/* A refused connect gives up when the rounds are used up, and says why; waiting is bounded by the caller's time. */
static void test_no_relay(void) {
    int listener = listen_on_loopback();
    close(listener);
    relay_options o = options_of_tests();
    relay_event e;
    relay_subscriber *s = relay_subscriber_open(&o, NULL);
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 30));
    CHECK(told[RELAY_LOST] > 0);
    relay_subscriber_close(s);
    o = options_of_tests();
    o.reconnect.rounds = 2;
    s = relay_subscriber_open(&o, NULL);
    CHECK_EQUAL(RELAY_RETRY, relay_subscriber_next(s, &e, DEADLINE_MS));
    CHECK_EQUAL(2, told[RELAY_LOST]);
    CHECK_EQUAL(1, told[RELAY_GAVE_UP]);
    CHECK(strstr(relay_subscriber_error(s)->text, address) != NULL);
    CHECK_EQUAL(RELAY_RETRY, relay_subscriber_next(s, &e, 0));
    relay_subscriber_close(s);
}

int main(void) {
    test_subscriber();
    test_full();
    test_confirmed();
#ifdef TCP_KEEPIDLE
    test_keep_alive_of_tcp();
#endif
#if defined(__linux__) && defined(TCP_CONGESTION)
    test_congestion_to_this_host();
#endif
    test_unix_socket();
    test_producer_file();
    test_token_file();
    test_token_call();
    test_wake();
    test_fork();
    test_streams_that_change_often();
    test_no_relay();
    return 0;
}
