/**
 * @file
 * A client of Relay: subscribers and publishers. C11 and POSIX; one header, one source, no threads but for names.
 *
 * An object belongs to one thread at a time, and to the process that opened it: in a child of fork each call is
 * RELAY_YOURS, and close frees memory and the child's descriptors; the parent goes on undisturbed. A program that ends
 * without relay_publisher_close loses what is not settled, without a word.
 *
 * Functions with a time-out do their own waiting. With 0 they never wait, and relay_*_fd, relay_*_events and
 * relay_*_wait_ms say what a loop of your own waits for. The name of a host is looked up by getaddrinfo on a thread of
 * its own, without signals, within the connect time-out: one for each endpoint at most, which getaddrinfo may keep for
 * longer, also after a close. An address needs no thread. No function allocates per message.
 *
 * Times are in milliseconds, lengths in bytes, sequences and numbers count from 1.
 */
#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RELAY_VERSION "0.1.0"

/** What a call came to. The negative ones are the kinds of errors. */
typedef enum relay_result {
    RELAY_OK = 0,
    /** The time is over, and nothing has come, or not everything is settled. */
    RELAY_NOTHING = 1,
    /** A publisher's buffer has no room: publish again later. */
    RELAY_FULL = 2,
    /** Of relay_publisher_flush: messages were lost with a connection, perhaps. Told once; the publisher goes on. */
    RELAY_DOUBT = 3,
    /** relay_subscriber_wake or relay_publisher_wake has ended the wait; the client goes on. */
    RELAY_INTERRUPTED = 4,
    /** Connecting again may help. The client has done so, as often as its policy allows. */
    RELAY_RETRY = -1,
    /** The same would happen again. */
    RELAY_FATAL = -2,
    /** The call or an option breaks a rule; nothing was sent, and all else goes on. */
    RELAY_YOURS = -3
} relay_result;

typedef struct relay_error {
    relay_result kind;
    /** Code of docs/protocol.md, of the relay's ERROR or of the rule that was broken; 0: none. */
    int code;
    /** For people. UTF-8 without control characters. */
    char text[640];
} relay_error;

typedef enum relay_start {
    RELAY_LIVE,
    RELAY_SEQUENCE,
    RELAY_EARLIEST,
    RELAY_TIME,
    /** The newest message of each type, and then the stream: RELAY_STATE_BEGINS. The relay needs its option --state. */
    RELAY_STATE
} relay_start;

typedef enum relay_policy {
    RELAY_DEFAULT,
    RELAY_DISCONNECT,
    RELAY_BACKPRESSURE,
    RELAY_SKIP,
    RELAY_REPLAY,
    /** Of each type the newest message, where this subscriber falls behind. A relay may not know it. */
    RELAY_LATEST
} relay_policy;

typedef enum relay_level { RELAY_STREAM, RELAY_WRITTEN, RELAY_FORCED } relay_level;

/** Types from..to, both included. */
typedef struct relay_range {
    int32_t from;
    int32_t to;
} relay_range;

/**
 * Rounds over the endpoints until the client gives up: -1 for ever. The wait before a round begins with first_ms and
 * doubles up to longest_ms, less a random share of it of up to jitter (0..1). A relay that is full may tell a time: its
 * endpoint is then connected again no sooner, but after longest_ms at most.
 */
typedef struct relay_reconnect {
    int64_t rounds;
    int32_t first_ms;
    int32_t longest_ms;
    double jitter;
} relay_reconnect;

/** Answers of TLS functions that do not count bytes. */
enum {
    RELAY_TLS_END = 0,
    RELAY_TLS_WANTS_READ = -1,
    RELAY_TLS_WANTS_WRITE = -2,
    /** A failure that may pass. */
    RELAY_TLS_FAILED = -3,
    /** It would fail again: the relay's certificate is of another name. */
    RELAY_TLS_HOPELESS = -4,
    /** A certificate is refused that may be renewed, here or there: tried again by the reconnect policy. */
    RELAY_TLS_RENEWABLE = -5
};

