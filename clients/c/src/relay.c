/* See relay.h. The wire is described in docs/protocol.md. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE 1

#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* ---- The wire ---- */

enum {
    HEADER = 8,
    MAX_CONTROL = 16384,
    MAX_MAX_BODY = 64 << 20,
    MAX_NAME = 255,
    MAX_RANGES = 1024,
    MAX_TEXT = 512,
    MAX_LIVES = 16,
    /* Linux cuts the name of a congestion control here. */
    MAX_CONGESTION = 15,
    ID_LENGTH = 16,
    MIN_HEARTBEAT_MS = 100,
    MAX_HEARTBEAT_MS = 3600000,
    MAX_RETRY_AFTER_MS = 3600000,
    MIN_INTERVAL_MS = 10,
    MAX_INTERVAL_MS = 3600000,
    FIRST_RESERVED = INT32_MIN,
    LAST_RESERVED = INT32_MIN + 0xFF
};

/* Types of control frames, less 0x80000000. */
enum {
    HELLO = 1,
    WELCOME,
    SUBSCRIBE,
    PING,
    PONG,
    SEQUENCE,
    GAP,
    ACK,
    ERROR_FRAME,
    GOAWAY,
    SUBSCRIBED,
    RETRY_AFTER,
    MUST_UNDERSTAND = 0x80
};

enum { ACKS = 1, SEQUENCES = 2, NARROWED = 4, INTERVAL = 8, PEER = 16, LEVELS = 32, EPOCHS = 64, TOKEN = 1 << 16 };
enum { EPOCH_CHANGED = 1, ROLLED_BACK = 2 };
enum { SUBSCRIBER_ROLE = 1, PUBLISHER_ROLE = 2 };
/* The reason of GAP that is no loss. */
enum { SUPERSEDED = 4 };

/* Codes of ERROR that this client finds itself, or treats in a way of its own. */
enum {
    NEGATIVE_LENGTH = 4,
    OVERSIZED_LENGTH = 5,
    RESERVED_TYPE = 6,
    SHUTDOWN = 10,
    MALFORMED_CONTROL = 12,
    UNSUPPORTED = 13,
    PROTOCOL_ORDER = 15,
    HANDSHAKE_TIMEOUT = 16,
    IDLE_TIMEOUT = 17,
    MESSAGE_GAP = 23,
    NOT_AUTHENTICATED = 28,
    TLS_KEY_USED_UP = 33
};

/* Limit of a sequence: no stream gets there, and a number behind it would soon be negative. */
#define FARTHEST ((int64_t)1 << 62)

static const char *const CODES[] = {
    "no code",          "PEER_CLOSED",       "CONNECTION_LOST",       "TRUNCATED_FRAME",      "NEGATIVE_LENGTH",
    "OVERSIZED_LENGTH", "RESERVED_TYPE",     "UNEXPECTED_INPUT",      "SLOW_SUBSCRIBER",      "STALLED_SUBSCRIBER",
    "SHUTDOWN",         "INTERNAL_ERROR",    "MALFORMED_CONTROL",     "UNSUPPORTED",          "WRONG_ROLE",
    "PROTOCOL_ORDER",   "HANDSHAKE_TIMEOUT", "IDLE_TIMEOUT",          "TOO_MANY_CONNECTIONS", "TOO_MANY_PUBLISHERS",
    "NAME_TAKEN",       "BAD_START",         "TOO_MANY_NAMES",        "MESSAGE_GAP",          "NAME_HELD",
    "MEMORY_LIMIT",     "FRAME_TIMEOUT",     "TOO_MANY_FROM_ADDRESS", "NOT_AUTHENTICATED",    "NOT_PERMITTED",
    "REVOKED",          "TLS_FAILED",        "RATE_LIMITED",          "TLS_KEY_USED_UP",      "JOURNAL_FAILED"};

static const char *const FRAMES[] = {"0x80000000", "HELLO",      "WELCOME",    "SUBSCRIBE", "PING",
                                     "PONG",       "SEQUENCE",   "GAP",        "ACK",       "ERROR",
                                     "GOAWAY",     "SUBSCRIBED", "RETRY_AFTER"};

static const char *code_name(int code) {
    return code >= 0 && (size_t)code < sizeof CODES / sizeof *CODES ? CODES[code] : "unknown code";
}

static const char *frame_name(int control) {
    return (size_t)control < sizeof FRAMES / sizeof *FRAMES ? FRAMES[control] : "an unknown control frame";
}

static bool is_reserved(int32_t type) {
    return type <= LAST_RESERVED;
}

static uint16_t get16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t get64(const uint8_t *at) {
    return (int64_t)((uint64_t)get32(at) << 32 | get32(at + 4));
}

static uint8_t *put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value) {
    return put16(put16(at, value >> 16), value & 0xFFFF);
}

static uint8_t *put64(uint8_t *at, int64_t value) {
    return put32(put32(at, (uint32_t)((uint64_t)value >> 32)), (uint32_t)value);
}

static uint8_t *put_header(uint8_t *at, int control, size_t length) {
    return put32(put32(at, 0x80000000u | (uint32_t)control), (uint32_t)length);
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t length) {
    if (length > 0) {
        memcpy(at, bytes, length);
    }
    return at + length;
}

static uint8_t *put_ranges(uint8_t *at, const relay_range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        at = put32(put32(at, (uint32_t)ranges[i].from), (uint32_t)ranges[i].to);
    }
    return at;
}

/* Length of the character at the start of the bytes; 0: it is not valid UTF-8. */
static size_t utf8_length(const uint8_t *at, size_t length) {
    static const uint32_t LOWEST[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0x80) {
        return 1;
    }
    size_t n = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || n > length) {
        return 0;
    }
    uint32_t value = at[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | (at[i] & 0x3Fu);
    }
    return value < LOWEST[n] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF) ? 0 : n;
}

static bool is_control_character(const uint8_t *at, size_t n) {
    return (n == 1 && (at[0] < 0x20 || at[0] == 0x7F)) || (n == 2 && at[0] == 0xC2 && at[1] < 0xA0);
}

/* Whether this is a string of the protocol: UTF-8 without control characters. */
static bool is_string(const uint8_t *at, size_t length) {
    for (size_t i = 0, n = 0; i < length; i += n) {
        n = utf8_length(at + i, length - i);
        if (n == 0 || is_control_character(at + i, n)) {
            return false;
        }
    }
    return true;
}

/* Copies a text of a peer, with a ? for what a terminal or a log should not get, cut at a character. */
static void copy_text(char *to, size_t size, const uint8_t *at, size_t length) {
    size_t end = 0;
    for (size_t i = 0, n = 0; i < length; i += n) {
        n = utf8_length(at + i, length - i);
        bool bad = n == 0 || is_control_character(at + i, n);
        n = n == 0 ? 1 : n;
        if (end + (bad ? 1 : n) >= size) {
            break;
        }
        if (bad) {
            to[end++] = '?';
        } else {
            memcpy(to + end, at + i, n);
            end += n;
        }
    }
    to[end] = 0;
}

/* A life of a stream, and the first sequence that it could give. */
typedef struct life {
    int64_t epoch;
    int64_t first;
} life;

/* The newest lives of a stream, the newest one first. */
typedef struct lives {
    int count;
    life rows[MAX_LIVES];
} lives;

/*
 * The newest life of mine, but for the first, that is also in theirs; 0: there is none. From *changed on their messages
 * are not, or need not be, the same.
 */
static int common_life(const lives *mine, const lives *theirs, int64_t *changed) {
    int64_t newer = INT64_MAX;
    for (int i = 1; i < mine->count; i++) {
        newer = mine->rows[i - 1].first < newer ? mine->rows[i - 1].first : newer;
        *changed = newer;
        for (int j = 0; j < theirs->count; j++) {
            if (theirs->rows[j].epoch == mine->rows[i].epoch) {
                return i;
            }
            *changed = theirs->rows[j].first < *changed ? theirs->rows[j].first : *changed;
        }
    }
    return 0;
}

typedef struct welcome {
    int version;
    relay_policy policy;
    int flags;
    uint32_t features;
    int64_t epoch;
    int64_t next;
    int64_t accepted;
    int32_t max_body;
    int32_t heartbeat_ms;
    int32_t idle_ms;
    int max_ranges;
    char server[MAX_NAME + 1];
    int64_t fork;
    lives lives;
    /* 0 without INTERVAL. */
    uint32_t interval_ms;
    /* With PEER. */
    char address[MAX_NAME + 1];
    char identity[MAX_NAME + 1];
} welcome;

/* Bytes that are still to be read. */
typedef struct cursor {
    const uint8_t *at;
    size_t left;
} cursor;

/* The decoders return what is wrong, NULL: nothing. */

static void skip(cursor *c, size_t length) {
    c->at += length;
    c->left -= length;
}

static const char *take_string(cursor *c, char *to) {
    size_t length = c->left < 2 ? 0 : get16(c->at);
    if (c->left < 2 + length || length > MAX_NAME || !is_string(c->at + 2, length)) {
        return "WELCOME has a wrong server, address or identity";
    }
    memcpy(to, c->at + 2, length);
    to[length] = 0;
    skip(c, 2 + length);
    return NULL;
}

static const char *take_lives(cursor *c, lives *to) {
    size_t count = c->left < 4 ? 0 : get16(c->at);
    if (count > MAX_LIVES || c->left < 4 + 16 * count || get16(c->at + 2) != 0) {
        return "WELCOME has too many epochs, ends within them, or has a reserved field out of range";
    }
    skip(c, 4);
    for (size_t i = 0; i < count; i++) {
        to->rows[i] = (life){get64(c->at), get64(c->at + 8)};
        if (to->rows[i].epoch == 0 || to->rows[i].first < 1) {
            return "WELCOME has an epoch, or the first sequence of one, out of range";
        }
        skip(c, 16);
    }
    to->count = (int)count;
    return NULL;
}

/* Fork, and what the granted features have behind it. */
static const char *take_appended(cursor *c, welcome *to) {
    const char *wrong = NULL;
    bool needs_fork = (to->features & (EPOCHS | INTERVAL | PEER)) != 0;
    if (c->left < 8 && (c->left > 0 || needs_fork)) {
        return "WELCOME ends before its fork, or within it";
    }
    to->fork = c->left == 0 ? 0 : get64(c->at);
    bool rolled_back = (to->flags & ROLLED_BACK) != 0;
    if (rolled_back ? to->fork < 1 : to->fork != 0) {
        return "WELCOME has a wrong fork";
    }
    if (!needs_fork) {
        return NULL;
    }
    skip(c, 8);
    if ((to->features & EPOCHS) != 0) {
        wrong = take_lives(c, &to->lives);
    }
    if (wrong == NULL && (to->features & INTERVAL) != 0) {
        bool good = c->left >= 4 && get32(c->at) >= MIN_INTERVAL_MS && get32(c->at) <= MAX_INTERVAL_MS;
        wrong = good ? NULL : "WELCOME ends before its interval, or that is out of range";
        to->interval_ms = good ? get32(c->at) : 0;
        skip(c, good ? 4 : 0);
    }
    if (wrong == NULL && (to->features & PEER) != 0) {
        wrong = take_string(c, to->address);
        wrong = wrong != NULL ? wrong : take_string(c, to->identity);
    }
    return wrong;
}

static const char *decode_welcome(const uint8_t *at, size_t length, welcome *to) {
    enum { FIXED = 48 };
    if (length < FIXED) {
        return "WELCOME is too short";
    }
    to->version = get16(at);
    to->policy = (relay_policy)at[2];
    to->flags = at[3];
    to->features = get32(at + 4);
    to->epoch = get64(at + 8);
    to->next = get64(at + 16);
    to->accepted = get64(at + 24);
    to->max_body = (int32_t)get32(at + 32);
    to->heartbeat_ms = (int32_t)get32(at + 36);
    to->idle_ms = (int32_t)get32(at + 40);
    to->max_ranges = get16(at + 44);
    to->lives.count = 0;
    to->interval_ms = 0;
    if (to->version < 1 || at[2] > RELAY_LATEST || to->epoch == 0 || to->next < 1 || to->accepted < 0) {
        return "WELCOME has a version, policy, epoch, next or accepted out of range";
    }
    if (to->max_body < 1 || to->max_body > MAX_MAX_BODY || to->heartbeat_ms < MIN_HEARTBEAT_MS ||
        to->heartbeat_ms > MAX_HEARTBEAT_MS || to->idle_ms < to->heartbeat_ms || get16(at + 46) != 0) {
        return "WELCOME has a limit, heartbeat, idle time-out or reserved field out of range";
    }
    cursor c = {at + FIXED, length - FIXED};
    const char *wrong = take_string(&c, to->server);
    return wrong != NULL ? wrong : take_appended(&c, to);
}

static const char *check_ping(const uint8_t *at, size_t length) {
    return length < 24                               ? "PING is too short"
           : get64(at + 8) < 0 || get64(at + 16) < 0 ? "PING has a next or head below 0"
                                                     : NULL;
}

static const char *check_gap(const uint8_t *at, size_t length) {
    if (length < 24) {
        return "GAP is too short";
    }
    return get64(at) < 1 || get64(at + 8) < get64(at) || get16(at + 16) == 0 || get16(at + 18) != 0 ||
                   get32(at + 20) != 0
               ? "GAP has a field out of range"
               : NULL;
}

static const char *check_ack(const uint8_t *at, size_t length) {
    if (length < 16 || (length > 16 && length < 32)) {
        return "ACK is too short";
    }
    int64_t number = get64(at);
    bool wrong = number < 1 || get64(at + 8) < 1;
    if (length > 16) {
        wrong |= get64(at + 16) < 0 || get64(at + 16) > number || get64(at + 24) < 0 || get64(at + 24) > get64(at + 16);
    }
    return wrong ? "ACK has a field out of range" : NULL;
}

static const char *check_goaway(const uint8_t *at, size_t length) {
    return length < 8 || length > 8 + MAX_TEXT ? "GOAWAY is too short, or its text too long"
           : get16(at) == 0 || get16(at + 2) != 0 || (int32_t)get32(at + 4) < 0 ? "GOAWAY has a field out of range"
                                                                                : NULL;
}

static const char *check_subscribed(const uint8_t *at, size_t length) {
    return length < 16 || get32(at + 4) != 0 || get64(at + 8) < 1 ? "SUBSCRIBED is too short, or out of range" : NULL;
}

static const char *check_retry_after(const uint8_t *at, size_t length) {
    return length < 4 || (int32_t)get32(at) < 0 || (int32_t)get32(at) > MAX_RETRY_AFTER_MS
               ? "RETRY_AFTER is too short, or out of range"
               : NULL;
}

/* ---- Errors ---- */

typedef enum advice { AGAIN, SLOWLY, FEW, FEW_SLOWLY, STOP } advice;

/* The table of errors in docs/protocol.md. */
static advice advice_of(int code) {
    switch (code) {
            // clang-format off
        case 4: case 5: case 6: case 7: case 12: case 13: case 14: case 15: case 20: case 21: case 22: case 23:
        case 28: case 29:
            return STOP;
        case 18: case 19: case 27: case 32:
            return SLOWLY;
        case 24:
            return FEW_SLOWLY;
        case 1: case 2: case 3: case 8: case 9: case 10: case 11: case 16: case 17: case 25: case 26: case 30:
        case 33: case 34:
            return AGAIN;
        // clang-format on
        default:
            return FEW;
    }
}

static void set_error(relay_error *error, relay_result kind, int code, const char *format, va_list arguments) {
    char text[sizeof error->text];
    vsnprintf(text, sizeof text, format, arguments);
    error->kind = kind;
    error->code = code;
    copy_text(error->text, sizeof error->text, (const uint8_t *)text, strlen(text));
}

__attribute__((format(printf, 3, 4))) static relay_result yours(relay_error *error, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(error, RELAY_YOURS, code, format, arguments);
    va_end(arguments);
    return RELAY_YOURS;
}

/* What a publisher's local congestion is, beside the name of one. */
static const char AUTO[] = "auto";
static const char SYSTEM[] = "system";

/* ---- Links: one client's connections, from the endpoints to whole frames ---- */

