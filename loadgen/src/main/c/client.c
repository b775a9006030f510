/*
 * Publishers and subscribers that cost next to nothing, so that what lies between them is what is measured. A publisher
 * writes frames that were prepared once; a subscriber lets the kernel throw away what has come, and counts the bytes.
 * They speak with loadgen as its own workers do: commands on stdin, a JSON object a line on stdout (worker.Control).
 *
 *   client publish   --to ENDPOINT   [--connections K] [--first-id I] --body BYTES [--write-size BYTES]
 *   client subscribe --from ENDPOINT [--connections K] [--first-index I] --body BYTES --publishers P
 *
 * All messages have one size. A connection has a thread; the first thread speaks with loadgen.
 */
#include "net.h"
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { HEADER = 8, TYPE = 0x4C47, READ = 1 << 20, WRITE = 128 << 10, MAX_CONNECTIONS = 10000, COUNTS_A_LINE = 4 };
static const int64_t MILLI = 1000000, SILENCE = 2000 * 1000000LL, LONGEST_DRAIN = 30000 * 1000000LL, NOT_YET = -1;

struct connection {
    int fd, id;
    pthread_t thread;
    _Atomic int64_t bytes;          /* of whole writes, or received */
    _Atomic int primed, closed;     /* of a subscriber: has heard of all publishers; its stream has ended */
    int64_t at_begin, at_end;       /* bytes, NOT_YET */
    int64_t reads, missed;          /* of a subscriber: the messages that were sent before it heard the first one */
};

static struct connection *connections;
static int connection_count, publisher_count;
static size_t frame, write_size;
static unsigned char *prepared;

/* The window, in the clock of System.nanoTime: never, until it is told; told again where it begins earlier. */
static _Atomic int64_t send_from, begin = INT64_MAX, end = INT64_MAX;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 * MILLI + time.tv_nsec;
}

static void put(unsigned char *at, uint64_t value, int bytes) {
    while (bytes-- > 0) *at++ = value >> 8 * bytes;
}

static uint64_t get(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | *at++;
    return value;
}

/* The stamp of a message: who, and the how many-th of theirs. */
static void put_stamp(unsigned char *message, uint64_t id, uint64_t number) {
    put(message + HEADER, id << 48 | number, 8);
}

/* ---- publishers ---- */

/* Frames behind each other; a window of one write slides over them by less than a frame. */
static void prepare(void) {
    size_t frames = (frame - 1 + write_size + frame - 1) / frame;
    prepared = malloc(frames * frame);
    if (prepared == NULL) die("publisher", "out of memory");
    for (size_t at = 0; at < frames * frame; at += frame) {
        put(prepared + at, TYPE, 4);
        put(prepared + at + 4, frame - HEADER, 4);
        for (size_t i = HEADER; i < frame; i++) prepared[at + i] = 'a' + (i - HEADER) % 26;
    }
}

static void publish(struct connection *connection, const unsigned char *data, size_t length) {
    char who[32];
    snprintf(who, sizeof who, "publisher %d", connection->id);
    if (send_all(connection->fd, data, length) < 0) die(who, strerror(errno));
    atomic_fetch_add_explicit(&connection->bytes, length, memory_order_relaxed);
}

/* One numbered message on its own, ahead of the run: who gets it knows from where on it is there. */
static void prime(struct connection *connection) {
    unsigned char message[frame];
    memcpy(message, prepared, frame);
    put_stamp(message, connection->id, connection->bytes / frame);
    publish(connection, message, frame);
}

static void *publish_at_full_speed(void *given) {
    struct connection *connection = given;
    struct timespec start = {send_from / (1000 * MILLI), send_from % (1000 * MILLI)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL);
    size_t at = 0;
    for (int64_t time = now(); time < end; time = now()) {
        if (time >= begin && connection->at_begin == NOT_YET) connection->at_begin = connection->bytes;
        publish(connection, prepared + at, write_size);
        at = (at + write_size) % frame;
    }
    if (at > 0) publish(connection, prepared + at, frame - at);
    return NULL;
}

/* ---- subscribers ---- */

/* Walks the first frames, until there was one of every publisher. */
static int hear_of_all(struct connection *connection, unsigned char *buffer) {
    unsigned char heard[publisher_count + 1];
    memset(heard, 0, sizeof heard);
    size_t length = 0;
    for (int left = publisher_count; left > 0;) {
        ssize_t n = recv(connection->fd, buffer + length, READ - length, 0);
        if (n <= 0) return -1;
        connection->reads++;
        connection->bytes += n;
        length += n;
        size_t at = 0;
        for (; length - at >= frame; at += frame) {
            uint64_t stamp = get(buffer + at + HEADER, 8), id = stamp >> 48;
            if (get(buffer + at, 4) != TYPE || get(buffer + at + 4, 4) != frame - HEADER || id >= (uint64_t)publisher_count)
                die("subscriber", "a message that no publisher of this run has sent");
            if (heard[id]) continue;
            heard[id] = 1;
            connection->missed += stamp & 0xFFFFFFFFFFFF;
            left--;
        }
        memmove(buffer, buffer + at, length -= at);
    }
    return 0;
}

