/*
 * The reference: what one thread in C does that speaks the plain protocol and nothing more. It reads what a publisher
 * has sent, cuts it behind its last whole frame, and writes these bytes to one subscriber after the other. A subscriber
 * that does not take them holds everybody up. Nothing is numbered, chosen, counted or told. SIGTERM ends it.
 *
 *   relay PUBLISH SUBSCRIBE [READ]    the two endpoints, port 0 for any; bytes of one read at most (65483: a segment of
 *                                     loopback)
 */
#include "net.h"
#include <stdint.h>
#include <sys/epoll.h>

enum { HEADER = 8, MAX_BODY = 1 << 20, MAX_READ = 1 << 20, MAX_SUBSCRIBERS = 4096 };
enum role { PUBLISHERS, SUBSCRIBERS, PUBLISHER, SUBSCRIBER };

struct peer {
    int fd;
    enum role role;
    size_t kept;          /* of a publisher: bytes of a frame that is not whole yet, at the start of data */
    unsigned char data[]; /* always with room for one read behind the longest such frame */
};

static struct peer *subscribers[MAX_SUBSCRIBERS];
static int subscriber_count, poller;
static size_t read_size = 65483;

static struct peer *add(int fd, enum role role) {
    struct peer *peer = malloc(sizeof *peer + (role == PUBLISHER ? HEADER + MAX_BODY + read_size : 0));
    if (peer == NULL) die("relay", "out of memory");
    *peer = (struct peer){.fd = fd, .role = role};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.ptr = peer});
    return peer;
}

static void end(struct peer *peer) {
    for (int i = 0; i < subscriber_count; i++)
        if (subscribers[i] == peer) subscribers[i--] = subscribers[--subscriber_count];
    close(peer->fd);
    free(peer);
}

/* All who wait, so that whoever has connected first is heard first. */
static void accept_all(struct peer *listener) {
    int fd;
    while ((fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        no_delay(fd);
        if (listener->role == PUBLISHERS) add(fd, PUBLISHER);
        else if (subscriber_count < MAX_SUBSCRIBERS) subscribers[subscriber_count++] = add(fd, SUBSCRIBER);
        else close(fd);
    }
}

/* One read of a publisher; 0 when it has ended, or broken the protocol. */
static int relay(struct peer *from) {
    /* No write is longer than a read: a few bytes more than a segment would be a segment of their own. */
    size_t room = from->kept < read_size ? read_size - from->kept : read_size;
    ssize_t n = recv(from->fd, from->data + from->kept, room, 0);
    if (n <= 0) return n < 0 && errno == EINTR;
    size_t length = from->kept + n, whole = 0;
    uint32_t body = 0; /* big-endian; a negative length is too long as well */
    while (length - whole >= HEADER) {
        const unsigned char *at = from->data + whole + 4;
        body = (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
        if (body > MAX_BODY || length - whole < HEADER + body) break;
        whole += HEADER + body;
    }
    for (int i = subscriber_count - 1; i >= 0; i--)
        if (send_all(subscribers[i]->fd, from->data, whole) < 0) end(subscribers[i]);
    memmove(from->data, from->data + whole, from->kept = length - whole);
    return body <= MAX_BODY;
}

int main(int count, char **args) {
    if (count < 3) die("usage", "relay PUBLISH SUBSCRIBE [READ]");
    if (count > 3) read_size = strtoul(args[3], NULL, 10);
    if (read_size < 1 || read_size > MAX_READ) die(args[3], "bytes of a read are not within 1..1048576");
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct peer *publish = add(open_socket(args[1], 1), PUBLISHERS);
    struct peer *subscribe = add(open_socket(args[2], 1), SUBSCRIBERS);
    printf("{\"event\":\"ready\",\"publish\":\"%s\"", name_of(publish->fd, args[1]));
    printf(",\"subscribe\":\"%s\"}\n", name_of(subscribe->fd, args[2]));
    fflush(stdout);
    for (;;) {
        struct epoll_event ready; /* one at a time: nobody in line behind it can be gone by then */
        if (epoll_wait(poller, &ready, 1, -1) < 1) continue;
        struct peer *peer = ready.data.ptr;
        unsigned char unwanted[4096]; /* what a subscriber says; its end is what matters */
        if (peer->role == PUBLISHERS || peer->role == SUBSCRIBERS) accept_all(peer);
        else if (peer->role == PUBLISHER ? !relay(peer) : recv(peer->fd, unwanted, sizeof unwanted, 0) <= 0) end(peer);
    }
}
