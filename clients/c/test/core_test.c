/* Tests of the core, most without sockets: it includes the source, to reach what is static there. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE 1

#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* The addresses of every name. */
static struct addrinfo *names;

/* Where there is one, a name is answered once a byte comes out of it, with a failure if that is not 0. */
static int answers = -1;
static atomic_int asked;
static atomic_int freed;

static int fake_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **to) {
    (void)host;
    (void)port;
    char failure = 0;
    if (answers >= 0) {
        if ((hints->ai_flags & AI_NUMERICHOST) != 0) {
            return EAI_NONAME;
        }
        atomic_fetch_add(&asked, 1);
        if (read(answers, &failure, 1) != 1) {
            return EAI_SYSTEM;
        }
    }
    *to = names;
    return failure != 0 ? EAI_AGAIN : 0;
}

static void fake_freeaddrinfo(struct addrinfo *addresses) {
    (void)addresses;
    atomic_fetch_add(&freed, 1);
}

/*
 * The time stands still, and moves where a client waits, by as long as it may: no test depends on how fast the machine
 * is. With sockets and threads it is the system's.
 */
static bool time_stands = true;
static int64_t stands_at_ms = 1000000;

static int fake_clock_gettime(clockid_t clock, struct timespec *now) {
    if (!time_stands) {
        return clock_gettime(clock, now);
    }
    *now = (struct timespec){.tv_sec = stands_at_ms / 1000, .tv_nsec = stands_at_ms % 1000 * 1000000};
    return 0;
}

static int fake_poll(struct pollfd *sockets, nfds_t count, int timeout_ms) {
    if (!time_stands) {
        return poll(sockets, count, timeout_ms);
    }
    stands_at_ms += timeout_ms > 0 ? timeout_ms : 1;
    return 0;
}

#define getaddrinfo fake_getaddrinfo
#define freeaddrinfo fake_freeaddrinfo
#define clock_gettime fake_clock_gettime
#define poll fake_poll
#include "../src/relay.c"

#include "check.h"

#include <dirent.h>
#include <sys/wait.h>

/* ---- A connection of memory: the client reads what a test feeds, and what it writes is kept ---- */

static uint8_t written[1 << 20];
static size_t written_length;
static size_t writes_at_most;
static const uint8_t *feed;
static size_t feed_length;
static size_t reads_at_most;
/* Behind what is fed, the relay's output has ended. */
static bool feed_ends;

static long fake_read(void *session, void *bytes, size_t size, char *text, size_t text_size) {
    (void)session;
    (void)text;
    (void)text_size;
    size_t n = size < feed_length ? size : feed_length;
    n = n < reads_at_most ? n : reads_at_most;
    put_bytes(bytes, feed, n);
    feed += n;
    feed_length -= n;
    return n > 0 ? (long)n : feed_ends ? RELAY_TLS_END : RELAY_TLS_WANTS_READ;
}

static long fake_write(void *session, const void *bytes, size_t size, char *text, size_t text_size) {
    (void)session;
    (void)text;
    (void)text_size;
    size_t n = size < writes_at_most ? size : writes_at_most;
    CHECK(written_length + n <= sizeof written);
    put_bytes(written + written_length, bytes, n);
    written_length += n;
    return n == 0 ? RELAY_TLS_WANTS_WRITE : (long)n;
}

static void fake_free(void *session) {
    (void)session;
}

static const relay_tls FAKE = {NULL, NULL, NULL, fake_read, fake_write, fake_free, fake_free, NULL};
static const char *const ENDPOINTS[] = {"127.0.0.1:1"};

static relay_event told[512];
static size_t told_count;

static void on_event(void *user, const relay_event *event) {
    (void)user;
    CHECK(told_count < 512);
    told[told_count++] = *event;
}

static relay_options options_of_tests(void) {
    relay_options o = relay_options_default();
    o.endpoints = ENDPOINTS;
    o.endpoint_count = 1;
    o.on_event = on_event;
    o.tls = &FAKE;
    return o;
}

/* Connects a client to memory, as after its HELLO. */
static void connect_to_memory(relay_link *l) {
    feed_length = written_length = told_count = 0;
    feed_ends = false;
    reads_at_most = writes_at_most = SIZE_MAX;
    l->session = l;
    /* A number that poll ignores and close refuses. */
    l->fd = INT_MAX;
    l->now = now_ms();
    begin(l);
}

static relay_subscriber *subscriber_of(const relay_options *o) {
    relay_error error;
    relay_subscriber *s = relay_subscriber_open(o, &error);
    CHECK(s != NULL);
    connect_to_memory(&s->link);
    return s;
}

static relay_publisher *publisher_of(const relay_options *o) {
    relay_error error;
    relay_publisher *p = relay_publisher_open(o, &error);
    CHECK(p != NULL);
    connect_to_memory(&p->link);
    return p;
}

/* ---- Frames of a relay ---- */

static uint8_t *message(uint8_t *at, int32_t type, const char *body) {
    return put_bytes(put32(put32(at, (uint32_t)type), (uint32_t)strlen(body)), body, strlen(body));
}

static uint8_t *welcome_frame(uint8_t *at, uint32_t features, int64_t next, int64_t accepted) {
    at = put16(put16(put_header(at, WELCOME, 56), 1), RELAY_DISCONNECT << 8);
    at = put64(put64(put64(put32(at, features), 77), next), accepted);
    at = put32(put32(put32(at, 1 << 20), 1000), 5000);
    return put_bytes(put16(put32(at, 1024u << 16), 6), "server", 6);
}

static uint8_t *gap_frame(uint8_t *at, int64_t from, int64_t to, unsigned reason) {
    return put32(put16(put16(put64(put64(put_header(at, GAP, 24), from), to), reason), 0), 0);
}

static uint8_t *ping_frame(uint8_t *at, int64_t id, int64_t next, int64_t head) {
    return put64(put64(put64(put_header(at, PING, 24), id), next), head);
}

static uint8_t *pong_frame(uint8_t *at, int64_t id) {
    return put64(put_header(at, PONG, 8), id);
}

static uint8_t *ack_frame(uint8_t *at, int64_t number, int64_t sequence) {
    return put64(put64(put_header(at, ACK, 16), number), sequence);
}

static uint8_t *error_frame(uint8_t *at, int code, const char *text) {
    return put_bytes(put16(put_header(at, ERROR_FRAME, 2 + strlen(text)), (unsigned)code), text, strlen(text));
}

/* ---- Tests ---- */

/* Frames that a client reads, from the files of docs/protocol.md; returns how many it has tried. */
static int try_vector(const char *folder, const char *name) {
    char path[1024];
    uint8_t bytes[MAX_CONTROL + 64];
    size_t length = 0;
    char line[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned value;
        int n;
        for (char *at = line; *at != '#' && length < sizeof bytes && sscanf(at, "%2x%n", &value, &n) == 1; at += n) {
            bytes[length++] = (uint8_t)value;
        }
    }
    fclose(file);
    if (length < HEADER || get32(bytes + 4) != length - HEADER || get32(bytes) < 0x80000000u) {
        return 0;
    }
    const char *wrong = NULL;
    const uint8_t *body = bytes + HEADER;
    size_t rest = length - HEADER;
    welcome w;
    switch (get32(bytes) & 0xFF) {
        case WELCOME:
            wrong = decode_welcome(body, rest, &w);
            break;
        case PING:
            wrong = check_ping(body, rest);
            break;
        case GAP:
            wrong = check_gap(body, rest);
            break;
        case ACK:
            wrong = check_ack(body, rest);
            break;
        case GOAWAY:
            wrong = check_goaway(body, rest);
            break;
        case SUBSCRIBED:
            wrong = check_subscribed(body, rest);
            break;
        case RETRY_AFTER:
            wrong = check_retry_after(body, rest);
            break;
        default:
            return 0;
    }
    if ((wrong == NULL) != (strncmp(name, "good", 4) == 0)) {
        fprintf(stderr, "%s: %s\n", name, wrong == NULL ? "was taken" : wrong);
        exit(1);
    }
    return 1;
}

static void test_vectors(const char *folder) {
    DIR *all = folder == NULL ? NULL : opendir(folder);
    if (all == NULL) {
        printf("skipped: no test vectors\n");
        return;
    }
    int tried = 0;
    for (struct dirent *one = readdir(all); one != NULL; one = readdir(all)) {
        tried += strncmp(one->d_name, "good", 4) == 0 || strncmp(one->d_name, "bad", 3) == 0
                     ? try_vector(folder, one->d_name)
                     : 0;
    }
    closedir(all);
    CHECK(tried >= 40);
    printf("%d test vectors\n", tried);
}

/* The HELLO of the example in docs/protocol.md, but that this client asks for EPOCHS and PEER too. */
static void test_hello(void) {
    static const uint8_t EXPECTED[] = {0x80, 0, 0, 1,    0, 0, 0, 0x37, 0,    1,    0,    1,    1,    0,    1,    0,
                                       0,    0, 0, 0x56, 0, 0, 0, 0,    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
                                       0,    0, 0, 0,    0, 0, 3, 0xE8, 0,    1,    0,    0,    0,    0,    0,    0,
                                       0,    0, 0, 0x64, 0, 0, 0, 0xC7, 0,    5,    'a',  'u',  'd',  'i',  't'};
    relay_options o = options_of_tests();
    relay_range types = {100, 199};
    o.types = &types;
    o.type_count = 1;
    o.start = RELAY_SEQUENCE;
    o.epoch = 0x1122334455667788;
    o.number = 1000;
    o.name = "audit";
    relay_subscriber *s = subscriber_of(&o);
    CHECK_EQUAL(sizeof EXPECTED, written_length);
    CHECK(memcmp(EXPECTED, written, sizeof EXPECTED) == 0);
    relay_subscriber_close(s);
}

static void check_stream(relay_subscriber *s) {
    relay_event e;
    CHECK_EQUAL(RELAY_MESSAGE, (relay_subscriber_next(s, &e, 1000), e.kind));
    CHECK_EQUAL(10, e.sequence);
    CHECK_EQUAL(-1, e.type);
    CHECK(e.length == 5 && memcmp(e.body, "hello", 5) == 0);
    CHECK_EQUAL(RELAY_GAP, (relay_subscriber_next(s, &e, 1000), e.kind));
    CHECK_EQUAL(11, e.from);
    CHECK_EQUAL(19, e.to);
    CHECK_EQUAL(1, e.reason);
    CHECK_EQUAL(RELAY_MESSAGE, (relay_subscriber_next(s, &e, 1000), e.kind));
    CHECK_EQUAL(20, e.sequence);
    CHECK_EQUAL(0, e.length);
    CHECK_EQUAL(RELAY_MESSAGE, (relay_subscriber_next(s, &e, 1000), e.kind));
    CHECK_EQUAL(21, e.sequence);
    /* A call without waiting reads once. */
    do {
        CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 0));
    } while (feed_length > 0);
    CHECK_EQUAL(22, relay_subscriber_count(s).next);
    CHECK_EQUAL(21, relay_subscriber_count(s).head);
}

static size_t stream(uint8_t *to) {
    uint8_t *at = message(to, 7, "old");
    at = message(welcome_frame(at, SEQUENCES, 10, 0), -1, "hello");
    at = ping_frame(gap_frame(at, 11, 19, 1), 5, 20, 30);
    at = message(message(at, 1, ""), 2, "bye");
    return (size_t)(ping_frame(at, 6, 22, 21) - to);
}

static void test_pieces(void) {
    uint8_t frames[1024];
    size_t length = stream(frames);
    relay_options o = options_of_tests();
    for (size_t piece = 1; piece <= length; piece++) {
        relay_subscriber *s = subscriber_of(&o);
        feed = frames;
        feed_length = length;
        reads_at_most = piece;
        size_t hello = written_length;
        check_stream(s);
        CHECK_EQUAL(PONG, written[hello + 3]);
        relay_subscriber_close(s);
    }
}

