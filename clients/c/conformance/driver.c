/* The driver of the conformance kit: see clients/conformance/README.md. One thread, a loop of its own. */
#define _POSIX_C_SOURCE 200809L

#include "relay.h"
#include "relay_openssl.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ENDPOINTS = 16, MAX_RANGES = 2048, TEXT = 1024, EVENTS_PER_TURN = 1000, DEFAULT_WAIT_MS = 60000 };

static relay_subscriber *subscriber;
static relay_publisher *publisher;
static relay_tls tls;
static bool paused;
/* A subscriber with start = state is told whether its view begins anew. */
static bool with_state;

/* ---- JSON: as much of it as the kit sends ---- */

static const char *skip_spaces(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at) {
    for (at++; *at != '"'; at++) {
        at += *at == '\\' ? 1 : 0;
        if (*at == 0) {
            return at;
        }
    }
    return at + 1;
}

static const char *skip_value(const char *at) {
    int depth = 0;
    at = skip_spaces(at);
    while (*at != 0) {
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else {
            at += strcspn(at, ",:]}[{\" \t");
        }
        at = skip_spaces(at);
        if (depth == 0) {
            break;
        }
    }
    return at;
}

/* The value of a field of the object; NULL: there is none. */
static const char *field(const char *object, const char *name) {
    size_t length = strlen(name);
    const char *at = object == NULL ? "" : skip_spaces(object);
    at = *at == '{' ? skip_spaces(at + 1) : "";
    while (*at == '"') {
        const char *end = skip_string(at);
        bool found = (size_t)(end - at) == length + 2 && memcmp(at + 1, name, length) == 0;
        at = skip_spaces(skip_spaces(end) + 1);
        if (found) {
            return at;
        }
        at = skip_value(at);
        at = *at == ',' ? skip_spaces(at + 1) : at;
    }
    return NULL;
}

static int64_t number(const char *object, const char *name, int64_t absent) {
    const char *at = field(object, name);
    return at == NULL ? absent : strtoll(*at == '"' ? at + 1 : at, NULL, 10);
}

static bool flag(const char *object, const char *name) {
    const char *at = field(object, name);
    return at != NULL && *at == 't';
}

static char *put_utf8(char *to, uint32_t value) {
    if (value < 0x80) {
        *to++ = (char)value;
    } else if (value < 0x800) {
        *to++ = (char)(0xC0 | value >> 6);
        *to++ = (char)(0x80 | (value & 0x3F));
    } else if (value < 0x10000) {
        *to++ = (char)(0xE0 | value >> 12);
        *to++ = (char)(0x80 | (value >> 6 & 0x3F));
        *to++ = (char)(0x80 | (value & 0x3F));
    } else {
        *to++ = (char)(0xF0 | value >> 18);
        *to++ = (char)(0x80 | (value >> 12 & 0x3F));
        *to++ = (char)(0x80 | (value >> 6 & 0x3F));
        *to++ = (char)(0x80 | (value & 0x3F));
    }
    return to;
}

static uint32_t hex4(const char *at) {
    char digits[5] = {at[0], at[1], at[2], at[3], 0};
    return (uint32_t)strtoul(digits, NULL, 16);
}

/* A copy of the string at the value, for the caller to free; NULL: it is none. */
static char *string_at(const char *at) {
    if (at == NULL || *at != '"') {
        return NULL;
    }
    const char *end = skip_string(at) - 1;
    char *text = malloc((size_t)(end - at) + 4);
    char *to = text;
    for (at++; text != NULL && at < end; at++) {
        if (*at != '\\') {
            *to++ = *at;
            continue;
        }
        at++;
        static const char NAMES[] = "nrtbf";
        static const char VALUES[] = "\n\r\t\b\f";
        const char *named = strchr(NAMES, *at);
        if (*at == 'u') {
            uint32_t value = hex4(at + 1);
            at += 4;
            if (value >= 0xD800 && value < 0xDC00 && at[1] == '\\' && at[2] == 'u') {
                value = 0x10000 + ((value - 0xD800) << 10) + (hex4(at + 3) - 0xDC00);
                at += 6;
            }
            to = put_utf8(to, value);
        } else {
            *to++ = named == NULL ? *at : VALUES[named - NAMES];
        }
    }
    if (text != NULL) {
        *to = 0;
    }
    return text;
}