static void *subscribe(void *given) {
    struct connection *connection = given;
    unsigned char *buffer = malloc(READ);
    if (buffer == NULL) die("subscriber", "out of memory");
    int ended = hear_of_all(connection, buffer) < 0;
    connection->primed = !ended;
    while (!ended) {
        /* MSG_TRUNC: TCP throws the bytes away without copying them. A Unix socket copies. */
        ssize_t n = recv(connection->fd, buffer, READ, MSG_TRUNC);
        int64_t time = now();
        if (connection->at_end == NOT_YET && time >= begin) {
            /* What this read brought belongs to the time after the mark. */
            if (connection->at_begin == NOT_YET) connection->at_begin = connection->bytes;
            if (time >= end) connection->at_end = connection->bytes;
        }
        ended = n <= 0;
        if (n > 0) atomic_fetch_add_explicit(&connection->bytes, n, memory_order_relaxed), connection->reads++;
    }
    connection->closed = 1;
    free(buffer);
    return NULL;
}

/* ---- what is said ---- */

static int64_t sum(void) {
    int64_t bytes = 0;
    for (int i = 0; i < connection_count; i++) bytes += connections[i].bytes;
    return bytes;
}

static int64_t measured(const struct connection *connection) {
    if (connection->at_begin == NOT_YET) return 0;
    return (connection->at_end == NOT_YET ? connection->bytes : connection->at_end) - connection->at_begin;
}

/* Four counts a second, a line a second, as worker.Progress does it. */
static void progress(int last) {
    static char counts[COUNTS_A_LINE * 72];
    static int counted;
    static int64_t next;
    int64_t nanos = now(), bytes = sum();
    if (nanos < next && !last) return;
    int first = next == 0;
    next = nanos + 250 * MILLI;
    size_t used = counted++ == 0 ? 0 : strlen(counts);
    snprintf(counts + used, sizeof counts - used, "%s%" PRId64 " %" PRId64 " %" PRId64, used ? "," : "", nanos,
             bytes / (int64_t)frame, bytes);
    if (counted < COUNTS_A_LINE && !first && !last) return;
    printf("{\"event\":\"progress\",\"nanos\":%" PRId64 ",\"messages\":%" PRId64 ",\"bytes\":%" PRId64
           ",\"counts\":\"%s\",\"last\":%s}\n",
           nanos, bytes / (int64_t)frame, bytes, counts, last ? "true" : "false");
    counted = 0;
}

static void say_published(void) {
    progress(1);
    printf("{\"event\":\"result\",\"publishers\":[");
    for (int i = 0; i < connection_count; i++) {
        struct connection *one = &connections[i];
        printf("%s{\"id\":%d,\"messages\":%" PRId64 ",\"messagesMeasured\":%" PRId64 ",\"bytesMeasured\":%" PRId64 "}",
               i ? "," : "", one->id, one->bytes / (int64_t)frame, measured(one) / (int64_t)frame, measured(one));
    }
    printf("]}\n");
}

static void say_received(int64_t sent) {
    progress(1);
    printf("{\"event\":\"result\",\"sampling\":1,\"subscribers\":[");
    for (int i = 0; i < connection_count; i++) {
        struct connection *one = &connections[i];
        int64_t total = one->bytes / (int64_t)frame, lost = sent == 0 ? 0 : sent - one->missed - total;
        printf("%s{\"index\":%d,\"messages\":%" PRId64 ",\"bytes\":%" PRId64 ",\"reads\":%" PRId64 ",\"total\":%" PRId64
               ",\"lost\":%" PRId64 ",\"duplicated\":%" PRId64 ",\"closed\":%s}",
               i ? "," : "", one->id, measured(one) / (int64_t)frame, measured(one), one->reads, total,
               lost > 0 ? lost : 0, lost < 0 ? -lost : 0, one->closed ? "\"closed by the relay\"" : "null");
    }
    printf("]}\n");
}

/* ---- what is told ---- */

/* The next line of stdin, or NULL when none has come for so long. The end of stdin is the end. */
static char *next_line(int millis) {
    static char text[1 << 16];
    static size_t length, taken;
    memmove(text, text + taken, length -= taken);
    taken = 0;
    char *newline;
    while ((newline = memchr(text, '\n', length)) == NULL) {
        struct pollfd in = {.fd = 0, .events = POLLIN};
        fflush(stdout);
        if (poll(&in, 1, millis) == 0) return NULL;
        ssize_t n = read(0, text + length, sizeof text - length);
        if (n <= 0) exit(0);
        length += n;
    }
    *newline = 0;
    taken = newline + 1 - text;
    return text;
}

