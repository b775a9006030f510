/* Tests of the core, without sockets: it includes the source, to reach what is static there. */
#include "../src/relay.c"

#include "check.h"

#include <dirent.h>

/* ---- A connection of memory: the client reads what a test feeds, and what it writes is kept ---- */

static uint8_t written[1 << 20];
static size_t written_length;
static size_t writes_at_most;
static const uint8_t *feed;
static size_t feed_length;
static size_t reads_at_most;

static long fake_read(void *session, void *bytes, size_t size, char *text, size_t text_size) {
    (void)session;
    (void)text;
    (void)text_size;
    size_t n = size < feed_length ? size : feed_length;
    n = n < reads_at_most ? n : reads_at_most;
    put_bytes(bytes, feed, n);
    feed += n;
    feed_length -= n;
    return n == 0 ? RELAY_TLS_WANTS_READ : (long)n;
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

static const relay_tls FAKE = {NULL, NULL, NULL, fake_read, fake_write, fake_free, fake_free};
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

/* The HELLO of the example in docs/protocol.md. */
static void test_hello(void) {
    static const uint8_t EXPECTED[] = {0x80, 0, 0, 1,    0, 0, 0, 0x37, 0,    1,    0,    1,    1,    0,    1,    0,
                                       0,    0, 0, 6,    0, 0, 0, 0,    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
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
        int64_t wait = next_wait(l, AGAIN);
        CHECK(wait <= expected && wait >= expected / 2);
        expected = expected * 2 < 10000 ? expected * 2 : 10000;
    }
    l->tries = 0;
    CHECK(next_wait(l, SLOWLY) <= 0);
    CHECK(next_wait(l, SLOWLY) >= 5000);
    CHECK_EQUAL(-1, next_wait(l, STOP));
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

int main(int count, char **arguments) {
    test_vectors(count > 1 ? arguments[1] : NULL);
    test_hello();
    test_pieces();
    test_every_cut();
    test_large_bodies();
    test_keep_alive();
    test_error_codes();
    test_waits();
    test_ring();
    test_refused_options();
    test_refused_messages();
    test_text();
    return 0;
}