static char *string(const char *object, const char *name) {
    return string_at(field(object, name));
}

/* Ranges of the array [[from,to],...]; returns their number. */
static size_t ranges(const char *at, relay_range *to) {
    size_t n = 0;
    if (at == NULL) {
        return 0;
    }
    at = skip_spaces(skip_spaces(at) + 1);
    while (*at == '[' && n < MAX_RANGES) {
        char *end;
        to[n].from = (int32_t)strtol(at + 1, &end, 10);
        to[n].to = (int32_t)strtol(end + 1, &end, 10);
        n++;
        at = skip_spaces(end);
        at = skip_spaces(*at == ']' ? at + 1 : at);
        at = *at == ',' ? skip_spaces(at + 1) : at;
    }
    return n;
}

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void print_base64(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= i + 2 < length ? bytes[i + 2] : 0;
        putchar(DIGITS[word >> 18]);
        putchar(DIGITS[word >> 12 & 0x3F]);
        putchar(i + 1 < length ? DIGITS[word >> 6 & 0x3F] : '=');
        putchar(i + 2 < length ? DIGITS[word & 0x3F] : '=');
    }
}

/* Decodes in place; returns the length. */
static size_t decode_base64(char *text) {
    uint8_t *to = (uint8_t *)text;
    uint32_t word = 0;
    int bits = 0;
    for (const char *at = text; *at != 0 && *at != '='; at++) {
        const char *digit = strchr(DIGITS, *at);
        word = word << 6 | (uint32_t)(digit == NULL ? 0 : digit - DIGITS);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *to++ = (uint8_t)(word >> bits);
        }
    }
    return (size_t)(to - (uint8_t *)text);
}