enum {
    /* Room for a HELLO or SUBSCRIBE, at most about 9 KiB, and small frames. */
    OUT_SIZE = 20 << 10,
    DEFAULT_READ = 128 << 10,
    DEFAULT_MAX_BODY = 1 << 20,
    /* Bytes that are moved to the buffer's start before a read. */
    MOST_MOVED = 4096,
    FEW_TRIES = 5,
    UNANSWERED = 3,
    LONGEST_STEADY_MS = 10000,
    LINGER_MS = 1000,
    KEEP_ALIVE_IDLE_S = 15,
    KEEP_ALIVE_INTERVAL_S = 5,
    KEEP_ALIVE_PROBES = 3,
    PLAIN_PUBLISHER_PATIENCE_MS = 30000,
    /* One WELCOME may bring three: another stream, a state that begins, and a gap. */
    MOST_OF_A_WELCOME = 3,
    MAX_PENDING_EVENTS = 2 * MOST_OF_A_WELCOME,
    /* Most addresses of a name that one try takes; the next one begins after a while, or when one has failed. */
    MAX_ADDRESSES = 32,
    NEXT_ADDRESS_MS = 250,
    /* A loop of the user's sees one socket: while several race, it waits no longer than this. */
    LOOK_AT_RACE_MS = 50,
    /* A state that is not complete by then is late. */
    LATE_MS = 10000,
    DAY_S = 86400
};

/*
 * A question to getaddrinfo, which waits as long as it wants: a thread of its own asks. It belongs to this thread and
 * to an endpoint; the one that is done with it last frees it. Once `is_done` the answer is the endpoint's.
 */
typedef struct lookup {
    atomic_int owners;
    atomic_bool is_done;
    /* A byte comes once it is done. */
    int done[2];
    int failure;
    struct addrinfo *addresses;
    const char *port;
    char host[];
} lookup;

typedef struct endpoint {
    char *text;
    char *host;       /* Of a Unix socket: its path. */
    const char *port; /* NULL: a Unix socket. */
    /* No try before this time. */
    int64_t not_before;
    /* It goes on when a try is over, and the next try takes the answer: there is one thread of an endpoint at most. */
    lookup *lookup;
} endpoint;

typedef enum state { IDLE, CONNECTING, SECURING, GREETING, OPEN, ENDED } state;

typedef enum step { MOVED, BLOCKED, STOPPED } step;

typedef struct relay_link {
    relay_options options;
    endpoint *endpoints;
    char *name;
    /* That of the next connection; empty: none. */
    char token[MAX_NAME + 1];
    char *token_file;
    /* AUTO, SYSTEM or a name of the system's. */
    char congestion[MAX_CONGESTION + 1];
    bool publisher;

    /* The role's part. */
    void (*greet)(struct relay_link *);
    bool (*welcomed)(struct relay_link *, const welcome *);
    void (*lost)(struct relay_link *);
    bool (*between_frames)(struct relay_link *);
    /* The relay does not know the client's epoch. It goes on in this older one, with what is the same up to changed. */
    void (*retreated)(struct relay_link *, int64_t epoch, int64_t changed);
    /* Whether the client cannot go on from this WELCOME: it says another HELLO over another connection at once. */
    bool (*asks_again)(struct relay_link *, const welcome *);

    /* Of the last WELCOME that the client went on with. */
    lives lives;
    relay_error error;
    state state;
    /* The count of forks at the open: in a child it is another one. */
    unsigned born;
    int64_t now;
    /* Somebody wants the wait to end; a byte in the pipe ends the wait itself. Close has a time-out of its own. */
    int wake[2];
    atomic_bool wake_asked;
    bool deaf;

    /* The next endpoint, and the time for it. */
    size_t index;
    int64_t due;
    int64_t welcomed_at;
    int64_t tries;
    /* Input behind WELCOME since the last look. */
    bool alive;
    bool progressed;
    bool steady;
    bool leaving;
    bool leaving_endpoint;
    /* RETRY_AFTER of the present connection, if one has come. */
    bool is_told;
    int64_t told_ms;
    bool ever_welcomed;
    bool beginning;
    bool closing;
    int short_lived;
    int unanswered;
    int hopes;
    uint64_t random;

    /* The connection; -1: there is none yet. */
    int fd;
    /* Why the last address was not connected. */
    int refusal;
    /* The addresses in the order of their turns, of which some have begun: their sockets race. A Unix socket has none. */
    struct addrinfo *addresses;
    const struct addrinfo *turns[MAX_ADDRESSES];
    size_t turn_count;
    size_t begun;
    int racers[MAX_ADDRESSES];
    size_t racing;
    int64_t next_turn;
    void *session;
    bool write_blocked;
    bool read_wants_write;
    bool write_broken;
    bool blocked;
    /* The last read took all that was there: who waits polls before the next one. */
    bool drained;
    /* The input is read ahead of the user: its end is taken once the user has taken what came before. */
    bool ahead;
    bool end_seen;
    bool pong_due;
    int64_t deadline;
    int64_t silent_since;
    int64_t patience;

    uint8_t *in;
    size_t in_size;
    size_t read_size;
    size_t start;
    size_t end;
    size_t scanned;
    /* Bytes of a frame that nobody wants and that are still to come. */
    size_t skip;
    uint8_t out[OUT_SIZE];
    size_t out_length;
    /* Bytes of control frames that sockets have taken. */
    uint64_t out_taken;
    int64_t pong_id;
    /* Time of the last PONG, or of WELCOME. */
    int64_t pong_at;
    int64_t heartbeat_ms;

    /* The end of the client's own certificate in s since 1970, and the fewest days of which was told. */
    int64_t certificate_ends;
    int certificate_told;
    /* The time for the next look at it. */
    int64_t certificate_look;
} relay_link;

/* Forks until now, of this process and its ancestors since the first open. */
static atomic_uint forks;

static void count_fork(void) {
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, count_fork);
}

/* Whether the client belongs to the parent: the sockets and TLS sessions are shared with it, and must not be used. */
static bool is_of_parent(const relay_link *l) {
    return l->born != atomic_load_explicit(&forks, memory_order_relaxed);
}

static relay_result of_parent(relay_error *error) {
    return yours(error, 0, "this client belongs to the parent process: open another one after fork");
}

/* The slow half of take_wake. Out of line: its buffer and its loop would make each message's call longer. */
__attribute__((noinline)) static void forget_wake(relay_link *l) {
    /* The pipe first: what comes in between is noticed by the next wait. */
    char bytes[64];
    while (read(l->wake[0], bytes, sizeof bytes) > 0) {
    }
    atomic_store(&l->wake_asked, false);
}

/* Whether somebody wants the wait to end; asks once. */
static inline bool take_wake(relay_link *l) {
    if (!atomic_load_explicit(&l->wake_asked, memory_order_relaxed)) {
        return false;
    }
    forget_wake(l);
    return true;
}

/* For handlers of signals: nothing but a lock-free store and write(2). */
static void wake(relay_link *l) {
    int before = errno;
    atomic_store(&l->wake_asked, true);
    /* A full pipe has a byte already. */
    ssize_t written = write(l->wake[1], "", 1);
    (void)written;
    errno = before;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool random_bytes(void *to, size_t length) {
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool done = fd >= 0 && read(fd, to, length) == (ssize_t)length;
    if (fd >= 0) {
        close(fd);
    }
    return done;
}

/* xorshift64*, for nothing that has to be a secret. */
static uint64_t next_bits(relay_link *l) {
    l->random ^= l->random >> 12;
    l->random ^= l->random << 25;
    l->random ^= l->random >> 27;
    return l->random * 0x2545F4914F6CDD1DULL;
}

/* 0 inclusive to 1 exclusive. */
static double next_random(relay_link *l) {
    return (double)(next_bits(l) >> 11) / 9007199254740992.0;
}

static void emit(relay_link *l, relay_event event) {
    if (l->options.on_event != NULL) {
        l->options.on_event(l->options.user, &event);
    }
}

static const char *endpoint_text(const relay_link *l) {
    return l->endpoints[l->index].text;
}

/* Milliseconds before the next try; -1: there is none. A time that the relay has told takes the place of the longest. */
static int64_t next_wait(relay_link *l, advice how, bool is_told) {
    if (how == STOP || ((how == FEW || how == FEW_SLOWLY) && ++l->hopes > FEW_TRIES)) {
        return -1;
    }
    const relay_reconnect *policy = &l->options.reconnect;
    int64_t endpoints = (int64_t)l->options.endpoint_count;
    int64_t round = l->tries / endpoints - (l->beginning ? 1 : 0);
    if (policy->rounds >= 0 && round >= policy->rounds) {
        return -1;
    }
    bool starts_round = l->tries % endpoints == 0;
    l->tries++;
    if (!starts_round || round < 0) {
        return 0;
    }
    bool slow = (how == SLOWLY || how == FEW_SLOWLY) && !is_told;
    int64_t wait = policy->longest_ms;
    if (!slow && round < 31 && (int64_t)policy->first_ms << round < wait) {
        wait = (int64_t)policy->first_ms << round;
    }
    return (int64_t)((double)wait * (1 - policy->jitter * next_random(l)));
}

/* Milliseconds before the next try of an endpoint whose relay has told a time. */
static int64_t told_wait(relay_link *l) {
    const relay_reconnect *policy = &l->options.reconnect;
    double share = policy->jitter * next_random(l);
    if (l->told_ms > policy->longest_ms) {
        return (int64_t)(policy->longest_ms * (1 - share));
    }
    int64_t wait = (int64_t)((double)l->told_ms * (1 + share));
    return wait < policy->longest_ms ? wait : policy->longest_ms;
}

static void take_alive(relay_link *l) {
    if (!l->alive) {
        return;
    }
    l->alive = false;
    l->progressed = true;
    int64_t needed = l->options.reconnect.longest_ms;
    needed = needed < LONGEST_STEADY_MS ? needed : LONGEST_STEADY_MS;
    if (!l->steady && l->now - l->welcomed_at >= needed) {
        l->steady = true;
        l->short_lived = 0;
        l->beginning = false;
        l->tries = 0;
        l->hopes = 0;
    }
}

static void free_addresses(relay_link *l) {
    if (l->addresses != NULL) {
        freeaddrinfo(l->addresses);
    }
    l->addresses = NULL;
    l->turn_count = l->begun = 0;
}

static void end_race(relay_link *l) {
    while (l->racing > 0) {
        close(l->racers[--l->racing]);
    }
}

static void close_socket(relay_link *l) {
    if (l->session != NULL) {
        l->options.tls->free(l->session);
    }
    if (l->fd >= 0) {
        close(l->fd);
    }
    l->session = NULL;
    l->fd = -1;
}

static void drop(relay_link *l) {
    end_race(l);
    close_socket(l);
    free_addresses(l);
    l->start = l->end = l->scanned = l->skip = 0;
    l->out_length = 0;
    l->pong_due = l->leaving = l->write_blocked = l->read_wants_write = l->write_broken = false;
    l->blocked = l->end_seen = l->is_told = false;
}

/* Ends the connection, or the try, for the reason in l->error, and decides what is next. */
static void connection_failed(relay_link *l, advice how, bool no_welcome) {
    bool leaving = l->leaving_endpoint;
    l->now = now_ms();
    take_alive(l);
    bool is_told = l->is_told;
    if (is_told) {
        l->endpoints[l->index].not_before = l->now + told_wait(l);
    }
    drop(l);
    if (l->lost != NULL) {
        l->lost(l);
    }
    if (!no_welcome) {
        l->unanswered = 0;
    } else if (!l->ever_welcomed && ++l->unanswered >= UNANSWERED) {
        size_t length = strlen(l->error.text);
        snprintf(l->error.text + length, sizeof l->error.text - length,
                 "; %d connections in a row ended so: the relay may know no HELLO, for which there is the option plain",
                 l->unanswered);
    }
    l->short_lived = l->progressed && !l->steady ? l->short_lived + 1 : 0;
    if (!l->progressed || l->short_lived > 1 || leaving || how != AGAIN || l->error.code == SHUTDOWN) {
        l->index = (l->index + 1) % l->options.endpoint_count;
    }
    l->progressed = l->steady = l->leaving_endpoint = false;
    int64_t wait = l->closing ? -1 : next_wait(l, how, is_told);
    l->error.kind = how == STOP ? RELAY_FATAL : RELAY_RETRY;
    if (wait < 0) {
        l->state = ENDED;
        emit(l, (relay_event){.kind = RELAY_GAVE_UP, .code = l->error.code, .error = &l->error});
    } else {
        l->state = IDLE;
        int64_t earliest = l->endpoints[l->index].not_before;
        l->due = l->now + wait > earliest ? l->now + wait : earliest;
        emit(l, (relay_event){.kind = RELAY_LOST, .code = l->error.code, .error = &l->error});
    }
}

__attribute__((format(printf, 4, 5))) static void fail(relay_link *l, advice how, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(&l->error, RELAY_RETRY, code, format, arguments);
    va_end(arguments);
    connection_failed(l, how, false);
}

static bool flush(relay_link *l);
static short wanted_events(const relay_link *l);

/* The relay broke a rule: tells it, where a frame may begin, and ends the connection. */
__attribute__((format(printf, 3, 4))) static void fault(relay_link *l, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(&l->error, RELAY_RETRY, code, format, arguments);
    va_end(arguments);
    bool may_speak = !l->options.plain && (l->between_frames == NULL || l->between_frames(l));
    if (may_speak && flush(l) && l->out_length == 0) {
        size_t length = strlen(l->error.text);
        length = length < MAX_TEXT ? length : MAX_TEXT;
        while (length > 0 && !is_string((const uint8_t *)l->error.text, length)) {
            length--;
        }
        uint8_t *at = put_header(l->out, ERROR_FRAME, 2 + length);
        at = put_bytes(put16(at, (unsigned)code), l->error.text, length);
        l->out_length = (size_t)(at - l->out);
        flush(l);
        if (l->session == NULL && l->fd >= 0) {
            /* Unread input would make the system reset the connection, which overtakes the ERROR. */
            shutdown(l->fd, SHUT_WR);
            for (int i = 0; i < 4 && recv(l->fd, l->in, l->in_size, MSG_DONTWAIT) > 0; i++) {
            }
        }
    }
    connection_failed(l, code == OVERSIZED_LENGTH || code == UNSUPPORTED ? STOP : FEW, false);
}

static void malformed(relay_link *l, const char *what) {
    fault(l, MALFORMED_CONTROL, "%s", what);
}

static void unexpected(relay_link *l, int control, const char *when) {
    fault(l, PROTOCOL_ORDER, "%s from the relay %s", frame_name(control), when);
}

/* Bytes written; 0: the socket takes none now. A failure shows in the next read, with the relay's last word. */
static size_t write_some(relay_link *l, const uint8_t *bytes, size_t length) {
    if (l->write_broken || l->fd < 0) {
        return 0;
    }
    if (l->session != NULL) {
        char text[256] = "";
        long n = l->options.tls->write(l->session, bytes, length, text, sizeof text);
        l->write_blocked = n == RELAY_TLS_WANTS_WRITE || (n > 0 && (size_t)n < length);
        if (n == RELAY_TLS_END || n <= RELAY_TLS_FAILED) {
            l->write_broken = true;
            l->deadline = l->now + LINGER_MS;
        }
        return n > 0 ? (size_t)n : 0;
    }
    ssize_t n;
    do {
        n = send(l->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) {
        l->write_broken = true;
        l->deadline = l->now + LINGER_MS;
    }
    l->write_blocked = !l->write_broken && (n < 0 || (size_t)n < length);
    return n > 0 ? (size_t)n : 0;
}

/* Writes control frames between two messages; returns whether none is left that could go now. */
static bool flush(relay_link *l) {
    if (l->out_length == 0 && !l->pong_due) {
        return true;
    }
    if (l->between_frames != NULL && !l->between_frames(l)) {
        return true;
    }
    do {
        if (l->pong_due && l->out_length == 0) {
            put64(put_header(l->out, PONG, 8), l->pong_id);
            l->out_length = HEADER + 8;
            l->pong_due = false;
            l->pong_at = l->now;
        }
        size_t n = write_some(l, l->out, l->out_length);
        memmove(l->out, l->out + n, l->out_length - n);
        l->out_length -= n;
        l->out_taken += n;
    } while (l->pong_due && l->out_length == 0);
    return l->out_length == 0;
}

static bool is_loopback(const struct sockaddr *peer) {
    if (peer->sa_family == AF_INET) {
        return ntohl(((const struct sockaddr_in *)peer)->sin_addr.s_addr) >> 24 == 127;
    }
    if (peer->sa_family == AF_INET6) {
        const struct in6_addr *address = &((const struct sockaddr_in6 *)peer)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
    }
    return peer->sa_family == AF_UNIX;
}

static bool is_to_loopback(int fd) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    return getpeername(fd, (struct sockaddr *)&peer, &length) == 0 && is_loopback((struct sockaddr *)&peer);
}

static void note_welcome(relay_link *l) {
    l->state = OPEN;
    l->silent_since = l->welcomed_at = l->now;
    l->tries = l->beginning ? 0 : l->tries;
    l->beginning = false;
    l->ever_welcomed = true;
}

/* The connection is made, and secure where it is to be: HELLO, or the plain stream. */
static void begin(relay_link *l) {
    free_addresses(l);
    l->start = l->end = l->scanned = l->skip = 0;
    if (l->options.plain) {
        note_welcome(l);
        emit(l, (relay_event){.kind = RELAY_CONNECTED, .endpoint = endpoint_text(l), .plain = true});
        l->welcomed(l, NULL);
        return;
    }
    if (*l->token && l->session == NULL && !is_to_loopback(l->fd)) {
        fail(l, STOP, 0, "the token would go to %s in the clear: use TLS or a Unix socket", endpoint_text(l));
        return;
    }
    l->state = GREETING;
    l->deadline = l->now + l->options.handshake_timeout_ms;
    l->greet(l);
    flush(l);
}

/* Tells once at each of these days to the end of the client's own certificate. The time is in s since 1970. */
static void look_at_certificate(relay_link *l, int64_t now_s) {
    static const int TOLD_AT[] = {0, 1, 7, 30};
    int64_t left = l->certificate_ends - now_s;
    int64_t days = left > 0 ? (left - 1) / DAY_S + 1 : left / DAY_S;
    l->certificate_look = l->now + (int64_t)DAY_S * 1000;
    for (size_t i = 0; i < sizeof TOLD_AT / sizeof *TOLD_AT; i++) {
        if (days <= TOLD_AT[i]) {
            if (TOLD_AT[i] < l->certificate_told) {
                l->certificate_told = TOLD_AT[i];
                emit(l, (relay_event){.kind = RELAY_CERTIFICATE,
                                      .days = days < INT32_MIN ? INT32_MIN : (int32_t)days,
                                      .endpoint = endpoint_text(l)});
            }
            return;
        }
    }
}

/* The certificate of this session may be another one than before. */
static void take_certificate(relay_link *l, int64_t now_s) {
    const relay_tls *tls = l->options.tls;
    int64_t ends = tls->certificate_ends == NULL ? INT64_MAX : tls->certificate_ends(l->session);
    if (ends != l->certificate_ends) {
        l->certificate_told = INT_MAX;
    }
    l->certificate_ends = ends;
    l->certificate_look = INT64_MAX;
    if (ends != INT64_MAX) {
        look_at_certificate(l, now_s);
    }
}

static void connected(relay_link *l) {
    if (l->options.tls == NULL) {
        begin(l);
        return;
    }
    char text[256] = "";
    l->state = SECURING;
    l->session = l->options.tls->begin(l->options.tls->context, l->fd, l->endpoints[l->index].host, text, sizeof text);
    if (l->session == NULL) {
        fail(l, AGAIN, 0, "TLS with %s: %s", endpoint_text(l), text);
    } else {
        take_certificate(l, time(NULL));
    }
}

/*
 * Messages go out at once. Without traffic the system asks after 15 s whether the other end is there, and tells after 30 s that it is not: a plain
 * subscriber has no other way to notice a cut. While something waits to be acknowledged it does not ask; a plain
 * publisher, which hears nothing of the relay, has the limit of 30 s there.
 */
static void set_up_tcp(const relay_link *l, int fd) {
    static const struct {
        int option;
        int value;
    } OPTIONS[] = {
#if defined(TCP_KEEPIDLE)
        {TCP_KEEPIDLE, KEEP_ALIVE_IDLE_S},
#elif defined(TCP_KEEPALIVE)
        {TCP_KEEPALIVE, KEEP_ALIVE_IDLE_S},
#endif
#ifdef TCP_KEEPINTVL
        {TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL_S},
#endif
#ifdef TCP_KEEPCNT
        {TCP_KEEPCNT, KEEP_ALIVE_PROBES},
#endif
        {TCP_NODELAY, 1},
    };
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        setsockopt(fd, IPPROTO_TCP, OPTIONS[i].option, &OPTIONS[i].value, sizeof OPTIONS[i].value);
    }
#ifdef TCP_USER_TIMEOUT
    unsigned most_ms = PLAIN_PUBLISHER_PATIENCE_MS;
    if (l->publisher && l->options.plain) {
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most_ms, sizeof most_ms);
    }
