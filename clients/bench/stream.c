/*
 * Sends a stream of messages to a subscriber's program and tells what that program cost:
 *
 *     stream TOTAL WARM BODY PROGRAM [ARGUMENT...]
 *
 * PROGRAM subscribes at the endpoint of its last argument, which is added here, and exits with 0 after TOTAL messages of
 * BODY bytes. Printed: processor time for each message after the first WARM ones in ns, messages a second of those, and
 * the most memory of the program in KiB. Nothing but memory copies stands behind the stream, so the program is the limit.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 8, BLOCK = 256 * 1024, WELCOME_BODY = 50 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void put32(uint8_t *at, uint32_t value) {
    value = htonl(value);
    memcpy(at, &value, 4);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Processor seconds of a process that runs, from fields 14 and 15 of its stat, which stand behind the name's bracket. */
static double processor_of(pid_t pid) {
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (length == 0) {
        fail(path);
    }
    fclose(file);
    text[length] = 0;
    unsigned long user;
    unsigned long system;
    if (sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2) {
        fail(path);
    }
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static void send_all(int socket, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0) {
            fail("send");
        }
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void receive_all(int socket, uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t received = recv(socket, bytes, length, 0);
        if (received <= 0) {
            fail("recv");
        }
        bytes += received;
        length -= (size_t)received;
    }
}

/* HELLO is read and dropped. WELCOME: version 1, disconnect, no features, epoch 1, next 1, a heartbeat of an hour. */
static void greet(int socket) {
    uint8_t hello[HEADER + 16384];
    receive_all(socket, hello, HEADER);
    uint32_t length;
    memcpy(&length, hello + 4, 4);
    length = ntohl(length);
    if (length > 16384) {
        fprintf(stderr, "HELLO of %u bytes\n", length);
        exit(1);
    }
    receive_all(socket, hello + HEADER, length);
    uint8_t welcome[HEADER + WELCOME_BODY] = {0};
    uint8_t *body = welcome + HEADER;
    put32(welcome, 0x80000002u);
    put32(welcome + 4, WELCOME_BODY);
    body[1] = 1;
    body[2] = 1;
    body[15] = 1;
    body[23] = 1;
    put32(body + 32, 1 << 20);
    put32(body + 36, 3600 * 1000);
    put32(body + 40, 3600 * 1000);
    body[44] = 4;
    send_all(socket, welcome, sizeof welcome);
}

static void send_messages(int socket, const uint8_t *block, long in_block, size_t frame, long count) {
    for (; count > in_block; count -= in_block) {
        send_all(socket, block, (size_t)in_block * frame);
    }
    send_all(socket, block, (size_t)count * frame);
}

int main(int count, char **arguments) {
    long total = count > 4 ? atol(arguments[1]) : 0;
    long warm = count > 4 ? atol(arguments[2]) : 0;
    long body = count > 4 ? atol(arguments[3]) : -1;
    if (warm < 0 || total <= warm || body < 0 || body > BLOCK - HEADER) {
        fprintf(stderr, "usage: stream TOTAL WARM BODY PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0
            || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        fail("listen");
    }
    char endpoint[32];
    snprintf(endpoint, sizeof endpoint, "127.0.0.1:%d", ntohs(address.sin_port));
    /* argv[count] is NULL by the C standard, so there is room for one more argument behind a copy. */
    char **program = calloc((size_t)count, sizeof *program);
    if (program == NULL) {
        fail("calloc");
    }
    memcpy(program, arguments + 4, (size_t)(count - 4) * sizeof *program);
    program[count - 4] = endpoint;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(program[0], program);
        fail(program[0]);
    }
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (pid < 0 || connection < 0) {
        fail("start");
    }
    greet(connection);

    size_t frame = HEADER + (size_t)body;
    long in_block = (long)(BLOCK / frame);
    uint8_t *block = calloc(1, BLOCK);
    if (block == NULL) {
        fail("calloc");
    }
    for (long i = 0; i < in_block; i++) {
        put32(block + (size_t)i * frame, 7);
        put32(block + (size_t)i * frame + 4, (uint32_t)body);
    }
    send_messages(connection, block, in_block, frame, warm);
    double before = processor_of(pid);
    double began = now();
    send_messages(connection, block, in_block, frame, total - warm);
    int status;
    struct rusage usage;
    if (wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s did not end with 0\n", program[0]);
        return 1;
    }
    double seconds = now() - began;
    double processor = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6 - before;
    double messages = (double)(total - warm);
    printf("%.1f %.0f %ld\n", processor / messages * 1e9, messages / seconds, usage.ru_maxrss);
    free(block);
    free(program);
    return 0;
}