static void print_text(const char *text) {
    putchar('"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('"');
}

/* ---- Events ---- */

static void tell_error(const relay_error *error, const char *command) {
    const char *kind = error->kind == RELAY_YOURS ? "yours" : error->kind == RELAY_FATAL ? "fatal" : "retry";
    printf("{\"event\":\"error\",\"kind\":\"%s\",\"code\":%d,\"text\":", kind, error->code);
    print_text(error->text);
    if (command != NULL) {
        printf(",\"command\":\"%s\"", command);
    }
    puts("}");
}

static const char *const POLICIES[] = {"default", "disconnect", "backpressure", "skip", "replay", "latest"};

static void tell_connected(const relay_event *event) {
    printf("{\"event\":\"connected\",\"endpoint\":");
    print_text(event->endpoint);
    printf(",\"plain\":%s", event->plain ? "true" : "false");
    if (!event->plain) {
        printf(",\"epoch\":\"%" PRId64 "\",\"next\":\"%" PRId64 "\",\"accepted\":\"%" PRId64
               "\",\"policy\":\"%s\",\"server\":",
               event->epoch, event->next, event->accepted, POLICIES[event->policy]);
        print_text(event->server);
    }
    if (event->address != NULL) {
        printf(",\"address\":");
        print_text(event->address);
        printf(",\"identity\":");
        print_text(event->identity);
    }
    if (event->interval_ms > 0) {
        printf(",\"interval_ms\":%" PRIu32, event->interval_ms);
    }
    if (with_state) {
        printf(",\"anew\":%s", event->anew ? "true" : "false");
    }
    puts("}");
}

static void tell(const relay_event *event) {
    switch (event->kind) {
        case RELAY_MESSAGE:
            printf("{\"event\":\"message\",\"sequence\":\"%" PRId64 "\",\"type\":%" PRId32 ",\"body\":\"",
                   event->sequence, event->type);
            print_base64(event->body, event->length);
            puts("\"}");
            break;
        case RELAY_GAP:
            printf("{\"event\":\"gap\",\"from\":\"%" PRId64 "\",\"to\":\"%" PRId64 "\",\"reason\":%d}\n", event->from,
                   event->to, event->reason);
            break;
        case RELAY_STREAM_CHANGED:
            if (subscriber != NULL) {
                printf("{\"event\":\"stream_changed\",\"lost_from\":\"%" PRId64 "\"}\n", event->from);
            } else {
                puts("{\"event\":\"stream_changed\"}");
            }
            break;
        case RELAY_ROLLED_BACK:
            printf("{\"event\":\"rolled_back\",\"from\":\"%" PRId64 "\",\"to\":\"%" PRId64 "\"}\n", event->from,
                   event->to);
            break;
        case RELAY_MISSED:
            puts("{\"event\":\"missed\"}");
            break;
        case RELAY_TYPES:
            printf("{\"event\":\"types\",\"sequence\":\"%" PRId64 "\"}\n", event->sequence);
            break;
        case RELAY_TYPES_REFUSED:
            puts("{\"event\":\"error\",\"kind\":\"yours\",\"code\":0,\"text\":\"more ranges than the relay takes\","
                 "\"command\":\"types\"}");
            break;
        case RELAY_CONNECTED:
            tell_connected(event);
            break;
        case RELAY_LOST:
            printf("{\"event\":\"lost\",\"code\":%d,\"text\":", event->code);
            print_text(event->error->text);
            puts("}");
            break;
        case RELAY_GOING_AWAY:
            printf("{\"event\":\"going_away\",\"code\":%d,\"closes_in_ms\":%" PRId32 "}\n", event->code,
                   event->closes_in_ms);
            break;
        case RELAY_ACKED:
            printf("{\"event\":\"acked\",\"number\":\"%" PRId64 "\",\"sequence\":\"%" PRId64 "\"}\n", event->number,
                   event->sequence);
            break;
        case RELAY_IN_DOUBT:
            printf("{\"event\":\"in_doubt\",\"messages\":\"%" PRId64 "\"}\n", event->number);
            break;
        case RELAY_GAVE_UP:
            tell_error(event->error, NULL);
            break;
        case RELAY_STATE_BEGINS:
            /* The kit's word for it is the field `anew` of `connected`. */
            break;
        case RELAY_STATE_COMPLETE:
            printf("{\"event\":\"state_complete\",\"next\":\"%" PRId64 "\"}\n", event->next);
            break;
        case RELAY_STATE_LATE:
            puts("{\"event\":\"state_late\"}");
            break;
        case RELAY_CERTIFICATE:
            printf("{\"event\":\"certificate\",\"days\":%" PRId32 "}\n", event->days);
            break;
    }
}

static void on_event(void *user, const relay_event *event) {
    (void)user;
    /* What comes in stream order is told as relay_subscriber_next returns it. */
    bool in_order =
        event->kind < RELAY_CONNECTED || event->kind == RELAY_STATE_BEGINS || event->kind == RELAY_STATE_COMPLETE;
    if (subscriber == NULL || !in_order) {
        tell(event);
    }
}

/* ---- Commands ---- */

static int choice(char *name, const char *const *names, int count) {
    int chosen = 0;
    for (int i = 0; name != NULL && i < count; i++) {
        chosen = strcmp(name, names[i]) == 0 ? i : chosen;
    }
    free(name);
    return chosen;
}

static bool open_tls(const char *command, relay_options *options, relay_error *error) {
    const char *wanted = field(command, "tls");
    if (wanted == NULL) {
        return true;
    }
    char *files[] = {string(wanted, "ca"), string(wanted, "certificate"), string(wanted, "key"),
                     string(wanted, "server_name")};
    bool good = relay_openssl_begin(&tls, &(relay_openssl_options){files[0], files[1], files[2], files[3]}, error->text,
                                    sizeof error->text);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        free(files[i]);
    }
    error->kind = RELAY_YOURS;
    options->tls = &tls;
    return good;
}