#else
    (void)l;
#endif
}

/* Names the congestion control of a socket; elsewhere than on Linux nothing is named. */
static bool set_congestion(int fd, const char *name) {
#if defined(__linux__) && defined(TCP_CONGESTION)
    size_t length = strlen(name);
    return length > 0 && length <= MAX_CONGESTION &&
           setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)length) == 0;
#else
    (void)fd;
    (void)name;
    return true;
#endif
}

/* What the system does not give is left as it is: a name of the user's was tried at the open. */
static void choose_congestion(const relay_link *l, int fd) {
    if (strcmp(l->congestion, AUTO) != 0) {
        set_congestion(fd, l->congestion);
    } else if (!set_congestion(fd, "cubic")) {
        set_congestion(fd, "reno");
    }
}

static bool chooses_congestion(const relay_link *l) {
    return l->publisher && strcmp(l->congestion, SYSTEM) != 0;
}

static bool is_to_this_host(int fd) {
    struct sockaddr_storage own;
    struct sockaddr_storage peer;
    socklen_t own_length = sizeof own;
    socklen_t length = sizeof peer;
    if (getsockname(fd, (struct sockaddr *)&own, &own_length) != 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &length) != 0) {
        return false;
    }
    bool is_same = false;
    if (peer.ss_family == AF_INET) {
        is_same = ((struct sockaddr_in *)&own)->sin_addr.s_addr == ((struct sockaddr_in *)&peer)->sin_addr.s_addr;
    } else if (peer.ss_family == AF_INET6) {
        is_same =
            IN6_ARE_ADDR_EQUAL(&((struct sockaddr_in6 *)&own)->sin6_addr, &((struct sockaddr_in6 *)&peer)->sin6_addr);
    }
    return peer.ss_family != AF_UNIX && (is_same || is_loopback((struct sockaddr *)&peer));
}

/*
 * Whether a connection to this address would be one to this host. A socket of UDP sends nothing, and knows the address
 * that it would come from.
 */
static bool leads_to_this_host(const struct sockaddr *address, socklen_t length) {
    int fd = socket(address->sa_family, SOCK_DGRAM, 0);
    if (fd < 0) {
        return is_loopback(address);
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    bool leads = connect(fd, address, length) == 0 && is_to_this_host(fd);
    close(fd);
    return leads;
}

/* This socket has won: the others are closed. */
static void win(relay_link *l, int fd) {
    end_race(l);
    l->fd = fd;
    /* A route may have put a choice of its own in the place of ours. */
    if (chooses_congestion(l) && is_to_this_host(fd)) {
        choose_congestion(l, fd);
    }
    connected(l);
}

/* Begins to connect to the next address; one that fails at once leaves its reason. */
static void begin_turn(relay_link *l) {
    const endpoint *where = &l->endpoints[l->index];
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    const struct sockaddr *address = (const struct sockaddr *)&path;
    socklen_t length = sizeof path;
    int family = AF_UNIX;
    if (where->port == NULL) {
        memcpy(path.sun_path, where->host, strlen(where->host) + 1);
    } else {
        family = l->turns[l->begun]->ai_family;
        address = l->turns[l->begun]->ai_addr;
        length = l->turns[l->begun]->ai_addrlen;
    }
    l->begun++;
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd < 0) {
        l->refusal = errno;
        return;
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
#ifdef SO_NOSIGPIPE
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
    if (where->port != NULL) {
        set_up_tcp(l, fd);
        /* The choice comes before the connect, in which bbr would turn pacing on: that stays on when bbr goes. */
        if (chooses_congestion(l) && leads_to_this_host(address, length)) {
            choose_congestion(l, fd);
        }
    }
    if (connect(fd, address, length) == 0) {
        win(l, fd);
    } else if (errno == EINPROGRESS || errno == EINTR) {
        l->racers[l->racing++] = fd;
        l->next_turn = l->now + NEXT_ADDRESS_MS;
    } else {
        l->refusal = errno;
        close(fd);
    }
}

/* The addresses as the system orders them, but IPv6 and IPv4 in turns: one of them may lead nowhere. */
static void take_turns(relay_link *l) {
    const struct addrinfo *it[2] = {l->addresses, l->addresses};
    for (int i = 0; l->turn_count < MAX_ADDRESSES && (it[0] != NULL || it[1] != NULL); i = 1 - i) {
        while (it[i] != NULL && (it[i]->ai_family == l->addresses->ai_family) != (i == 0)) {
            it[i] = it[i]->ai_next;
        }
        if (it[i] != NULL) {
            l->turns[l->turn_count++] = it[i];
            it[i] = it[i]->ai_next;
        }
    }
}

/* ---- Names of hosts ---- */

static void leave_lookup(lookup *q) {
    if (atomic_fetch_sub(&q->owners, 1) > 1) {
        return;
    }
    if (q->addresses != NULL) {
        freeaddrinfo(q->addresses);
    }
    close(q->done[0]);
    close(q->done[1]);
    free(q);
}

static int look_up(const char *host, const char *port, int flags, struct addrinfo **to) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
    int failure = getaddrinfo(host, port, &hints, to);
    *to = failure == 0 ? *to : NULL;
    return failure;
}

static void *run_lookup(void *argument) {
    lookup *q = argument;
    q->failure = look_up(q->host, q->port, 0, &q->addresses);
    atomic_store(&q->is_done, true);
    ssize_t written = write(q->done[1], "", 1);
    (void)written;
    leave_lookup(q);
    return NULL;
}

/* A thread that asks for this name, without a signal of the user's in it; NULL: there is none, and errno says why. */
static lookup *begin_lookup(const char *host, const char *port) {
    size_t host_size = strlen(host) + 1;
    lookup *q = calloc(1, sizeof *q + host_size + strlen(port) + 1);
    if (q == NULL || pipe(q->done) != 0) {
        free(q);
        return NULL;
    }
    fcntl(q->done[0], F_SETFD, FD_CLOEXEC);
    fcntl(q->done[1], F_SETFD, FD_CLOEXEC);
    memcpy(q->host, host, host_size);
    memcpy(q->host + host_size, port, strlen(port) + 1);
    q->port = q->host + host_size;
    atomic_init(&q->owners, 2);
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&thread, NULL, run_lookup, q);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        atomic_store(&q->owners, 1);
        leave_lookup(q);
        errno = failure;
        return NULL;
    }
    pthread_detach(thread);
    return q;
}

static relay_result check_string(const char *what, const char *text, size_t least, relay_error *error) {
    size_t length = text == NULL ? 0 : strlen(text);
    if (text != NULL && (length < least || length > MAX_NAME)) {
        return yours(error, 0, "the %s has %zu bytes, not %zu to %d", what, length, least, MAX_NAME);
    }
    return text != NULL && !is_string((const uint8_t *)text, length)
               ? yours(error, 0, "the %s is not UTF-8, or has control characters", what)
               : RELAY_OK;
}

/* Volatile keeps the compiler from leaving this out. */
static void wipe(char *secret, size_t size) {
    for (volatile char *at = secret; size > 0; size--) {
        *at++ = 0;
    }
}

/* The bytes of the file but for a line end; false: it is unreadable, or longer than a token. */
static bool read_token_file(relay_link *l) {
    /* Room for a line end, and for a byte more than there may be. No stream: its buffer would keep the secret. */
    char text[MAX_NAME + 3];
    size_t length = 0;
    ssize_t n = -1;
    int fd = open(l->token_file, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        while (length < sizeof text && (n = read(fd, text + length, sizeof text - length)) > 0) {
            length += (size_t)n;
        }
    }
    if (n < 0) {
        yours(&l->error, 0, "token in %.300s: %s", l->token_file, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        length--;
    }
    bool fits = length <= MAX_NAME && memchr(text, 0, length) == NULL;
    if (n >= 0 && fits) {
        memcpy(l->token, text, length);
        l->token[length] = 0;
    } else if (n >= 0) {
        yours(&l->error, 0, "token in %.300s: it has more than %d bytes, or is no text", l->token_file, MAX_NAME);
    }
    wipe(text, sizeof text);
    return n >= 0 && fits;
}

/* The token of the next connection; false: there is none now, and l->error says why. */
static bool read_token(relay_link *l) {
    const relay_options *o = &l->options;
    char text[256] = "";
    wipe(l->token, sizeof l->token);
    if (o->token_file != NULL) {
        if (!read_token_file(l)) {
            return false;
        }
    } else if (o->token_call != NULL) {
        if (!o->token_call(o->user, l->token, sizeof l->token, text, sizeof text)) {
            yours(&l->error, 0, "the token's function: %s", text);
            return false;
        }
        l->token[MAX_NAME] = 0;
    } else {
        return true;
    }
    return check_string("token", l->token, 1, &l->error) == RELAY_OK;
}

static bool token_may_change(const relay_link *l) {
    return l->options.token_file != NULL || l->options.token_call != NULL;
}

/* The name's addresses, or why there are none: the race can begin, or the try is over. */
static void take_addresses(relay_link *l, int failure, struct addrinfo *addresses) {
    if (failure != 0) {
        fail(l, AGAIN, 0, "looking up %s: %s", endpoint_text(l), gai_strerror(failure));
        return;
    }
    l->addresses = addresses;
    l->next_turn = l->now;
    take_turns(l);
}

static void start_connecting(relay_link *l) {
    endpoint *where = &l->endpoints[l->index];
    l->state = CONNECTING;
    if (token_may_change(l) && !read_token(l)) {
        connection_failed(l, AGAIN, false);
        return;
    }
    l->deadline = l->now + l->options.connect_timeout_ms;
    l->next_turn = l->now;
    l->refusal = 0;
    l->begun = 0;
    l->turn_count = 1;
    if (where->port == NULL) {
        return;
    }
    l->turn_count = 0;
    struct addrinfo *addresses = NULL;
    /* An address needs no thread. */
    int failure = look_up(where->host, where->port, AI_NUMERICHOST, &addresses);
    if (failure == 0) {
        take_addresses(l, 0, addresses);
        return;
    }
    if (where->lookup == NULL) {
        where->lookup = begin_lookup(where->host, where->port);
    }
    if (where->lookup == NULL) {
        fail(l, AGAIN, 0, "looking up %s: %s", where->text, strerror(errno));
    }
}

/* The endpoint's look-up, while this try waits for it. */
static lookup *awaited_lookup(const relay_link *l) {
    return l->state == CONNECTING ? l->endpoints[l->index].lookup : NULL;
}

static step await_lookup(relay_link *l) {
    endpoint *where = &l->endpoints[l->index];
    lookup *q = where->lookup;
    if (atomic_load(&q->is_done)) {
        struct addrinfo *addresses = q->addresses;
        int failure = q->failure;
        q->addresses = NULL;
        where->lookup = NULL;
        leave_lookup(q);
        take_addresses(l, failure, addresses);
        return MOVED;
    }
    if (l->now >= l->deadline) {
        fail(l, AGAIN, 0, "looking up %s took more than %d ms", endpoint_text(l), (int)l->options.connect_timeout_ms);
        return MOVED;
    }
    return BLOCKED;
}

/* What poll waits for; returns the number of sockets. */
static nfds_t wanted_sockets(const relay_link *l, struct pollfd *to) {
    if (l->state != CONNECTING) {
        to[0] = (struct pollfd){.fd = l->fd, .events = wanted_events(l)};
        return l->fd < 0 ? 0 : 1;
    }
    if (awaited_lookup(l) != NULL) {
        to[0] = (struct pollfd){.fd = awaited_lookup(l)->done[0], .events = POLLIN};
        return 1;
    }
    for (size_t i = 0; i < l->racing; i++) {
        to[i] = (struct pollfd){.fd = l->racers[i], .events = POLLOUT};
    }
    return (nfds_t)l->racing;
}

/* Looks at the sockets that race; whether one has won, or one has failed. */
static void look_at_race(relay_link *l, bool *won, bool *failed) {
    struct pollfd all[MAX_ADDRESSES];
    nfds_t count = wanted_sockets(l, all);
    *won = *failed = false;
    if (poll(all, count, 0) <= 0) {
        return;
    }
    l->racing = 0;
    for (nfds_t i = 0; i < count; i++) {
        int fd = all[i].fd;
        int refusal = 0;
        socklen_t length = sizeof refusal;
        if (*won || all[i].revents == 0) {
            l->racers[l->racing++] = fd;
            continue;
        }
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &refusal, &length);
        if (refusal == 0) {
            *won = true;
            l->fd = fd;
        } else {
            *failed = true;
            l->refusal = refusal;
            close(fd);
        }
    }
}