static void test_every_cut(void) {
    uint8_t frames[1024];
    size_t length = stream(frames);
    relay_options o = options_of_tests();
    for (size_t cut = 0; cut <= length; cut++) {
        relay_subscriber *s = subscriber_of(&o);
        relay_event e;
        feed = frames;
        feed_length = cut;
        int64_t events = 0;
        for (int i = 0; i < 3; i++) {
            while (relay_subscriber_next(s, &e, 0) == RELAY_OK) {
                events++;
                CHECK(e.kind == RELAY_MESSAGE || e.kind == RELAY_GAP);
            }
        }
        CHECK(told_count <= 1 + (size_t)events);
        feed_length = length - cut;
        while (relay_subscriber_next(s, &e, 0) == RELAY_OK) {
            events++;
        }
        CHECK_EQUAL(4, events);
        CHECK_EQUAL(22, relay_subscriber_count(s).next);
        relay_subscriber_close(s);
    }
}

/* Frames far larger than what one read brings, between small ones. */
static void test_large_bodies(void) {
    enum { LARGE = 300000 };
    uint8_t *frames = calloc(1, 2 * LARGE + 4096);
    CHECK(frames != NULL);
    uint8_t *at = welcome_frame(frames, SEQUENCES, 1, 0);
    at = put32(put32(message(at, 1, "first"), 2), LARGE) + LARGE;
    at = put32(put32(message(at, 1, "second"), 2), LARGE) + LARGE;
    at = message(at, 1, "third");
    relay_options o = options_of_tests();
    o.max_body = LARGE;
    o.buffer = 1000;
    relay_subscriber *s = subscriber_of(&o);
    feed = frames;
    feed_length = (size_t)(at - frames);
    relay_event e;
    for (int64_t i = 1; i <= 5; i++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 10000));
        CHECK_EQUAL(i, e.sequence);
        CHECK_EQUAL(i % 2 == 0 ? LARGE : i == 3 ? 6 : 5, e.length);
    }
    relay_subscriber_close(s);
    free(frames);
}

/* A program that wants no message now: PINGs behind unread messages are answered, once. */
static void test_keep_alive(void) {
    uint8_t frames[1024];
    uint8_t *at = message(welcome_frame(frames, SEQUENCES, 1, 0), 1, "one");
    at = message(ping_frame(at, 42, 2, 1), 1, "two");
    relay_options o = options_of_tests();
    relay_subscriber *s = subscriber_of(&o);
    feed = frames;
    feed_length = (size_t)(at - frames);
    written_length = 0;
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
    }
    CHECK_EQUAL(HEADER + 8, written_length);
    CHECK_EQUAL(42, get64(written + HEADER));
    relay_event e;
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 0));
    CHECK_EQUAL(1, e.sequence);
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 0));
    CHECK_EQUAL(2, e.sequence);
    CHECK_EQUAL(HEADER + 8, written_length);
    relay_subscriber_close(s);
}

/* Each code of ERROR: its kind, and how often it is tried. */
static void test_error_codes(void) {
    static const int FATAL[] = {4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29};
    static const int FEW_ONLY[] = {0, 24, 31, 35, 999, 65535};
    for (int code = 0; code <= 65535; code = code == 40 ? 999 : code == 999 ? 65535 : code + 1) {
        bool fatal = false;
        bool few = code > 34;
        for (size_t i = 0; i < sizeof FATAL / sizeof *FATAL; i++) {
            fatal |= FATAL[i] == code;
        }
        for (size_t i = 0; i < sizeof FEW_ONLY / sizeof *FEW_ONLY; i++) {
            few |= FEW_ONLY[i] == code;
        }
        relay_options o = options_of_tests();
        o.reconnect = (relay_reconnect){-1, 1, 1, 0};
        relay_subscriber *s = subscriber_of(&o);
        relay_event e;
        int tries = 0;
        uint8_t frames[64];
        do {
            tries++;
            connect_to_memory(&s->link);
            feed = frames;
            feed_length = (size_t)(error_frame(frames, code, "why") - frames);
            s->link.alive = false;
            advance(&s->link);
            take_frames(s, &e);
            CHECK_EQUAL(code, s->link.error.code);
            CHECK(strstr(s->link.error.text, "why") != NULL);
        } while (s->link.state == IDLE && tries < 20);
        CHECK_EQUAL(fatal ? 1 : few ? 6 : 20, tries);
        CHECK_EQUAL(fatal ? RELAY_FATAL : RELAY_RETRY, s->link.error.kind);
        CHECK_EQUAL(tries == 20 ? RELAY_LOST : RELAY_GAVE_UP, told[told_count - 1].kind);
        relay_subscriber_close(s);
    }
}

static void test_waits(void) {
    relay_options o = options_of_tests();
    relay_error error;
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    relay_link *l = &s->link;
    /* The first round comes at once; its try was made by open. */
    int64_t expected = 100;
    for (int i = 0; i < 40; i++) {
        int64_t wait = next_wait(l, AGAIN, false);
        CHECK(wait <= expected && wait >= expected / 2);
        expected = expected * 2 < 10000 ? expected * 2 : 10000;
    }
    l->tries = 0;
    CHECK(next_wait(l, SLOWLY, false) <= 0);
    CHECK(next_wait(l, SLOWLY, false) >= 5000);
    CHECK_EQUAL(-1, next_wait(l, STOP, false));
    relay_subscriber_close(s);
}

/* A time that the relay tells takes the place of the longest wait, with a share on top, and is for its endpoint. */
static void test_told_waits(void) {
    relay_options o = options_of_tests();
    const char *const two[] = {"127.0.0.1:1", "127.0.0.1:2"};
    relay_error error;
    o.endpoints = two;
    o.endpoint_count = 2;
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    relay_link *l = &s->link;
    for (int i = 0; i < 100; i++) {
        l->told_ms = 4000;
        int64_t wait = told_wait(l);
        CHECK(wait >= 4000 && wait <= 6000);
        l->told_ms = 9000;
        wait = told_wait(l);
        CHECK(wait >= 9000 && wait <= 10000);
        l->told_ms = 3600000;
        wait = told_wait(l);
        CHECK(wait >= 5000 && wait <= 10000);
    }
    l->tries = 2;
    CHECK(next_wait(l, SLOWLY, true) <= 100);
    l->tries = 1;
    l->index = 0;
    l->is_told = true;
    l->told_ms = 4000;
    fail(l, SLOWLY, 18, "full");
    CHECK_EQUAL(1, (int64_t)l->index);
    CHECK_EQUAL(l->now, l->due);
    fail(l, AGAIN, 0, "lost");
    CHECK_EQUAL(0, (int64_t)l->index);
    CHECK(l->due > l->now + 3000);
    CHECK(!l->is_told);
    relay_subscriber_close(s);
}

/* Messages through a small ring, in writes of every size: the bytes on the wire are the frames, PONGs between them. */
static void test_ring(void) {
    relay_options o = options_of_tests();
    o.acks = true;
    o.name = "ring";
    o.max_body = 40;
    o.buffer = 101;
    for (size_t most = 1; most < 60; most++) {
        relay_publisher *p = publisher_of(&o);
        uint8_t frames[256];
        feed = frames;
        feed_length = (size_t)(welcome_frame(frames, ACKS, 1, 0) - frames);
        CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
        CHECK_EQUAL(1, relay_publisher_count(p).first_number);
        written_length = 0;
        uint8_t body[40];
        int64_t taken = 0;
        int64_t acked = 0;
        size_t checked = 0;
        int64_t seen = 0;
        int pongs = 0;
        for (int turn = 0; acked < 200; turn++) {
            writes_at_most = most;
            memset(body, (int)(taken & 0xFF), sizeof body);
            if (taken < 200 && relay_publisher_publish(p, (int32_t)taken, body, (size_t)(taken % 41), 0) == RELAY_OK) {
                taken++;
            }
            uint8_t *at = frames;
            if (seen > acked) {
                at = ack_frame(at, seen, seen + 1000);
                acked = seen;
            }
            at = turn % 50 == 0 ? ping_frame(at, turn, 0, 0) : at;
            feed = frames;
            feed_length = (size_t)(at - frames);
            CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
            while (written_length - checked >= HEADER &&
                   written_length - checked >= HEADER + get32(written + checked + 4)) {
                size_t length = get32(written + checked + 4);
                if (get32(written + checked) == (0x80000000u | PONG)) {
                    pongs++;
                } else {
                    CHECK_EQUAL(seen, get32(written + checked));
                    CHECK_EQUAL(seen % 41, length);
                    CHECK(length == 0 || written[checked + HEADER + length - 1] == (uint8_t)seen);
                    seen++;
                }
                checked += HEADER + length;
            }
        }
        CHECK(pongs > 0);
        CHECK_EQUAL(200, relay_publisher_count(p).settled);
        relay_publisher_close(p, NULL);
    }
}

/* ---- Publishers without acknowledgements ---- */

static void feed_to(relay_publisher *p, const uint8_t *frames, const uint8_t *end) {
    feed = frames;
    feed_length = (size_t)(end - frames);
    while (feed_length > 0) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
    }
    CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
}

static relay_publisher *publisher_without_acks(size_t buffer) {
    relay_options o = options_of_tests();
    o.buffer = buffer;
    o.max_body = 1000;
    o.reconnect = (relay_reconnect){-1, 60000, 60000, 0};
    relay_publisher *p = publisher_of(&o);
    uint8_t frames[128];
    feed_to(p, frames, welcome_frame(frames, 0, 1, 0));
    written_length = 0;
    return p;
}

static void publish(relay_publisher *p, int count) {
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, 1, "hello", 5, 0));
    }
}

/* The id of the PING that was written behind so many bytes; nothing is behind it. */
static int64_t ping_behind(size_t bytes) {
    CHECK_EQUAL(bytes + HEADER + 24, written_length);
    CHECK_EQUAL(0x80000000u | PING, get32(written + bytes));
    CHECK_EQUAL(0, get64(written + bytes + HEADER + 8));
    CHECK_EQUAL(0, get64(written + bytes + HEADER + 16));
    return get64(written + bytes + HEADER);
}

/* The PONG's bytes come one by one; only the last one confirms. */
static void test_pong_byte_by_byte(void) {
    relay_publisher *p = publisher_without_acks(1 << 20);
    publish(p, 3);
    CHECK_EQUAL(3, relay_publisher_count(p).settled);
    CHECK_EQUAL(39, written_length);
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 0));
    CHECK(strstr(relay_publisher_error(p)->text, "3 sent, 3 in doubt") != NULL);
    int64_t id = ping_behind(39);
    publish(p, 2);
    uint8_t pong[HEADER + 8];
    pong_frame(pong, id);
    for (size_t i = 0; i < sizeof pong; i++) {
        CHECK_EQUAL(0, relay_publisher_count(p).confirmed);
        feed_to(p, pong + i, pong + i + 1);
    }
    CHECK_EQUAL(3, relay_publisher_count(p).confirmed);
    /* It confirms once. */
    feed_to(p, pong, pong + sizeof pong);
    CHECK_EQUAL(3, relay_publisher_count(p).confirmed);
    written_length = 0;
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 0));
    pong_frame(pong, ping_behind(0));
    feed_to(p, pong, pong + sizeof pong);
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, 0));
    CHECK_EQUAL(5, relay_publisher_count(p).confirmed);
    CHECK_EQUAL(0, relay_publisher_close(p, NULL));
}

/* A PONG is no answer to a PING that the socket has not taken whole. */
static void test_pong_before_its_ping(void) {
    for (size_t taken = 0; taken < HEADER + 24; taken++) {
        relay_publisher *p = publisher_without_acks(1 << 20);
        publish(p, 1);
        written_length = 0;
        writes_at_most = taken;
        p->asked = p->messages;
        write_messages(p);
        CHECK_EQUAL(taken, written_length);
        writes_at_most = 0;
        uint8_t pong[HEADER + 8];
        feed_to(p, pong, pong_frame(pong, p->ping_id));
        CHECK_EQUAL(0, relay_publisher_count(p).confirmed);
        writes_at_most = SIZE_MAX;
        CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 0));
        feed_to(p, pong, pong_frame(pong, ping_behind(0)));
        CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, 0));
        relay_publisher_close(p, NULL);
    }
}