/**
 * TLS by a library of your choice; examples/relay_openssl.c does it with OpenSSL. The socket is connected, does not
 * block, and is closed by the client. A failure leaves its reason in text.
 */
typedef struct relay_tls {
    void *context;
    /**
     * A session over fd, whose other end must have the certificate of host. It reads its files anew each time: they may
     * have been renewed. NULL: a file cannot be read or used now, which is a lost try.
     */
    void *(*begin)(void *context, int fd, const char *host, char *text, size_t size);
    /** Goes on with the handshake: 1 once it is done, or one of the answers above. */
    int (*handshake)(void *session, char *text, size_t size);
    /** As read(2) and write(2), or one of the answers above. A write is repeated with the same bytes. */
    long (*read)(void *session, void *bytes, size_t size, char *text, size_t text_size);
    long (*write)(void *session, const void *bytes, size_t size, char *text, size_t text_size);
    /** Tells the other end, if the socket takes it at once, that no more bytes will come; may be called once. */
    void (*end_output)(void *session);
    void (*free)(void *session);
    /**
     * The end of the client's own certificate in this session, in seconds since 1970; INT64_MAX: it has none. Without
     * this function (NULL) there is no RELAY_CERTIFICATE.
     */
    int64_t (*certificate_ends)(void *session);
} relay_tls;

typedef enum relay_kind {
    /** In stream order, returned by relay_subscriber_next. */
    RELAY_MESSAGE,
    /**
     * The messages from..to do not come, for reason; 0: the relay gave none. Reason 4, SUPERSEDED, is no loss: newer
     * messages of the same types come in their place.
     */
    RELAY_GAP,
    /** Another stream: of the former one, everything from `from` on is lost. To a publisher: the relay was restarted. */
    RELAY_STREAM_CHANGED,
    /** The messages from..to, which you had, are gone; to a publisher: its acknowledged numbers from..to. */
    RELAY_ROLLED_BACK,
    /** A plain subscriber is connected again; nobody knows how many messages it missed. */
    RELAY_MISSED,
    /** The change of types with this request holds from message `sequence` on. */
    RELAY_TYPES,
    /** The change with this request has more ranges than the relay takes; the types stay as they were. */
    RELAY_TYPES_REFUSED,

    /** To the hook only. */
    RELAY_CONNECTED,
    /** A try failed, or a connection was lost; there will be another try. error says why. */
    RELAY_LOST,
    /** GOAWAY with this code; the relay closes within closes_in_ms. */
    RELAY_GOING_AWAY,
    /** The publisher's messages up to number are acknowledged; sequence is that of the last one, 0: not known. */
    RELAY_ACKED,
    /** Without acknowledgements: `number` messages sent over the lost connection, and not confirmed, may be lost. */
    RELAY_IN_DOUBT,
    /** The client has ended, for the reason in error. */
    RELAY_GAVE_UP,

    /**
     * With RELAY_STATE, in stream order, once for each connection: the state comes, up to RELAY_STATE_COMPLETE. `anew`:
     * what came before is void, so a view is to be cleared; else it goes on from what has come.
     */
    RELAY_STATE_BEGINS,
    /** In stream order: the newest message of each type up to next - 1 has come. The stream follows, from `next` on. */
    RELAY_STATE_COMPLETE,

    /** To the hook only: the state is not complete after 10 s, since types change faster than this end takes them. */
    RELAY_STATE_LATE,
    /** To the hook only: the client's own certificate ends in 30, 7 or 1 days, or has ended; `days` are left. */
    RELAY_CERTIFICATE
} relay_kind;