static step await_connection(relay_link *l) {
    bool won;
    bool failed;
    if (awaited_lookup(l) != NULL) {
        return await_lookup(l);
    }
    look_at_race(l, &won, &failed);
    if (won) {
        win(l, l->fd);
        return MOVED;
    }
    if (l->begun < l->turn_count && (failed || l->racing == 0 || l->now >= l->next_turn)) {
        begin_turn(l);
        return MOVED;
    }
    if (l->racing == 0) {
        fail(l, AGAIN, 0, "connecting to %s: %s", endpoint_text(l), strerror(l->refusal));
        return MOVED;
    }
    if (l->now >= l->deadline) {
        fail(l, AGAIN, 0, "connecting to %s took more than %d ms", endpoint_text(l),
             (int)l->options.connect_timeout_ms);
        return MOVED;
    }
    return BLOCKED;
}

static advice advice_of_tls(long answer) {
    return answer == RELAY_TLS_HOPELESS ? STOP : answer == RELAY_TLS_RENEWABLE ? AGAIN : FEW;
}

static step secure(relay_link *l) {
    char text[256] = "";
    int done = l->options.tls->handshake(l->session, text, sizeof text);
    l->write_blocked = done == RELAY_TLS_WANTS_WRITE;
    if (done == 1) {
        begin(l);
    } else if (done == RELAY_TLS_WANTS_READ || done == RELAY_TLS_WANTS_WRITE) {
        if (l->now < l->deadline) {
            return BLOCKED;
        }
        fail(l, AGAIN, 0, "TLS with %s took more than %d ms", endpoint_text(l), (int)l->options.connect_timeout_ms);
    } else {
        fail(l, advice_of_tls(done), 0, "TLS with %s: %s", endpoint_text(l), text);
    }
    return MOVED;
}

/* Makes room for a read, so that the frame that has begun fits. */
static void make_room(relay_link *l) {
    size_t kept = l->end - l->start;
    if (l->start == 0) {
        return;
    }
    size_t needed = kept < HEADER ? HEADER : HEADER + get32(l->in + l->start + 4);
    if (kept <= MOST_MOVED || l->in_size - l->start < needed || (l->ahead && l->end == l->in_size)) {
        memmove(l->in, l->in + l->start, kept);
        l->scanned = l->scanned > l->start ? l->scanned - l->start : 0;
        l->start = 0;
        l->end = kept;
    }
}

/* The relay has ended the connection: in order, or by a failure with this text. */
static void ended(relay_link *l, const char *failure) {
    bool within = l->end > l->start || l->skip > 0;
    bool no_welcome = l->state == GREETING;
    const char *where = no_welcome ? " before WELCOME" : "";
    l->error = (relay_error){.kind = RELAY_RETRY};
    if (failure == NULL) {
        snprintf(l->error.text, sizeof l->error.text, "%s closed the connection%s%s", endpoint_text(l),
                 within ? " within a frame" : "", where);
    } else {
        snprintf(l->error.text, sizeof l->error.text, "connection to %s lost%s: %s", endpoint_text(l), where, failure);
    }
    connection_failed(l, AGAIN, no_welcome);
}

/* Reads once; returns whether there were bytes. The connection may have ended. */
static bool read_some(relay_link *l) {
    make_room(l);
    size_t room = l->in_size - l->end;
    room = room < l->read_size ? room : l->read_size;
    if (room == 0) {
        return false;
    }
    char text[256] = "";
    long n;
    if (l->session != NULL) {
        n = l->options.tls->read(l->session, l->in + l->end, room, text, sizeof text);
        l->read_wants_write = n == RELAY_TLS_WANTS_WRITE;
        if (n == RELAY_TLS_WANTS_READ || n == RELAY_TLS_WANTS_WRITE) {
            return false;
        }
    } else {
        do {
            n = recv(l->fd, l->in + l->end, room, MSG_DONTWAIT);
        } while (n < 0 && errno == EINTR);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return false;
        }
        if (n < 0) {
            snprintf(text, sizeof text, "%s", strerror(errno));
        }
    }
    if (n > 0) {
        l->end += (size_t)n;
        l->drained = !l->publisher && l->session == NULL && (size_t)n < room;
        if (l->state == OPEN) {
            l->silent_since = l->now;
        }
        return true;
    }
    if (l->ahead && l->end > l->start) {
        l->end_seen = true;
        return false;
    }
    if (n == 0) {
        ended(l, NULL);
    } else if (l->session != NULL && l->state == GREETING) {
        /* With TLS 1.3 the relay refuses a certificate behind the client's handshake. */
        fail(l, advice_of_tls(n), 0, "TLS with %s: %s", endpoint_text(l), text);
    } else {
        ended(l, text);
    }
    return true;
}

/* Until when the link may wait; INT64_MAX: no limit. */
static int64_t wait_until(const relay_link *l) {
    int64_t until = INT64_MAX;
    if (l->state == IDLE) {
        return l->due;
    }
    if (l->state != OPEN) {
        until = l->deadline;
        if (l->state == CONNECTING && l->begun < l->turn_count && l->next_turn < until) {
            until = l->next_turn;
        }
    } else if (!l->options.plain) {
        until = l->silent_since + l->patience;
    }
    return l->write_broken && l->deadline < until ? l->deadline : until;
}

/* Whether nothing can be read until the user has taken what is there. */
static bool is_full(const relay_link *l) {
    return l->end_seen || (l->end == l->in_size && l->start == 0);
}

/* When a PONG is due that no PING asks for, since the relay's PINGs lie behind what is not read; INT64_MAX: none is. */
static int64_t unasked_pong(const relay_link *l) {
    bool holds_back = l->state == OPEN && !l->options.plain && !l->end_seen && is_full(l);
    return holds_back ? l->pong_at + l->heartbeat_ms : INT64_MAX;
}

static bool is_late(relay_link *l) {
    if (l->now < wait_until(l)) {
        return false;
    }
    if (l->write_broken) {
        fail(l, AGAIN, 0, "connection to %s lost", endpoint_text(l));
    } else if (l->state == GREETING) {
        fail(l, AGAIN, HANDSHAKE_TIMEOUT, "no WELCOME from %s within %d ms", endpoint_text(l),
             (int)l->options.handshake_timeout_ms);
    } else if (is_full(l)) {
        /* The relay's data waits for the user. */
        l->silent_since = l->now;
        return false;
    } else {
        fail(l, AGAIN, IDLE_TIMEOUT, "nothing was heard of %s for %lld ms", endpoint_text(l), (long long)l->patience);
    }
    return true;
}

/* A user who was busy for a while has not read what the relay has sent meanwhile: it was not silent. */
static void hear_unread(relay_link *l) {
    char byte;
    if (l->state != OPEN || l->options.plain || l->now < l->silent_since + l->patience) {
        return;
    }
    l->drained = false;
    if (recv(l->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        l->silent_since = l->now;
    }
}

/* One step that does not wait, at most one read. The frames that have come are still to be taken. */
static step advance(relay_link *l) {
    step done = MOVED;
    l->now = now_ms();
    switch (l->state) {
        case ENDED:
            return STOPPED;
        case IDLE:
            if (l->now < l->due) {
                done = BLOCKED;
            } else {
                start_connecting(l);
            }
            break;
        case CONNECTING:
            done = await_connection(l);
            break;
        case SECURING:
            done = secure(l);
            break;
        default:
            take_alive(l);
            flush(l);
            hear_unread(l);
            if (l->session != NULL && l->now >= l->certificate_look) {
                look_at_certificate(l, time(NULL));
            }
            if (l->drained || !read_some(l)) {
                l->drained = false;
                done = is_late(l) ? MOVED : BLOCKED;
            } else if (l->state == GREETING) {
                /* Messages before WELCOME do not extend the time for it. */
                is_late(l);
            }
    }
    l->blocked = done == BLOCKED;
    return l->state == ENDED ? STOPPED : done;
}

/* The one descriptor that a loop of the user's sees; -1: there is none, or several race. */
static int shown_fd(const relay_link *l) {
    return is_of_parent(l)             ? -1
           : l->state != CONNECTING    ? l->fd
           : awaited_lookup(l) != NULL ? awaited_lookup(l)->done[0]
           : l->racing == 1            ? l->racers[0]
                                       : -1;
}

static short wanted_events(const relay_link *l) {
    if (shown_fd(l) < 0) {
        return 0;
    }
    if (l->state == CONNECTING) {
        return awaited_lookup(l) != NULL ? POLLIN : POLLOUT;
    }
    return (short)((is_full(l) ? 0 : POLLIN) | (l->write_blocked || l->read_wants_write ? POLLOUT : 0));
}

static int until_ms(int64_t until, int64_t now) {
    int64_t left = until == INT64_MAX ? -1 : until > now ? until - now : 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}

static int wait_ms(const relay_link *l, int64_t until) {
    int wait = l->state == ENDED || is_of_parent(l) ? -1 : l->blocked ? until_ms(until, now_ms()) : 0;
    return l->state == CONNECTING && l->racing > 1 && wait > LOOK_AT_RACE_MS ? LOOK_AT_RACE_MS : wait;
}

/*
 * Waits until the link can go on, at most until then, and not behind limit; returns whether limit is still to come. A wake
 * call ends the wait: the caller looks for it, or waits on.
 */
static bool wait_for(relay_link *l, int64_t until, int64_t limit) {
    if (l->now >= limit) {
        return false;
    }
    struct pollfd all[MAX_ADDRESSES + 1];
    nfds_t count = wanted_sockets(l, all);
    if (!l->deaf) {
        all[count++] = (struct pollfd){.fd = l->wake[0], .events = POLLIN};
    }
    poll(all, count, until_ms(until < limit ? until : limit, l->now));
    return true;
}

static int64_t limit_of(int timeout_ms) {
    return timeout_ms < 0 ? INT64_MAX : timeout_ms == 0 ? INT64_MIN : now_ms() + timeout_ms;
}

/*
 * The next whole frame; false: there is none, or the connection has ended. Messages that nobody wants are skipped.
 * Inline: a call with three results in memory is a sixth of all that a message costs.
 */
__attribute__((always_inline)) static inline bool next_frame(relay_link *l, int32_t *type, const uint8_t **body,
                                                             size_t *length) {
    while (l->state == GREETING || l->state == OPEN) {
        size_t there = l->end - l->start;
        if (l->skip > 0) {
            size_t n = there < l->skip ? there : l->skip;
            l->start += n;
            l->skip -= n;
            if (l->skip > 0) {
                return false;
            }
            continue;
        }
        if (there < HEADER) {
            return false;
        }
        const uint8_t *at = l->in + l->start;
        int32_t its_type = (int32_t)get32(at);
        int32_t its_length = (int32_t)get32(at + 4);
        bool control = is_reserved(its_type);
        int32_t most = control ? MAX_CONTROL : l->options.max_body;
        if (its_length < 0) {
            fault(l, NEGATIVE_LENGTH, "a frame announces %d bytes", (int)its_length);
            return false;
        }
        if (its_length > most) {
            fault(l, OVERSIZED_LENGTH, "a frame of type %d announces %d bytes, the limit is %d", (int)its_type,
                  (int)its_length, (int)most);
            return false;
        }
        size_t whole = HEADER + (size_t)its_length;
        if (!control && l->state == OPEN && l->publisher && !l->options.plain) {
            fault(l, PROTOCOL_ORDER, "a message of type %d on the publish port", (int)its_type);
            return false;
        }
        if (!control && (l->state != OPEN || l->publisher)) {
            l->skip = whole;
            continue;
        }
        if (there < whole) {
            return false;
        }
        *type = its_type;
        *body = at + HEADER;
        *length = (size_t)its_length;
        l->start += whole;
        return true;
    }
    return false;
}

/* The option that an older relay calls malformed, in words; empty: this is no such ERROR. */
static const char *newer_than_relay(const relay_link *l, int code) {
    bool wants_state = l->options.start == RELAY_STATE;
    if (l->state != GREETING || code != MALFORMED_CONTROL || (!wants_state && l->options.policy != RELAY_LATEST)) {
        return "";
    }
    return wants_state ? "this relay is older than start = state: " : "this relay is older than policy = latest: ";
}

static void take_error(relay_link *l, const uint8_t *body, size_t length) {
    int code = length >= 2 ? get16(body) : 0;
    char text[MAX_TEXT + 1] = "";
    if (length > 2) {
        copy_text(text, sizeof text, body + 2, length - 2);
    }
    advice how = code == NOT_AUTHENTICATED && token_may_change(l) ? AGAIN : advice_of(code);
    fail(l, how, code, "%s%s (%d)%s%s", newer_than_relay(l, code), code_name(code), code, *text ? ": " : "", text);
}

/* Gives up a connection that was none for the user, and no try. */
static void ask_again(relay_link *l) {
    drop(l);
    l->state = IDLE;
    l->due = l->now;
}

/*
 * To the relay, such as one with an older backup, the stream of the client's epoch is another one, but both know the life
 * at this row. The connection is given up, and another one made at once in that epoch: no try, and none for the user.
 */
static void retreat(relay_link *l, int common, int64_t changed) {
    l->lives.count -= common;
    memmove(l->lives.rows, l->lives.rows + common, (size_t)l->lives.count * sizeof *l->lives.rows);
    ask_again(l);
    l->retreated(l, l->lives.rows[0].epoch, changed);
}

/* For the roles to call first when they are welcomed. */
static void tell_connected(relay_link *l, const welcome *w, bool anew) {
    bool has_peer = (w->features & PEER) != 0;
    emit(l, (relay_event){.kind = RELAY_CONNECTED,
                          .endpoint = endpoint_text(l),
                          .server = w->server,
                          .policy = w->policy,
                          .epoch = w->epoch,
                          .next = w->next,
                          .accepted = w->accepted,
                          .address = has_peer ? w->address : NULL,
                          .identity = has_peer ? w->identity : NULL,
                          .anew = anew,
                          .interval_ms = w->interval_ms});
}

static void take_welcome(relay_link *l, const uint8_t *body, size_t length) {
    welcome w;
    if (l->state == OPEN) {
        unexpected(l, WELCOME, "for the second time");
        return;
    }
    const char *wrong = decode_welcome(body, length, &w);
    if (wrong != NULL) {
        malformed(l, wrong);
        return;
    }
    if (w.version != 1) {
        fault(l, UNSUPPORTED, "WELCOME chooses version %d, only 1 was offered", w.version);
        return;
    }
    if (l->publisher && l->options.acks && !(w.features & ACKS)) {
        fail(l, STOP, 0, "the relay at %s grants no acknowledgements", endpoint_text(l));
        return;
    }
    if (l->options.level != RELAY_STREAM && !(w.features & LEVELS)) {
        fail(l, STOP, 0, "the relay at %s grants no levels: it has no journal", endpoint_text(l));
        return;
    }
    int64_t changed = 0;
    /* With start = state everything comes anew over this connection: nothing is gained by an older epoch. */
    bool may_retreat = (w.flags & (EPOCH_CHANGED | ROLLED_BACK)) == EPOCH_CHANGED && l->options.start != RELAY_STATE;
    int common = may_retreat ? common_life(&l->lives, &w.lives, &changed) : 0;
    if (common > 0) {
        retreat(l, common, changed);
        return;
    }
    if (l->asks_again != NULL && l->asks_again(l, &w)) {
        ask_again(l);
        return;
    }
    note_welcome(l);
    l->patience = w.idle_ms;
    l->heartbeat_ms = w.heartbeat_ms;
    l->pong_at = l->now;
    l->lives = w.lives;
    l->welcomed(l, &w);
}

/* Takes a control frame; returns false if it is for the role to take. */
static bool take_control(relay_link *l, int32_t type, const uint8_t *body, size_t length) {
    int control = (int)((uint32_t)type & 0xFF);
    if (control == ERROR_FRAME) {
        take_error(l, body, length);
        return true;
    }
    if (control == RETRY_AFTER) {
        const char *wrong = check_retry_after(body, length);
        if (wrong != NULL) {
            malformed(l, wrong);
        } else {
            l->is_told = true;
            l->told_ms = (int32_t)get32(body);
        }
        return true;
    }
    if (control >= MUST_UNDERSTAND) {
        fault(l, UNSUPPORTED, "the control frame 0x800000%02X must be understood", (unsigned)control);
        return true;
    }
    if (l->options.plain || control == 0 || control > SUBSCRIBED) {
        return true;
    }
    if (control == WELCOME) {
        take_welcome(l, body, length);
        return true;
    }
    if (control == HELLO || control == SUBSCRIBE) {
        unexpected(l, control, "is for clients to send");
        return true;
    }
    if (l->state != OPEN) {
        unexpected(l, control, "before WELCOME");
        return true;
    }
    const char *wrong = NULL;
    switch (control) {
        case PONG:
            if (length < 8) {
                malformed(l, "PONG is too short");
                return true;
            }
            return false;
        case PING:
            wrong = check_ping(body, length);
            if (wrong != NULL) {
                malformed(l, wrong);
                return true;
            }
            l->alive = true;
            if (body >= l->in + l->scanned) {
                l->pong_id = get64(body);
                l->pong_due = true;
                flush(l);
            }
            return false;
        case GOAWAY:
            wrong = check_goaway(body, length);
            if (wrong != NULL) {
                malformed(l, wrong);
                return true;
            }
            l->leaving = true;
            l->leaving_endpoint = get16(body) != TLS_KEY_USED_UP;
            emit(l, (relay_event){.kind = RELAY_GOING_AWAY,
                                  .code = get16(body),
                                  .closes_in_ms = (int32_t)get32(body + 4),
                                  .endpoint = endpoint_text(l)});
            return true;
        default:
            return false;
    }
}

/* HELLO, without the trailing fields of a publisher where they are not needed. */
static void put_hello(relay_link *l, relay_start start, uint32_t features, int64_t epoch, int64_t number,
                      const relay_range *types, size_t count, const uint8_t *producer) {
    size_t name = l->name == NULL ? 0 : strlen(l->name);
    size_t token = strlen(l->token);
    static const uint8_t NO_PRODUCER[ID_LENGTH] = {0};
    features |= PEER;
    features |= token > 0 ? TOKEN : 0;
    features |= l->options.level != RELAY_STREAM ? LEVELS : 0;
    features |= l->options.interval_ms > 0 ? INTERVAL : 0;
    uint8_t *body = l->out + HEADER;
    uint8_t *at = put16(put16(body, 1), 1);
    *at++ = l->publisher ? PUBLISHER_ROLE : SUBSCRIBER_ROLE;
    *at++ = (uint8_t)l->options.policy;
    *at++ = (uint8_t)start;
    *at++ = 0;
    at = put32(put32(at, features), (uint32_t)l->options.heartbeat_ms);
    at = put64(put64(at, epoch), number);
    at = put32(put16(put16(at, (unsigned)count), 0), 0);
    at = put_ranges(at, types, count);
    at = put_bytes(put16(at, (unsigned)name), l->name, name);
    if (producer != NULL || (features & (TOKEN | LEVELS | INTERVAL)) != 0) {
        at = put_bytes(at, producer == NULL ? NO_PRODUCER : producer, ID_LENGTH);
    }
    if (token > 0) {
        at = put_bytes(put16(at, (unsigned)token), l->token, token);
    }
    if ((features & LEVELS) != 0) {
        *at++ = (uint8_t)l->options.level;
    }
    if ((features & INTERVAL) != 0) {
        at = put32(at, l->options.interval_ms);
    }
    put_header(l->out, HELLO, (size_t)(at - body));
    l->out_length = (size_t)(at - l->out);
}

/* ---- Options ---- */

relay_options relay_options_default(void) {
    return (relay_options){.connect_timeout_ms = 5000,
                           .handshake_timeout_ms = 5000,
                           .max_body = DEFAULT_MAX_BODY,
                           .reconnect = {-1, 100, 10000, 0.5},
                           .close_timeout_ms = 5000};
}

static char *copy_of(const char *text) {
    char *copy = text == NULL ? NULL : malloc(strlen(text) + 1);
    return copy == NULL ? NULL : memcpy(copy, text, strlen(text) + 1);
}

static relay_result parse_endpoint(const char *text, endpoint *to, bool tls, relay_error *error) {
    to->text = copy_of(text);
    to->host = copy_of(text);
    if (to->host == NULL || to->text == NULL) {
        return yours(error, 0, "no memory for the endpoint");
    }
    if (strncmp(text, "unix:", 5) == 0) {
        size_t length = strlen(text + 5);
        memmove(to->host, text + 5, length + 1);
        if (length == 0 || length >= sizeof((struct sockaddr_un *)0)->sun_path) {
            return yours(error, 0, "endpoint %.200s: the path has %zu bytes, not 1 to %zu", text, length,
                         sizeof((struct sockaddr_un *)0)->sun_path - 1);
        }
        return tls ? yours(error, 0, "endpoint %.200s: no TLS over a Unix socket", text) : RELAY_OK;
    }
    char *colon = strrchr(to->host, ':');
    char *end = NULL;
    long port = colon == NULL || colon[1] < '0' || colon[1] > '9' ? 0 : strtol(colon + 1, &end, 10);
    if (port < 1 || port > 65535 || *end != 0) {
        return yours(error, 0, "endpoint %.200s: expected host:port, [ipv6]:port or unix:path, the port 1 to 65535",
                     text);
    }
    *colon = 0;
    to->port = colon + 1;
    size_t length = strlen(to->host);
    if (to->host[0] == '[' && length > 2 && to->host[length - 1] == ']') {
        memmove(to->host, to->host + 1, length - 2);
        to->host[length - 2] = 0;
    } else if (length == 0 || strpbrk(to->host, ":[]") != NULL) {
        return yours(error, 0, "endpoint %.200s: expected host:port, [ipv6]:port or unix:path", text);
    }
    return RELAY_OK;
}

static relay_result check_ranges(const relay_range *ranges, size_t count, relay_error *error) {
    if (count > MAX_RANGES) {
        return yours(error, 0, "%zu ranges of types, the limit is %d", count, MAX_RANGES);
    }
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].from > ranges[i].to) {
            return yours(error, 0, "types %d to %d: upside down", (int)ranges[i].from, (int)ranges[i].to);
        }
        if (is_reserved(ranges[i].from)) {
            return yours(error, RESERVED_TYPE, "type %d is reserved, the first one is %d", (int)ranges[i].from,
                         LAST_RESERVED + 1);
        }
    }
    return RELAY_OK;
}

