/* Publishes each line of its input, and waits for the acknowledgements: publisher [HOST:PORT] [NAME] */
#include <relay.h>
#include <stdio.h>
#include <string.h>

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
    const char *relay = count > 1 ? arguments[1] : "127.0.0.1:7401";
    relay_error error;
    relay_options options = relay_options_default();
    options.endpoints = &relay;
    options.endpoint_count = 1;
    options.acks = true;
    options.name = count > 2 ? arguments[2] : "lines";
    options.on_event = on_event;
    relay_publisher *publisher = relay_publisher_open(&options, &error);
    char line[4096];
    while (publisher != NULL && fgets(line, sizeof line, stdin) != NULL) {
        if (relay_publisher_publish(publisher, 1, line, strcspn(line, "\n"), -1) != RELAY_OK) {
            break;
        }
    }
    if (publisher != NULL && relay_publisher_close(publisher, &error) == 0) {
        return 0;
    }
    fprintf(stderr, "%s\n", error.text);
    return 1;
}