/** Fields that do not apply are 0. Pointers are valid until the next call with the same client. */
typedef struct relay_event {
    relay_kind kind;
    /** Of a message. */
    int32_t type;
    const uint8_t *body;
    size_t length;
    /** Of a message: 0: not known, since the relay grants no SEQUENCES. */
    int64_t sequence;
    int64_t from;
    int64_t to;
    int reason;
    int code;
    uint32_t request;
    int32_t closes_in_ms;
    int64_t number;
    /** Of RELAY_CONNECTED; plain connections have the endpoint only. */
    const char *endpoint;
    const char *server;
    bool plain;
    relay_policy policy;
    int64_t epoch;
    int64_t next;
    int64_t accepted;
    const relay_error *error;
    /** Of RELAY_CONNECTED: this end's address, and the name of its identity, as the relay sees them; NULL: not told. */
    const char *address;
    const char *identity;
    /** Of RELAY_STATE_BEGINS, and of RELAY_CONNECTED with RELAY_STATE. */
    bool anew;
    /** Of RELAY_CERTIFICATE: days that are begun; 0 or less: it has ended. */
    int32_t days;
    /**
     * Of RELAY_CONNECTED: the interval that the relay grants a subscriber that asks for one, in ms; its access rules may
     * make it longer. 0: none is granted.
     */
    uint32_t interval_ms;
} relay_event;

/**
 * Options; relay_options_default fills in the defaults, which are all 0 where none is named. Everything is copied,
 * except tls and the hook's user.
 */
typedef struct relay_options {
    /** "host:port", "[ipv6]:port" or "unix:/path", tried in turn. */
    const char *const *endpoints;
    size_t endpoint_count;
    /** No HELLO: no numbers, no acknowledgements, nothing is resumed. */
    bool plain;
    /** At most 255 bytes of UTF-8 without control characters. */
    const char *name;
    /** 1 to 255 bytes; NULL: none. It goes over TLS, Unix sockets and loopback only. */
    const char *token;
    /** The file that has the token, which a line end may follow. */
    const char *token_file;
    /**
     * Writes the token and a 0 to `token`, of size bytes, and returns true; or false, with the reason in `text`. It runs
     * in the thread that calls, within the open and within calls that connect, and must not block or call the client.
     *
     * File and function are asked at the open, which fails without a token, and again for each connection: without a
     * token that try is lost. Then NOT_AUTHENTICATED is tried again by the policy: the token may have been renewed.
     */
    bool (*token_call)(void *user, char *token, size_t size, char *text, size_t text_size);
    /** 100 to 3,600,000; 0: the relay's. */
    int32_t heartbeat_ms;
    int32_t connect_timeout_ms;   /**< 5,000 */
    int32_t handshake_timeout_ms; /**< 5,000 */
    /** Longest body of a message, up to 64 MiB; 1 MiB. */
    int32_t max_body;
    /**
     * A subscriber's read buffer, 128 KiB; it is one frame of max_body if that is larger. A publisher's send buffer, 1
     * MiB + 8 or one frame of max_body. 0: these.
     */
    size_t buffer;
    relay_reconnect reconnect; /**< for ever, 100, 10,000, 0.5 */
    const relay_tls *tls;
    relay_level level;
    /** Is told all events but messages, within the calls; it must not call the same client. */
    void (*on_event)(void *user, const relay_event *event);
    void *user;

    /** Of a subscriber. No types: every type. */
    const relay_range *types;
    size_t type_count;
    relay_start start;
    relay_policy policy;
    /**
     * Of RELAY_SEQUENCE: the first sequence wanted; of RELAY_TIME: ms since 1970. Of RELAY_STATE: 0 for the whole
     * state, or the `next` up to which a program has kept its view, which was complete then.
     */
    int64_t number;

    /** Of the number of RELAY_SEQUENCE or RELAY_STATE, or of a publisher's first_number; 0: any. */
    int64_t epoch;

    /** Of a publisher. Acknowledgements need a name. */
    bool acks;
    /** The id by which the relay recognises the publisher, 32 hex digits; NULL: from the file, or random. */
    const char *producer;
    /** The file that keeps it, with a line end; written if it is not there. */
    const char *producer_file;
    /** Number of the first message that will be published; 0: the one after the last that the relay has. */
    int64_t first_number;
    /** 5,000. relay_publisher_close waits so long at most. */
    int32_t close_timeout_ms;
    /**
     * The congestion control of a connection to this host, on Linux. "auto", as NULL: cubic, or else reno, since bbr,
     * the default of many hosts, halves what a loopback carries. "system": the system's. Or the name of one, which the
     * open refuses if the system does not give it. A connection to this host is one to a loopback address, or to the
     * address that it comes from. Other connections and systems are left alone.
     */
    const char *local_congestion;

    /**
     * Of a subscriber: 10 to 3,600,000; 0: none. Once in such a time the relay sends what has changed in it: the newest
     * message of each type, and RELAY_GAP with reason 4, SUPERSEDED, for those before it. The first ones come at once.
     * It needs the policy RELAY_LATEST, for which RELAY_DEFAULT then stands, and a relay with its option --state. An
     * older relay declines it, and sends as with RELAY_LATEST alone: RELAY_CONNECTED tells what is granted.
     */
    uint32_t interval_ms;
} relay_options;