static relay_result check_range(const char *what, int64_t value, int64_t least, int64_t most, relay_error *error) {
    return value < least || value > most ? yours(error, 0, "%s %lld is not within %lld..%lld", what, (long long)value,
                                                 (long long)least, (long long)most)
                                         : RELAY_OK;
}

/* A name of a congestion control is tried: a list of them would not tell what this process may use. */
static relay_result check_congestion(const char *name, relay_error *error) {
    if (name == NULL || strcmp(name, AUTO) == 0 || strcmp(name, SYSTEM) == 0) {
        return RELAY_OK;
    }
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    fd = fd >= 0 ? fd : socket(AF_INET6, SOCK_STREAM, 0);
    bool works = fd < 0;
    if (fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        works = set_congestion(fd, name);
        close(fd);
    }
    if (works) {
        return RELAY_OK;
    }
    char allowed[256] = "";
    fd = open("/proc/sys/net/ipv4/tcp_allowed_congestion_control", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, allowed, sizeof allowed - 1);
        close(fd);
        allowed[n > 0 ? n : 0] = 0;
        allowed[strcspn(allowed, "\n")] = 0;
    }
    return yours(error, 0, "local congestion \"%.64s\" is none that the system gives%s%s", name,
                 *allowed ? "; it allows " : "", allowed);
}

/* Whether the common options are good. */
static relay_result check_options(const relay_options *o, relay_error *error) {
    const relay_reconnect *again = &o->reconnect;
    if (o->endpoint_count == 0 || o->endpoints == NULL) {
        return yours(error, 0, "no endpoint");
    }
    if (!(again->jitter >= 0 && again->jitter <= 1)) {
        return yours(error, 0, "jitter %g is not within 0..1", again->jitter);
    }
    if (o->plain &&
        ((o->name != NULL && *o->name) || o->token != NULL || o->token_file != NULL || o->token_call != NULL ||
         o->type_count > 0 || o->start != RELAY_LIVE || o->policy != RELAY_DEFAULT || o->level != RELAY_STREAM ||
         o->heartbeat_ms != 0 || o->acks || o->interval_ms != 0)) {
        return yours(error, 0,
                     "the plain mode has no name, token, types, start, policy, level, interval, heartbeat or "
                     "acknowledgements");
    }
    relay_result done = check_string("name", o->name, 0, error);
    done = done != RELAY_OK ? done : check_string("token", o->token, 1, error);
    done = done != RELAY_OK ? done : check_congestion(o->local_congestion, error);
    if (done == RELAY_OK && (o->token != NULL) + (o->token_file != NULL) + (o->token_call != NULL) > 1) {
        done = yours(error, 0, "the token is given twice: as a string, a file or a function");
    }
    done = done != RELAY_OK || o->heartbeat_ms == 0
               ? done
               : check_range("heartbeat in ms", o->heartbeat_ms, MIN_HEARTBEAT_MS, MAX_HEARTBEAT_MS, error);
    done = done != RELAY_OK ? done : check_range("connect time-out in ms", o->connect_timeout_ms, 1, INT32_MAX, error);
    done =
        done != RELAY_OK ? done : check_range("handshake time-out in ms", o->handshake_timeout_ms, 1, INT32_MAX, error);
    done = done != RELAY_OK ? done : check_range("close time-out in ms", o->close_timeout_ms, 1, INT32_MAX, error);
    done = done != RELAY_OK ? done : check_range("longest body", o->max_body, 0, MAX_MAX_BODY, error);
    done = done != RELAY_OK ? done : check_range("level", o->level, RELAY_STREAM, RELAY_FORCED, error);
    done = done != RELAY_OK ? done : check_range("rounds", again->rounds, -1, INT64_MAX, error);
    done = done != RELAY_OK ? done : check_range("first wait in ms", again->first_ms, 1, INT32_MAX, error);
    return done != RELAY_OK ? done
                            : check_range("longest wait in ms", again->longest_ms, again->first_ms, INT32_MAX, error);
}

/* Fills a link that is all zero; what it allocates is freed by end_link, also after a failure. */
static relay_result begin_link(relay_link *l, const relay_options *options, size_t read_size, size_t in_size,
                               relay_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    l->born = atomic_load(&forks);
    l->options = *options;
    l->certificate_ends = l->certificate_look = INT64_MAX;
    l->beginning = true;
    l->read_size = read_size;
    l->in_size = in_size;
    l->in = malloc(in_size);
    l->name = copy_of(options->name);
    l->token_file = copy_of(options->token_file);
    snprintf(l->congestion, sizeof l->congestion, "%s",
             options->local_congestion == NULL ? AUTO : options->local_congestion);
    l->endpoints = calloc(options->endpoint_count, sizeof *l->endpoints);
    if (l->in == NULL || l->endpoints == NULL || (options->name != NULL && l->name == NULL) ||
        (options->token_file != NULL && l->token_file == NULL)) {
        return yours(error, 0, "no memory");
    }
    if (options->token != NULL) {
        put_bytes((uint8_t *)l->token, options->token, strlen(options->token) + 1);
    } else if (!read_token(l)) {
        *error = l->error;
        error->kind = RELAY_YOURS;
        return RELAY_YOURS;
    }
    if (pipe(l->wake) != 0) {
        return yours(error, 0, "no pipe: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        fcntl(l->wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(l->wake[i], F_SETFL, O_NONBLOCK);
    }
    for (size_t i = 0; i < options->endpoint_count; i++) {
        relay_result done = parse_endpoint(options->endpoints[i], &l->endpoints[i], options->tls != NULL, error);
        if (done != RELAY_OK) {
            return done;
        }
    }
    if (!random_bytes(&l->random, sizeof l->random)) {
        return yours(error, 0, "/dev/urandom gives no bytes");
    }
    l->random |= 1;
    l->now = now_ms();
    l->due = l->now + next_wait(l, AGAIN, false);
    return RELAY_OK;
}

static void end_link(relay_link *l) {
    if (is_of_parent(l)) {
        /* The parent goes on with it: to end TLS could disturb it. */
        l->session = NULL;
    }
    drop(l);
    for (int i = 0; i < 2; i++) {
        if (l->wake[i] >= 0) {
            close(l->wake[i]);
        }
    }
    for (size_t i = 0; l->endpoints != NULL && i < l->options.endpoint_count; i++) {
        lookup *q = l->endpoints[i].lookup;
        if (q != NULL) {
            if (is_of_parent(l)) {
                /* The thread is in the parent; what it was at work on here is left alone. */
                atomic_store(&q->owners, 1);
                q->addresses = NULL;
            }
            leave_lookup(q);
        }
        free(l->endpoints[i].text);
        free(l->endpoints[i].host);
    }
    free(l->endpoints);
    free(l->name);
    free(l->token_file);
    /* A secret does not stay in freed memory. */
    wipe(l->token, sizeof l->token);
    free(l->in);
}

/* ---- Subscribers ---- */

enum { MAX_CHANGES = 64 };

typedef struct change {
    struct change *next;
    uint32_t request;
    int64_t holds_from;
    size_t count;
    relay_range types[];
} change;

struct relay_subscriber {
    relay_link link;
    relay_start start;
    int64_t start_number;

    int64_t epoch;
    int64_t next;
    int64_t head;
    int64_t doubted;
    int64_t messages;
    int64_t bytes;
    bool filtered;
    bool numbered;
    bool narrowed;
    bool greeted_all;
    bool was_connected;
    int max_ranges;

    /*
     * With start = state: whether the next HELLO asks for the whole of it; messages were passed over, as newer ones of
     * their types come, and not all of these have come; the state of this connection is not complete, of which, if it
     * takes long, was told.
     */
    bool needs_whole;
    bool passed_over;
    bool incomplete;
    bool told_late;

    relay_event pending[MAX_PENDING_EVENTS];
    size_t pending_count;
    size_t pending_taken;

    /* Changes of types in the order of their requests: the first `done` hold, the next `sent` wait for an answer. */
    change *changes;
    size_t done;
    size_t sent;
    size_t waiting;
    uint32_t requests;
    change *holding;
};

static void pend(relay_subscriber *s, relay_event event) {
    if (s->pending_count < MAX_PENDING_EVENTS) {
        s->pending[s->pending_count++] = event;
    }
}

static change *change_at(const relay_subscriber *s, size_t index) {
    change *at = s->changes;
    while (index-- > 0) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): index is one of the list. */
        at = at->next;
    }
    return at;
}

/* The types for a HELLO, which stands for every change that was asked for until now. */
static const change *types_for_hello(relay_subscriber *s) {
    s->sent += s->waiting;
    s->waiting = 0;
    const change *types = s->holding;
    const change *it = s->changes;
    for (size_t i = 0; i < s->done + s->sent; i++, it = it->next) {
        types = it->holds_from < 0 ? types : it;
    }
    return types;
}

/* The types that hold in the stream now. */
static const change *types_in_force(const relay_subscriber *s) {
    const change *types = s->holding;
    const change *it = s->changes;
    for (size_t i = 0; i < s->done; i++, it = it->next) {
        types = it->holds_from < 0 ? types : it;
    }
    return types;
}

static int compare_ranges(const void *a, const void *b) {
    const relay_range *one = a;
    const relay_range *other = b;
    return (one->from > other->from) - (one->from < other->from);
}

/* Whether all types of the second are among those of the first. Without memory: no, so that the whole state comes. */
static bool covers(const change *types, const change *wanted) {
    static const relay_range EVERY = {LAST_RESERVED + 1, INT32_MAX};
    size_t count = types->count;
    if (count == 0) {
        return true;
    }
    relay_range *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    memcpy(sorted, types->types, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_ranges);
    /* Ranges that overlap or touch become one. */
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (sorted[i].from <= (int64_t)sorted[last].to + 1) {
            sorted[last].to = sorted[i].to > sorted[last].to ? sorted[i].to : sorted[last].to;
        } else {
            sorted[++last] = sorted[i];
        }
    }
    const relay_range *ranges = wanted->count == 0 ? &EVERY : wanted->types;
    size_t found = 0;
    size_t most = wanted->count == 0 ? 1 : wanted->count;
    for (size_t i = 0; i < most; i++) {
        for (size_t j = 0; j <= last; j++) {
            found += sorted[j].from <= ranges[i].from && ranges[i].to <= sorted[j].to ? 1 : 0;
        }
    }
    free(sorted);
    return found == most;
}

static void subscriber_greet(relay_link *l) {
    relay_subscriber *s = (relay_subscriber *)l;
    const change *in_force = types_in_force(s);
    const change *types = types_for_hello(s);
    s->greeted_all = types->count == 0;
    bool resumes = s->next != 0;
    relay_start start = resumes ? RELAY_SEQUENCE : s->start;
    int64_t number = resumes ? s->next : s->start_number;
    if (s->start == RELAY_STATE) {
        start = RELAY_STATE;
        s->needs_whole = s->needs_whole || !covers(in_force, types);
        number = s->needs_whole ? 0 : number;
    }
    put_hello(l, start, SEQUENCES | NARROWED | EPOCHS, s->epoch, number, types->types, types->count, NULL);
}

