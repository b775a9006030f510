/*
 * A relay that sends anything: the client must neither crash nor hang, and keep its memory. With clang it is a target of
 * libFuzzer; otherwise main makes inputs of its own from a seed: fuzz [INPUTS] [SEED].
 */
#include "../src/relay.c"

typedef struct input {
    const uint8_t *bytes;
    size_t length;
    size_t at_most;
} input;

static input rest;

static long fuzz_read(void *session, void *bytes, size_t size, char *text, size_t text_size) {
    (void)session;
    (void)text;
    (void)text_size;
    size_t n = size < rest.at_most ? size : rest.at_most;
    n = n < rest.length ? n : rest.length;
    if (n == 0) {
        return RELAY_TLS_END;
    }
    memcpy(bytes, rest.bytes, n);
    rest.bytes += n;
    rest.length -= n;
    return (long)n;
}

static long fuzz_write(void *session, const void *bytes, size_t size, char *text, size_t text_size) {
    (void)session;
    (void)bytes;
    (void)text;
    (void)text_size;
    return size > 7 ? 7 : RELAY_TLS_WANTS_WRITE;
}

static void fuzz_free(void *session) {
    (void)session;
}

static void on_event(void *user, const relay_event *event) {
    int64_t *sum = user;
    *sum += event->kind + (event->error == NULL ? 0 : (int64_t)strlen(event->error->text));
}

static void attach(relay_link *l) {
    l->session = l;
    l->fd = INT_MAX;
    l->now = now_ms();
    begin(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const ENDPOINTS[] = {"127.0.0.1:1"};
    static const relay_tls TLS = {NULL, NULL, NULL, fuzz_read, fuzz_write, fuzz_free, fuzz_free, NULL};
    static const relay_range ONE = {1, 9};
    if (size < 2) {
        return 0;
    }
    int64_t sum = 0;
    relay_options o = relay_options_default();
    o.endpoints = ENDPOINTS;
    o.endpoint_count = 1;
    o.tls = &TLS;
    o.reconnect.rounds = data[0] & 1 ? 0 : -1;
    o.max_body = 1000;
    o.on_event = on_event;
    o.user = &sum;
    rest = (input){data + 2, size - 2, 1 + data[1]};
    if (data[0] & 2) {
        o.acks = (data[0] & 4) != 0;
        o.name = "fuzz";
        o.level = o.acks && data[0] & 8 ? RELAY_WRITTEN : RELAY_STREAM;
        o.buffer = 3000;
        relay_publisher *p = relay_publisher_open(&o, NULL);
        attach(&p->link);
        static const uint8_t BODY[200];
        while (p->link.state == GREETING || p->link.state == OPEN) {
            relay_publisher_publish(p, 1, BODY, data[1] % 200, 0);
            /* As a flush does that does not wait. */
            p->asked = p->messages;
            publisher_advance(p);
        }
        p->link.state = ENDED;
        relay_publisher_close(p, NULL);
    } else {
        o.plain = (data[0] & 4) != 0;
        o.start = data[0] & 32 && !o.plain ? RELAY_STATE : RELAY_LIVE;
        o.types = data[0] & 8 ? &ONE : NULL;
        o.type_count = data[0] & 8 && !o.plain ? 1 : 0;
        relay_subscriber *s = relay_subscriber_open(&o, NULL);
        attach(&s->link);
        relay_subscriber_types(s, &ONE, 1, NULL);
        while (s->link.state == GREETING || s->link.state == OPEN) {
            relay_event e;
            if (data[0] & 16) {
                relay_subscriber_keep_alive(s);
            }
            while (take_frames(s, &e)) {
                for (size_t i = 0; i < e.length; i++) {
                    sum += e.body[i];
                }
            }
            if (s->link.state != ENDED && s->link.state != IDLE) {
                advance(&s->link);
            }
        }
        relay_subscriber_close(s);
    }
    return sum == INT64_MIN;
}

#ifndef RELAY_LIBFUZZER

static uint64_t state_of_random;

static uint32_t random_below(uint32_t bound) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % bound;
}

static int64_t odd_number(void) {
    static const int64_t ODD[] = {0, 1, 2, 3, -1, INT64_MAX, INT64_MIN, FARTHEST, 10, 77};
    return ODD[random_below(sizeof ODD / sizeof *ODD)];
}

/* A frame as a relay would send it, mostly. */
static uint8_t *any_frame(uint8_t *at, int64_t *next) {
    uint8_t *start = at;
    uint32_t kind = random_below(14);
    if (kind < 4) {
        uint32_t length = random_below(40);
        at = put32(put32(at, random_below(12)), length);
        memset(at, 'x', length);
        at += length;
        ++*next;
    } else if (kind == WELCOME) {
        at = put16(put16(put_header(at, WELCOME, 50), 1), 0x100 + random_below(4));
        at = put64(put64(put64(put32(at, random_below(64)), 1 + random_below(3)), *next), random_below(3));
        at = put64(put32(put32(put32(at, 1000), 1000), 5000), 0x0004000000000000);
    } else {
        size_t length = random_below(40);
        at = put_header(at, (int)(kind < 12 ? kind : random_below(256)), length);
        memset(at, 0, length);
        for (size_t i = 0; i + 8 <= length; i += 8) {
            put64(at + i, random_below(3) == 0 ? odd_number() : *next);
        }
        at += length;
    }
    if (random_below(30) == 0 && at > start) {
        start[random_below((uint32_t)(at - start))] = (uint8_t)random_below(256);
    }
    return at;
}

int main(int count, char **arguments) {
    long inputs = count > 1 ? atol(arguments[1]) : 20000;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    static uint8_t bytes[1 << 16];
    for (long i = 0; i < inputs; i++) {
        state_of_random = seed + (uint64_t)i * 0x9E3779B97F4A7C15u;
        int64_t next = 1;
        bytes[0] = (uint8_t)random_below(64);
        bytes[1] = (uint8_t)random_below(256);
        uint8_t *at = bytes + 2;
        if (random_below(8) > 0) {
            at = put16(put16(put_header(at, WELCOME, 50), 1), 0x100);
            at = put64(put64(put64(put32(at, 35), 5), 1), 0);
            at = put64(put32(put32(put32(at, 1000), 1000), 5000), 0x0004000000000000);
        }
        for (uint32_t frames = random_below(60); frames > 0; frames--) {
            at = any_frame(at, &next);
        }
        LLVMFuzzerTestOneInput(bytes, (size_t)(at - bytes));
    }
    printf("%ld inputs from seed %llu\n", inputs, (unsigned long long)seed);
    return 0;
}

#endif