relay_options relay_options_default(void);

/* ---- Subscribers ---- */

typedef struct relay_subscriber relay_subscriber;

typedef struct relay_subscriber_counters {
    int64_t messages;
    /** Bytes of these messages, headers included. */
    int64_t bytes;
    /** The place where another subscriber could resume; 0 before the first WELCOME. */
    int64_t epoch;
    int64_t next;
    /** Newest sequence of the stream, from the relay's last PING; 0: not known. */
    int64_t head;
} relay_subscriber_counters;

/** A subscriber, which connects in relay_subscriber_next; NULL: error says why, and may be NULL. */
relay_subscriber *relay_subscriber_open(const relay_options *options, relay_error *error);

/**
 * The next message, or the next other event in stream order. Waits up to timeout_ms, -1: for ever, and connects again
 * meanwhile.
 *
 * Returns RELAY_OK with an event, RELAY_NOTHING, RELAY_INTERRUPTED, or RELAY_RETRY or RELAY_FATAL once the subscriber has
 * given up.
 */
relay_result relay_subscriber_next(relay_subscriber *subscriber, relay_event *event, int timeout_ms);

/**
 * Keeps the connection for a program that wants no message now: answers the relay's PINGs, reads what the buffer takes,
 * and once that is full tells the relay, each heartbeat interval, that this end lives. Does not wait. Returns as
 * relay_subscriber_next, but never an event.
 *
 * No other call does so while messages are there: a pause between two calls, such as a message that takes long, must be
 * shorter than the relay's idle time-out, 15 s by default, or have calls of this function within it: one each heartbeat
 * interval, 5 s by default. The last event's pointers end with this call too.
 */
relay_result relay_subscriber_keep_alive(relay_subscriber *subscriber);

/**
 * Other types from now on, on later connections too; count 0: every type. RELAY_TYPES tells when they hold; request may
 * be NULL. At most 64 changes wait for their answer. Returns RELAY_OK, or RELAY_YOURS and the like with an error.
 */
relay_result relay_subscriber_types(relay_subscriber *subscriber, const relay_range *types, size_t count,
                                    uint32_t *request);

/**
 * Ends a wait: the call of relay_subscriber_next that waits, or the next one with a time-out other than 0, returns
 * RELAY_INTERRUPTED, once. For handlers of signals and for other threads; any number of times before that is once.
 */
void relay_subscriber_wake(relay_subscriber *subscriber);

/**
 * The socket for a loop of your own, which changes with the connection; while a name is looked up the pipe that its
 * answer comes by; -1: none now, or several, while the addresses of a name race for 50 ms and longer.
 *
 * The next connection often has the number of the last one. poll and select do not mind, but epoll and kqueue forget a
 * socket that is closed: register again after each RELAY_LOST and RELAY_CONNECTED. Before each wait is simplest: with
 * epoll EPOLL_CTL_MOD, and if that fails with ENOENT, EPOLL_CTL_ADD.
 */
int relay_subscriber_fd(const relay_subscriber *subscriber);
/** POLLIN, POLLOUT or both. */
short relay_subscriber_events(const relay_subscriber *subscriber);
/** Longest time until the next call; 0: now; -1: no limit. */
int relay_subscriber_wait_ms(const relay_subscriber *subscriber);

relay_subscriber_counters relay_subscriber_count(const relay_subscriber *subscriber);
/** The last error: of the last call that returned one, or of the lost connection. */
const relay_error *relay_subscriber_error(const relay_subscriber *subscriber);
/** Closes at once. NULL is allowed. */
void relay_subscriber_close(relay_subscriber *subscriber);