/* The first jump that no frame explains ends the connection; if it comes again, it is a gap. */
static bool jump(relay_subscriber *s, int control, int64_t to) {
    if (s->link.options.reconnect.rounds != 0 && s->doubted != s->next) {
        s->doubted = s->next;
        fault(&s->link, PROTOCOL_ORDER, "%s jumps from message %lld to %lld without a reason", frame_name(control),
              (long long)s->next, (long long)to);
        return false;
    }
    s->doubted = 0;
    pend(s, (relay_event){.kind = RELAY_GAP, .from = s->next, .to = to - 1});
    s->next = to;
    return true;
}

/* Takes note that the next message is `at` or a later one; false: the connection has ended. */
static bool left_out(relay_subscriber *s, int control, int64_t at, bool may_jump) {
    if (at < s->next) {
        fault(&s->link, PROTOCOL_ORDER, "%s goes back from message %lld to %lld", frame_name(control),
              (long long)s->next, (long long)at);
        return false;
    }
    if (at > FARTHEST) {
        fault(&s->link, MALFORMED_CONTROL, "%s goes to %lld, where no stream gets", frame_name(control), (long long)at);
        return false;
    }
    if (at > s->next && !may_jump) {
        return jump(s, control, at);
    }
    s->next = at;
    return true;
}

/* The first change that was sent holds from this message on. */
static void change_holds(relay_subscriber *s, int64_t from) {
    change *it = change_at(s, s->done);
    s->needs_whole = s->start == RELAY_STATE && (s->needs_whole || !covers(types_in_force(s), it));
    it->holds_from = from;
    s->done++;
    s->sent--;
}

static void subscriber_retreated(relay_link *l, int64_t epoch, int64_t changed) {
    relay_subscriber *s = (relay_subscriber *)l;
    s->epoch = epoch;
    s->head = 0;
    if (s->next > changed) {
        pend(s, (relay_event){.kind = RELAY_ROLLED_BACK, .from = changed, .to = s->next - 1, .epoch = epoch});
        s->next = changed;
    }
}

/*
 * A walk was cut, and the life in which it began has ended: a newer message for which one was passed over may be gone,
 * and the number does not tell.
 */
static bool subscriber_asks_again(relay_link *l, const welcome *w) {
    relay_subscriber *s = (relay_subscriber *)l;
    if (!s->passed_over || s->needs_whole || w->epoch == s->epoch || (w->flags & EPOCH_CHANGED) != 0) {
        return false;
    }
    s->needs_whole = true;
    return true;
}

/* The user who has not taken the last beginning takes this one in its place. */
static void begin_state(relay_subscriber *s, const welcome *w, bool anew) {
    relay_event *last = s->pending_count > s->pending_taken ? &s->pending[s->pending_count - 1] : NULL;
    if (last != NULL && last->kind == RELAY_STATE_BEGINS) {
        s->pending_count--;
        /* A relay may move the next number without an event in between. */
        anew |= last->anew;
    }
    s->incomplete = true;
    s->told_late = false;
    s->passed_over = s->passed_over && !anew;
    pend(s, (relay_event){.kind = RELAY_STATE_BEGINS, .epoch = w->epoch, .next = w->next, .anew = anew});
}

/* At a PING at the head all that the state is has come. */
static void complete_state(relay_subscriber *s, int64_t next) {
    if (next - 1 != s->head) {
        return;
    }
    s->passed_over = false;
    if (s->incomplete) {
        s->incomplete = false;
        pend(s, (relay_event){.kind = RELAY_STATE_COMPLETE, .epoch = s->epoch, .next = next});
    }
}

static void tell_if_late(relay_subscriber *s) {
    relay_link *l = &s->link;
    if (s->incomplete && !s->told_late && l->state == OPEN && l->now - l->welcomed_at >= LATE_MS) {
        s->told_late = true;
        emit(l, (relay_event){.kind = RELAY_STATE_LATE, .endpoint = endpoint_text(l), .next = s->next});
    }
}

static bool subscriber_welcomed(relay_link *l, const welcome *w) {
    relay_subscriber *s = (relay_subscriber *)l;
    if (w == NULL) {
        if (s->was_connected) {
            pend(s, (relay_event){.kind = RELAY_MISSED});
        }
        s->was_connected = true;
        return true;
    }
    bool other = s->epoch != 0 && (w->flags & EPOCH_CHANGED) != 0;
    bool anew = s->start == RELAY_STATE && (other || s->needs_whole || s->next <= 1);
    bool still_needed = s->needs_whole && !anew;
    tell_connected(l, w, anew);
    if (w->next > FARTHEST) {
        fault(l, MALFORMED_CONTROL, "WELCOME goes to %lld, where no stream gets", (long long)w->next);
        return false;
    }
    s->max_ranges = w->max_ranges;
    if (other) {
        pend(s, (w->flags & ROLLED_BACK) != 0
                    ? (relay_event){.kind = RELAY_ROLLED_BACK, .from = w->fork, .to = s->next - 1, .epoch = w->epoch}
                    : (relay_event){.kind = RELAY_STREAM_CHANGED, .from = s->next, .epoch = w->epoch});
        s->head = 0;
    }
    s->narrowed = (w->features & NARROWED) != 0;
    s->numbered = (w->features & SEQUENCES) != 0;
    s->filtered = s->narrowed || !s->greeted_all;
    s->epoch = w->epoch;
    if (s->start == RELAY_STATE) {
        begin_state(s, w, anew);
    }
    if (anew) {
        s->next = 1;
    } else if (s->next == 0 || other) {
        s->next = w->next;
    }
    if (!left_out(s, WELCOME, w->next, false)) {
        return false;
    }
    while (s->sent > 0) {
        change_holds(s, s->next);
    }
    /* HELLO's number stood for all changes, also for those that hold by now. */
    s->needs_whole = still_needed;
    return true;
}

/* Sends changes as SUBSCRIBE, as many as there is room for. */
static void send_changes(relay_subscriber *s) {
    relay_link *l = &s->link;
    while (l->state == OPEN && s->waiting > 0) {
        change *it = change_at(s, s->done + s->sent);
        size_t length = 8 + 8 * it->count;
        if (it->count > (size_t)s->max_ranges) {
            /* Behind the answers before it: a refusal comes in the order of the requests. */
            if (s->sent > 0) {
                return;
            }
            it->holds_from = -1;
            s->done++;
            s->waiting--;
            continue;
        }
        if (HEADER + length > OUT_SIZE - l->out_length) {
            return;
        }
        uint8_t *at = put32(put_header(l->out + l->out_length, SUBSCRIBE, length), it->request);
        put_ranges(put16(put16(at, (unsigned)it->count), 0), it->types, it->count);
        l->out_length += HEADER + length;
        s->sent++;
        s->waiting--;
    }
}

static void subscriber_frame(relay_subscriber *s, int32_t type, const uint8_t *body, size_t length) {
    relay_link *l = &s->link;
    int control = (int)((uint32_t)type & 0xFF);
    const char *wrong = NULL;
    switch (control) {
        case PING:
            s->head = get64(body + 16);
            if (get64(body + 8) > 0 && left_out(s, control, get64(body + 8), s->filtered)) {
                complete_state(s, get64(body + 8));
            }
            break;
        case PONG:
            break;
        case SEQUENCE:
            if (length < 8 || get64(body) < 1) {
                malformed(l, "SEQUENCE is too short, or below 1");
            } else {
                left_out(s, control, get64(body), s->filtered);
            }
            break;
        case GAP:
            wrong = check_gap(body, length);
            l->alive = true;
            if (wrong != NULL || get64(body + 8) > FARTHEST) {
                malformed(l, wrong != NULL ? wrong : "GAP goes where no stream gets");
            } else if (left_out(s, control, get64(body), s->filtered)) {
                pend(s, (relay_event){
                            .kind = RELAY_GAP, .from = get64(body), .to = get64(body + 8), .reason = get16(body + 16)});
                s->next = get64(body + 8) + 1;
                s->passed_over = s->start == RELAY_STATE && (s->passed_over || get16(body + 16) == SUPERSEDED);
            }
            break;
        case SUBSCRIBED:
            wrong = check_subscribed(body, length);
            if (wrong != NULL) {
                malformed(l, wrong);
            } else if (s->sent == 0 || change_at(s, s->done)->request != get32(body)) {
                fault(l, PROTOCOL_ORDER, "SUBSCRIBED answers request %u, which is not the one to be answered",
                      (unsigned)get32(body));
            } else if (left_out(s, control, get64(body + 8), s->filtered)) {
                s->filtered = s->narrowed || change_at(s, s->done)->count > 0;
                change_holds(s, get64(body + 8));
            }
            break;
        default:
            unexpected(l, control, "on the subscribe port");
    }
}

/* What has been noticed and not told yet. */
static bool take_pending(relay_subscriber *s, relay_event *event) {
    if (s->pending_taken < s->pending_count) {
        *event = s->pending[s->pending_taken++];
    } else if (s->done > 0) {
        s->pending_taken = s->pending_count = 0;
        change *it = s->changes;
        s->changes = it->next;
        s->done--;
        bool refused = it->holds_from < 0;
        *event = (relay_event){.kind = refused ? RELAY_TYPES_REFUSED : RELAY_TYPES,
                               .request = it->request,
                               .sequence = refused ? 0 : it->holds_from};
        if (refused) {
            free(it);
        } else {
            free(s->holding);
            s->holding = it;
        }
    } else {
        s->pending_taken = s->pending_count = 0;
        return false;
    }
    emit(&s->link, *event);
    return true;
}

/* Takes frames until there is an event; false: there is none yet. */
static bool take_frames(relay_subscriber *s, relay_event *event) {
    relay_link *l = &s->link;
    int32_t type;
    const uint8_t *body;
    size_t length;
    while (true) {
        if ((s->pending_count > 0 || s->done > 0) && take_pending(s, event)) {
            return true;
        }
        if (!next_frame(l, &type, &body, &length)) {
            return false;
        }
        if (!is_reserved(type)) {
            l->alive = true;
            s->messages++;
            s->bytes += HEADER + (int64_t)length;
            /* Other fields are not set: to clear the whole event takes longer than all the rest. */
            event->kind = RELAY_MESSAGE;
            event->type = type;
            event->body = body;
            event->length = length;
            event->sequence = !l->options.plain && (!s->filtered || s->numbered) ? s->next++ : 0;
            return true;
        }
        if (!take_control(l, type, body, length)) {
            subscriber_frame(s, type, body, length);
        }
    }
}

/* Whether a subscriber's interval is good, if it has one. The policy is in its range. */
static relay_result check_interval(const relay_options *o, relay_error *error) {
    static const char *const OTHERS[] = {[RELAY_DISCONNECT] = "disconnect",
                                         [RELAY_BACKPRESSURE] = "backpressure",
                                         [RELAY_SKIP] = "skip",
                                         [RELAY_REPLAY] = "replay"};
    if (o->interval_ms == 0) {
        return RELAY_OK;
    }
    if (o->policy != RELAY_DEFAULT && o->policy != RELAY_LATEST) {
        size_t other = (size_t)o->policy;
        return yours(error, 0, "interval of %lu ms needs the policy latest, not %s", (unsigned long)o->interval_ms,
                     other < sizeof(OTHERS) / sizeof(*OTHERS) ? OTHERS[other] : "another one");
    }
    return check_range("interval in ms", o->interval_ms, MIN_INTERVAL_MS, MAX_INTERVAL_MS, error);
}

relay_subscriber *relay_subscriber_open(const relay_options *options, relay_error *error) {
    relay_error unused;
    error = error == NULL ? &unused : error;
    *error = (relay_error){0};
    relay_result done = check_options(options, error);
    done = done != RELAY_OK ? done : check_ranges(options->types, options->type_count, error);
    done = done != RELAY_OK ? done : check_range("policy", options->policy, RELAY_DEFAULT, RELAY_LATEST, error);
    done = done != RELAY_OK ? done : check_interval(options, error);
    done = done != RELAY_OK ? done : check_range("start", options->start, RELAY_LIVE, RELAY_STATE, error);
    if (done == RELAY_OK && (options->start == RELAY_SEQUENCE || options->start == RELAY_TIME)) {
        done = check_range(options->start == RELAY_TIME ? "start time" : "start sequence", options->number, 1, FARTHEST,
                           error);
    }
    if (done == RELAY_OK && options->start == RELAY_STATE) {
        done = check_range("start sequence", options->number, 0, FARTHEST, error);
    }
    if (done == RELAY_OK && (options->acks || options->producer != NULL || options->producer_file != NULL)) {
        done = yours(error, 0, "acknowledgements are for publishers");
    }
    relay_subscriber *s = done != RELAY_OK ? NULL : calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->link.fd = s->link.wake[0] = s->link.wake[1] = -1;
    size_t whole = HEADER + (size_t)(options->max_body > MAX_CONTROL ? options->max_body : MAX_CONTROL);
    size_t buffer = options->buffer == 0 ? DEFAULT_READ : options->buffer;
    s->holding = calloc(1, sizeof *s->holding + options->type_count * sizeof *options->types);
    done = s->holding == NULL ? yours(error, 0, "no memory")
                              : begin_link(&s->link, options, buffer, whole > buffer ? whole : buffer, error);
    if (done != RELAY_OK) {
        relay_subscriber_close(s);
        return NULL;
    }
    s->link.greet = subscriber_greet;
    s->link.welcomed = subscriber_welcomed;
    s->link.retreated = subscriber_retreated;
    s->link.asks_again = subscriber_asks_again;
    s->start = options->start;
    /* The interval stands for the policy that it needs. */
    s->link.options.policy = options->interval_ms > 0 ? RELAY_LATEST : options->policy;
    bool numbered = options->start == RELAY_SEQUENCE || options->start == RELAY_TIME || options->start == RELAY_STATE;
    s->start_number = numbered ? options->number : 0;
    bool resumes = options->start == RELAY_SEQUENCE || (options->start == RELAY_STATE && options->number > 1);
    s->epoch = resumes ? options->epoch : 0;
    s->next = resumes ? options->number : 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without it, done is not RELAY_OK. */
    s->holding->count = options->type_count;
    if (options->type_count > 0) {
        memcpy(s->holding->types, options->types, options->type_count * sizeof *options->types);
    }
    return s;
}

/* The wait of relay_subscriber_next. Out of line: its registers would be saved for each message, of which few wait. */
__attribute__((noinline)) static relay_result await_event(relay_subscriber *s, relay_event *event, int timeout_ms) {
    relay_link *l = &s->link;
    int64_t limit = limit_of(timeout_ms);
    while (true) {
        if (limit != INT64_MIN && take_wake(l)) {
            return RELAY_INTERRUPTED;
        }
        send_changes(s);
        l->drained = l->drained && limit != INT64_MIN;
        step done = advance(l);
        if (done == MOVED) {
            tell_if_late(s);
        }
        if (take_frames(s, event)) {
            return RELAY_OK;
        }
        if (done == STOPPED || l->state == ENDED) {
            return l->error.kind;
        }
        if (l->state == OPEN && s->waiting > 0) {
            send_changes(s);
            flush(l);
        }
        if (done == BLOCKED ? !wait_for(l, wait_until(l), limit) : l->now >= limit && limit != INT64_MIN) {
            return RELAY_NOTHING;
        }
        if (limit == INT64_MIN && l->state == OPEN) {
            /* One read a call: a loop of one's own has other things to do. */
            return RELAY_NOTHING;
        }
    }
}

relay_result relay_subscriber_next(relay_subscriber *s, relay_event *event, int timeout_ms) {
    relay_link *l = &s->link;
    if (is_of_parent(l)) {
        return of_parent(&l->error);
    }
    if (timeout_ms != 0 && take_wake(l)) {
        return RELAY_INTERRUPTED;
    }
    return take_frames(s, event) ? RELAY_OK : await_event(s, event, timeout_ms);
}

/* Whether the next WELCOME may bring more than there is room for: the user has to take the events before it. */
static bool waits_for_user(const relay_subscriber *s) {
    return s->link.state == IDLE && s->pending_count > MAX_PENDING_EVENTS - MOST_OF_A_WELCOME;
}