/* A PING a heartbeat while something is not confirmed, and no wait for one that nothing asks for. */
static void test_ping_each_heartbeat(void) {
    relay_publisher *p = publisher_without_acks(1 << 20);
    CHECK_EQUAL(INT64_MAX, ping_due(p));
    publish(p, 1);
    CHECK_EQUAL(p->link.now + 1000, ping_due(p));
    CHECK(relay_publisher_wait_ms(p) <= 1000);
    p->ping_at -= 1000;
    CHECK_EQUAL(0, relay_publisher_wait_ms(p));
    CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
    int64_t id = ping_behind(13);
    /* It is not answered: no other one. */
    CHECK_EQUAL(INT64_MAX, ping_due(p));
    CHECK(relay_publisher_wait_ms(p) > 1000);
    publish(p, 1);
    p->ping_at -= 1000;
    CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
    CHECK_EQUAL(13 + 32 + 13, written_length);
    written_length = 0;
    uint8_t pong[HEADER + 8];
    feed_to(p, pong, pong_frame(pong, id));
    feed_to(p, pong, pong_frame(pong, ping_behind(0)));
    CHECK_EQUAL(2, relay_publisher_count(p).confirmed);
    /* All is confirmed: none. */
    p->ping_at -= 10000;
    CHECK_EQUAL(INT64_MAX, ping_due(p));
    CHECK(relay_publisher_wait_ms(p) > 0);
    CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
    CHECK_EQUAL(HEADER + 24, written_length);
    /* A socket that takes no more: what is waited for is the socket, not the time. */
    p->ping_at = p->link.now;
    publish(p, 1);
    CHECK_EQUAL(p->link.now + 1000, ping_due(p));
    writes_at_most = 5;
    publish(p, 1);
    CHECK_EQUAL(3, relay_publisher_count(p).settled);
    p->ping_at -= 10000;
    CHECK_EQUAL(INT64_MAX, ping_due(p));
    CHECK(relay_publisher_wait_ms(p) > 0);
    CHECK_EQUAL(POLLIN | POLLOUT, relay_publisher_events(p));
    writes_at_most = SIZE_MAX;
    CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
    p->link.options.close_timeout_ms = 1;
    relay_error error;
    CHECK_EQUAL(2, relay_publisher_close(p, &error));
    CHECK(strstr(error.text, "4 sent, 2 in doubt") != NULL);
}

static void test_ping_each_mebibyte(void) {
    relay_publisher *p = publisher_without_acks(1 << 20);
    p->bytes_since_ping = BYTES_PER_PING - 14;
    publish(p, 1);
    CHECK_EQUAL(13, written_length);
    publish(p, 1);
    ping_behind(26);
    CHECK_EQUAL(0, p->bytes_since_ping);
    p->link.options.close_timeout_ms = 1;
    CHECK_EQUAL(2, relay_publisher_close(p, NULL));
}

static void test_going_away(void) {
    relay_publisher *p = publisher_without_acks(1 << 20);
    publish(p, 2);
    uint8_t frames[64];
    feed_to(p, frames, put32(put32(put_header(frames, GOAWAY, 8), SHUTDOWN << 16), 60000));
    CHECK_EQUAL(RELAY_GOING_AWAY, told[told_count - 1].kind);
    CHECK_EQUAL(60000, told[told_count - 1].closes_in_ms);
    CHECK_EQUAL(0, told[told_count - 1].sequence);
    written_length = 0;
    publish(p, 1);
    p->ping_at -= 10000;
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 0));
    CHECK_EQUAL(0, written_length);
    CHECK(relay_publisher_wait_ms(p) > 0);
    /* What was not sent goes out over the next connection. */
    feed_ends = true;
    CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
    CHECK_EQUAL(RELAY_IN_DOUBT, told[told_count - 2].kind);
    CHECK_EQUAL(2, told[told_count - 2].number);
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 0));
    connect_to_memory(&p->link);
    written_length = 0;
    feed_to(p, frames, welcome_frame(frames, 0, 1, 0));
    CHECK_EQUAL(RELAY_NOTHING, relay_publisher_flush(p, 0));
    feed_to(p, frames, pong_frame(frames, ping_behind(13)));
    CHECK_EQUAL(RELAY_DOUBT, relay_publisher_flush(p, 0));
    CHECK(strstr(relay_publisher_error(p)->text, "3 sent, 2 in doubt") != NULL);
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, 0));
    CHECK_EQUAL(1, relay_publisher_count(p).confirmed);
    /* While it closes, nobody waits for such a relay. */
    publish(p, 4);
    feed_to(p, frames, put32(put32(put_header(frames, GOAWAY, 8), SHUTDOWN << 16), 60000));
    p->link.options.close_timeout_ms = INT32_MAX;
    relay_error error;
    size_t told_before = told_count;
    CHECK_EQUAL(4, relay_publisher_close(p, &error));
    CHECK_EQUAL(told_before, told_count);
    CHECK_EQUAL(RELAY_RETRY, error.kind);
    CHECK(strstr(error.text, "7 sent, 4 in doubt") != NULL);
}

static uint64_t state_of_random;

static uint32_t random_below(uint32_t bound) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % bound;
}

/* A relay that reads what was written when it likes, and answers when it likes. */
typedef struct reader {
    size_t read;
    int64_t messages;
    int64_t pings[64];
    size_t ping_count;
} reader;

static void read_up_to(reader *r, size_t limit) {
    while (limit - r->read >= HEADER && limit - r->read >= HEADER + get32(written + r->read + 4)) {
        const uint8_t *at = written + r->read;
        if (!is_reserved((int32_t)get32(at))) {
            r->messages++;
        } else if (get32(at) == (0x80000000u | PING)) {
            CHECK(r->ping_count < 64);
            r->pings[r->ping_count++] = get64(at + HEADER);
        }
        r->read += HEADER + get32(at + 4);
    }
}

/* Messages, PONGs, false PONGs and losses in any order: in doubt is never less than what the relay lacks. */
static void test_any_order(void) {
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        state_of_random = seed * 0x9E3779B97F4A7C15u;
        bool losses = seed % 3 != 0;
        relay_publisher *p = publisher_without_acks(2000 + random_below(3000));
        reader r = {0};
        int64_t told_in_doubt = 0;
        int64_t lost = 0;
        uint8_t frames[256];
        static const uint8_t BODY[1000];
        for (int turn = 0; turn < 120; turn++) {
            writes_at_most = random_below(4) == 0 ? SIZE_MAX : random_below(400);
            reads_at_most = random_below(3) == 0 ? 1 : SIZE_MAX;
            uint32_t choice = random_below(losses ? 20 : 19);
            uint8_t *at = frames;
            if (choice < 8) {
                relay_publisher_publish(p, 1, BODY, random_below(300), 0);
            } else if (choice < 11) {
                read_up_to(&r, r.read + random_below((uint32_t)(written_length - r.read) + 1));
            } else if (choice < 14 && r.ping_count > 0) {
                at = pong_frame(at, r.pings[--r.ping_count]);
            } else if (choice == 14) {
                /* Of a PING that is not sent yet, or of one that has its answer. */
                at = pong_frame(at, p->ping_id + (p->ping_unanswered ? 2 : 0));
            } else if (choice == 15) {
                at = ping_frame(pong_frame(at, p->ping_id - 2), turn, 0, 0);
            } else if (choice == 16) {
                p->ping_at -= 1000;
            } else if (choice < 19) {
                int64_t in_doubt = p->in_doubt;
                relay_result done = relay_publisher_flush(p, 0);
                CHECK(done == RELAY_OK || done == RELAY_NOTHING || (done == RELAY_DOUBT && in_doubt > 0));
                told_in_doubt += done == RELAY_DOUBT ? in_doubt : 0;
            } else {
                feed_ends = true;
                lost++;
            }
            feed = frames;
            feed_length = (size_t)(at - frames);
            do {
                CHECK_EQUAL(RELAY_OK, relay_publisher_poll(p, 0));
            } while (feed_length > 0 || (feed_ends && p->link.state == OPEN));
            if (p->link.state == IDLE) {
                connect_to_memory(&p->link);
                r = (reader){.messages = r.messages};
                feed_to(p, frames, welcome_frame(frames, 0, 1, 0));
            }
            relay_publisher_counters c = relay_publisher_count(p);
            CHECK(c.confirmed <= r.messages);
            CHECK(c.confirmed <= c.settled && c.settled <= c.messages);
            CHECK(unsettled_of(p) + told_in_doubt >= c.messages - r.messages);
        }
        /* The relay reads on, and answers. */
        writes_at_most = reads_at_most = SIZE_MAX;
        relay_result done;
        while ((done = relay_publisher_flush(p, 0)) == RELAY_NOTHING) {
            read_up_to(&r, written_length);
            uint8_t *at = frames;
            while (r.ping_count > 0) {
                at = pong_frame(at, r.pings[--r.ping_count]);
            }
            feed_to(p, frames, at);
        }
        CHECK(done == RELAY_OK || lost > 0);
        CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, 0));
        relay_publisher_counters c = relay_publisher_count(p);
        CHECK(c.messages - c.confirmed >= c.messages - r.messages);
        CHECK(lost > 0 || (c.confirmed == c.messages && r.messages == c.messages));
        CHECK_EQUAL(0, relay_publisher_close(p, NULL));
    }
}

/* A relay that ends each connection before its WELCOME: the third time the reason is guessed, and tries go on. */
static void test_no_welcome(void) {
    relay_options o = options_of_tests();
    o.reconnect = (relay_reconnect){-1, 1, 1, 0};
    relay_subscriber *s = subscriber_of(&o);
    relay_event e;
    for (int i = 1; i <= 20; i++) {
        connect_to_memory(&s->link);
        feed_ends = true;
        advance(&s->link);
        CHECK(!take_frames(s, &e));
        CHECK_EQUAL(IDLE, s->link.state);
        CHECK_EQUAL(RELAY_LOST, told[told_count - 1].kind);
        CHECK_EQUAL(i < 3, strstr(s->link.error.text, "plain") == NULL);
        CHECK(strstr(s->link.error.text, "before WELCOME") != NULL);
    }
    relay_subscriber_close(s);
}

static void refused(relay_options o, bool publisher, const char *because) {
    relay_error error;
    void *client = publisher ? (void *)relay_publisher_open(&o, &error) : (void *)relay_subscriber_open(&o, &error);
    CHECK(client == NULL);
    CHECK_EQUAL(RELAY_YOURS, error.kind);
    if (strstr(error.text, because) == NULL) {
        fprintf(stderr, "\"%s\" says nothing of \"%s\"\n", error.text, because);
        exit(1);
    }
}

#define REFUSED(publisher, because, ...)      \
    do {                                      \
        relay_options o = options_of_tests(); \
        o.tls = NULL;                         \
        __VA_ARGS__;                          \
        refused(o, publisher, because);       \
    } while (0)