/* ---- Publishers ---- */

typedef struct relay_publisher relay_publisher;

typedef struct relay_publisher_counters {
    int64_t messages;
    /** Bytes of these messages, headers included. */
    int64_t bytes;
    /** Messages acknowledged; without acknowledgements: handed to the socket. */
    int64_t settled;
    /** Number of the first message; 0: not known yet. */
    int64_t first_number;
    /** Messages that the relay is known to have read; with acknowledgements: acknowledged; plain: 0. */
    int64_t confirmed;
} relay_publisher_counters;

/** A publisher, which connects in the calls below; NULL: error says why, and may be NULL. */
relay_publisher *relay_publisher_open(const relay_options *options, relay_error *error);

/**
 * Takes a message, and sends it if the socket has room. Waits up to timeout_ms for room in the buffer, -1: for ever.
 *
 * Returns RELAY_OK; RELAY_FULL or RELAY_INTERRUPTED: it was not taken; RELAY_YOURS: type or length; or the end of the
 * publisher.
 */
relay_result relay_publisher_publish(relay_publisher *publisher, int32_t type, const void *body, size_t length,
                                     int timeout_ms);

/**
 * As relay_publisher_publish without waiting, but sends once 64 KiB have gathered: the rest goes out with the next call
 * of another function. For many messages at once.
 */
relay_result relay_publisher_add(relay_publisher *publisher, int32_t type, const void *body, size_t length);

/**
 * Sends, listens and connects again. A publisher with nothing to send calls it too: it answers the relay's PINGs.
 * Returns RELAY_OK once it could do no more, after waiting up to timeout_ms for the relay; RELAY_INTERRUPTED; or the end.
 */
relay_result relay_publisher_poll(relay_publisher *publisher, int timeout_ms);

/**
 * Waits until every message is done, up to timeout_ms, -1: for ever. A message is done when it is acknowledged; without
 * acknowledgements when the relay has read it, which it confirms; plain when the socket has it, since no more can be
 * known. A message that the relay has read may not be in the journal yet.
 *
 * With 0 it asks the relay to confirm, and does not wait: call it again when relay_publisher_fd is ready, or when the
 * time of relay_publisher_wait_ms is over.
 *
 * Returns RELAY_OK; RELAY_NOTHING: the time is over; RELAY_INTERRUPTED; RELAY_DOUBT: all else is done, but some messages were sent over a
 * connection that was lost before the relay confirmed them; or the end of the publisher. Without acknowledgements,
 * relay_publisher_error then has the number of messages in doubt: never fewer than those that the relay lacks.
 */
relay_result relay_publisher_flush(relay_publisher *publisher, int timeout_ms);

/** As relay_subscriber_wake, for publish, poll and flush. Close does not end by it: it has a time-out of its own. */
void relay_publisher_wake(relay_publisher *publisher);

/** As those of a subscriber. */
int relay_publisher_fd(const relay_publisher *publisher);
short relay_publisher_events(const relay_publisher *publisher);
int relay_publisher_wait_ms(const relay_publisher *publisher);

relay_publisher_counters relay_publisher_count(const relay_publisher *publisher);
const relay_error *relay_publisher_error(const relay_publisher *publisher);
/** The id by which the relay recognises this publisher, 32 hex digits: it can go into the options of the next one. */
const char *relay_publisher_producer(const relay_publisher *publisher);

/**
 * Waits as relay_publisher_flush until every message is done, within the close time-out, and closes. NULL is allowed.
 * After a flush that returned RELAY_OK it does not wait; in the plain mode up to a second for the relay's last word.
 *
 * Returns the number of messages that are not done: not acknowledged; without acknowledgements not sent or in doubt,
 * but for those of which RELAY_DOUBT has told; plain not handed to the socket. What is in doubt is not sent again.
 * error, which may be NULL, says why, and has the kind RELAY_OK if there is nothing to say.
 */
int64_t relay_publisher_close(relay_publisher *publisher, relay_error *error);

#ifdef __cplusplus
}
#endif

#endif