relay_result relay_subscriber_keep_alive(relay_subscriber *s) {
    relay_link *l = &s->link;
    if (is_of_parent(l)) {
        return of_parent(&l->error);
    }
    if ((l->options.plain && l->state == OPEN) || waits_for_user(s)) {
        return RELAY_OK;
    }
    send_changes(s);
    l->ahead = true;
    l->drained = false;
    step done = advance(l);
    l->ahead = false;
    while (l->state == GREETING) {
        int32_t type;
        const uint8_t *body;
        size_t length;
        if (!next_frame(l, &type, &body, &length)) {
            break;
        }
        if (!take_control(l, type, body, length)) {
            subscriber_frame(s, type, body, length);
        }
    }
    if (l->state == OPEN) {
        size_t at = l->scanned > l->start ? l->scanned : l->start;
        while (l->end - at >= HEADER) {
            size_t whole = HEADER + (size_t)get32(l->in + at + 4);
            if (whole > l->end - at) {
                break;
            }
            if (get32(l->in + at) == (0x80000000u | PING) && whole >= HEADER + 24) {
                l->pong_id = get64(l->in + at + HEADER);
                l->pong_due = true;
            }
            at += whole;
        }
        l->scanned = at;
        if (!l->pong_due && l->now >= unasked_pong(l)) {
            l->pong_id = 0;
            l->pong_due = true;
        }
        flush(l);
    }
    return done == STOPPED || l->state == ENDED ? l->error.kind : RELAY_OK;
}

relay_result relay_subscriber_types(relay_subscriber *s, const relay_range *types, size_t count, uint32_t *request) {
    relay_link *l = &s->link;
    if (is_of_parent(l)) {
        return of_parent(&l->error);
    }
    if (l->state == ENDED) {
        return l->error.kind;
    }
    if (l->options.plain) {
        return yours(&l->error, 0, "the plain mode knows no types");
    }
    relay_result done = check_ranges(types, count, &l->error);
    if (done != RELAY_OK) {
        return done;
    }
    if (l->state == OPEN && count > (size_t)s->max_ranges) {
        return yours(&l->error, 0, "%zu ranges of types, the limit of the relay is %d", count, s->max_ranges);
    }
    if (s->sent + s->waiting + s->done >= MAX_CHANGES) {
        return yours(&l->error, 0, "%d changes of types wait for the relay already", MAX_CHANGES);
    }
    change *it = calloc(1, sizeof *it + count * sizeof *types);
    if (it == NULL) {
        return yours(&l->error, 0, "no memory");
    }
    it->request = s->requests++;
    it->count = count;
    if (count > 0) {
        memcpy(it->types, types, count * sizeof *types);
    }
    change **last = &s->changes;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = it;
    s->waiting++;
    if (request != NULL) {
        *request = it->request;
    }
    if (l->state == OPEN) {
        send_changes(s);
        flush(l);
    }
    return RELAY_OK;
}

void relay_subscriber_wake(relay_subscriber *s) {
    wake(&s->link);
}

int relay_subscriber_fd(const relay_subscriber *s) {
    return shown_fd(&s->link);
}

short relay_subscriber_events(const relay_subscriber *s) {
    return wanted_events(&s->link);
}

int relay_subscriber_wait_ms(const relay_subscriber *s) {
    int64_t until = wait_until(&s->link);
    int64_t pong = unasked_pong(&s->link);
    return waits_for_user(s) ? -1 : wait_ms(&s->link, pong < until ? pong : until);
}

relay_subscriber_counters relay_subscriber_count(const relay_subscriber *s) {
    return (relay_subscriber_counters){s->messages, s->bytes, s->epoch, s->next, s->head};
}

const relay_error *relay_subscriber_error(const relay_subscriber *s) {
    return &s->link.error;
}

void relay_subscriber_close(relay_subscriber *s) {
    if (s == NULL) {
        return;
    }
    end_link(&s->link);
    while (s->changes != NULL) {
        change *it = s->changes;
        s->changes = it->next;
        free(it);
    }
    free(s->holding);
    free(s);
}

/* ---- Publishers ---- */

enum { MOST_PER_WRITE = 256 << 10, GATHERED = 64 << 10, MAX_BUFFER = 1 << 30, BYTES_PER_PING = 1 << 20 };

/*
 * Messages wait in a ring, as frames. Positions count its bytes from the beginning: head <= written <= ever_written <=
 * tail. Before head they are settled.
 *
 * Without acknowledgements the messages are counted from the beginning too: answered <= settled <= messages. Those up
 * to answered are confirmed, or were lost with a connection; those up to settled are handed to a socket.
 */
struct relay_publisher {
    relay_link link;
    uint8_t producer[ID_LENGTH];
    char producer_text[2 * ID_LENGTH + 1];
    uint8_t *ring;
    size_t size;
    uint64_t head;
    uint64_t written;
    uint64_t ever_written;
    uint64_t tail;
    /* Start of the first message that is not known to be written whole, or an earlier one. */
    uint64_t boundary;
    /* Bytes of a TLS write that must be repeated as it was; 0: none. */
    size_t repeated;
    size_t unheard;

    int64_t epoch;
    /* Number of the message at head; 0: not known yet. */
    int64_t first;
    int64_t first_number;
    /* The relay has the messages up to this number from former connections; they are written again all the same. */
    int64_t accepted;
    int64_t told_gone;
    int64_t messages;
    int64_t bytes;
    int64_t settled;
    int64_t answered;
    int64_t confirmed;
    /* Messages lost with connections, of which no flush has told; and the reason of the last loss. */
    int64_t in_doubt;
    relay_error cause;
    /* Messages that a flush waits for. */
    int64_t asked;
    /* The last PING, which stands behind the message ping_behind and ends at the byte ping_end of control frames. */
    bool ping_unanswered;
    int64_t ping_id;
    int64_t ping_behind;
    uint64_t ping_end;
    int64_t ping_at;
    int64_t ping_interval;
    uint64_t bytes_since_ping;
    int32_t max_body;
    bool welcomed;
};

static void ring_put(relay_publisher *p, const void *bytes, size_t length) {
    size_t at = (size_t)(p->tail % p->size);
    size_t first = length < p->size - at ? length : p->size - at;
    put_bytes(p->ring + at, bytes, first);
    put_bytes(p->ring, (const uint8_t *)bytes + first, length - first);
    p->tail += length;
}

/* Length of the frame at a position, with its header. */
static size_t frame_length(const relay_publisher *p, uint64_t position) {
    size_t at = (size_t)((position + 4) % p->size);
    if (p->size - at >= 4) {
        return HEADER + get32(p->ring + at);
    }
    uint8_t length[4];
    for (size_t i = 0; i < 4; i++) {
        length[i] = p->ring[(at + i) % p->size];
    }
    return HEADER + get32(length);
}

static void forget(relay_publisher *p, uint64_t to, int64_t messages) {
    p->head = to;
    p->settled += messages;
    p->boundary = p->boundary > to ? p->boundary : to;
    p->written = p->written > to ? p->written : to;
}

/* Bytes until the next message starts; 0: none is half written. */
static size_t to_boundary(relay_publisher *p) {
    while (p->boundary < p->written) {
        p->boundary += frame_length(p, p->boundary);
    }
    return (size_t)(p->boundary - p->written);
}

static bool publisher_between_frames(relay_link *l) {
    relay_publisher *p = (relay_publisher *)l;
    return l->state != OPEN || (p->repeated == 0 && to_boundary(p) == 0);
}

/* Forgets what the relay has of former connections, as far as it is written. */
static void forget_accepted(relay_publisher *p, uint64_t limit) {
    uint64_t at = p->head;
    int64_t messages = 0;
    while (p->first + messages <= p->accepted && at < limit && at + frame_length(p, at) <= limit) {
        at += frame_length(p, at);
        messages++;
    }
    p->first += messages;
    forget(p, at, messages);
}

static void forget_written(relay_publisher *p) {
    uint64_t at = p->head;
    int64_t messages = 0;
    while (at < p->written && at + frame_length(p, at) <= p->written) {
        at += frame_length(p, at);
        messages++;
    }
    forget(p, at, messages);
}

/* Whether the relay's PONGs count: with acknowledgements they say nothing new, and a plain relay sends none. */
static bool counts_pongs(const relay_publisher *p) {
    return !p->link.options.acks && !p->link.options.plain;
}

/* Messages of which a flush is not sure yet. */
static int64_t outstanding(const relay_publisher *p) {
    return p->messages - (counts_pongs(p) ? p->answered : p->settled);
}

/* When the next PING is due because of the time alone; INT64_MAX: none. */
static int64_t ping_due(const relay_publisher *p) {
    const relay_link *l = &p->link;
    bool may_write = l->state == OPEN && !l->leaving && !l->write_broken && !l->write_blocked;
    bool between = p->repeated == 0 && l->out_length == 0;
    return counts_pongs(p) && may_write && between && !p->ping_unanswered && p->settled > p->answered
               ? p->ping_at + p->ping_interval
               : INT64_MAX;
}

static int64_t publisher_until(const relay_publisher *p) {
    int64_t until = wait_until(&p->link);
    int64_t due = ping_due(p);
    return due < until ? due : until;
}

static bool wants_ping(const relay_publisher *p) {
    return p->settled > p->answered && !p->ping_unanswered && counts_pongs(p) &&
           (p->bytes_since_ping >= BYTES_PER_PING || (p->asked > p->answered && p->settled >= p->asked) ||
            p->link.now >= p->ping_at + p->ping_interval);
}

/*
 * Puts a PING behind all messages that are written; call it between two frames, when no control frame waits. Its id is
 * drawn, so that only who has read it can answer it; it is never 0, the id of a PONG that answers none.
 */
static void put_ping(relay_publisher *p) {
    relay_link *l = &p->link;
    p->ping_id = (int64_t)(next_bits(l) | 1);
    uint8_t *at = put64(put64(put64(put_header(l->out, PING, 24), p->ping_id), 0), 0);
    l->out_length = (size_t)(at - l->out);
    p->ping_unanswered = true;
    p->ping_behind = p->settled;
    p->ping_end = l->out_taken + l->out_length;
    p->ping_at = l->now;
    p->bytes_since_ping = 0;
}

/* A PONG confirms what stands before its PING, once the socket has taken this PING. */
static void take_pong(relay_publisher *p, int64_t id) {
    if (p->ping_unanswered && id == p->ping_id && p->link.out_taken >= p->ping_end) {
        p->link.alive = true;
        p->ping_unanswered = false;
        p->confirmed += p->ping_behind - p->answered;
        p->answered = p->ping_behind;
    }
}

static void tell_acked(relay_publisher *p, int64_t number, int64_t sequence) {
    emit(&p->link, (relay_event){.kind = RELAY_ACKED, .number = number, .sequence = sequence});
}

/* Position behind the message with this number; 0: it is behind limit, and the connection has ended. */
static uint64_t position_behind(relay_publisher *p, int64_t number, uint64_t limit, int control) {
    uint64_t at = p->head;
    int64_t messages = number - p->first + 1;
    while (messages > 0 && at < limit) {
        at += frame_length(p, at);
        messages--;
    }
    if (messages > 0 || at > limit) {
        fault(&p->link, PROTOCOL_ORDER, "%s speaks of message %lld, which was not sent", frame_name(control),
              (long long)number);
        return 0;
    }
    return at;
}

static void publisher_greet(relay_link *l) {
    relay_publisher *p = (relay_publisher *)l;
    bool acks = l->options.acks;
    put_hello(l, RELAY_LIVE, acks ? ACKS | EPOCHS : 0, p->epoch, acks ? p->first : 0, NULL, 0,
              acks ? p->producer : NULL);
}

static void publisher_lost(relay_link *l) {
    relay_publisher *p = (relay_publisher *)l;
    int64_t lost = l->options.acks ? 0 : p->settled - p->answered;
    if (lost > 0 || p->in_doubt == 0) {
        p->cause = l->error;
    }
    if (lost > 0) {
        p->answered = p->settled;
        p->in_doubt += lost;
        emit(l, (relay_event){.kind = RELAY_IN_DOUBT, .number = lost});
    }
    if (l->options.acks) {
        forget_accepted(p, p->ever_written);
    }
    p->written = p->boundary = p->head;
    p->unheard = p->repeated = 0;
    p->ping_unanswered = false;
    p->bytes_since_ping = 0;
}

/* What was sent is sent again: the relay has it by its numbers. */
static void publisher_retreated(relay_link *l, int64_t epoch, int64_t changed) {
    relay_publisher *p = (relay_publisher *)l;
    (void)changed;
    publisher_lost(l);
    p->epoch = epoch;
}

/* Sets the numbers by WELCOME; false: the connection has ended. */
static bool number_messages(relay_publisher *p, const welcome *w) {
    bool changed = (w->flags & EPOCH_CHANGED) != 0;
    if (w->accepted == INT64_MAX) {
        fault(&p->link, MESSAGE_GAP, "WELCOME has accepted %lld, which leaves no number", (long long)w->accepted);
        return false;
    }
    if (p->first == 0) {
        p->first = p->first_number = w->accepted + 1;
    } else if (w->accepted > 0 && w->accepted < p->first - 1 && !changed) {
        fault(&p->link, MESSAGE_GAP, "WELCOME has accepted only %lld, this publisher goes on with %lld",
              (long long)w->accepted, (long long)p->first);
        return false;
    } else if (w->accepted >= p->first && w->accepted > p->accepted) {
        /* A caller who keeps the numbers may publish again what a former publisher has sent. */
        if (p->welcomed && position_behind(p, w->accepted, p->ever_written, WELCOME) == 0) {
            return false;
        }
        p->accepted = w->accepted;
        tell_acked(p, w->accepted, 0);
    }
    p->welcomed = true;
    return true;
}

static bool publisher_welcomed(relay_link *l, const welcome *w) {
    relay_publisher *p = (relay_publisher *)l;
    if (w == NULL) {
        return true;
    }
    tell_connected(l, w, false);
    p->max_body = l->options.max_body < w->max_body ? l->options.max_body : w->max_body;
    if (p->in_doubt == 0) {
        p->cause = (relay_error){0};
    }
    p->ping_interval = w->heartbeat_ms;
    p->ping_at = l->now;
    if (l->options.acks && !number_messages(p, w)) {
        return false;
    }
    p->epoch = w->epoch;
    if ((w->flags & EPOCH_CHANGED) == 0) {
        return true;
    }
    if (l->options.acks && (w->flags & ROLLED_BACK) != 0) {
        /* The relay does not know what it has told this publisher, and may report the same messages again. */
        int64_t from = w->fork > p->told_gone ? w->fork : p->told_gone + 1;
        p->told_gone = p->first - 1;
        if (from <= p->told_gone) {
            emit(l, (relay_event){.kind = RELAY_ROLLED_BACK, .from = from, .to = p->told_gone, .epoch = w->epoch});
        }
    } else {
        emit(l, (relay_event){.kind = RELAY_STREAM_CHANGED, .epoch = w->epoch});
    }
    return true;
}

static void take_ack(relay_publisher *p, const uint8_t *body, size_t length) {
    relay_link *l = &p->link;
    const char *wrong = check_ack(body, length);
    if (wrong != NULL) {
        malformed(l, wrong);
        return;
    }
    l->alive = true;
    int64_t number = get64(body);
    if (l->options.level != RELAY_STREAM) {
        number = length < 32 ? 0 : get64(body + (l->options.level == RELAY_WRITTEN ? 16 : 24));
    }
    if (number >= p->first && number > p->accepted) {
        int64_t messages = number - p->first + 1;
        uint64_t to = position_behind(p, number, p->written, ACK);
        if (to > 0) {
            p->first = number + 1;
            forget(p, to, messages);
            tell_acked(p, number, number == get64(body) ? get64(body + 8) : 0);
        }
    }
}

static void publisher_frames(relay_publisher *p) {
    relay_link *l = &p->link;
    int32_t type;
    const uint8_t *body;
    size_t length;
    while (next_frame(l, &type, &body, &length)) {
        if (take_control(l, type, body, length)) {
            continue;
        }
        int control = (int)((uint32_t)type & 0xFF);
        if (control == ACK && l->options.acks) {
            take_ack(p, body, length);
        } else if (control == PONG) {
            take_pong(p, get64(body));
        } else if (control != PING) {
            unexpected(l, control, "to a publisher that did not ask for it");
        }
    }
}

/* Writes messages until the socket is full, or so many that the input should be read. */
static void write_messages(relay_publisher *p) {
    relay_link *l = &p->link;
    while (l->state == OPEN && !l->leaving && !l->write_broken && p->unheard < GATHERED * 4) {
        size_t most = MOST_PER_WRITE;
        bool pings = wants_ping(p);
        if (p->repeated == 0 && (pings || l->out_length > 0 || l->pong_due)) {
            size_t half = to_boundary(p);
            if (half == 0 && !flush(l)) {
                return;
            }
            if (half == 0 && pings) {
                put_ping(p);
                continue;
            }
            most = half == 0 ? most : half;
        }
        size_t at = (size_t)(p->written % p->size);
        uint64_t left = p->tail - p->written;
        size_t n = p->size - at < most ? p->size - at : most;
        n = left < n ? (size_t)left : n;
        n = p->repeated > 0 ? p->repeated : n;
        if (n == 0) {
            return;
        }
        size_t taken = write_some(l, p->ring + at, n);
        p->repeated = l->session != NULL && taken == 0 ? n : 0;
        p->written += taken;
        p->ever_written = p->ever_written > p->written ? p->ever_written : p->written;
        p->bytes_since_ping += taken;
        p->unheard += taken;
        if (!l->options.acks) {
            forget_written(p);
        } else if (p->accepted >= p->first) {
            forget_accepted(p, p->written);
        }
        if (taken < n) {
            return;
        }
    }
}

