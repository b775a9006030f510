package dev.msgrelay.server.config;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Compares settings with their limits. The message of a refusal names the setting, its value and the limits. */
final class Range {
    static final int MOST_PORT = 65_535;

    private Range() {}

    static void check(String what, long value, long least, long most) {
        check(what, value, least, most, "");
    }

    /** @param why text at the end of the message */
    static void check(String what, long value, long least, long most, String why) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is not within " + least + ".." + most + why);
        }
    }

    static void checkMillis(String what, Duration value, long least, long most) {
        // For very long times convert returns Long.MAX_VALUE, while Duration.toMillis would throw.
        long millis = TimeUnit.MILLISECONDS.convert(value);
        if (millis < least || millis > most) {
            throw new IllegalArgumentException(
                    what + " " + millis + " ms is not within " + least + ".." + most + " ms");
        }
    }
}
