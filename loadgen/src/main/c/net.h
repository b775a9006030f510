/* Sockets at endpoints as loadgen writes them: 127.0.0.1:7401, [::1]:7401 or unix:/path. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Says why as a line of JSON, and exits. */
static void die(const char *what, const char *why) {
    printf("{\"event\":\"error\",\"message\":\"%s: %s\"}\n", what, why);
    exit(1);
}

static struct sockaddr_storage address_of(const char *endpoint, socklen_t *length) {
    struct sockaddr_storage address = {0};
    struct sockaddr_un *local = (struct sockaddr_un *)&address;
    if (strncmp(endpoint, "unix:", 5) == 0) {
        if (strlen(endpoint + 5) >= sizeof local->sun_path) die(endpoint, "the path is too long");
        local->sun_family = AF_UNIX;
        strcpy(local->sun_path, endpoint + 5);
        *length = sizeof *local;
        return address;
    }
    char host[64] = "";
    const char *colon = strrchr(endpoint, ':');
    int bracket = endpoint[0] == '[';
    size_t end = colon == NULL ? 0 : colon - endpoint - bracket;
    if (end <= (size_t)bracket || end - bracket >= sizeof host) die(endpoint, "not ADDRESS:PORT or unix:PATH");
    memcpy(host, endpoint + bracket, end - bracket);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found;
    int failed = getaddrinfo(host, colon + 1, &hints, &found);
    if (failed) die(endpoint, gai_strerror(failed));
    memcpy(&address, found->ai_addr, *length = found->ai_addrlen);
    freeaddrinfo(found);
    return address;
}

/* What is written goes out at once: writers gather by themselves. */
static void no_delay(int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* a Unix socket knows nothing of it, and needs it not */
}

/* A socket that listens (not blocking) or is connected (blocking). */
static int open_socket(const char *endpoint, int listening) {
    socklen_t length = 0;
    struct sockaddr_storage address = address_of(endpoint, &length);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | (listening ? SOCK_NONBLOCK : 0), 0);
    if (fd < 0
        || (listening ? bind(fd, (struct sockaddr *)&address, length) || listen(fd, 1024)
                      : connect(fd, (struct sockaddr *)&address, length)))
        die(endpoint, strerror(errno));
    no_delay(fd);
    return fd;
}

/* Where it really listens, as loadgen writes it; valid until the next call. */
static const char *name_of(int fd, const char *endpoint) {
    static char name[80];
    char host[64], port[8];
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    getsockname(fd, (struct sockaddr *)&address, &length);
    if (address.ss_family == AF_UNIX) return endpoint;
    getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(name, sizeof name, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return name;
}

/* 0 when all is written, -1 when the other side is gone. */
static int send_all(int fd, const unsigned char *data, size_t length) {
    while (length > 0) {
        ssize_t n = send(fd, data, length, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) return -1;
        if (n > 0) data += n, length -= n;
    }
    return 0;
}
