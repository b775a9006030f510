/* A round trip with a real relay, from RELAY_SERVER_JAR; without it the test is skipped. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include "relay.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 10000, DEADLINE_MS = 60000, SKIPPED = 77 };

static pid_t relay;

static void stop_relay(void) {
    if (relay > 0) {
        kill(relay, SIGTERM);
        waitpid(relay, NULL, 0);
    }
}

/* Starts a relay at Unix sockets in the folder. */
static void start_relay(const char *jar, const char *folder) {
    char publish[128];
    char subscribe[128];
    snprintf(publish, sizeof publish, "%s/publish", folder);
    snprintf(subscribe, sizeof subscribe, "%s/subscribe", folder);
    relay = fork();
    CHECK(relay >= 0);
    if (relay == 0) {
        execlp("java", "java", "-jar", jar, "--publish-port", "0", "--subscribe-port", "0", "--publish-socket", publish,
               "--subscribe-socket", subscribe, "--log-size", "16m", (char *)NULL);
        _exit(127);
    }
    atexit(stop_relay);
}

int main(void) {
    const char *jar = getenv("RELAY_SERVER_JAR");
    if (jar == NULL || *jar == 0) {
        printf("skipped: RELAY_SERVER_JAR is not set\n");
        return SKIPPED;
    }
    char folder[] = "/tmp/relay-c-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    start_relay(jar, folder);
    char text[128];
    const char *endpoint = text;
    relay_options o = relay_options_default();
    o.endpoints = &endpoint;
    o.endpoint_count = 1;
    o.acks = true;
    o.name = "live";
    relay_error error;
    snprintf(text, sizeof text, "unix:%s/publish", folder);
    relay_publisher *p = relay_publisher_open(&o, &error);
    CHECK(p != NULL);
    for (int32_t i = 1; i <= MESSAGES; i++) {
        char body[16];
        int length = snprintf(body, sizeof body, "%d", (int)i);
        CHECK_EQUAL(RELAY_OK, relay_publisher_publish(p, i % 3, body, (size_t)length, DEADLINE_MS));
    }
    CHECK_EQUAL(RELAY_OK, relay_publisher_flush(p, DEADLINE_MS));
    CHECK_EQUAL(0, relay_publisher_close(p, &error));

    snprintf(text, sizeof text, "unix:%s/subscribe", folder);
    o.acks = false;
    o.name = NULL;
    o.start = RELAY_EARLIEST;
    relay_range one = {1, 1};
    o.types = &one;
    o.type_count = 1;
    relay_subscriber *s = relay_subscriber_open(&o, &error);
    CHECK(s != NULL);
    relay_event e;
    for (int i = 1; i <= MESSAGES; i += 3) {
        CHECK_EQUAL(RELAY_OK, relay_subscriber_next(s, &e, DEADLINE_MS));
        CHECK_EQUAL(RELAY_MESSAGE, e.kind);
        CHECK_EQUAL(i, e.sequence);
        CHECK_EQUAL(1, e.type);
        char body[16];
        CHECK_EQUAL(snprintf(body, sizeof body, "%d", i), e.length);
        CHECK(memcmp(body, e.body, e.length) == 0);
    }
    relay_subscriber_close(s);
    stop_relay();
    relay = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s/%s", folder, i == 0 ? "publish" : "subscribe");
        unlink(text);
    }
    rmdir(folder);
    return 0;
}