static void test_refused_options(void) {
    static const char *const UNIX = "unix:/x";
    char longest[300];
    memset(longest, 'n', sizeof longest);
    longest[256] = 0;
    static const char *const BAD[] = {"nonsense", "host:", "host:0", "host:65536",
                                      "::1:7400", ":7400", "unix:",  "[::1:1"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        REFUSED(false, BAD[i], o.endpoints = &BAD[i]);
    }
    REFUSED(false, "no endpoint", o.endpoint_count = 0);
    REFUSED(false, "256", o.name = longest);
    REFUSED(false, "UTF-8", o.name = "\xC0\xAF");
    REFUSED(false, "control", o.name = "a\nb");
    REFUSED(false, "0 bytes", o.token = "");
    REFUSED(false, "99", o.heartbeat_ms = 99);
    REFUSED(false, "connect time-out in ms 0", o.connect_timeout_ms = 0);
    REFUSED(false, "67108865", o.max_body = (64 << 20) + 1);
    REFUSED(false, "rounds -2", o.reconnect.rounds = -2);
    REFUSED(false, "jitter", o.reconnect.jitter = 1.5);
    REFUSED(false, "sequence 0", o.start = RELAY_SEQUENCE);
    REFUSED(false, "sequence -1", o.start = RELAY_STATE, o.number = -1);
    REFUSED(false, "plain", o.plain = true, o.start = RELAY_STATE);
    REFUSED(false, "interval in ms 9 is not within 10..3600000", o.interval_ms = 9);
    REFUSED(false, "interval in ms 3600001 is not within 10..3600000", o.interval_ms = 3600001);
    REFUSED(false, "interval of 500 ms needs the policy latest, not disconnect", o.interval_ms = 500,
            o.policy = RELAY_DISCONNECT);
    REFUSED(false, "not replay", o.interval_ms = 500, o.policy = RELAY_REPLAY);
    REFUSED(false, "policy 6", o.interval_ms = 500, o.policy = RELAY_LATEST + 1);
    REFUSED(false, "plain", o.plain = true, o.interval_ms = 500);
    REFUSED(true, "subscribers", o.interval_ms = 500);
    REFUSED(true, "subscribers", o.start = RELAY_STATE);
    REFUSED(false, "plain", o.plain = true, o.name = "x");
    REFUSED(false, "TLS", o.endpoints = &UNIX, o.tls = &FAKE);
    relay_range upside_down = {2, 1};
    relay_range reserved = {INT32_MIN, 5};
    REFUSED(false, "upside down", o.types = &upside_down, o.type_count = 1);
    REFUSED(false, "reserved", o.types = &reserved, o.type_count = 1);
    REFUSED(false, "1025", o.types = &upside_down, o.type_count = 1025);
    REFUSED(true, "name", o.acks = true);
    REFUSED(true, "producer", o.producer = "00");
    REFUSED(true, "32 hex", o.acks = true, o.name = "x", o.producer = "00");
    REFUSED(true, "send buffer 100 ", o.buffer = 100);
    REFUSED(true, "first number -1", o.acks = true, o.name = "x", o.first_number = -1);
}

static void test_refused_messages(void) {
    relay_options o = options_of_tests();
    o.max_body = 10;
    relay_publisher *p = publisher_of(&o);
    CHECK_EQUAL(RELAY_YOURS, relay_publisher_publish(p, INT32_MIN, "", 0, 0));
    CHECK_EQUAL(RESERVED_TYPE, relay_publisher_error(p)->code);
    CHECK_EQUAL(RELAY_YOURS, relay_publisher_publish(p, LAST_RESERVED, "", 0, 0));
    CHECK_EQUAL(RELAY_YOURS, relay_publisher_publish(p, 1, "0123456789a", 11, 0));
    CHECK_EQUAL(OVERSIZED_LENGTH, relay_publisher_error(p)->code);
    CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, LAST_RESERVED + 1, "0123456789", 10, 0));
    CHECK_EQUAL(1, relay_publisher_count(p).messages);
    relay_subscriber *s = subscriber_of(&o);
    relay_range one = {1, 1};
    for (int i = 0; i < MAX_CHANGES; i++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_types(s, &one, 1, NULL));
    }
    CHECK_EQUAL(RELAY_YOURS, relay_subscriber_types(s, &one, 1, NULL));
    relay_subscriber_close(s);
    p->link.options.close_timeout_ms = 1;
    CHECK_EQUAL(1, relay_publisher_close(p, NULL));
}

static void test_text(void) {
    CHECK(is_string((const uint8_t *)"audit \xC3\xBC \xF0\x9F\x98\x80", 13));
    static const char *const BAD[] = {"\xC0\xAF",     "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\x80",
                                      "\xE0\x80\x80", "\x7F",         "\xC2\x85"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        CHECK(!is_string((const uint8_t *)BAD[i], strlen(BAD[i])));
    }
    char text[8];
    copy_text(text, sizeof text, (const uint8_t *)"a\x1B[2J\xFF\xC3\xBC", 8);
    CHECK(strcmp(text, "a?[2J?") == 0);
}

/* ---- Time ---- */

/* A handler takes longer than the relay may be silent: what it has sent meanwhile lies in the socket. */
static void test_slow_handler(void) {
    int ends[2];
    CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    relay_options o = options_of_tests();
    o.tls = NULL;
    relay_subscriber *s = relay_subscriber_open(&o, NULL);
    relay_link *l = &s->link;
    l->fd = ends[0];
    l->now = now_ms();
    begin(l);
    uint8_t frames[256];
    uint8_t *end = message(welcome_frame(frames, SEQUENCES, 1, 0), 1, "one");
    CHECK_EQUAL(end - frames, write(ends[1], frames, (size_t)(end - frames)));
    relay_event e;
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    CHECK_EQUAL(5000, l->patience);
    /* The whole read was taken, and the next message comes while the handler works. */
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 1));
    end = message(frames, 1, "two");
    CHECK_EQUAL(end - frames, write(ends[1], frames, (size_t)(end - frames)));
    l->silent_since -= 20000;
    l->drained = true;
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    CHECK_EQUAL(2, e.sequence);
    /* Nothing lies there: it is silent. */
    l->silent_since -= 20000;
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 1));
    CHECK_EQUAL(IDLE_TIMEOUT, told[told_count - 1].code);
    relay_subscriber_close(s);
    close(ends[1]);
}

/* While nothing is read, a PONG tells the relay each heartbeat that this end lives; its PINGs are behind the messages. */
static void test_unasked_pong(void) {
    relay_options o = options_of_tests();
    o.max_body = 1000;
    o.buffer = 4096;
    relay_subscriber *s = subscriber_of(&o);
    relay_link *l = &s->link;
    static uint8_t frames[1 << 16];
    static const char BODY[] = "0123456789abcdef";
    uint8_t *end = welcome_frame(frames, SEQUENCES, 1, 0);
    while (end - frames < 60000) {
        end = message(end, 1, BODY);
    }
    feed = frames;
    feed_length = (size_t)(end - frames);
    relay_event e;
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    CHECK_EQUAL(1000, l->heartbeat_ms);
    written_length = 0;
    for (int i = 0; i < 20; i++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
    }
    CHECK_EQUAL(0, written_length);
    CHECK_EQUAL(l->in_size, l->end);
    /* A loop of the user's does not spin on what it does not read. */
    CHECK_EQUAL(0, relay_subscriber_events(s));
    CHECK(relay_subscriber_wait_ms(s) > 0 && relay_subscriber_wait_ms(s) <= 1000);
    for (int beat = 1; beat <= 3; beat++) {
        l->pong_at -= 1000;
        CHECK_EQUAL(0, relay_subscriber_wait_ms(s));
        for (int i = 0; i < 3; i++) {
            CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
        }
        CHECK_EQUAL(16 * beat, written_length);
        CHECK_EQUAL(0x80000000u | PONG, get32(written + 16 * (beat - 1)));
        CHECK_EQUAL(0, get64(written + 16 * (beat - 1) + HEADER));
    }
    /* Once there is room again, the PINGs are found. */
    for (int i = 0; i < 500; i++) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    }
    l->pong_at -= 1000;
    feed_length = 0;
    CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
    CHECK_EQUAL(48, written_length);
    relay_subscriber_close(s);
}

/* ---- Addresses ---- */

static struct sockaddr_in places[4];
static struct addrinfo addresses[4];

/* A listener on loopback, whose address is one of the name's. */
static int listen_at(int i, int backlog) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t length = sizeof places[i];
    places[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&places[i], length) == 0 && listen(fd, backlog) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&places[i], &length) == 0);
    addresses[i] = (struct addrinfo){
        .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&places[i], .ai_addrlen = length, .ai_next = NULL};
    if (i > 0) {
        addresses[i - 1].ai_next = &addresses[i];
    }
    names = addresses;
    return fd;
}

/* A listener that answers nothing more: its queue is full. */
static int listen_dead_at(int i, int *fillers) {
    int fd = listen_at(i, 0);
    for (int n = 0; n < 8; n++) {
        fillers[n] = socket(AF_INET, SOCK_STREAM, 0);
        fcntl(fillers[n], F_SETFL, O_NONBLOCK);
        connect(fillers[n], (struct sockaddr *)&places[i], sizeof places[i]);
    }
    return fd;
}

/* A name whose first address answers nothing, and whose second one refuses: the third one is connected. */
static void test_race(void) {
    int fillers[8];
    int dead = listen_dead_at(0, fillers);
    close(listen_at(1, 8));
    int live = listen_at(2, 8);
    static const char *const NAME[] = {"relay.example:1"};
    relay_options o = options_of_tests();
    o.tls = NULL;
    o.endpoints = NAME;
    relay_subscriber *s = relay_subscriber_open(&o, NULL);
    CHECK(s != NULL);
    relay_event e;
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 0));
    CHECK_EQUAL(1, s->link.racing);
    CHECK(relay_subscriber_fd(s) >= 0);
    CHECK_EQUAL(POLLOUT, relay_subscriber_events(s));
    /* Its time is over. While several race, a loop of the user's has no socket to wait for. */
    s->link.next_turn = 0;
    s->link.now = now_ms();
    for (int i = 0; i < 3 && s->link.racing < 2 && s->link.state == CONNECTING; i++) {
        CHECK_EQUAL(MOVED, await_connection(&s->link));
    }
    if (s->link.state == CONNECTING) {
        s->link.blocked = true;
        CHECK_EQUAL(-1, relay_subscriber_fd(s));
        CHECK(relay_subscriber_wait_ms(s) <= LOOK_AT_RACE_MS);
    }
    while (s->link.state != GREETING) {
        CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 20));
    }
    CHECK_EQUAL(0, s->link.racing);
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    CHECK_EQUAL(0, getpeername(relay_subscriber_fd(s), (struct sockaddr *)&peer, &length));
    CHECK_EQUAL(ntohs(places[2].sin_port), ntohs(peer.sin_port));
    relay_subscriber_close(s);

    /* Without the last one, it is over at the deadline, or once all have refused. */
    close(live);
    addresses[1].ai_next = NULL;
    o.connect_timeout_ms = 20;
    o.reconnect.rounds = 1;
    told_count = 0;
    s = relay_subscriber_open(&o, NULL);
    CHECK_EQUAL(RELAY_RETRY, relay_subscriber_next(s, &e, 60000));
    CHECK(strstr(relay_subscriber_error(s)->text, "took more than 20 ms") != NULL);
    relay_subscriber_close(s);
    names = addresses + 1;
    s = relay_subscriber_open(&o, NULL);
    CHECK_EQUAL(RELAY_RETRY, relay_subscriber_next(s, &e, 60000));
    CHECK(strstr(relay_subscriber_error(s)->text, strerror(ECONNREFUSED)) != NULL);
    relay_subscriber_close(s);
    for (int n = 0; n < 8; n++) {
        close(fillers[n]);
    }
    close(dead);
}

static relay_subscriber *subscriber_of_a_name(const relay_options *o) {
    static const char *const NAME[] = {"relay.example:1"};
    relay_options named = *o;
    named.endpoints = NAME;
    relay_subscriber *s = relay_subscriber_open(&named, NULL);
    CHECK(s != NULL);
    return s;
}

static void await_frees(int count) {
    int64_t end = now_ms() + 120000;
    while (atomic_load(&freed) < count && now_ms() < end) {
        sched_yield();
    }
    CHECK_EQUAL(count, atomic_load(&freed));
}