static int is_window(const char *line) {
    int64_t told[3];
    if (line == NULL || sscanf(line, "run %" SCNd64 " %" SCNd64 " %" SCNd64, told, told + 1, told + 2) != 3) return 0;
    send_from = told[0], begin = told[1], end = told[2];
    return 1;
}

static void start_all(void *(*work)(void *)) {
    for (int i = 0; i < connection_count; i++)
        if (pthread_create(&connections[i].thread, NULL, work, &connections[i])) die("client", "no thread");
}

static void run_publishers(void) {
    prepare();
    printf("{\"event\":\"ready\",\"connections\":%d,\"writeSize\":%zu}\n", connection_count, write_size);
    while (!is_window(next_line(10)))
        for (int i = 0; i < connection_count; i++) prime(&connections[i]);
    start_all(publish_at_full_speed);
    while (now() < end) {
        progress(0);
        is_window(next_line(50));
    }
    for (int i = 0; i < connection_count; i++) pthread_join(connections[i].thread, NULL);
    say_published();
}

static int are_complete(int64_t sent) {
    for (int i = 0; i < connection_count; i++)
        if (!connections[i].closed && connections[i].bytes / (int64_t)frame < sent - connections[i].missed) return 0;
    return 1;
}

static void run_subscribers(void) {
    start_all(subscribe);
    printf("{\"event\":\"ready\",\"connections\":%d}\n", connection_count);
    for (int i = 0; i < connection_count; i++)
        while (!connections[i].primed) {
            if (connections[i].closed) die("subscriber", "closed before it had heard of all publishers");
            next_line(2);
        }
    printf("{\"event\":\"primed\"}\n");
    int64_t sent = NOT_YET, bytes = 0, changed = 0, asked = 0;
    while (sent == NOT_YET || (!are_complete(sent) && now() - changed < SILENCE && now() - asked < LONGEST_DRAIN)) {
        progress(0);
        char *line = next_line(sent == NOT_YET ? 50 : 2);
        if (line != NULL && !is_window(line) && strncmp(line, "sent ", 5) == 0) {
            sent = 0;
            asked = changed = now();
            /* id=count,id=count, and nothing where publishers do not count */
            for (char *at = strchr(line, '='); at != NULL; at = strchr(at + 1, '=')) sent += strtoll(at + 1, NULL, 10);
        }
        if (sum() != bytes) bytes = sum(), changed = now();
    }
    say_received(sent);
}

int main(int count, char **args) {
    const char *endpoint = NULL;
    int first = 0;
    int64_t body = 0, chosen = 0;
    connection_count = 1;
    for (int i = 2; i + 1 < count; i += 2) {
        const char *name = args[i], *value = args[i + 1];
        if (!strcmp(name, "--to") || !strcmp(name, "--from")) endpoint = value;
        else if (!strcmp(name, "--connections")) connection_count = atoi(value);
        else if (!strcmp(name, "--first-id") || !strcmp(name, "--first-index")) first = atoi(value);
        else if (!strcmp(name, "--body")) body = atoll(value);
        else if (!strcmp(name, "--write-size")) chosen = atoll(value);
        else if (!strcmp(name, "--publishers")) publisher_count = atoi(value);
        else die(name, "not an option");
    }
    int publishes = count > 1 && !strcmp(args[1], "publish");
    if (endpoint == NULL || body < 16 || body > 1 << 20 || connection_count < 1 || connection_count > MAX_CONNECTIONS
        || publisher_count < 0 || publisher_count > 0xFFFF)
        die("client", "needs publish or subscribe, an endpoint, --body within 16..1048576, --connections within 1..10000");
    frame = HEADER + body;
    connections = calloc(connection_count, sizeof *connections);
    for (int i = 0; i < connection_count; i++) {
        connections[i].fd = open_socket(endpoint, 0);
        connections[i].id = first + i;
        connections[i].at_begin = connections[i].at_end = NOT_YET;
    }
    int segment = 0;
    socklen_t length = sizeof segment;
    if (getsockopt(connections[0].fd, IPPROTO_TCP, TCP_MAXSEG, &segment, &length) || segment <= 0) segment = WRITE;
    write_size = chosen > 0 ? (size_t)chosen : (size_t)(segment > WRITE ? segment : WRITE / segment * segment);
    if (publishes) run_publishers();
    else run_subscribers();
    fflush(stdout);
    for (char *line; (line = next_line(-1)) == NULL || strcmp(line, "end");) continue;
    printf("{\"event\":\"ended\"}\n");
    return 0;
}
