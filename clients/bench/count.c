/* Counts messages: count TOTAL HOST:PORT */
#include <relay.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    if (count != 3) {
        return 2;
    }
    const char *relay = arguments[2];
    relay_error error;
    relay_event event;
    relay_options options = relay_options_default();
    options.endpoints = &relay;
    options.endpoint_count = 1;
    relay_subscriber *subscriber = relay_subscriber_open(&options, &error);
    if (subscriber == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (long left = atol(arguments[1]); left > 0;) {
        if (relay_subscriber_next(subscriber, &event, -1) != RELAY_OK) {
            fprintf(stderr, "%s\n", relay_subscriber_error(subscriber)->text);
            return 1;
        }
        left -= event.kind == RELAY_MESSAGE;
    }
    relay_subscriber_close(subscriber);
    return 0;
}