/* A name that nobody answers holds up neither a call nor the time for a try, and keeps one thread. */
static void test_slow_name(void) {
    int live = listen_at(0, 8);
    int gate[2];
    CHECK(pipe(gate) == 0);
    answers = gate[0];
    asked = freed = 0;
    told_count = 0;
    relay_options o = options_of_tests();
    o.tls = NULL;
    relay_event e;

    relay_subscriber *s = subscriber_of_a_name(&o);
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 0));
    CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 20));
    int fd = relay_subscriber_fd(s);
    CHECK(fd >= 0);
    CHECK_EQUAL(POLLIN, relay_subscriber_events(s));
    CHECK(relay_subscriber_wait_ms(s) > 0);
    CHECK(write(gate[1], "", 1) == 1);
    struct pollfd answer = {.fd = fd, .events = POLLIN};
    CHECK_EQUAL(1, poll(&answer, 1, 120000));
    while (s->link.state != GREETING) {
        CHECK_EQUAL(RELAY_NOTHING, relay_subscriber_next(s, &e, 20));
    }
    relay_subscriber_close(s);
    await_frees(1);

    /* The second try waits for the thread of the first one. */
    o.connect_timeout_ms = 20;
    o.reconnect.rounds = 1;
    o.reconnect.first_ms = o.reconnect.longest_ms = 1;
    s = subscriber_of_a_name(&o);
    CHECK_EQUAL(RELAY_RETRY, relay_subscriber_next(s, &e, 60000));
    CHECK(strstr(relay_subscriber_error(s)->text, "looking up relay.example:1 took more than 20 ms") != NULL);
    CHECK_EQUAL(2, told_count);
    /* A child has no such thread, and frees what it can. */
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        relay_subscriber_close(s);
        _exit(0);
    }
    int status = -1;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    CHECK_EQUAL(0, status);
    relay_subscriber_close(s);
    CHECK(write(gate[1], "", 1) == 1);
    await_frees(2);
    CHECK_EQUAL(2, atomic_load(&asked));

    o.connect_timeout_ms = 60000;
    o.reconnect.rounds = 0;
    s = subscriber_of_a_name(&o);
    CHECK(write(gate[1], "1", 1) == 1);
    CHECK_EQUAL(RELAY_RETRY, relay_subscriber_next(s, &e, 60000));
    CHECK(strstr(relay_subscriber_error(s)->text, gai_strerror(EAI_AGAIN)) != NULL);
    relay_subscriber_close(s);

    answers = -1;
    close(gate[0]);
    close(gate[1]);
    close(live);
}

/* IPv6 and IPv4 take turns, and what a name has above the limit is left out. */
static void test_turns(void) {
    static struct addrinfo many[MAX_ADDRESSES + 10];
    relay_link l = {.addresses = many};
    for (int i = 0; i < MAX_ADDRESSES + 10; i++) {
        many[i] = (struct addrinfo){.ai_family = i < 3 ? AF_INET6 : AF_INET,
                                    .ai_next = i < MAX_ADDRESSES + 9 ? &many[i + 1] : NULL};
    }
    take_turns(&l);
    static const int ORDER[] = {0, 3, 1, 4, 2, 5, 6, 7};
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++) {
        CHECK_EQUAL(ORDER[i], l.turns[i] - many);
    }
    CHECK_EQUAL(MAX_ADDRESSES, l.turn_count);
}

/* ---- Epochs ---- */

/* The first sequence that changed where mine meets theirs, and the common epoch. */
static void check_common(lives mine, lives theirs, int64_t epoch, int64_t changed) {
    int64_t found = 0;
    int row = common_life(&mine, &theirs, &found);
    CHECK_EQUAL(epoch, row == 0 ? 0 : mine.rows[row].epoch);
    if (row > 0) {
        CHECK_EQUAL(changed, found);
    }
}

static void test_common_life(void) {
    lives none = {0};
    lives mine = {4, {{400, 6}, {350, 8}, {200, 4}, {100, 1}}};
    check_common(mine, none, 0, 0);
    check_common(none, mine, 0, 0);
    /* The relay has said that it does not know the first one. */
    check_common(mine, (lives){1, {{400, 6}}}, 0, 0);
    check_common(mine, (lives){4, {{600, 9}, {500, 7}, {200, 4}, {100, 1}}}, 200, 6);
    check_common(mine, (lives){3, {{600, 9}, {500, 3}, {200, 4}}}, 200, 3);
    check_common(mine, (lives){1, {{100, 1}}}, 100, 4);
    check_common(mine, (lives){2, {{100, 1}, {350, 8}}}, 350, 1);
}

static uint8_t *welcome_in(uint8_t *at, int flags, int64_t epoch, int64_t next, const lives *rows) {
    uint8_t *frame = at;
    at += HEADER;
    at = put16(put16(at, 1), RELAY_DISCONNECT << 8 | (unsigned)flags);
    at = put64(put64(put64(put32(at, SEQUENCES | EPOCHS), epoch), next), 0);
    at = put32(put32(put32(at, 1 << 20), 1000), 5000);
    at = put64(put16(put32(at, 1024u << 16), 0), 0);
    at = put16(put16(at, (unsigned)rows->count), 0);
    for (int i = 0; i < rows->count; i++) {
        at = put64(put64(at, rows->rows[i].epoch), rows->rows[i].first);
    }
    put_header(frame, WELCOME, (size_t)(at - frame) - HEADER);
    return at;
}

/* A subscriber and an older backup: what is gone is told once, and the next HELLO goes on behind what both have. */
static void test_older_backup(void) {
    static const lives BEFORE = {2, {{200, 7}, {100, 1}}};
    static const lives BEHIND = {2, {{300, 6}, {100, 1}}};
    uint8_t frames[512];
    relay_options o = options_of_tests();
    o.start = RELAY_EARLIEST;
    relay_subscriber *s = subscriber_of(&o);
    uint8_t *end = message(welcome_in(frames, 0, 200, 9, &BEFORE), 1, "nine");
    feed = frames;
    feed_length = (size_t)(end - frames);
    relay_event e;
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    CHECK_EQUAL(9, e.sequence);
    connect_to_memory(&s->link);
    end = message(welcome_in(frames, EPOCH_CHANGED, 300, 1, &BEHIND), 1, "one");
    feed = frames;
    feed_length = (size_t)(end - frames);
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    CHECK_EQUAL(RELAY_ROLLED_BACK, e.kind);
    CHECK_EQUAL(6, e.from);
    CHECK_EQUAL(9, e.to);
    CHECK_EQUAL(100, relay_subscriber_count(s).epoch);
    CHECK_EQUAL(6, relay_subscriber_count(s).next);
    /* Nothing else was told: this connection was none. */
    CHECK_EQUAL(1, told_count);
    CHECK_EQUAL(IDLE, s->link.state);
    CHECK(s->link.due <= now_ms());
    connect_to_memory(&s->link);
    CHECK_EQUAL(100, get64(written + HEADER + 16));
    CHECK_EQUAL(6, get64(written + HEADER + 24));
    end = message(welcome_in(frames, 0, 300, 6, &BEHIND), 1, "six");
    feed = frames;
    feed_length = (size_t)(end - frames);
    CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, 1000));
    CHECK_EQUAL(RELAY_MESSAGE, e.kind);
    CHECK_EQUAL(6, e.sequence);
    CHECK_EQUAL(300, relay_subscriber_count(s).epoch);
    relay_subscriber_close(s);
}

/* ---- Start = state ---- */

static uint8_t *state_welcome(uint8_t *at, int flags, int64_t epoch, int64_t next, int64_t fork) {
    uint8_t *frame = at;
    at = put16(put16(at + HEADER, 1), RELAY_DISCONNECT << 8 | (unsigned)flags);
    at = put64(put64(put64(put32(at, SEQUENCES | PEER), epoch), next), 0);
    at = put32(put32(put32(at, 1 << 20), 1000), 5000);
    at = put64(put16(put32(at, 1024u << 16), 0), fork);
    at = put_bytes(put16(at, 15), "192.0.2.7:40001", 15);
    at = put_bytes(put16(at, 5), "audit", 5);
    put_header(frame, WELCOME, (size_t)(at - frame) - HEADER);
    return at;
}

static uint8_t *sequence_frame(uint8_t *at, int64_t next) {
    return put64(put_header(at, SEQUENCE, 8), next);
}

static uint8_t *subscribed_frame(uint8_t *at, uint32_t request, int64_t sequence) {
    return put64(put32(put32(put_header(at, SUBSCRIBED, 16), request), 0), sequence);
}

static relay_options options_of_state(void) {
    relay_options o = options_of_tests();
    o.start = RELAY_STATE;
    o.reconnect = (relay_reconnect){-1, 60000, 60000, 0};
    return o;
}

/* Reads on until there is an event, or all that was fed is taken. */
static relay_result next_event(relay_subscriber *s, relay_event *e) {
    relay_result done;
    do {
        done = relay_subscriber_next(s, e, 0);
    } while (done == RELAY_NOTHING && feed_length > 0);
    return done;
}

static bool is_connected(const relay_subscriber *s) {
    return s->link.state == GREETING || s->link.state == OPEN;
}

/* As relay_subscriber_next without waiting, but never connects by itself. */
static bool take_turn(relay_subscriber *s, relay_event *e) {
    if (take_frames(s, e)) {
        return true;
    }
    if (!is_connected(s)) {
        return false;
    }
    advance(&s->link);
    return take_frames(s, e);
}

static relay_event expect_event(relay_subscriber *s, relay_kind kind) {
    relay_event e;
    CHECK_EQUAL(RELAY_OK, next_event(s, &e));
    CHECK_EQUAL(kind, e.kind);
    return e;
}

static void feed_frames(const uint8_t *frames, const uint8_t *end) {
    feed = frames;
    feed_length = (size_t)(end - frames);
}

/* What the last HELLO said. */
static void check_hello(relay_start start, int64_t epoch, int64_t number) {
    CHECK_EQUAL(start, written[HEADER + 6]);
    CHECK_EQUAL(epoch, get64(written + HEADER + 16));
    CHECK_EQUAL(number, get64(written + HEADER + 24));
}

/* The state comes in pieces of each size: whole with the first PING at the head, which is told once. */
static void test_state_pieces(void) {
    uint8_t frames[1024];
    uint8_t *end = ping_frame(state_welcome(frames, 0, 77, 1, 0), 1, 1, 10);
    end = message(gap_frame(end, 1, 2, 4), 3, "three");
    end = message(gap_frame(end, 4, 8, 4), 9, "");
    end = ping_frame(gap_frame(end, 10, 10, 4), 2, 11, 10);
    end = ping_frame(message(end, 3, "new"), 3, 12, 11);
    relay_options o = options_of_state();
    for (size_t piece = 1; piece <= (size_t)(end - frames); piece++) {
        relay_subscriber *s = subscriber_of(&o);
        check_hello(RELAY_STATE, 0, 0);
        reads_at_most = piece;
        feed_frames(frames, end);
        relay_event e = expect_event(s, RELAY_STATE_BEGINS);
        CHECK(e.anew);
        CHECK_EQUAL(1, e.next);
        CHECK_EQUAL(RELAY_CONNECTED, told[0].kind);
        CHECK(told[0].anew);
        e = expect_event(s, RELAY_GAP);
        CHECK_EQUAL(1, e.from);
        CHECK_EQUAL(2, e.to);
        CHECK_EQUAL(4, e.reason);
        CHECK_EQUAL(3, expect_event(s, RELAY_MESSAGE).sequence);
        CHECK_EQUAL(4, expect_event(s, RELAY_GAP).from);
        e = expect_event(s, RELAY_MESSAGE);
        CHECK_EQUAL(9, e.sequence);
        CHECK_EQUAL(0, e.length);
        CHECK_EQUAL(10, expect_event(s, RELAY_GAP).to);
        CHECK_EQUAL(11, expect_event(s, RELAY_STATE_COMPLETE).next);
        CHECK_EQUAL(11, expect_event(s, RELAY_MESSAGE).sequence);
        CHECK_EQUAL(RELAY_NOTHING, next_event(s, &e));
        CHECK_EQUAL(12, relay_subscriber_count(s).next);
        relay_subscriber_close(s);
    }
}

/* What the relay sees of this end, in the hook; an older relay does not tell it. */
static char seen[2][64];

static void note_peer(void *user, const relay_event *event) {
    (void)user;
    if (event->kind == RELAY_CONNECTED) {
        snprintf(seen[0], sizeof seen[0], "%s", event->address == NULL ? "-" : event->address);
        snprintf(seen[1], sizeof seen[1], "%s", event->identity == NULL ? "-" : event->identity);
    }
}

