/* Prints every message, and every gap in its place, until Ctrl-C: subscriber [HOST:PORT] */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <relay.h>
#include <signal.h>
#include <stdio.h>

static relay_subscriber *subscriber;

static void stop(int signal_number) {
    (void)signal_number;
    relay_subscriber_wake(subscriber);
}

/* The library prints nothing: who sets no hook waits without a word where no relay is. */
static void on_event(void *user, const relay_event *event) {
    (void)user;
    static bool lost;
    if (event->kind == RELAY_LOST && !lost) {
        fprintf(stderr, "%s; trying again\n", event->error->text);
    } else if (event->kind == RELAY_CONNECTED && lost) {
        fprintf(stderr, "connected to %s\n", event->endpoint);
    }
    lost = event->kind == RELAY_LOST || (lost && event->kind != RELAY_CONNECTED);
}

int main(int count, char **arguments) {
    const char *relay = count > 1 ? arguments[1] : "127.0.0.1:7400";
    relay_error error;
    relay_event event;
    relay_options options = relay_options_default();
    options.endpoints = &relay;
    options.endpoint_count = 1;
    options.start = RELAY_EARLIEST;
    options.on_event = on_event;
    subscriber = relay_subscriber_open(&options, &error);
    if (subscriber == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct sigaction stops = {.sa_handler = stop};
    sigaction(SIGINT, &stops, NULL);
    relay_result result;
    while ((result = relay_subscriber_next(subscriber, &event, -1)) == RELAY_OK) {
        if (event.kind == RELAY_MESSAGE) {
            printf("%" PRId64 " %" PRId32 " %.*s\n", event.sequence, event.type, (int)event.length, event.body);
        } else if (event.kind == RELAY_GAP) {
            printf("missed %" PRId64 " to %" PRId64 "\n", event.from, event.to);
        }
        fflush(stdout);
    }
    if (result != RELAY_INTERRUPTED) {
        fprintf(stderr, "%s\n", relay_subscriber_error(subscriber)->text);
    }
    signal(SIGINT, SIG_DFL);
    relay_subscriber_close(subscriber);
    return result == RELAY_INTERRUPTED ? 0 : 1;
}