static void open_client(const char *command) {
    static const char *const STARTS[] = {"live", "sequence", "earliest", "time", "state"};
    static const char *const LEVELS[] = {"stream", "written", "forced"};
    static relay_range types[MAX_RANGES];
    char *endpoints[MAX_ENDPOINTS];
    size_t count = 0;
    relay_options options = relay_options_default();
    relay_error error = {0};
    const char *at = skip_spaces(field(command, "endpoints") + 1);
    while (*at == '"' && count < MAX_ENDPOINTS) {
        endpoints[count++] = string_at(at);
        at = skip_spaces(skip_string(at));
        at = *at == ',' ? skip_spaces(at + 1) : at;
    }
    char *role = string(command, "role");
    char *name = string(command, "name");
    char *token = string(command, "token");
    char *producer = string(command, "producer");
    char *file = string(command, "producer_file");
    char *congestion = string(command, "local_congestion");
    options.endpoints = (const char *const *)endpoints;
    options.endpoint_count = count;
    options.on_event = on_event;
    options.plain = flag(command, "plain");
    options.name = name;
    options.token = token;
    options.heartbeat_ms = (int32_t)number(command, "heartbeat_ms", 0);
    options.connect_timeout_ms = (int32_t)number(command, "connect_timeout_ms", options.connect_timeout_ms);
    options.handshake_timeout_ms = (int32_t)number(command, "handshake_timeout_ms", options.handshake_timeout_ms);
    options.close_timeout_ms = (int32_t)number(command, "close_timeout_ms", options.close_timeout_ms);
    options.max_body = (int32_t)number(command, "max_body", options.max_body);
    options.buffer = (size_t)number(command, "buffer", 0);
    options.level = (relay_level)choice(string(command, "level"), LEVELS, 3);
    options.policy = (relay_policy)choice(string(command, "policy"), POLICIES, 6);
    options.interval_ms = (uint32_t)number(command, "interval_ms", 0);
    options.start = (relay_start)choice(string(command, "start"), STARTS, 5);
    options.number = number(command, options.start == RELAY_TIME ? "time_ms" : "sequence", 0);
    options.epoch = number(command, "epoch", 0);
    with_state = options.start == RELAY_STATE;
    options.type_count = ranges(field(command, "types"), types);
    options.types = types;
    options.acks = flag(command, "acks");
    options.producer = producer;
    options.producer_file = file;
    options.local_congestion = congestion;
    options.first_number = number(command, "first_number", 0);
    const char *again = field(command, "reconnect");
    if (again != NULL) {
        const char *jitter = field(again, "jitter");
        options.reconnect =
            (relay_reconnect){number(again, "rounds", -1), (int32_t)number(again, "first_ms", 100),
                              (int32_t)number(again, "longest_ms", 10000), jitter == NULL ? 0.5 : strtod(jitter, NULL)};
    }
    paused = false;
    if (open_tls(command, &options, &error)) {
        if (strcmp(role, "subscriber") == 0) {
            subscriber = relay_subscriber_open(&options, &error);
        } else {
            publisher = relay_publisher_open(&options, &error);
        }
    }
    if (subscriber != NULL || publisher != NULL) {
        puts("{\"event\":\"opened\"}");
    } else {
        relay_openssl_end(&tls);
        tell_error(&error, "open");
    }
    while (count > 0) {
        free(endpoints[--count]);
    }
    free(role);
    free(name);
    free(token);
    free(producer);
    free(file);
    free(congestion);
}

static void publish(const char *command) {
    char *body = string(command, "body");
    size_t length = decode_base64(body);
    int64_t count = number(command, "count", 1);
    int wait_ms = (int)number(command, "wait_ms", DEFAULT_WAIT_MS);
    int32_t type = (int32_t)number(command, "type", 0);
    bool stamp = flag(command, "stamp");
    relay_result done = RELAY_OK;
    int64_t taken = 0;
    while (taken < count && done == RELAY_OK) {
        for (int i = 0; stamp && i < 8; i++) {
            body[i] = (char)(taken >> (56 - 8 * i));
        }
        done = relay_publisher_publish(publisher, type, body, length, wait_ms);
        taken += done == RELAY_OK ? 1 : 0;
    }
    if (done < 0) {
        tell_error(relay_publisher_error(publisher), "publish");
    } else {
        printf("{\"event\":\"published\",\"taken\":%" PRId64 ",\"full\":%s}\n", taken,
               done == RELAY_FULL ? "true" : "false");
    }
    free(body);
}

static void change_types(const char *command) {
    static relay_range types[MAX_RANGES];
    size_t count = ranges(field(command, "ranges"), types);
    if (relay_subscriber_types(subscriber, types, count, NULL) != RELAY_OK) {
        tell_error(relay_subscriber_error(subscriber), "types");
    }
}

static void tell_counters(void) {
    if (subscriber != NULL) {
        relay_subscriber_counters c = relay_subscriber_count(subscriber);
        printf("{\"event\":\"counters\",\"messages\":\"%" PRId64 "\",\"bytes\":\"%" PRId64 "\",\"epoch\":\"%" PRId64
               "\",\"next\":\"%" PRId64 "\",\"head\":\"%" PRId64 "\"}\n",
               c.messages, c.bytes, c.epoch, c.next, c.head);
    } else {
        relay_publisher_counters c = relay_publisher_count(publisher);
        printf("{\"event\":\"counters\",\"messages\":\"%" PRId64 "\",\"bytes\":\"%" PRId64 "\",\"settled\":\"%" PRId64
               "\",\"confirmed\":\"%" PRId64 "\",\"first_number\":\"%" PRId64 "\"}\n",
               c.messages, c.bytes, c.settled, c.confirmed, c.first_number);
    }
}