static void test_peer(void) {
    uint8_t frames[256];
    relay_options o = options_of_tests();
    relay_event e;
    o.on_event = note_peer;
    for (int publisher = 0; publisher < 2; publisher++) {
        relay_subscriber *s = publisher ? NULL : subscriber_of(&o);
        relay_publisher *p = publisher ? publisher_of(&o) : NULL;
        CHECK_EQUAL(PEER, get32(written + HEADER + 8) & PEER);
        feed_frames(frames, state_welcome(frames, 0, 77, 1, 0));
        CHECK_EQUAL(publisher ? RELAY_OK : RELAY_NOTHING, p ? relay_publisher_poll(p, 0) : next_event(s, &e));
        CHECK(strcmp(seen[0], "192.0.2.7:40001") == 0);
        CHECK(strcmp(seen[1], "audit") == 0);
        connect_to_memory(p ? &p->link : &s->link);
        feed_frames(frames, welcome_frame(frames, 0, 1, 0));
        CHECK_EQUAL(publisher ? RELAY_OK : RELAY_NOTHING, p ? relay_publisher_poll(p, 0) : next_event(s, &e));
        CHECK(strcmp(seen[0], "-") == 0 && strcmp(seen[1], "-") == 0);
        relay_subscriber_close(s);
        relay_publisher_close(p, NULL);
    }
}

/* Each number that a start may have, and what the first WELCOME makes of it. */
static void test_state_begins(void) {
    uint8_t frames[512];
    relay_options o = options_of_state();
    /* An empty stream is complete. */
    relay_subscriber *s = subscriber_of(&o);
    feed_frames(frames, ping_frame(state_welcome(frames, 0, 77, 1, 0), 1, 1, 0));
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    CHECK_EQUAL(1, expect_event(s, RELAY_STATE_COMPLETE).next);
    connect_to_memory(&s->link);
    check_hello(RELAY_STATE, 77, 1);
    feed_frames(frames, message(state_welcome(frames, 0, 77, 1, 0), 1, "one"));
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    expect_event(s, RELAY_MESSAGE);
    /* Lost within the walk: it goes on, also as the whole state's. */
    connect_to_memory(&s->link);
    check_hello(RELAY_STATE, 77, 2);
    uint8_t *end = message(gap_frame(state_welcome(frames, 0, 77, 2, 0), 2, 4, 4), 2, "five");
    feed_frames(frames, ping_frame(end, 1, 6, 5));
    CHECK(!expect_event(s, RELAY_STATE_BEGINS).anew);
    expect_event(s, RELAY_GAP);
    CHECK_EQUAL(5, expect_event(s, RELAY_MESSAGE).sequence);
    CHECK_EQUAL(6, expect_event(s, RELAY_STATE_COMPLETE).next);
    relay_subscriber_close(s);

    /* A program that kept its view. */
    o.number = 100;
    o.epoch = 77;
    s = subscriber_of(&o);
    check_hello(RELAY_STATE, 77, 100);
    feed_frames(frames, ping_frame(state_welcome(frames, 0, 77, 100, 0), 1, 100, 99));
    CHECK(!expect_event(s, RELAY_STATE_BEGINS).anew);
    CHECK_EQUAL(100, expect_event(s, RELAY_STATE_COMPLETE).next);
    relay_subscriber_close(s);
    s = subscriber_of(&o);
    feed_frames(frames, ping_frame(state_welcome(frames, EPOCH_CHANGED, 78, 1, 0), 1, 1, 0));
    CHECK_EQUAL(100, expect_event(s, RELAY_STREAM_CHANGED).from);
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    relay_subscriber_close(s);

    /* Number 1 is the whole state too, of which there is nothing to compare an epoch with. */
    o.number = 1;
    s = subscriber_of(&o);
    check_hello(RELAY_STATE, 0, 1);
    feed_frames(frames, state_welcome(frames, 0, 77, 1, 0));
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    /* WELCOME goes back behind what was asked for: a fault, to the first message too. */
    for (int i = 0; i < 3; i++) {
        feed_frames(frames, message(frames, 1, "body"));
        expect_event(s, RELAY_MESSAGE);
    }
    for (int64_t next = 1; next <= 3; next += 2) {
        connect_to_memory(&s->link);
        check_hello(RELAY_STATE, 77, 4);
        feed_frames(frames, state_welcome(frames, 0, 77, next, 0));
        CHECK(!expect_event(s, RELAY_STATE_BEGINS).anew);
        CHECK_EQUAL(PROTOCOL_ORDER, told[1].code);
        CHECK_EQUAL(IDLE, s->link.state);
    }
    relay_subscriber_close(s);
}

/* Other lives of the stream: told as ever, and then the whole state over this connection, though both have a life. */
static void test_state_of_another_life(void) {
    static const lives BEFORE = {2, {{200, 7}, {100, 1}}};
    static const lives BEHIND = {2, {{300, 6}, {100, 1}}};
    uint8_t frames[512];
    relay_options o = options_of_state();
    relay_subscriber *s = subscriber_of(&o);
    feed_frames(frames, message(gap_frame(welcome_in(frames, 0, 200, 1, &BEFORE), 1, 8, 4), 1, "nine"));
    expect_event(s, RELAY_STATE_BEGINS);
    expect_event(s, RELAY_GAP);
    CHECK_EQUAL(9, expect_event(s, RELAY_MESSAGE).sequence);
    connect_to_memory(&s->link);
    check_hello(RELAY_STATE, 200, 10);
    feed_frames(frames, message(welcome_in(frames, EPOCH_CHANGED, 300, 1, &BEHIND), 1, "one"));
    CHECK_EQUAL(10, expect_event(s, RELAY_STREAM_CHANGED).from);
    CHECK(told[0].kind == RELAY_CONNECTED && told[0].anew);
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    CHECK_EQUAL(1, expect_event(s, RELAY_MESSAGE).sequence);
    /* The fork says what is gone, and the count begins anew all the same. */
    connect_to_memory(&s->link);
    check_hello(RELAY_STATE, 300, 2);
    uint8_t *end = state_welcome(frames, EPOCH_CHANGED | ROLLED_BACK, 400, 1, 1);
    feed_frames(frames, ping_frame(message(end, 1, "1"), 1, 2, 1));
    relay_event e = expect_event(s, RELAY_ROLLED_BACK);
    CHECK_EQUAL(1, e.from);
    CHECK_EQUAL(1, e.to);
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    CHECK_EQUAL(1, expect_event(s, RELAY_MESSAGE).sequence);
    CHECK_EQUAL(2, expect_event(s, RELAY_STATE_COMPLETE).next);
    CHECK_EQUAL(400, relay_subscriber_count(s).epoch);
    relay_subscriber_close(s);
}

/*
 * A walk that is cut goes on by its number in the same life alone: in another one a message for which an older one was
 * passed over may be gone.
 */
static void test_cut_walk_and_another_life(void) {
    uint8_t frames[512];
    relay_options o = options_of_state();
    /* The number that was asked for, and the first one, which nobody asked for: in another life neither is good. */
    static const int64_t NEXT[] = {3, 3, 1};
    for (int i = 0; i < 3; i++) {
        bool passed_over = i > 0;
        relay_subscriber *s = subscriber_of(&o);
        uint8_t *end = state_welcome(frames, 0, 77, 1, 0);
        end = passed_over ? gap_frame(end, 1, 1, SUPERSEDED) : message(end, 1, "A");
        feed_frames(frames, message(end, 2, "B"));
        expect_event(s, RELAY_STATE_BEGINS);
        expect_event(s, passed_over ? RELAY_GAP : RELAY_MESSAGE);
        expect_event(s, RELAY_MESSAGE);
        connect_to_memory(&s->link);
        check_hello(RELAY_STATE, 77, 3);
        /* A PING that is not at the head completes nothing. */
        feed_frames(frames, ping_frame(state_welcome(frames, 0, 77, 3, 0), 1, 3, 4));
        CHECK(!expect_event(s, RELAY_STATE_BEGINS).anew);
        relay_event e;
        CHECK_EQUAL(RELAY_NOTHING, next_event(s, &e));
        connect_to_memory(&s->link);
        check_hello(RELAY_STATE, 77, 3);
        feed_frames(frames, ping_frame(state_welcome(frames, 0, 78, NEXT[i], 0), 1, 3, 2));
        if (passed_over) {
            CHECK(!take_turn(s, &e));
            CHECK_EQUAL(0, told_count);
            CHECK_EQUAL(IDLE, s->link.state);
            CHECK(s->link.due <= now_ms());
            connect_to_memory(&s->link);
            check_hello(RELAY_STATE, 77, 0);
            end = gap_frame(state_welcome(frames, 0, 78, 1, 0), 1, 1, SUPERSEDED);
            feed_frames(frames, ping_frame(message(end, 1, "A"), 1, 3, 2));
            CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
            expect_event(s, RELAY_GAP);
            CHECK_EQUAL(2, expect_event(s, RELAY_MESSAGE).sequence);
        } else {
            CHECK(!expect_event(s, RELAY_STATE_BEGINS).anew);
        }
        expect_event(s, RELAY_STATE_COMPLETE);
        /* Complete: any life that has the number will do. */
        connect_to_memory(&s->link);
        check_hello(RELAY_STATE, 78, 3);
        feed_frames(frames, state_welcome(frames, 0, 79, 3, 0));
        CHECK(!expect_event(s, RELAY_STATE_BEGINS).anew);
        relay_subscriber_close(s);
    }
}

/* A user who takes nothing for several connections finds one beginning, anew if one of them was. */
static void test_state_begins_once(void) {
    uint8_t frames[256];
    relay_options o = options_of_state();
    relay_subscriber *s = subscriber_of(&o);
    for (int i = 0; i < 10; i++) {
        feed_frames(frames, state_welcome(frames, 0, 77, 1, 0));
        CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
        CHECK_EQUAL(1, s->pending_count - s->pending_taken);
        connect_to_memory(&s->link);
    }
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    feed_frames(frames, state_welcome(frames, 0, 77, 1, 0));
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    /* Another stream, and then no news. */
    for (int flags = EPOCH_CHANGED; flags >= 0; flags--) {
        connect_to_memory(&s->link);
        feed_frames(frames, state_welcome(frames, flags, 78, 1, 0));
        CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
    }
    expect_event(s, RELAY_STREAM_CHANGED);
    CHECK(expect_event(s, RELAY_STATE_BEGINS).anew);
    relay_event e;
    CHECK_EQUAL(RELAY_NOTHING, next_event(s, &e));
    relay_subscriber_close(s);
}

/* Nothing is lost before a user who takes events late: each WELCOME tells of another stream, and jumps. */
static void test_room_for_a_welcome(void) {
    uint8_t frames[256];
    relay_options o = options_of_state();
    for (int waiting = 0; waiting < 2; waiting++) {
        relay_subscriber *s = subscriber_of(&o);
        feed_frames(frames, state_welcome(frames, 0, 77, 1, 0));
        CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
        if (waiting == 0) {
            expect_event(s, RELAY_STATE_BEGINS);
            CHECK(!take_pending(s, &(relay_event){0}));
        }
        /* A jump that is doubted ends the connection; behind the next one, in which it comes again, this end cuts. */
        int64_t epoch = 77;
        s->link.state = IDLE;
        while (!waits_for_user(s)) {
            connect_to_memory(&s->link);
            feed_frames(frames, state_welcome(frames, EPOCH_CHANGED, ++epoch, 5, 0));
            CHECK_EQUAL(RELAY_OK, relay_subscriber_keep_alive(s));
            s->link.state = IDLE;
        }
        CHECK_EQUAL(79, epoch);
        if (waiting == 1) {
            CHECK_EQUAL(77, expect_event(s, RELAY_STATE_BEGINS).epoch);
        }
        for (int64_t at = 78; at <= 79; at++) {
            CHECK_EQUAL(at, expect_event(s, RELAY_STREAM_CHANGED).epoch);
            CHECK_EQUAL(at, expect_event(s, RELAY_STATE_BEGINS).epoch);
        }
        CHECK_EQUAL(4, expect_event(s, RELAY_GAP).to);
        relay_subscriber_close(s);
    }
}

static change *types_of(size_t count, const relay_range *ranges) {
    change *types = calloc(1, sizeof *types + count * sizeof *ranges);
    CHECK(types != NULL);
    types->count = count;
    put_bytes((uint8_t *)types->types, ranges, count * sizeof *ranges);
    return types;
}

