/* Prints every message, and every gap in its place: subscriber [HOST:PORT] */
#include <inttypes.h>
#include <relay.h>
#include <stdio.h>

int main(int count, char **arguments) {
    const char *relay = count > 1 ? arguments[1] : "127.0.0.1:7400";
    relay_error error;
    relay_event event;
    relay_options options = relay_options_default();
    options.endpoints = &relay;
    options.endpoint_count = 1;
    options.start = RELAY_EARLIEST;
    relay_subscriber *subscriber = relay_subscriber_open(&options, &error);
    if (subscriber == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while (relay_subscriber_next(subscriber, &event, -1) == RELAY_OK) {
        if (event.kind == RELAY_MESSAGE) {
            printf("%" PRId64 " %" PRId32 " %.*s\n", event.sequence, event.type, (int)event.length, event.body);
        } else if (event.kind == RELAY_GAP) {
            printf("missed %" PRId64 " to %" PRId64 "\n", event.from, event.to);
        }
        fflush(stdout);
    }
    fprintf(stderr, "%s\n", relay_subscriber_error(subscriber)->text);
    relay_subscriber_close(subscriber);
    return 1;
}