static void close_client(void) {
    int64_t unsettled = relay_publisher_close(publisher, NULL);
    relay_subscriber_close(subscriber);
    publisher = NULL;
    subscriber = NULL;
    relay_openssl_end(&tls);
    printf("{\"event\":\"closed\",\"unsettled\":\"%" PRId64 "\"}\n", unsettled);
}

static void obey(const char *command) {
    char *name = string(command, "command");
    if (name == NULL) {
        fprintf(stderr, "no command: %s\n", command);
        exit(2);
    }
    if (strcmp(name, "open") == 0) {
        open_client(command);
    } else if (strcmp(name, "publish") == 0) {
        publish(command);
    } else if (strcmp(name, "types") == 0) {
        change_types(command);
    } else if (strcmp(name, "flush") == 0) {
        relay_result done = relay_publisher_flush(publisher, (int)number(command, "wait_ms", DEFAULT_WAIT_MS));
        printf("{\"event\":\"flushed\",\"settled\":%s}\n", done == RELAY_OK ? "true" : "false");
    } else if (strcmp(name, "pause") == 0 || strcmp(name, "resume") == 0) {
        paused = *name == 'p';
        printf("{\"event\":\"%sd\"}\n", name);
    } else if (strcmp(name, "counters") == 0) {
        tell_counters();
    } else if (strcmp(name, "close") == 0) {
        close_client();
    }
    free(name);
}

/* Gives the client a turn; returns how long it may rest, -1: until something comes. */
static int turn(struct pollfd *socket) {
    relay_event event;
    if (publisher != NULL) {
        relay_publisher_poll(publisher, 0);
        *socket = (struct pollfd){relay_publisher_fd(publisher), relay_publisher_events(publisher), 0};
        return relay_publisher_wait_ms(publisher);
    }
    socket->fd = -1;
    if (subscriber == NULL) {
        return -1;
    }
    int events = 0;
    if (paused) {
        relay_subscriber_keep_alive(subscriber);
    } else {
        while (events < EVENTS_PER_TURN && relay_subscriber_next(subscriber, &event, 0) == RELAY_OK) {
            tell(&event);
            events++;
        }
    }
    *socket = (struct pollfd){relay_subscriber_fd(subscriber), relay_subscriber_events(subscriber), 0};
    return events == EVENTS_PER_TURN ? 0 : relay_subscriber_wait_ms(subscriber);
}

int main(void) {
    size_t size = 1 << 16;
    size_t end = 0;
    char *input = malloc(size);
    static char output[1 << 16];
    setvbuf(stdout, output, _IOFBF, sizeof output);
    printf("{\"event\":\"ready\",\"client\":\"c\",\"version\":\"%s\",\"capabilities\":[\"subscriber\",\"publisher\","
           "\"plain\",\"levels\",\"types\",\"tls\",\"token\",\"unix\",\"endpoints\",\"producer_file\",\"pause\","
           "\"time\",\"congestion\",\"state\",\"peer\",\"certificate\"]}\n",
           RELAY_VERSION);
    while (input != NULL) {
        struct pollfd both[2] = {{STDIN_FILENO, POLLIN, 0}, {-1, 0, 0}};
        int rest = turn(&both[1]);
        fflush(stdout);
        poll(both, 2, rest);
        if (both[0].revents == 0) {
            continue;
        }
        if (end + 1 == size) {
            char *larger = realloc(input, size * 2);
            if (larger == NULL) {
                break;
            }
            input = larger;
            size *= 2;
        }
        ssize_t n = read(STDIN_FILENO, input + end, size - 1 - end);
        if (n <= 0) {
            break;
        }
        end += (size_t)n;
        input[end] = 0;
        char *line = input;
        for (char *stop = strchr(line, '\n'); stop != NULL; stop = strchr(line, '\n')) {
            *stop = 0;
            obey(line);
            line = stop + 1;
        }
        end -= (size_t)(line - input);
        memmove(input, line, end + 1);
    }
    if (publisher != NULL || subscriber != NULL) {
        close_client();
    }
    free(input);
    return 0;
}