static bool covers_ranges(size_t count, const relay_range *types, size_t wanted_count, const relay_range *wanted) {
    change *first = types_of(count, types);
    change *second = types_of(wanted_count, wanted);
    bool does = covers(first, second);
    free(first);
    free(second);
    return does;
}

static void test_covers(void) {
    static const relay_range ALL = {LAST_RESERVED + 1, INT32_MAX};
    static const relay_range MOST[] = {{0, INT32_MAX}, {LAST_RESERVED + 1, -2}};
    static const relay_range PARTS[] = {{7, 9}, {1, 3}, {4, 5}, {2, 2}, {6, 6}, {20, 30}};
    static const relay_range SOME[] = {{2, 8}, {20, 20}};
    static const relay_range MORE[] = {{2, 8}, {9, 10}};
    CHECK(covers_ranges(0, NULL, 0, NULL));
    CHECK(covers_ranges(0, NULL, 1, &ALL));
    CHECK(covers_ranges(1, &ALL, 0, NULL));
    CHECK(!covers_ranges(2, MOST, 0, NULL));
    CHECK(!covers_ranges(6, PARTS, 0, NULL));
    CHECK(covers_ranges(6, PARTS, 6, PARTS));
    CHECK(covers_ranges(6, PARTS, 2, SOME));
    CHECK(!covers_ranges(6, PARTS, 2, MORE));
    CHECK(!covers_ranges(2, SOME, 6, PARTS));
}

/* Types that are added while live have no state: the next connection brings all of it. Fewer types change nothing. */
static void test_widened_types(void) {
    static const relay_range FIRST = {1, 9};
    static const relay_range FEWER = {2, 8};
    static const relay_range MORE = {1, 20};
    uint8_t frames[512];
    for (int widened = 0; widened < 2; widened++) {
        for (int answered = 0; answered < 2; answered++) {
            relay_options o = options_of_state();
            o.types = &FIRST;
            o.type_count = 1;
            relay_subscriber *s = subscriber_of(&o);
            feed_frames(frames, ping_frame(message(state_welcome(frames, 0, 77, 1, 0), 3, "one"), 1, 2, 1));
            expect_event(s, RELAY_STATE_BEGINS);
            expect_event(s, RELAY_MESSAGE);
            expect_event(s, RELAY_STATE_COMPLETE);
            CHECK_EQUAL(RELAY_OK, relay_subscriber_types(s, widened ? &MORE : &FEWER, 1, NULL));
            if (answered) {
                feed_frames(frames, subscribed_frame(frames, 0, 2));
                expect_event(s, RELAY_TYPES);
            }
            connect_to_memory(&s->link);
            check_hello(RELAY_STATE, 77, widened ? 0 : 2);
            /* Lost before WELCOME: it is asked for again. */
            connect_to_memory(&s->link);
            check_hello(RELAY_STATE, 77, widened ? 0 : 2);
            feed_frames(frames, message(state_welcome(frames, 0, 77, widened ? 1 : 2, 0), 3, "x"));
            CHECK_EQUAL(widened, expect_event(s, RELAY_STATE_BEGINS).anew);
            if (!answered) {
                CHECK_EQUAL(widened ? 1 : 2, expect_event(s, RELAY_TYPES).sequence);
            }
            CHECK_EQUAL(widened ? 1 : 2, expect_event(s, RELAY_MESSAGE).sequence);
            /* It is the state of these types by now. */
            connect_to_memory(&s->link);
            check_hello(RELAY_STATE, 77, widened ? 2 : 3);
            relay_subscriber_close(s);
        }
    }
    /* Back to the types of before: what came meanwhile is lacking. */
    relay_options o = options_of_state();
    o.types = &FIRST;
    o.type_count = 1;
    relay_subscriber *s = subscriber_of(&o);
    feed_frames(frames, message(state_welcome(frames, 0, 77, 1, 0), 3, "one"));
    expect_event(s, RELAY_STATE_BEGINS);
    expect_event(s, RELAY_MESSAGE);
    CHECK_EQUAL(RELAY_OK, relay_subscriber_types(s, &FEWER, 1, NULL));
    CHECK_EQUAL(RELAY_OK, relay_subscriber_types(s, &FIRST, 1, NULL));
    feed_frames(frames, subscribed_frame(subscribed_frame(frames, 0, 2), 1, 5));
    expect_event(s, RELAY_TYPES);
    expect_event(s, RELAY_TYPES);
    connect_to_memory(&s->link);
    check_hello(RELAY_STATE, 77, 0);
    relay_subscriber_close(s);
}

static void test_older_relay(void) {
    uint8_t frames[256];
    for (int i = 0; i < 4; i++) {
        relay_options o = options_of_tests();
        o.start = i & 1 ? RELAY_STATE : RELAY_LIVE;
        o.policy = i & 2 ? RELAY_LATEST : RELAY_DEFAULT;
        relay_subscriber *s = subscriber_of(&o);
        CHECK_EQUAL(i & 2 ? 5 : 0, written[HEADER + 5]);
        relay_event e;
        feed_frames(frames, error_frame(frames, MALFORMED_CONTROL, "HELLO: start 4"));
        CHECK_EQUAL(RELAY_FATAL, next_event(s, &e));
        CHECK_EQUAL(MALFORMED_CONTROL, relay_subscriber_error(s)->code);
        const char *text = relay_subscriber_error(s)->text;
        CHECK_EQUAL(i > 0, strstr(text, "this relay is older than") != NULL);
        CHECK_EQUAL(i & 1, strstr(text, "start = state: MALFORMED_CONTROL (12): HELLO: start 4") != NULL);
        CHECK_EQUAL(i == 2, strstr(text, "policy = latest") != NULL);
        relay_subscriber_close(s);
    }
    /* Behind WELCOME it is another fault, and other codes say themselves what is wrong. */
    relay_options o = options_of_state();
    for (int code = MALFORMED_CONTROL; code <= UNSUPPORTED; code++) {
        relay_subscriber *s = subscriber_of(&o);
        relay_event e;
        uint8_t *at = code == MALFORMED_CONTROL ? state_welcome(frames, 0, 77, 1, 0) : frames;
        feed_frames(frames, error_frame(at, code, "why"));
        while (next_event(s, &e) == RELAY_OK) {
        }
        CHECK_EQUAL(code, relay_subscriber_error(s)->code);
        CHECK(strstr(relay_subscriber_error(s)->text, "older") == NULL);
        relay_subscriber_close(s);
    }
}

/* A state that does not become complete: told once, with the next input behind its time. */
static void test_late_state(void) {
    uint8_t frames[512];
    relay_options o = options_of_state();
    relay_subscriber *s = subscriber_of(&o);
    relay_event e;
    feed_frames(frames, message(state_welcome(frames, 0, 77, 1, 0), 1, "one"));
    expect_event(s, RELAY_STATE_BEGINS);
    expect_event(s, RELAY_MESSAGE);
    s->link.welcomed_at -= LATE_MS;
    size_t before = told_count;
    CHECK_EQUAL(RELAY_NOTHING, next_event(s, &e));
    CHECK_EQUAL(before, told_count);
    for (int i = 0; i < 2; i++) {
        feed_frames(frames, message(frames, 1, "more"));
        expect_event(s, RELAY_MESSAGE);
        CHECK_EQUAL(before + 1, told_count);
        CHECK_EQUAL(RELAY_STATE_LATE, told[before].kind);
    }
    feed_frames(frames, ping_frame(frames, 1, 4, 3));
    expect_event(s, RELAY_STATE_COMPLETE);
    /* Each connection has its own time. */
    connect_to_memory(&s->link);
    feed_frames(frames, ping_frame(state_welcome(frames, 0, 77, 4, 0), 1, 4, 3));
    expect_event(s, RELAY_STATE_BEGINS);
    expect_event(s, RELAY_STATE_COMPLETE);
    s->link.welcomed_at -= LATE_MS;
    feed_frames(frames, message(frames, 1, "more"));
    expect_event(s, RELAY_MESSAGE);
    CHECK(told[told_count - 1].kind != RELAY_STATE_LATE);
    relay_subscriber_close(s);
}

static uint8_t *interval_welcome(uint8_t *at, int64_t next, uint32_t interval_ms) {
    uint8_t *frame = at;
    at = put32(put64(welcome_frame(at, SEQUENCES | INTERVAL, next, 0), 0), interval_ms);
    put_header(frame, WELCOME, (size_t)(at - frame) - HEADER);
    return at;
}

/* Checks what the last HELLO says of an interval. Other fields may stand between the name and it. */
static void check_asked_interval(uint32_t interval_ms, relay_policy policy, size_t others) {
    size_t name = get16(written + HEADER + 40);
    CHECK_EQUAL(policy, written[HEADER + 5]);
    CHECK_EQUAL(interval_ms > 0 ? INTERVAL : 0, get32(written + HEADER + 8) & INTERVAL);
    CHECK_EQUAL(HEADER + 42 + name + others + (interval_ms > 0 ? ID_LENGTH + 4 : 0), written_length);
    CHECK_EQUAL(written_length - HEADER, get32(written + 4));
    if (interval_ms > 0) {
        CHECK_EQUAL(interval_ms, get32(written + written_length - 4));
    }
}

/* An interval is asked for over each connection. What is granted may differ. Each tick ends with a PING at the head. */
static void test_interval(void) {
    uint8_t frames[1024];
    uint8_t *end = message(gap_frame(interval_welcome(frames, 1, 500), 1, 2, SUPERSEDED), 1, "a");
    end = ping_frame(ping_frame(end, 1, 4, 3), 2, 4, 9);
    end = ping_frame(message(gap_frame(end, 4, 8, SUPERSEDED), 1, "b"), 3, 10, 9);
    size_t length = (size_t)(end - frames);
    for (size_t piece = 1; piece <= length; piece++) {
        relay_options o = options_of_tests();
        o.policy = piece & 1 ? RELAY_DEFAULT : RELAY_LATEST;
        o.interval_ms = 500;
        relay_subscriber *s = subscriber_of(&o);
        check_asked_interval(500, RELAY_LATEST, 0);
        reads_at_most = piece;
        feed_frames(frames, end);
        CHECK_EQUAL(2, expect_event(s, RELAY_GAP).to);
        CHECK_EQUAL(3, expect_event(s, RELAY_MESSAGE).sequence);
        CHECK_EQUAL(RELAY_CONNECTED, told[0].kind);
        CHECK_EQUAL(500, told[0].interval_ms);
        CHECK_EQUAL(8, expect_event(s, RELAY_GAP).to);
        CHECK_EQUAL(9, expect_event(s, RELAY_MESSAGE).sequence);
        relay_event e;
        CHECK_EQUAL(RELAY_NOTHING, next_event(s, &e));
        CHECK_EQUAL(10, relay_subscriber_count(s).next);
        CHECK_EQUAL(9, relay_subscriber_count(s).head);
        /* Another relay may grant a longer one, or none. */
        for (int granted = 1; granted >= 0; granted--) {
            uint8_t more[256];
            connect_to_memory(&s->link);
            check_asked_interval(500, RELAY_LATEST, 0);
            feed_frames(more, granted ? interval_welcome(more, 10, 3600000) : welcome_frame(more, SEQUENCES, 10, 0));
            CHECK_EQUAL(RELAY_NOTHING, next_event(s, &e));
            CHECK_EQUAL(granted ? 3600000 : 0, told[0].interval_ms);
        }
        relay_subscriber_close(s);
    }
    /* An older relay refuses the policy that the interval stands for. */
    relay_options o = options_of_tests();
    o.token = "secret";
    o.interval_ms = 10;
    relay_subscriber *s = subscriber_of(&o);
    relay_event e;
    check_asked_interval(10, RELAY_LATEST, 2 + strlen("secret"));
    feed_frames(frames, error_frame(frames, MALFORMED_CONTROL, "HELLO: policy 5"));
    CHECK_EQUAL(RELAY_FATAL, next_event(s, &e));
    CHECK(strstr(relay_subscriber_error(s)->text, "this relay is older than policy = latest") != NULL);
    relay_subscriber_close(s);
    o = options_of_tests();
    o.policy = RELAY_LATEST;
    s = subscriber_of(&o);
    check_asked_interval(0, RELAY_LATEST, 0);
    relay_subscriber_close(s);
}