static step publisher_advance(relay_publisher *p) {
    relay_link *l = &p->link;
    p->unheard = 0;
    step done = advance(l);
    publisher_frames(p);
    uint64_t before = p->written;
    write_messages(p);
    if (l->state == ENDED) {
        return STOPPED;
    }
    done = p->written != before && !l->write_blocked ? MOVED : done;
    l->blocked = done == BLOCKED;
    return done;
}

/* Takes the id from its text; returns whether that begins with 32 hex digits. */
static bool parse_producer(relay_publisher *p, const char *text) {
    static const char DIGITS[] = "0123456789abcdefABCDEF";
    for (size_t i = 0; i < 2 * ID_LENGTH; i++) {
        const char *digit = text[i] == 0 ? NULL : strchr(DIGITS, text[i]);
        if (digit == NULL) {
            return false;
        }
        int value = (int)(digit - DIGITS);
        value -= value > 15 ? 6 : 0;
        p->producer[i / 2] = (uint8_t)(p->producer[i / 2] << 4 | value);
    }
    return true;
}

static void name_producer(relay_publisher *p) {
    for (size_t i = 0; i < ID_LENGTH; i++) {
        snprintf(p->producer_text + 2 * i, 3, "%02x", p->producer[i]);
    }
}

/* The id as it stands in its file, with a line end. */
static bool write_producer(const relay_publisher *p, int fd) {
    char line[2 * ID_LENGTH + 2];
    snprintf(line, sizeof line, "%s\n", p->producer_text);
    return write(fd, line, sizeof line - 1) == sizeof line - 1 && fsync(fd) == 0;
}

/* Makes the file whole or not at all: by a draft, which is linked. A process that was faster keeps its id. */
static bool make_producer_file(const relay_publisher *p, const char *path) {
    static const char SUFFIX[] = ".XXXXXX";
    size_t length = strlen(path);
    char *draft = malloc(length + sizeof SUFFIX);
    if (draft == NULL) {
        return false;
    }
    put_bytes(put_bytes((uint8_t *)draft, path, length), SUFFIX, sizeof SUFFIX);
    /* The mode is 0600. */
    int fd = mkstemp(draft);
    if (fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    bool made = fd >= 0 && write_producer(p, fd) && (link(draft, path) == 0 || errno == EEXIST);
    int failure = errno;
    if (fd >= 0) {
        close(fd);
        unlink(draft);
    }
    free(draft);
    errno = failure;
    return made;
}

/* The id in the file, which is made with a random one if it is not there. */
static relay_result keep_producer(relay_publisher *p, relay_error *error) {
    const char *path = p->link.options.producer_file;
    FILE *file = fopen(path, "r");
    if (file == NULL && errno == ENOENT) {
        name_producer(p);
        file = make_producer_file(p, path) ? fopen(path, "r") : NULL;
    }
    if (file == NULL) {
        return yours(error, 0, "%.300s: %s", path, strerror(errno));
    }
    char text[2 * ID_LENGTH + 3] = "";
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    bool good = length == 2 * ID_LENGTH + 1 && text[2 * ID_LENGTH] == '\n' && parse_producer(p, text);
    return good ? RELAY_OK : yours(error, 0, "%.300s has anything but 32 hex digits and a line end", path);
}

static relay_result check_publisher(const relay_options *o, size_t buffer, relay_error *error) {
    bool has_acks_options =
        o->producer != NULL || o->producer_file != NULL || o->first_number != 0 || o->level != RELAY_STREAM;
    if (!o->acks && has_acks_options) {
        return yours(error, 0, "producer id, first number and level are for acknowledgements");
    }
    if (o->acks && (o->name == NULL || *o->name == 0)) {
        return yours(error, 0, "acknowledgements need a name");
    }
    if (o->type_count > 0 || o->start != RELAY_LIVE || o->policy != RELAY_DEFAULT || o->interval_ms != 0) {
        return yours(error, 0, "types, start, policy and interval are for subscribers");
    }
    if (o->producer != NULL && o->producer_file != NULL) {
        return yours(error, 0, "the producer id is given twice, and as a file");
    }
    relay_result done = check_range("first number", o->first_number, 0, INT64_MAX, error);
    return done != RELAY_OK ? done
                            : check_range("send buffer", (int64_t)buffer, HEADER + o->max_body, MAX_BUFFER, error);
}

static void free_publisher(relay_publisher *p) {
    end_link(&p->link);
    free(p->ring);
    free(p);
}

relay_publisher *relay_publisher_open(const relay_options *options, relay_error *error) {
    relay_error unused;
    error = error == NULL ? &unused : error;
    *error = (relay_error){0};
    relay_result done = check_options(options, error);
    size_t buffer = options->buffer;
    if (buffer == 0 && done == RELAY_OK) {
        buffer = HEADER + (size_t)(options->max_body > DEFAULT_MAX_BODY ? options->max_body : DEFAULT_MAX_BODY);
    }
    done = done != RELAY_OK ? done : check_publisher(options, buffer, error);
    relay_publisher *p = done != RELAY_OK ? NULL : calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->link.fd = p->link.wake[0] = p->link.wake[1] = -1;
    p->size = buffer;
    p->ring = malloc(buffer);
    p->link.publisher = true;
    done = p->ring == NULL ? yours(error, 0, "no memory")
                           : begin_link(&p->link, options, HEADER + MAX_CONTROL, HEADER + MAX_CONTROL, error);
    p->link.greet = publisher_greet;
    p->link.welcomed = publisher_welcomed;
    p->link.lost = publisher_lost;
    p->link.retreated = publisher_retreated;
    p->link.between_frames = publisher_between_frames;
    if (done == RELAY_OK && options->producer != NULL) {
        bool good = strlen(options->producer) == 2 * ID_LENGTH && parse_producer(p, options->producer);
        done = good ? RELAY_OK : yours(error, 0, "the producer id is not 32 hex digits");
    } else if (done == RELAY_OK && !random_bytes(p->producer, ID_LENGTH)) {
        done = yours(error, 0, "/dev/urandom gives no bytes");
    }
    if (done == RELAY_OK && options->producer_file != NULL) {
        done = keep_producer(p, error);
    }
    if (done != RELAY_OK) {
        free_publisher(p);
        return NULL;
    }
    name_producer(p);
    p->first = p->first_number = options->first_number;
    p->epoch = options->epoch;
    p->max_body = options->max_body;
    return p;
}

static bool has_room(const relay_publisher *p, size_t length) {
    return p->size - (size_t)(p->tail - p->head) >= length;
}

/* Waits for room for so many bytes. Kept out of put_message, which seldom waits. */
__attribute__((noinline)) static relay_result await_room(relay_publisher *p, size_t length, int timeout_ms) {
    relay_link *l = &p->link;
    int64_t limit = INT64_MIN;
    bool first = true;
    while (!has_room(p, length)) {
        if (timeout_ms != 0 && take_wake(l)) {
            return RELAY_INTERRUPTED;
        }
        step done = publisher_advance(p);
        if (first) {
            limit = limit_of(timeout_ms);
            first = false;
        }
        if (done == STOPPED) {
            return l->error.kind;
        }
        if (has_room(p, length)) {
            break;
        }
        if (done == BLOCKED ? !wait_for(l, publisher_until(p), limit) : limit != INT64_MIN && l->now >= limit) {
            return RELAY_FULL;
        }
    }
    return RELAY_OK;
}

static relay_result put_message(relay_publisher *p, int32_t type, const void *body, size_t length, int timeout_ms) {
    relay_link *l = &p->link;
    if (is_of_parent(l)) {
        return of_parent(&l->error);
    }
    if (timeout_ms != 0 && take_wake(l)) {
        return RELAY_INTERRUPTED;
    }
    if (l->state == ENDED) {
        return l->error.kind;
    }
    if (is_reserved(type)) {
        return yours(&l->error, RESERVED_TYPE, "type %d is reserved, the first one is %d", (int)type,
                     LAST_RESERVED + 1);
    }
    if (length > (size_t)p->max_body) {
        return yours(&l->error, OVERSIZED_LENGTH, "a body of %zu bytes, the limit is %d", length, (int)p->max_body);
    }
    if (!has_room(p, HEADER + length)) {
        relay_result done = await_room(p, HEADER + length, timeout_ms);
        if (done != RELAY_OK) {
            return done;
        }
    }
    uint8_t header[HEADER];
    put32(put32(header, (uint32_t)type), (uint32_t)length);
    ring_put(p, header, HEADER);
    ring_put(p, body, length);
    p->messages++;
    p->bytes += HEADER + (int64_t)length;
    return RELAY_OK;
}

relay_result relay_publisher_publish(relay_publisher *p, int32_t type, const void *body, size_t length,
                                     int timeout_ms) {
    relay_result done = put_message(p, type, body, length, timeout_ms);
    if (done == RELAY_OK) {
        if (p->link.state == OPEN && p->unheard < GATHERED) {
            write_messages(p);
        } else {
            publisher_advance(p);
        }
    }
    return done;
}

relay_result relay_publisher_add(relay_publisher *p, int32_t type, const void *body, size_t length) {
    relay_result done = put_message(p, type, body, length, 0);
    if (done == RELAY_OK && p->tail - p->written >= GATHERED && !p->link.write_blocked) {
        publisher_advance(p);
    }
    return done;
}

relay_result relay_publisher_poll(relay_publisher *p, int timeout_ms) {
    relay_link *l = &p->link;
    if (is_of_parent(l)) {
        return of_parent(&l->error);
    }
    int64_t limit = limit_of(timeout_ms);
    bool waited = false;
    while (true) {
        if (timeout_ms != 0 && take_wake(l)) {
            return RELAY_INTERRUPTED;
        }
        step done = publisher_advance(p);
        if (done == STOPPED) {
            return l->error.kind;
        }
        if (done == MOVED && l->now < limit) {
            continue;
        }
        if (done == MOVED || waited || !wait_for(l, publisher_until(p), limit)) {
            return RELAY_OK;
        }
        waited = true;
    }
}

/* Whether waiting is in vain: all was sent, and the relay, which goes away, reads no more of it. */
static bool is_left(const relay_publisher *p) {
    return counts_pongs(p) && p->link.leaving && p->settled == p->messages;
}

/* Returns RELAY_OK if nothing is outstanding or, while closing, will be answered; or RELAY_NOTHING, or the end. */
static relay_result settle(relay_publisher *p, int timeout_ms, bool closing) {
    relay_link *l = &p->link;
    int64_t limit = limit_of(timeout_ms);
    p->asked = p->messages;
    while (outstanding(p) > 0 && !(closing && is_left(p))) {
        if (timeout_ms != 0 && !l->deaf && take_wake(l)) {
            return RELAY_INTERRUPTED;
        }
        step done = publisher_advance(p);
        if (outstanding(p) == 0) {
            break;
        }
        if (done == STOPPED) {
            return l->error.kind;
        }
        if (done == BLOCKED ? !wait_for(l, publisher_until(p), limit) : limit != INT64_MIN && l->now >= limit) {
            return RELAY_NOTHING;
        }
    }
    return RELAY_OK;
}

/* Messages of which close is not sure. */
static int64_t unsettled_of(const relay_publisher *p) {
    return outstanding(p) + (counts_pongs(p) ? p->in_doubt : 0);
}

/* Writes what is in doubt, and why, as an error that another try may help. */
static void tell_doubt(const relay_publisher *p, const relay_error *why, relay_error *error) {
    int64_t unsent = p->messages - p->settled;
    char rest[64] = "";
    if (unsent > 0) {
        snprintf(rest, sizeof rest, ", and %lld are not sent", (long long)unsent);
    }
    char cause[sizeof why->text];
    memcpy(cause, why->text, sizeof cause);
    yours(error, why->code, "%lld sent, %lld in doubt: the relay has not confirmed them%s%s%s", (long long)p->settled,
          (long long)(unsettled_of(p) - unsent), rest, *cause ? "; " : "", cause);
    error->kind = RELAY_RETRY;
}

relay_result relay_publisher_flush(relay_publisher *p, int timeout_ms) {
    relay_link *l = &p->link;
    if (is_of_parent(l)) {
        return of_parent(&l->error);
    }
    relay_result done = settle(p, timeout_ms, false);
    if (done < 0 || done == RELAY_INTERRUPTED || !counts_pongs(p) || (done == RELAY_OK && p->in_doubt == 0)) {
        return done;
    }
    tell_doubt(p, &p->cause, &l->error);
    if (done == RELAY_OK) {
        p->in_doubt = 0;
        p->cause = (relay_error){0};
        return RELAY_DOUBT;
    }
    return done;
}

void relay_publisher_wake(relay_publisher *p) {
    wake(&p->link);
}

int relay_publisher_fd(const relay_publisher *p) {
    return shown_fd(&p->link);
}

short relay_publisher_events(const relay_publisher *p) {
    return wanted_events(&p->link);
}

int relay_publisher_wait_ms(const relay_publisher *p) {
    return wait_ms(&p->link, publisher_until(p));
}

relay_publisher_counters relay_publisher_count(const relay_publisher *p) {
    int64_t confirmed = p->link.options.acks ? p->settled : p->confirmed;
    return (relay_publisher_counters){p->messages, p->bytes, p->settled, p->first_number, confirmed};
}

const relay_error *relay_publisher_error(const relay_publisher *p) {
    return &p->link.error;
}

const char *relay_publisher_producer(const relay_publisher *p) {
    return p->producer_text;
}

/* To a plain publisher, only now the relay reports a fault in the last messages. */
static void await_last_word(relay_publisher *p, int64_t limit) {
    relay_link *l = &p->link;
    l->closing = true;
    l->error = (relay_error){0};
    while (l->state == OPEN) {
        l->now = now_ms();
        if (!read_some(l) && !wait_for(l, wait_until(l), limit)) {
            return;
        }
        publisher_frames(p);
    }
}

/* Ends a connection on which nothing is outstanding. */
static void end_in_order(relay_publisher *p, int64_t limit, relay_error *error) {
    relay_link *l = &p->link;
    if (l->session == NULL) {
        shutdown(l->fd, SHUT_WR);
    } else if (l->out_length == 0) {
        l->options.tls->end_output(l->session);
    }
    if (l->options.plain) {
        int64_t most = now_ms() + LINGER_MS;
        l->options.on_event = NULL;
        await_last_word(p, most < limit ? most : limit);
        if (l->error.code != 0) {
            *error = l->error;
        }
    }
}

int64_t relay_publisher_close(relay_publisher *p, relay_error *error) {
    relay_error unused;
    error = error == NULL ? &unused : error;
    *error = (relay_error){0};
    if (p == NULL) {
        return 0;
    }
    relay_link *l = &p->link;
    if (is_of_parent(l)) {
        of_parent(error);
        free_publisher(p);
        return 0;
    }
    int64_t limit = now_ms() + l->options.close_timeout_ms;
    l->deaf = true;
    relay_result done = settle(p, l->options.close_timeout_ms, true);
    int64_t unsettled = unsettled_of(p);
    if (unsettled > 0 && counts_pongs(p)) {
        relay_error why = done < 0 ? l->error : p->cause;
        if (*why.text == 0 && done == RELAY_NOTHING) {
            snprintf(why.text, sizeof why.text, "the close time-out of %d ms is over",
                     (int)l->options.close_timeout_ms);
        } else if (*why.text == 0) {
            snprintf(why.text, sizeof why.text, "the relay goes away and reads no more");
        }
        tell_doubt(p, &why, error);
        error->kind = done < 0 ? done : RELAY_RETRY;
    } else if (done < 0) {
        *error = l->error;
    } else if (unsettled > 0) {
        bool is_lost = l->state != OPEN && *l->error.text != 0;
        yours(error, 0, "%lld message%s not settled within %d ms%s%.300s", (long long)unsettled,
              unsettled == 1 ? "" : "s", (int)l->options.close_timeout_ms, is_lost ? ": " : "",
              is_lost ? l->error.text : "");
        error->kind = RELAY_RETRY;
    } else if (l->state == OPEN) {
        end_in_order(p, limit, error);
    }
    free_publisher(p);
    return unsettled;
}