static int64_t fake_end;

static int64_t fake_certificate_ends(void *session) {
    (void)session;
    return fake_end;
}

/* Looks at the certificate so many s before its end; returns the days that are told, INT_MAX: none are. */
static int told_days(relay_link *l, int64_t seconds_left) {
    told_count = 0;
    take_certificate(l, fake_end - seconds_left);
    CHECK(told_count <= 1);
    if (told_count == 0) {
        return INT_MAX;
    }
    CHECK_EQUAL(RELAY_CERTIFICATE, told[0].kind);
    return told[0].days;
}

static void test_certificate(void) {
    static const int64_t DAY = DAY_S;
    relay_tls tls = FAKE;
    relay_options o = options_of_tests();
    o.tls = &tls;
    relay_subscriber *s = subscriber_of(&o);
    relay_link *l = &s->link;
    CHECK_EQUAL(INT_MAX, told_days(l, 0));
    CHECK_EQUAL(INT64_MAX, l->certificate_look);
    tls.certificate_ends = fake_certificate_ends;
    fake_end = INT64_MAX;
    CHECK_EQUAL(INT_MAX, told_days(l, 0));
    CHECK_EQUAL(INT64_MAX, l->certificate_look);
    fake_end = 2000000000;
    CHECK_EQUAL(INT_MAX, told_days(l, 30 * DAY + 1));
    CHECK_EQUAL(30, told_days(l, 30 * DAY));
    CHECK_EQUAL(l->now + 1000 * DAY, l->certificate_look);
    CHECK_EQUAL(INT_MAX, told_days(l, 29 * DAY));
    CHECK_EQUAL(INT_MAX, told_days(l, 7 * DAY + 1));
    CHECK_EQUAL(6, told_days(l, 5 * DAY + 1));
    CHECK_EQUAL(1, told_days(l, 1));
    CHECK_EQUAL(INT_MAX, told_days(l, 1));
    CHECK_EQUAL(0, told_days(l, 0));
    CHECK_EQUAL(INT_MAX, told_days(l, -3 * DAY));
    /* Another one, which ended long ago. */
    fake_end = 1000000000;
    CHECK_EQUAL(-3, told_days(l, -3 * DAY - 5));
    relay_subscriber_close(s);
}

/* A stream, and what a relay with --state makes of it for one reader. */
enum { MODEL_TYPES = 8, MODEL_MESSAGES = 4000 };

typedef struct model {
    int64_t epoch;
    int64_t head;
    /* By sequence. */
    uint8_t type[MODEL_MESSAGES];
    bool tombstone[MODEL_MESSAGES];
    /* The life before, and its fork; 0: none that is known. */
    int64_t older;
    int64_t fork;

    /* The connection: the reader's types as bits, its next message, and whether its walk is over. */
    unsigned types;
    int64_t next;
    bool live;
    uint8_t frames[1 << 16];
    size_t length;
    size_t heard;
} model;

/* Sequence of the newest message of a type; 0: there is none, or it deletes. */
static int64_t newest(const model *m, int type, int64_t up_to) {
    for (int64_t i = up_to; i > 0; i--) {
        if (m->type[i] == type) {
            return m->tombstone[i] ? 0 : i;
        }
    }
    return 0;
}

static void send_bytes(model *m, const uint8_t *end) {
    m->length = (size_t)(end - m->frames);
    CHECK(m->length + 256 < sizeof m->frames);
}

static void send_message(model *m, int64_t sequence) {
    uint8_t *at = m->frames + m->length;
    if (sequence != m->next) {
        at = m->live ? sequence_frame(at, sequence) : gap_frame(at, m->next, sequence - 1, 4);
    }
    send_bytes(m, message(at, m->type[sequence], m->tombstone[sequence] ? "" : "body"));
    m->next = sequence + 1;
}

static void send_ping(model *m) {
    send_bytes(m, ping_frame(m->frames + m->length, 1, m->next, m->head));
}

static void publish_to(model *m) {
    CHECK(m->head + 1 < MODEL_MESSAGES);
    m->head++;
    m->type[m->head] = (uint8_t)(1 + random_below(MODEL_TYPES));
    m->tombstone[m->head] = random_below(5) == 0;
    if (m->live && (m->types >> m->type[m->head] & 1) != 0) {
        send_message(m, m->head);
    }
}

/* One step of since(p): the next message that is the newest one of its type, or the end of the walk. */
static void walk(model *m) {
    unsigned later = 0;
    int64_t found = 0;
    for (int64_t i = m->head; i >= m->next; i--) {
        unsigned bit = 1u << m->type[i];
        found = (m->types & bit & ~later) != 0 ? i : found;
        later |= bit;
    }
    if (found > 0) {
        send_message(m, found);
        return;
    }
    if (m->next <= m->head) {
        send_bytes(m, gap_frame(m->frames + m->length, m->next, m->head, 4));
        m->next = m->head + 1;
    }
    m->live = true;
    send_ping(m);
}

static unsigned types_in(const uint8_t *ranges, size_t count) {
    unsigned types = count == 0 ? ~0u : 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t type = get32(ranges + 8 * i); type <= get32(ranges + 8 * i + 4); type++) {
            types |= 1u << type;
        }
    }
    return types;
}

static void answer_hello(model *m) {
    const uint8_t *hello = written + HEADER;
    int64_t epoch = get64(hello + 16);
    int64_t number = get64(hello + 24);
    int flags = 0;
    CHECK_EQUAL(RELAY_STATE, hello[6]);
    if (epoch != 0 && epoch == m->older) {
        flags = number > m->fork ? EPOCH_CHANGED | ROLLED_BACK : 0;
    } else if (epoch != 0 && epoch != m->epoch) {
        flags = EPOCH_CHANGED;
    }
    m->heard = HEADER + get32(written + 4);
    m->types = types_in(hello + 40, get16(hello + 32));
    m->next = flags != 0 || number < 1 ? 1 : number;
    m->live = false;
    send_bytes(m, state_welcome(m->frames, flags, m->epoch, m->next, (flags & ROLLED_BACK) != 0 ? m->fork : 0));
    if (m->next <= m->head && random_below(2) == 0) {
        send_ping(m);
    }
}

/* Takes a SUBSCRIBE; returns its types. */
static unsigned answer_subscribe(model *m) {
    const uint8_t *at = written + m->heard;
    bool whole = written_length - m->heard >= HEADER && written_length - m->heard >= HEADER + get32(at + 4);
    if (!whole) {
        return ~0u;
    }
    m->heard += HEADER + get32(at + 4);
    if (get32(at) != (0x80000000u | SUBSCRIBE)) {
        return ~0u;
    }
    m->next = m->head + 1;
    m->types = types_in(at + HEADER + 8, get16(at + HEADER + 4));
    send_bytes(m, subscribed_frame(m->frames + m->length, get32(at + HEADER), m->next));
    return m->types;
}

/* The relay starts again: with a journal that ends earlier, or without one. */
static void restart(model *m) {
    bool kept = random_below(3) > 0;
    m->older = kept ? m->epoch : 0;
    m->epoch++;
    m->fork = kept ? m->head - random_below((uint32_t)(m->head < 20 ? m->head : 20) + 1) + 1 : 0;
    m->head = kept ? m->fork - 1 : 0;
}

/* Updates, losses at any byte, restarts and changes of types: at each completion the view is that of the stream. */
static void test_state_in_any_order(void) {
    static model m;
    int begun[2] = {0, 0};
    int completed = 0;
    int asked_again = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        state_of_random = seed * 0x9E3779B97F4A7C15u;
        memset(&m, 0, sizeof m);
        m.epoch = 100;
        /* What the view has of each type, and the types of which it has all. */
        int64_t view[MODEL_TYPES + 1] = {0};
        unsigned whole = 0;
        bool complete = false;
        relay_options o = options_of_state();
        relay_subscriber *s = subscriber_of(&o);
        answer_hello(&m);
        whole = m.types;
        feed = m.frames;
        for (int turn = 0; turn < 150; turn++) {
            uint32_t choice = random_below(100);
            bool lost = choice >= 95;
            for (uint32_t i = random_below(6); i > 0; i--) {
                publish_to(&m);
            }
            if (choice < 60 && !m.live) {
                walk(&m);
            } else if (choice < 70 && m.live) {
                m.next = m.head + 1;
                send_ping(&m);
            } else if (choice < 75 && s->link.state == OPEN) {
                relay_range types[2];
                for (int i = 0; i < 2; i++) {
                    types[i].from = (int32_t)(1 + random_below(MODEL_TYPES));
                    types[i].to = types[i].from + (int32_t)random_below(4);
                }
                CHECK_EQUAL(RELAY_OK, relay_subscriber_types(s, types, random_below(3), NULL));
            } else if (choice < 85 && m.live) {
                whole &= answer_subscribe(&m);
            }
            /* The rest of what the relay has sent, or with a loss a part of it. */
            size_t left = m.length - (size_t)(feed - m.frames);
            feed_length = lost ? random_below((uint32_t)left + 1) : left;
            feed_ends = lost;
            reads_at_most = random_below(3) == 0 ? 1 + random_below(3) : SIZE_MAX;
            told_count = 0;
            relay_event e;
            bool taken;
            do {
                taken = take_turn(s, &e);
                if (taken && e.kind == RELAY_STATE_BEGINS) {
                    begun[e.anew]++;
                    complete = false;
                    for (int i = 1; e.anew && i <= MODEL_TYPES; i++) {
                        view[i] = 0;
                    }
                } else if (taken && e.kind == RELAY_MESSAGE) {
                    CHECK_EQUAL(m.type[e.sequence], e.type);
                    view[e.type] = e.length == 0 ? 0 : e.sequence;
                } else if (taken && e.kind == RELAY_STATE_COMPLETE) {
                    CHECK(!complete);
                    complete = true;
                    completed++;
                    for (int i = 1; i <= MODEL_TYPES; i++) {
                        CHECK((whole >> i & 1) == 0 || view[i] == newest(&m, i, e.next - 1));
                    }
                }
            } while (taken || (is_connected(s) && (lost || feed_length > 0)));
            bool asks_again = !lost && s->link.state == IDLE;
            asked_again += asks_again;
            CHECK(lost || asks_again || s->link.state == OPEN);
            if (lost || asks_again) {
                if (lost && random_below(4) == 0) {
                    restart(&m);
                }
                connect_to_memory(&s->link);
                feed = m.frames;
                answer_hello(&m);
                whole = m.types;
            } else if (complete && m.live && s->link.state == OPEN) {
                for (int i = 1; i <= MODEL_TYPES; i++) {
                    CHECK((whole >> i & 1) == 0 || view[i] == newest(&m, i, m.head));
                }
            }
        }
        relay_subscriber_close(s);
    }
    CHECK(begun[0] > 1000 && begun[1] > 1000 && completed > 1000 && asked_again > 0);
}

int main(int count, char **arguments) {
    test_vectors(count > 1 ? arguments[1] : NULL);
    test_hello();
    test_pieces();
    test_every_cut();
    test_large_bodies();
    test_keep_alive();
    test_error_codes();
    test_waits();
    test_told_waits();
    test_ring();
    test_pong_byte_by_byte();
    test_pong_before_its_ping();
    test_ping_each_heartbeat();
    test_ping_each_mebibyte();
    test_going_away();
    test_any_order();
    test_no_welcome();
    test_refused_options();
    test_refused_messages();
    test_text();
    test_unasked_pong();
    test_turns();
    test_common_life();
    test_older_backup();
    test_state_pieces();
    test_peer();
    test_state_begins();
    test_state_of_another_life();
    test_cut_walk_and_another_life();
    test_state_begins_once();
    test_room_for_a_welcome();
    test_covers();
    test_widened_types();
    test_older_relay();
    test_late_state();
    test_interval();
    test_certificate();
    test_state_in_any_order();
    time_stands = false;
    test_slow_handler();
    test_race();
    test_slow_name();
    return 0;
}
